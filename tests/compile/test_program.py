"""Compiled equations of motion: the accelerations, multipliers and rank of the fundamental equation, to rounding."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import zeromass as zm
from compile.states import EPS, SYSTEMS, shell, states, tolerance
from model.mechanisms import Coin, chain, four_bar, random_state, relative
from zeromass.codegen.target import host
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.program import Program, program_at
from zeromass.expression import Evaluator
from zeromass.integrate.stepping.functions import Functions

EACH = 1700
"""States of each system: more than ten thousand in all."""


@pytest.fixture(scope="module", params=SYSTEMS)
def case(request) -> tuple[zm.System, Program, np.ndarray]:
    """A system, its code with the pivots of one state, and the inputs of many others."""
    system = SYSTEMS[request.param]()
    inputs = states(system, EACH)
    return system, program_at(system, random_state(system, np.random.default_rng(1), spread=0.7)), inputs


@pytest.mark.slow
def test_acceleration_of_ten_thousand_states(case):
    """Against the papers' formula with pseudo-inverses, and against the plain equations M q̈ − Aᵀλ = f, A q̈ = b.

    The bound is that of the conditioning, see `tolerance`; of it 0.16 is measured. The formula's own pseudo-inverses, of
    matrices that are scaled otherwise, are given 100 times as much (measured: 40).
    """
    system, compiled, inputs = case
    M, Q, A, b, C = system.matrices(inputs)
    kept = list(compiled.elimination.kept)
    allowed = tolerance(compiled, inputs)
    computed = compiled.native.accelerations(inputs)
    n, m = M.shape[-1], len(kept)

    motion = zm.solve(M, Q, A, b, C, constraint_rank=m)
    assert np.all(motion.unique)
    assert np.max(np.abs(computed - motion.acceleration) / allowed) <= 100

    K = np.zeros((len(inputs), n + m, n + m))
    K[:, :n, :n], K[:, n:, :n], K[:, :n, n:] = M, A[:, kept], -np.swapaxes(A[:, kept], 1, 2)
    x = np.linalg.solve(K, np.concatenate([Q + C, b[:, kept]], axis=1)[..., None])[..., 0]
    assert np.max(np.abs(computed - x[:, :n]) / allowed) <= 1


def test_multipliers(case):
    """M q̈ = Q + C + Aᵀλ and A q̈ = b, all rows of A, to some units of rounding of their terms: 1 and 9 measured."""
    system, compiled, inputs = case
    M, Q, A, b, C = system.matrices(inputs)
    qdd, λ = compiled.native.accelerations(inputs), compiled.native.function(system.multipliers)(inputs)
    growth = Evaluator(compiled.growth, system.inputs)(inputs)[:, None]

    def product(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
        return np.einsum("tij,tj->ti", matrix, vector)

    At = np.swapaxes(A, 1, 2)
    residual = product(M, qdd) - Q - C - product(At, λ)
    terms = product(np.abs(M), np.abs(qdd)) + np.abs(Q + C) + product(np.abs(At), np.abs(λ))
    size = np.max(terms, axis=1, keepdims=True)  # rounding of one coordinate reaches the others
    assert np.max(np.abs(residual) / (EPS * growth * size)) <= 10
    residual = product(A, qdd) - b
    terms = product(np.abs(A), np.abs(qdd)) + np.abs(b)
    size = np.max(terms, axis=1, keepdims=True)
    assert (
        np.max(np.abs(residual) / (EPS * growth * size)) <= 100
    )  # rows that were left out hold as far as the state does


def test_growth_is_at_least_one(case):
    """It is what is lost in the worst pivot: 1 is nothing; at the state of the pivots there is little to lose."""
    system, compiled, inputs = case
    growth = Evaluator(compiled.growth, system.inputs)
    assert np.all(growth(inputs) >= 1 - 100 * EPS)
    here = program_at(system, _state(system, inputs[len(inputs) // 2]))
    assert Evaluator(here.growth, system.inputs)(inputs[len(inputs) // 2]) <= 100


def _state(system: zm.System, inputs: np.ndarray) -> zm.State:
    n = len(system.coordinates)
    parameters = dict(zip(system.parameters, inputs[1 + 2 * n :], strict=True))
    return zm.State(system, inputs[0], inputs[1 : n + 1], inputs[n + 1 : 2 * n + 1], parameters)


def test_kept_and_dropped_rows(case):
    system, compiled, inputs = case
    kept, dropped = compiled.elimination.kept, compiled.elimination.dropped
    assert sorted(kept + dropped) == list(range(len(system.rows)))
    ranks = np.linalg.matrix_rank(system.matrices(inputs[::10]).A, tol=1e-9)
    assert np.all(ranks == len(kept))
    λ = compiled.native.function(system.multipliers)(inputs[::10])
    assert np.all(λ[:, list(dropped)] == 0)
    assert all(compiled.multipliers[i].value == 0 for i in dropped)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_lanes(case, lanes):
    """Registers of any width give the bits of the scalar code."""
    _, compiled, inputs = case
    symbols = [symbol for group in compiled.inputs for symbol in group]
    outputs = [*compiled.acceleration, *compiled.multipliers, compiled.growth]
    few = inputs[:203]
    scalar = LaneFunction(outputs, symbols, host().scalar)(few)
    assert np.array_equal(LaneFunction(outputs, symbols, host().lanes(lanes))(few), scalar)


def test_the_right_hand_side_is_the_acceleration(case):
    """The function that the stepping methods call, on one state, gives the bits of the function of many."""
    system, compiled, inputs = case
    n = len(system.coordinates)
    for x in inputs[::400]:
        slope, growth = Functions(compiled.native, x[1 + 2 * n :]).slope(x[0], x[1 : 2 * n + 1])
        assert np.array_equal(slope[:n], x[n + 1 : 2 * n + 1])
        assert relative(slope[n:], compiled.native.accelerations(x)) <= 4 * EPS * len(slope)
        assert growth >= 1 - 100 * EPS


def test_jacobian(case):
    """∂q̈/∂(q, q̇) against differences over ±h: h² and rounding/h balance at h = 1e-5, 1e-9 of the largest entry."""
    system, compiled, inputs = case
    n = len(system.coordinates)
    for x in inputs[:: EACH // 3]:
        h = 1e-5
        steps = np.zeros((2 * n, len(x)))
        steps[:, 1 : 2 * n + 1] = h * np.eye(2 * n)
        differences = (compiled.native.accelerations(x + steps) - compiled.native.accelerations(x - steps)).T / (2 * h)
        exact = compiled.native.jacobian(x)
        assert exact.shape == (n, 2 * n)
        assert relative(exact, differences) <= 1e-6


# the same constraints, said otherwise ------------------------------------------------------------------------------


def variants(system: zm.System) -> dict[str, zm.System]:
    """Systems with the same motion whose constraints are repeated, scaled, turned around, or mixed."""
    rows = {row.name: row.zero for row in system.rows}
    names = list(rows)
    random = np.random.default_rng(0)
    scales = dict(zip(names, random.choice([-3.7, 0.02, 1.0, 55.0], len(names)), strict=True))
    mixed = {name: rows[name] for name in names}
    for first, second in itertools.pairwise(names):
        if system.rows[names.index(first)].level == system.rows[names.index(second)].level:
            mixed[second] = rows[second] + 0.5 * rows[first]

    def same_with(constraints: dict[str, zm.expression.Expression]) -> zm.System:
        return zm.System(M=system.M, Q=system.Q, coordinates=list(system.coordinates), constraints=constraints)

    return {
        "repeated": same_with({**rows, **{f"{name} again": rows[name] for name in names[::2]}}),
        "scaled": same_with({name: scales[name] * rows[name] for name in names}),
        "reordered": same_with({name: rows[name] for name in names[::-1]}),
        "mixed": same_with(mixed),
        "derived": same_with(
            {name: zm.rate(e) if system.rows[k].level == 0 else e for k, (name, e) in enumerate(rows.items())}
        ),
    }


@pytest.mark.parametrize("name", ["shell", "chain", "four-bar", "coin"])
@pytest.mark.parametrize("way", ["repeated", "scaled", "reordered", "mixed", "derived"])
def test_the_motion_is_that_of_the_constraints_not_of_their_form(name, way):
    """Accelerations to rounding: the conditioning of the forms allows `tolerance`, of which 0.09 is measured."""
    system = SYSTEMS[name]()
    inputs = states(system, 100)
    other = variants(system)[way]
    original, changed = (program_at(s, _state(s, inputs[0])) for s in (system, other))
    assert len(changed.elimination.kept) == len(original.elimination.kept)
    difference = np.abs(changed.native.accelerations(inputs) - original.native.accelerations(inputs))
    allowed = np.maximum(tolerance(original, inputs), tolerance(changed, inputs))
    assert np.max(difference / allowed) <= 1


@pytest.mark.parametrize("way", ["repeated", "scaled", "reordered"])
def test_runs_of_the_same_constraints(way):
    """A whole run, with projection: 2 s of a chain of four, whose motion magnifies a difference some 1e3 times."""
    system = SYSTEMS["chain"]()
    start = random_state(system, np.random.default_rng(4), spread=0.7)
    other = variants(system)[way]
    again = zm.State(other, start.t, start.q, start.v)
    first = zm.simulate(system, start, until=2.0, rtol=1e-12, atol=1e-14)
    second = zm.simulate(other, again, until=2.0, rtol=1e-12, atol=1e-14)
    assert relative(second.y[-1], first.y[-1]) <= 1e-9


# rank ---------------------------------------------------------------------------------------------------------------


def test_rows_that_follow_from_others_are_left_out():
    """The shell: 11 rows with its norm, of which the normal part of "no slip" follows from surface and tangency."""
    system = shell()
    compiled = program_at(system, random_state(system, np.random.default_rng(2), spread=0.5))
    assert len(system.rows) == 11
    assert len(compiled.elimination.kept) == 10
    (left_out,) = compiled.elimination.dropped
    assert system.rows[left_out].group in ("no slip", "surface", "tangency")


def parallelogram() -> tuple[zm.Particle, zm.System]:
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=1.0)
    rods = {"left": a.position, "right": b.position - [1.0, 0.0, 0.0], "coupler": b.position - a.position}
    constraints = {name: (d @ d - 1) / 2 for name, d in rods.items()}
    return a, zm.System([a, b], constraints={**constraints, "plane": [a.position[2], b.position[2]]})


def at_angle(system: zm.System, angle: float) -> zm.State:
    place = [np.cos(angle), np.sin(angle), 0.0]
    motion = np.array([-np.sin(angle), np.cos(angle), 0.0])
    q = np.concatenate([place, place + np.array([1.0, 0.0, 0.0])])
    return zm.State(system, 0.0, q, np.concatenate([motion, motion]))


def test_growth_near_a_singular_position():
    """A parallelogram at the angle ε from where its bars are in a line: growth ∝ 1/ε², a power of −2."""
    _, system = parallelogram()
    compiled = program_at(system, at_angle(system, 1.0))
    angles = np.array([1e-1, 1e-2, 1e-3, 1e-4])
    growth = [float(Evaluator(compiled.growth, system.inputs)(at_angle(system, ε).inputs)) for ε in angles]
    power = np.polyfit(np.log(angles), np.log(growth), 1)[0]
    assert abs(power + 2) <= 0.05


def test_the_rank_can_be_locked():
    """At the singular position A has rank 4; the code of rank 5 is made on request, as it is near by."""
    _, system = parallelogram()
    at = at_angle(system, 0.0)
    assert len(program_at(system, at).elimination.kept) == 4
    assert len(program_at(system, at_angle(system, 1e-4), rank=5).elimination.kept) == 5


# masses -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coupling", [0.5, 0.97, 0.999, 0.999999])
def test_coupled_masses_without_constraints(coupling):
    """M = [1 c; c 1] with c near 1: nothing but M to solve with, κ = (1 + c)/(1 − c)."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    system = zm.System(kinetic=(dx**2 + dy**2) / 2 + coupling * dx * dy, potential=x**2 + 2 * y**2, coordinates=[x, y])
    state = system.start({x: 0.3, y: -0.7})
    qdd = program_at(system, state).native.accelerations(state.inputs)
    expected = np.linalg.solve([[1, coupling], [coupling, 1]], [-2 * 0.3, 4 * 0.7])
    assert relative(qdd, expected) <= 10 * EPS * (1 + coupling) / (1 - coupling)


@pytest.mark.parametrize("mass", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_masses_of_any_size(mass):
    """A heavy or a light particle on a rod with one of 1 kg: both fall alike."""
    a, b = zm.Particle("a", mass=mass), zm.Particle("b", mass=1.0)
    d = a.position - b.position
    system = zm.System([a, b], gravity=9.81, constraints={"rod": (d @ d - 1) / 2})
    state = system.start([(a.position, (0.6, 0.0, 0.8)), (b.position, (0, 0, 0))])
    qdd = program_at(system, state).native.accelerations(state.inputs)
    assert relative(qdd, [0, 0, -9.81] * 2) <= 100 * EPS


# keeping code -------------------------------------------------------------------------------------------------------


def test_a_program_follows_from_the_state_alone():
    """Whatever was derived before: a system that met other states first has the same pivots, and the same formulas."""
    random = np.random.default_rng(0)
    for make in SYSTEMS.values():
        system, other = make(), make()
        met = [random_state(system, random, spread=0.7) for _ in range(8)]
        first = [program_at(system, state) for state in met]
        again = [program_at(other, _of(other, state)) for state in reversed(met)]
        for one, two in zip(first, reversed(again), strict=True):
            assert one.elimination.kept == two.elimination.kept
            assert one.native.rhs() is two.native.rhs()  # the text is the same, and it is compiled once


def _of(system: zm.System, state: zm.State) -> zm.State:
    """The same numbers as a state of a system that was built again."""
    return zm.State(system, state.t, state.q, state.v)


def test_programs_are_kept_for_the_next_run():
    system = four_bar()
    state = random_state(system, np.random.default_rng(0), spread=0.2)
    program = program_at(system, state)
    assert program_at(system, state) is program
    near = zm.State(system, state.t, state.q * (1 + 1e-12), state.v)
    assert program_at(system, near) is program


def test_a_program_in_another_process():
    """A pickled program computes the same bits."""
    system = shell()
    state = random_state(system, np.random.default_rng(2), spread=0.5)
    program = program_at(system, state)
    other = pickle.loads(pickle.dumps(program))
    assert np.array_equal(other.native.accelerations(state.inputs), program.native.accelerations(state.inputs))
    assert other.elimination.kept == program.elimination.kept


def test_equal_systems_share_their_code():
    """Not the same objects, but the same formulas: the text is the same, and it is compiled once."""
    one, other = (Coin().system for _ in range(2))
    start = {"guess": [(one.rates, (0.3, 0.1, 0.5, 2.0))]}
    first = program_at(one, one.start(**start))
    second = program_at(other, other.start(guess=[(other.rates, (0.3, 0.1, 0.5, 2.0))]))
    assert first is not second
    assert first.native.rhs() is second.native.rhs()


def test_expressions_of_the_motion():
    """Any expression, with accelerations and multipliers in it, as a function of the state."""
    system, beads = chain(np.random.default_rng(0), 2)
    state = random_state(system, np.random.default_rng(1))
    compiled = program_at(system, state)
    wanted = [zm.rate(system.energy), system.reaction["rod0"][0], zm.acceleration(beads[1].position)[2] ** 2]
    values = compiled.native.function(wanted)(state.inputs)
    expected = [state[e] for e in wanted]
    assert relative(values, expected) <= 1e-12
    assert np.array_equal(compiled.native.function(wanted)(state.inputs[None].repeat(5, axis=0))[3], values)
