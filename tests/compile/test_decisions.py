"""Decisions at a state: the same whether they are taken for the first time or looked up among those of earlier states."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from equation import exact, problems
from zeromass.compile.decisions import Decisions, Foresight, Samples
from zeromass.compile.pivots import Independent, Pivotal
from zeromass.compile.program import program_at
from zeromass.equation import numerical_rank
from zeromass.equation.rank import rank_of
from zeromass.papers import um2022


def test_foreseen_numbers_have_the_bits_of_others() -> None:
    x, y = zm.coordinates("x y")
    rows = ((x**2, np.sin(x) * y, x / y), (y**3, np.sqrt(x), x - y))
    independent = Independent(rows)
    pivotal = Pivotal(1.0, (x**2, y), (x, np.exp(y)))
    foresight = Foresight([independent, pivotal], [x, y])
    for values in np.random.default_rng(0).uniform(0.1, 3.0, (50, 2)):
        plain, foreseen = Samples([x, y], values), Samples([x, y], values)
        foreseen.foresee(foresight)
        for matrix in (*independent.matrices, *pivotal.matrices):
            assert foreseen.matrix(matrix).tobytes() == plain.matrix(matrix).tobytes()


@pytest.mark.parametrize("case", ["1A", "2C", "3D"])
def test_a_state_leads_to_the_same_program_whatever_came_before(case: str) -> None:
    """The answers that a tree of earlier decisions gets by foresight are those of a state that is the first one."""
    run = um2022.run(case, until=5.0)
    system = run.system
    states = [run.state(t) for t in np.linspace(0.0, 5.0, 7)]
    found = [program_at(system, state) for state in states]
    for state, program in zip(states, found, strict=True):
        system.memory.pop("programs")
        alone = program_at(system, state)
        assert alone.acceleration == program.acceleration  # the same nodes, as equal expressions are one
        assert alone.corrections == program.corrections


def test_a_clear_rank_is_that_of_the_decision() -> None:
    rng = np.random.default_rng(3)
    for _ in range(2000):
        A = problems.constraint_matrix(rng, int(rng.integers(0, 8)), int(rng.integers(1, 8)))
        m, n = A.shape
        B = 2.0 ** rng.integers(-13, 14, m)[:, None] * A * 2.0 ** rng.integers(-13, 14, n)
        noisy = B * (1 + 1e-16 * rng.normal(size=B.shape))
        assert rank_of(B) == rank_of(noisy) == numerical_rank(B).rank == exact.rank(A)


def test_questions_are_answered_once() -> None:
    x = zm.coordinate("x")
    decide = Decisions(Samples([x], [2.0]))
    question = Independent(((x, x**2), (2 * x, 2 * x**2)))
    assert decide(question) == decide(Independent(question.rows)) == 1
    assert len(decide.taken) == 1
