"""What holds a large motion to its switches, for one module of all its pieces: a flag says of each switch whether it does.

Functions that are asked for where a switch holds are others than where it does not: of either, one is 1 where the other is
asked for, so that it never falls through zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from zeromass.expression import Array, Expression, as_expression, expressions, jacobian, substitute, symbols, where
from zeromass.expression.build import ONE
from zeromass.integrate.piecewise import HOLD, LOW, SWITCH, place_of
from zeromass.model import Event, ModelError
from zeromass.model.large_pieces import Held
from zeromass.model.pieces import SystemPieces


class Holding:
    """Flags and functions of the switches of a large system that may hold its motion, λ = β c with 0 ≤ β ≤ 1.

    held  what is known of them, by their numbers
    """

    def __init__(self, pieces: SystemPieces) -> None:
        self._pieces = pieces
        numbers = {switch.mode: k for k, switch in enumerate(pieces.switches)}
        self.held: dict[int, Held] = {numbers[mode]: held for mode, held in pieces.held.items()}

    def check(self) -> None:
        """That no switch depends on what holds another; an error that says which."""
        for switch in self._pieces.switches:
            inside = [k for k in self.held if self._pieces.switches[k].mode in symbols(switch.g)]
            if inside:
                said = self._pieces.switches[inside[0]].said
                raise ModelError(
                    f"'{switch.said!r}' depends on '{said!r}', which may hold the motion; a page has no code for that"
                )

    @property
    def judged(self) -> list[Expression]:
        """c, β and 1 − β of each: whether it can hold, and whether it goes on to."""
        return [e for k, held in self.held.items() for e in (held.c, *(self._plain(k, e) for e in held.leaving))]

    def _plain(self, k: int, e: Expression) -> Expression:
        """Without the margin of a switch."""
        return as_expression(substitute(e, {self._pieces.switches[k].margin: 0.0}))

    def meant(self, e: Any) -> Array:
        """Expressions on pieces as they act: the mean of both sides of each switch that holds, (1 − β) low + β high."""
        e = expressions(e)
        return expressions([self._meant(one) for one in e.ravel()]).reshape(e.shape)

    def _meant(self, e: Expression) -> Expression:
        leaves = set(symbols(e))
        felt = {self._pieces.switches[k].mode: k for k in self.held if self._pieces.switches[k].mode in leaves}
        if not felt:
            return e
        acting = {mode: self._acting(k) for mode, k in felt.items()}
        if set(felt).isdisjoint(symbols(jacobian([e], list(felt)))):  # then the mean is that of the modes
            return as_expression(substitute(e, acting))
        if len(felt) > 1:
            said = ", ".join(f"'{self._pieces.switches[k].said!r}'" for k in [*felt.values()][:2])
            raise ModelError(
                f"what is shown depends on {said} together, which may hold the motion; a page has no code for that"
            )
        ((mode, _),) = felt.items()
        low, high = (as_expression(substitute(e, {mode: side})) for side in (-1.0, 1.0))
        return as_expression(low + (1 + acting[mode]) / 2 * (high - low))

    def _acting(self, k: int) -> Expression:
        """The mode of a switch, −1 + 2β where it holds."""
        held = self.held[k]
        return as_expression(where(held.flag > 0.5, 2 * self._plain(k, held.above) - 1, self._pieces.switches[k].mode))

    def watched(self, events: Sequence[Event]) -> list[Event]:
        """What is watched where nothing holds, and where something does."""
        found: list[Event] = []
        for event in events:
            if not event.name.startswith((LOW, SWITCH)):
                found.append(replace(event, zero=self._meant(as_expression(event.zero))))
                continue
            k, _ = place_of(event.name)
            if k not in self.held:
                found.append(event)
                continue
            flag, leaving = self.held[k].flag, self.held[k].leaving
            found.append(replace(event, zero=as_expression(where(flag > 0.5, ONE, event.zero))))
            if event.name.startswith(LOW):
                found += [
                    Event(f"{HOLD}{k} {i}", as_expression(where(flag > 0.5, e, ONE)), direction=-1)
                    for i, e in enumerate(leaving)
                ]
        return found

    def told(self) -> dict[str, Any]:
        """What the driver is told: which parameter is the flag of each switch, after modes and margins."""
        pieces = self._pieces
        first = len(pieces.given.parameters) + 2 * len(pieces.switches)
        flags = {p: i for i, p in enumerate(pieces.system.parameters[first:])}
        return {"flags": len(flags), "held": [[k, flags[held.flag]] for k, held in self.held.items()]}
