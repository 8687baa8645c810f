"""A body that touches its surface at one place and lies inside it at another: refused at a start, told of a run."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from zeromass.contact.penetration import scattered
from zeromass.errors import RunDoubtful

r = 0.5
BALL = zm.bodies.ball(r, 2.0)


def corner(wall=1.0, **options) -> zm.Rolling:
    """A ball on the floor Z = 0 before the wall X = `wall`: Z (wall − X) = 0, bodies where it is positive."""
    return zm.Rolling(BALL, on=zm.Surface(lambda X, Y, Z: Z * (wall - X), name="corner"), **options)


@pytest.mark.parametrize("depth", [0.36, 0.1, 0.01, 0.001])
def test_a_start_inside_a_wall_is_refused_with_place_and_depth(depth):
    """The centre stands r − depth before the wall."""
    with pytest.raises(zm.errors.StartError) as raised:
        corner().start(contact=(1.0 - r + depth, 0.3, 0.0))
    assert f"{depth:.3g} m inside it at (1, 0.3, {r:g}) m" in str(raised.value)
    assert "'ball' touches 'corner'" in str(raised.value)


@pytest.mark.parametrize("gap", [0.0, 1e-9, 0.01, 0.3])
def test_a_start_before_a_wall_is_none(gap):
    assert corner().start(contact=(1.0 - r - gap, 0.3, 0.0)).free == ()


def test_a_start_given_by_expressions_is_looked_at_too():
    rolling = corner()
    guess = [(rolling.center, (0.8, 0, r)), (rolling.body.position, (0.8, 0, r))]
    with pytest.raises(zm.errors.StartError, match=r"0\.3 m inside it at \(1, "):
        rolling.start([(rolling.contact, (0.8, 0, 0)), (rolling.body.angular_velocity, 0.0)], guess=guess)


@pytest.mark.parametrize("friction", [None, 0.4], ids=["rolling", "slipping"])
def test_a_ball_that_goes_on_into_a_wall_is_told(friction):
    """It goes 0.73 m where there is 0.5 m, and ends 0.23 m inside; slipping it has 2/7 of 3.5 m/s less than that."""
    rolling = corner(friction=friction)
    if friction is None:
        moving, start = rolling, rolling.start(contact=(0.0, 0.0, 0.0), velocity=(1.0, 0.0))
    else:
        moving = rolling
        start = rolling.slipping.start(
            [
                (rolling.contact, 0.0),
                (rolling.center_particle.velocity, (3.0, 0, 0)),
                (rolling.body.angular_velocity, 0.0),
            ],
            guess=[(rolling.center, (0, 0, r)), (rolling.body.position, (0, 0, r))],
        )
    until = 0.73 if friction is None else 0.2
    with pytest.warns(RunDoubtful, match="inside 'corner'"):
        run = zm.simulate(moving, start, until=until)
    x, _, z = run[rolling.center][-1]
    assert run.modes == ("rolling" if friction is None else "slipping",)
    assert run.outcome.ending == "finished"
    assert f"lies {r - (1 - x):.3g} m inside 'corner' at t = {until:g} s, at (1, " in run.remarks[0]
    assert f", {z:.4g}) m" in run.remarks[0]


def test_a_wall_that_moves_into_a_ball(tmp_path):
    """The ball rests; the wall begins at a parameter and comes at 0.5 m/s."""
    begin = zm.parameter("begin", 2.0)
    rolling = corner(begin - 0.5 * zm.t)
    start = rolling.start(contact=(0.0, 0.0, 0.0))
    assert zm.simulate(rolling, start, until=1.0).remarks == ()
    with pytest.warns(RunDoubtful, match=r"lies 0\.1 m inside 'corner' at t = 1 s, at \(0\.4, "):
        run = zm.simulate(rolling, start, until=1.0, parameters={begin: 0.9})
    assert zm.load(run.save(tmp_path / "run.nc", certificate=False)).remarks == run.remarks


@pytest.mark.parametrize(
    ("surface", "start"),
    [
        (zm.surfaces.sphere(1.0, inside=True), {"contact": (0, 0, -1)}),
        (zm.surfaces.sphere(0.51, inside=True), {"contact": (0, 0, -0.51)}),
        (zm.surfaces.cylinder(0.6, inside=True), {"contact": (0.6, 0, 0), "velocity": (0, 0.5, 0)}),
        (zm.surfaces.cylinder(0.1), {"contact": (0.1, 0, 0), "velocity": (0, 0.5, 0)}),
        (zm.surfaces.torus(2.0, 0.6, inside=True), {"contact": (2.0, 0, -0.6), "velocity": (0.5, 0.5)}),
        (zm.surfaces.torus(2.0, 0.1), {"contact": (2.0, 0, 0.1), "velocity": (0.1, 0.5)}),
        (zm.surfaces.paraboloid(0.95), {"contact": (0.3, 0.1), "velocity": (0.5, 0.5)}),
        (zm.surfaces.cone(0.5), {"contact": (1.0, 0.0), "velocity": (0.0, 1.0)}),
        (zm.surfaces.plane(slope=1.2, rotation=((0, 0, 1), zm.t)), {"contact": (1.0, 0.0)}),
        (zm.Surface.from_heights(np.arange(8.0), np.arange(8.0), np.zeros((8, 8))), {"contact": (0.1, 0.1)}),
    ],
    ids=lambda x: x.name if isinstance(x, zm.Surface) else "",
)  # fmt: skip
def test_no_false_alarm(surface, start):
    """Each leaves the ball room, some of them hardly."""
    rolling = zm.Rolling(BALL, on=surface, two_sided=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunDoubtful)
        assert zm.simulate(rolling, rolling.start(**start), until=1.0).remarks == ()


@pytest.mark.parametrize("count", [64, 4096])
def test_directions_are_spread_evenly(count):
    """The caps of half the sphere hold half of them, up to a boundary of 4 √count."""
    directions = scattered(count)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(1.0, abs=1e-12)
    for axis in scattered(20):
        assert abs(np.sum(directions @ axis > 0) - count / 2) < 2 * np.sqrt(count)
