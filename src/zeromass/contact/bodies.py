"""Bodies that are spherical outside: mass, centre of mass and inertia from radii and densities.

A public function of this module that gives a SphericalBody is a kind of body in scenario files, with its arguments as
keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from zeromass.model import ModelError

Moments = Annotated[Sequence[float] | Sequence[Sequence[float]] | np.ndarray, (3,), (3, 3)]
"""Three principal moments of inertia, or a symmetric matrix."""


@dataclass(frozen=True, eq=False)
class SphericalBody:
    """A rigid body with a spherical outside.

    radius          of the outside, m
    mass            kg
    center_of_mass  ρ from the centre O of the sphere to the centre of mass C, body frame, m
    inertia         about C in the body frame, kg m²: three principal moments or a (3, 3) matrix
    name            for coordinates and messages

    >>> zm.SphericalBody(radius=0.1, mass=2.0, inertia=(0.008, 0.008, 0.006), center_of_mass=(0, 0, 0.01)).name
    'body'
    """

    radius: float
    mass: float
    inertia: Moments
    center_of_mass: Annotated[Sequence[float] | np.ndarray, (3,)] = (0.0, 0.0, 0.0)
    name: str = "body"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius > 0):
            raise ModelError(f"the radius of '{self.name}' is {self.radius}; it must be positive")
        rho = np.asarray(self.center_of_mass, dtype=float)
        if rho.shape != (3,) or not np.all(np.isfinite(rho)):
            raise ModelError(f"the centre of mass of '{self.name}' is {self.center_of_mass!r}; give three numbers")
        if np.linalg.norm(rho) >= self.radius:
            raise ModelError(
                f"the centre of mass of '{self.name}' lies {np.linalg.norm(rho):g} m off, outside the body"
            )
        if not self.mass > 0:
            raise ModelError(f"the mass of '{self.name}' is {self.mass}; a body that rolls has one")


def ball(radius: float, mass: float, *, name: str = "ball") -> SphericalBody:
    """A homogeneous ball: J = 2/5 m r².

    radius  r, m
    mass    m, kg

    >>> zm.ball(radius=0.5, mass=2.0).inertia
    (0.2, 0.2, 0.2)
    """
    return SphericalBody(radius, mass, (0.4 * mass * radius**2,) * 3, name=name)


def shell(outer: float, inner: float, mass: float, *, name: str = "shell") -> SphericalBody:
    """A homogeneous shell between two radii: J = 2/5 m (R⁵ − r⁵)/(R³ − r³), and 2/3 m R² where it has no thickness.

    outer, inner  R and r, m
    mass          m, kg

    >>> zm.shell(outer=0.5, inner=0.5, mass=6.0).inertia
    (1.0, 1.0, 1.0)
    """
    if not 0 <= inner <= outer:
        raise ModelError(f"the inner radius of '{name}' is {inner}; it lies between 0 and {outer}")
    ratio = 2 / 3 * outer**2 if inner == outer else 0.4 * (outer**5 - inner**5) / (outer**3 - inner**3)
    return SphericalBody(outer, mass, (mass * ratio,) * 3, name=name)


def two_material_shell(
    outer: float, inner: float, densities: tuple[float, float], *, name: str = "shell"
) -> SphericalBody:
    """A shell of two half shells joined at the plane x = 0 [UM2022, §3].

    outer, inner  R and r, m
    densities     kg/m³ of the halves x > 0 and x < 0

    A half shell of density d has mass m = 2π/3 d (R³ − r³), its centre of mass at 3/8 (R⁴ − r⁴)/(R³ − r³) from the
    centre, and about the centre the moments of the whole shell's half, 2/5 m (R⁵ − r⁵)/(R³ − r³).

    >>> half = zm.two_material_shell(outer=0.08, inner=0.0, densities=(1000.0, 0.0))
    >>> round(float(half.center_of_mass[0]), 12)
    0.03
    """
    if not 0 <= inner < outer:
        raise ModelError(f"the inner radius of '{name}' is {inner}; it lies between 0 and {outer}")
    d = np.asarray(densities, dtype=float)
    if d.shape != (2,) or not np.all(np.isfinite(d) & (d >= 0)) or not d.sum() > 0:
        raise ModelError(f"'{name}' needs two densities, not {densities!r}")
    cubes, fourths, fifths = (outer**k - inner**k for k in (3, 4, 5))
    masses = 2 * np.pi / 3 * d * cubes
    mass = masses.sum()
    rho = (masses[0] - masses[1]) / mass * 3 / 8 * fourths / cubes
    about_center = 0.4 * mass * fifths / cubes
    across = about_center - mass * rho**2
    return SphericalBody(outer, mass, (about_center, across, across), (rho, 0.0, 0.0), name)
