"""The formulas of a scenario as numbers and expressions, with errors that point to their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from zeromass.equation import EquationError
from zeromass.expression import Expression, ExpressionError, as_expression, parameter, symbols, t
from zeromass.model import ModelError, StartError
from zeromass.scenario.errors import FormulaError, ScenarioError
from zeromass.scenario.formula import RESERVED, formula
from zeromass.scenario.source import Key, Source

WIDEST = 72
"""Characters of a formula that a message shows around the place of an error."""

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
    parameters  symbols, by name, with the values of the file; formulas, of those that follow from what varies
    """

    def __init__(self, source: Source, given: Mapping[str, Any], varied: Sequence[str] = ()) -> None:
        self.source = source
        self.parameters: dict[str, Expression] = {}
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

    def error(self, message: str, key: Key) -> ScenarioError:
        """An error that points to a key."""
        return self.source.error(message, key)

    def check_name(self, name: str, key: Key) -> None:
        """Refuses a name that means something already."""
        if name in RESERVED:
            raise self.error(f"'{name}' has a meaning in formulas already; choose another name", key)

    @contextmanager
    def pointing(self, *key: str | int) -> Iterator[None]:
        """Errors of the model that arise inside point to a key."""
        try:
            yield
        except UNFIT as error:
            raise self.error(in_words(error), key) from error

    def number(self, given: Any, key: Key) -> float:
        """A number, from constants and parameters that do not vary."""
        e = self._read(given, key, self._values)
        if e.value is None:
            words = ", ".join(f"'{s.name}'" for s in symbols(e))
            raise self.error(f"it depends on {words}, which [sweep] varies; here a number is needed", key)
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
            return formula(given, names)
        except FormulaError as error:
            shown, caret = _excerpt(given, error.position)
            message = f"{error.message}\n    {shown}\n    {' ' * caret}^ {error.place}"
            raise self.source.error(message, key, error.column) from error


def _excerpt(source: str, position: int) -> tuple[str, int]:
    """The line of a formula with an error, cut around its place, and the place in it."""
    begin = source.rfind("\n", 0, position) + 1
    end = source.find("\n", position)
    line, place = source[begin : end if end >= 0 else len(source)], position - begin
    if len(line) > WIDEST:
        first = max(0, place - WIDEST // 2)
        line, place = "…" + line[first : first + WIDEST] + "…", place - first + 1
    return line.replace("\t", " "), place
