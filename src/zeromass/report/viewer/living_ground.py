"""Surfaces of a page that is alive, as far as sliders change them: heights and motions, as functions of place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from zeromass.expression import Expression, Symbol, derivative, expressions, substitute, symbols
from zeromass.model import Drawing, Ground
from zeromass.report.viewer.grounds import made_of


class LiveGrounds:
    """What of the surfaces of a system changes with some parameters.

    fields  expressions of place, time and parameters that the page evaluates, of all surfaces
    place   the symbols X, Y, Z of them
    """

    def __init__(self, drawing: Drawing, parameters: Collection[Symbol]) -> None:
        grounds = [] if drawing.ground is None else [drawing.ground, *drawing.beside]
        self.fields: list[Expression] = []
        self.each: list[LiveGround] = [
            LiveGround(ground, parameters, self.fields) for ground in {made_of(g): g for g in grounds}.values()
        ]
        self.place: tuple[Symbol, ...] = tuple(grounds[0].place) if grounds else ()

    def data(self, run: Mapping[str, Any], surfaces: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What the page is told, of the surfaces of a run as they are drawn."""
        if run["surface"] is None:
            return []
        places = [run["surface"], *run["beside"]]
        told = [one.data(surfaces[k]) for one, k in zip(self.each, places, strict=True)]
        return [
            {"surface": k, "fields": len(self.fields), **some} for k, some in zip(places, told, strict=True) if some
        ]

    @property
    def stays(self) -> list[tuple[str, list[str]]]:
        """Surfaces that the page can not change, each with what it depends on."""
        return [(one.ground.name, list(dict.fromkeys(one.stays))) for one in self.each if one.stays]


class LiveGround:
    """What of a surface changes with some parameters.

    fields     of all surfaces, to which its own are added
    following  {"heights", "shift", "turn": where they begin among the fields}
    stays      names of parameters that change the surface in a way that the page can not follow
    """

    following: dict[str, int]
    stays: list[str]
    ground: Ground
    fields: list[Expression]

    def __init__(self, ground: Ground, parameters: Collection[Symbol], fields: list[Expression]) -> None:
        self.ground, self.fields, self.following, self.stays = ground, fields, {}, []

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

    def data(self, entry: dict[str, Any]) -> dict[str, int]:
        """What of the surface, as it is drawn, follows; one that is drawn at rest can not begin to move."""
        if "heights" in self.following and entry["kind"] != "height":
            self.stays.append(entry["name"])
            del self.following["heights"]
        moving = {"shift", "turn"} & self.following.keys()
        if moving and entry["motion"] is None:
            self.stays.append(entry["name"])
            self.following = {what: place for what, place in self.following.items() if what not in moving}
        return self.following


def _height(ground: Ground) -> Expression | None:
    """Z over X and Y where f = a Z − h(X, Y), a constant; None of other surfaces."""
    X, Y, Z = ground.place
    a = derivative(ground.f, Z)
    if a.value == 0 or any(leaf in (X, Y, Z) for leaf in symbols(a)):
        return None
    return expressions(-substitute(ground.f, {Z: 0.0}) / a).item()
