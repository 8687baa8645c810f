"""Motions at several contacts outside Python: which of them are open, roll or slip, and strokes at several, in Node."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.rooms import room, thrown
from integrate.node import DRIVERS, MISSING, STATIC, node, through_kinds
from zeromass.contact import several_changing
from zeromass.contact.balance import Meeting
from zeromass.contact.complementarity import AGREES, decided
from zeromass.contact.strokes import strokes
from zeromass.integrate.alone.kinds import Kinds

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT = {"rtol": 1e-13, "atol": 1e-16}

μ, e = zm.parameter("mu", 0.2), zm.parameter("e", 0.5)
WALLED = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}


def python(start: zm.State, values: dict[str, float], until: float) -> zm.Run:
    with warnings.catch_warnings(action="ignore"):
        return zm.simulate(start.system, start.again(values), until=until, method="dop853", **TIGHT)


def beside(start: zm.State, until: float, tries: list[dict[str, float]], folder: Path) -> list[tuple[zm.Run, Any]]:
    """Runs in Python, and what the driver makes with the same values: the same cases at the same times and states."""
    runs, system = [python(start, values, until) for values in tries], start.system
    met = tuple(segment.start for run in runs for segment in run.segments)
    motion = Kinds.of(start, (*system.coordinates, *system.rates), until, zm.Settings(**TIGHT, method="dop853"))
    assert motion is not None
    times = np.linspace(0.0, until, 51) * (1 - 1e-3)  # where no stroke is
    tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
    found = through_kinds(replace(motion, met=met), tasks, folder)
    for run, there in zip(runs, found, strict=True):
        samples, m = there["samples"].reshape(len(times), -1), 2 * len(system.coordinates)
        assert (there["ending"], there["message"]) == (run.outcome.ending.name, "")
        here, found_ = changes(zip([0.0, *run.changes], run.kinds, strict=True)), changes(there["kinds"])
        assert [kind for _, kind in found_] == [kind for _, kind in here]
        assert np.abs(np.subtract([t for t, _ in found_], [t for t, _ in here])).max() <= 2e-11  # of many bounces
        assert np.abs(samples[:, :m] - run.at(times).y).max() <= 1e-9
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
        assert np.abs(samples[:, m:]).max() <= 1e-13
    return list(zip(runs, found, strict=True))


def changes(kinds: Iterable[tuple[float, str]]) -> list[tuple[float, str]]:
    """Changes of kind, one where several are at once to rounding: of contacts that are mirrored either is the first."""
    found: list[tuple[float, str]] = []
    for t, kind in kinds:
        if found and t - found[-1][0] <= 1e-13 and kind == found[-1][1]:
            continue
        found.append((t, kind))
    return found


@pytest.fixture
def met_cases(monkeypatch):
    """Only the cases that the runs come to are compiled."""
    monkeypatch.setattr(several_changing, "CASES", 0)


# numbers ----------------------------------------------------------------------------------------------------------------
CALLS = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"), (key, x) => (x === "Infinity" ? Infinity : x));
const solved_ = ({ rank, solution, loose }, b) => ({ rank, x: solution(b), loose });
const known = { decided, strokes, ranked: (A, b) => solved_(ranked(A), b) };
console.log(JSON.stringify(given.map(([name, numbers]) => known[name](...numbers))));
"""


def in_node(calls: list[tuple[str, list[Any]]], folder: Path) -> list[Any]:
    """What functions of the driver give."""
    script = folder / "numbers.cjs"
    script.write_text("\n".join([*[(STATIC / name).read_text("utf-8") for name in DRIVERS["ContactsMotion"]], CALLS]))
    words = [str(node()), str(script)]
    done = subprocess.run(words, input=json.dumps(calls), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def meeting(rng: np.random.Generator, k: int) -> Meeting:
    """Contacts of a random body: a ball where they share a body in the same place, else anything."""
    n = rng.normal(size=(k, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    ρ = -n if rng.random() < 0.5 else rng.normal(size=(k, 3))
    J = np.diag([0.4, 0.4, 0.4] if rng.random() < 0.5 else rng.uniform(0.5, 1.0, 3))
    A = np.zeros((3 * k, 6))
    for j, (x, y, z) in enumerate(ρ):
        A[3 * j : 3 * j + 3] = np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])])
    D = A @ np.diag([1.0, 1.0, 1.0, *(1 / np.diag(J))]) @ A.T
    s = np.zeros((k, 3))
    for j in range(k):
        if rng.random() < 0.4:
            along = rng.normal(size=3)
            along -= along @ n[j] * n[j]
            s[j] = along / np.linalg.norm(along)
    μ = np.where(rng.random(k) < 0.2, np.inf, rng.uniform(0.0, 1.0, k))
    s[μ == np.inf] = 0.0
    return Meeting(D, n, s, μ)


def told(at: Meeting) -> dict[str, Any]:
    μ = ["Infinity" if x == np.inf else x for x in at.μ.tolist()]
    return {"D": at.D.tolist(), "n": at.n.tolist(), "s": at.s.tolist(), "mu": μ}


def test_ranks(tmp_path):
    """Of random matrices of lower rank: A x nearest to b with the shortest x, and vectors that A takes to zero."""
    rng = np.random.default_rng(1)
    given = []
    for _ in range(20):
        m, n = rng.integers(1, 8, 2)
        r = rng.integers(1, min(m, n) + 1)
        given.append((rng.normal(size=(m, r)) @ rng.normal(size=(r, n)), rng.normal(size=m)))
    found = in_node([("ranked", [A.tolist(), b.tolist()]) for A, b in given], tmp_path)
    for (A, b), there in zip(given, found, strict=True):
        assert there["rank"] == np.linalg.matrix_rank(A)
        x = np.linalg.pinv(A) @ b
        assert np.abs(there["x"] - x).max() <= 1e-9 * max(1.0, float(np.abs(x).max()))
        loose = np.array(there["loose"]).reshape(-1, A.shape[1])
        assert len(loose) == A.shape[1] - there["rank"]
        assert np.abs(loose @ loose.T - np.eye(len(loose))).max(initial=0.0) <= 1e-12
        assert np.abs(A @ loose.T).max(initial=0.0) <= 1e-11 * max(1.0, float(np.abs(A).max()))


def test_the_same_case_is_decided(tmp_path):
    """Of random contacts and accelerations, with forces to 1e-8 where the case agrees with itself."""
    rng = np.random.default_rng(2)
    given = [(meeting(rng, k), rng.normal(size=(k, 3)), k) for k in (1, 2, 2, 3) * 5]
    found = in_node([("decided", [told(at), a0.tolist()]) for at, a0, _ in given], tmp_path)
    agreed = 0
    for (at, a0, _), there in zip(given, found, strict=True):
        case = decided(at, a0)
        if case.misses <= AGREES:
            agreed += 1
            assert there["modes"] == list(case.modes)
            assert np.abs(np.array(there["F"]) - case.F).max() <= 1e-8 * max(1.0, float(np.abs(case.F).max()))
    assert agreed > 12


def test_strokes_at_several_points(tmp_path):
    """At once where that is lawful, else in turn: impulses and velocities of random strokes, to 1e-8."""
    rng = np.random.default_rng(3)
    given = []
    for k in (1, 2, 2, 3) * 3:
        at = meeting(rng, k)
        w = rng.normal(size=(k, 3))
        w[0] -= (at.n[0] @ w[0] + 1.0) * at.n[0]  # one of them strikes at least
        given.append((at, w, rng.uniform(0.0, 0.9, k)))
    found = in_node([("strokes", [told(at), w.tolist(), e.tolist()]) for at, w, e in given], tmp_path)
    for (at, w, e), there in zip(given, found, strict=True):
        here = strokes(at.D, at.n, w, at.μ, e)
        assert np.abs(np.array(there["impulses"]) - here.impulses).max() <= 1e-8 * np.abs(here.impulses).max()
        assert np.abs(np.array(there["velocities"]) - here.velocities).max() <= 1e-8


# motions ----------------------------------------------------------------------------------------------------------------
def test_a_ball_before_a_wall(met_cases, tmp_path):
    """It rolls to the wall, which is there at 0.9/v, is thrown back, leaves the floor where friction lifts it, and rolls."""
    ball = zm.Contacts(zm.ball(0.1, 0.5), on=WALLED, gravity=9.81, friction=μ, restitution=e)
    start = ball.start(center=(0.0, 0.0, 0.1), velocity=(1.8, 0.3, 0.0))
    (_, first), (_, second) = beside(start, 0.8, [{"e": 0.3}, {"mu": 0.05, "e": 0.2}], tmp_path)
    assert first["kinds"][1][0] == pytest.approx(0.5, abs=1e-12)
    assert "floor: bounces end" in [name for name, _ in first["happened"]]
    assert (first["kinds"][-1][1], second["kinds"][-1][1]) == ("floor rolling, wall open", "floor slipping, wall open")


@pytest.mark.slow
def test_a_ball_falls_into_a_groove(met_cases, tmp_path):
    """It strikes both sides, at once in the end, and rolls or slips on both."""
    groove = {"left": zm.Surface(lambda X, Y: Y + 0.1 * X), "right": zm.Surface(lambda X, Y: -Y + 0.1 * X)}
    ball = zm.Contacts(zm.ball(0.1, 0.5), on=groove, gravity=9.81, friction=μ, restitution=0.0)
    start = ball.start(center=(0, 0, 0.2), velocity=(0.5, 0.2, 0), angular_velocity=(1, 0, 2))
    ((run, _),) = beside(start, 0.5, [{"mu": 0.3}], tmp_path)
    assert run.kinds[-1] == "left rolling, right rolling"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["corner", "groove", "bumps"])
@pytest.mark.parametrize("seed", range(4))
def test_random_rooms(met_cases, kind, seed, tmp_path):
    """A ball that is thrown into rooms of three surfaces, with random friction and restitution."""
    rng = np.random.default_rng(seed)
    ball, parameters = room(kind)
    start = thrown(ball, parameters, rng)
    tries = [{"mu": float(rng.uniform(0, 0.8)), "e": float(rng.uniform(0, 0.7))} for _ in range(3)]
    beside(start, 1.2, tries, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "turned"), [(zm.ellipsoid((0.1, 0.12, 0.15), 0.5), (0.3, 0.2, 0.1)), (zm.disc(0.2, 1.0), (1.3, 0.2, 0.1))]
)
def test_bodies_that_are_not_round(met_cases, body, turned, tmp_path):
    """Their slips turn during strokes, which are integrated."""
    on = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 0.45 - X)}
    both = zm.Contacts(body, on=on, gravity=9.81, friction=μ, restitution=e)
    start = both.start(center=(0, 0, 0.4), velocity=(1, 0.5, 0), angular_velocity=(1, 5, 2), orientation=turned)
    beside(start, 0.6, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_two_balls(met_cases, tmp_path):
    """Each with two surfaces, and strokes of its own."""
    balls = [zm.ball(0.1, 0.5, name="red"), zm.ball(0.05, 0.2, name="blue")]
    both = zm.Contacts(balls, on=WALLED, gravity=9.81, friction=μ, restitution=e)
    centers, speeds = {"red": (0, 0, 0.1), "blue": (0, 1, 0.3)}, {"red": (1, 0.5, 0), "blue": (1.2, 0, 0)}
    beside(both.start(center=centers, velocity=speeds), 1.0, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_balls_that_strike_one_another(met_cases, tmp_path):
    """On a table with friction of both kinds: rolling, a stroke of two bodies on a floor, hops, slipping, rolling."""
    balls = [zm.ball(0.1, 0.5, name="red"), zm.ball(0.08, 0.3, name="blue")]
    both = zm.Contacts(balls, on=WALLED, between=True, gravity=9.81, friction=μ, restitution=e)
    centers, speeds = {"red": (-0.5, 0, 0.1), "blue": (0, 0.05, 0.08)}, {"red": (1.5, 0, 0), "blue": (0.3, 0, 0)}
    beside(both.start(center=centers, velocity=speeds), 0.8, [{}, {"mu": 0.05}, {"mu": 0.5, "e": 0.2}], tmp_path)


@pytest.mark.slow
def test_a_ball_on_an_egg(met_cases, tmp_path):
    """It rolls on a moving body, slips and leaves it; both are free."""
    egg = zm.ellipsoid((0.4, 0.3, 0.3), 2.0, name="egg")
    both = zm.Contacts([egg, zm.ball(0.1, 0.5)], on=WALLED, between=True, gravity=9.81, friction=μ, restitution=e)
    start = both.start(center={"egg": (0, 0, 0.3), "ball": (0.05, 0, 0.69)}, touching=["egg on floor", "egg and ball"])
    assert beside(start, 0.8, [{}, {"mu": 0.5, "e": 0.2}], tmp_path)[0][0].kinds[0].startswith("egg on floor rolling")


@pytest.mark.slow
def test_normal_forces_that_are_shared(met_cases, tmp_path):
    """A ball in a trough of three planes, all of which touch it."""
    c = 0.1 * (1 - np.sqrt(2))
    sides = {"left": zm.Surface(lambda X, Y, Z: Z + Y - c), "right": zm.Surface(lambda X, Y, Z: Z - Y - c)}
    ball = zm.Contacts(
        zm.ball(0.1, 0.5), on={"floor": zm.surfaces.plane(), **sides}, gravity=10.0, friction=μ, restitution=e
    )
    with warnings.catch_warnings(action="ignore"):
        beside(ball.start(center=(0, 0, 0.1), velocity=(1, 0, 0)), 1.0, [{}, {"mu": 0.05}], tmp_path)
        beside(ball.start(center=(0, 0, 0.2), velocity=(1, 0, 0)), 1.0, [{}, {"mu": 0.05}], tmp_path)


@pytest.mark.slow
def test_a_case_that_the_page_does_not_know(met_cases, tmp_path):
    """It says which one, and what to do is Python's."""
    ball = zm.Contacts(zm.ball(0.1, 0.5), on={"floor": WALLED["floor"]}, gravity=9.81, friction=μ, restitution=0.0)
    motion = Kinds.of(ball.start(center=(0, 0, 0.2)), (), 0.5, zm.Settings())
    assert motion is not None
    (there,) = through_kinds(motion, [{"values": {}, "until": 0.5}], tmp_path)
    assert there["ending"] == "BEYOND"
    assert there["message"] == "'floor rolling' is none of the cases that this page was made with"
    assert there["t"] == pytest.approx(np.sqrt(2 * 0.1 / 9.81), abs=1e-9)


@pytest.mark.slow
def test_friction_that_the_motion_does_not_determine(met_cases, tmp_path):
    """Two balls on one another in a box: the page says that it does not know this case."""
    box = {**WALLED, "floor": zm.surfaces.plane(), "left": zm.Surface(lambda X, Y, Z: X - 0.66)}
    both = zm.Contacts(
        [zm.ball(0.1, 0.5, name="low"), zm.ball(0.1, 0.5, name="high")], on=box, between=True, friction=μ, gravity=9.81
    )
    start = both.start(center={"low": (0.9, 0, 0.1), "high": (0.76, 0, 0.1 + np.sqrt(0.04 - 0.14**2))})
    run = python(start, {}, 0.1)
    assert len(run.kinds) == 1
    motion = Kinds.of(start, (), 0.1, zm.Settings())
    assert motion is not None
    met = tuple(segment.start for segment in run.segments)
    (there,) = through_kinds(replace(motion, met=met), [{"values": {}, "until": 0.1}], tmp_path)
    assert there["ending"] == "BEYOND"
    assert there["message"] == f"'{run.kinds[0]}' is none of the cases that this page was made with"


def test_an_implicit_body_slips_and_rolls_as_in_python(tmp_path, met_cases):
    """Its rows follow from one another where it touches; where the slip dies out it keeps its velocity."""
    body = zm.superquadric((0.1, 0.09, 0.08), exponent=2, mass=0.5, name="stone")
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
    assert run.kinds[:2] == ("floor slipping", "floor rolling")
    before, after = (segment.state(float(segment.t[k])) for segment, k in zip(run.segments[:2], (-1, 0), strict=True))
    assert after[own.velocity] == pytest.approx(before[own.velocity], abs=1e-7)
