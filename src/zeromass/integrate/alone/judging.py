"""What switches are decided by, as functions of a module: switching functions, their rounding, and their derivatives.

A driver outside Python asks for them at a state, for some modes, as `zeromass.integrate.hybrid.selection` does.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, gradient, jacobian, rate, substitute, symbols, t
from zeromass.expression.build import ZERO, function
from zeromass.expression.magnitude import magnitudes
from zeromass.expression.node import ordered
from zeromass.expression.pieces import Switch, switches
from zeromass.integrate.alone.holding import judged_holds
from zeromass.integrate.hybrid.tolerances import ORDERS
from zeromass.model import System
from zeromass.model.pieces import SystemPieces

LARGEST = 6000
"""Operations of derivatives that a module is given at most; a switch that asks for more ends the motion in a page."""

INNER = 4
"""Modes inside a switching function at most, all of whose sides are tried for whether it is constant there."""


class Judging:
    """Functions of time, state and parameters, modes among them, that switches of a system are decided by.

    judged  values at once: "g", the "sizes" of its rounding, "slopes" by time, positions and rates as far as it depends on
            them, what lies "across" of turns, "timed" functions of time alone and their "phases", "constants", "energies"
            and the forces "Q", and what tells whether a switch holds the motion
    deeper  slopes of derivatives of g along the motion, of the second order and higher, as far as they are not too long; of
            large systems, whose accelerations are no formulas, of the second order of functions of the place
    """

    pieces: SystemPieces
    program: Program

    def __init__(self, pieces: SystemPieces, program: Program) -> None:
        self.pieces, self.program = pieces, program
        self._places: dict[Expression, int] = {x: i for i, x in enumerate(pieces.system.inputs[: self._width])}

    @property
    def _width(self) -> int:
        return 1 + 2 * len(self.pieces.system.coordinates)

    @cached_property
    def parts(self) -> dict[str, list[Expression]]:
        """What is judged, by name."""
        pieces, system = self.pieces, self.pieces.system
        functions = [switch.g for switch in pieces.switches]
        g: list[Expression] = list(self.program.solved(functions))
        sizes = list(self.program.solved(magnitudes(functions, sizes_of(pieces.system))))
        energies = [as_expression(getattr(system._free, name)) for name in pieces.energies[0]]
        felt = bool(pieces.parts["energies"])
        return {
            "g": g,
            "sizes": sizes,
            "slopes": [e for some in self._slopes for e in some.values()],
            "across": [switch.across for switch in pieces.switches],
            "timed": [pieces.switches[k].plain for k in pieces.of_time],
            "phases": [ZERO if (e := phase(pieces.switches[k])) is None else e for k in pieces.of_time],
            "constants": [value for table in self.constant.values() for value in table.values() if value is not None],
            "energies": energies if felt else [],
            "Q": self._forces if felt else [],
            "held": self._held,
        }

    @property
    def _held(self) -> list[Expression]:
        found = judged_holds(self.pieces, self.program)
        return found if self.pieces.in_forces else list(self.program.solved(found))

    @property
    def _forces(self) -> list[Expression]:
        system = self.pieces.system
        if not self.pieces.in_forces:
            return list(system.Q)
        return list(gradient(-as_expression(system._free.potential), system.coordinates))

    @cached_property
    def _slopes(self) -> list[dict[int, Expression]]:
        """Of each switching function, by places of what it depends on among time, positions and rates."""
        return [self._sloped(as_expression(g)) for g in self.program.solved([s.g for s in self.pieces.switches])]

    def _sloped(self, e: Expression) -> dict[int, Expression]:
        leaves = sorted((leaf for leaf in symbols(e) if leaf in self._places), key=lambda leaf: self._places[leaf])
        found = jacobian([e], leaves)[0] if leaves else ()
        return {self._places[leaf]: slope for leaf, slope in zip(leaves, found, strict=True)}

    @cached_property
    def constant(self) -> dict[int, dict[tuple[float, ...], Expression | None]]:
        """Switches whose functions are numbers on some pieces, as max(x, 0) is where x < 0: the numbers, by inner modes."""
        pieces, found = self.pieces, {}
        for k, inner in enumerate(pieces.inner):
            if not inner or len(inner) > INNER or k in pieces.of_time:
                continue
            table: dict[tuple[float, ...], Expression | None] = {}
            for sides in product((1.0, -1.0), repeat=len(inner)):
                g = as_expression(substitute(pieces.switches[k].g, dict(zip(inner, sides, strict=True))))
                table[sides] = g if {leaf.kind for leaf in symbols(g)} <= {"parameter"} else None
            found[k] = table
        return found

    @cached_property
    def deeper(self) -> dict[tuple[int, int], dict[int, Expression]]:
        """Slopes of derivatives one order below, by switch and order; by places as those of g."""
        pieces, program, large = self.pieces, self.program, self.pieces.in_forces
        accelerations = program.system.accelerations
        solution: dict[Any, Expression] = {} if large else dict(zip(accelerations, program.acceleration, strict=True))
        found: dict[tuple[int, int], dict[int, Expression]] = {}
        last = {k: s.g for k, s in enumerate(pieces.switches) if self._followed(k)}
        for order in range(2, 3 if large else ORDERS + 1):
            for k in list(last):
                last[k] = as_expression(substitute(as_expression(rate(last[k])), solution))
                slopes = self._sloped(last[k])
                some = [e for known in (*found.values(), slopes) for e in known.values()]
                if not large and len(ordered(some)) > LARGEST:
                    del last[k]
                    continue
                found[k, order] = slopes
        return found

    def _followed(self, k: int) -> bool:
        pieces = self.pieces
        if pieces.in_forces and pieces.of_rates[k]:
            return False
        return pieces.switches[k].kind != "turn" and k not in pieces.of_time and k not in pieces.of_force

    def told(self) -> dict[str, Any]:
        """What the driver is told: where the parts stand, and what is known of switches."""
        places, at = {}, 0
        for name, some in self.parts.items():
            places[name] = at
            at += len(some)
        constants, count = [], 0
        for k, table in self.constant.items():
            for sides, value in table.items():
                constants.append([k, list(sides), None if value is None else count])
                count += value is not None
        modes = {switch.mode: k for k, switch in enumerate(self.pieces.switches)}
        deeper, first = [], 0
        for (k, order), some in self.deeper.items():
            deeper.append([k, order, first, list(some)])
            first += len(some)
        return {
            "judged": places,
            "count": at,
            "columns": [list(some) for some in self._slopes],
            "deeper": deeper,
            "constants": constants,
            "inner": [[modes[leaf] for leaf in inner] for inner in self.pieces.inner],
        }


def higher_slopes(pieces: SystemPieces, program: Program) -> dict[tuple[int, int], list[Expression]]:
    """Of derivatives of switching functions along the motion, by switch and order: by time, positions and rates."""
    width = 1 + 2 * len(program.system.coordinates)
    found = Judging(pieces, program).deeper
    return {key: [slopes.get(i, ZERO) for i in range(width)] for key, slopes in found.items()}


def sizes_of(system: System) -> dict[Expression, Expression]:
    """Of leaves that are known to rounding of the largest of their kind."""
    found: dict[Expression, Expression] = {}
    for kind in (system.coordinates, system.rates, system.accelerations, system.multipliers):
        if len(kind):
            size = function("abs", kind[0])
            for x in kind[1:]:
                size = function("maximum", size, function("abs", x))
            found.update(dict.fromkeys(kind, size))
    return found


def phase(switch: Switch) -> Expression | None:
    """What of a switch of time alone is a + b t, and zero where it switches, or a whole number; None of others.

    Of sin(ω t) it is ω t/π, so that the times are known for any ω.
    """
    g, shift = _wave(switch)
    inside = g if shift is None else as_expression(g.args[0] / np.pi - shift)
    return inside if not switches([inside]) and t not in symbols(jacobian([inside], [t])) else None


def whole(switch: Switch) -> bool:
    """Whether a switch of time alone is at all whole numbers of its phase."""
    return switch.kind == "whole" or _wave(switch)[1] is not None


def _wave(switch: Switch) -> tuple[Expression, float | None]:
    """The function of a switch without its sign, and how far its zeros are before whole numbers of its angle over π."""
    g = switch.plain
    while g.op == "negative" and switch.kind == "side":
        (g,) = g.args
    return g, {"sin": 0.0, "cos": 0.5}.get(g.op) if switch.kind == "side" else None
