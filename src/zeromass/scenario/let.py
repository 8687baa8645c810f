"""[let]: formulas with names, for use in others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from zeromass.expression import Expression, as_expression
from zeromass.scenario.errors import FormulaError
from zeromass.scenario.formula import formula
from zeromass.scenario.source import Key, dotted
from zeromass.scenario.tokens import tokens
from zeromass.scenario.unread import pointed, something

if TYPE_CHECKING:
    from zeromass.scenario.reading import Reader


class Known(Mapping[str, Expression]):
    """What a formula may name: some names, and those of [let], which are read when they are asked for, each once.

    key  of the formula that asks
    """

    def __init__(self, reader: Reader, names: Mapping[str, Expression], key: Key) -> None:
        self._reader, self._names, self._key = reader, names, key
        self._place = {name: k for k, name in enumerate(reader.let)}
        self._before = len(self._place)  # a formula of [let] may use those above it
        self._read: dict[str, Expression] = {}

    def __getitem__(self, name: str) -> Expression:
        if name in self._names:
            if self._in_let(name):
                self._reader.wrong(f"the name '{name}' is taken already, by the model", ("let", name))
            return self._names[name]
        for one in self._needed(name):
            self._read[one] = self._value(one)
        return self._read[name]

    def _in_let(self, name: object) -> bool:
        return self._place.get(name, self._before) < self._before  # type: ignore[call-overload]

    def _needed(self, name: str) -> list[str]:
        """What has to be read for a name, itself the last: in the order of the file, in which none asks for a later one."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in found and one not in self._read:
                found.add(one)
                above = (word for word in _mentioned(self._reader.let[one]) if word not in self._names)
                waiting += [word for word in above if self._place.get(word, len(self._place)) < self._place[one]]
        return sorted(found, key=self._place.__getitem__)

    def _value(self, name: str) -> Expression:
        own, given = ("let", name), self._reader.let[name]
        if not isinstance(given, str):
            return as_expression(given)
        before, self._before = self._before, self._place[name]
        try:
            return formula(given, self)
        except FormulaError as error:
            asked = f"; {dotted(self._key)} asks for '{name}'" if self._key[0] != "let" else ""
            message = FormulaError(error.message + asked, error.position, error.source, error.unknown)
            if not self._reader.blamed(own) and not self._reader.in_doubt(error.unknown):
                self._reader.wrong(pointed(self._reader.source, given, own, message))
            return something(self._names)
        finally:
            self._before = before

    def __contains__(self, name: object) -> bool:
        return name in self._names or self._in_let(name)

    def __iter__(self) -> Iterator[str]:
        yield from {**self._names, **dict.fromkeys(name for name in self._place if self._in_let(name))}

    def __len__(self) -> int:
        return sum(1 for _ in self)


def look_through(reader: Reader, names: Mapping[str, Expression]) -> None:
    """Reads all formulas of [let], those too that no other formula has asked for."""
    known = Known(reader, names, ("let",))
    for name in reader.let:
        _ = known[name]


def _mentioned(given: object) -> list[str]:
    """The names in a formula; none where it can not be read, of which reading it tells."""
    try:
        return [token.text for token in tokens(given) if token.kind == "name"] if isinstance(given, str) else []
    except FormulaError:
        return []
