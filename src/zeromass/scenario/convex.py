"""[rolling.body], kind = "convex": any convex body, by a formula of its outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zeromass.contact.by_function import convex
from zeromass.expression import Symbol, coordinate, symbols
from zeromass.scenario.kinds import Names, Numbers, Problem
from zeromass.scenario.reading import Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.source import Key


class OutsideFormula(Numbers):
    """A function of X, Y and Z, in the axes of the body."""

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        def outside(*place: Any) -> Any:
            return reader.expression(given, key, dict(zip("XYZ", place, strict=True)))

        at = [coordinate(name) for name in "XYZ"]
        if any(isinstance(leaf, Symbol) and leaf.kind == "time" for leaf in symbols(outside(*at))):
            reader.wrong("a body does not change its shape: leave t out", key)
        return outside


def _one_formula(given: dict[str, Any]) -> Iterator[Problem]:
    if ("support" in given) == ("implicit" in given):
        yield (), 'a convex body has one formula in X, Y and Z: implicit = "…", zero on its outside, or support = "…"'


CONVEX = table(
    convex,
    said=dict.fromkeys(("support", "implicit"), OutsideFormula("names")),
    means={
        "support": "how far the body reaches in the direction of a unit vector (X, Y, Z), from its centre, m",
        "implicit": "negative inside the body, zero on its outside, a formula of X, Y and Z from its centre, m",
    },
    rule=_one_formula,
    words="Any convex body, by one of two formulas of X, Y and Z in its axes.",
)
