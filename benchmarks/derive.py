"""Deriving the equations of the rolling shell, M, Q, A and b, from its energies and four lines of constraints.

    python benchmarks/derive.py [--repeat N] [--json]

Every way gets the same formulas: the energies and constraints of UM2022 (eqs. 2, 3, 15, 17, 19, 22, 27, 57). It
must return matrices that agree with those of zeromass at a random state before its time counts. What is timed is
derivation alone, from fresh symbols to symbolic matrices; each way's caches are emptied first where it has any.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import zeromass as zm

r, m, g = 0.09, 8.4, 9.81
rho = np.array([-0.00606818640357, 0.0, 0.0])
J = np.diag([0.0402, 0.0399, 0.0399])
AGREEMENT = 1e-11  # relative to the largest entry: rounding of some thousand operations in another order


@dataclass(frozen=True)
class Way:
    """One way to derive: `derive` makes symbolic matrices, `numbers` evaluates them at (q, q̇)."""

    name: str
    derive: Callable[[], Any]
    numbers: Callable[[Any, np.ndarray, np.ndarray], list[np.ndarray]]
    repeat: int | None = None


@dataclass(frozen=True)
class Result:
    name: str
    seconds: float
    ratio: float
    disagreement: float


def bowl(X, Y, Z, sin, pi=np.pi):
    """UM2022, eq. 57."""
    dimples = 0.04 * sin(1.2 * 2**0.5 * pi * X) / (1 + X**2) + 0.05 * sin(1.6 * pi * Y) / (1 + Y**2)
    return Z - dimples - 0.03 * (X**2 + Y**2)


def E_rows(u):
    u0, u1, u2, u3 = u
    return [[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]]


def G_rows(u):
    u0, u1, u2, u3 = u
    return [[-u1, u0, -u3, u2], [-u2, u3, u0, -u1], [-u3, -u2, u1, u0]]


def S_rows(u):
    u0, u1, u2, u3 = u
    return [
        [u0**2 + u1**2 - u2**2 - u3**2, 2 * (u1 * u2 - u0 * u3), 2 * (u1 * u3 + u0 * u2)],
        [2 * (u1 * u2 + u0 * u3), u0**2 - u1**2 + u2**2 - u3**2, 2 * (u2 * u3 - u0 * u1)],
        [2 * (u1 * u3 - u0 * u2), 2 * (u2 * u3 + u0 * u1), u0**2 - u1**2 - u2**2 + u3**2],
    ]


# ---- zeromass


def with_zeromass() -> zm.System:
    shell = zm.RigidBody("shell", mass=m, inertia=J)
    contact, center = zm.Particle("contact", mass=0), zm.Particle("center", mass=0)
    gamma = bowl(*contact.position, np.sin)
    k = zm.expression.gradient(gamma, contact.position)
    n = k / np.sqrt(k @ k)
    return zm.System(
        [shell, contact, center],
        gravity=g,
        constraints={
            "surface": gamma,
            "tangency": center.position - contact.position - r * n,
            "mass center": center.position + shell.rotate(rho) - shell.position,
            "no slip": center.velocity + r * np.cross(n, shell.angular_velocity),
        },
    )


def zeromass_numbers(system: zm.System, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    found = system.matrices(np.concatenate([[0.0], q, v]))
    return [found.M, found.Q, found.A, found.b]


# ---- SymPy, plain: symbols for q and q̇, Jacobians, Lagrange's equations written out


def with_sympy() -> Any:
    import sympy as sp
    from sympy.core.cache import clear_cache

    clear_cache()
    q, v = sp.Matrix(sp.symbols("q:13", real=True)), sp.Matrix(sp.symbols("v:13", real=True))
    T, V, positions, velocities = sympy_formulas(sp, q, v)
    p = sp.Matrix([T]).jacobian(v)
    M = p.jacobian(v)
    Q = sp.Matrix([T - V]).jacobian(q).T - p.jacobian(q) * v
    A1 = positions.jacobian(q)
    A2 = velocities.jacobian(v)
    A = A1.col_join(A2)
    b = -((A1 * v).jacobian(q) * v).col_join(velocities.jacobian(q) * v)
    return q, v, M, Q, A, b


def sympy_formulas(sp, q, v) -> tuple[Any, Any, Any, Any]:
    """T, V, the constraints on positions and those on velocities."""
    w, u, a, c = q[0:3, 0], q[3:7, 0], q[7:10, 0], q[10:13, 0]
    dw, du, dc = v[0:3, 0], v[3:7, 0], v[10:13, 0]
    omega = 2 * sp.Matrix(E_rows(u)) * du
    S = sp.Matrix(S_rows(u))
    T = m * (dw.T * dw)[0] / 2 + (omega.T * sp.Matrix(J) * omega)[0] / 2
    gamma = bowl(*a, sp.sin)
    k = sp.Matrix([gamma]).jacobian(a).T
    n = k / sp.sqrt((k.T * k)[0])
    positions = sp.Matrix([((u.T * u)[0] - 1) / 2, gamma])
    positions = positions.col_join(c - a - r * n).col_join(c + S * sp.Matrix(rho) - w)
    return T, m * g * w[2], positions, dc + r * n.cross(2 * sp.Matrix(G_rows(u)) * du)


def sympy_numbers(found: Any, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    import sympy as sp

    qs, vs, M, Q, A, b = found
    values = sp.lambdify([*qs, *vs], [M, Q, A, b], "numpy", cse=True)(*q, *v)
    return [values[0], values[1][:, 0], values[2], values[3][:, 0]]


# ---- sympy.physics.mechanics


def with_lagranges_method() -> Any:
    import sympy as sp
    from sympy.core.cache import clear_cache
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    clear_cache()
    q = sp.Matrix(dynamicsymbols("q:13"))
    v = sp.Matrix(dynamicsymbols("q:13", 1))
    T, V, positions, velocities = sympy_formulas(sp, q, v)
    method = LagrangesMethod(T - V, q, hol_coneqs=list(positions), nonhol_coneqs=list(velocities))
    method.form_lagranges_equations()
    blocks = method.mass_matrix_full, method.forcing_full
    return q, v, *blocks


def lagranges_method_numbers(found: Any, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    """SymPy's blocks are [[I, 0, 0], [0, M, −Aᵀ], [0, A, 0]] and [q̇, Q, b]."""
    import sympy as sp

    qs, vs, full, forcing = found
    full, forcing = sp.lambdify([*vs, *qs], [full, forcing], "numpy", cse=True)(*v, *q)
    return [full[13:26, 13:26], forcing[13:26, 0], full[26:, 13:26], forcing[26:, 0]]


# ---- CasADi, where it is installed


def with_casadi() -> Any:
    import casadi as ca

    q, v = ca.SX.sym("q", 13), ca.SX.sym("v", 13)
    w, u, a, c = q[0:3], q[3:7], q[7:10], q[10:13]
    dw, du, dc = v[0:3], v[3:7], v[10:13]

    def matrix(rows):
        return ca.vertcat(*[ca.horzcat(*row) for row in rows])

    omega = 2 * matrix(E_rows(ca.vertsplit(u))) @ du
    S = matrix(S_rows(ca.vertsplit(u)))
    L = m * ca.dot(dw, dw) / 2 + ca.dot(omega, ca.DM(J) @ omega) / 2 - m * g * w[2]
    gamma = bowl(a[0], a[1], a[2], ca.sin)
    k = ca.gradient(gamma, a)
    n = k / ca.sqrt(ca.dot(k, k))
    positions = ca.vertcat((ca.dot(u, u) - 1) / 2, gamma, c - a - r * n, c + S @ ca.DM(rho) - w)
    velocities = dc + r * ca.cross(n, 2 * matrix(G_rows(ca.vertsplit(u))) @ du)
    p = ca.gradient(L, v)
    M = ca.jacobian(p, v)
    Q = ca.gradient(L, q) - ca.jtimes(p, q, v)
    A1 = ca.jacobian(positions, q)
    A = ca.vertcat(A1, ca.jacobian(velocities, v))
    b = -ca.vertcat(ca.jtimes(A1 @ v, q, v), ca.jtimes(velocities, q, v))
    return q, v, [M, Q, A, b]


def casadi_numbers(found: Any, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    import casadi as ca

    qs, vs, blocks = found
    M, Q, A, b = (np.array(block) for block in ca.Function("f", [qs, vs], blocks)(q, v))
    return [M, Q[:, 0], A, b[:, 0]]


# ---- the measurement


def ways() -> list[Way]:
    found = [
        Way("zeromass", with_zeromass, zeromass_numbers),
        Way("SymPy, Jacobians", with_sympy, sympy_numbers, repeat=3),
        Way("SymPy, LagrangesMethod", with_lagranges_method, lagranges_method_numbers, repeat=1),
    ]
    try:
        import casadi  # noqa: F401
    except ImportError:
        return found
    return [*found, Way("CasADi, SX", with_casadi, casadi_numbers)]


def best_time(derive: Callable[[], Any], repeat: int) -> float:
    """The shortest of several derivations, s, each from fresh symbols and without garbage collection."""
    times = []
    for _ in range(repeat):
        gc.collect()
        gc.disable()
        try:
            begin = time.process_time()
            derive()
            times.append(time.process_time() - begin)
        finally:
            gc.enable()
    return min(times)


def disagreement(numbers: list[np.ndarray], reference: list[np.ndarray]) -> float:
    """Largest difference of a matrix, as part of its largest entry."""
    return max(
        float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        for ours, theirs in zip(numbers, reference, strict=True)
    )


def measured(repeat: int) -> list[Result]:
    random = np.random.default_rng(0)
    q, v = random.normal(size=(2, 13))
    reference = zeromass_numbers(with_zeromass(), q, v)
    results: list[Result] = []
    for way in ways():
        error = disagreement(way.numbers(way.derive(), q, v), reference)
        if not error <= AGREEMENT:
            sys.exit(f"{way.name} disagrees with zeromass by {error:.1e}: no times are reported")
        seconds = best_time(way.derive, min(repeat, way.repeat or repeat))
        ours = results[0].seconds if results else seconds
        results.append(Result(way.name, seconds, seconds / ours, error))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=20, help="derivations of which the best counts")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args()
    results = measured(options.repeat)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
        return
    print(f"{'derivation of M, Q, A, b':28}{'CPU time':>12}{'ratio':>10}{'disagreement':>15}")
    for result in results:
        print(f"{result.name:28}{result.seconds:>10.4f} s{result.ratio:>9.3g}×{result.disagreement:>15.1e}")


if __name__ == "__main__":
    main()
