"""Wheels of vehicles: a rim that rolls on any surface, slips where friction does not hold it, and lifts; a joint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.contact.friction import Friction, at_speed, bounded, friction_of, lacking, possible_friction
from zeromass.contact.lifting import Tread, load_is_shared
from zeromass.contact.limits import impossible_friction, possible_creep, possible_restitution
from zeromass.contact.outlines import steep
from zeromass.contact.pressing import friction_ratio
from zeromass.contact.rims import Profile, Rim, Tyre, laid
from zeromass.contact.slow import CREEP, SLOWEST
from zeromass.contact.surface import Surface
from zeromass.contact.watched import UPRIGHT
from zeromass.errors import shown
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, rate
from zeromass.expression.build import ZERO
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.marker import Body, Marker, Pose, as_drawn, bodies, place_of
from zeromass.mechanism.turns import axes_about, direction
from zeromass.model import ContactPoint, Event, ModelError, RigidBody, State, System
from zeromass.model.given import Number, given_flag, given_vector, length
from zeromass.model.grip import Grip
from zeromass.model.one_sided import Side, sibling, without
from zeromass.model.requirement import Ordered, Requirement

if TYPE_CHECKING:
    from zeromass.model.drawing import Drawing

TOO_TIGHT = 1e-4
"""Clearance at which a hollow counts as too tight for a wheel."""

USUAL = 9.81
"""Gravity, m/s², by which speeds of slip count as small: a wheel knows nothing of that of its system."""

TOUCHES = "touches"
"""The row that closes the gap of a wheel that may lift."""

ROLLS = ("rolls along", "rolls across", "holds along", "holds across")
"""Rows of no slip, and those that hold the coordinates of slip where there is friction."""


class WheelOnSurface(Joint):
    """A wheel of body b that rolls on a surface of a: the contact p, massless, in a's axes from its centre.

        f(p) = 0,   p = c + s(−n),   v_c + ω × (p − c) = v of the surface at p, along and across the wheel

    surface    fixed to a, in its axes; it may move against them
    radius     of the wheel, m, with its tyre
    tube       radius of the tyre, m; 0 of a knife edge
    profile    instead of both: the radius r(y) at a place y along the axis, in NumPy, of a conical wheel say
    axis       of the wheel, in its body's axes
    center     c in the body's axes; its mass centre by default
    near       first guess of p; by default from where the wheel is drawn
    two_sided  the surface can pull; else the run ends where it would have to
    friction   coefficient μ, or zm.Friction(static=…, kinetic=…): where rolling needs more, at the event "NAME would slip",
               the wheel slips, and rolls again where its slip dies out; without it there is always enough
    creep      speed of slip, m/s, below which friction falls off; by default 1e-9 √(g r) with g = 9.81 m/s²
    restitution  coefficient e of impulses, 0 to 1: the wheel leaves its surface where it would have to be pulled, at the
               event "NAME lifts", and lands with a stroke, in `run.impulses`; without it the run ends where it lifts
    contact    p in space, three expressions
    normal     of the surface there, towards the wheel
    force      of the surface on the wheel at the contact, N

    A body may have several wheels, a vehicle as many as it likes; forces that the motion does not tell apart, as of four
    wheels on the ground, are said to be shared, and need two_sided=True. With friction a start is one that rolls; for one
    that slips, see `slipping`, and `lifted` for one in the air. Strokes of several wheels at once are those of
    `zeromass.contact.strokes`.

    >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5))
    >>> hill = zm.Surface(lambda X, Y: 0.1 * X)
    >>> rolls = zm.WheelOnSurface(zm.Ground(), hoop, hill, radius=0.5, axis=(0, 1, 0))
    >>> start = zm.System([hoop], gravity=10.0, joints=[rolls]).start([(hoop.angular_velocity, (0, 2.0, 0))])
    >>> round(start[hoop.velocity @ hoop.velocity], 9), round(start[np.sqrt(1.01) * rolls.normal_force], 9)
    (1.0, 10.0)
    """

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
        if restitution is not None and (two_sided or isinstance(friction, Friction)):
            raise ModelError(f"{what} may lift: it has one coefficient of friction or none, and not two_sided=True")
        self.restitution: Number | None = restitution
        for requirement in self.requirements:
            requirement.checked(f"friction and restitution of {what}")
        self.place: Array = expressions([self._coordinate(f"contact[{i}]") for i in range(3)])
        self.rim: Rim = self._rim(radius, tube, profile)
        if creep is not None:
            possible_creep(creep).checked(f"the creep of {what}")
        self.creep: Number = CREEP * np.sqrt(USUAL * self.rim.radius) if creep is None else creep
        self.slid: Array = expressions([])
        """How far it has slipped along and across the wheel, m, massless: of a wheel with friction."""
        self.gap: Expression = ZERO
        """How far it is above its surface, m: of a wheel that may lift a coordinate without mass."""
        if restitution is not None:
            self.gap = self._coordinate("gap")
        if friction is not None or restitution is not None:
            self.slid = expressions([self._coordinate(f"slip.{way}") for way in ("along", "across")])
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

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        p, (n, S) = self.place, self._own_axes(a, b)
        apart = a.axes.T @ (b.point - a.point) + self.rim.spoke(expressions(-n), S) - p - self.gap * n
        arm = a.axes @ p
        material = a.velocity + np.cross(a.angular_velocity, arm) + a.axes @ self.surface.velocity(p)
        slip = a.axes.T @ (b.velocity + np.cross(b.angular_velocity, a.point + arm - b.point) - material)
        along = np.cross(S[:, 2], n) / steep(n, S[:, 2])
        slips: list[Any] = [slip @ along, slip @ np.cross(n, along)]
        ṡ = rate(self.slid)
        if len(ṡ):  # what slips has a coordinate of its own, and another row holds that
            slips = [slips[0] - ṡ[0], slips[1] - ṡ[1], *ṡ]
        touches = [] if self.restitution is None else [Law(TOUCHES, self.gap)]
        return [
            *touches,
            Law("surface", as_expression(self.surface(p))),
            *(Law(f"tangency[{i}]", as_expression(e)) for i, e in enumerate(apart)),
            *(Law("profile", e) for e in self.rim.laws(expressions(-n), S)),
            *(Law(name, as_expression(e)) for name, e in zip(ROLLS, slips, strict=False)),
        ]

    @property
    def one_sided(self) -> tuple[Side, ...]:  # type: ignore[override]
        """What it touches, and what friction holds."""
        return (*self._treads, *self._grips)

    @cached_property
    def _treads(self) -> tuple[Tread, ...]:
        if self.restitution is None:
            return ()
        held = (TOUCHES,) if self.friction_coefficient is not None else (TOUCHES, *ROLLS[2:])
        return (
            Tread(
                wheel=self.name,
                gap=cast(Symbol, self.gap),
                slid=self.slid,
                pull=self.normal_force,
                held=tuple(f"{self.name} {name}" for name in held),
                friction_coefficient=self.friction_coefficient,
                restitution=self.restitution,
                creep=self.creep,
                size=self.rim.radius,
                watched=(self._tight,),
            ),
        )

    @cached_property
    def _grips(self) -> tuple[Side, ...]:
        μ = self.kinetic_coefficient
        if μ is None:
            return ()
        ṡ = rate(self.slid)
        speed = as_expression(np.sqrt(ṡ @ ṡ + self.creep**2))
        force = -at_speed(μ, speed) * self.normal_force / speed * ṡ
        held = tuple(f"{self.name} {name}" for name in ROLLS[2:])
        acting = dict(zip(self.coordinates[-2:], force, strict=True))
        spare = as_expression(-self.lack_of_friction)
        on = "".join(tread.name for tread in self._treads)
        return (Grip(self.name, self.slid, held, spare, acting, self.creep, SLOWEST * self.creep, on=on),)

    def slipping(self, system: System) -> System:
        """A system of which this is a joint, in which it slips: for starts that do, and to look at its equations.

        >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
        >>> given = {"radius": 0.2, "axis": (0, 1, 0), "friction": 0.2, "name": "tyre"}
        >>> tyre = zm.WheelOnSurface(zm.Ground(), hoop, zm.surfaces.plane(), **given)
        >>> system = zm.System([hoop], gravity=10.0, joints=[tyre])
        >>> start = tyre.slipping(system).start([(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, 10.0, 0))])
        >>> run = zm.simulate(system, start, until=1.0)
        >>> run.kinds, round(run.changes[0], 6), run[hoop.velocity[0]][-1].round(6)  # r ω/2 after r ω/(2 μ g)
        (('tyre slipping', 'tyre rolling'), 0.5, np.float64(1.0))
        """
        if self not in system.joints or self.friction_coefficient is None:
            raise ModelError(f"'{self.name}' slips as a joint of a system, with a coefficient: friction=μ")
        return sibling(system, system._closed - {self.name})

    def lifted(self, system: System) -> System:
        """A system of which this is a joint, in which it is in the air: for starts there.

        >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 5.2))
        >>> given = {"radius": 0.2, "axis": (0, 1, 0), "restitution": 0.5, "name": "tyre"}
        >>> tyre = zm.WheelOnSurface(zm.Ground(), hoop, zm.surfaces.plane(), **given)
        >>> system = zm.System([hoop], gravity=10.0, joints=[tyre])
        >>> start = tyre.lifted(system).start([(hoop.position, (0, 0, 5.2)), (hoop.velocity, 0), (hoop.angular_velocity, 0)])
        >>> run = zm.simulate(system, start, until=2.5)
        >>> run.kinds, [round(float(impulse.t), 9) for impulse in run.impulses]
        (('tyre lifted', 'tyre lifted', 'tyre lifted'), [1.0, 2.0])
        """
        if self not in system.joints or self.restitution is None:
            raise ModelError(f"'{self.name}' lifts as a joint of a system, with a coefficient: restitution=e")
        return sibling(system, without(system, self._treads[0].name))

    @cached_property
    def slip_velocity(self) -> Array:
        """Of the wheel's point at the contact against the surface, m/s; zero where it rolls."""
        if not len(self.slid):
            return expressions(np.zeros(3))
        n, axis, ṡ = self.normal, self.b.pose.axes[:, 2], rate(self.slid)
        along = np.cross(axis, n) / steep(n, axis)
        return expressions(ṡ[0] * along + ṡ[1] * np.cross(n, along))

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
    def torque(self) -> Array:
        """Of the surface on the wheel about the contact, N m: none."""
        arm = self.contact - self.b.point
        return expressions(self._sum(self._wrenches[1]) - np.cross(arm, self.force))

    @cached_property
    def normal_force(self) -> Expression:
        """N, negative where the surface pulls."""
        return as_expression(self.normal @ self.force)

    @cached_property
    def friction_force(self) -> Array:
        """The rest of the force, along the surface, N."""
        return expressions(self.force - self.normal_force * self.normal)

    @cached_property
    def clearance(self) -> Expression:
        """1 on a plane, or less, and 0 where a hollow is as tight as the wheel is round."""
        n, S = self._own_axes(self.a.pose, self.b.pose)
        return self.rim.clearance(n, S, self.surface.curvature(self.place))

    @cached_property
    def friction_ratio(self) -> Expression:
        """|F_t|/F_n, the coefficient of friction that rolling needs; infinite where the surface has to pull."""
        return friction_ratio(length(self.friction_force), self.normal_force)

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
        return f"{self.name} lifts"

    def _load_is_shared(self, state: State) -> str:
        return load_is_shared(self.normal_force, state)

    @property
    def _tight(self) -> Event:
        words = "the wheel touches in more than one point"
        return Event(f"{self.name} in a hollow too tight", self.clearance - TOO_TIGHT, -1, guard=True, message=words)

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
            *(() if self._treads else (self._tight,)),
            Event(f"{self.name} lies flat", self.rim.upright(n, S) - UPRIGHT, -1, guard=True, message=words),
        ]
        ṡ = rate(self.slid)
        what, speed = f"friction of '{self.name}'", np.sqrt(ṡ @ ṡ + self.creep**2) if len(ṡ) else 0.0
        found += impossible_friction(what, self.friction_coefficient, self.kinetic_coefficient, speed)
        if not self.two_sided and not self._treads:
            words = "the surface would have to pull the wheel; with restitution=e it lifts, two_sided=True lets it pull"
            found.append(
                Event(self._lost, self.normal_force, -1, guard=True, message=words, detail=self._load_is_shared)
            )
        inside = self.surface.inside(self.place)
        if inside is not None:
            words = f"nothing is known of '{self.surface.name}' beyond the data it is made from"
            found.append(Event(f"{self.name} left the measured terrain", inside, -1, guard=True, message=words))
        return tuple(found)
