"""Friction pairs: what hinders a motion up to a bound, that is given or follows from the normal force of a contact."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import zeromass as zm
from zeromass.expression.build import ZERO
from zeromass.model.unilateral import Unilateral

G = 9.81
NAMES = {"slips": "would turn", "sticks": "turning dies out"}


def element(*unilaterals: Unilateral) -> SimpleNamespace:
    """What a system takes as a contact."""
    none = {"bodies": (), "parts": (), "coordinates": (), "constraints": {}, "usual": {}, "points": ()}
    return SimpleNamespace(name=unilaterals[0].name, unilaterals=unilaterals, **none)


def test_a_brake_holds_a_wheel_up_to_its_torque():
    """J θ¨ = 3 sin t − 2 once 3 sin t = 2; the wheel stops where its angular momentum is used up."""
    θ = zm.coordinate("theta")
    brake = Unilateral("brake", None, (zm.rate(θ), ZERO), bound=2.0, sole=True, happenings=NAMES)
    wheel = zm.System(
        kinetic=0.5 * zm.rate(θ) ** 2,
        coordinates=[θ],
        forces={θ: 3.0 * np.sin(zm.t)},
        contacts=[element(brake)],
    )
    run = zm.simulate(wheel, wheel.start({θ: 0.0, zm.rate(θ): 0.0}), until=3.8, rtol=1e-12)
    begins = np.arcsin(2.0 / 3.0)
    assert [event.name for event in run.events] == ["would turn", "turning dies out"]
    assert run.events[0].t == pytest.approx(begins, abs=1e-12)
    stops = run.events[1].t
    assert 3.0 * (np.cos(begins) - np.cos(stops)) == pytest.approx(2.0 * (stops - begins), abs=1e-9)
    assert run.state(3.8)[zm.rate(θ)] == 0.0


@pytest.mark.parametrize("viscous", [0.0, 0.4])
def test_a_pair_takes_its_bound_from_a_contact(viscous):
    """A wheel on a block that lies on a floor is hindered by l N, l = 0.05 + k ω, N = m g."""
    m, J, ω = 2.0, 0.1, 3.0
    z, θ = zm.coordinate("z"), zm.coordinate("theta")
    turns = zm.rate(θ)
    law = None if not viscous else 0.05 + viscous * np.sqrt(turns**2 + 1e-24)
    floor = Unilateral("floor", z, friction=0.0)
    pair = Unilateral("pivot", None, (turns, ZERO), friction=0.05, kinetic=law, carrier=floor, happenings=NAMES)
    system = zm.System(
        kinetic=m * zm.rate(z) ** 2 / 2 + J * turns**2 / 2,
        potential=m * G * z,
        coordinates=[z, θ],
        contacts=[element(floor, pair)],
    )
    run = zm.simulate(system, system.start({z: 0.0, zm.rate(z): 0.0, turns: ω}), until=2.0, rtol=1e-12)
    a = m * G / J
    stops = ω / (0.05 * a) if not viscous else np.log(1 + viscous * ω / 0.05) / (viscous * a)
    assert [event.name for event in run.events] == ["pivot: turning dies out"]
    assert run.events[0].t == pytest.approx(stops, rel=1e-9)
