"""Friction, resistance and particles in scenario files: the same motion as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, parse_scenario

ROLLING = """
    [parameters]
    mu = 0.2
    [rolling]
    body = { kind = "ball", radius = 0.1, mass = 0.5 }
    surface = { kind = "plane" }
    friction = { static = 0.4, kinetic = "mu + 0.1*exp(-speed/0.2)" }
    rolling_resistance = "0.004 + 1e-4*speed"
    torsional_friction = 0.001
    start = { contact = [0, 0], velocity = [0.5, 0], spin = 3.0 }
    [run]
    until = 3
"""

SLIDING = """
    [sliding]
    particle = { name = "bead", mass = 0.1 }
    surfaces = [{ kind = "sphere", radius = 1.0 }, { kind = "plane", shift = [0, 0, -1] }]
    restitution = 0.5
    start = { contact = [0.1, 0], velocity = [0.1, 0], guess = 1.0 }
    [run]
    until = 1.5
"""


def test_friction_and_resistance_as_formulas_of_the_speed():
    run = parse_scenario(ROLLING).simulate()
    ball = zm.Rolling(
        zm.bodies.ball(0.1, 0.5),
        on=zm.surfaces.plane(),
        friction=zm.Friction(static=0.4, kinetic=lambda v: 0.2 + 0.1 * np.exp(-v / 0.2)),
        rolling_resistance=lambda w: 0.004 + 1e-4 * w,
        torsional_friction=0.001,
    )
    same = zm.simulate(ball, ball.start(contact=(0, 0), velocity=(0.5, 0), spin=3.0), until=3.0)
    assert run.modes == same.modes == ("rolling", "resting")
    assert run.changes == pytest.approx(same.changes, abs=1e-9)


def test_a_particle_on_two_surfaces():
    """It leaves the sphere and bounces on the plane below."""
    scenario = parse_scenario(SLIDING)
    run = scenario.simulate()
    assert run.modes[:3] == ("sliding", "flying", "flying")
    assert [event.name for event in run.events][:2] == ["sphere: contact lost", "plane: lands"]
    assert scenario.system.particle.name == "bead"


def test_surfaces_of_one_name_are_numbered():
    text = SLIDING.replace('kind = "sphere", radius = 1.0', 'kind = "plane"').replace("guess = 1.0", "guess = 0.0")
    system = parse_scenario(text).system
    assert [wall.surface.name for wall in system.walls] == ["plane 1", "plane 2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ROLLING.replace("static = 0.4, ", ""), "rolling.friction.static"),
        (ROLLING.replace("static = 0.4", "static = 0.1"), "more than the static"),
        (ROLLING.replace("1e-4*speed", "1e-4*sped"), "sped"),
        (SLIDING.replace("surfaces = [", "surfaces = [] #"), "one surface at least"),
        (SLIDING.replace("contact = [0.1, 0],", ""), "position, in flight, or at a contact"),
        (SLIDING.replace("mass = 0.1", "mass = 0"), "with a mass"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(ScenarioError, match=said):
        parse_scenario(text)
