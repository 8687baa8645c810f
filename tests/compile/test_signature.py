"""What is found alike node by node has the signature that it would have by itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile.rolled.elements import OTHERS
from zeromass.compile.rolled.signature import alike, signature
from zeromass.expression import Expression, expressions, symbols

Asked = list[tuple[str, list[Expression], tuple[int, ...]]]


def _asked(formulas: list[Any], where: dict[str, tuple[int, int]]) -> Asked:
    asked: Asked = []
    for e in formulas:
        roots = list(expressions(np.atleast_1d(np.asarray(e, dtype=object))))
        blocks = {where[leaf.token][0] for leaf in symbols(roots)}
        asked.append(("", roots, tuple(sorted(blocks - {OTHERS}))))
    return asked


@pytest.fixture(scope="module")
def points() -> list[zm.Particle]:
    return [zm.Particle(f"p{k}", 1.0) for k in range(6)]


def _formulas(points: list[zm.Particle]) -> dict[str, list[Any]]:
    p = [point.position for point in points]
    random = np.random.default_rng(0)
    apart = [p[i] - p[j] for i, j in [(0, 1), (1, 2), (3, 2), (5, 0), (4, 5), (2, 1)]]
    return {
        "rods": [(d @ d - length) / 2 for d, length in zip(apart, random.uniform(0.3, 3, 6), strict=True)],
        "vectors": [d - random.normal(size=3) for d in apart],
        "rates": [zm.rate(d @ d) for d in apart],
        "numbers that happen to be equal": [0.3 * x[0] + 0.7 * x[1] * x[0] for x in p]
        + [0.4 * x[0] + 0.4 * x[1] * x[0] for x in p],
        "products that happen to be one": [(0.3 * x[0]) ** 2 + np.sin(0.7 * x[0]) for x in p]
        + [(0.4 * x[0]) ** 2 + np.sin(0.4 * x[0]) for x in p],
        "small numbers": [k * x[0] + x[1] for k in (1.0, 2.0, 3.0, 5.0, 6.0) for x in p],
        "other places": [x[i] * x[j] + 7.0 for x in p for i in range(3) for j in range(3)],
        "other operations": [f(x[0]) + x[1] for x in p for f in (np.sin, np.cos, np.tan, np.exp)],
        "time": [x[0] - 0.5 * zm.t * k for k, x in enumerate(p, start=3)],
        "two formulas": [[x[0] * y[1], y[1]] for x, y in itertools.pairwise(p)]
        + [[x[0] * y[1], x[0] * y[1]] for x, y in itertools.pairwise(p)],
    }


@pytest.mark.parametrize("name", _formulas([zm.Particle(f"p{k}", 1.0) for k in range(6)]))
@pytest.mark.parametrize("turned", [False, True])
def test_signatures_are_those_of_each_by_itself(name: str, turned: bool, points: list[zm.Particle]):
    where = {x.token: (b, j) for b, point in enumerate(points) for j, x in enumerate(point.coordinates)}
    where[zm.t.token] = OTHERS, 0
    asked = _asked(_formulas(points)[name], where)
    asked = asked[::-1] if turned else asked
    assert list(alike(asked, where)) == [signature(roots, where, blocks) for _, roots, blocks in asked]


def test_constant_forces_are_each_body_s_own():
    """Formulas that are nothing but numbers differ from body to body as other numbers do: ẍ = F/m."""
    count = 43
    masses = [zm.Particle(f"m{k}", 2.0) for k in range(count)]
    forces = [zm.Force([0.25 * (k + 1), 0, 7.0], at=p.position) for k, p in enumerate(masses)]
    system = zm.System(masses, forces=forces)
    assert system.large
    found = system.start()[[zm.acceleration(p.position[0]) for p in masses]]
    np.testing.assert_allclose(found, 0.125 * np.arange(1, count + 1), rtol=1e-15)
    run = zm.simulate(system, system.start(), until=2.0)
    np.testing.assert_allclose(run.at(2.0)[[p.position[2] for p in masses]][0], 7.0, rtol=1e-12)
