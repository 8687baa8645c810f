"""Small programs that are hostile to switches: several at once, at the start, touched, backward, without end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from integrate.references import closed_forms
from integrate.references.one_mass import METHODS, mass
from integrate.references.pieces import Pieces, Switch
from integrate.references.piecewise import motion
from zeromass.integrate import pace
from zeromass.integrate.stepping.loop import Loop

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
WITHIN = 1e-9
"""A hundred times the tolerance, as in the campaign, for some ten switches and forces of a few N."""

x, y = zm.coordinates("x y")
u, v, t = zm.rate(x), zm.rate(y), zm.t


def side(k: float) -> float:
    return 2 * k - 1


def same(system: zm.System, start: dict, pieces: Pieces, until: float, method: str) -> zm.Run:
    """A run that is where the reference is, at twenty-one times."""
    run = zm.simulate(system, system.start(start), until=until, method=method, **TIGHT)
    assert run.outcome.complete, str(run.outcome)
    times = np.linspace(0.0, until, 21)
    quantities = np.array([*system.coordinates, *system.rates])
    expected = motion(pieces, run.y[0], times, most=5000).y
    np.testing.assert_allclose(run.at(times)[quantities], expected, rtol=0, atol=WITHIN)
    return run


@pytest.mark.parametrize("method", METHODS)
def test_between_two_belts(method):
    """Friction of two belts of different speeds: the mass is carried by one, then by the other."""
    force = -np.sign(u - 0.5) - 0.6 * np.sign(u + 0.3) + 1.2 * np.sin(2 * t)
    pieces = Pieces(
        lambda t, z, k: np.array([z[1], -side(k[0]) - 0.6 * side(k[1]) + 1.2 * np.sin(2 * t)]),
        [Switch("fast", lambda t, z: z[1] - 0.5), Switch("slow", lambda t, z: z[1] + 0.3)],
    )
    system = zm.System(kinetic=u**2 / 2, coordinates=[x], forces={x: force})
    same(system, {x: 0.0, u: 2.0}, pieces, 8.0, method)


@pytest.mark.parametrize("method", METHODS)
def test_two_frictions_that_hold_at_once(method):
    """A mass that rubs on the ground and on another mass: each sticks and slips, and in the end both rest."""
    system = zm.System(
        kinetic=(u**2 + v**2) / 2,
        coordinates=[x, y],
        potential=(x - 0.2) ** 2 + 2 * (y - x) ** 2,
        forces={x: -0.8 * np.sign(u) + 0.5 * np.sign(v - u), y: -0.5 * np.sign(v - u)},
    )

    def slope(t: float, z: np.ndarray, k: np.ndarray) -> np.ndarray:
        spring, rubs = 4 * (z[1] - z[0]), 0.5 * side(k[1])
        return np.array([z[2], z[3], -2 * (z[0] - 0.2) + spring - 0.8 * side(k[0]) + rubs, -spring - rubs])

    pieces = Pieces(slope, [Switch("ground", lambda t, z: z[2]), Switch("between", lambda t, z: z[3] - z[2])])
    run = same(system, {x: 1.0, y: -0.5, u: 0.5, v: -1.0}, pieces, 10.0, method)
    assert np.abs(run.at(10.0)[np.array([u, v])]).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_relay_with_hysteresis(method):
    """Between its borders a relay goes on by the sign of the rate."""
    between = zm.where(u > 0, 1.0, -1.0)
    force = zm.where(x > 0.1, -1.0, zm.where(x < -0.1, 1.0, between)) - 0.1 * u
    pieces = Pieces(
        lambda t, z, k: np.array([z[1], -k[0] + (1 - k[0]) * (1 - k[1] + k[1] * side(k[2])) - 0.1 * z[1]]),
        [
            Switch("high", lambda t, z: z[0] - 0.1),
            Switch("low", lambda t, z: z[0] + 0.1),
            Switch("up", lambda t, z: z[1]),
        ],
    )
    system = zm.System(kinetic=u**2 / 2, coordinates=[x], forces={x: force})
    same(system, {x: 0.5, u: 0.0}, pieces, 10.0, method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [1, 3])
def test_a_start_on_a_switch(method, power):
    """x = 0 has no side, and the first step may be as long as it likes: the next zero is seen. x³ has the sign of x."""
    system, place, speed = mass(lambda x, v: -2.3 * np.sign(x**power))
    run = zm.simulate(system, system.start({place: 0.0, speed: 1.15}), until=10.5, method=method, **TIGHT)
    np.testing.assert_allclose([switch.t for switch in run.switches], np.arange(1.0, 11.0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_switch_in_a_constraint_and_in_a_force(method):
    """A track that bends up from x = 0 on, with friction, and a wind beyond that."""
    system = zm.System(
        kinetic=(u**2 + v**2) / 2,
        coordinates=[x, y],
        potential=9.81 * y,
        constraints={"track": y - 0.2 * np.maximum(x, 0.0) ** 2},
        forces={x: -0.5 * np.sign(u) - 3.0 * zm.where(x > 0, 1.0, 0.0)},
    )
    pieces = Pieces(
        lambda t, z, k: np.array(
            [
                z[1],
                (-0.5 * side(k[0]) - 3 * k[1] - k[1] * 0.4 * z[0] * (9.81 + 0.4 * z[1] ** 2))
                / (1 + k[1] * 0.16 * z[0] ** 2),
            ]
        ),
        [Switch("forward", lambda t, z: z[1]), Switch("up", lambda t, z: z[0])],
    )
    run = zm.simulate(system, system.start({x: -1.0, u: 3.0}), until=6.0, method=method, **TIGHT)
    times = np.linspace(0.0, 6.0, 21)
    expected = motion(pieces, [-1.0, 3.0], times).y
    np.testing.assert_allclose(run.at(times)[np.array([x, u])], expected, rtol=0, atol=WITHIN)


BACK: list[Callable] = [
    lambda x, v: -4 * x - 0.5 * np.sign(x) + 0.3 * np.abs(zm.t - 1),
    lambda x, v: -1.0 + zm.where(x < 1e-3, 300.0, 0.0),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("force", BACK)
def test_backward_over_the_same_switches(force, method):
    """Back from its end a motion goes the way that it came, over a dip of 5 ms as well."""
    system, place, speed = mass(force)
    there = zm.simulate(system, system.start({place: 0.5, speed: 0.1}), until=2.5, method=method, **TIGHT)
    back = zm.simulate(system, there.state(2.5), until=0.0, method=method, **TIGHT)
    times = np.linspace(0.0, 2.5, 21)
    both = np.array([place, speed])
    np.testing.assert_allclose(back.at(times)[both], there.at(times)[both], rtol=0, atol=WITHIN)
    np.testing.assert_allclose(
        [switch.t for switch in back.switches], [switch.t for switch in reversed(there.switches)], rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("method", METHODS)
def test_sliding_until_a_load_is_too_large(method):
    """A relay holds 2 x + ẋ = 0 until the load, 0.4 t, is more than it can give."""
    system, place, speed = mass(lambda x, v: -np.sign(2 * x + v) + 0.4 * zm.t)
    pieces = Pieces(
        lambda t, z, k: np.array([z[1], -side(k[0]) + 0.4 * t]), [Switch("relay", lambda t, z: 2 * z[0] + z[1])]
    )
    same(system, {place: 0.3, speed: 0.0}, pieces, 6.0, method)


def test_what_depends_on_time_alone_is_looked_at_once(monkeypatch):
    """A bump beside dry friction and a saw tooth: pieces have margins of their own, the bump is the same."""
    made = []
    init = pace.Pace.__init__
    monkeypatch.setattr(pace.Pace, "__init__", lambda self, *given: made.append(init(self, *given)))
    bump = 5 * np.exp(-(((t - 5.1234) / 0.01) ** 2))
    system, place, speed = mass(lambda x, v: -4 * x - 0.3 * np.sign(v) + (t / 0.7) % 1.0 + bump)
    run = zm.simulate(system, system.start({place: 1.0, speed: 0.5}), until=10.0, **TIGHT)
    assert len(run.segments) > 15
    assert len(made) == 1


def test_a_start_remembers_nothing_that_another_method_has_rounded():
    """Runs from one start by several methods, in any order, have the bits of runs from starts of their own."""

    def ended(methods: list[str], *, shared: bool) -> dict[str, bytes]:
        system, place, speed = mass(lambda x, v: -np.sin(3 * x) * np.cos(x) - 0.3 * np.sign(v) - 0.1 * v * np.abs(x))
        start = system.start({place: 0.7, speed: 0.0})
        found = {}
        for method in methods:
            start = start if shared else system.start({place: 0.7, speed: 0.0})
            found[method] = zm.simulate(system, start, until=5.0, method=method, **TIGHT).y.tobytes()
        return found

    alone = ended([*METHODS], shared=False)
    assert ended([*METHODS], shared=True) == alone
    assert ended([*reversed(METHODS)], shared=True) == alone


@pytest.mark.parametrize("method", METHODS)
def test_a_speed_that_rises_slowly_from_zero_is_driven_in_machine_code_alone(method, monkeypatch):
    """A mass on a belt lets go with no speed beside it and no acceleration: a speed that rises so slowly from zero turns
    nowhere, which its slope tells."""
    looks = []
    happened = Loop.happened
    monkeypatch.setattr(Loop, "happened", lambda self: looks.append(self) or happened(self))
    known = closed_forms.belt()
    system, x, v = mass(lambda x, v: -4.0 * x - 1.5 * np.sign(v - 0.5) + 0.3 * (v - 0.5))
    start = system.start(dict(zip((x, v), known.solution(np.array([0.0]))[0], strict=True)))
    run = zm.simulate(system, start, until=known.until, method=method, **TIGHT)
    assert len(run.switches) == len(known.switches)
    assert not looks  # by Python
