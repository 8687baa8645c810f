"""Motions with switches against closed forms: states and the times of the switches, by every method.

Dry friction that comes to rest, Coulomb's block, a spring that only pushes, bang-bang, a relay that slides, stick–slip on a
belt, play between two springs, a saw-tooth: `references.closed_forms` has them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from integrate.references import closed_forms as exact

METHODS = "collocation", "dop853", "radau"


def one(force: Callable) -> tuple[zm.System, zm.expression.Expression]:
    """A mass of 1 kg with a force of its place and speed."""
    x = zm.coordinate("x")
    return zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: force(x, zm.rate(x))}), x


WRITTEN: dict[Callable, list[Callable]] = {
    exact.dry_friction: [
        lambda x, v: (-5.0 * x - 0.7 * np.sign(v)) / 1.3,
        lambda x, v: (-5.0 * x + zm.where(v > 0, -0.7, 0.7)) / 1.3,
        lambda x, v: (-5.0 * x + zm.where(v > 0, -0.7, zm.where(v < 0, 0.7, 0.0))) / 1.3,
    ],
    exact.block: [lambda x, v: -1.7 * np.sign(v), lambda x, v: zm.where(v < 0, 1.7, -1.7)],
    exact.bouncing: [
        lambda x, v: -9.81 + zm.where(x < 0, -225.0 * x, 0.0),
        lambda x, v: -9.81 + 225.0 * np.maximum(-x, 0.0),
        lambda x, v: -9.81 + 112.5 * (np.abs(x) - x),
    ],
    exact.bang_bang: [lambda x, v: -2.3 * np.sign(x), lambda x, v: zm.where(x >= 0, -2.3, 2.3)],
    exact.relay: [lambda x, v: -3.0 * np.sign(1.5 * x + v), lambda x, v: zm.where(1.5 * x > -v, -3.0, 3.0)],
    exact.belt: [lambda x, v: -4.0 * x - 1.5 * np.sign(v - 0.5) + 0.3 * (v - 0.5)],
    exact.backlash: [
        lambda x, v: -49.0 * zm.where(x > 0.4, x - 0.4, zm.where(x < -0.4, x + 0.4, 0.0)),
        lambda x, v: -49.0 * (x - np.minimum(np.maximum(x, -0.4), 0.4)),
        lambda x, v: -49.0 * np.sign(x) * np.maximum(np.abs(x) - 0.4, 0.0),
    ],
    exact.saw_tooth: [
        lambda x, v: -9.0 * x + 5.0 * ((zm.t / 0.7) % 1.0),
        lambda x, v: -9.0 * x + 5.0 * (zm.t / 0.7 - np.floor(zm.t / 0.7)),
        lambda x, v: -9.0 * x + 5.0 / 0.7 * (zm.t % 0.7),
    ],
}
"""Ways to write each force."""

CASES = [
    pytest.param(problem, force, id=f"{problem.__name__}-{i}")
    for problem, ways in WRITTEN.items()
    for i, force in enumerate(ways)
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("problem", "force"), CASES)
def test_states_and_switching_times(problem, force, method):
    """1e-10 at rtol 1e-12, of the size of the motion or 1; switches at their times."""
    known = problem()
    system, x = one(force)
    start = system.start({x: known.start[0], zm.rate(x): known.start[1]})
    run = zm.simulate(system, start, until=known.until, rtol=1e-12, atol=1e-14, method=method)
    assert run.outcome.ending == "finished"
    times = np.linspace(0.0, known.until, 97)
    expected = known.solution(times)
    size = max(1.0, float(np.abs(expected).max()))
    state = np.array([x, zm.rate(x)])
    assert np.abs(run[state] - known.solution(run.t)).max() <= 1e-10 * size
    between = 1e-9 if method == "dop853" else 1e-10  # its interpolation has order 7
    assert np.abs(run.at(times)[state] - expected).max() <= between * size
    found = np.array([switch.t for switch in run.switches])
    for t in known.switches:
        assert np.abs(found - t).min() <= 1e-10


def test_what_holds_a_block_that_sticks_is_known():
    """At rest the friction is what the spring asks for: the acceleration is zero."""
    known = exact.dry_friction()
    system, x = one(WRITTEN[exact.dry_friction][0])
    run = zm.simulate(system, system.start({x: known.start[0]}), until=known.until, rtol=1e-12, atol=1e-14)
    resting = np.linspace(known.switches[-1] + 1e-6, known.until, 5)
    np.testing.assert_allclose(run.at(resting)[zm.acceleration(x)], 0.0, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.at(resting)[zm.rate(x)], 0.0, rtol=0, atol=1e-13)


@pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-5])
def test_a_pulse_is_never_missed(width):
    """1 N s within ten seconds, however short: v = 1, x = 10 − 5 − width/2."""
    x = zm.coordinate("x")
    force = zm.where((zm.t > 5.0) & (zm.t < 5.0 + width), 1.0 / width, 0.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: force})
    run = zm.simulate(system, system.start({x: 0.0}), until=10.0, rtol=1e-12, atol=1e-14)
    lasted = (5.0 + width) - 5.0  # as float64 has it
    np.testing.assert_allclose(run.at(10.0)[zm.rate(x)], lasted / width, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.at(10.0)[x], lasted / width * (5.0 - lasted / 2), rtol=0, atol=1e-10)


@pytest.mark.parametrize("width", [0.3, 0.02, 1e-3])
def test_a_smooth_bump_is_never_missed(width):
    """∫ e^(−τ²/w²) dt = w √π."""
    x = zm.coordinate("x")
    system = zm.System(
        kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: np.exp(-(((zm.t - 6.3) / width) ** 2)) / width}
    )
    run = zm.simulate(system, system.start({x: 0.0}), until=10.0, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(run.at(10.0)[zm.rate(x)], np.sqrt(np.pi), rtol=1e-10)
    np.testing.assert_allclose(run.at(10.0)[x], np.sqrt(np.pi) * 3.7, rtol=1e-10)


def test_a_driven_corner_strikes():
    """x = |t − 1| by a constraint: its own mass takes a blow of 2 m/s, the one on a spring none."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=50 * (y - x) ** 2,
        constraints={"drive": x - np.abs(zm.t - 1)},
    )
    run = zm.simulate(system, system.start({y: 1.0, zm.rate(y): -1.0}), until=2.0, rtol=1e-12, atol=1e-14)
    times = np.linspace(0.0, 2.0, 41)
    τ = np.maximum(times - 1, 0.0)
    np.testing.assert_allclose(
        run.at(times)[y], np.where(times < 1, 1 - times, τ - 0.2 * np.sin(10 * τ)), rtol=0, atol=1e-10
    )
    (blow,) = run.impulses
    assert blow.t == pytest.approx(1.0, abs=1e-12)


def test_a_bead_meets_a_ramp():
    """y = max(x/2, 0): what of its speed is along the ramp stays, 1/√1.25 of it; the rest is lost in the blow."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=9.81 * y,
        constraints={"ramp": y - np.maximum(0.5 * x, 0.0)},
    )
    run = zm.simulate(system, system.start({x: -1.0, zm.rate(x): 3.0}), until=2.5, rtol=1e-12, atol=1e-14)
    root = np.sqrt(1.25)
    met, along, pull = 1 / 3, 3 / root, 9.81 * 0.5 / root
    turn = 2 * along / pull
    times = np.linspace(0.0, 2.5, 51)
    τ = times - met
    up, back = (along * τ - pull * τ**2 / 2) / root, -along / root * (τ - turn)  # the ramp takes ẏ, and leaves ẋ
    expected = np.where(τ < 0, 3 * τ, np.where(τ < turn, up, back))
    np.testing.assert_allclose(run.at(times)[x], expected, rtol=0, atol=1e-10)
