"""Motions of bodies that may touch outside Python: modes of contacts, impacts and starts, in Node."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.rooms import room, thrown
from integrate.node import MISSING, node, over_switches
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT = {"rtol": 1e-13, "atol": 1e-16}

μ, e = zm.parameter("mu", 0.2), zm.parameter("e", 0.5)
v, h = zm.parameter("v", 1.8), zm.parameter("h", 0.1)
WALLED = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}


def python(start: zm.State, values: dict[str, float], until: float) -> zm.Run:
    with warnings.catch_warnings(action="ignore"):
        return zm.simulate(start.system, start.again(values), until=until, method="dop853", **TIGHT)


def beside(
    start: zm.State,
    until: float,
    tries: list[dict[str, float]],
    folder: Path,
    *,
    bounces: float = 2e-11,
    between: float = 1e-12,
    forces: float = 1e-8,
    pivots: int = 1,
) -> list[tuple[zm.Run, Any]]:
    """Runs in Python, and what the driver makes with the same values: the same kinds, events, impulses, forces and states.

    bounces  s by which times may differ, of the last of many bounces
    between  by how much constraints may be missed between steps
    forces   N by which forces may differ: where a slip begins, its direction is that of rounding beside the creep
    pivots   states of each segment at which pivots are chosen
    """
    system = start.system
    n, left = 2 * len(system.coordinates), [zero for level in range(2) for _, zero in system.zeros(level)]
    pushing = [force for one in system.unilaterals for force in one.forces]
    outputs = (*system.coordinates, *system.rates, *pushing, *left)
    runs, met = [python(start, values, until) for values in tries], []
    for segment in (segment for run in runs for segment in run.segments if pivots > 1):
        some = [segment.state(float(t)) for t in segment.t[:: max(len(segment.t) // pivots, 1)]]
        modes = {} if segment.piece is None else segment.piece.modes
        met += [here if system.pieces is None else system.pieces.state(here, modes) for here in some]
    settings = Settings(**TIGHT, method="dop853")
    motion = Pieced(start, tuple(system.events), outputs, until, settings, [μ, e], met=tuple(met))
    motion.check()
    times = np.linspace(start.t, until, 51) * (1 - 1e-3)  # where no impact is
    tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
    found = []
    for run, there in zip(runs, over_switches(motion, tasks, folder), strict=True):
        found.append((run, there))
        assert there["ending"] == run.outcome.ending.name
        if there["ending"] == "EVENT":
            assert there["event"]["message"] in run.outcome.message
        else:
            assert there["message"] == run.outcome.message
        assert [kind for _, kind in there["kinds"]] == (list(run.modes) if system.unilaterals else [])
        assert [name for name, _ in there["happened"]] == [event.name for event in run.events]
        late = [t for t, _ in there["kinds"][1:]], [t for _, t in there["happened"]], [t for t, *_ in there["impulses"]]
        expected = run.changes, [event.t for event in run.events], [impulse.t for impulse in run.impulses]
        for here, known in zip(late, expected, strict=True):
            assert np.abs(np.subtract(here, known)).max(initial=0.0) <= bounces
        for (_, names, sizes), impulse in zip(there["impulses"], run.impulses, strict=True):
            assert names == list(impulse.constraints)
            assert np.abs(np.subtract(sizes, impulse.impulses)).max() <= 1e-9
        seen = times[times <= run.t[-1]]
        samples, sampled = there["samples"].reshape(len(seen), -1), run.at(seen)
        assert np.abs(samples[:, :n] - sampled.y).max() <= 1e-9
        assert np.abs(samples[:, n : n + len(pushing)] - sampled[pushing]).max(initial=0.0) <= forces
        assert np.abs(samples[:, n + len(pushing) :]).max(initial=0.0) <= between
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
    return found


def test_a_ball_before_a_wall(tmp_path):
    """It rolls to the wall, which is there at 0.9/v, is thrown back, leaves the floor where friction lifts it, and rolls."""
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=WALLED, gravity=9.81, friction=μ, restitution=e)
    start = ball.start(center=(0.0, 0.0, 0.1), velocity=(1.8, 0.3, 0.0))
    (_, first), (_, second) = beside(start, 0.8, [{"e": 0.3}, {"mu": 0.05, "e": 0.2}], tmp_path)
    assert first["kinds"][1][0] == pytest.approx(0.5, abs=1e-12)
    assert (first["kinds"][-1][1], second["kinds"][-1][1]) == ("floor rolling, wall open", "floor slipping, wall open")


@pytest.mark.slow
def test_a_ball_falls_into_a_groove(tmp_path):
    """It strikes both sides, at once in the end, and rolls or slips on both."""
    groove = {"left": zm.Surface(lambda X, Y: Y + 0.1 * X), "right": zm.Surface(lambda X, Y: -Y + 0.1 * X)}
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=groove, gravity=9.81, friction=μ, restitution=0.0)
    start = ball.start(center=(0, 0, 0.2), velocity=(0.5, 0.2, 0), angular_velocity=(1, 0, 2))
    ((run, _),) = beside(start, 0.5, [{"mu": 0.3}], tmp_path)
    assert run.modes[-1] == "left rolling, right rolling"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["corner", "groove", "bumps"])
@pytest.mark.parametrize("seed", range(4))
def test_random_rooms(kind, seed, tmp_path):
    """A ball that is thrown into rooms of three surfaces, with random friction and restitution."""
    rng = np.random.default_rng(seed)
    ball, parameters = room(kind)
    start = thrown(ball, parameters, rng)
    tries = [{"mu": float(rng.uniform(0, 0.8)), "e": float(rng.uniform(0, 0.7))} for _ in range(3)]
    beside(start, 1.2, tries, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "turned"),
    [(zm.bodies.ellipsoid((0.1, 0.12, 0.15), 0.5), (0.3, 0.2, 0.1)), (zm.bodies.disc(0.2, 1.0), (1.3, 0.2, 0.1))],
)
def test_bodies_that_are_not_round(body, turned, tmp_path):
    """Their slips turn during strokes, which are integrated."""
    on = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 0.45 - X)}
    both = zm.Contacts(body, on=on, gravity=9.81, friction=μ, restitution=e)
    start = both.start(center=(0, 0, 0.4), velocity=(1, 0.5, 0), angular_velocity=(1, 5, 2), orientation=turned)
    beside(start, 0.6, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_two_balls(tmp_path):
    """Each with two surfaces, and strokes of its own."""
    balls = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.05, 0.2, name="blue")]
    both = zm.Contacts(balls, on=WALLED, gravity=9.81, friction=μ, restitution=e)
    centers, speeds = {"red": (0, 0, 0.1), "blue": (0, 1, 0.3)}, {"red": (1, 0.5, 0), "blue": (1.2, 0, 0)}
    beside(both.start(center=centers, velocity=speeds), 1.0, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_balls_that_strike_one_another(tmp_path):
    """On a table with friction of both kinds: rolling, a stroke of two bodies on a floor, hops, slipping, rolling."""
    balls = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.08, 0.3, name="blue")]
    both = zm.Contacts(balls, on=WALLED, between=True, gravity=9.81, friction=μ, restitution=e)
    centers, speeds = {"red": (-0.5, 0, 0.1), "blue": (0, 0.05, 0.08)}, {"red": (1.5, 0, 0), "blue": (0.3, 0, 0)}
    beside(both.start(center=centers, velocity=speeds), 0.8, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_a_ball_on_an_egg(tmp_path):
    """It rolls on a moving body, slips and leaves it; both are free."""
    egg = zm.bodies.ellipsoid((0.4, 0.3, 0.3), 2.0, name="egg")
    both = zm.Contacts(
        [egg, zm.bodies.ball(0.1, 0.5)], on=WALLED, between=True, gravity=9.81, friction=μ, restitution=e
    )
    start = both.start(center={"egg": (0, 0, 0.3), "ball": (0.05, 0, 0.69)}, touching=["egg on floor", "egg and ball"])
    assert beside(start, 0.8, [{"mu": 0.5, "e": 0.2}], tmp_path)[0][0].modes[0].startswith("egg on floor rolling")


@pytest.mark.slow
def test_normal_forces_that_are_shared(tmp_path):
    """A ball in a trough of three planes, all of which touch it."""
    c = 0.1 * (1 - np.sqrt(2))
    sides = {"left": zm.Surface(lambda X, Y, Z: Z + Y - c), "right": zm.Surface(lambda X, Y, Z: Z - Y - c)}
    ball = zm.Contacts(
        zm.bodies.ball(0.1, 0.5), on={"floor": zm.surfaces.plane(), **sides}, gravity=10.0, friction=μ, restitution=e
    )
    with warnings.catch_warnings(action="ignore"):
        turning = {"velocity": (1, 0, 0), "angular_velocity": (0, 10, 0)}
        beside(ball.start(center=(0, 0, 0.1), **turning), 1.0, [{}, {"mu": 0.05}], tmp_path)
        beside(ball.start(center=(0, 0, 0.2), velocity=(1, 0, 0)), 1.0, [{}, {"mu": 0.05}], tmp_path)


@pytest.mark.slow
def test_a_bead_leaves_a_sphere(tmp_path):
    """Where it has come down by a third of the radius, as Newton's Principia have it; then it flies."""
    sliding = zm.Sliding(zm.Particle("bead", mass=0.1), on=zm.surfaces.sphere(1.0), gravity=9.81)
    start = sliding.start(contact=(0.1, 0.0, np.sqrt(0.99)))
    ((run, _),) = beside(start, 1.5, [{}], tmp_path)
    assert run.modes == ("sliding", "flying")
    assert run.state(run.changes[0]).q[2] == pytest.approx(2 / 3 * np.sqrt(0.99), abs=1e-9)


@pytest.mark.slow
def test_a_bead_between_a_slope_and_a_wall(tmp_path):
    """It bounces, slides, and rests where friction holds it; on a bowl with friction that depends on speed."""
    bead = zm.Particle("bead", mass=0.1)
    slope, wall = zm.surfaces.plane(0.2), zm.Surface(lambda X, Y, Z: 1 - X, name="wall")
    corner = zm.Sliding(bead, on=[slope, wall], gravity=9.81, friction=μ, restitution=e)
    start = corner.start(position=(0, 0, 0.4), velocity=(v, 0.3, 0))
    tries = [{}, {"v": 2.0, "mu": 0.5, "e": 0.3}, {"v": 2.5, "mu": 0.1}]
    runs = beside(start, 1.5, tries, tmp_path)
    assert runs[1][0].modes[-1] == "resting"
    law = zm.Friction(static=0.5, kinetic=lambda s: μ + 0.1 * np.exp(-s / 0.3))
    bowl = zm.Sliding(bead, on=zm.Surface(lambda X, Y: 0.3 * X**2), gravity=9.81, friction=law, restitution=e)
    beside(bowl.start(position=(0.5, 0, 0.4), velocity=(v, 0.3, 0)), 2.0, [{}, {"v": 0.2, "mu": 0.3}], tmp_path)


def test_an_implicit_body_slips_and_rolls_as_in_python(tmp_path):
    """Its rows follow from one another where it touches; where the slip dies out it keeps its velocity."""
    body = zm.bodies.superquadric((0.1, 0.09, 0.08), exponent=2, mass=0.5, name="stone")
    contacts = zm.Contacts(body, on={"floor": zm.surfaces.plane()}, friction=μ, restitution=e)
    floor, own = contacts["floor"], contacts.bodies[0]
    start = contacts.start(
        [
            (floor.point[:2], (0, 0)),
            (floor.gap, 0.0),
            (zm.rate(floor.gap), 0.0),
            (own.quaternion, np.array([0.8, 0.4, 0.3, 0.33]) / np.linalg.norm([0.8, 0.4, 0.3, 0.33])),
            (own.angular_velocity, (3.0, -2.0, 1.0)),
            (own.velocity[:2], (0.3, 0.1)),
        ]
    )
    ((run, _),) = beside(start, 0.4, [{"mu": 0.3}], tmp_path)
    assert run.modes[:2] == ("floor slipping", "floor rolling")
    before, after = (segment.state(float(segment.t[k])) for segment, k in zip(run.segments[:2], (-1, 0), strict=True))
    assert after[own.velocity] == pytest.approx(before[own.velocity], abs=1e-7)


# starts -----------------------------------------------------------------------------------------------------------------


def test_a_start_on_the_floor_is_made_anew(tmp_path):
    """It rolls with another speed; where the ball is lifted, or lowered into the floor, the page says so."""
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=WALLED, gravity=9.81, friction=μ, restitution=e)
    start = ball.start(center=(0.0, 0.0, h), velocity=(v, 0.3, 0.0))
    beside(start, 0.5, [{}, {"v": 2.5, "mu": 0.05}], tmp_path)
    motion = Pieced(start, tuple(ball.events), (), 0.5, Settings(**TIGHT, method="dop853"), [v, h])
    tasks = [{"values": {"h": height}, "until": 0.5, **TIGHT} for height in (0.2, 0.05)]
    for there in over_switches(motion, tasks, tmp_path):
        assert (there["ending"], there["message"]) == ("NO_START", "contact 'floor' does not touch at the start")


def test_a_start_inside_is_refused_in_the_words_of_python(tmp_path):
    bead = zm.Particle("bead", mass=1.0)
    floor = zm.Contact(bead, zm.shapes.point(), WALLED["floor"], friction=0.2, name="floor")
    system = zm.System([bead], gravity=9.81, contacts=[floor])
    start = system.start([(bead.position, (0.0, 0.0, h)), (bead.velocity, 0.0)])
    for x in (-0.05, -1.2345e-6):
        motion = Pieced(start, (), (), 0.5, Settings(method="dop853"), [h])
        (there,) = over_switches(motion, [{"values": {"h": x}, "until": 0.5}], tmp_path)
        with pytest.raises(zm.errors.StartError) as error:
            zm.simulate(system, start.again({"h": x}), until=0.5)
        assert (there["ending"], there["message"]) == ("NO_START", str(error.value))


def test_a_start_that_is_struck_begins_with_an_impulse(tmp_path):
    bead = zm.Particle("bead", mass=1.0)
    floor = zm.Contact(bead, zm.shapes.point(), WALLED["floor"], friction=μ, restitution=e, name="floor")
    system = zm.System([bead], gravity=9.81, contacts=[floor])
    start = system.start([(bead.position, 0.0), (bead.velocity, (0.5, 0.0, -v))])
    ((run, there),) = beside(start, 0.5, [{"v": 1.0}], tmp_path)
    assert there["impulses"][0][0] == run.impulses[0].t == 0.0
    assert run.impulses[0].impulses[0] == pytest.approx(1.0 + 0.5, abs=1e-15)
