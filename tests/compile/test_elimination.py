"""Static elimination: the solution of M q̈ = f + Aᵀλ, A q̈ = b as expressions, for matrices of every kind.

Entries are symbols, zeros and constants, so that the order of elimination is found among all three; the numbers are
random, and the solution is compared at the state where the pivots were chosen and at others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile import elimination
from zeromass.compile.decisions import Decisions, Samples
from zeromass.compile.elimination import LARGEST_COST, Equations, _cost, eliminated
from zeromass.compile.factor import factored
from zeromass.compile.pivots import LARGEST_FACTOR, Pivotal
from zeromass.expression import Evaluator, expressions
from zeromass.expression.build import ZERO

EPS = np.finfo(float).eps
SEEDS = pytest.mark.parametrize("seed", range(60))


class Written:
    """Arrays of numbers written as expressions: zeros and small whole numbers as they are, all others as symbols."""

    def __init__(self) -> None:
        self.symbols: list[zm.expression.Expression] = []
        self.values: list[float] = []

    def __call__(self, numbers: np.ndarray, symmetric: bool = False) -> np.ndarray:
        result = np.empty(numbers.shape, dtype=object)
        for index, number in np.ndenumerate(numbers):
            if number in (0.0, 1.0, -1.0, 2.0):
                result[index] = expressions(number).item()
            elif symmetric and index[0] > index[1]:
                result[index] = result[index[::-1]]
            else:
                result[index] = zm.coordinate(f"s{len(self.symbols)}")
                self.symbols.append(result[index])
                self.values.append(float(number))
        return result

    @property
    def decide(self) -> Decisions:
        return at(self.symbols, self.values)


def at(symbols: Sequence[zm.expression.Expression], values: Sequence[float] | np.ndarray) -> Decisions:
    """Decisions at some values of the symbols."""
    return Decisions(Samples(symbols, values))


def problem(seed: int, redundant: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M ≥ 0, singular as a rule, f, and A, b with some zeros and ones: the first drawn that determines its motion.

    With `redundant` a row of A may follow from others, and no rows contradict one another.
    """
    random = np.random.default_rng(seed)
    while True:
        n = int(random.integers(2, 8))
        rank = int(random.integers(1, n + 1))
        L = random.normal(size=(n, rank)) * (random.random((n, rank)) < 0.7)
        M = L @ L.T
        m = int(random.integers(max(1, n - rank), n + 1))
        A = random.normal(size=(m, n)) * (random.random((m, n)) < 0.6)
        ones = random.random((m, n)) < 0.25
        A[ones] = random.choice([1.0, -1.0], size=ones.sum())
        if redundant and m > 2 and random.random() < 0.5:
            A[-1] = A[0] - 2 * A[1]
        if well_posed(M, A) and (redundant or np.linalg.matrix_rank(A, tol=1e-9) == m):
            return M, random.normal(size=n), A, A @ random.normal(size=n)


def well_posed(M: np.ndarray, A: np.ndarray) -> bool:
    """[M; A] of full column rank, and no rank near a change: singular values are zero or above 1 % of the largest."""
    together = np.linalg.svd(np.vstack([M, A]), compute_uv=False)
    alone = np.linalg.svd(A, compute_uv=False)
    alone = alone[alone > 1e-9 * alone.max(initial=1.0)]
    return bool(together[-1] > 0.01 * together[0] and alone.min(initial=1.0) > 0.01 * alone.max(initial=1.0))


@SEEDS
def test_solution(seed):
    """As the fundamental equation has it.

    Conditions of the matrices are up to 1e2, and elimination squares them where it makes M definite: 1e-11.
    """
    M, f, A, b = problem(seed)
    written = Written()
    M_, f_, A_, b_ = written(M, symmetric=True), written(f), written(A), written(b)
    e = eliminated(M_, f_, A_, b_, written.decide)
    values = Evaluator([*e.acceleration, *e.multipliers], written.symbols)(np.array(written.values))
    qdd, λ = np.split(values, [len(f)])
    motion = zm.solve(M, f, A, b)
    size = np.abs(motion.acceleration).max() + np.abs(λ).max(initial=0.0)
    assert np.max(np.abs(qdd - motion.acceleration)) <= 1e-11 * size
    assert np.max(np.abs(M @ qdd - f - A.T @ λ)) <= 1e-11 * size * np.abs(M).max()
    assert np.max(np.abs(A @ qdd - b), initial=0.0) <= 1e-11 * size
    # rows: as many as are independent, each once
    assert sorted(e.kept + e.dropped) == list(range(len(b)))
    assert len(e.kept) == np.linalg.matrix_rank(A, tol=1e-9)
    assert all(λ[i] == 0 for i in e.dropped)
    growth = Evaluator(e.growth, written.symbols)(np.array(written.values)) if e.growth else np.ones(1)
    assert np.all(growth >= 1 - 100 * EPS)


@SEEDS
def test_the_order_serves_other_numbers(seed):
    """The same expressions at numbers nearby: no pivot is chosen anew, and what the growth says is lost is lost."""
    M, f, A, b = problem(seed, redundant=False)  # a row that follows from others does so for its own numbers only
    written = Written()
    M_, f_, A_, b_ = written(M, symmetric=True), written(f), written(A), written(b)
    e = eliminated(M_, f_, A_, b_, written.decide)
    random = np.random.default_rng(seed)
    solution = Evaluator(e.acceleration, written.symbols)
    growth = Evaluator(e.growth, written.symbols)
    matrices = Evaluator(np.concatenate([M_.ravel(), f_, A_.ravel(), b_]), written.symbols)
    n, m = len(f), len(b)
    for _ in range(20):
        # M stays as it is, so that it stays ≥ 0; the rows of A move by up to a tenth
        moved = np.array(written.values)
        first = next((i for i, s in enumerate(written.symbols) if s in set(f_)), len(moved))
        moved[first:] *= 1 + random.uniform(-0.1, 0.1, size=len(moved) - first)
        M2, f2, A2, b2 = np.split(matrices(moved), np.cumsum([n * n, n, m * n]))
        M2, A2 = M2.reshape(n, n), A2.reshape(m, n)
        if not well_posed(M2, A2):
            continue
        expected = zm.solve(M2, f2, A2, b2)
        lost = np.max(growth(moved), initial=1.0)
        error = np.max(np.abs(solution(moved) - expected.acceleration))
        size = np.abs(expected.acceleration).max() + np.abs(expected.multipliers).max(initial=0.0)
        assert error <= 1e-11 * lost * size


def test_constant_entries_are_eliminated_first():
    """x = y + z with a one for x: nothing is left to divide by but the masses, and q̈_x is a plain sum."""
    p, q, b = zm.coordinates("p q b")
    M = expressions(np.diag([0.0, 1.0, 1.0]))
    M[1, 1], M[2, 2] = p, q
    A, rhs = expressions([[1.0, -1.0, -1.0]]), expressions([b])
    e = eliminated(M, expressions([0.0, 1.0, 2.0]), A, rhs, at([p, q, b], [2.0, 3.0, 0.5]))
    values = Evaluator(e.acceleration, [p, q, b])([2.0, 3.0, 0.5])
    np.testing.assert_allclose(values, [0.5 + 0.5 + 2 / 3, 0.5, 2 / 3], rtol=4 * EPS)
    assert e.kept == (0,)
    assert e.growth == ()


@pytest.mark.parametrize("large", [LARGEST_FACTOR / 2, LARGEST_FACTOR * 1e3, 1e12])
def test_a_small_constant_is_no_pivot(large):
    """Row (1, s) with s much larger than 1: dividing by the 1 would lose the digits of the other coordinate."""
    s, b = zm.coordinates("s b")
    M, f = expressions(np.eye(2)), expressions([1.0, 2.0])
    values = np.array([large, 0.7])
    e = eliminated(M, f, expressions([[1.0, s]]), expressions([b]), at([s, b], values))
    qdd = Evaluator(e.acceleration, [s, b])(values)
    # q̈ = f + Aᵀ (b − A f)/(A Aᵀ)
    expected = np.array([1.0, 2.0]) + np.array([1.0, large]) * ((0.7 - 1 - 2 * large) / (1 + large**2))
    np.testing.assert_allclose(qdd, expected, rtol=1e-13, atol=1e-15)


def test_the_rank_is_decided_once_or_given():
    """Rows (1, 0) and (1, s): one for s = 0, two elsewhere; a given rank holds wherever the samples are."""
    s = zm.coordinate("s")
    M, f = expressions(np.eye(2)), expressions([1.0, 2.0])
    A, b = expressions([[s * 0 + 1, 0.0], [1.0, s]]), expressions([0.0, 0.0])
    decide = {value: at([s], [value]) for value in (0.0, 1e-3)}
    assert len(eliminated(M, f, A, b, decide[0.0]).kept) == 1
    assert len(eliminated(M, f, A, b, decide[1e-3]).kept) == 2
    assert len(eliminated(M, f, A, b, decide[1e-3], rank=1).kept) == 1


def test_no_constraints():
    p = zm.coordinate("p")
    M = expressions([[2.0, 1.0], [1.0, 3.0]])
    M[0, 0] = p
    e = eliminated(M, expressions([1.0, 2.0]), expressions(np.zeros((0, 2))), expressions([]), at([p], [2.0]))
    qdd = Evaluator(e.acceleration, [p])([2.0])
    np.testing.assert_allclose(qdd, np.linalg.solve([[2, 1], [1, 3]], [1, 2]), rtol=4 * EPS)
    assert (e.kept, e.dropped, e.multipliers) == ((), (), ())


def test_as_many_constraints_as_coordinates():
    """No mass at all: the constraints say everything, and λ balances the forces."""
    a, b = zm.coordinates("a b")
    M, f = expressions(np.zeros((2, 2))), expressions([3.0, -1.0])
    A = expressions([[1.0, a], [b, 1.0]])
    values = np.array([0.3, -0.4])
    e = eliminated(M, f, A, expressions([1.0, 2.0]), at([a, b], values))
    numbers = np.array([[1.0, 0.3], [-0.4, 1.0]])
    found = Evaluator([*e.acceleration, *e.multipliers], [a, b])(values)
    np.testing.assert_allclose(found[:2], np.linalg.solve(numbers, [1.0, 2.0]), rtol=10 * EPS)
    np.testing.assert_allclose(found[2:], np.linalg.solve(numbers.T, [-3.0, 1.0]), rtol=10 * EPS)


@pytest.mark.parametrize("seed", range(10))
def test_factor_alone(seed):
    """The second half without the first: a positive definite, then a semidefinite M with rows of full rank."""
    random = np.random.default_rng(seed)
    n, m = 5, 2
    L = random.normal(size=(n, n - (seed % 3)))
    M, A = L @ L.T, random.normal(size=(m, n))
    f, b = random.normal(size=n), random.normal(size=m)
    written = Written()
    factor = factored(
        written(M, symmetric=True).tolist(), list(written(f)), written(A).tolist(), list(written(b)), written.decide
    )
    x = Evaluator([*factor.solution, *factor.multipliers], written.symbols)(np.array(written.values))
    K = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    expected = np.linalg.solve(K, np.concatenate([f, b]))
    # both by elimination: the condition of K, squared where rows make M definite
    np.testing.assert_allclose(x, expected, rtol=0, atol=EPS * np.linalg.cond(K) ** 2 * np.abs(expected).max())


def test_the_solution_does_not_depend_on_the_order_of_the_symbols():
    """The same numbers with coordinates renamed and permuted: the same motion to rounding."""
    M, f, A, b = problem(11)
    random = np.random.default_rng(0)
    results = []
    for _ in range(4):
        order = random.permutation(len(f))
        written = Written()
        parts = written(M[np.ix_(order, order)], symmetric=True), written(f[order]), written(A[:, order]), written(b)
        e = eliminated(*parts, written.decide)
        qdd = Evaluator(e.acceleration, written.symbols)(np.array(written.values))
        results.append(qdd[np.argsort(order)])
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=0, atol=1e-11 * np.abs(results[0]).max())


@SEEDS
def test_pivots_are_those_that_a_scan_of_all_would_find(seed, monkeypatch):
    """Each coordinate and row that are eliminated together cost least among all, and what is left has least degree."""
    taken: list[tuple[int, ...]] = []
    refused: set[tuple[float, tuple[zm.expression.Expression, ...]]] = set()
    M, f, A, b = problem(seed)
    written = Written()
    M_, f_, A_, b_ = written(M, symmetric=True), written(f), written(A), written(b)
    decide = written.decide

    def asked(question):
        answer = decide(question)
        if isinstance(question, Pivotal) and not answer:
            refused.add((question.value, question.rest[0]))
        return answer

    class Watched(Equations):
        def eliminate(self, i, j):
            candidates = []
            for r, row in enumerate(self.A):
                for k, a in row.items():
                    rest = tuple(e for l, e in row.items() if l != k)
                    if a.value is not None and (a.value, rest) not in refused and _cost(self, r, k) <= LARGEST_COST:
                        candidates.append((_cost(self, r, k), r, k))
            taken.append((i, j))
            assert (_cost(self, i, j), i, j) == min(candidates)
            return super().eliminate(i, j)

    monkeypatch.setattr(elimination, "Equations", Watched)
    e = eliminated(M_, f_, A_, b_, asked)
    assert len(taken) == len(set(taken)) <= len(e.kept)


@pytest.mark.parametrize("seed", range(20))
def test_the_next_pivot_has_least_degree(seed):
    """The same expressions as by elimination that looks at all that could be next, and takes the first of least degree."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(4, 12)), int(random.integers(1, 4))
    L = np.diag(random.uniform(1.0, 2.0, n)) + np.tril(random.normal(size=(n, n)) * (random.random((n, n)) < 0.2), -1)
    A = random.normal(size=(m, n)) * (random.random((m, n)) < 0.5) + np.eye(m, n) * 3.0
    written = Written()
    M_, A_ = written(L @ L.T, symmetric=True), written(A)
    f_, b_ = list(written(random.normal(size=n))), list(written(random.normal(size=m)))
    factor = factored(M_.tolist(), f_, A_.tolist(), b_, lambda question: ())  # M is definite: no row need help it
    K = np.block([[M_, A_.T], [A_, expressions(np.zeros((m, m)))]])
    pattern = [{q for q in range(n + m) if K[p, q] is not ZERO} for p in range(n + m)]
    rhs, steps, left = [*f_, *b_], [], set(range(n + m))
    while left:
        ready = [p for p in left if p < n or not any(A_[p - n, j] is not ZERO for j in left if j < n)]
        p = min(ready, key=lambda p: (len(pattern[p]), p))
        left.discard(p)
        inverse = 1 / K[p, p]
        others = [q for q in pattern[p] if q != p]
        shares = {q: K[p, q] * inverse for q in others}
        for q in others:
            rhs[q] = rhs[q] - shares[q] * rhs[p]
            pattern[q] = (pattern[q] | set(others)) - {p}
        for q in others:
            for r in others:
                if r <= q:
                    K[q, r] = K[r, q] = K[q, r] - shares[r] * K[p, q]
        steps.append((p, inverse, shares, rhs[p]))
    x: dict[int, zm.expression.Expression] = {}
    for p, inverse, shares, g in reversed(steps):
        x[p] = g * inverse - sum(share * x[q] for q, share in shares.items())
    last = steps[-1][0]  # what all the others were eliminated from: another order gives another formula
    assert (factor.solution[last] if last < n else -factor.multipliers[last - n]) is x[last]
    values = np.array(written.values)
    found = Evaluator([*factor.solution, *factor.multipliers], written.symbols)(values)
    expected = Evaluator([*[x[j] for j in range(n)], *[-x[n + i] for i in range(m)]], written.symbols)(values)
    np.testing.assert_allclose(
        found, expected, rtol=1e-13, atol=0
    )  # the same pivots: but for the order of sums, the same
