"""Formulas that can not be read: what is said of them, and what is taken in their place while the rest is read."""

from __future__ import annotations

from collections.abc import Mapping

from zeromass.expression import Expression, Symbol, as_expression, coordinate
from zeromass.scenario.errors import FormulaError, ScenarioError
from zeromass.scenario.formula import RESERVED, formula
from zeromass.scenario.source import Key, Source

WIDEST = 72
"""Characters of a formula that a message shows around the place of an error."""


def something(names: Mapping[str, Expression]) -> Expression:
    """A formula in place of one that can not be read, so that the rest can: the sum of the coordinates, or 1."""
    found = [e for e in names.values() if isinstance(e, Symbol) and e.kind == "coordinate"]
    return as_expression(sum(found)) if found else as_expression(1.0)


def pointed(source: Source, text: str, key: Key, error: FormulaError) -> ScenarioError:
    """The error of a formula at a key, with the formula and its place in it."""
    shown, caret = _excerpt(text, error.position)
    told, table = error.message, key[0] if key else ""
    if table in ("parameters", "let") and error.unknown in source.data.get(table, ()):
        told = f"'{error.unknown}' is not declared above it; formulas of [{table}] may use names that are"
    message = f"{told}\n    {shown}\n    {' ' * caret}^ {error.place}"
    return source.error(message, key, error.column)


def unreadable(source: Source, text: str, key: Key) -> ScenarioError | None:
    """What is wrong with a formula whatever names are known where it stands."""
    try:
        formula(text, Anything())
    except FormulaError as error:
        return pointed(source, text, key, error)
    return None


class Anything(dict[str, Expression]):
    """All names at once: each is a coordinate."""

    def __contains__(self, name: object) -> bool:
        return name == "t" or (isinstance(name, str) and name not in RESERVED)

    def __getitem__(self, name: str) -> Expression:
        return coordinate(name)


def _excerpt(source: str, position: int) -> tuple[str, int]:
    """The line of a formula with an error, cut around its place, and the place in it."""
    begin = source.rfind("\n", 0, position) + 1
    end = source.find("\n", position)
    line, place = source[begin : end if end >= 0 else len(source)], position - begin
    if len(line) > WIDEST:
        first = max(0, place - WIDEST // 2)
        line, place = "…" + line[first : first + WIDEST] + "…", place - first + 1
    return line.replace("\t", " "), place
