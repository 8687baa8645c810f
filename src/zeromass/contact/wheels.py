"""Wheels of vehicles: a rim that rolls on any surface, slips where friction does not hold it, and lifts; a joint."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.contact.friction import Friction, at_speed, bounded, friction_of, lacking, possible_friction
from zeromass.contact.limits import impossible_friction, possible_creep, possible_restitution
from zeromass.contact.outlines import steep
from zeromass.contact.pressing import friction_ratio
from zeromass.contact.rims import Profile, Rim, Tyre, laid
from zeromass.contact.slow import CREEP
from zeromass.contact.surface import Surface
from zeromass.contact.watched import UPRIGHT
from zeromass.errors import shown
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, where
from zeromass.expression.build import ZERO
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.marker import Body, Marker, Pose, as_drawn, bodies, place_of
from zeromass.mechanism.turns import axes_about, direction
from zeromass.model import ContactPoint, Event, ModelError, RigidBody, State, System
from zeromass.model.beginning import Beginning, beginning_as
from zeromass.model.given import Number, given_flag, given_vector, length
from zeromass.model.requirement import Ordered, Requirement
from zeromass.model.unilateral import Unilateral

if TYPE_CHECKING:
    from zeromass.model.drawing import Drawing

TOO_TIGHT = 1e-4
"""Clearance at which a hollow counts as too tight for a wheel."""

USUAL = 9.81
"""Gravity, m/s², by which speeds of slip count as small: a wheel knows nothing of that of its system."""

ROLLS = ("rolls along", "rolls across")
"""Rows of no slip, of a wheel that neither slips nor lifts."""

SHARED = 1e-6
"""Part of the forces in a vehicle that a wheel which would lift may still seem to carry: rounding."""

WORDS = {"open": "lifted", "closed": "slipping", "sticks": "rolling", "slips": "slipping"}
"""What modes of a wheel are called."""


class Axes(NamedTuple):
    """Of a wheel at its contact, in the axes of the body with the surface.

    normal, along, across  unit vectors
    slip                   velocity of the wheel's point at the contact against the surface, m/s
    """

    normal: Array
    along: Array
    across: Array
    slip: Array


class WheelOnSurface(Joint):
    """Wheel of body b that rolls on a surface of a; its contact p, in the axes of a, is massless.

        f(p) = 0,   p = c + s(−n),   v_c + ω × (p − c) = v of the surface at p, along and across the wheel

    surface    fixed to a, in its axes; it may move against them
    radius     of the wheel, m, with its tyre
    tube       radius of the tyre, m; 0 of a knife edge
    profile    instead of both: the radius r(y) at a place y along the axis, in NumPy, of a conical wheel say
    axis       of the wheel, in its body's axes
    center     c in the body's axes; its mass centre by default
    near       first guess of p; by default from the reference pose
    two_sided  the surface can pull; else the run ends where it would have to
    friction   coefficient μ, or zm.Friction(static=…, kinetic=…): where rolling needs more, at the event "NAME: would slip",
               the wheel slips, and rolls again where its slip dies out; without it there is always enough
    creep      speed of slip, m/s, that counts as slow; by default 1e-9 √(g r) with g = 9.81 m/s²
    restitution  coefficient e of impacts, 0 to 1: the wheel leaves its surface where it would have to be pulled, at the
               event "NAME: contact lost", and lands with an impact, in `run.impulses`; without it the run ends there
    contact    p in space, three expressions
    normal     of the surface there, towards the wheel
    force      of the surface on the wheel at the contact, N

    A body may have several wheels, a vehicle as many as it likes. Of rough wheels that can not lift, forces that the motion
    does not determine, as of four wheels on the ground, count as shared, and need two_sided=True; otherwise those
    of least weight in the kinetic metric are taken. A start rolls; `slipping` makes one that slips, and `lifted` one in
    the air.

    >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5))
    >>> hill = zm.Surface(lambda X, Y: 0.1 * X)
    >>> rolls = zm.joints.WheelOnSurface(zm.Ground(), hoop, hill, radius=0.5, axis=(0, 1, 0))
    >>> start = zm.System([hoop], gravity=10.0, joints=[rolls]).start([(hoop.angular_velocity, (0, 2.0, 0))])
    >>> round(start[hoop.velocity @ hoop.velocity], 9), round(start[np.sqrt(1.01) * rolls.normal_force], 9)
    (1.0, 10.0)
    """

    _interface = (
        "contact", "normal", "normal_force", "friction_force", "friction_ratio", "slip_velocity", "clearance",
        "gap", "slipping", "lifted", "surface",
    )  # fmt: skip

    friction_coefficient: Number | None
    kinetic_coefficient: Number | None

    def __init__(
        self,
        a: Body,
        b: RigidBody,
        surface: Surface,
        *,
        axis: Any,
        radius: Number | None = None,
        tube: Number = 0.0,
        profile: Callable[[Any], Any] | None = None,
        center: Any = None,
        near: Any = None,
        two_sided: bool = False,
        friction: Number | Friction | None = None,
        creep: Number | None = None,
        restitution: Number | None = None,
        name: str | None = None,
    ) -> None:
        what = f"'{name}'" if name is not None else "a WheelOnSurface"
        bodies(a, b, what)
        if not isinstance(a, Ground | RigidBody) or not isinstance(b, RigidBody):
            raise ModelError(f"{what} is between zm.Ground() or a rigid body, with the surface, and a rigid body")
        if not isinstance(surface, Surface):
            raise ModelError(
                f"the surface of {what} is {shown(surface)}; give a zm.Surface, such as zm.Surface(lambda X, Y: …)"
            )
        if (radius is None) == (profile is None):
            raise ModelError(f"{what} is given by its radius= or by its profile=, one of them")
        middle, own = place_of(b, center, f"the centre of {what}"), axes_about(direction(axis, what))
        super().__init__(Marker(a, expressions(np.zeros(3)), np.eye(3)), Marker(b, middle, own), name)
        self.surface: Surface = surface
        self.two_sided: bool = given_flag(two_sided, f"two_sided of {what}")
        self.friction_coefficient, self.kinetic_coefficient = friction_of(bounded(friction))
        if friction is not None and two_sided:
            raise ModelError(f"{what} has friction from a surface that pushes; leave two_sided or friction out")
        if restitution is not None and two_sided:
            raise ModelError(f"{what} may lift, or the surface can pull it: leave restitution or two_sided out")
        self.restitution: Number | None = restitution
        for requirement in self.requirements:
            requirement.checked(f"friction and restitution of {what}")
        self.place: Array = expressions([self._coordinate(f"contact[{i}]") for i in range(3)])
        self.rim: Rim = self._rim(radius, tube, profile)
        if creep is not None:
            possible_creep(creep).checked(f"the creep of {what}")
        self.creep: Number = CREEP * np.sqrt(USUAL * self.rim.radius) if creep is None else creep
        self.gap: Expression = ZERO
        """How far it is above its surface, m: a coordinate without mass of a wheel that may slip or lift."""
        if friction is not None or restitution is not None:
            self.gap = self._coordinate("gap")
        if near is None:
            turn = as_drawn(a).T @ as_drawn(b)
            where = expressions(as_drawn(a).T @ (b.at - a.at) + turn @ middle)
            guess = laid(self.rim, surface, where, turn @ own)
        else:
            guess = given_vector(near, f"near of {what}")
        self.usual: Mapping[Symbol, float] = {x: float(v) for x, v in zip(self.coordinates[:3], guess, strict=True)}

    def _rim(self, radius: Number | None, tube: Number, profile: Callable[[Any], Any] | None) -> Rim:
        if profile is not None:
            return Profile(profile, self._coordinate("place on the profile"))
        assert radius is not None
        said = f"'{self.name}' has a tyre of {{0:g}} m, which is more than its radius, {{1:g}} m"
        Ordered(tube, radius, said).checked(f"the radius of '{self.name}'")
        Ordered(0.0, tube, f"the tyre of '{self.name}' is {{1:g}} m; it is zero or positive", equal=True).checked(
            f"the tyre of '{self.name}'"
        )
        return Tyre(radius - tube, tube)

    def _own_axes(self, a: Pose, b: Pose) -> tuple[Array, Array]:
        """The normal and the wheel's axes, in those of a."""
        return expressions(self.surface.normal(self.place)), expressions(a.axes.T @ b.axes)

    def _axes(self, a: Pose, b: Pose) -> Axes:
        """Axes and slip at the contact."""
        p, (n, S) = self.place, self._own_axes(a, b)
        arm = a.axes @ p
        material = a.velocity + np.cross(a.angular_velocity, arm) + a.axes @ self.surface.velocity(p)
        slip = a.axes.T @ (b.velocity + np.cross(b.angular_velocity, a.point + arm - b.point) - material)
        along = expressions(np.cross(S[:, 2], n) / steep(n, S[:, 2]))
        return Axes(n, along, expressions(np.cross(n, along)), expressions(slip))

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        p, (n, S) = self.place, self._own_axes(a, b)
        apart = a.axes.T @ (b.point - a.point) + self.rim.spoke(expressions(-n), S) - p - self.gap * n
        found = [
            Law("surface", as_expression(self.surface(p))),
            *(Law(f"tangency[{i}]", as_expression(e)) for i, e in enumerate(apart)),
            *(Law("profile", e) for e in self.rim.laws(expressions(-n), S)),
        ]
        if self.gap is not ZERO:
            return found
        at = self._axes(a, b)
        slips = at.slip @ at.along, at.slip @ at.across
        return [*found, *(Law(name, as_expression(e)) for name, e in zip(ROLLS, slips, strict=True))]

    @property
    def unilaterals(self) -> tuple[Unilateral, ...]:  # type: ignore[override]
        """Its contact, if it may slip or lift."""
        return self._unilaterals

    @cached_property
    def _unilaterals(self) -> tuple[Unilateral, ...]:
        if self.gap is ZERO:
            return ()
        at = self._axes(self.a.pose, self.b.pose)
        μ = self.kinetic_coefficient
        size: Any = self.rim.radius
        return (
            Unilateral(
                self.name,
                self.gap,
                (as_expression(at.slip @ at.along), as_expression(at.slip @ at.across)),
                friction=self.friction_coefficient,
                kinetic=None if μ is None else at_speed(μ, self._speed),
                restitution=0.0 if self.restitution is None else self.restitution,
                opens=self.restitution is not None,
                size=size,
                speed=self.creep / CREEP,
                words=WORDS,
                inside="'{name}' is {depth:.3g} m inside its surface at the start",
                approaching=as_expression(at.slip @ at.normal),
                begins="sticks",
            ),
        )

    def slipping(self, system: System | Beginning) -> Beginning:
        """A system of which this is a joint, for starts in which it slips.

        >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
        >>> given = {"radius": 0.2, "axis": (0, 1, 0), "friction": 0.2, "name": "tyre"}
        >>> tyre = zm.joints.WheelOnSurface(zm.Ground(), hoop, zm.surfaces.plane(), **given)
        >>> system = zm.System([hoop], gravity=10.0, joints=[tyre])
        >>> start = tyre.slipping(system).start([(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, 10.0, 0))])
        >>> run = zm.simulate(system, start, until=1.0)
        >>> run.modes, round(run.changes[0], 6), run[hoop.velocity[0]][-1].round(6)  # r ω/2 after r ω/(2 μ g)
        (('tyre slipping', 'tyre rolling'), 0.5, np.float64(1.0))
        """
        if self not in system.joints or self.friction_coefficient is None:
            raise ModelError(f"'{self.name}' slips as a joint of a system, with a coefficient: friction=μ")
        return beginning_as(system, self.name, "slips")

    def lifted(self, system: System | Beginning) -> Beginning:
        """A system of which this is a joint, for starts in which it is in the air.

        >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 5.2))
        >>> given = {"radius": 0.2, "axis": (0, 1, 0), "restitution": 0.5, "name": "tyre"}
        >>> tyre = zm.joints.WheelOnSurface(zm.Ground(), hoop, zm.surfaces.plane(), **given)
        >>> system = zm.System([hoop], gravity=10.0, joints=[tyre])
        >>> start = tyre.lifted(system).start([(hoop.position, (0, 0, 5.2)), (hoop.velocity, 0), (hoop.angular_velocity, 0)])
        >>> run = zm.simulate(system, start, until=2.5)
        >>> run.modes, [round(float(impulse.t), 9) for impulse in run.impulses]
        (('tyre lifted', 'tyre lifted', 'tyre lifted'), [1.0, 2.0])
        """
        if self not in system.joints or self.restitution is None:
            raise ModelError(f"'{self.name}' lifts as a joint of a system, with a coefficient: restitution=e")
        return beginning_as(system, self.name, "open")

    @cached_property
    def slip_velocity(self) -> Array:
        """Of the wheel's point at the contact against the surface, m/s; zero where it rolls."""
        if self.gap is ZERO:
            return expressions(np.zeros(3))
        along, across = self._tangents
        w = self.unilaterals[0].slip
        return expressions(w[0] * along + w[1] * across)

    @cached_property
    def _tangents(self) -> tuple[Array, Array]:
        """Unit vectors along and across the wheel at the contact, in space."""
        a = self.a.pose
        at = self._axes(a, self.b.pose)
        return expressions(a.axes @ at.along), expressions(a.axes @ at.across)

    @cached_property
    def _speed(self) -> Expression:
        """Of the slip, m/s, as friction knows it: not zero, where the root has no derivative."""
        at = self._axes(self.a.pose, self.b.pose)
        w = expressions([at.slip @ at.along, at.slip @ at.across])
        return as_expression(np.sqrt(as_expression(w @ w + self.creep**2)))

    @cached_property
    def contact(self) -> Array:
        """The point where the wheel touches, m."""
        a = self.a.pose
        return expressions(a.point + a.axes @ self.place)

    @property
    def point(self) -> Array:
        """The contact."""
        return self.contact

    @cached_property
    def normal(self) -> Array:
        """Unit normal of the surface at the contact, towards the wheel."""
        return expressions(self.a.pose.axes @ self.surface.normal(self.place))

    @cached_property
    def force(self) -> Array:
        """Of the surface on the wheel at the contact, N."""
        return expressions(self.normal_force * self.normal + self.friction_force) if self.unilaterals else super().force

    @cached_property
    def torque(self) -> Array:
        """Of the surface on the wheel about the contact, N m: none."""
        if self.unilaterals:
            return expressions(np.zeros(3))
        arm = self.contact - self.b.point
        return expressions(self._sum(self._wrenches[1]) - np.cross(arm, self.force))

    @cached_property
    def normal_force(self) -> Expression:
        """N, negative where the surface pulls."""
        return self.unilaterals[0].forces[0] if self.unilaterals else as_expression(self.normal @ self.force)

    @cached_property
    def friction_force(self) -> Array:
        """The rest of the force, along the surface, N."""
        if self.unilaterals:
            (_, along, across), (t1, t2) = self.unilaterals[0].forces, self._tangents
            return expressions(along * t1 + across * t2)
        return expressions(self.force - self.normal_force * self.normal)

    @cached_property
    def clearance(self) -> Expression:
        """1 on a plane, or less, and 0 where a hollow is as tight as the wheel is round."""
        n, S = self._own_axes(self.a.pose, self.b.pose)
        return self.rim.clearance(n, S, self.surface.curvature(self.place))

    @cached_property
    def friction_ratio(self) -> Expression:
        """|F_t|/F_n, the coefficient of friction that rolling needs; infinite where the surface pulls, 0 in the air."""
        if not self.unilaterals:
            return friction_ratio(length(self.friction_force), self.normal_force)
        N, *T = self.unilaterals[0].forces
        if self.restitution is None:
            return friction_ratio(length(expressions(T)), N)
        pressed = where(self.unilaterals[0].closed > 0.5, N, 0.0)
        return as_expression(where(pressed > 0.0, length(expressions(T)) / where(pressed > 0.0, N, 1.0), 0.0))

    @cached_property
    def lack_of_friction(self) -> Expression:
        """|F_t| − μ F_n, N: positive where rolling needs more friction than there is."""
        if self.friction_coefficient is None:
            raise ModelError(f"without a coefficient '{self.name}' has always enough friction: give friction=μ")
        return lacking(length(self.friction_force), self.friction_coefficient * self.normal_force)

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """Where it touches, with the forces there."""
        contact = ContactPoint(
            self.name,
            self.contact,
            self.normal,
            self.normal_force,
            self.friction_force,
            self.friction_ratio,
            self.two_sided,
            self._lost,
        )
        return (contact,)

    @cached_property
    def looks(self) -> Drawing:
        """The rim on its surface, the path of the contact, and the forces there."""
        from zeromass.contact.looks import drawing_of_wheel  # what is not drawn need not be imported

        return drawing_of_wheel(self, isinstance(self.a.body, Ground))

    @property
    def _lost(self) -> str:
        return f"{self.name} lifts" if self.restitution is None else f"{self.name}: contact lost"

    def _load_is_shared(self, state: State) -> str:
        return load_is_shared(self.normal_force, state)

    @property
    def _tight(self) -> Event:
        words = "the wheel touches in more than one point"
        room = self.clearance - TOO_TIGHT
        if self.restitution is not None:
            room = where(self.unilaterals[0].closed > 0.5, room, 1.0)
        return Event(f"{self.name} in a hollow too tight", as_expression(room), -1, guard=True, message=words)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """That coefficients are possible."""
        e, what = self.restitution, f" of '{self.name}'"
        found = possible_friction(self.friction_coefficient, self.kinetic_coefficient, what)
        return (*found, *(possible_restitution(e, what) if e is not None else ()))

    @property
    def events(self) -> tuple[Event, ...]:
        """A wheel that would be pulled, or lies flat, a hollow too tight for it, the border of the data."""
        n, S = self._own_axes(self.a.pose, self.b.pose)
        words = "the wheel touches in more than one point"
        found = [
            self._tight,
            Event(f"{self.name} lies flat", self.rim.upright(n, S) - UPRIGHT, -1, guard=True, message=words),
        ]
        what, speed = f"friction of '{self.name}'", self._speed if self.unilaterals else 0.0
        found += impossible_friction(what, self.friction_coefficient, self.kinetic_coefficient, speed)
        if not self.two_sided and self.restitution is None:
            words = "the surface would have to pull the wheel; with restitution=e it lifts, two_sided=True lets it pull"
            detail = None if self.unilaterals else self._load_is_shared
            found.append(Event(self._lost, self.normal_force, -1, guard=True, message=words, detail=detail))
        inside = self.surface.inside(self.place)
        if inside is not None:
            words = f"nothing is known of '{self.surface.name}' beyond the data it is made from"
            found.append(Event(f"{self.name} left the measured terrain", inside, -1, guard=True, message=words))
        return tuple(found)


def load_is_shared(normal_force: Expression, state: State) -> str:
    """That wheels share their load in ways that the motion does not tell, in words, where one of these presses the wheel.

    normal_force  of the wheel, N
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = float(state[normal_force])
    if share <= SHARED * float(np.abs(state.motion.multipliers).max()):
        return ""
    return (
        f"wheels share the load in any way that gives the same motion, and with the smallest multipliers this one "
        f"carries {share:.3g} N; where they are to touch whatever it is, give two_sided=True"
    )
