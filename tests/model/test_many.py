"""Many coordinates: what is found by rows without zeros, and by elimination, is what dense matrices and ranks give."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from equation import problems
from model.mechanisms import Coin, Shell, bowl, chain, four_bar, random_state
from zeromass.equation import Verdict, numerical_rank
from zeromass.equation.rank import clearly_full, rank_of
from zeromass.equation.solution import clearly_unique
from zeromass.expression import Evaluator, expressions, gradient, jacobian
from zeromass.expression.build import ZERO
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse, stacked
from zeromass.model import solving, state
from zeromass.model.nearest import clear_change, least_change, open_directions

EPS = np.finfo(float).eps


def redundant() -> zm.System:
    """A four-bar whose plane is said twice."""
    linkage = four_bar()
    return linkage.with_constraints({"again": 2.0 * linkage.rows[-1].zero})


def moving() -> zm.System:
    """Beads on rods from a support that moves, one of them without mass."""
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=0.0)
    support = np.array([0.1 * np.sin(3 * zm.t), 0.0, 0.0])
    along = a.position - support
    rows = {"rod": along @ along - 1, "middle": b.position - support - along / 2}
    return zm.System([a, b], gravity=9.81, forces=zm.Force((0.0, 0.0, -2.0), at=a.position), constraints=rows)


SYSTEMS: dict[str, Callable[[], zm.System]] = {
    "chain": lambda: chain(np.random.default_rng(1), 4)[0],
    "closed": four_bar,
    "redundant": redundant,
    "massless, nonholonomic, redundant": lambda: Shell(bowl).system,
    "nonholonomic": lambda: Coin().system,
    "moving, massless": moving,
}
each = pytest.mark.parametrize("name", SYSTEMS)


@each
def test_rows_are_those_of_dense_derivatives(name):
    """M = ∂²T/∂q̇², A = ∂φ/∂q or ∂ψ/∂q̇, entry by entry the same expressions, and zero where there is none."""
    system = SYSTEMS[name]()
    T, q, v = system.kinetic, system.coordinates, system.rates
    dense = jacobian(gradient(T, v), v)
    upper = np.triu_indices(len(q))
    assert all(a is b for a, b in zip(system.M[upper], dense[upper], strict=True))
    assert all(a is b for a, b in zip(system.M.ravel(), system.M.T.ravel(), strict=True))
    for row, line in zip(system.rows, system.A, strict=True):
        assert all(a is b for a, b in zip(line, jacobian([row.zero], v if row.level else q)[0], strict=True))
    for sparse, array in ((system.sparse_M, system.M), (system.sparse_A, system.A)):
        assert sparse.shape == array.shape
        assert all(list(row) == sorted(row) for row in sparse.rows)
        assert len(sparse.entries) == sum(e is not ZERO for e in array.ravel())
        assert Sparse.of(array).rows == sparse.rows == pickle.loads(pickle.dumps(sparse)).rows


@each
def test_numbers_are_those_of_dense_matrices(name):
    system = SYSTEMS[name]()
    at = random_state(system, np.random.default_rng(2))
    M, Q, A, b, C = system.matrices(np.array([at.inputs, at.inputs]))
    assert M.shape[0] == A.shape[0] == 2
    for numbers, block in ((M, system.M), (Q, system.Q), (A, system.A), (b, system.b), (C, system.C)):
        expected = Evaluator(block, system.inputs)(at.inputs)
        assert np.array_equal(numbers[0], expected)
        assert np.array_equal(numbers[1], expected)


def test_parts_of_matrices():
    x, y, z = q = zm.coordinates("x y z")
    matrix = sparse_jacobian([x * y, z, x - 3 * y], q)
    array = jacobian([x * y, z, x - 3 * y], q)
    picked = matrix.picked([2, 0], [1, 0])
    assert np.array_equal(picked.array, array[np.ix_([2, 0], [1, 0])])
    assert np.array_equal(stacked(matrix, matrix.picked([1])).array, array[[0, 1, 2, 1]])
    assert matrix.get(1, 0) is ZERO
    assert matrix.get(0, 0) is y


@each
@pytest.mark.parametrize("seed", range(2))
def test_starts_of_many_unknowns_are_starts(name, seed, monkeypatch):
    """Found by elimination and ended at rounding: constraints hold as well, the point is the same, and what is free too."""
    system = SYSTEMS[name]()
    usual = random_state(system, np.random.default_rng(seed))
    monkeypatch.setattr(solving, "MANY", 1)
    again = random_state(SYSTEMS[name](), np.random.default_rng(seed))
    size = max(1.0, np.abs([*usual.q, *usual.v]).max())
    assert max(map(abs, again.residuals.values())) <= 100 * EPS * size**2  # tens of terms, each with its rounding
    # both take Newton's steps, by other arithmetic: the last one, of 1e-8 at most, leaves an error of its square
    np.testing.assert_allclose([*again.q, *again.v], [*usual.q, *usual.v], rtol=0, atol=1e-9 * size)
    assert again.free == usual.free


@pytest.mark.parametrize("seed", range(40))
def test_a_clear_verdict_is_the_verdict(seed):
    """Of exact problems, many of them singular: what is called clear is unique, whatever the forces; and much is clear."""
    rng = np.random.default_rng(seed)
    p = problems.problem(rng, int(rng.integers(2, 7)), int(rng.integers(1, 5)))
    motion = zm.solve(*p)
    full = numerical_rank(p.A).rank == len(p.A)
    if clearly_unique(p.M, p.A):
        assert full
        assert motion.verdict is Verdict.UNIQUE
    elif full and motion.verdict is Verdict.UNIQUE:  # small whole numbers: then a singular value is small
        squares = np.linalg.eigvalsh(p.M @ p.M + p.A.T @ p.A)
        assert squares[0] < 1e-3 * squares[-1]
    assert clearly_full(p.A) <= full


@pytest.mark.parametrize("seed", range(20))
def test_clear_changes_are_the_least(seed):
    random = np.random.default_rng(seed)
    n, m = int(random.integers(3, 9)), 2
    L, A, b = random.normal(size=(n, n - 1)), random.normal(size=(m, n)), random.normal(size=m)
    M = L @ L.T
    shortest, least = clear_change(A, b), clear_change(A, b, M)
    assert shortest is not None
    np.testing.assert_allclose(shortest, np.linalg.pinv(A) @ b, rtol=0, atol=1e-10)
    if least is not None:  # its condition is below 1e8, and 1e-8 of the digits are left at worst
        np.testing.assert_allclose(least, least_change(M, A, b), rtol=0, atol=1e-7 * np.abs(least).max())
    N = open_directions(A)
    assert N.shape == (n, n - m)
    assert np.abs(A @ N).max() < 1e-12
    assert np.abs(N.T @ N - np.eye(n - m)).max() < 1e-12
    twice = np.concatenate([A, A[:1]])
    assert clear_change(twice, np.append(b, b[0])) is None
    assert clear_change(twice, np.append(b, b[0]), M) is None
    assert open_directions(twice).shape == (n, n - m)


def test_what_is_no_mass_matrix_or_has_no_squares_is_not_clear():
    M, A = np.diag([1.0, -1.0, 2.0]), np.array([[1.0, 1.0, 1.0]])
    assert not clearly_unique(M, A)
    assert clearly_unique(np.abs(M), A)
    assert not clearly_full(1e200 * np.eye(3))
    assert rank_of(1e200 * np.eye(120)) == rank_of(1e-200 * np.eye(120)) == rank_of(np.eye(120)) == 120
    assert rank_of(np.eye(120)[:, :110] @ np.eye(110, 130)) == 110


def test_a_long_chain_begins_at_once_and_moves_as_by_pseudo_inverses(monkeypatch):
    """Its verdict is clear without a motion; one of its joints said twice leaves that to the motion."""
    bodies = [zm.RigidBody(f"rod {k}", mass=1.0, inertia=(0.01, 0.08, 0.08)) for k in range(3)]
    joints, end = {}, np.zeros(3)
    for body in bodies:
        joints[f"joint of {body.name}"] = body.point((-0.5, 0, 0)) - end
        end = body.point((0.5, 0, 0))
    system = zm.System(bodies, gravity=9.81, constraints=joints)
    start = random_state(system, np.random.default_rng(3), 0.3)
    monkeypatch.setattr(state, "MANY", 1)
    assert start.verdict is Verdict.UNIQUE
    assert "motion" not in vars(start)
    program = zm.compile(system, start)
    inputs = dict(zip(system.inputs, start.inputs, strict=True))
    q̈ = zm.expression.evaluate(expressions(program.acceleration), inputs)
    np.testing.assert_allclose(q̈, start.motion.acceleration, rtol=0, atol=1e-11 * np.abs(q̈).max())
    twice = system.with_constraints({"again": 2.0 * joints["joint of rod 0"]})
    other = twice.start(guess=[(twice.coordinates, start.q), (twice.rates, start.v)])
    assert other.verdict is Verdict.UNIQUE
    assert "motion" in vars(other)


def test_dry_friction_in_a_large_system_stops_what_it_should():
    """A system of many parts whose forces switch: one of its particles is rubbed and comes to rest, the others move on."""
    many = [zm.Particle(f"p{k}", mass=1.0) for k in range(43)]
    rubbed, free = many[0], many[1]
    force = zm.Force(np.array([-2.0 * np.sign(rubbed.velocity[0]), 0.0, 0.0]), at=rubbed.position)
    system = zm.System(many, forces=[force])
    assert system.large
    start = system.start([(rubbed.velocity, (1.0, 0.0, 0.0)), (free.velocity, (1.0, 0.0, 0.0))])
    run = zm.simulate(system, start, until=1.0)
    assert run.state(1.0)[rubbed.position[0]] == pytest.approx(0.25, abs=1e-12)
    assert run.state(1.0)[rubbed.velocity[0]] == pytest.approx(0.0, abs=1e-12)
    assert run.state(1.0)[free.position[0]] == pytest.approx(1.0, abs=1e-12)
    assert [switch.t for switch in run.switches] == pytest.approx([0.5], abs=1e-12)
