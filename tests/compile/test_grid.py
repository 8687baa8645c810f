"""Functions on grids as machine code: the evaluator's numbers, in lanes the bits of scalars, from memory that is kept."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest

import zeromass as zm
from cases import spread
from zeromass.codegen.target import Code, host
from zeromass.compile.decisions import Samples
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.straight import Flavour, StraightLine, canonical
from zeromass.expression import Evaluator, Grid

EPS = np.finfo(float).eps
LINES = {
    "even": np.linspace(-1.0, 2.0, 13),
    "nearly even": np.round(np.linspace(-1.0, 2.0, 12), 7),
    "uneven": np.array([-1.0, -0.8, 0.1, 0.3, 1.1, 1.25, 2.0]),
    "one cell": np.array([-1.0, 2.0]),
    "two uneven cells": np.array([-1.0, -0.5, 2.0]),
    "many": np.concatenate([[-1.0], np.sort(np.random.default_rng(5).uniform(-1.0, 2.0, 64)), [2.0]]),
}
X, Y = zm.coordinates("X Y")


def grid(x: np.ndarray, y: np.ndarray, powers: tuple[int, int] = (6, 6)) -> Grid:
    return Grid(x, y, np.random.default_rng(0).normal(size=(len(x) - 1, len(y) - 1, *powers)))


def all_orders(
    g: Grid, at: tuple[zm.expression.Expression, zm.expression.Expression] = (X, Y)
) -> list[zm.expression.Expression]:
    """The function and all its derivatives that do not vanish."""
    result = []
    for m, n in itertools.product(*map(range, g.powers)):
        e = g(X, Y)
        for variable in [X] * m + [Y] * n:
            e = zm.expression.derivative(e, variable)
        result.append(zm.expression.substitute(e, {X: at[0], Y: at[1]}))
    return result


def points(g: Grid, count: int = 500) -> np.ndarray:
    """Points inside the grid, on its lines, outside of it, and what is no point."""
    inside = np.random.default_rng(1).uniform(-1.0, 2.0, size=(count, 2))
    lines = np.array(list(itertools.product(g.x, g.y)))
    outside = [(-1.1, 0.0), (0.0, 2.1), (1e300, 0.0), (-np.inf, np.inf), (np.nan, 0.0), (0.0, np.nan), (-0.0, 0.0)]
    return np.concatenate([inside, lines, np.array(outside)])


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a.view(np.int64), b.view(np.int64)))


@pytest.mark.parametrize("x", spread(LINES, 3))
@pytest.mark.parametrize("y", ["even", "uneven"])
def test_machine_code_is_the_evaluator_in_every_lane(x, y):
    """A few roundings apart, in parts of the sum of all terms; fused products round once where NumPy's round twice.

    On a line that is evenly spaced but for rounding, the code may take the cell before it: then the polynomials of
    this grid, which do not meet, differ, so points on such lines are left out of the comparison with the evaluator.
    """
    g = grid(LINES[x], LINES[y])
    at = points(g)
    outputs = all_orders(g)
    scalar = LaneFunction(outputs, [X, Y], host().scalar)(at)
    for lanes in (2, 4, 8):
        assert same(LaneFunction(outputs, [X, Y], host().lanes(lanes))(at), scalar)
    expected = Evaluator(outputs, [X, Y])(at)
    size = Evaluator(all_orders(Grid(g.x, g.y, np.abs(g.coefficients))), [X, Y])(at)
    assert np.array_equal(np.isnan(scalar), np.isnan(expected))
    off = ~np.isin(at[:, 0], g.x) & ~np.isin(at[:, 1], g.y)
    inside = off & np.all(np.isfinite(expected), axis=1)
    assert inside.sum() >= 500
    assert np.all(np.abs(scalar - expected)[inside] <= 20 * EPS * size[inside])


def test_on_the_lines_of_an_uneven_grid_the_cell_is_that_above():
    g = grid(LINES["uneven"], LINES["uneven"])
    lines = np.array(list(itertools.product(g.x[:-1], g.y[:-1])))
    values = LaneFunction(g(X, Y), [X, Y])(lines)
    assert np.array_equal(values, g.coefficients[:, :, 0, 0].ravel())


def test_bits_do_not_depend_on_what_else_is_computed():
    g = grid(LINES["even"], LINES["uneven"])
    at, outputs = points(g), all_orders(g)
    together = LaneFunction(outputs, [X, Y])(at)
    for k in (0, 1, 7, 20, 35):
        assert same(LaneFunction(outputs[k], [X, Y])(at), np.ascontiguousarray(together[:, k]))


def test_derivatives_at_one_point_are_one_call():
    g = grid(LINES["even"], LINES["even"])
    line = StraightLine("f", [[X, Y]], [[*all_orders(g), *all_orders(g, at=(Y, X))]], Flavour(1, True))
    assert line.text.count("call fastcc") == 2
    assert len(line.grids) == 1


def test_without_fused_products_lanes_are_as_scalars():
    unfused = host()._replace(fused=False)
    g = grid(LINES["even"], LINES["uneven"])
    at, outputs = points(g), all_orders(g)
    scalar = LaneFunction(outputs, [X, Y], unfused.scalar)(at)
    assert same(LaneFunction(outputs, [X, Y], unfused.lanes(4))(at), scalar)


def test_grids_mix_with_other_operations():
    a, b = grid(LINES["even"], LINES["uneven"], (3, 4)), grid(LINES["uneven"], LINES["many"], (1, 2))
    e = np.sin(a(X, Y)) * b(Y, X) + a(X * Y / 2, X) / (1 + b(X, Y) ** 2) + zm.where(X > 0, a(X, Y), X)
    at = np.random.default_rng(3).uniform(-0.9, 1.4, size=(100, 2))
    values = LaneFunction([e, zm.expression.derivative(e, X)], [X, Y])(at)
    expected = Evaluator([e, zm.expression.derivative(e, X)], [X, Y])(at)
    assert np.all(np.isfinite(values))
    assert np.abs(values - expected).max() <= 1e-12 * np.abs(expected).max()
    assert [Samples([X, Y], place)(e) for place in at] == expected[:, 0].tolist()


def test_the_order_of_code_does_not_depend_on_history():
    g, h = grid(LINES["even"], LINES["even"]), grid(LINES["even"], LINES["uneven"])

    def text(first: Grid, second: Grid) -> str:
        x, y = zm.coordinates("x y")
        parts = {k: zm.expression.derivative(k(x, y), x) for k in (first, second)}
        nodes, _ = canonical([[x, y]], [parts[g] * parts[h] + g(x, y)])
        return (
            repr([(node.op, node.value) for node in nodes])
            + StraightLine("f", [[x, y]], [[parts[g] * parts[h] + g(x, y)]], Flavour(1, True)).text
        )

    assert text(g, h) == text(h, g)


def test_code_keeps_its_grid():
    x = LINES["even"]

    def values(seed: int) -> LaneFunction:
        own = Grid(x, x, np.random.default_rng(seed).normal(size=(len(x) - 1, len(x) - 1, 6, 6)))
        return LaneFunction(own(X, Y), [X, Y])

    at = np.random.default_rng(2).uniform(-1.0, 2.0, size=(50, 2))
    functions = [values(seed) for seed in range(5)]
    gc.collect()
    rubbish = [np.full((len(x) - 1, len(x) - 1, 6, 6), np.nan) for _ in range(20)]
    for seed, function in enumerate(functions):
        expected = values(seed)(at)
        assert np.all(np.isfinite(expected))
        assert same(function(at), expected)
    assert len(rubbish) == 20


def test_code_holds_what_it_is_told_to_keep():
    class Kept:
        pass

    import weakref

    kept = Kept()
    alive = weakref.ref(kept)
    code = Code("define void @f() {\n  ret void\n}", host(), keep=kept)
    del kept
    gc.collect()
    assert alive() is not None
    del code
    gc.collect()
    assert alive() is None
