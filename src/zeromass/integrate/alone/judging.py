"""What switches are decided by, as functions of a module: switching functions, their rounding, and their derivatives.

A driver outside Python asks for them at a state, for some modes, as `zeromass.integrate.deciding` does.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, rate, substitute, symbols, t
from zeromass.expression.build import ZERO, function
from zeromass.expression.magnitude import magnitudes
from zeromass.expression.node import ordered
from zeromass.expression.pieces import Switch, switches
from zeromass.integrate.deciding import ORDERS
from zeromass.model.pieces import SystemPieces

LARGEST = 6000
"""Operations of derivatives that a module is given at most; a switch that asks for more ends the motion in a page."""

INNER = 4
"""Modes inside a switching function at most, all of whose sides are tried for whether it is constant there."""


class Judging:
    """Functions of time, state and parameters, modes among them, that switches of a system are decided by.

    judged  values at once: "g", the "sizes" of its rounding, "slopes" by time, positions and rates, what lies "across" of
            turns, "timed" functions of time alone and their "phases", "constants", "energies" and the forces "Q"
    deeper  slopes of derivatives of g along the motion, of the second order and higher, as far as they are not too long
    """

    def __init__(self, pieces: SystemPieces, program: Program) -> None:
        self.pieces, self.program = pieces, program
        self._state: list[Expression] = list(pieces.system.inputs[: 1 + 2 * len(program.acceleration)])

    @cached_property
    def parts(self) -> dict[str, list[Expression]]:
        """What is judged, by name."""
        pieces, system = self.pieces, self.pieces.system
        functions = [switch.g for switch in pieces.switches]
        g: list[Expression] = list(self.program.solved(functions))
        sizes = list(self.program.solved(magnitudes(functions, self._sizes())))
        energies = [as_expression(getattr(system._free, name)) for name in pieces.energies[0]]
        felt = bool(pieces.parts["energies"])
        return {
            "g": g,
            "sizes": sizes,
            "slopes": list(jacobian(g, self._state).ravel()),
            "across": [switch.across for switch in pieces.switches],
            "timed": [pieces.switches[k].plain for k in pieces.of_time],
            "phases": [ZERO if (e := phase(pieces.switches[k])) is None else e for k in pieces.of_time],
            "constants": [value for table in self.constant.values() for value in table.values() if value is not None],
            "energies": energies if felt else [],
            "Q": list(system.Q) if felt else [],
        }

    def _sizes(self) -> dict[Expression, Expression]:
        """Of leaves that are known to rounding of the largest of their kind."""
        system = self.pieces.system
        kinds = (system.coordinates, system.rates, system.accelerations, system.multipliers)
        found: dict[Expression, Expression] = {}
        for kind in kinds:
            if len(kind):
                size = function("abs", kind[0])
                for x in kind[1:]:
                    size = function("maximum", size, function("abs", x))
                found.update(dict.fromkeys(kind, size))
        return found

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
    def deeper(self) -> dict[tuple[int, int], list[Expression]]:
        """Slopes of derivatives one order below, by switch and order."""
        pieces, program = self.pieces, self.program
        solution: dict[Any, Expression] = dict(zip(program.system.accelerations, program.acceleration, strict=True))
        found: dict[tuple[int, int], list[Expression]] = {}
        last = {k: s.g for k, s in enumerate(pieces.switches) if self._followed(k)}
        for order in range(2, ORDERS + 1):
            for k in list(last):
                last[k] = as_expression(substitute(as_expression(rate(last[k])), solution))
                slopes = list(jacobian([last[k]], self._state)[0])
                if len(ordered([e for some in found.values() for e in some] + slopes)) > LARGEST:
                    del last[k]
                    continue
                found[k, order] = slopes
        return found

    def _followed(self, k: int) -> bool:
        pieces = self.pieces
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
        return {
            "judged": places,
            "count": at,
            "deeper": [[k, order, i * len(self._state)] for i, (k, order) in enumerate(self.deeper)],
            "constants": constants,
            "inner": [[modes[leaf] for leaf in inner] for inner in self.pieces.inner],
        }


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
