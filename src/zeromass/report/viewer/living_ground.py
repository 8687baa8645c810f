"""The surface of a page that is alive, as far as sliders change it: its heights and its motion, as functions of place."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from zeromass.expression import Expression, Symbol, derivative, expressions, substitute, symbols
from zeromass.model import Ground


class LiveGround:
    """What of a surface changes with some parameters.

    fields     expressions of place, time and parameters that the page evaluates
    following  {"heights", "shift", "turn": where they begin among the fields}
    stays      names of parameters that change the surface in a way that the page can not follow
    """

    fields: list[Expression]
    following: dict[str, int]
    stays: list[str]

    def __init__(self, ground: Ground | None, parameters: Collection[Symbol]) -> None:
        self.fields, self.following, self.stays = [], {}, []
        self.ground = ground
        if ground is None:
            return

        def moved_by(e: Any) -> list[str]:
            return [p.name for p in symbols(expressions(e)) if p in parameters]

        if moved_by(ground.f):
            height = _height(ground)
            if height is None:
                self.stays += moved_by(ground.f)
            else:
                self._follow("heights", [height])
        if moved_by(ground.shift):
            self._follow("shift", list(ground.shift))
        if ground.rotation is not None and moved_by(ground.rotation):
            self._follow("turn", list(ground.rotation.ravel()))

    def _follow(self, what: str, fields: list[Expression]) -> None:
        self.following[what] = len(self.fields)
        self.fields += fields

    def data(self, entry: dict[str, Any]) -> dict[str, Any] | None:
        """What the page is told, of the surface as it is drawn; one that is drawn at rest can not begin to move."""
        if "heights" in self.following and entry["kind"] != "height":
            self.stays.append(entry["name"])
        moving = {"shift", "turn"} & self.following.keys()
        if moving and entry["motion"] is None:
            self.stays.append(entry["name"])
            self.following = {what: place for what, place in self.following.items() if what not in moving}
        return {"fields": len(self.fields), **self.following} if self.following else None


def _height(ground: Ground) -> Expression | None:
    """Z over X and Y where f = a Z − h(X, Y), a constant; None of other surfaces."""
    X, Y, Z = ground.place
    a = derivative(ground.f, Z)
    if a.value == 0 or any(leaf in (X, Y, Z) for leaf in symbols(a)):
        return None
    return expressions(-substitute(ground.f, {Z: 0.0}) / a).item()
