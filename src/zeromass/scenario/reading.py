"""The formulas of a scenario as numbers and expressions, with errors that point to their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from zeromass.equation import EquationError
from zeromass.expression import Expression, ExpressionError, as_expression, parameter, symbols, t
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


class Reader:
    """The parameters of a scenario, and its formulas in them.

    given       numbers or formulas by name, of the table [parameters]
    varied      names of those that a study varies: formulas of them stay formulas where others become numbers
    let         formulas by name, of the table [let]: each is read where another asks for it, in the names known there
    parameters  symbols, by name, with the values of the file; formulas, of those that follow from what varies

    What is wrong is noted, and something readable taken in its place, until `finish` tells all of it.
    """

    def __init__(
        self,
        source: Source,
        given: Mapping[str, Any],
        varied: Sequence[str] = (),
        let: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = source
        self.parameters: dict[str, Expression] = {}
        self.let: dict[str, Any] = {}
        self._found: list[ScenarioError] | None = []
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
        self._found.append(error)

    def blamed(self, key: Key) -> bool:
        """Whether something wrong was found at a key."""
        return any(error.key == dotted(key) for error in self._found or ())

    @property
    def fine(self) -> bool:
        """Whether nothing wrong was found so far."""
        return not self._found

    def finish(self) -> None:
        """Raises all errors that were noted, if any; from now on each is raised at once."""
        found, self._found = self._found, None
        if found:
            raise together(found)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """An error inside is noted, and what follows goes on."""
        try:
            yield
        except ScenarioError as error:
            self.wrong(error)

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
            if not self.fine:
                self.finish()
            raise self.error(in_words(error), key) from error

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
        return self._read(given, key, {**self.parameters, "t": t, **names})

    def _read(self, given: Any, key: Key, names: Mapping[str, Expression]) -> Expression:
        if not isinstance(given, str):
            return as_expression(given)
        try:
            return formula(given, Known(self, names, key) if self.let else names)
        except FormulaError as error:
            self.wrong(pointed(self.source, given, key, error))
            return something(names)
