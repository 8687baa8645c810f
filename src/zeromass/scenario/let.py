"""[let]: formulas with names, for use in others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from zeromass.expression import Expression, as_expression
from zeromass.scenario.errors import FormulaError
from zeromass.scenario.formula import formula
from zeromass.scenario.source import Key, dotted
from zeromass.scenario.unread import pointed, something

if TYPE_CHECKING:
    from zeromass.scenario.reading import Reader


class Known(Mapping[str, Expression]):
    """What a formula may name: some names, and those of [let], which are read as they are asked for.

    key     of the formula that asks
    before  how many of the names of [let] it may use: a formula of [let] those above it
    """

    def __init__(self, reader: Reader, names: Mapping[str, Expression], key: Key, before: int | None = None) -> None:
        self._reader, self._names, self._key = reader, names, key
        self._let = list(reader.let)[:before]

    def __getitem__(self, name: str) -> Expression:
        if name in self._names:
            if name in self._let:
                self._reader.wrong(f"the name '{name}' is taken already, by the model", ("let", name))
            return self._names[name]
        own, given = ("let", name), self._reader.let[name]
        if not isinstance(given, str):
            return as_expression(given)
        try:
            return formula(given, Known(self._reader, self._names, self._key, self._let.index(name)))
        except FormulaError as error:
            asked = f"; {dotted(self._key)} asks for '{name}'" if self._key != own else ""
            message = FormulaError(error.message + asked, error.position, error.source)
            if not self._reader.blamed(own) and not self._reader.in_doubt(error.unknown):
                self._reader.wrong(pointed(self._reader.source, given, own, message))
            return something(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._let

    def __iter__(self) -> Iterator[str]:
        yield from {**self._names, **dict.fromkeys(self._let)}

    def __len__(self) -> int:
        return len({*self._names, *self._let})
