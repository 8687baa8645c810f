"""Motions that change their kind outside Python: a ball that slips, rolls, leaves, lands and comes to rest, in Node."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node, through_kinds
from zeromass.integrate.alone.kinds import Kinds

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT = {"rtol": 1e-13, "atol": 1e-16}
G = 9.81

μ, v, e = zm.parameter("mu", 0.2), zm.parameter("v", 1.0), zm.parameter("e", 0.6)


def made(start: zm.State, until: float, tries: list[dict[str, float]], folder: Any):
    """What the driver makes with some values, with samples of the state and what is left of the constraints."""
    system = start.system
    motion = Kinds.of(start, (*system.coordinates, *system.rates), until, zm.Settings(**TIGHT, method="dop853"))
    assert motion is not None
    times = np.linspace(0.0, until, 51)
    tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
    found = through_kinds(motion, tasks, folder)
    for there in found:
        samples, m = there["samples"].reshape(len(times), -1), 2 * len(system.coordinates)
        there["y"], there["left"] = samples[:, :m], samples[:, m:]
    return times, found


def python(start: zm.State, values: dict[str, float], until: float) -> zm.Run:
    with warnings.catch_warnings(action="ignore", category=zm.RunStopped):
        return zm.simulate(start.system, start.again(values), until=until, method="dop853", **TIGHT)


@pytest.mark.slow
def test_a_thrown_ball_slips_and_rolls_on(tmp_path):
    """From 2 v/(7 μ g) on, with 5/7 of its speed; beside Python to 1e-9 and 1e-12 s."""
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ)
    body, centre = ball.body, ball.center_particle
    prescribed = [(ball.contact, 0.0), (centre.velocity, (v, 0, 0)), (body.angular_velocity, 0.0)]
    start = ball.slipping.start([*prescribed, (body.quaternion, (1, 0, 0, 0))])
    tries = [{}, {"v": 2.0, "mu": 0.3}]
    times, found = made(start, 1.0, tries, tmp_path)
    for values, there in zip(tries, found, strict=True):
        run, speed, friction = python(start, values, 1.0), values.get("v", 1.0), values.get("mu", 0.2)
        assert [kind for _, kind in there["kinds"]] == ["slipping", "rolling"] == list(run.kinds)
        assert there["kinds"][1][0] == pytest.approx(
            2 * speed / (7 * friction * G), abs=2e-8
        )  # the creep takes its part
        assert abs(there["kinds"][1][0] - run.changes[0]) <= 1e-12
        assert there["end"][len(start.q) + ball.index(body.position[0])] == pytest.approx(5 / 7 * speed, abs=1e-8)
        assert np.abs(there["y"] - run.at(times).y).max() <= 1e-9
        assert np.abs(there["left"]).max() <= 1e-13


@pytest.mark.slow
def test_a_dropped_ball_bounces_to_its_end(tmp_path):
    """It lands at t₁ = √(2h/g), and its bounces end at t₁ (1 + e)/(1 − e): then it slips, and rolls."""
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ, restitution=e)
    start = ball.flying.start(center=(0, 0, 0.5), velocity=(v, 0.2, 0), angular_velocity=(0, -3, 5))
    tries = [{"e": 0.3}, {"e": 0.3, "mu": 0.02}]
    times, found = made(start, 1.5, tries, tmp_path)
    for values, there in zip(tries, found, strict=True):
        run, first = python(start, values, 1.5), np.sqrt(2 * 0.4 / G)
        assert [kind for _, kind in there["kinds"]] == list(run.kinds)
        assert np.abs(np.array([t for t, _ in there["kinds"][1:]]) - run.changes).max() <= 1e-11  # small bounces
        assert there["kinds"][1][0] == pytest.approx(first, abs=1e-12)
        (end,) = [t for name, t in there["happened"] if name == "bounces end"]
        assert end == pytest.approx(first * 1.3 / 0.7, abs=1e-10)
        assert np.abs(there["y"] - run.at(times).y).max() <= 1e-9


@pytest.mark.slow
def test_a_ball_in_a_bowl_slips_and_rolls_by_turns(tmp_path):
    """A slip begins from nothing, which is stiff: explicit steps that grow with the slip follow it all the same."""
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.5 * (X**2 + Y**2), name="bowl")
    ball = zm.Rolling(zm.ball(0.05, 0.5), on=bowl, friction=μ)
    start = ball.start(contact=(0.3, 0.0))
    times, (there,) = made(start, 2.0, [{"mu": 0.08}], tmp_path)
    run = python(start, {"mu": 0.08}, 2.0)
    assert [kind for _, kind in there["kinds"]] == list(run.kinds) == ["slipping", "rolling", "slipping", "rolling"]
    assert np.abs(np.array([t for t, _ in there["kinds"][1:]]) - run.changes).max() <= 1e-12
    assert np.abs(there["y"] - run.at(times).y).max() <= 1e-9


@pytest.mark.slow
def test_an_egg_strikes_obliquely(tmp_path):
    """Its slip turns during a stroke, which is integrated; and it bounces on its other side."""
    egg = zm.Rolling(zm.ellipsoid((0.03, 0.03, 0.04), 0.06), on=zm.surfaces.plane(), friction=0.4, restitution=0.3)
    start = egg.flying.start(center=(0, 0, 0.3), velocity=(v, 0.3, 0.2), angular_velocity=(1, 5, 3))
    times, (there,) = made(start, 0.3, [{}], tmp_path)
    run = python(start, {}, 0.3)
    assert np.abs(there["y"] - run.at(times).y).max() <= 1e-9
    assert [t for t, _ in there["kinds"][1:3]] == pytest.approx(run.changes[:2], abs=1e-12)


@pytest.mark.slow
def test_pivots_change_on_the_way(tmp_path):
    """A ball that rolls all round a globe: its contact follows from other coordinates on each side of it."""
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True, gravity=1.0)
    start = ball.start(contact=(0.1, 0.0), velocity=(v, 0.0), guess=1.0)
    run = zm.simulate(ball, start.again({"v": 2.0}), until=4.0, method="dop853", **TIGHT)
    assert run.statistics.repivots > 2
    met = tuple(run.state(t) for t in np.linspace(0.0, 4.0, 9))
    motion = replace(Kinds.of_one(start, 4.0, run.settings), outputs=(), met=met)
    assert len(motion.programs("rolling")) > 1
    tasks = [{"values": {"v": speed}, "until": 4.0, **TIGHT} for speed in (2.0, 2.2)]
    for speed, there in zip((2.0, 2.2), through_kinds(motion, tasks, tmp_path), strict=True):
        assert there["ending"] == "FINISHED"
        again = python(start, {"v": speed}, 4.0)
        assert np.abs(there["end"] - again.y[-1]).max() <= 1e-9


def beside(
    start: zm.State, until: float, tries: list[dict[str, float]], folder: Any, between: float = 1e-13
) -> list[zm.Run]:
    """Runs in Python, with the same kinds, times and states as what the driver makes of the same values.

    between  what may be left of constraints between steps, which are longer where little happens
    """
    runs, system = [python(start, values, until) for values in tries], start.system
    motion = Kinds.of(start, (*system.coordinates, *system.rates), until, zm.Settings(**TIGHT, method="dop853"))
    assert motion is not None
    met = [g.state(float(t)) for run in runs for g in run.segments for t in g.t[:: max(len(g.t) // 8, 1)]]
    times = np.linspace(0.0, until, 51) * (1 - 1e-3)  # where no stroke is
    tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
    found = through_kinds(replace(motion, met=tuple(met)), tasks, folder)
    for run, there in zip(runs, found, strict=True):
        samples, m = there["samples"].reshape(len(times), -1), 2 * len(system.coordinates)
        assert [kind for _, kind in there["kinds"]] == list(run.kinds)
        assert there["ending"] == run.outcome.ending.name
        assert np.abs(np.array([t for t, _ in there["kinds"][1:]]) - run.changes).max(initial=0.0) <= 1e-11
        assert np.abs(samples[:, :m] - run.at(times).y).max() <= 1e-9
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
        assert np.abs(samples[:, m:]).max() <= between
    return runs


arm = zm.parameter("l", 0.01)


@pytest.mark.slow
def test_resistance_brings_a_ball_to_rest(tmp_path):
    """After 7 r v/(5 l g), m r v (7/5) of angular momentum about the contact over the torque l m g; there it stays."""
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), rolling_resistance=arm)
    start = ball.start(contact=(0, 0), velocity=(v, 0))
    for run, (speed, l) in zip(
        beside(start, 3.0, [{"v": 0.3}, {"v": 0.5, "l": 0.03}], tmp_path), [(0.3, 0.01), (0.5, 0.03)], strict=True
    ):
        assert run.kinds == ("rolling", "resting")
        assert run.changes[0] == pytest.approx(7 * 0.1 * speed / (5 * l * G), rel=1e-7)


@pytest.mark.slow
def test_resistance_and_friction_take_turns(tmp_path):
    """A ball in a bowl slips, slides without rolling, and rests; its pivots change on the way."""
    bowl = zm.Surface(lambda X, Y: 0.5 * (X**2 + Y**2))
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=bowl, friction=μ, rolling_resistance=arm)
    start = ball.start(contact=(0.3, 0.1), velocity=(0, v))
    tries = [{"v": 0.1}, {"l": 0.03, "v": 0.0}, {"mu": 0.05, "v": 0.1}]
    runs = beside(start, 4.0, tries, tmp_path)
    assert [run.kinds[-1] for run in runs] == ["resting"] * 3
    assert "sliding" in runs[2].kinds
    assert runs[2].statistics.repivots > 0


@pytest.mark.slow
def test_a_thrown_ball_bounces_and_comes_to_rest(tmp_path):
    """In flight, rolling against resistance, and at rest."""
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ, rolling_resistance=arm, restitution=e)
    start = ball.flying.start(center=(0, 0, 0.3), velocity=(v, 0, 0))
    runs = beside(start, 3.0, [{"e": 0.2}, {"e": 0.3, "l": 0.05}, {"mu": 0.05, "e": 0.2, "l": 0.03}], tmp_path)
    assert {run.kinds[-1] for run in runs} <= {"resting", "rolling", "sliding"}


@pytest.mark.slow
def test_a_contact_that_pulls(tmp_path):
    """Friction grows with the force whichever way that goes, and slips go over from one to the other."""
    waves = zm.Surface(lambda X, Y: 0.3 * np.sin(3 * X))
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=waves, friction=μ, two_sided=True)
    start = ball.start(contact=(0.0, 0.0), velocity=(v, 0.2))
    runs = beside(start, 1.0, [{"v": 1.5, "mu": 0.4}, {"v": 3.0}, {"v": 3.0, "mu": 0.05}], tmp_path)
    assert len(runs[1].kinds) > 5
    assert runs[1].kinds[:2] == ("slipping", "slipping")  # it pushes, and pulls


@pytest.mark.slow
@pytest.mark.parametrize("body", [zm.ball(0.1, 0.5), zm.ellipsoid((0.03, 0.03, 0.04), 0.06)])
def test_friction_of_strokes_that_depends_on_speed(body, tmp_path):
    """Stribeck's, which the driver asks of the compiled formula while a stroke lasts."""
    law = zm.Friction(static=0.4, kinetic=lambda s: μ + 0.1 * np.exp(-s / 0.3))
    thrown = zm.Rolling(body, on=zm.surfaces.plane(), friction=law, restitution=e)
    start = thrown.flying.start(center=(0, 0, 0.25), velocity=(v, 0.3, 0.2), angular_velocity=(1, 5, 3))
    beside(start, 0.4, [{"e": 0.2}, {"e": 0.3, "mu": 0.05}], tmp_path)


def test_what_has_one_kind_or_switches():
    """Without friction, restitution and resistance nothing changes; friction about the normal has a sign, a formula."""
    plane = zm.surfaces.plane()
    assert zm.Rolling(zm.ball(0.1, 0.5), on=plane).changing() is None
    assert zm.Rolling(zm.ball(0.1, 0.5), on=plane, friction=0.3, drilling_friction=0.01).changing() is None
    assert zm.Rolling(zm.ball(0.1, 0.5), on=plane, friction=0.3).changing() is not None
