"""Mechanisms that several tests use, each written down as in a textbook, with its lengths in metres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import zeromass as zm
from zeromass.expression import Array, Symbol

EPS = np.finfo(float).eps


def random_state(system: zm.System, random: np.random.Generator, spread: float = 1.0, **options: Any) -> zm.State:
    """A consistent state near random positions and rates, in no special configuration."""
    numbers = random.normal(scale=spread, size=(2, len(system.coordinates)))
    guess = [(system.coordinates, numbers[0]), (system.rates, numbers[1])]
    return system.start(guess=guess, **options)


def relative(computed: Any, expected: Any, scale: Any = None) -> float:
    """Largest difference as part of the largest expected entry, or of a given scale."""
    size = np.max(np.abs(expected), initial=0.0) if scale is None else np.max(np.abs(scale))
    return float(np.max(np.abs(np.asarray(computed) - expected), initial=0.0) / size)


def inertia(random: np.random.Generator) -> np.ndarray:
    """Inertia of six random point masses about their mass centre, kg m²: full, and physical."""
    m, r = random.uniform(0.1, 1.0, 6), random.normal(scale=0.3, size=(6, 3))
    r = r - m @ r / m.sum()
    return np.asarray(sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True)))


def chain(random: np.random.Generator, links: int, **more: Any) -> tuple[zm.System, list[zm.Particle]]:
    """Particles that hang from the origin, each on a rod from the one before, and whatever else is given."""
    beads = [zm.Particle(f"bead{i}", mass=m) for i, m in enumerate(random.uniform(0.2, 2.0, links))]
    rods, last = {}, np.zeros(3)
    for i, bead in enumerate(beads):
        d = bead.position - last
        rods[f"rod{i}"] = d @ d - random.uniform(0.5, 1.5) ** 2
        last = bead.position
    return zm.System(beads, gravity=9.81, constraints=rods, **more), beads


def four_bar(crank: float = 0.4, coupler: float = 1.1, rocker: float = 0.9, base: float = 1.0) -> zm.System:
    """A planar crank and rocker: two joints with mass on three massless bars."""
    a, b = zm.Particle("A", mass=0.7), zm.Particle("B", mass=1.3)
    ground = np.array([base, 0.0, 0.0])
    return zm.System(
        [a, b],
        gravity=(0.0, -9.81, 0.0),
        constraints={
            "crank": a.position @ a.position - crank**2,
            "coupler": (b.position - a.position) @ (b.position - a.position) - coupler**2,
            "rocker": (b.position - ground) @ (b.position - ground) - rocker**2,
            "plane": [a.position[2], b.position[2]],
        },
    )


@dataclass(frozen=True)
class Coin:
    """An upright coin that rolls on a plane: place (x, y), heading φ, roll angle θ."""

    R: float = 0.12
    m: float = 0.8
    system: zm.System = field(init=False)
    coordinates: tuple[Symbol, Symbol, Symbol, Symbol] = field(init=False)

    def __post_init__(self) -> None:
        x, y, phi, theta = zm.coordinates("x y phi theta")
        spin, turn = self.m * self.R**2 / 2, self.m * self.R**2 / 4
        dx, dy, dphi, dtheta = zm.rate([x, y, phi, theta])
        system = zm.System(
            kinetic=self.m * (dx**2 + dy**2) / 2 + spin * dtheta**2 / 2 + turn * dphi**2 / 2,
            coordinates=[x, y, phi, theta],
            constraints={"roll": [dx - self.R * dtheta * np.cos(phi), dy - self.R * dtheta * np.sin(phi)]},
        )
        object.__setattr__(self, "system", system)
        object.__setattr__(self, "coordinates", (x, y, phi, theta))


@dataclass(frozen=True)
class Shell:
    """The shell of UM2022 on a surface Γ(X, Y, Z) = 0, in the four lines of eqs. 17, 19, 22 and 27."""

    surface: Callable[..., Any]
    r: float = 0.09
    m: float = 8.4
    g: float = 9.81
    rho: tuple[float, float, float] = (-0.00606818640357, 0.0, 0.0)
    J: Any = (0.0402, 0.0399, 0.0399)
    shell: zm.RigidBody = field(init=False)
    contact: zm.Particle = field(init=False)
    center: zm.Particle = field(init=False)
    k: Array = field(init=False)
    n: Array = field(init=False)
    system: zm.System = field(init=False)

    def __post_init__(self) -> None:
        shell = zm.RigidBody("shell", mass=self.m, inertia=self.J)
        contact, center = zm.Particle("contact", mass=0), zm.Particle("center", mass=0)
        gamma = self.surface(*contact.position)
        k = zm.expression.gradient(gamma, contact.position)
        n = k / np.sqrt(k @ k)
        system = zm.System(
            [shell, contact, center],
            gravity=self.g,
            constraints={
                "surface": gamma,
                "tangency": center.position - contact.position - self.r * n,
                "mass center": center.position + shell.rotate(self.rho) - shell.position,
                "no slip": center.velocity + self.r * np.cross(n, shell.angular_velocity),
            },
        )
        made = {"shell": shell, "contact": contact, "center": center, "k": k, "n": n, "system": system}
        for name, value in made.items():
            object.__setattr__(self, name, value)


def bowl(X: Any, Y: Any, Z: Any) -> Any:
    """The dimpled bowl of UM2022, eq. 57."""
    h1, h2, h3, h4, h5 = 0.04, 1.2 * np.sqrt(2), 0.05, 1.6, 0.03
    dimples = h1 * np.sin(h2 * np.pi * X) / (1 + X**2) + h3 * np.sin(h4 * np.pi * Y) / (1 + Y**2)
    return Z - dimples - h5 * (X**2 + Y**2)
