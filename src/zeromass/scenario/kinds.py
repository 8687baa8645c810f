"""What may stand at a key of a scenario file: numbers and formulas, words, choices, lists and tables.

A kind finds what is wrong with the data at a key, all of it, before anything is built, and then reads the data.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from zeromass.scenario.errors import listed, nearest
from zeromass.scenario.source import Key
from zeromass.scenario.tokens import LONGEST

if TYPE_CHECKING:
    from zeromass.expression import Expression
    from zeromass.scenario.reading import Reader

Problem = tuple[Key, str]
Names = Mapping[str, "Expression"] | None
"""What formulas may name beside parameters and time; None where they must be numbers."""

MISSING = "this key is missing"
MANY = sys.maxsize
ANY_LENGTH = range(MANY)


class Kind:
    """What may stand at a key.

    words  what it is, for messages: 'this should be …'
    """

    words = ""

    def takes(self, given: Any) -> bool:
        """Whether data look like this, whatever may be wrong in detail."""
        raise NotImplementedError

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        """What is wrong with data at a key."""
        if not self.takes(given):
            yield key, f"this should be {self.words}"

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        """What data without problems mean."""
        return given


@dataclass(frozen=True)
class Numbers(Kind):
    """A number, or a list of numbers; each may be a formula in quotes, such as "3*pi" or "m*g".

    of      "parameters": a number is read; "time" or "names": a formula is read, an expression of time, and of the names
            that are known where it stands
    shapes  the shapes that are allowed, () for one number; a length may be a range
    """

    of: Literal["parameters", "time", "names"] = "parameters"
    shapes: tuple[tuple[int | range, ...], ...] = ((),)

    @property
    def words(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        number, several = "a number, or a formula in quotes", "a list of numbers or formulas"
        return ", or ".join(words for words, fits in ((number, () in self.shapes), (several, any(self.shapes))) if fits)

    def takes(self, given: Any) -> bool:
        number = isinstance(given, int | float | str) and not isinstance(given, bool)
        return (number and () in self.shapes) or (isinstance(given, list) and any(self.shapes))

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        if not self.takes(given):
            return
        if isinstance(given, list):
            yield from self._list_problems(given, key)
        elif isinstance(given, str):
            if not 0 < len(given) <= LONGEST:
                yield key, f"a formula has between 1 and {LONGEST} characters"
        elif not abs(given) <= sys.float_info.max:
            yield key, "a number is finite"

    def _list_problems(self, given: list[Any], key: Key) -> Iterator[Problem]:
        lengths = [shape[0] for shape in self.shapes if shape]
        fits = [(isinstance(n, range) and len(given) in n) or n == len(given) for n in lengths]
        if not any(fits):
            yield key, _count(len(given), "items", [m for n in lengths for m in _ends(n)])
            return
        inner = [shape[1:] for shape in self.shapes if shape]
        inner = [shape for shape, fit in zip(inner, fits, strict=True) if fit]
        nested = bool(given) and isinstance(given[0], list)
        inner = [shape for shape in inner if bool(shape) is nested] or inner  # all items are like the first
        for i, item in enumerate(given):
            yield from Numbers(self.of, tuple(inner)).problems(item, (*key, i))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        if isinstance(given, list):
            return tuple(self.read(reader, item, (*key, i), names) for i, item in enumerate(given))
        names = {} if self.of == "time" else names if self.of == "names" else None
        return reader.number(given, key) if names is None else reader.expression(given, key, names)


@dataclass(frozen=True)
class Words(Kind):
    """A string, of bounded length; `name` for one that formulas can use."""

    longest: int = 200
    shortest: int = 1
    name: bool = False
    words = "a valid string, in quotes"

    def takes(self, given: Any) -> bool:
        return isinstance(given, str)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        if isinstance(given, str):
            if not self.shortest <= len(given) <= self.longest:
                yield key, _count(len(given), "characters", (self.shortest, self.longest))
            elif self.name and not re.fullmatch(r"[^\W\d]\w*", given):
                yield key, "a name begins with a letter, then letters, digits or '_'"


class Flag(Kind):
    """true or false."""

    words = "a boolean, true or false"

    def takes(self, given: Any) -> bool:
        return isinstance(given, bool)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two others."""

    least: int
    most: int
    words = "a whole number"

    def takes(self, given: Any) -> bool:
        return isinstance(given, int) and not isinstance(given, bool)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        if self.takes(given) and not self.least <= given <= self.most:
            yield key, f"it is {given}; it lies between {self.least} and {self.most}"


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words or numbers."""

    options: tuple[Any, ...]

    @property
    def words(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"one of {', '.join(map(str, self.options))}"

    def takes(self, given: Any) -> bool:
        return isinstance(given, str | int)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        if not any(given == option and type(given) is type(option) for option in self.options):
            words = [str(option) for option in self.options]
            yield key, f"{given!r} is none of {', '.join(words)}{nearest(str(given), words)}"


@dataclass(frozen=True)
class Either(Kind):
    """The first of some kinds that the data look like."""

    kinds: tuple[Kind, ...]

    @property
    def words(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return ", or ".join(kind.words for kind in self.kinds)

    def takes(self, given: Any) -> bool:
        return any(kind.takes(given) for kind in self.kinds)

    def _like(self, given: Any) -> Kind:
        return next(kind for kind in self.kinds if kind.takes(given))

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from self._like(given).problems(given, key) if self.takes(given) else super().problems(given, key)

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        return self._like(given).read(reader, given, key, names)


@dataclass(frozen=True)
class Items(Kind):
    """A list, of any length, of one kind."""

    item: Kind
    words = "a list"

    def takes(self, given: Any) -> bool:
        return isinstance(given, list)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        for i, item in enumerate(given if self.takes(given) else ()):
            yield from self.item.problems(item, (*key, i))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> list[Any]:
        return [self.item.read(reader, item, (*key, i), names) for i, item in enumerate(given)]


@dataclass(frozen=True)
class Named(Kind):
    """A table whose keys are names of the user's own, with one kind behind each."""

    item: Kind
    name: Words = field(default_factory=Words)
    words = "a table"

    def takes(self, given: Any) -> bool:
        return isinstance(given, dict)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        for name, item in given.items() if self.takes(given) else ():
            yield from self.name.problems(name, (*key, name))
            yield from self.item.problems(item, (*key, name))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> dict[str, Any]:
        return {name: self.item.read(reader, item, (*key, name), names) for name, item in given.items()}


@dataclass(frozen=True)
class Argument:
    """What may stand at one key of a table, and what is taken where nothing does."""

    kind: Kind
    required: bool = False
    default: Any = None


@dataclass(frozen=True)
class Table(Kind):
    """A table whose keys are the arguments of what makes something of it.

    make   takes the arguments that are given
    rule   what is wrong between the keys of a table, with the keys below it
    blame  the key, where it is given, to which errors of `make` point instead of the table
    """

    arguments: Mapping[str, Argument]
    make: Callable[..., Any] = dict
    rule: Callable[[dict[str, Any]], Iterable[Problem]] | None = None
    blame: str = ""
    words = "a table"

    def takes(self, given: Any) -> bool:
        return isinstance(given, dict)

    def problems(self, given: Any, key: Key, beside: Iterable[str] = ()) -> Iterator[Problem]:
        """What is wrong; `beside` are keys of the table that are not arguments."""
        found = list(super().problems(given, key))
        for name, item in given.items() if self.takes(given) else ():
            if name in self.arguments:
                found += self.arguments[name].kind.problems(item, (*key, name))
            elif name not in beside:
                known = [*beside, *self.arguments]
                words = nearest(name, known) or (f"; there are: {listed(known)}" if known else "")
                found.append(((*key, name), f"there is no such key{words}"))
        if self.takes(given):
            missing = [name for name, argument in self.arguments.items() if argument.required and name not in given]
            found += [((*key, name), MISSING) for name in missing]
        if self.rule is not None and not found:
            found += [((*key, *place), message) for place, message in self.rule(given)]
        yield from found

    def values(self, reader: Reader, given: Mapping[str, Any], key: Key, names: Names) -> dict[str, Any]:
        """The arguments that are given, in their own order."""
        return {
            name: argument.kind.read(reader, given[name], (*key, name), names)
            for name, argument in self.arguments.items()
            if name in given
        }

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        values = self.values(reader, given, key, names)
        with reader.pointing(*key, *([self.blame] if self.blame in given else [])):
            return self.make(**values)


@dataclass(frozen=True)
class Kinds(Kind):
    """A table of one of several kinds, which its key `kind` names.

    tables   those kinds, looked up whenever a file is read
    default  the kind of a table that does not say
    """

    tables: Callable[[], Mapping[str, Table]]
    default: str | None = None
    words = "a table"

    def takes(self, given: Any) -> bool:
        return isinstance(given, dict)

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        yield from super().problems(given, key)
        if not self.takes(given):
            return
        kind, tables = given.get("kind", self.default), self.tables()
        if kind is None:
            yield (*key, "kind"), MISSING
        elif not isinstance(kind, str) or spelled(kind) not in tables:
            yield (*key, "kind"), f"'{kind}' is none of {', '.join(tables)}{nearest(spelled(str(kind)), tables)}"
        else:
            yield from tables[spelled(kind)].problems(given, key, ("kind",))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        return self.tables()[spelled(given.get("kind", self.default))].read(reader, given, key, names)


def spelled(name: str) -> str:
    """The kind of a file that a name in Python, or one with hyphens, stands for: 'dimpled bowl' for dimpled_bowl."""
    return name.replace("_", " ").replace("-", " ")


def _ends(length: int | range) -> tuple[int, int]:
    return (length.start, length.stop) if isinstance(length, range) else (length, length)


def _count(there: int, what: str, allowed: Iterable[int]) -> str:
    """'it has 2 items, and needs 3', or '… and needs 2 at least and 3 at most'."""
    least, most = min(allowed), max(allowed)
    words = [f"{least} at least", *([f"{most} at most"] if most < MANY else [])]
    return f"it has {there} {what}, and needs {least if least == most else ' and '.join(words)}"
