"""Joints at a point: spherical, universal, constant velocity, and a point on a line, plane, curve or surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, parameter, substitute
from zeromass.mechanism.freedom import Freedom, turn_about
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.laws import across, counted, together
from zeromass.mechanism.lower import Axis, Place
from zeromass.mechanism.marker import Marker, Pose, axes, bodies, points, relative_turn
from zeromass.mechanism.turns import direction
from zeromass.model.given import given_array, given_finite, given_function, given_scalar, shape_of, value_of
from zeromass.model.parts import Part


class _Pointed(Joint):
    """A joint at a point of each body, with axes where it needs them."""

    def __init__(
        self, a: Ground | Part, b: Ground | Part, at: Place, axis: Axis, name: str | None, across: Any = None
    ) -> None:
        what = f"'{name}'" if name is not None else f"a {type(self).__name__}"
        bodies(a, b, what)
        A, B = (np.eye(3), np.eye(3)) if axis is None else axes(a, b, axis, what, across)
        p, r = points(a, b, at, what)
        super().__init__(Marker(a, p, A), Marker(b, r, B), name)

    def _of(self, function: Any, arguments: Sequence[Expression], what: str) -> Any:
        """What a function that is given says of coordinates."""
        what = f"the {what} of '{self.name}'"
        return value_of(given_function(function, what, f"of {len(arguments)} numbers"), arguments, what)


class Spherical(_Pointed):
    """Spherical joint (ball joint): a common point; three constraints. It also holds particles.

    >>> a, b = (zm.Particle(name, mass=1.0) for name in "ab")
    >>> zm.System([a, b], gravity=0, joints=[zm.joints.Spherical(a, b)]).check().degrees_of_freedom
    3
    """

    def __init__(self, a: Ground | Part, b: Ground | Part, *, at: Place = None, name: str | None = None) -> None:
        super().__init__(a, b, at, None, name)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return together(a, b)


class Universal(_Pointed):
    """Universal joint (Hooke's joint): two axes at right angles, the first fixed in a, the second in b; four constraints.

    axes    the two in the reference pose, or, if `at` has two points, the first in axes of a and the second in those of b
    angles  of b against a: about the first axis, then about the second, rad, over many turns
    turns   these free motions, with motor, spring, drive and the like

    >>> shaft, other = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in ("shaft", "other"))
    >>> cross = zm.joints.Universal(shaft, other, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    >>> zm.System([shaft, other], gravity=0, joints=[cross]).check().degrees_of_freedom
    8
    """

    _interface = ("angles", "turns")

    def __init__(
        self, a: Ground | Part, b: Ground | Part, *, at: Place = None, axes: Any, name: str | None = None
    ) -> None:
        what = f"'{name}'" if name is not None else "a Universal"
        if shape_of(axes) != (2, 3):
            raise ModelError(f"the axes of {what} are {axes!r}; give two, one on each body")
        first, second = (direction(axis, what) for axis in axes)
        if abs(float(first @ second)) > 1e-9:
            raise ModelError(
                f"the axes of {what} are not at right angles in the reference pose: their cosine is {first @ second:.3g}"
            )
        super().__init__(a, b, at, first, name, across=second)
        self.angles: tuple[Symbol, Symbol] = (self._coordinate("first angle"), self._coordinate("second angle"))
        α, β = self.angles
        self.turns: tuple[Freedom, Freedom] = (
            turn_about(self, α, self.a.pose.z, "first angle"),
            turn_about(self, β, self.b.pose.x, "second angle"),
        )

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*together(a, b), Law("cross", as_expression(a.z @ b.x))]

    def _laws(self) -> Sequence[Law]:
        r, (α, β), (first, second) = relative_turn(self.a, self.b), self.angles, self.turns
        counts = [counted(α, first.speed, r, 3, "first angle"), counted(β, second.speed, r, 1, "second angle")]
        return [*super()._laws(), *counts]


class ConstantVelocity(_Pointed):
    """Constant-velocity joint of two shafts: equal rates about their own axes at any angle; four constraints.

    axis  of both shafts in the reference pose, or that of a and that of b in their own axes

    >>> a, b = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    >>> zm.System([a, b], gravity=0, joints=[zm.joints.ConstantVelocity(a, b, axis=(1, 0, 0))]).check().degrees_of_freedom
    8
    """

    def __init__(
        self, a: Ground | Part, b: Ground | Part, *, at: Place = None, axis: Axis, name: str | None = None
    ) -> None:
        super().__init__(a, b, at, axis, name)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*together(a, b), Law("twist", as_expression((a.y @ b.x - a.x @ b.y) / 2))]


class PointOnLine(_Pointed):
    """Point of b on a line of a; two constraints.

    at    a point of the line in the reference pose, or points on a and on b in their own axes

    >>> bead = zm.Particle("bead", mass=1.0)
    >>> wire = zm.joints.PointOnLine(zm.Ground(), bead, axis=(1, 0, 0))
    >>> zm.System([bead], gravity=0, joints=[wire]).check().degrees_of_freedom
    1
    """

    def __init__(
        self, a: Ground | Part, b: Ground | Part, *, at: Place = None, axis: Axis, name: str | None = None
    ) -> None:
        super().__init__(a, b, at, axis, name)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return across(a, b)


class PointOnPlane(_Pointed):
    """Point of b in a plane of a with the normal `normal`; one constraint.

    >>> puck = zm.Particle("puck", mass=2.0)
    >>> table = zm.joints.PointOnPlane(zm.Ground(), puck, normal=(0, 0, 1))
    >>> zm.System([puck], gravity=10.0, joints=[table]).start()[table.force]
    array([ 0.,  0., 20.])
    """

    def __init__(
        self, a: Ground | Part, b: Ground | Part, *, at: Place = None, normal: Axis, name: str | None = None
    ) -> None:
        super().__init__(a, b, at, normal, name)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [Law("plane", as_expression(a.z @ (b.point - a.point)))]


class PointOnCurve(_Pointed):
    """Point of b on a curve of a, a function of its parameter s: three constraints, and s as massless coordinate.

    curve  function of s that gives three components in a's axes from its mass centre, m
    on     the point of b in its own axes; its mass centre by default
    near   first guess of s

    >>> bead = zm.Particle("bead", mass=1.0)
    >>> hoop = zm.joints.PointOnCurve(zm.Ground(), bead, lambda s: (np.cos(s), 0, np.sin(s)), near=-np.pi / 2)
    >>> start = zm.System([bead], gravity=10.0, joints=[hoop]).start({hoop.s: 0.0})
    >>> round(start[zm.rate(zm.rate(hoop.s))], 12)
    -10.0
    """

    _interface = ("s", "curve")

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        curve: Callable[[Any], Any],
        *,
        on: Any = (0.0, 0.0, 0.0),
        near: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, ((0.0, 0.0, 0.0), on), None, name)
        self.s: Symbol = self._coordinate("s")
        self.curve: Array = given_array(self._of(curve, (self.s,), "curve"), f"the curve of '{self.name}'")
        if self.curve.shape != (3,):
            raise ModelError(f"the curve of '{self.name}' gives shape {self.curve.shape}; it is three components")
        self.usual: Mapping[Symbol, float] = {self.s: given_finite(near, f"near of '{self.name}'")}

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        gap = a.axes.T @ (b.point - a.point) - self.curve
        return [Law(f"curve[{i}]", as_expression(e)) for i, e in enumerate(gap)]


class PointOnSurface(_Pointed):
    """Point of b on a surface f(X, Y, Z) = 0 of a; one constraint.

    surface  function of three components in a's axes from its mass centre, m
    on       the point of b in its own axes; its mass centre by default

    >>> bob = zm.Particle("bob", mass=1.0, at=(0, 0, -1))
    >>> bowl = zm.joints.PointOnSurface(zm.Ground(), bob, lambda X, Y, Z: (X**2 + Y**2 + Z**2 - 1) / 2)
    >>> zm.System([bob], gravity=10.0, joints=[bowl]).start()[bowl.force[2]]
    10.0
    """

    _interface = ("surface",)

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        surface: Callable[[Any, Any, Any], Any],
        *,
        on: Any = (0.0, 0.0, 0.0),
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, ((0.0, 0.0, 0.0), on), None, name)
        self._place: tuple[Expression, ...] = tuple(parameter(name, 0.0) for name in "XYZ")
        self.surface: Expression = given_scalar(
            self._of(surface, self._place, "surface"), f"the surface of '{self.name}'"
        )

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        place = expressions(a.axes.T @ (b.point - a.point))
        return [Law("surface", substitute(self.surface, dict(zip(self._place, place, strict=True))))]
