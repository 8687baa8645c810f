"""A system whose formulas have kinks or jumps, as one that is smooth between its switches."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import (
    Array,
    Evaluator,
    Expression,
    Symbol,
    as_expression,
    derivative,
    expressions,
    gradient,
    heading,
    jacobian,
    substitute,
    symbols,
)
from zeromass.expression import t as time
from zeromass.expression.evaluate import Sparse
from zeromass.expression.pieces import SWITCHING, Pieces, Switch, unwrapped
from zeromass.model.collisions import Colliders
from zeromass.model.connection import names_of
from zeromass.model.large import Given
from zeromass.model.large_pieces import ForcePieces, OneByOne, complete_holds, smooth_forces
from zeromass.model.sliding import Held, acting, sliding_modes
from zeromass.model.state import ROUNDING, Magnitude, State
from zeromass.model.unilateral import Unilateral, hidden_parameters, with_forces
from zeromass.model.unknown import Unknown, unknown_in

if TYPE_CHECKING:
    from zeromass.model.system import System
    from zeromass.model.unconstrained import Unconstrained

ORDERS = 4
"""Derivatives by time that tell on which side of a kink a start is, and sides that are tried for what is constant."""

UNKNOWN_FORCE = (
    "of the unknown force in {which}: what it does through friction is more than what it does itself, as in Painlevé's rod; "
    "the model decides on no motion, give the contact some compliance"
)
"""What is said where no sign of a force is right, or several."""


class Undecided(ModelError):
    """Several motions go on from a state, or none; the message says on which switches."""


class SystemPieces:
    """The pieces of a system: the same system with modes among its parameters, and what tells when they change.

    system    coordinates, names and constraints as of the one that it is made from; beside its parameters it has a mode and
              a margin for each switch
    switches  in an order that follows from the formulas alone; those inside others stand before them

    >>> x = zm.coordinate("x")
    >>> rubbed = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -0.5 * np.sign(zm.rate(x))})
    >>> rubbed.pieces.system.Q, rubbed.pieces.switches[0].said
    (array([-0.5*mode0], dtype=object), sign(rate(x)))
    """

    system: System
    switches: tuple[Switch, ...]

    in_forces: bool = False
    """Whether the system is large and its switches are in forces alone; see `zeromass.model.large_pieces`."""

    unilaterals: tuple[Unilateral, ...] = ()
    """Contacts and the like, on the pieces of their formulas."""

    held: Mapping[Symbol, Held] = MappingProxyType({})
    """What may hold the motion to switches that depend on rates, by their modes."""

    def __init__(self, given: System) -> None:
        self.given: System = given
        self.colliders: Colliders | None = given.colliders
        found = smooth_forces(given) if given.large and self.colliders is None else None
        if found is not None:
            self._of_forces(*found)
        elif given.large and SWITCHING.isdisjoint(given.contents[1]):
            self._of_wrenches(given)
        else:
            self._of_all(given)

    def _of_forces(self, forces: ForcePieces, pieces: Pieces) -> None:
        """Of a large system, whose matrices are not written out."""
        from zeromass.model.system import System

        given, smooth = self.given, object.__new__(System)
        self.in_forces, self._pieces = True, pieces
        self.switches = forces.switches
        hidden = [leaf for switch in self.switches for leaf in (switch.mode, switch.margin)]
        hidden += [hold for hold, _ in forces.holds.values()]
        smooth._complete(cast("Unconstrained", forces.free), list(given.rows), given.C, given.multipliers)
        smooth.parameters = (*given.parameters, *hidden)
        vars(smooth)["pieces"] = None
        self.held, self.system = complete_holds(smooth, forces), smooth

    def _of_wrenches(self, given: System) -> None:
        """Of a large system without switches, with wrenches of the contacts of its shapes."""
        from zeromass.model.system import System

        free, smooth, colliders = cast(Any, given._free), object.__new__(System), self.colliders
        assert colliders is not None
        kinetic, potential = free.extra
        free = Given(list(free.parts), [*free.loads, *colliders.loads], free.q, kinetic, potential, free.gravity)
        smooth._complete(cast("Unconstrained", free), list(given.rows), given.C, given.multipliers)
        smooth.parameters = (*given.parameters, *colliders.hidden)
        vars(smooth)["pieces"] = None
        self.switches, self._pieces, self.system = (), Pieces(), smooth

    def _of_all(self, given: System) -> None:
        from zeromass.model.system import System

        free, zeros = given._free, [row.zero for row in given.rows]
        energies = {name: e for name in ENERGIES if (e := getattr(free, name)) is not None}
        pieces = Pieces(unwrapped([*zeros, *energies.values()]))
        new = pieces.found(zeros)
        stored = {name: pieces.found(e).item() for name, e in energies.items()}  # as they were written, before Q
        M, Q, C = (pieces.found(block) for block in (free.M, free.Q, given.C))
        self.unilaterals = tuple(one.smoothed(pieces.found) for one in given.unilaterals)
        if self.unilaterals:
            Q = with_forces(Q, self.unilaterals, given.rates)
        for load in () if self.colliders is None else self.colliders.loads:
            Q = expressions(Q + load.generalized(given.coordinates))
        free = free._replace(masses=Sparse.of(M), Q=Q, **stored)
        smooth = object.__new__(System)
        rows = [row._replace(zero=zero) for row, zero in zip(given.rows, new, strict=True)]
        smooth._complete(free, rows, C, given.multipliers)
        self.switches = tuple(pieces.switches)
        others = [switch for switch in self.switches if switch.kind != "side" and unknown_in(switch.g)]
        if others:
            raise ModelError(
                f"'{others[0].said!r}' makes steps of an unknown force; of those only signs are known: abs, sign, where, …"
            )
        self.held = sliding_modes(smooth, self.switches)
        hidden = [leaf for switch in self.switches for leaf in (switch.mode, switch.margin)]
        hidden += [held.flag for held in self.held.values()]
        hidden += hidden_parameters(self.unilaterals)
        hidden += [] if self.colliders is None else self.colliders.hidden
        smooth.parameters = (*given.parameters, *hidden)
        smooth.sliding_modes, smooth.contact_modes = self.held, self.unilaterals
        self.system = smooth
        self._pieces = pieces

    def told(self, k: int) -> str:
        """A switch as messages and headings have it: what is a joint's by its name; contacts follow the switches."""
        if k >= len(self.switches):
            return f"'{self.unilaterals[k - len(self.switches)].name}'"
        return f"'{heading(self.switches[k].said, names_of(self.given.joints))}'"

    def words(self, which: Sequence[int]) -> str:
        """Formulas that switch, as they were written."""
        known: dict[int, str] = self.system.memory.setdefault("words", {})
        for k in which:
            if k not in known:
                known[k] = self.told(k)
        return ", ".join(dict.fromkeys(known[k] for k in which))

    def smooth(self, e: Any) -> Array:
        """Expressions of the system as they are on its pieces: with modes where the system has them."""
        return self._pieces.smooth(e)

    def acting(self, e: Any) -> Array:
        """Expressions on the pieces as they act: where a switch holds the motion, the mean of both its sides."""
        return acting(self.smooth(e), self.held.values())

    def state(self, state: State, modes: Mapping[Symbol, float]) -> State:
        """A state on one of the pieces."""
        values = {p: state.parameters[p] for p in self.given.parameters}
        hidden = {leaf: float(modes.get(leaf, leaf.default or 0.0)) for leaf in self.system.parameters[len(values) :]}
        return State(self.system, state.t, state.q, state.v, {**values, **hidden}, state.free)

    def turns(self, modes: Mapping[Symbol, float]) -> dict[Symbol, float]:
        """From where angles that go on over the cut of arctan2 are measured, of the values of all modes."""
        return {switch.mode: modes[switch.mode] for switch in self.switches if switch.kind == "turn"}

    @cached_property
    def functions(self) -> Unknown:
        """The switching functions, and what rounding may do to them."""
        return Unknown(self.system, [switch.g for switch in self.switches])

    @property
    def of_force(self) -> tuple[int, ...]:
        """The switches whose functions contain accelerations or multipliers, and so depend on their own modes."""
        return self.functions.places

    def signs(self, state: State, modes: Mapping[Symbol, float], fixed: Container[int]) -> list[dict[Symbol, float]]:
        """All modes of switches of unknown forces that are right, g on the side that gives it, with others as given.

        fixed  switches of unknown forces whose modes are given too
        """
        open_ = [k for k in self.of_force if k not in fixed]
        found: list[dict[Symbol, float]] = []
        alike: list[tuple[float, ...]] = []
        for sides in product((1.0, -1.0), repeat=len(open_)):
            chosen = {self.switches[k].mode: side for k, side in zip(open_, sides, strict=True)}
            g, sizes = self.switching(self.state(state, {**modes, **chosen}))
            zero = [abs(g[k]) <= 8 * ROUNDING * sizes[k] for k in open_]
            if all(z or g[k] * side > 0 for k, side, z in zip(open_, sides, zero, strict=True)):
                kind = tuple(0.0 if z else side for side, z in zip(sides, zero, strict=True))
                if kind not in alike:  # where it is zero, both sides are one
                    alike.append(kind)
                    found.append(chosen)
        return found

    def here(self, state: State) -> State:
        """A state on the pieces that it lies on; an error where unknown forces have several signs there, or none."""
        modes: dict[Symbol, float] = dict(state.turns)
        for switch in self.switches:
            modes.setdefault(switch.mode, 0.0 if switch.kind == "turn" else 1.0)
        while True:
            before = dict(modes)
            g = self.functions.with_values(self.state(state, modes).inputs)[0]
            for k, switch in enumerate(self.switches):
                if k not in self.of_force and switch.kind != "turn":
                    modes[switch.mode] = float(np.floor(g[k]) if switch.kind == "whole" else np.sign(g[k]))
            if modes == before:
                modes.update(self.sign(state, modes, ()))
            if modes == before:
                return self.state(state, modes)

    def sign(
        self, state: State, modes: Mapping[Symbol, float], fixed: Container[int], natural: bool = False
    ) -> dict[Symbol, float]:
        """The modes of switches of unknown forces; an error where several are right, or none.

        natural  whether those that are given stay, where they are right
        """
        found = self.signs(state, modes, fixed)
        same = [chosen for chosen in found if all(modes[mode] == side for mode, side in chosen.items())]
        if len(found) == 1 or (natural and same):
            return (same or found)[0]
        said = ", ".join(dict.fromkeys(self.told(k) for k in self.of_force if k not in fixed))
        many = "no sign is right" if not found else f"{len(found)} signs are right"
        raise Undecided(f"{many} {UNKNOWN_FORCE.format(which=said)}")

    def switching(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Values of the switching functions at a state on the pieces, and of what size their rounding is.

        A state is known to rounding of its largest coordinate and rate.
        """
        return self.functions.with_values(state.inputs, self.sizes(state.inputs))

    def sizes(self, inputs: np.ndarray) -> np.ndarray:
        """Of what size the numbers of a state count, as far as its rounding goes."""
        n, sizes = len(self.system.coordinates), np.abs(inputs)
        for block in (slice(1, 1 + n), slice(1 + n, 1 + 2 * n)):
            sizes[block] = sizes[block].max()
        return sizes

    @cached_property
    def one_by_one(self) -> OneByOne:
        """The switching functions of a large system one by one."""
        n = len(self.system.coordinates)
        return OneByOne([switch.g for switch in self.switches], list(self.system.inputs), n)

    @cached_property
    def across(self) -> Evaluator:
        """Of turns: what lies across the direction that an angle is measured from."""
        return Evaluator([switch.across for switch in self.switches], self.system.inputs)

    def slopes(self, inputs: np.ndarray) -> np.ndarray:
        """Of the switching functions by time, positions and rates, shape (switches, 1 + 2n)."""
        return self.functions.slopes(inputs)

    @cached_property
    def of_time(self) -> tuple[int, ...]:
        """The switches whose functions depend on time and parameters alone: they are known ahead."""
        kinds = [{leaf.kind for leaf in symbols(switch.plain)} for switch in self.switches]
        return tuple(k for k, kind in enumerate(kinds) if "time" in kind and kind <= {"time", "parameter"})

    def begun(self, t: float, values: Mapping[Symbol, float]) -> dict[Symbol, float] | None:
        """Modes, margins and flags just after a time at which constraints have a kink; None at none, or where places decide.

        values  of the parameters of the given system
        """
        if not self._start_is_timed or self.parts["constraints"].isdisjoint(self.of_time):
            return None
        modes: dict[Symbol, float] = {leaf: leaf.default or 0.0 for leaf in self.system.parameters[len(values) :]}
        on_kink = False
        for k in self.of_time:
            switch, values_now = self.switches[k], np.array([t, *values.values(), *modes.values()])
            if switch.kind == "turn":
                return None
            inputs, derivatives = [time, *values, *modes], [switch.g]
            (g,), (size,) = Magnitude(derivatives, inputs).with_values(values_now)
            border = float(np.round(g)) if switch.kind == "whole" else 0.0
            above = g > border
            if abs(g - border) <= 8 * ROUNDING * size:
                for _ in range(ORDERS):
                    derivatives.append(derivative(derivatives[-1], time))
                slopes = Evaluator(derivatives[1:], inputs)(values_now)
                above = bool(next((slope for slope in slopes if slope), 1.0) > 0)
                on_kink |= k in self.parts["constraints"]
            low = border - 1 if switch.kind == "whole" else -1.0
            modes[switch.mode] = (border if switch.kind == "whole" else 1.0) if above else low
        return modes if on_kink else None

    @cached_property
    def _start_is_timed(self) -> bool:
        """Whether all that a start is solved from depends on no modes but those of time."""
        if self.in_forces or not self.switches:
            return True
        system, others = self.system, {s.mode for k, s in enumerate(self.switches) if k not in self.of_time}
        return others.isdisjoint(
            symbols(
                system.sparse_M.entries,
                system.sparse_A.entries,
                [row.zero for row in system.rows],
                system.velocity_constraints,
            )
        )

    @cached_property
    def timeless(self) -> bool:
        """Whether masses, forces and constraints depend on time by their switches alone."""
        return time not in self._motion

    @cached_property
    def _motion(self) -> frozenset[Symbol]:
        """What masses, forces, constraints and contacts depend on."""
        system = self.system
        if system.large:
            return frozenset(symbols(system.formulas))
        laws = [as_expression(e) for one in self.unilaterals for e in (*one.numbers, one.approach)]
        return frozenset(
            symbols([row.zero for row in system.rows], laws, system.M, system.Q, system.C, system.A, system.b)
        )

    def felt(self, events: Sequence[Expression]) -> frozenset[Symbol]:
        """Modes that a motion or events depend on: those inside switching functions of time alone are known with these."""
        energies = [e for name in ENERGIES if (e := getattr(self.system._free, name)) is not None]
        functions = [switch.g for k, switch in enumerate(self.switches) if k not in self.of_time]
        return self._motion | set(symbols([*functions, *energies, *self.smooth(list(events)).ravel()]))

    @cached_property
    def bent(self) -> frozenset[int]:
        """The switches whose functions are no sums of multiples of time, positions and rates.

        Those that are change their sign no more often than the motion turns; others may do so many times in a smooth step.
        """
        state = set(self.system.inputs[: 1 + 2 * len(self.system.coordinates)])
        plain = [k for k in range(len(self.switches)) if k not in self.of_force]
        slopes = {k: jacobian([self.switches[k].g], list(state)) for k in plain}
        return frozenset(self.of_force) | {k for k, by in slopes.items() if not state.isdisjoint(symbols(by))}

    @cached_property
    def nested(self) -> bool:
        """Whether switching functions depend on the modes of others."""
        return any(self.inner) or bool(self.of_force)

    @cached_property
    def inner(self) -> tuple[tuple[Symbol, ...], ...]:
        """The modes that each switching function depends on; of turns none."""
        modes = {switch.mode for switch in self.switches}
        return tuple(
            () if s.kind == "turn" else tuple(leaf for leaf in symbols(s.g) if leaf in modes) for s in self.switches
        )

    def constant(self, k: int, values: Mapping[Symbol, float]) -> float | None:
        """The mode of a switch whose function is one number with these values of parameters and modes; None if it is not."""
        g = as_expression(substitute(self.switches[k].g, values)).value
        if g is None:
            return None
        return float(np.floor(g) if self.switches[k].kind == "whole" else np.sign(g))

    @cached_property
    def resting(self) -> tuple[int, ...]:
        """The switches of time at which functions of others begin or cease to be constant, as max(sin t, 0) at t = π."""
        places = {switch.mode: k for k, switch in enumerate(self.switches)}
        found: set[int] = set()
        for k in self.of_time:
            inner = [mode for mode in self.inner[k] if self.switches[places[mode]].kind == "side"]
            sides = product((1.0, -1.0), repeat=min(len(inner), ORDERS))
            pieces = (symbols(substitute(self.switches[k].g, dict(zip(inner, side, strict=False)))) for side in sides)
            if inner and (len(inner) > ORDERS or any(time not in leaves for leaves in pieces)):
                found.update(places[mode] for mode in inner)
        return tuple(sorted(found))

    @cached_property
    def of_rates(self) -> tuple[bool, ...]:
        """Which switching functions depend on rates."""
        return tuple(any(leaf.order == 1 for leaf in symbols(s.g)) or unknown_in(s.g) for s in self.switches)

    @cached_property
    def of_place(self) -> tuple[bool, ...]:
        """Which switching functions depend on positions or rates."""
        return tuple(any(leaf.kind == "coordinate" for leaf in symbols(switch.g)) for switch in self.switches)

    @cached_property
    def parts(self) -> dict[str, frozenset[int]]:
        """Which switches the "constraints", the "masses" that follow from an energy, and the "energies" depend on."""
        free = self.system._free
        energies = [e for name in ENERGIES if (e := getattr(free, name)) is not None]
        of = {
            "constraints": [row.zero for row in self.system.rows],
            "masses": free.masses.entries if energies and self.switches and not self.in_forces else (),
            "energies": energies,
        }
        places = {switch.mode: k for k, switch in enumerate(self.switches)}
        return {
            name: frozenset(places[leaf] for leaf in symbols(list(formulas)) if leaf in places)
            for name, formulas in of.items()
        }

    @cached_property
    def only_forces(self) -> bool:
        """Whether the switches are in forces alone, and the masses and constraints are the same on all pieces."""
        if self.in_forces or not self.switches:
            return True
        modes = {switch.mode for switch in self.switches}
        return modes.isdisjoint(symbols(self.system.M, self.system.A, self.system.b, self.system.velocity_constraints))

    @cached_property
    def energies(self) -> tuple[list[str], Evaluator]:
        """Names and values of the energies that are known, on the pieces."""
        known = [name for name in ENERGIES if getattr(self.system._free, name) is not None]
        return known, Evaluator([as_expression(getattr(self.system._free, name)) for name in known], self.system.inputs)

    @cached_property
    def stored(self) -> Array:
        """−∂V/∂q on the pieces, of a large system."""
        return gradient(-as_expression(self.system._free.potential), self.system.coordinates)

    @cached_property
    def stored_forces(self) -> Evaluator:
        """Values of −∂V/∂q."""
        return Evaluator(self.stored, self.system.inputs)


ENERGIES = ("kinetic", "potential", "energy")
