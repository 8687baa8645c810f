"""The formulas of a scenario as numbers and expressions, with errors that point to their keys."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from zeromass.errors import EquationError, ExpressionError
from zeromass.expression import Expression, as_expression, parameter, symbols, t
from zeromass.model import ModelError, StartError
from zeromass.scenario.errors import FormulaError, ScenarioError, together
from zeromass.scenario.formula import RESERVED, formula
from zeromass.scenario.let import Known
from zeromass.scenario.source import Key, Source, dotted
from zeromass.scenario.unread import pointed, something

UNFIT = (ModelError, StartError, ExpressionError, EquationError, ArithmeticError, np.linalg.LinAlgError)
"""What a model raises that is not fit to be run; the last two where its numbers are too large or too small."""


def in_words(error: Exception) -> str:
    """What is wrong with a model."""
    if isinstance(error, ArithmeticError | np.linalg.LinAlgError):
        return f"the numbers of the model are too large or too small to compute with ({error})"
    return str(error)


COORDINATES, JOINTS = ("system", "coordinates"), ("system", "joints")
OF_FORMULAS, OF_MODELS = ("parameters", "let"), ("", "system", "rolling", "contacts", "sliding")
"""Tables whose names are those of formulas alone, and of the model."""

NAMING: set[Key] = {(), ("parameters",), ("let",), ("system",), ("rolling",), ("contacts",), ("sliding",)} | {
    *(("system", key) for key in ("coordinates", "particles", "bodies", "joints")),
    *(("rolling", "body", *key) for key in ((), ("kind",), ("name",))),
    *(("sliding", "particle", *key) for key in ((), ("name",))),
    ("contacts", "bodies"),
}
"""Tables and keys that give names to formulas."""


class Follows(ScenarioError):
    """What follows from something else that is wrong, and is not told beside it."""


class Reader:
    """The parameters of a scenario, and its formulas in them.

    given       numbers or formulas by name, of the table [parameters]
    varied      names of those that a study varies: formulas of them stay formulas where others become numbers
    let         formulas by name, of the table [let]: each is read where another asks for it, in the names known there
    found       what is wrong with the file already
    replaced    keys where something else stands than in the file, see `mending`: what is wrong there was found already
    parameters  symbols, by name, with the values of the file; formulas, of those that follow from what varies

    What is wrong is noted, and something readable taken in its place, until `finish` tells all of it.
    """

    def __init__(
        self,
        source: Source,
        given: Mapping[str, Any],
        varied: Sequence[str] = (),
        let: Mapping[str, Any] | None = None,
        *,
        found: Iterable[ScenarioError] = (),
        replaced: Collection[Key] = (),
    ) -> None:
        self.source = source
        self._replaced = replaced
        self._unsure = {key[0] if key else "" for key in replaced if key in NAMING or key[:2] == COORDINATES}
        self._lost = {key[2] for key in replaced if key[:2] == JOINTS and key[3:] in ((), ("kind",)) and key[2:]}
        self.parameters: dict[str, Expression] = {}
        self.let: dict[str, Any] = {}
        self._found: list[ScenarioError] | None = list(found)
        self._values: dict[str, Expression] = {}
        for name, value in given.items():
            key = ("parameters", name)
            self.check_name(name, key)
            if name in varied or self._read(value, key, self._values).value is not None:
                number = self.number(value, key)
                symbol = parameter(name, number)
                self.parameters[name], self._values[name] = symbol, symbol if name in varied else as_expression(number)
            else:
                self.parameters[name] = self._values[name] = self._read(value, key, self._values)
        for name in let or {}:
            self.check_name(name, ("let", name))
            if name in self.parameters:
                self.wrong(f"the name '{name}' is taken already, by a parameter", ("let", name))
        self.let = dict(let or {})

    def error(self, message: str, key: Key) -> ScenarioError:
        """An error that points to a key."""
        return self.source.error(message, key)

    def wrong(self, what: str | ScenarioError, key: Key = ()) -> None:
        """Notes an error; after `finish` it is raised."""
        error = self.error(what, key) if isinstance(what, str) else what
        if self._found is None:
            raise error
        if not (isinstance(error, Follows) or any(_at(error, key) for key in self._replaced)):
            self._found.append(error)

    def blamed(self, key: Key) -> bool:
        """Whether something wrong was found at a key."""
        return any(error.key == dotted(key) for error in self._found or ())

    def fine(self, key: Key, besides: Iterable[str] = ()) -> bool:
        """Whether nothing wrong was found at a key or below, besides some keys there, nor with parameters."""
        keys, others = [key, ("parameters",), ("let",)], [(*key, name) for name in besides]
        return not any(
            any(_at(error, one) for one in keys) and not any(_at(error, one) for one in others)
            for error in self._found or ()
        )

    def lost(self, *key: str | int) -> bool:
        """Whether something in a table was replaced."""
        return any(one[: len(key)] == key for one in self._replaced)

    def in_doubt(self, name: str, beside: Collection[str] = ()) -> bool:
        """Whether a name that is not declared may be, by what could not be read, beside some tables."""
        return bool(name) and (bool(self._unsure.difference(beside)) or name.partition(".")[0] in self._lost)

    def lacks(self, name: str) -> None:
        """From now on what a name stands for may be missing though it is declared."""
        self._lost.add(name)

    def finish(self) -> None:
        """Raises all errors that were noted, if any; from now on each is raised at once."""
        found, self._found = self._found, None
        if found:
            raise together(found)

    def told(self) -> ScenarioError:
        """All errors that were noted, as one."""
        return together(self._found or [self.error("it can not be read", ())])

    @contextmanager
    def noting(self, *names: str) -> Iterator[None]:
        """An error inside is noted, and what follows goes on, without these names."""
        try:
            yield
        except ScenarioError as error:
            self.wrong(error)
            for name in names:
                self.lacks(name)

    def check_name(self, name: str, key: Key) -> None:
        """Refuses a name that means something already."""
        if name in RESERVED:
            self.wrong(f"'{name}' has a meaning in formulas already; choose another name", key)

    @contextmanager
    def pointing(self, *key: str | int) -> Iterator[None]:
        """Errors of the model that arise inside point to a key; they are not told where something in it was not readable."""
        try:
            yield
        except UNFIT as error:
            if self.fine(key, besides=("start", "guess")):
                raise self.error(in_words(error), self._meant(in_words(error), key)) from error
            raise Follows(in_words(error), key=dotted(key)) from error

    def _meant(self, words: str, key: Key) -> Key:
        """What an error of a model speaks of first, where that is a key of one of its tables: constraint 'rod'."""
        table: Any = self.source.data
        for part in key:
            table = table.get(part, {}) if isinstance(table, Mapping) else {}
        subject = re.search(r"'([^'\[]+)(\[\d+\])?'", words)
        if subject is not None and isinstance(table, Mapping):
            for name, inner in table.items():
                if name not in ("start", "guess") and isinstance(inner, Mapping) and subject[1] in inner:
                    return (*key, name, subject[1])
        return key

    def number(self, given: Any, key: Key) -> float:
        """A number, from constants and parameters that do not vary."""
        e = self._read(given, key, self._values)
        if e.value is None:
            words = ", ".join(f"'{s.name}'" for s in symbols(e))
            self.wrong(f"it depends on {words}, which [sweep] varies; here a number is needed", key)
            return 1.0
        return e.value

    def value(self, given: Any, key: Key) -> float | Expression:
        """A number, or a formula of parameters that vary."""
        e = self._read(given, key, self._values)
        return e if e.value is None else e.value

    def expression(self, given: Any, key: Key, names: Mapping[str, Expression]) -> Expression:
        """An expression in the parameters, time and some names."""
        known = ChainMap(cast(dict[str, Expression], names), {"t": t}, self.parameters)  # of many bodies these are many
        return self._read(given, key, known)

    def _read(self, given: Any, key: Key, names: Mapping[str, Expression]) -> Expression:
        if not isinstance(given, str):
            return as_expression(given)
        try:
            return formula(given, Known(self, names, key) if self.let else names)
        except FormulaError as error:
            beside = OF_MODELS if names is self._values else ()
            if not self.in_doubt(error.unknown, beside) and not self.blamed(key):
                self.wrong(pointed(self.source, given, key, error))
            return something(names)


def _at(error: ScenarioError, key: Key) -> bool:
    """Whether an error is that of a key, or of one below it."""
    place, rest = dotted(key), error.key.removeprefix(dotted(key))
    return not place or (error.key.startswith(place) and (not rest or rest[0] in ".["))
