"""Derivatives of 1,000 random formulas are those that SymPy derives."""

from collections import Counter

import mpmath
import numpy as np
import pytest
import sympy

from cases import few
from expression.formulas import NUMPY, VARIABLES, operations, random_trees, value
from expression.languages import DIGITS, SYMPY, digits_of
from zeromass.expression import as_expression, coordinates, evaluate, gradient
from zeromass.expression.node import ordered
from zeromass.expression.operation import functions

BATCHES, COUNT, POINTS = 20, 50, 2

# A derivative here is up to some hundred operations with relative errors of 1e-16 each.
TOLERANCE = 1e-12


@pytest.mark.parametrize("seed", few(range(BATCHES)))
def test_gradient_is_that_of_sympy(seed):
    x = coordinates("x y z")
    names = sympy.symbols("x y z", real=True)
    rng = np.random.default_rng([seed, 1])
    for tree in random_trees(seed, COUNT):
        derived = gradient(value(tree, x), x)
        formula = value(tree, names, SYMPY)
        exact = digits_of([sympy.diff(formula, name) for name in names], names)
        for point in rng.uniform(-2, 2, (POINTS, VARIABLES)):
            ours = evaluate(derived, dict(zip(x, point, strict=True)))
            with mpmath.workdps(DIGITS):
                theirs = np.array(exact(*map(mpmath.mpf, point)), dtype=object)
                error = np.abs([mpmath.mpf(a) for a in ours] - theirs)
                if np.any(error > TOLERANCE * np.abs(theirs)):
                    assert np.all(error <= TOLERANCE * sensitivity(exact, point)), (tree, point, ours, theirs)


def sensitivity(exact, point):
    """|f'| + Σ_j |x_j ∂f'/∂x_j|: how much f' changes, relatively, with the point.

    Where the terms of f' cancel, it is this that the rounding errors are small against, not |f'|.
    """
    h = mpmath.mpf(10) ** -(DIGITS // 2)
    here = np.array(exact(*map(mpmath.mpf, point)), dtype=object)
    total = np.abs(here)
    for j in range(VARIABLES):
        moved = [mpmath.mpf(c) * (1 + h * (i == j)) for i, c in enumerate(point)]
        total = total + np.abs(np.array(exact(*moved), dtype=object) - here) / h
    return total


def test_the_thousand_formulas_contain_every_operation():
    x = coordinates("x y z")
    trees = [tree for seed in range(BATCHES) for tree in random_trees(seed, COUNT)]
    assert len(trees) == 1000
    written = Counter(op for tree in trees for op in set(operations(tree)))
    assert min(written[op] for op in NUMPY) >= 10, written
    built = {node.op for tree in trees for node in ordered([as_expression(value(tree, x))])}
    assert built == {
        *functions(),
        *("constant", "symbol", "add", "subtract", "multiply", "divide", "negative", "power"),
        *("where", "less", "less_equal"),
    }
