"""Jacobians by products with directions: those of formulas, and motions with them."""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import zeromass as zm
from zeromass.compile.products import Products
from zeromass.compile.straight import operations

MODULE = import_module("zeromass.compile.products")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few the operations are."""
    monkeypatch.setattr(MODULE, "MANY", 0)


def rope(count: int, k: float = 1e5) -> tuple[zm.System, np.ndarray]:
    """Links with their angles as coordinates, whose ends fall onto a floor."""
    a = zm.coordinates(" ".join(f"a{i}" for i in range(count)))
    x, z = np.cumsum(np.cos(a)) / count, -np.cumsum(np.sin(a)) / count
    vx, vz = zm.rate(x), zm.rate(z)
    potential = 9.81 * np.sum(z) + k / 2 * sum(np.maximum(-0.5 - height, 0.0) ** 2 for height in z)
    return zm.System(kinetic=(vx @ vx + vz @ vz) / 2, potential=potential), a


def rods() -> zm.System:
    """Three beads on rods, which are constraints, and a constraint force that does work."""
    beads = [zm.Particle(f"bead {i}", 1.0 + i) for i in range(3)]
    before: Any = np.zeros(3)
    constraints, forces = {}, []
    for i, bead in enumerate(beads):
        rod = bead.position - before
        constraints[f"rod {i}"] = rod @ rod - 1.0
        forces.append(zm.Force(-0.3 * (bead.velocity @ bead.velocity) * bead.velocity, at=bead.position))
        before = bead.position
    return zm.System(beads, constraints=constraints, forces=forces, gravity=9.81)


def by_products(native: Any, inputs: np.ndarray) -> np.ndarray:
    """∂q̈/∂(q, q̇): K x = −r₀, K ∂x/∂(q, q̇) = −∂r/∂(q, q̇), from the machine code of both."""
    found: Products = native.products
    n, (constants, places) = len(native.program.system.coordinates), native.product_entries
    matrix, entries = constants.copy(), np.empty(np.count_nonzero(places))
    t, y, p = inputs[:1].copy(), inputs[1 : 1 + 2 * n].copy(), np.append(inputs[1 + 2 * n :], 0.0)
    call = native.product_equations.function("tangent", None, *[ctypes.c_void_p] * 4)
    call(*[x.ctypes.data for x in (t, y, p, entries)])
    matrix[places] = entries
    size, lanes = found.size, found.lanes
    K = matrix[:, :size]
    x = np.linalg.solve(K, matrix[:, size + 2 * n])
    given = np.repeat(np.concatenate([inputs, x, matrix[:, size + 2 * n + 1 :].T.ravel()]), lanes)
    product = native.product.function("products", None, *[ctypes.c_void_p] * 3)
    values = np.empty((len(found.seeds), size, lanes))
    for seeds, out in zip(found.seeds, values, strict=True):
        product(given.ctypes.data, seeds.ctypes.data, out.ctypes.data)
    right = np.zeros((size, 2 * n))
    right[found.rows, found.columns] = values.ravel()[found.places]
    return -np.linalg.solve(K, right)[:n]


def test_the_jacobian_is_that_of_formulas(always: None) -> None:
    """Of constraints, and of a motion whose modes are parameters."""
    random = np.random.default_rng(0)
    beads = rods()
    start = beads.start(guess=dict(zip(beads.coordinates, random.normal(size=9), strict=True)))
    system, a = rope(5)
    for program, state in (
        (zm.compile(beads, start), start),
        (zm.compile(system, system.start(dict.fromkeys(a, 0.3))), system.start(dict.fromkeys(a, 0.3))),
    ):
        inputs = state.inputs + 0.0
        n = len(program.system.coordinates)
        inputs[1 + n : 1 + 2 * n] = random.normal(size=n)
        native = program.native
        assert native.products is not None
        exact = native.jacobian(inputs)
        assert np.abs(by_products(native, inputs) - exact).max() < 1e-12 * np.abs(exact).max()


def test_columns_without_a_common_row_share_a_direction(always: None) -> None:
    """Masses between springs: a row depends on three neighbours, however many masses there are."""
    q = zm.coordinates(" ".join(f"q{i}" for i in range(50)))
    stretch = np.diff(q)
    system = zm.System(
        M=np.eye(50), Q=-zm.expression.gradient(stretch @ stretch / 2 + np.sum(stretch**4), q), coordinates=q
    )
    program = zm.compile(system, system.start(dict.fromkeys(q, 0.0)))
    found = program.native.products
    assert found is not None
    assert found.seeds.sum(axis=1).astype(bool).sum() == 3
    inputs = np.random.default_rng(0).normal(size=101)
    assert by_products(program.native, inputs) == pytest.approx(program.native.jacobian(inputs), abs=1e-13)


def test_a_product_has_a_few_times_the_operations_of_the_equations() -> None:
    """Formulas of all entries have as many times as there are angles; of a rope of 30 links they are not derived."""
    system, a = rope(30)
    program = zm.compile(system, system.start(dict.fromkeys(a, 0.0)))
    found = program.native.products
    assert found is not None
    assert operations(list(found.function()[1][0])) < 4 * operations(list(program.residual))
    few, b = rope(3)
    assert zm.compile(few, few.start(dict.fromkeys(b, 0.0))).native.products is None


def test_a_stiff_rope_moves_as_with_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    for many in (10**9, 0):
        monkeypatch.setattr(MODULE, "MANY", many)
        system, a = rope(6)
        run = zm.simulate(system, system.start(dict.fromkeys(a, 0.0)), until=0.34, method="radau")
        assert run.outcome.ending == "finished"
        assert run.switches
        ends.append(run.y[-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)  # rtol 1e-10, magnified by contacts of 1e5 N/m


def test_a_motion_that_sticks(always: None) -> None:
    """ẍ = F − (2 + x) sgn ẋ stops at x = √((2 − F)² + v²) − 2 + F, where friction is −F, its mode F/(2 + x)."""
    x, y = zm.coordinates("x y")
    energy = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    for F in (0.0, 0.3):
        system = zm.System(kinetic=energy, forces={q: F - (2.0 + q) * np.sign(zm.rate(q)) for q in (x, y)})
        start = system.start({x: 0.0, y: 0.0, zm.rate(x): 1.0, zm.rate(y): 2.0})
        run = zm.simulate(system, start, until=3.0, method="radau")
        stops = np.sqrt((2.0 - F) ** 2 + np.array([1.0, 2.0]) ** 2) - 2.0 + F
        assert run.y[-1] == pytest.approx([*stops, 0.0, 0.0], abs=1e-9)
        program = run.segments[-1].solved
        assert len(program.betas) == 2
        inputs = np.concatenate([[3.0], run.y[-1], run.segments[-1].values])
        exact = program.native.jacobian(inputs)
        assert by_products(program.native, inputs) == pytest.approx(exact, abs=1e-12)
        assert exact[:, :2] == pytest.approx(-np.diag(F / (2.0 + stops)), abs=1e-9)


def test_many_stiff_masses_move_as_the_exponential_says() -> None:
    """40 masses with springs and dampers, at rates from 1 to 1e6 1/s: ẏ = A y."""
    n = 40
    rates = np.logspace(0.0, 6.0, n)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(n, n)))[0]
    K, D = turn @ np.diag(rates) @ turn.T, turn @ np.diag(2.0 * rates) @ turn.T
    q = zm.coordinates(" ".join(f"q{i}" for i in range(n)))
    system = zm.System(M=np.eye(n), Q=-K @ q - D @ zm.rate(q), coordinates=q)
    first = np.cos(np.arange(n))
    run = zm.simulate(
        system, system.start(dict(zip(q, first, strict=True))), until=1.0, method="radau", rtol=1e-9, atol=1e-11
    )
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -D]])
    exact = expm(A) @ np.concatenate([first, np.zeros(n)])
    assert np.abs(run.y[-1] - exact).max() < 1e-8
    assert run.statistics.steps < 500
