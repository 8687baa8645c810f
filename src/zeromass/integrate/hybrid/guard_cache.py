"""Where a state stands on the pieces of a system, and what decides there on which of them a motion goes on.

Values of switching functions, their slopes and accelerations are computed once a state: a decision looks at them from
several sides, and the next run from the same start looks at them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, jacobian, rate, substitute
from zeromass.integrate.stepping.functions import Slope
from zeromass.model import State
from zeromass.model.pieces import SystemPieces


class GuardCache:
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
