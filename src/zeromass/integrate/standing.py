"""Where a state stands on the pieces of a system, and what decides there on which of them a motion goes on.

Values of switching functions, their slopes and accelerations are computed once a state: a decision looks at them from
several sides, and the next run from the same start looks at them again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, jacobian, rate, substitute
from zeromass.integrate.stepping.functions import Slope
from zeromass.model import State
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative


NEAR_ENOUGH = 1e-6
"""Part of the largest coordinate or rate, or of 1, above which a switching function of a large system is not zero."""


class Standing:
    """States on the pieces of a system during one run.

    lanes  of the method in charge, whose machine code is used
    """

    pieces: SystemPieces

    def __init__(self, pieces: SystemPieces, lanes: int) -> None:
        self.pieces, self._lanes = pieces, lanes
        self._hidden = pieces.system.parameters[len(pieces.given.parameters) :]
        self._sides = tuple(switch.mode for switch in pieces.switches if switch.kind == "side")
        self._programs: dict[tuple[float, ...], Program] = {}
        self._functions: dict[Program, Slope] = {}

    def state(self, state: State, modes: Mapping[Symbol, float]) -> State:
        """A state of the given system on some pieces."""
        key = self.pieces, *[modes.get(leaf) for leaf in self._hidden]
        if key not in state.memory:
            state.memory[key] = self.pieces.state(state, modes)
        return state.memory[key]

    def program(self, here: State) -> Program:
        """The program on the pieces of a state; that of an earlier state on the same ones, whole numbers and turns apart."""
        key = self._key(here)
        if key not in self._programs:
            self._programs[key] = program_at(self.pieces.system, here)
        return self._programs[key]

    def take(self, program: Program) -> None:
        """Goes on with the pivots that a large motion has come to: one program is for all its pieces."""
        self._programs[()] = program

    def seen(self, here: State) -> bool:
        """Whether there was a motion on the same pieces before."""
        return self._key(here) in self._programs

    def _key(self, here: State) -> tuple[float, ...]:
        if self.pieces.in_forces:
            return ()  # one program is for all pieces, and for all that holds
        return tuple([here.parameters[mode] for mode in self._sides])

    def looked(
        self, here: State, known: Container[int], near: float, slack: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values of the switching functions, of what size their rounding is, and within what they count as zero.

        That is a part `near` of this size, and what a function changes by in the time `slack`. Of a large system sizes are
        found of functions that may count as zero alone; others have a negative bound.

        known  switches that are reached, or held
        """
        n = len(here.q)
        if not self.pieces.in_forces:
            (g, sizes), slopes = self.switching(here), self.slopes(here)
            a = self.acceleration(here) if slopes[:, 1 + n :].any() and known else np.zeros(n)
            drift = np.abs(slopes @ np.concatenate([[1.0], here.v, a]))
            return g, sizes, near * sizes + slack * drift
        values, switches = self.watching(here), self.pieces.switches
        g = np.array([values.get(switch.g, np.nan) for switch in switches])
        sizes, bands = np.zeros(len(g)), np.full(len(g), -1.0)
        whole = np.array([switch.kind == "whole" for switch in switches])
        off, most = np.abs(np.where(whole, g - np.round(g), g)), NEAR_ENOUGH * max(1.0, np.abs([here.q, here.v]).max())
        held = {k for k, switch in enumerate(switches) if switch.mode in self.pieces.held and k in known}
        for k in np.flatnonzero(off <= most).tolist():
            if k not in held:
                drift = abs(values[self.pieces.along(switches[k].g)])
                sizes[k] = self.pieces.size(k, here)
                bands[k] = near * sizes[k] + slack * drift
        return g, sizes, bands

    def slope(self, here: State, k: int) -> np.ndarray:
        """Of one switching function by time, positions and rates, shape (1 + 2n,)."""
        if not self.pieces.in_forces:
            return self.slopes(here)[k]
        if ("slope", k) not in here.memory:
            here = here if here.system is self.pieces.system else self.state(here, {})
            here.memory["slope", k] = self.pieces.one_by_one.slopes(k, here.inputs)
        return here.memory["slope", k]

    def switching(self, here: State) -> tuple[np.ndarray, np.ndarray]:
        """Values of the switching functions, and of what size their rounding is."""
        if "switching" not in here.memory:
            here.memory["switching"] = self.pieces.switching(here)
        return here.memory["switching"]

    def slopes(self, here: State) -> np.ndarray:
        """Of the switching functions by time, positions and rates, shape (switches, 1 + 2n)."""
        if "slopes" not in here.memory:
            here.memory["slopes"] = self.pieces.slopes(here.inputs)
        return here.memory["slopes"]

    def higher_slopes(self, here: State, k: int, order: int) -> np.ndarray:
        """Of a derivative of one switching function along the motion, one order below, by time, positions and rates."""
        if self.pieces.in_forces:
            return self.pieces.one_by_one.slopes(k, here.inputs, order)
        return self._derivative(self.program(here), k, order)[1](here.inputs)

    def _derivative(self, program: Program, k: int, order: int) -> tuple[Expression, Evaluator]:
        """The derivative one order below as a function of the state, and its slopes by time, positions and rates."""
        system = self.pieces.system
        known: dict[tuple[Program, int, int], tuple[Expression, Evaluator]]
        known, key = system.memory.setdefault("derivatives of switches", {}), (program, k, order)
        if key not in known:
            last = self.pieces.switches[k].g if order == 2 else self._derivative(program, k, order - 1)[0]
            solution: dict[Any, Expression] = dict(zip(system.accelerations, program.acceleration, strict=True))
            along = as_expression(substitute(as_expression(rate(last)), solution))
            known[key] = (
                along,
                Evaluator(jacobian([along], system.inputs[: 1 + 2 * len(program.acceleration)])[0], system.inputs),
            )
        return known[key]

    def acceleration(self, here: State) -> np.ndarray:
        """q̈ at a state on its pieces."""
        program = self.program(here)
        key = program, self._lanes  # machine code of other lanes may round otherwise
        if key not in here.memory:
            n, inputs = len(here.q), here.inputs
            if program not in self._functions:
                self._functions[program] = Slope(program.native, 2 * n, len(inputs) - 1 - 2 * n, self._lanes)
            slope = self._functions[program]
            slope.parameters[:] = inputs[1 + 2 * n :, None]
            here.memory[key] = slope(here.t, inputs[1 : 1 + 2 * n])[0][n:]
        return here.memory[key]

    def watching(self, here: State) -> dict[Expression, float]:
        """The functions of the switches of a large system, those of what holds among them."""
        program = self.program(here)
        key = "watching", program
        if key not in here.memory:
            watching = cast("RolledNative", program.native).watching
            assert watching is not None
            values = watching(here.inputs[None])[0]
            here.memory[key] = {e: float(values[k]) for e, k in watching.places.items()}
        return here.memory[key]

    def growth(self, here: State) -> float:
        """Of the pivots at a state on its pieces."""
        return float(self.program(here).native.growth(here.inputs))

    def words(self, which: Sequence[int]) -> str:
        """Formulas that switch, as they were written."""
        known: dict[int, str] = self.pieces.system.memory.setdefault("words", {})
        for k in which:
            if k not in known:
                known[k] = self.pieces.told(k)
        return ", ".join(dict.fromkeys(known[k] for k in which))
