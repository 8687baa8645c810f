"""Motions that change their kind outside Python: a ball that slips, rolls, leaves, lands and comes to rest, in Node."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node
from integrate.test_wasm_contacts import beside, e, v, μ

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

G = 9.81


@pytest.mark.slow
def test_a_thrown_ball_slips_and_rolls_on(tmp_path):
    """From 2 v/(7 μ g) on, with 5/7 of its speed; beside Python to 1e-9 and 1e-12 s."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ)
    body, centre = ball.body, ball.center_particle
    prescribed = [(ball.contact, 0.0), (centre.velocity, (v, 0, 0)), (body.angular_velocity, 0.0)]
    start = ball.slipping.start([*prescribed, (body.quaternion, (1, 0, 0, 0))])
    tries = [{}, {"v": 2.0, "mu": 0.3}]
    for values, (run, _) in zip(tries, beside(start, 1.0, tries, tmp_path), strict=True):
        speed, friction = values.get("v", 1.8), values.get("mu", 0.2)
        assert run.modes == ("slipping", "rolling")
        assert run.changes[0] == pytest.approx(2 * speed / (7 * friction * G), abs=1e-9)


@pytest.mark.slow
def test_a_dropped_ball_bounces_to_its_end(tmp_path):
    """It lands at t₁ = √(2h/g), and its bounces end at t₁ (1 + e)/(1 − e): then it slips, and rolls."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ, restitution=e)
    start = ball.flying.start(center=(0, 0, 0.5), velocity=(v, 0.2, 0), angular_velocity=(0, -3, 5))
    tries = [{"e": 0.3}, {"e": 0.3, "mu": 0.02}]
    for _, there in beside(start, 1.5, tries, tmp_path):
        first = np.sqrt(2 * 0.4 / G)
        assert there["kinds"][1][0] == pytest.approx(first, abs=1e-12)
        (end,) = [t for name, t in there["happened"] if name == "bounces end"]
        assert end == pytest.approx(first * 1.3 / 0.7, abs=1e-5)  # of a height of 1e-11


@pytest.mark.slow
def test_a_ball_in_a_bowl_slips_and_rolls_by_turns(tmp_path):
    """A slip begins from nothing, which is stiff: explicit steps that grow with the slip follow it all the same."""
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.5 * (X**2 + Y**2), name="bowl")
    ball = zm.Rolling(zm.bodies.ball(0.05, 0.5), on=bowl, friction=μ)
    start = ball.start(contact=(0.3, 0.0))
    ((run, _),) = beside(start, 2.0, [{"mu": 0.08}], tmp_path)
    assert run.modes == ("slipping", "rolling", "slipping", "rolling")


@pytest.mark.slow
def test_an_egg_strikes_obliquely(tmp_path):
    """Its slip turns during a stroke, which is integrated; and it bounces on its other side."""
    egg = zm.Rolling(
        zm.bodies.ellipsoid((0.03, 0.03, 0.04), 0.06), on=zm.surfaces.plane(), friction=0.4, restitution=0.3
    )
    start = egg.flying.start(center=(0, 0, 0.3), velocity=(v, 0.3, 0.2), angular_velocity=(1, 5, 3))
    ((run, _),) = beside(start, 0.3, [{}], tmp_path)
    assert len(run.impulses) > 0


@pytest.mark.slow
def test_pivots_change_on_the_way(tmp_path):
    """A ball that rolls all round a globe: its contact follows from other coordinates on each side of it."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True, gravity=1.0)
    start = ball.start(contact=(0.1, 0.0), velocity=(v, 0.0), guess=1.0)
    runs = [run for run, _ in beside(start, 4.0, [{"v": 2.0}, {"v": 2.2}], tmp_path, pivots=9)]
    assert runs[0].statistics.repivots > 2


arm = zm.parameter("l", 0.01)


@pytest.mark.slow
def test_resistance_brings_a_ball_to_rest(tmp_path):
    """After 7 r v/(5 l g), m r v (7/5) of angular momentum about the contact over the torque l m g; there it stays."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), rolling_resistance=arm)
    start = ball.start(contact=(0, 0), velocity=(v, 0))
    found = beside(start, 3.0, [{"v": 0.3}, {"v": 0.5, "l": 0.03}], tmp_path)
    for (run, _), (speed, l) in zip(found, [(0.3, 0.01), (0.5, 0.03)], strict=True):
        assert run.modes == ("rolling", "resting")
        assert run.changes[0] == pytest.approx(7 * 0.1 * speed / (5 * l * G), rel=1e-7)


@pytest.mark.slow
def test_resistance_and_friction_take_turns(tmp_path):
    """A ball in a bowl slips, slides without rolling, and rests."""
    bowl = zm.Surface(lambda X, Y: 0.5 * (X**2 + Y**2))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl, friction=μ, rolling_resistance=arm)
    start = ball.start(contact=(0.3, 0.1), velocity=(0, v))
    tries = [{"v": 0.1}, {"l": 0.03, "v": 0.0}, {"mu": 0.05, "v": 0.1}]
    runs = [run for run, _ in beside(start, 4.0, tries, tmp_path, pivots=9)]
    assert [run.modes[-1] for run in runs] == ["resting"] * 3
    assert "sliding" in runs[2].modes


@pytest.mark.slow
def test_a_thrown_ball_bounces_and_comes_to_rest(tmp_path):
    """In flight, rolling against resistance, and at rest."""
    ball = zm.Rolling(
        zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ, rolling_resistance=arm, restitution=e
    )
    start = ball.flying.start(center=(0, 0, 0.3), velocity=(v, 0, 0))
    runs = beside(start, 3.0, [{"e": 0.2}, {"e": 0.3, "l": 0.05}, {"mu": 0.05, "e": 0.2, "l": 0.03}], tmp_path)
    assert {run.modes[-1] for run, _ in runs} <= {"resting", "rolling", "sliding"}


@pytest.mark.slow
def test_a_contact_that_pulls(tmp_path):
    """Friction grows with the force whichever way that goes, and slips go over from one to the other."""
    waves = zm.Surface(lambda X, Y: 0.3 * np.sin(3 * X))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=waves, friction=μ, two_sided=True)
    start = ball.start(contact=(0.0, 0.0), velocity=(v, 0.2))
    tries = [{"v": 1.5, "mu": 0.4}, {"v": 3.0}, {"v": 3.0, "mu": 0.05}]
    runs = [run for run, _ in beside(start, 1.0, tries, tmp_path, pivots=9)]
    assert [event.name for event in runs[1].events].count("contact lost") > 1


@pytest.mark.slow
@pytest.mark.parametrize("body", [zm.bodies.ball(0.1, 0.5), zm.bodies.ellipsoid((0.03, 0.03, 0.04), 0.06)])
def test_friction_of_strokes_that_depends_on_speed(body, tmp_path):
    """Stribeck's, which the driver asks of the compiled formula while a stroke lasts."""
    law = zm.Friction(static=0.4, kinetic=lambda s: μ + 0.1 * np.exp(-s / 0.3))
    thrown = zm.Rolling(body, on=zm.surfaces.plane(), friction=law, restitution=e)
    start = thrown.flying.start(center=(0, 0, 0.25), velocity=(v, 0.3, 0.2), angular_velocity=(1, 5, 3))
    beside(start, 0.4, [{"e": 0.2}, {"e": 0.3, "mu": 0.05}], tmp_path)
