"""Random mechanical systems against SciPy, which is given equations of motion that were written by hand.

Particles in a plane or in space, joined to one another or to the ground by rods, springs and dampers, under gravity and the
drag of air. SciPy integrates M r̈ = f + Aᵀλ, A r̈ = b with A and b of the rods by hand. zeromass is given energies, forces
and constraints: rods are said twice, in other units or as lengths, and marks of no mass follow the particles.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

G, DRAG = 9.81, 0.05
UNTIL = 1.0
SECONDS = 4.0
"""For each system, at most, on a slow machine."""

Link = tuple[int, int]
"""Two particles; −1 is the point of the ground above the first."""


class Net(NamedTuple):
    """Particles and what joins them; the ground is where the last rows of positions are."""

    mass: np.ndarray  # (k,)
    position: np.ndarray  # (k, dimension), at the start
    velocity: np.ndarray
    ground: np.ndarray  # (dimension,)
    rods: list[Link]
    springs: list[tuple[int, int, float, float, float]]  # two particles, stiffness, rest length, damping

    def ends(self, r: np.ndarray, i: int, j: int) -> np.ndarray:
        """The way from one particle, or the ground, to another."""
        return r[i] - (self.ground if j < 0 else r[j])


def net(rng: np.random.Generator) -> Net:
    """One to four particles: rods make a tree, so that none follows from the others, and springs anything."""
    k, dimension = int(rng.integers(1, 5)), int(rng.integers(2, 4))
    ground, position = np.zeros(dimension), rng.uniform(-1, 1, (k, dimension))
    position[:, -1] -= 1.0 + np.arange(k)  # well apart from one another
    rods = [(i, int(rng.integers(-1, i))) for i in range(k) if rng.random() < 0.7]
    springs = [
        (i, int(rng.integers(-1, i)), rng.uniform(5, 60), rng.uniform(0.5, 1.5), rng.choice([0.0, rng.uniform(0, 2)]))
        for i in range(k)
        if rng.random() < 0.6
    ]
    made = Net(rng.uniform(0.2, 3.0, k), position, rng.normal(size=(k, dimension)), ground, rods, springs)
    A = rows(made, position)
    free = made.velocity.ravel() - np.linalg.pinv(A) @ (A @ made.velocity.ravel())
    return made._replace(velocity=free.reshape(position.shape))


def rows(net: Net, r: np.ndarray) -> np.ndarray:
    """A of the rods: (rᵢ − rⱼ)·(r̈ᵢ − r̈ⱼ) = −|vᵢ − vⱼ|²."""
    A = np.zeros((len(net.rods), *r.shape))
    for row, (i, j) in zip(A, net.rods, strict=True):
        row[i] = net.ends(r, i, j)
        if j >= 0:
            row[j] = -row[i]
    return A.reshape(len(net.rods), r.size)


def by_hand(net: Net, rtol: float) -> np.ndarray:
    """Positions at the end, by SciPy."""
    k, dimension = net.position.shape
    M = np.repeat(net.mass, dimension)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        r, v = y.reshape(2, k, dimension)
        f = -DRAG * v
        f[:, -1] -= net.mass * G
        for i, j, stiffness, rest, damping in net.springs:
            way = net.ends(r, i, j)
            length = np.linalg.norm(way)
            rate = way @ (v[i] - (v[j] if j >= 0 else 0.0)) / length
            pull = (stiffness * (length - rest) + damping * rate) * way / length
            f[i] -= pull
            if j >= 0:
                f[j] += pull
        A = rows(net, r)
        b = np.array([-np.sum((v[i] - (v[j] if j >= 0 else 0.0)) ** 2) for i, j in net.rods])
        a = f.ravel() / M
        if len(A):
            a = a + (A / M).T @ np.linalg.solve((A / M) @ A.T, b - A @ a)
        return np.concatenate([v.ravel(), a])

    y = np.concatenate([net.position.ravel(), net.velocity.ravel()])
    done = solve_ivp(slope, (0.0, UNTIL), y, "DOP853", rtol=rtol, atol=rtol)
    return done.y[: k * dimension, -1].reshape(k, dimension)


def modelled(net: Net, rng: np.random.Generator) -> tuple[zm.System, zm.State, np.ndarray]:
    """The same as energies, forces and constraints, in Cartesian coordinates and marks."""
    k, dimension = net.position.shape
    r = np.array(zm.coordinates(" ".join(f"{'xyz'[c]}{i}" for i in range(k) for c in range(dimension)))).reshape(k, -1)
    v = zm.rate(r)
    kinetic = sum(m * (u @ u) / 2 for m, u in zip(net.mass, v, strict=True))
    potential = sum(m * G * p[-1] for m, p in zip(net.mass, r, strict=True))
    forces = {x: -DRAG * u for x, u in zip(r.ravel(), v.ravel(), strict=True)}
    for i, j, stiffness, rest, damping in net.springs:
        way = net.ends(r, i, j)
        length = np.sqrt(way @ way)
        potential = potential + stiffness * (length - rest) ** 2 / 2
        pull = damping * (way @ (v[i] - (v[j] if j >= 0 else 0.0))) / length**2 * way
        for x, force in zip(r[i], pull, strict=True):
            forces[x] = forces[x] - force
        for x, force in zip(r[j] if j >= 0 else (), pull, strict=j >= 0):
            forces[x] = forces[x] + force
    constraints: dict[str, object] = {}
    for i, j in net.rods:
        way = net.ends(r, i, j)
        square = np.sum(net.ends(net.position, i, j) ** 2)
        kinds = [way @ way - square, np.sqrt(way @ way) - np.sqrt(square), 1e3 * (way @ way - square)]
        for kind in rng.choice(3, int(rng.integers(1, 3)), replace=False):
            constraints[f"rod {i} {j} {kind}"] = kinds[kind]
    coordinates = list(r.ravel())
    if rng.random() < 0.5:
        i = int(rng.integers(k))
        mark = zm.coordinates(" ".join(f"mark{c}" for c in range(dimension)))
        coordinates += list(mark)
        constraints["mark"] = np.array(mark) - r[i] / 2
    system = zm.System(
        coordinates=coordinates, kinetic=kinetic, potential=potential, forces=forces, constraints=constraints
    )
    start = system.start([(r, net.position), (v, net.velocity)])
    return system, start, r


@pytest.mark.parametrize("count", [8, pytest.param(300, marks=pytest.mark.slow)])
def test_random_systems_move_as_scipy_says(count: int) -> None:
    """The difference is less than the error of a looser run by SciPy, a thousand times the tolerance of the others."""
    seed = int(os.environ.get("ZEROMASS_SEED", "250"))
    print(f"{count} mechanical systems against SciPy, ZEROMASS_SEED={seed}")
    begin = time.monotonic()
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        made = net(rng)
        right, loose = by_hand(made, 1e-12), by_hand(made, 1e-9)
        system, start, r = modelled(made, rng)
        run = zm.simulate(system, start, until=UNTIL, rtol=1e-12, atol=1e-13)
        label = f"ZEROMASS_SEED={seed}, system {k}: {run.outcome}"
        assert run.outcome.complete, label
        error, allowed = np.abs(run.state(UNTIL)[r] - right).max(), np.abs(loose - right).max() + 1e-10
        assert error <= allowed, f"{label}, off by {error:.1e}, allowed {allowed:.1e}"
    assert time.monotonic() - begin < SECONDS * count + 60
