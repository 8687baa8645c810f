"""Roots in a step: the same bits as Python, machine code and WebAssembly, and the roots that there are."""

from __future__ import annotations

import numpy as np
import pytest

from kernel.node import MISSING, in_node, node
from kernel.same_bits import bits
from zeromass.kernel.language import Reals, Reals2, Struct, compiled, kernel
from zeromass.kernel.roots import KNOWN, STACK, RootSearch, locate_roots


class Polynomials(Struct):
    coefficients: Reals2
    values: Reals


@kernel
def polynomials(p: Polynomials, t: float) -> None:
    for j in range(p.coefficients.shape[0]):
        total = 0.0
        for k in range(p.coefficients.shape[1] - 1, -1, -1):
            total = total * t + p.coefficients[j, k]
        p.values[j] = total


def search(places, coefficients, directions, turning) -> RootSearch:
    n, k = len(places), len(coefficients)
    functions = Polynomials(coefficients=np.array(coefficients, dtype=float), values=np.zeros(k))
    return RootSearch(
        evaluate=polynomials,
        context=functions,
        values=functions.values,
        places=np.array(places, dtype=float),
        looks=n,
        columns=np.arange(k),
        directions=np.array(directions, dtype=float),
        turning=np.array(turning, dtype=np.int64),
        seen=np.zeros((n, k)),
        points=np.zeros((3 * n, 2)),
        stack=np.zeros((STACK, 6)),
        known=np.zeros((KNOWN, 3)),
        times=np.zeros(3 * n * k),
        which=np.zeros(3 * n * k, dtype=np.int64),
    )


def problems(count: int, seed: int) -> list[RootSearch]:
    """Polynomials with simple roots, with pairs of near ones, with double ones, and such as do not quite reach zero."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        t0, h = rng.uniform(-1, 3), rng.choice([-1, 1]) * rng.uniform(0.01, 1.0)
        pair = t0 + h * rng.uniform(0.1, 0.9) + np.array([-1, 1]) * h * 10 ** rng.uniform(-7, -1.5)
        squared = np.polynomial.polynomial.polyfromroots(pair)
        rows = [
            np.polynomial.polynomial.polyfromroots(t0 + h * rng.uniform(-0.3, 1.3, size=3)),
            np.append(squared, 0.0),
            np.append(np.polynomial.polynomial.polyfromroots([pair[0], pair[0]]), 0.0),
            np.append(squared + np.array([(pair[0] - pair[1]) ** 2 / 4 * rng.choice([0.9, 1.1]), 0, 0]), 0.0),
        ]
        places = [*(t0 + h * np.linspace(0, 1, 9))[:-1], t0 + h]
        found.append(search(places, rows, rng.choice([-1, 0, 1], size=4), rng.choice([0, 1], size=4)))
    return found


def outcome(s: RootSearch, count: int) -> list[int]:
    return bits([count, s.times[:count], s.which[:count], s.seen, s.tolerance])


def test_bits_are_the_same_everywhere(tmp_path):
    """As Python, the oracle, in machine code, and in Node."""
    as_python, here, there = (problems(25, 3) for _ in range(3))
    counts = [locate_roots(s) for s in as_python]
    for s in here:
        s.evaluate = compiled(polynomials).address
    assert [outcome(s, compiled(locate_roots)(s)) for s in here] == [
        outcome(s, count) for s, count in zip(as_python, counts, strict=True)
    ]
    assert sum(counts) > 40
    if node() is None:
        pytest.skip(MISSING)
    found = in_node([(locate_roots, [s]) for s in there], tmp_path, [polynomials])
    assert [outcome(s, n) for s, n in zip(there, found, strict=True)] == [
        outcome(s, count) for s, count in zip(as_python, counts, strict=True)
    ]


@pytest.mark.parametrize("ahead", [1, -1])
@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5])
def test_pairs_of_roots_between_two_places_are_found(width, ahead):
    """(t − a)(t − a − w) has the other sign in between alone; its roots are known to rounding."""
    places = ahead * np.linspace(0.0, 1.0, 5)
    a = ahead * 0.3
    s = search(places, [[a * (a + ahead * width), -(2 * a + ahead * width), 1.0]], [0], [1])
    s.evaluate = compiled(polynomials).address
    assert compiled(locate_roots)(s) == 2
    # the slope there is w and the terms are of size 1: rounding moves a root by some ε/w
    assert s.times[:2] == pytest.approx([a, a + ahead * width], abs=4e-16 / width + 2e-14)


def test_directions_are_kept_apart():
    """sin-like: t³ − t rises through −1, falls through 0, rises through 1."""
    for direction, wanted in ((1, [-1.0, 1.0]), (-1, [0.0]), (0, [-1.0, 0.0, 1.0])):
        s = search(np.linspace(-1.9, 2.0, 9), [[0.0, -1.0, 0.0, 1.0]], [direction], [1])
        s.evaluate = compiled(polynomials).address
        count = compiled(locate_roots)(s)
        assert s.times[:count] == pytest.approx(wanted, abs=1e-13)


def test_a_function_that_comes_to_rest_at_zero_is_found_where_it_does():
    @kernel
    def resting(p: Polynomials, t: float) -> None:
        p.values[0] = max(0.5 - t, 0.0)

    s = search(np.linspace(0.0, 1.0, 9), [[0.0]], [0], [1])
    s.evaluate = compiled(resting).address
    assert compiled(locate_roots)(s) == 1
    assert s.times[0] == pytest.approx(0.5, abs=1e-13)


def test_a_pole_is_no_root():
    @kernel
    def pole(p: Polynomials, t: float) -> None:
        p.values[0] = 1.0 / (t - 0.31)

    s = search(np.linspace(0.0, 1.0, 9), [[0.0]], [0], [1])
    s.evaluate = compiled(pole).address
    assert compiled(locate_roots)(s) == 0
