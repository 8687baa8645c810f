"""Formulas on their pieces: the modes say where one is, and the value is the same."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.expression.operation import OF_NUMBERS, OPERATIONS
from zeromass.expression.pieces import Pieces, switches

x, y = zm.coordinates("x y")


def jumps(row, point, direction):
    """Whether the value or its slope is another one just before and just after a point."""
    h = 1e-4

    def value(s):
        return float(row.number(*[np.float64(a) for a in point + s * direction]))

    with np.errstate(all="ignore"):
        before, after = (value(0) - value(-h)) / h, (value(h) - value(0)) / h
        near = value(1e-9) - value(-1e-9)
    return np.isfinite([before, after]).all() and (abs(near) > 1e-3 or abs(before - after) > 0.5)


@pytest.mark.parametrize("name", sorted(OF_NUMBERS))
def test_every_operation_with_kinks_or_jumps_has_its_pieces(name):
    """Looked for at whole numbers and where operands meet, in directions of the operands."""
    row = OPERATIONS[name]
    points = [np.array(p[: row.arity], dtype=float) for p in ((0, 0, 1), (1, 1, 0), (0, 1, 2), (2, 1, 3), (0, -1, 1))]
    found = any(jumps(row, p, np.eye(row.arity)[0]) for p in points)
    if name not in (
        "divide",
        "power",
        "hypot",
        "sqrt",
        "log",
        "arccosh",
        "arctanh",
    ):  # poles, roots and a tip are no pieces
        assert found == (row.smooth is not None)


FORMULAS = [
    np.abs(x) * np.sign(y),
    zm.where((x > 0.2) & ~(y < x), x**2, np.sin(y)),
    np.floor(3 * x) + x % 0.7 + y // 0.3,
    np.maximum(x, y) - np.minimum(x, 0.1) + np.arctan2(y, x),
    np.abs(np.sin(5 * x) - np.floor(2 * y)) + np.ceil(x),
    zm.where((x < 0) | (y <= 0.5), np.abs(x - 1), 2 * y),
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_on_its_piece_a_formula_has_its_value_and_its_slope(formula):
    """Modes from the switching functions, those inside others first; a smooth formula then, of the same value."""
    pieces = Pieces()
    (smooth,) = pieces.found([formula])
    random = np.random.default_rng(1)
    for _ in range(50):
        at = dict(zip((x, y), random.uniform(-2, 2, 2).tolist(), strict=True))
        for switch in pieces.switches:
            g = zm.expression.evaluate(switch.g, at)
            assert (
                g == pytest.approx(zm.expression.evaluate(switch.plain, at), abs=1e-12) or switch.plain is not switch.g
            )
            at[switch.mode] = np.floor(g) if switch.kind == "whole" else np.sign(g)
        given = {k: v for k, v in at.items() if k in (x, y)}
        assert zm.expression.evaluate(smooth, at) == pytest.approx(zm.expression.evaluate(formula, given), abs=1e-12)
        for q in (x, y):
            slope = zm.expression.evaluate(zm.expression.derivative(formula, q), given)
            assert zm.expression.evaluate(zm.expression.derivative(smooth, q), at) == pytest.approx(slope, abs=1e-12)


def test_one_border_is_one_switch():
    pieces = Pieces()
    pieces.found([np.sign(x - 1), zm.where(x < 1, 0.0, 1.0), zm.where(x > 1, 0.0, 1.0), np.abs(1 - x), np.sign(2 * x)])
    pieces.found([np.sign(-3 * x), np.abs(x)])
    assert [switch.g for switch in pieces.switches] == [x - 1, x]


def test_what_is_smooth_has_no_switches():
    assert not switches([np.sin(x) * np.sqrt(1 + y**2)])
    assert switches([np.sin(np.abs(x))])


def test_switches_that_are_not_known_stay():
    pieces = Pieces()
    pieces.found([np.abs(x)])
    assert pieces.smooth(np.sign(y) + x).item() is np.sign(y) + x
