"""How a slip begins: where friction is just what rolling needs, in the direction that it leaves, at a rate of zero.

    ṡ = g_t − 7/2 μ g_n s/√(s² + c²),   a solid ball on a plane under a field (g_t(t), −g_n)

Its direction returns to that of g_t at a rate of 7/2 μ g_n/|s|: the motion is as stiff as the slip is small.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import zeromass as zm
from cases import few

G, RADIUS, FRICTION = 9.81, 0.1, 0.12


def field(t, cos=np.cos, sin=np.sin):
    """g_t, m/s²: it grows, turns, and falls again."""
    size, angle = 6.0 * sin(1.3 * t), 0.4 + 0.9 * t
    return np.array([size * cos(angle), size * sin(angle)])


def tilted(**options) -> zm.Rolling:
    gravity = (*field(zm.t), -G)
    ball = zm.bodies.ball(RADIUS, 0.5)
    return zm.Rolling(ball, on=zm.surfaces.plane(), gravity=gravity, friction=FRICTION, **options)


CREEP = 1e-13
"""Speed of slip, m/s, below which friction falls off in the reference: it counts as rolling at ten of them."""


def reference(until: float, creep: float = CREEP) -> tuple[float, float, np.ndarray]:
    """When the ball begins to slip and when it ceases to, and its slip at given times, by another program."""
    begins = brentq(lambda t: np.linalg.norm(field(t)) - 3.5 * FRICTION * G, 0.1, 1.2, xtol=1e-15)

    def slope(t, s):
        return field(t) - 3.5 * FRICTION * G * s / np.sqrt(s @ s + creep**2)

    def stops(t, s):
        return s @ s - (10 * creep) ** 2 if t > begins + 0.1 else 1.0

    stops.terminal = True
    found = solve_ivp(
        slope, (begins, until), [0.0, 0.0], method="Radau", rtol=1e-11, atol=1e-15, events=stops, dense_output=True
    )
    times = np.linspace(begins, found.t[-1], 9)[1:-1]
    return begins, found.t[-1], np.column_stack([times, found.sol(times).T])


@pytest.mark.parametrize(("method", "rtol"), few([("collocation", 1e-12), ("dop853", 1e-12), ("radau", 1e-10)]))
def test_a_ball_whose_plane_is_tilted_more_and_more(method, rtol):
    """To what the other program's tolerance explains: it follows the slip to 1e-11, some 1e4 times less than it turns."""
    rolling = tilted()
    begins, ends, slips = reference(3.0)
    run = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=ends + 0.1, method=method, rtol=rtol)
    assert run.modes == ("rolling", "slipping", "rolling")
    assert run.changes == pytest.approx((begins, ends), abs=1e-9)
    found = run.at(slips[:, 0])[rolling.slip_velocity]
    assert np.abs(found[:, :2] - slips[:, 1:]).max() < 1e-9
    assert np.abs(slips[:, 1:]).max() > 0.1


def test_a_shell_that_slips_again_and_again():
    """By every method alike: a long first step of an implicit one would take a slip of 2e-4 m/s for nothing."""
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    shell = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(shell, on=bowl, gravity=9.81, friction=0.1)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), spin=0.0, orientation=(1, 0, 0, 0))
    runs = [zm.simulate(rolling, start, until=5.2, method=method) for method in ("collocation", "dop853", "radau")]
    assert runs[0].modes == 5 * ("rolling", "slipping") + ("rolling",)
    assert runs[0].statistics.evaluations < 30_000  # of explicit steps alone 690,000
    for run in runs[1:]:
        assert run.modes == runs[0].modes
        assert run.changes == pytest.approx(runs[0].changes, abs=1e-8)


def test_a_beginning_slip_costs_no_more_than_the_rest():
    """An explicit method alone took 13,000 evaluations for each slip, whose smooth part takes hundreds."""
    rolling = tilted()
    run = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=1.5)
    assert run.modes == ("rolling", "slipping")
    assert run.segments[1].statistics.evaluations < 4000


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-5, 1e-7])
def test_a_slip_far_below_the_tolerance_is_still_a_slip(rtol):
    """Slips of 1e-8 m/s are less than 1e-5 of the speeds that they are differences of; the slip goes on nevertheless."""
    rolling = tilted()
    begins, ends, slips = reference(3.0)
    run = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=ends + 0.1, rtol=rtol)
    assert run.modes == ("rolling", "slipping", "rolling")
    assert run.changes[0] == pytest.approx(begins, abs=1e-12)
    found = run.at(slips[:, 0])[rolling.slip_velocity]
    assert np.abs(found[:, :2] - slips[:, 1:]).max() < 10 * rtol  # speeds of some m/s


def test_the_stiff_part_is_one_with_the_rest(tmp_path):
    """Steps that follow one another, of an implicit method first, the settings that were asked for, the same from a file."""
    rolling = tilted()
    run = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=1.5)
    stiff, rest = run.segments[1:]
    assert run.modes == ("rolling", "slipping")
    assert stiff.t[-1] == rest.t[0]
    assert [one.settings.method for one in (stiff, rest, run)] == ["radau", "collocation", "collocation"]
    slip = np.concatenate([stiff.t, rest.t[1:]])
    assert np.all(np.diff(slip) > 0)
    run.save(tmp_path / "slip.nc")
    again = zm.load(tmp_path / "slip.nc")
    times = np.sort(np.concatenate([(a + b) / 2 * np.ones(1) for a, b in pairwise(slip)]))
    assert np.array_equal(again.at(times).y, run.at(times).y)
    assert run.work().imbalance < 1e-9


def test_members_of_a_study_begin_to_slip_as_single_runs_do():
    """A slip from rest, whose direction is that of friction: in lanes as alone, to the bit."""
    tilt = zm.parameter("tilt", 0.9)
    gravity = (G * np.sin(tilt), 0.0, -G * np.cos(tilt))
    ball = zm.Rolling(zm.bodies.ball(RADIUS, 0.5), on=zm.surfaces.plane(), gravity=gravity, friction=0.2, creep=1e-9)
    start = ball.slipping.start(
        [(ball.contact, 0.0), (ball.body.quaternion, (1, 0, 0, 0)), (zm.rate(ball.center), 0.0)]
    )
    values = [0.8, 0.9, 1.0]
    settings = {"until": 0.5, "rtol": 1e-10, "atol": 1e-13, "method": "dop853"}
    study = zm.sweep(ball, start, over={tilt: values}, keep={"end": ball.center[0]}, **settings)
    for value, end in zip(values, study["end"].values, strict=True):
        alone = ball.slipping.start(
            [(ball.contact, 0.0), (ball.body.quaternion, (1, 0, 0, 0)), (zm.rate(ball.center), 0.0)],
            parameters={tilt: value},
        )
        run = zm.simulate(ball, alone, **settings)
        assert run[ball.center[0]][-1] == end
        assert end == pytest.approx(G * (np.sin(value) - 0.2 * np.cos(value)) / 8, rel=1e-7)
