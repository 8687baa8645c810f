"""Uneven bodies: point masses inside a sphere, so that their inertia is full and physical."""

from __future__ import annotations

import numpy as np

import zeromass as zm
from contact.newton_euler import Body


def lumpy(random: np.random.Generator, radius: float) -> Body:
    """Eight random masses within the radius, some kilograms in all."""
    masses = random.uniform(0.1, 1.0, 8)
    places = random.normal(size=(8, 3))
    places *= (radius * random.uniform(0.4, 0.95, 8) / np.linalg.norm(places, axis=1))[:, None]
    mass = masses.sum()
    rho = masses @ places / mass
    arms = places - rho
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, arms, strict=True))
    return Body(radius, float(mass), rho, np.asarray(J))


def spherical(body: Body) -> zm.bodies.SphericalBody:
    """The same body for zm.Rolling."""
    return zm.bodies.SphericalBody(body.radius, body.mass, body.J, body.rho, name="lump")
