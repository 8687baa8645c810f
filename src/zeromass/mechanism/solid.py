"""Solids of given shape and density: mass, mass centre, inertia about any point; several make one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, get_args

import numpy as np

from zeromass.errors import ModelError
from zeromass.mechanism.mesh import MassRule, given_scale, mesh_integrals, read_mesh, shared_corners
from zeromass.mechanism.plate import prism
from zeromass.mechanism.turns import direction, of_matrix, shortest_turn
from zeromass.model.given import LARGEST, given_choice, given_finite, given_kind, given_numbers, shape_of, shown
from zeromass.model.parts import RigidBody
from zeromass.model.quaternion import product, rotation
from zeromass.model.shapes import Box, Dot, Ellipsoid, Hull, Look, Rod

Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Solid:
    """Mass, mass centre and inertia of a solid, from shapes and densities.

    mass     kg
    center   of mass, m
    inertia  about the mass centre, shape (3, 3), kg m²

    Made by `box`, `cylinder`, `tube`, `sphere`, `ellipsoid`, `capsule`, `cone`, `plate` and `mesh`, each of a density,
    kg/m³, or of a mass; placed by `moved` and `turned`; several together by `+`, and holes by `-`. `body` makes a
    rigid body of it.

    >>> handle = zm.bodies.Solid.cylinder(radius=0.01, length=0.3, density=700.0)
    >>> head = zm.bodies.Solid.box((0.1, 0.04, 0.04), density=7850.0).moved((0, 0, 0.15))
    >>> hammer = handle + head
    >>> round(hammer.mass, 4), hammer.center.round(4)
    (1.322, array([0.    , 0.    , 0.1425]))
    >>> hammer.body("hammer").mass
    1.32197...
    """

    mass: float
    center: np.ndarray
    inertia: np.ndarray
    looks: tuple[Look, ...] = ()

    def __post_init__(self) -> None:
        given_finite(self.mass, "the mass of a solid")
        given_numbers(self.center, "the mass centre of a solid", (3,))
        given_numbers(self.inertia, "the inertia of a solid", (3, 3))

    # shapes -----------------------------------------------------------------------------------------------------------
    @staticmethod
    def box(sides: Any, *, density: float | None = None, mass: float | None = None) -> Solid:
        """A box of sides (a, b, c), m, its middle at the origin."""
        a, b, c = _three_lengths("side of a box", sides)
        m = _mass("a box", a * b * c, density, mass)
        J = m / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])
        return Solid(m, np.zeros(3), J, (Look(Box((a, b, c))),))

    @staticmethod
    def cylinder(
        radius: float, length: float, *, axis: Any = (0, 0, 1), density: float | None = None, mass: float | None = None
    ) -> Solid:
        """A cylinder about an axis, its middle at the origin."""
        return Solid.tube(radius, 0.0, length, axis=axis, density=density, mass=mass)

    @staticmethod
    def tube(
        outer: float,
        inner: float,
        length: float,
        *,
        axis: Any = (0, 0, 1),
        density: float | None = None,
        mass: float | None = None,
    ) -> Solid:
        """A tube about an axis, its middle at the origin; `outer` and `inner` are radii, m."""
        r, h = _lengths("the outer radius or the length of a cylinder", (outer, length))
        if not (_real(inner) and 0.0 <= inner < r):
            raise ModelError(f"the inner radius of a tube is {shown(inner)}; it is less than the outer one, {r:g}")
        m = _mass("a cylinder", np.pi * (r**2 - inner**2) * h, density, mass)
        across = m * (3 * (r**2 + inner**2) + h**2) / 12
        J = np.diag([across, across, m * (r**2 + inner**2) / 2])
        return Solid(m, np.zeros(3), J, (Look(Rod(h, r)),))._about(axis)

    @staticmethod
    def sphere(radius: float, *, density: float | None = None, mass: float | None = None) -> Solid:
        """A ball, its middle at the origin."""
        (r,) = _lengths("the radius of a sphere", (radius,))
        m = _mass("a sphere", 4 / 3 * np.pi * r**3, density, mass)
        return Solid(m, np.zeros(3), 0.4 * m * r**2 * np.eye(3), (Look(Dot(r)),))

    @staticmethod
    def ellipsoid(axes: Any, *, density: float | None = None, mass: float | None = None) -> Solid:
        """An ellipsoid of semi-axes (a, b, c), m, its middle at the origin."""
        a, b, c = _three_lengths("semi-axis of an ellipsoid", axes)
        m = _mass("an ellipsoid", 4 / 3 * np.pi * a * b * c, density, mass)
        J = m / 5 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])
        return Solid(m, np.zeros(3), J, (Look(Ellipsoid((a, b, c))),))

    @staticmethod
    def capsule(
        radius: float, length: float, *, axis: Any = (0, 0, 1), density: float | None = None, mass: float | None = None
    ) -> Solid:
        """A cylinder about an axis with half a ball at each end, its middle at the origin; `length` without the balls."""
        r, h = _lengths("the radius or the length of a capsule", (radius, length))
        m = _mass("a capsule", np.pi * r**2 * (h + 4 / 3 * r), density, mass)
        middle = m * h / (h + 4 / 3 * r)
        ball = Solid.sphere(r, mass=m - middle)
        # half a ball has its mass centre 3/8 r from its flat side, and the inertia 2/5 m r² about the middle of that
        away = (h / 2) ** 2 + 3 / 8 * r * h
        across = middle * (3 * r**2 + h**2) / 12 + ball.inertia[0, 0] + ball.mass * away
        J = np.diag([across, across, middle * r**2 / 2 + ball.inertia[2, 2]])
        ends = tuple(Look(Dot(r), (0.0, 0.0, z)) for z in (-h / 2, h / 2))
        return Solid(m, np.zeros(3), J, (Look(Rod(h, r)), *ends))._about(axis)

    @staticmethod
    def cone(
        radius: float, height: float, *, axis: Any = (0, 0, 1), density: float | None = None, mass: float | None = None
    ) -> Solid:
        """A cone, the middle of its base at the origin, its tip along the axis."""
        r, h = _lengths("the radius or height of a cone", (radius, height))
        m = _mass("a cone", np.pi * r**2 * h / 3, density, mass)
        across = 3 / 20 * m * r**2 + 3 / 80 * m * h**2
        return Solid(m, h / 4 * Z, np.diag([across, across, 0.3 * m * r**2]))._about(axis)

    @staticmethod
    def plate(outline: Any, thickness: float, *, density: float | None = None, mass: float | None = None) -> Solid:
        """A plate about the plane Z = 0, of any outline: corners (x, y) of a polygon that does not cross itself, m."""
        (h,) = _lengths("the thickness of a plate", (thickness,))
        return Solid._of_triangles(prism(outline, h), "a plate", density, mass)

    @staticmethod
    def mesh(
        path: str | PathLike[str],
        *,
        density: float | None = None,
        mass: float | None = None,
        scale: Any = 1.0,
        inertia: MassRule = "exact",
    ) -> Solid:
        """A body bounded by the triangles of an STL or OBJ file.

        scale    m in a unit of the file, one number or one for each axis
        inertia  "exact", the volume that a closed surface encloses; "convex", that of its convex hull; "shell", the
                 surface itself, with `density` in kg/m²; "legacy", as MuJoCo does it by default, which counts volume
                 twice where the body is not convex. All but "exact" take a surface that is not closed.
        """
        factor = given_scale(scale)
        inertia = given_choice(inertia, "inertia of a mesh", get_args(MassRule))
        return Solid._of_triangles(factor * read_mesh(path), f"the mesh {path}", density, mass, inertia)

    @staticmethod
    def _of_triangles(
        triangles: np.ndarray, what: str, density: float | None, mass: float | None, rule: MassRule = "exact"
    ) -> Solid:
        volume, center, J = mesh_integrals(triangles, rule, what)
        if not 0 < volume < np.inf:
            raise ModelError(f"the volume of {what} is {volume:g} m³; its corners lie too far apart, or too near")
        m = _mass(what, volume, density, mass)
        corners, which = shared_corners(triangles)
        return Solid(m, center, m / volume * J, (Look(Hull(corners - center, which)),))

    @staticmethod
    def point(mass: float, at: Any = (0, 0, 0)) -> Solid:
        """A mass at a point."""
        return Solid(
            _mass("a point", 0.0, None, mass), given_numbers(at, "the place of a point", (3,)), np.zeros((3, 3))
        )

    # elsewhere and together --------------------------------------------------------------------------------------------
    def moved(self, shift: Any) -> Solid:
        """The same, shifted, m."""
        return replace(self, center=self.center + given_numbers(shift, "the shift of a solid", (3,)), looks=self.looks)

    def turned(self, axis: Any, angle: float) -> Solid:
        """The same, turned by an angle, rad, about an axis through the origin."""
        k, angle = direction(axis, "a turn"), given_finite(angle, "the angle of a turn")
        return self.turned_by(rotation(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * k)])).astype(float))

    def _about(self, axis: Any) -> Solid:
        k = direction(axis, "a solid")
        return self if np.array_equal(k, Z) else self.turned_by(shortest_turn(Z, k))

    def turned_by(self, R: np.ndarray) -> Solid:
        """The same, turned about the origin by a rotation matrix, shape (3, 3)."""
        R = given_numbers(R, "the rotation of a solid", (3, 3))
        u = of_matrix(R)
        looks = tuple(
            replace(look, place=_three(R @ look.place), turn=_four(product(u, look.turn))) for look in self.looks
        )
        return Solid(self.mass, R @ self.center, R @ self.inertia @ R.T, looks)

    def __add__(self, other: Solid) -> Solid:
        return self._together(other, 1)

    def __sub__(self, other: Solid) -> Solid:
        """A hole where the other one is, which must lie inside."""
        return self._together(other, -1)

    def _together(self, other: Solid, sign: int) -> Solid:
        given_kind(other, Solid, "what is put to a solid", "a zm.bodies.Solid")
        m = self.mass + sign * other.mass
        if not m > 0:
            raise ModelError(f"nothing is left of {self.mass:g} kg less {other.mass:g} kg")
        center = (self.mass * self.center + sign * other.mass * other.center) / m
        J = self.inertia_about(center) + sign * other.inertia_about(center)
        looks = [replace(look, place=_three(look.place + self.center - center)) for look in self.looks]
        if sign > 0:
            looks += [replace(look, place=_three(look.place + other.center - center)) for look in other.looks]
        return Solid(m, center, J, tuple(looks))

    def inertia_about(self, point: Any) -> np.ndarray:
        """About any point, shape (3, 3), kg m²: J + m (d² I − d dᵀ).

        >>> rod = zm.bodies.Solid.cylinder(0.0001, 2.0, mass=3.0)
        >>> round(float(rod.inertia_about((0, 0, -1))[0, 0]), 6)  # m l²/3
        4.0
        """
        d = self.center - given_numbers(point, "the point", (3,))
        return self.inertia + self.mass * ((d @ d) * np.eye(3) - np.outer(d, d))

    @property
    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments, kg m², and their axes as columns of a right-handed (3, 3) matrix."""
        moments, columns = np.linalg.eigh(self.inertia)
        columns[:, 2] *= np.sign(np.linalg.det(columns))
        return moments, columns

    def body(self, name: str) -> RigidBody:
        """A rigid body that is drawn where the solid is, its axes parallel to those in which the solid is drawn."""
        body = RigidBody(name, self.mass, self.inertia, at=self.center)
        body.looks = self.looks
        return body


def _three(vector: Any) -> tuple[float, float, float]:
    x, y, z = np.asarray(vector, dtype=float).tolist()
    return x, y, z


def _four(vector: Any) -> tuple[float, float, float, float]:
    a, b, c, d = np.asarray(vector, dtype=float).tolist()
    return a, b, c, d


LONGEST = 1e100
"""Lengths of solids, m: their cubes are numbers below it."""


def _three_lengths(what: str, values: Any) -> tuple[float, float, float]:
    if shape_of(values) != (3,):
        raise ModelError(f"a {what} is one of three; give three numbers, not {shown(values)}")
    a, b, c = _lengths(f"a {what}", values)
    return a, b, c


def _lengths(what: str, values: Any) -> tuple[float, ...]:
    for value in values:
        if not (_real(value) and 0 < value < LONGEST):
            said = float(value) if _real(value) else value
            raise ModelError(f"{what} is {shown(said)}; it is a length and positive")
    return tuple(float(value) for value in values)


def _real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not abs(value) > LARGEST


def _mass(what: str, volume: float, density: float | None, mass: float | None) -> float:
    if (density is None) == (mass is None):
        raise ModelError(f"{what} has a density or a mass: give one of density=… and mass=…")
    for name, given in (("density", density), ("mass", mass)):
        if given is not None and not _real(given):
            raise ModelError(f"the {name} of {what} is {shown(given)}; it is a number, zero or positive")
    m = float(mass) if mass is not None else float(density or 0.0) * volume
    if not (np.isfinite(m) and m >= 0):
        raise ModelError(f"the mass of {what} is {m:g}; it is zero or positive")
    return m
