"""Independent positions and speeds: the same motion as by all coordinates, from an elimination that shares nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from compile.test_turning import driven, pair, rubbed, symmetric
from zeromass.compile.least import Least, least
from zeromass.expression import Evaluator, expressions, rate, t

ROUNDING = 1e-10
"""Relative to the largest number compared: conditions of these systems are below 1e4."""


def rolling(shape: Callable, moving: bool = False, *, body: zm.bodies.SphericalBody | None = None) -> zm.System:
    shift = (0.1 * np.cos(np.pi * zm.t), 0.05 * zm.t, 0) if moving else (0, 0, 0)
    return zm.Rolling(body or zm.bodies.ball(0.09, 1.0), on=zm.Surface(shape, shift=shift), gravity=9.81)


def paraboloid(X, Y, Z):
    return Z - 0.03 * (X**2 + Y**2)


def ball() -> zm.System:
    return rolling(paraboloid)


def shell() -> zm.System:
    """The shell of [UM2022] on a bowl that moves."""
    return rolling(paraboloid, True, body=zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490)))


def inside_a_sphere() -> zm.System:
    """A surface that is no formula for the height."""
    return rolling(lambda X, Y, Z: 4.0 - X**2 - Y**2 - (Z - 2.0) ** 2)


def sleigh() -> zm.System:
    """A blade that does not slip sideways, with drag, and with a second point as coordinates of its own."""
    x, y, θ, a, b = zm.coordinates("x y theta a b")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2 + 0.3 * zm.rate(θ) ** 2) / 2 + 0.1 * (
        zm.rate(a) ** 2 + zm.rate(b) ** 2
    )
    rows = {
        "blade": zm.rate(y) * np.cos(θ) - zm.rate(x) * np.sin(θ) - 0.2 * zm.rate(θ),
        "ahead": [a - x - 0.5 * np.cos(θ), b - y - 0.5 * np.sin(θ)],
    }
    return zm.System(kinetic=kinetic, constraints=rows, forces={x: -0.2 * zm.rate(x), θ: 0.1 * np.sin(zm.t)})


def rod() -> zm.System:
    """A pendulum in x and y, with its height above the ground."""
    x, y, height = zm.coordinates("x y height")
    rows = {"rod": x**2 + y**2 - 1, "height": height - 3.0 - y}
    return zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * height, constraints=rows)


CASES = [ball, shell, inside_a_sphere, symmetric, driven, sleigh, rod]


def some_states(system: zm.System, count: int = 5) -> list[zm.State]:
    random = np.random.default_rng(5)
    found = []
    while len(found) < count:
        guess = {x: random.normal(scale=0.6) for x in (*system.coordinates, *system.rates)}
        if isinstance(system, zm.Rolling):
            place, speed = random.uniform(-0.5, 0.5, 2), random.uniform(-1.0, 1.0, 2)
            turned = random.normal(size=4)
            options = {"orientation": turned / np.linalg.norm(turned), "spin": random.normal(), "t": random.uniform()}
            found.append(system.start(contact=place, velocity=speed, **options))
        else:
            found.append(system.start({}, guess=guess, t=random.uniform()))
    return found


def in_numbers(system: zm.System, found: Least, states: list[zm.State], formulas) -> np.ndarray:
    """Values of formulas of positions and speeds at states."""
    whole = np.array([state.inputs for state in states])
    own = Evaluator(expressions(list(found.start)), system.inputs)(whole)
    count = len(system.parameters)
    numbers = np.concatenate([whole[:, :1], own, whole[:, whole.shape[1] - count :]], axis=1)
    return Evaluator(expressions(list(formulas)), [t, *found.positions, *found.speeds, *system.parameters])(numbers)


@pytest.mark.parametrize("make", CASES)
def test_the_same_motion(make):
    """Rates of positions and speeds are those that the accelerations of the whole system give."""
    system = make()
    states = some_states(system)
    program = zm.compile(system, states[0])
    found = least(program, states[0])
    assert found is not None
    assert len(found.start) < 2 * len(system.coordinates)
    state = np.array([np.concatenate([state.q, state.v]) for state in states])
    assert in_numbers(system, found, states, [*found.q, *found.v]) == pytest.approx(state, abs=1e-12)
    inputs = np.array([state.inputs for state in states])
    expected = Evaluator(program.solved([rate(e) for e in found.start]), system.inputs)(inputs)
    slopes = in_numbers(system, found, states, found.slopes)
    assert np.abs(slopes - expected).max() <= ROUNDING * np.abs(expected).max()


@pytest.mark.parametrize("make", CASES)
def test_the_same_forces(make):
    """Accelerations, and the total force of constraint on each coordinate, however redundant rows share it."""
    system = make()
    states = some_states(system)
    program = zm.compile(system, states[0])
    found = least(program, states[0])
    assert found is not None
    wanted = [*system.accelerations, *(system.A.T @ system.multipliers)]
    expected = Evaluator(program.solved(wanted), system.inputs)(np.array([state.inputs for state in states]))
    values = in_numbers(system, found, states, found.solved(wanted))
    assert np.abs(values - expected).max() <= ROUNDING * np.abs(expected).max()


def test_what_rolls_needs_few_operations():
    """Five positions and three speeds are free; what is left is less than half of the whole system's operations."""
    from zeromass.compile.straight import operations

    system = shell()
    start = some_states(system)[0]
    program = zm.compile(system, start)
    found = least(program, start)
    assert found is not None
    assert len(found.positions) == 6  # a quaternion among them
    assert len(found.speeds) == 3
    assert operations(list(found.slopes)) < program.operations / 2


def test_speeds_are_chosen_at_the_state_and_kept():
    system = ball()
    first, second = some_states(system, 2)
    program = zm.compile(system, first)
    assert least(program, first) is least(program, first)
    assert least(program, second) is least(program, first)


@pytest.mark.parametrize("make", [pair, rubbed])
def test_where_they_are_not_known(make):
    """Constraints of accelerations, and forces that depend on accelerations."""
    system = make()
    start = some_states(system)[0]
    assert least(zm.compile(system, start), start) is None


def test_where_they_are_no_fewer():
    θ = zm.coordinate("theta")
    pendulum = zm.System(kinetic=zm.rate(θ) ** 2 / 2, potential=-9.81 * np.cos(θ))
    start = pendulum.start({θ: 0.1})
    assert least(zm.compile(pendulum, start), start) is None
