"""A body that has left its surface and may come back: it flies, and strikes where it lands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.adrift import BEGINS, Adrift, is_far
from zeromass.contact.another import AnotherMotion
from zeromass.contact.bouncing import RESTS, above, bounce, late, rounding_of
from zeromass.contact.friction import coefficients_at, restitution_at
from zeromass.contact.shaped import ImplicitBody
from zeromass.contact.slow import STOPPED
from zeromass.contact.start import GIVEN, quaternion_of
from zeromass.contact.striking import stroke
from zeromass.contact.watched import BORDER, FLAT, LANDS, UPRIGHT
from zeromass.expression import Array, Evaluator, Expression, as_expression, expressions, rate
from zeromass.expression.build import ONE
from zeromass.model import ContactPoint, Event, ModelError, Onward, StartError, State, System
from zeromass.model.given import Number, Vector, given_numbers
from zeromass.model.quaternion import inertial_rates
from zeromass.model.record import recorded
from zeromass.model.requirement import number_at, unmet
from zeromass.model.start import admitted_start
from zeromass.model.state import parameter_values

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.contact.surface import Surface
    from zeromass.expression.record import Reader, Writer


@recorded("flying")
class Flying(AnotherMotion):
    """The body of a rolling system in flight, above its surface.

    The contact is the point of the surface that the body would touch if it were moved along the surface's third axis, of a
    surface given as a height, or along the normal of another: a particle of mass zero on which nothing acts.

        gap = how far it would have to be moved, m

    It lands where the gap closes: with the coefficients of friction and restitution of the rolling system it rebounds, slips
    or rolls. Where the next bounce would be lower than 1e-11 of places and sizes it stays in contact. When the bounces would
    have ended, 2 v/(a (1 − e)) later with the speed v and the acceleration a of the next one, is told by the event
    "bounces end".

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=10.0, friction=0.3, restitution=0.5)
    >>> dropped = ball.flying.start(center=(0.0, 0.0, 5.1))
    >>> run = zm.simulate(ball, dropped, until=2.25)
    >>> run.kinds[:3], [round(t, 9) for t in run.changes[:2]]
    (('flying', 'flying', 'flying'), [1.0, 2.0])
    """

    kind: str = "flying"

    up: Array
    """The direction in which it is above its surface."""

    gap: Expression
    """How far the body is above its surface, m."""

    upright: Expression | None
    """Sine of the angle between a face of the body and the surface; None of a body without faces."""

    def __init__(self, rolling: Rolling) -> None:
        if rolling.restitution is None:
            raise ModelError("a body comes back only with a coefficient of restitution: Rolling(…, restitution=e)")
        constraints: dict[str, Any] = rolling.holding("no slip", "no spin", "energy")
        apart = rolling.apart
        along = axes_of(rolling.surface)
        self.up = rolling.normal if along is None else along[:, 2]
        self.gap = as_expression(self.up @ apart)
        if along is None:
            constraints["tangency"] = list(apart - self.gap * self.up)
        else:
            constraints["tangency"] = [along[:, 0] @ apart, along[:, 1] @ apart]
        super().__init__(rolling, constraints)
        lands = Event(
            LANDS, self.gap, direction=-1, message="the body strikes its surface", detail=partial(_on_side, self)
        )
        self.events: tuple[Event, ...] = (lands, *[e for e in rolling.events if e.name == BORDER])
        self.upright = rolling.solid.upright(rolling.body, rolling.normal)
        if self.upright is not None:
            words = f"a face of '{rolling.solid.name}' is along '{rolling.surface.name}'"
            self.events = (*self.events, Event(FLAT, self.upright - BEGINS, direction=-1, message=words))
        if isinstance(rolling.solid, ImplicitBody) and rolling.outside.flat:
            words = (
                f"'{rolling.solid.name}' is flat where it is nearest to '{rolling.surface.name}': no single point is"
            )
            room = rolling.clearance - rolling.least_clearance
            self.events = (
                *self.events,
                Event(FLAT, room, direction=-1, guard=True, message=words, margin=rolling.clearance),
            )

    # starts ----------------------------------------------------------------------------------------------------------
    def start(  # type: ignore[override]
        self,
        prescribed: Any = (),
        *,
        center: Sequence[Number] | np.ndarray | None = None,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        t: float = 0.0,
        parameters: Mapping[Expression, float] | None = None,
        guess: Any = (),
    ) -> State:
        """A body that is thrown.

        center            of its outside, m
        velocity          of the centre, m/s
        angular_velocity  in the inertial frame, rad/s
        orientation       quaternion, or rotation vector (three components, rad)

        With a mapping of expressions as the only argument it is `System.start`.

        >>> egg = zm.Rolling(zm.ellipsoid((0.03, 0.03, 0.04), 0.06), on=zm.surfaces.plane(), friction=0.4, restitution=0.3)
        >>> thrown = egg.flying.start(center=(0.0, 0.0, 1.0), velocity=(1.0, 0.0, 2.0), angular_velocity=(0.0, 5.0, 0.0))
        >>> round(thrown[egg.flying.gap], 12)
        0.96
        """
        if center is None:
            return super().start(prescribed, t=t, parameters=parameters, guess=guess)
        if not isinstance(prescribed, tuple) or prescribed:
            raise ModelError("a start is given by center=(X, Y, Z), … or by {expression: value}, not by both")
        rolling = self.rolling
        O, body = rolling.center_particle, rolling.body
        u = quaternion_of(orientation)
        place = given_numbers(center, "center", (3,))
        given = [(O.position, place), (body.quaternion, u), (O.velocity, velocity)]
        given.append((body.angular_velocity, angular_velocity))
        size = number_at(rolling.solid.size, parameter_values(self, parameters))
        near = [(rolling.contact, place - np.array([0.0, 0.0, size])), (body.position, place)]
        try:
            found = super().start(given, t=t, parameters=parameters, guess=near)
        except StartError:
            if self.upright is None:
                raise
            found = None
        if self.upright is None or (found is not None and float(found[self.upright]) > BEGINS):
            assert found is not None
            return found
        flat = self.adrift.start(given, t=t, parameters=parameters, guess=near)
        if found is None and not is_far(self, flat):
            raise StartError(
                f"a face of '{rolling.solid.name}' is along '{rolling.surface.name}', too near to fly; tilt it a little, "
                "such as by orientation=(0.01, 0, 0)"
            )
        return flat if found is None or is_far(self, flat) else found

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """As of the rolling body, if its unknowns tell where it would touch; else the gap tells its side."""
        return self.rolling.facing if self.rolling.unknowns else ()

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts whose parameters are not possible, and where the body is below its surface."""
        found, names = unmet(self, parameters), (self.rolling.solid.name, self.rolling.surface.name)
        size = as_expression(self.rolling.solid.size)
        values = Evaluator(expressions([self.gap, size, *self.rolling.body.position]), self.inputs)
        with np.errstate(all="ignore"):
            gap, size, *place = values(np.concatenate([t[:, None], y, parameters], axis=1)).T
        inside = gap < -GIVEN * (np.abs(place).max(axis=0) + size)
        words = "'{}' begins {:.3g} m inside '{}'; give another center"
        return {k: words.format(names[0], -gap[k], names[1]) for k in np.flatnonzero(inside).tolist()} | found

    def begins_as(self, state: State) -> System:
        """Itself above the surface; on it, what lies there and is pressed to it does not fly."""
        if state.system is not self:
            return self
        rolling = self.rolling
        names = f"'{rolling.solid.name}'", f"'{rolling.surface.name}'"
        gap, rises, near = float(state[self.gap]), float(state[self.rising]), GIVEN * self._extent(state)
        admitted_start(state)
        if gap > near:
            return self
        slow = GIVEN * float(np.linalg.norm(state.v))
        if rises < -slow:
            raise StartError(f"{names[0]} begins with a stroke on {names[1]}; begin before it, or after")
        if rises > slow or float(state[self.falling]) >= 0.0:
            return self
        slip = float(np.linalg.norm(state[rolling.slip_velocity]))
        if rolling.friction_coefficient is not None:
            creep = float(number_at(rolling.slipping.creep, state.known))
            return rolling.kind_at(state, slips=slip > max(STOPPED * creep, slow))
        if slip > slow:
            raise StartError(
                f"{names[0]} begins on {names[1]} with a slip of {slip:.3g} m/s, and has always friction enough to roll; "
                "give the angular velocity with which it rolls, or friction=μ"
            )
        return rolling.kind_at(state, slips=False)

    @property
    def begins_one_way(self) -> bool:
        """Never: what is on its surface does not fly."""
        return False

    # what comes after ------------------------------------------------------------------------------------------------
    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """Where it lands, what the stroke makes of it: flight, slip or rolling; other events end the motion."""
        if event == FLAT and self.upright is not None:
            return self.adrift if is_far(self, state) else self
        return self.landed(state) if event == LANDS and not _on_side(self, state) else None

    @cached_property
    def adrift(self) -> Adrift:
        """The same flight where a face is along the surface, which has no lowest point."""
        return Adrift(self)

    def leaps(self, names: Sequence[str], before: State, after: State) -> bool:
        """Where another end of the body is the lowest from there on: the contact is elsewhere, and the gap is the same."""
        if self.pieces is None or any(name.startswith("surface") for name in names):
            return False
        from zeromass.contact.edges import own_edge  # few bodies have ends

        return own_edge(self.rolling.normal, self.pieces, before, after)

    def left(self, state: State) -> Onward:
        """How a body goes on that leaves its surface at a state of where it rolls or slips."""
        return Onward(self.lifted(state), (), np.empty(0), np.zeros(len(state.v)), 0.0)

    def landed(self, state: State) -> Onward:
        """The state after the stroke, and the stroke."""
        rolling = self.rolling
        body, known = rolling.body, state.known
        ρ = state[rolling.contact] - state[body.position]
        S, n = state[body.rotation], state[rolling.normal]
        m = float(number_at(rolling.solid.mass, known))
        inverse = S @ np.linalg.inv(state[body.inertia]) @ S.T
        across = np.array([[0.0, -ρ[2], ρ[1]], [ρ[2], 0.0, -ρ[0]], [-ρ[1], ρ[0], 0.0]])
        D = np.eye(3) / m - across @ inverse @ across
        w = state[body.velocity + np.cross(body.angular_velocity, ρ) - rolling.surface.velocity(rolling.contact)]
        assert rolling.restitution is not None
        static, kinetic = coefficients_at(rolling.friction_coefficient, rolling.kinetic_coefficient, known)
        e = restitution_at(rolling.restitution, known)
        found = stroke(D, n, w, kinetic, e, static=static)
        change = self._change(state, found.impulse, inverse @ np.cross(ρ, found.impulse), m)
        after = replace(state, v=state.v + change)
        following: System = self
        flight = self.lifted(after, late(state[self.gap], state[self.rising]))
        rises, falls = float(flight[self.rising]), -float(flight[self.falling])
        flies, said = bounce(state.t, rises, falls, RESTS * self._extent(state), e)
        if not flies:
            slip = np.linalg.norm(found.velocity - (n @ found.velocity) * n)
            slow = static is None or slip <= STOPPED * float(number_at(rolling.slipping.creep, known))
            following = rolling.kind_at(after, slips=not slow)
        taken = flight if flies else after.carried_to(following)
        energy = float(taken[self.kinetic] - state[self.kinetic])
        impulses = np.array([found.normal, found.friction])
        return Onward(taken, ("normal", "friction"), impulses, taken.v - state.v, energy, said)

    def lifted(self, state: State, since: float = 0.0) -> State:
        """A state of the same body in flight, above its surface so that it can land.

        since  s, for how long it has risen already, at the rate that it has
        """
        state, rolling = state.carried_to(self), self.rolling
        moved = [self.index(x) for part in (rolling.body, rolling.center_particle) for x in part.position]
        up = np.tile(state[self.up], 2)
        by = max(since * state[self.rising] - state[self.gap], 0.0)
        along = float(np.abs(up * state.q[moved]).max()) or self._extent(state)
        return above(state, self.gap, self.rounding, moved, up, by, along)

    def _extent(self, state: State) -> float:
        """Of places and sizes, m: rounding of the gap is a part of it."""
        size = number_at(self.rolling.solid.size, state.parameters)
        return float(np.abs(state[self.rolling.body.position]).max() + size)

    @cached_property
    def rounding(self) -> Expression:
        """Of the gap, m."""
        return rounding_of(self.gap)

    @cached_property
    def rising(self) -> Expression:
        """Rate of the gap, m/s."""
        return as_expression(rate(self.gap))

    @cached_property
    def falling(self) -> Expression:
        """Rate of that, m/s²."""
        return as_expression(rate(self.rising))

    def _change(self, state: State, impulse: np.ndarray, turned: np.ndarray, mass: float) -> np.ndarray:
        """Change of the rates of the body by an impulse and a change of its angular velocity."""
        body, change = self.rolling.body, np.zeros(len(state.v))
        u = state[body.quaternion]
        change[[self.index(x) for x in body.position]] = impulse / mass
        change[[self.index(x) for x in body.quaternion]] = inertial_rates(u).T @ turned / 2
        return change

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """None in flight."""
        return ()

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {**super()._own_record(w), "gap": w.array(self.gap), "up": w.array(self.up)}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        super()._take_record(own, r)
        self.gap, self.up = r.array(own["gap"]).item(), r.array(own["up"])
        self.upright = self.rolling.solid.upright(self.rolling.body, self.rolling.normal)
        self.rolling.__dict__["flying"] = self


def _on_side(flying: Flying, state: State) -> str:
    """That a body lands on a side of it, if it does."""
    rolling = flying.rolling
    tilted = rolling.solid.tilted(rolling.body, rolling.normal)
    if tilted is None or abs(float(state[tilted])) > UPRIGHT:
        return ""
    return side_words(rolling.solid.name)


def side_words(solid: str) -> str:
    """What is said of a body that lands on a side."""
    return f"'{solid}' lands on a side, and touches in more than one point; tilt it a little"


def axes_of(surface: Surface) -> np.ndarray | None:
    """The axes of a surface that is a height over its first two, as columns; None of another."""
    from zeromass.contact.traced import PLACE
    from zeromass.expression import gradient

    if gradient(surface.f, PLACE)[2] is not ONE:
        return None
    return expressions(np.eye(3)) if surface.rotation is None else surface.rotation
