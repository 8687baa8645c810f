"""A system whose formulas have kinks or jumps, as one that is smooth between its switches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Array, Evaluator, Symbol, as_expression, jacobian, symbols
from zeromass.expression.pieces import Pieces, Switch, unwrapped
from zeromass.model.state import Magnitude, State

if TYPE_CHECKING:
    from zeromass.model.system import System


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

    def __init__(self, given: System) -> None:
        from zeromass.model.system import System

        free, zeros = given._free, [row.zero for row in given.rows]
        energies = {name: e for name in ENERGIES if (e := getattr(free, name)) is not None}
        pieces = Pieces(unwrapped([*zeros, *energies.values()]))
        new = pieces.found(zeros)
        stored = {name: pieces.found(e).item() for name, e in energies.items()}  # as they were written, before Q
        M, Q, C = (pieces.found(block) for block in (free.M, free.Q, given.C))
        free = free._replace(M=M, Q=Q, **stored)
        smooth = object.__new__(System)
        smooth._complete(free, [row._replace(zero=zero) for row, zero in zip(given.rows, new, strict=True)], C)
        smooth.multipliers = given.multipliers
        self.switches = tuple(pieces.switches)
        hidden = [leaf for switch in self.switches for leaf in (switch.mode, switch.margin)]
        smooth.parameters = (*given.parameters, *hidden)
        self.given, self.system, self._pieces = given, smooth, pieces

    def smooth(self, e: Any) -> Array:
        """Expressions of the system as they are on its pieces: with modes where the system has them."""
        return self._pieces.smooth(e)

    def state(self, state: State, modes: Mapping[Symbol, float]) -> State:
        """A state on one of the pieces."""
        values = {p: state.parameters[p] for p in self.given.parameters}
        hidden = {leaf: float(modes.get(leaf, leaf.default or 0.0)) for leaf in self.system.parameters[len(values) :]}
        return State(self.system, state.t, state.q, state.v, {**values, **hidden}, state.free)

    def turns(self, modes: Mapping[Symbol, float]) -> dict[Symbol, float]:
        """From where angles that go on over the cut of arctan2 are measured, of the values of all modes."""
        return {switch.mode: modes[switch.mode] for switch in self.switches if switch.kind == "turn"}

    @cached_property
    def functions(self) -> Magnitude:
        """The switching functions, and what rounding may do to them."""
        return Magnitude([switch.g for switch in self.switches], self.system.inputs)

    def switching(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Values of the switching functions at a state on the pieces, and of what size their rounding is.

        A state is known to rounding of its largest coordinate and rate.
        """
        inputs, n = state.inputs, len(state.q)
        sizes = np.abs(inputs)
        for block in (slice(1, 1 + n), slice(1 + n, 1 + 2 * n)):
            sizes[block] = sizes[block].max()
        return self.functions.with_values(inputs, sizes)

    @cached_property
    def across(self) -> Evaluator:
        """Of turns: what lies across the direction that an angle is measured from."""
        return Evaluator([switch.across for switch in self.switches], self.system.inputs)

    @cached_property
    def slopes(self) -> Evaluator:
        """Of the switching functions by time, positions and rates, shape (switches, 1 + 2n)."""
        n = len(self.system.coordinates)
        return Evaluator(
            jacobian([switch.g for switch in self.switches], self.system.inputs[: 1 + 2 * n]), self.system.inputs
        )

    @cached_property
    def of_time(self) -> tuple[int, ...]:
        """The switches whose functions depend on time and parameters alone: they are known ahead."""
        kinds = [{leaf.kind for leaf in symbols(switch.plain)} for switch in self.switches]
        return tuple(k for k, kind in enumerate(kinds) if "time" in kind and kind <= {"time", "parameter"})

    @cached_property
    def bent(self) -> frozenset[int]:
        """The switches whose functions are no sums of multiples of time, positions and rates.

        Those that are change their sign no more often than the motion turns; others may do so many times in a smooth step.
        """
        state = set(self.system.inputs[: 1 + 2 * len(self.system.coordinates)])
        slopes = [jacobian([switch.g], list(state)) for switch in self.switches]
        return frozenset(k for k, by in enumerate(slopes) if not state.isdisjoint(symbols(by)))

    @cached_property
    def nested(self) -> bool:
        """Whether switching functions depend on the modes of others."""
        modes = {switch.mode for switch in self.switches}
        return not modes.isdisjoint(leaf for s in self.switches if s.kind != "turn" for leaf in symbols(s.g))

    @cached_property
    def of_rates(self) -> tuple[bool, ...]:
        """Which switching functions depend on rates."""
        return tuple(any(leaf.order == 1 for leaf in symbols(switch.g)) for switch in self.switches)

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
            "masses": free.M.ravel() if energies else (),
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
        modes = {switch.mode for switch in self.switches}
        return modes.isdisjoint(symbols(self.system.M, self.system.A, self.system.b, self.system.velocity_constraints))

    @cached_property
    def energies(self) -> tuple[list[str], Evaluator]:
        """Names and values of the energies that are known, on the pieces."""
        known = [name for name in ENERGIES if getattr(self.system._free, name) is not None]
        return known, Evaluator([as_expression(getattr(self.system._free, name)) for name in known], self.system.inputs)


ENERGIES = ("kinetic", "potential", "energy")
