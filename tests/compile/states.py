"""Systems and consistent states for the tests of compiled equations, and what their conditioning allows."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

import zeromass as zm
from model.mechanisms import Coin, Shell, bowl, chain, four_bar, inertia, random_state
from zeromass.compile.program import Program
from zeromass.equation.units import equilibration
from zeromass.expression import Evaluator

EPS = np.finfo(float).eps


def coin() -> zm.System:
    return Coin().system


def shell() -> zm.System:
    return Shell(bowl).system


def pendulum_chain() -> zm.System:
    return chain(np.random.default_rng(3), 4)[0]


def bodies() -> zm.System:
    """Three bodies with full inertia, on ball joints, with a spring and a damper: coupled in every coordinate."""
    random = np.random.default_rng(5)
    parts = [zm.RigidBody(f"body{i}", mass=random.uniform(0.5, 2.0), inertia=inertia(random)) for i in range(3)]
    joints, last = {}, np.zeros(3)
    for i, part in enumerate(parts):
        joints[f"joint{i}"] = part.point(random.normal(scale=0.4, size=3)) - last
        last = part.point(random.normal(scale=0.4, size=3))
    loads = [zm.Spring(20.0, last, np.array([1.0, 0.5, -1.0]), length=0.3), zm.Damper(0.5, last)]
    return zm.System(parts, gravity=9.81, forces=loads, constraints=joints)


def carriage() -> zm.System:
    """Energies, a mass matrix that depends on the position, a nonholonomic and a moving constraint, and work in C."""
    x, y, φ, s = zm.coordinates("x y phi s")
    dx, dy, dφ, ds = zm.rate([x, y, φ, s])
    return zm.System(
        kinetic=(dx**2 + dy**2) / 2 + (0.3 + s**2) * dφ**2 / 2 + 0.2 * (ds + dx * np.cos(φ)) ** 2,
        potential=2 * s**2 + np.sin(x) * y / 3,
        coordinates=[x, y, φ, s],
        constraints={
            "edge": dx * np.sin(φ) - dy * np.cos(φ) - 0.1 * np.sin(zm.t),
            "track": s - 0.2 * np.cos(3 * zm.t) - 0.1 * x,
        },
        nonideal={x: -0.2 * dx, φ: -0.1 * dφ * np.abs(dφ)},
    )


SYSTEMS: dict[str, Callable[[], zm.System]] = {
    "shell": shell,
    "chain": pendulum_chain,
    "four-bar": four_bar,
    "coin": coin,
    "bodies": bodies,
    "carriage": carriage,
}


def states(system: zm.System, count: int, seed: int = 0) -> np.ndarray:
    """Inputs of consistent states, (count, inputs): random starts, and where runs lead from them, but for kinks."""
    random = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    total = 0
    while total < count:
        start = random_state(system, random, spread=0.7, t=random.uniform(0, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", zm.errors.RunStopped)
            run = zm.simulate(system, start, until=start.t + 5.0, rtol=1e-10)
        smooth = run.t[~np.isin(run.t, [switch.t for switch in run.switches])]
        found.append(run.at(smooth).inputs[:: max(1, len(smooth) // 120)])
        total += len(found[-1])
    return np.concatenate(found)[:count]


def tolerance(compiled: Program, inputs: np.ndarray) -> np.ndarray:
    """What rounding may do to the accelerations of states, (states, n), as far as conditioning can tell.

        |δq̈| ≤ c · ε · growth · κ(K) · ‖(q̈, λ)‖,   K = [M  Aᵀ; A  0] with the rows that are kept

    as it is and in the scales that make its rows and columns about 1 in size, whichever allows more: the two sides that
    are compared choose differently. `c` is the caller's. To ‖(q̈, λ)‖ come the sizes of f and b, which are rounded too.
    """
    system, kept = compiled.system, list(compiled.elimination.kept)
    M, Q, A, b, C = system.matrices(inputs)
    A, b, f = A[:, kept], b[:, kept], Q + C
    n, m = M.shape[-1], len(kept)
    K = np.zeros((len(inputs), n + m, n + m))
    K[:, :n, :n], K[:, n:, :n], K[:, :n, n:] = M, A, np.swapaxes(A, 1, 2)
    right = np.concatenate([f, b], axis=1)
    ones = np.ones_like(right)
    growth = Evaluator(compiled.growth, system.inputs)(inputs)
    allowed = np.zeros((len(inputs), n))
    for r, c in (equilibration(K), (ones, ones)):
        scaled = r[:, :, None] * K * c[:, None, :]
        x = np.linalg.solve(scaled, (r * right)[..., None])[..., 0]
        size = np.linalg.norm(x, axis=1) + np.linalg.norm(r * right, axis=1)
        allowed = np.maximum(allowed, (EPS * growth * np.linalg.cond(scaled) * size)[:, None] * c[:, :n])
    return allowed
