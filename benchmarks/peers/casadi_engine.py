"""CasADi: the tape as SX, compiled as C or run by its virtual machine."""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path

import casadi
import numpy as np

from peers import shape, tape
from peers.engine import Engine, Result, least_per_call
from peers.stepping import library, stepped

CALL = """
#include "slope.c"
void f(const double *y, double *dy)
{
    const double *in[1] = {y};
    double *out[1] = {dy};
    static double w[slope_SZ_W + 1];
    slope(in, out, 0, w, 0);
}
"""


def prepare(variant: str, files: os.PathLike) -> Engine:
    y = casadi.SX.sym("y", 26)
    acceleration = own_formulas(y) if "own" in variant else replayed(y, Path(files))
    dy = casadi.cse(casadi.vertcat(y[13:], acceleration))
    slope = casadi.Function("slope", [y], [dy])
    words = f"{slope.n_instructions()} instructions, " + ("own formulas" if "own" in variant else "the tape")
    return compiled(slope, words, Path(files)) if variant.startswith("C") else virtual(y, dy, slope, words)


def replayed(y: casadi.SX, folder: Path) -> casadi.SX:
    """Accelerations as zeromass has eliminated them."""
    functions = {"sin": casadi.sin, "cos": casadi.cos, "sqrt": casadi.sqrt}
    return casadi.vertcat(*tape.replayed(tape.read(folder / "tape.json"), casadi.vertsplit(y), functions))


def own_formulas(y: casadi.SX) -> casadi.SX:
    """Accelerations by CasADi alone: its derivatives and sparse LDLᵀ, with w_C and β eliminated by hand.

    q̈ = T z + c with z = (ü, α̈),   W = TᵀMT + AᵀA,   f = Tᵀ(Q − M c) + Aᵀb,
    (A W⁻¹ Aᵀ) λ = b − A W⁻¹ f,   z = W⁻¹(f + Aᵀλ)
    """
    mass, rho, inertia = shape.shell()
    q, v = y[:13], y[13:]
    u, a, du = q[3:7], q[7:10], v[3:7]
    gap = shape.bowl(a[0], a[1], a[2], sin=casadi.sin)
    k = casadi.gradient(gap, a)
    n = k / casadi.sqrt(casadi.dot(k, k))
    E, G = body(u), inertial(u)
    turned = G @ (E.T @ casadi.DM(rho))
    z = casadi.vertcat(u, a)
    dz = casadi.vertcat(du, v[7:10])
    centre = a + shape.OUTER * n
    known = casadi.vertcat(centre + turned, u, a, centre)
    T = casadi.jacobian(known, z)
    c = casadi.jtimes(casadi.jtimes(known, z, dz), z, dz)
    omega = 2 * E @ du
    momentum = casadi.gradient(casadi.dot(omega, casadi.DM(inertia) * omega) / 2, du)
    kinetic = casadi.dot(omega, casadi.DM(inertia) * omega) / 2
    M = casadi.diagcat(mass * casadi.SX.eye(3), casadi.jacobian(momentum, du), casadi.SX(6, 6))
    gyroscopic = casadi.gradient(kinetic, u) - casadi.jtimes(momentum, u, du)
    Q = casadi.vertcat(0, 0, -mass * shape.GRAVITY, gyroscopic, casadi.SX(6, 1))
    slip = (casadi.jtimes(centre, z, dz) + 2 * shape.OUTER * casadi.cross(n, G @ du))[:2]
    rates = casadi.vertcat(casadi.dot(u, du), casadi.jtimes(gap, z, dz), slip)
    A = casadi.jacobian(rates, dz)
    b = -casadi.jtimes(rates, z, dz)
    D, L, order = casadi.ldl(T.T @ M @ T + A.T @ A)
    X = casadi.ldl_solve(casadi.horzcat(A.T, T.T @ (Q - M @ c) + A.T @ b), D, L, order)
    multipliers = casadi.ldl_solve(b - A @ X[:, 4], *casadi.ldl(A @ X[:, :4]))
    return T @ (X[:, 4] + X[:, :4] @ multipliers) + c


def body(u: casadi.SX) -> casadi.SX:
    u0, u1, u2, u3 = casadi.vertsplit(u)
    return casadi.blockcat([[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]])


def inertial(u: casadi.SX) -> casadi.SX:
    u0, u1, u2, u3 = casadi.vertsplit(u)
    return casadi.blockcat([[-u1, u0, -u3, u2], [-u2, u3, u0, -u1], [-u3, -u2, u1, u0]])


def compiled(slope: casadi.Function, words: str, folder: Path) -> Engine:
    """C by gcc."""
    own = Path(tempfile.mkdtemp(prefix="casadi-", dir=folder))
    generator = casadi.CodeGenerator("slope.c", {"with_header": True})
    generator.add(slope)
    generator.generate(f"{own}/")
    size = slope.sz_w()
    (own / "f.c").write_text(CALL.replace("slope_SZ_W", str(size)))
    shared = ctypes.CDLL(str(library(own / "f.c", own / "f.so", "-O2", "-ffast-math")))
    address = ctypes.cast(shared.f, ctypes.c_void_p).value
    assert address is not None
    return stepped(address, f"SX, {words}; gcc -O2 -ffast-math -march=native", folder, shared)


def virtual(y: casadi.SX, dy: casadi.SX, slope: casadi.Function, words: str) -> Engine:
    """CasADi's virtual machine under CVODES, without a compiler."""
    y0 = shape.start()

    def run(until: float, rtol: float, atol: float) -> Result:
        options = {
            "abstol": atol,
            "reltol": rtol,
            "max_num_steps": 10_000_000,
            "linear_multistep_method": "adams",
            "nonlinear_solver_iteration": "functional",
        }
        integrator = casadi.integrator("run", "cvodes", {"x": y, "ode": dy}, 0.0, until, options)
        end = np.asarray(integrator(x0=y0)["xf"]).ravel()
        return Result(end[shape.CONTACT], int(integrator.stats()["nfevals"]))

    def seconds() -> float:
        buffer, trigger = slope.buffer()
        out = np.zeros(26)
        buffer.set_arg(0, memoryview(y0))
        buffer.set_res(0, memoryview(out))
        return least_per_call(lambda n: [trigger() for _ in range(n)], count=5_000)

    return Engine(f"SX, {words}; virtual machine; CVODES, Adams, functional iteration", run, seconds)
