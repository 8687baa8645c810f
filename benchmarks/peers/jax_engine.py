"""JAX with diffrax: matrices in jax.numpy, Cholesky, Dopri8, one compiled loop.

XLA is slow on a thousand scalar operations, so this engine does not replay the tape. It has dense matrices,

    W = M + AᵀA,  S = A W⁻¹ Aᵀ,  q̈ = W⁻¹(f + Aᵀλ),  f = Q + Aᵀb,  S λ = b − A W⁻¹ f,

with the coordinates of the mass centre and of the shell's centre eliminated by hand.
"""

from __future__ import annotations

import os

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular

from peers import shape
from peers.engine import Engine, Result, least_per_call

jax.config.update("jax_enable_x64", True)
MASS, RHO, INERTIA = shape.shell()


def height(a):
    """Height of the bowl over a point (X, Y)."""
    (h1, h3, h5), (c1, c2) = shape.HEIGHTS, shape.WAVES
    x, y = a
    return h1 * jnp.sin(c1 * x) / (1 + x**2) + h3 * jnp.sin(c2 * y) / (1 + y**2) + h5 * (x**2 + y**2)


def body(u):
    u0, u1, u2, u3 = u
    return jnp.array([[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]])


def inertial(u):
    u0, u1, u2, u3 = u
    return jnp.array([[-u1, u0, -u3, u2], [-u2, u3, u0, -u1], [-u3, -u2, u1, u0]])


def centre(a):
    """Centre of the shell over a contact point (X, Y, Z)."""
    slope = jax.grad(height)(a[:2])
    k = jnp.array([-slope[0], -slope[1], 1.0])
    return a + shape.OUTER * k / jnp.sqrt(k @ k)


def offset(u):
    """Mass centre from the centre of the shell, S ρ."""
    return inertial(u) @ (body(u).T @ jnp.asarray(RHO))


def acceleration(y):
    """Of (u, α), then of all coordinates."""
    u, a, du, da = y[3:7], y[7:10], y[16:20], y[20:23]
    E, dE, G = body(u), body(du), inertial(u)
    k = jnp.append(-jax.grad(height)(a[:2]), 1.0)
    n = k / jnp.sqrt(k @ k)
    # β̈ = B α̈ + β₂,  ẅ = β̈ + C ü + c₂
    B = jax.jacfwd(centre)(a)
    C = jax.jacfwd(offset)(u)
    along = lambda f, x, dx: jax.jvp(lambda x: jax.jvp(f, (x,), (dx,))[1], (x,), (dx,))[1]  # noqa: E731
    beta2, c2 = along(centre, a, da), along(offset, u, du)
    dk = jax.jvp(lambda a: jnp.append(-jax.grad(height)(a[:2]), 1.0), (a,), (da,))[1]
    dn = (dk - n * (n @ dk)) / jnp.sqrt(k @ k)
    T = jnp.concatenate([C, B], axis=1)
    drift = beta2 + c2
    J = jnp.asarray(INERTIA)
    M = MASS * T.T @ T
    M = M.at[:4, :4].add(4 * E.T @ (J[:, None] * E))
    weight = jnp.array([0.0, 0.0, -MASS * shape.GRAVITY])
    f = T.T @ (weight - MASS * drift)
    f = f.at[:4].add(-8 * dE.T @ (J * (E @ du)))
    r = shape.OUTER
    spin = jnp.cross(n[:, None], G, axisa=0, axisb=0, axisc=0)
    A = jnp.zeros((4, 7))
    A = A.at[0, :4].set(u).at[1, 4:].set(k)
    A = A.at[2:, :4].set(2 * r * spin[:2]).at[2:, 4:].set(B[:2])
    b = jnp.concatenate([jnp.array([-(du @ du), -(da @ dk)]), (-2 * r * jnp.cross(dn, G @ du) - beta2)[:2]])
    L = jnp.linalg.cholesky(M + A.T @ A)
    half = solve_triangular(L, jnp.concatenate([A.T, (f + A.T @ b)[:, None]], axis=1), lower=True)
    X, g = half[:, :4], half[:, 4]
    S = jnp.linalg.cholesky(X.T @ X)
    multipliers = solve_triangular(S.T, solve_triangular(S, b - X.T @ g, lower=True), lower=False)
    z = solve_triangular(L.T, g + X @ multipliers, lower=False)
    ddbeta = B @ z[4:] + beta2
    return jnp.concatenate([ddbeta + C @ z[:4] + c2, z[:4], z[4:], ddbeta])


def slopes(t, y, args):
    return jnp.concatenate([y[13:], acceleration(y)])


def prepare(variant: str, files: os.PathLike) -> Engine:
    y0 = jnp.asarray(shape.start())

    @jax.jit
    def solved(until, rtol, atol):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(slopes),
            diffrax.Dopri8(),
            0.0,
            until,
            None,
            y0,
            saveat=diffrax.SaveAt(t1=True),
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol),
            adjoint=diffrax.ForwardMode(),
            max_steps=None,
            throw=False,
        )
        return solution.ys[0], solution.stats["num_steps"]

    def run(until: float, rtol: float, atol: float) -> Result:
        end, steps = solved(until, rtol, atol)
        return Result(np.asarray(end)[shape.CONTACT], int(steps) * 13)

    @jax.jit
    def repeated(count, y):
        return jax.lax.fori_loop(0, count, lambda i, y: y + 1e-300 * slopes(0.0, y, None), y)

    def slope() -> float:
        repeated(1, y0)
        return least_per_call(lambda n: repeated(n, y0).block_until_ready(), count=1000)

    return Engine("jax.jit on the CPU, float64; diffrax Dopri8", run, slope)
