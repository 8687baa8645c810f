"""What formulas of a scenario may name of a system."""

from __future__ import annotations

from collections.abc import Mapping

from zeromass.errors import nearest
from zeromass.expression import Expression
from zeromass.scenario.reading import OF_FORMULAS, Reader
from zeromass.scenario.source import Key


def named_coordinate(reader: Reader, name: str, known: Mapping[str, Expression], key: Key) -> Expression | None:
    """The coordinate of a name."""
    if name not in known and not reader.in_doubt(name, beside=OF_FORMULAS):
        hint = nearest(name, known) or f"; there are: {', '.join(known)}"
        reader.wrong(f"'{name}' is no coordinate{hint}", key)
    return known.get(name)
