"""What may stand at a key of a scenario file: numbers and formulas, words, and choices; `tables` has what holds them.

A kind finds what is wrong with the data at a key, all of it, before anything is built, and then reads the data.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from zeromass.errors import nearest
from zeromass.scenario.source import Key
from zeromass.scenario.tokens import LONGEST

if TYPE_CHECKING:
    from zeromass.expression import Expression
    from zeromass.scenario.reading import Reader

Problem = tuple[Key, str]
Names = Mapping[str, "Expression"] | None
"""What formulas may name beside parameters and time; None where they must be numbers."""

MANY = sys.maxsize
ANY_LENGTH = range(MANY)


@dataclass(frozen=True)
class Kind(ABC):
    """What may stand at a key."""

    @abstractmethod
    def looks(self) -> dict[type, str]:
        """Types of the data that look like it, whatever may be wrong in detail, each in words."""

    def problems(self, given: Any, key: Key) -> Iterator[Problem]:
        """What is wrong with data at a key."""
        looks = self.looks()
        if type(given) in looks:
            yield from self.inside(given, key)
        else:
            yield key, f"this is {', or '.join(dict.fromkeys(looks.values()))}"

    def inside(self, given: Any, key: Key) -> Iterator[Problem]:
        """What is wrong in detail."""
        yield from ()

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        """Formulas in data that may have problems, each with its key."""
        yield from ()

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        """What data without problems mean."""
        return given


@dataclass(frozen=True)
class Numbers(Kind):
    """A number, or a list of numbers; each may be a formula in quotes, such as "3*pi" or "m*g".

    of      "parameters": a number is read; "values": a number, or a formula of parameters that a study varies; "time" or
            "names": a formula is read, an expression of time, and of the names that are known where it stands
    shapes  the shapes that are allowed, () for one number; a length may be a range
    """

    of: Literal["parameters", "values", "time", "names"] = "parameters"
    shapes: tuple[tuple[int | range, ...], ...] = ((),)

    def looks(self) -> dict[type, str]:
        one = dict.fromkeys((int, float, str), "a number, or a formula in quotes") if () in self.shapes else {}
        return {**one, **({list: "a list of numbers or formulas"} if any(self.shapes) else {})}

    def inside(self, given: Any, key: Key) -> Iterator[Problem]:
        if isinstance(given, list):
            yield from self._of_list(given, key)
        elif isinstance(given, str):
            if not 0 < len(given) <= LONGEST:
                yield key, f"a formula has between 1 and {LONGEST} characters"
        elif not abs(given) <= sys.float_info.max:
            yield key, "a number is finite"

    def _of_list(self, given: list[Any], key: Key) -> Iterator[Problem]:
        nested = bool(given) and isinstance(given[0], list)  # all items are like the first
        lists = [shape for shape in self.shapes if shape]
        alike = [shape for shape in lists if bool(shape[1:]) is nested] or lists
        lengths = {shape: shape[0] if isinstance(shape[0], range) else [shape[0]] for shape in alike}
        inner = [shape[1:] for shape, allowed in lengths.items() if len(given) in allowed]
        if not inner:
            yield key, count(len(given), "items", [n for m in lengths.values() for n in (m[0], m[-1])])
        for i, item in enumerate(given if inner else ()):
            yield from Numbers(self.of, tuple(inner)).problems(item, (*key, i))

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        for i, item in enumerate(given if isinstance(given, list) else ()):
            yield from self.formulas(item, (*key, i))
        if isinstance(given, str):
            yield key, given

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        if isinstance(given, list):
            return tuple(self.read(reader, item, (*key, i), names) for i, item in enumerate(given))
        if self.of == "parameters":
            return reader.number(given, key)
        names = {} if self.of == "time" else names if self.of == "names" else None
        return reader.value(given, key) if names is None else reader.expression(given, key, names)


@dataclass(frozen=True)
class Words(Kind):
    """A string, of bounded length; with `name` one that formulas can use."""

    longest: int = 200
    shortest: int = 1
    name: bool = False

    def looks(self) -> dict[type, str]:
        return {str: "a valid string, in quotes"}

    def inside(self, given: str, key: Key) -> Iterator[Problem]:
        if not self.shortest <= len(given) <= self.longest:
            yield key, count(len(given), "characters", (self.shortest, self.longest))
        elif not given.translate(dict.fromkeys(map(ord, "\n\t\0"))).isprintable():
            yield key, "it has characters that can not be printed"
        elif self.name and not re.fullmatch(r"[^\W\d]\w*", given):
            yield key, "a name begins with a letter, then letters, digits or '_'"


@dataclass(frozen=True)
class Flag(Kind):
    """true or false."""

    def looks(self) -> dict[type, str]:
        return {bool: "a boolean, true or false"}


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two others."""

    least: int
    most: int

    def looks(self) -> dict[type, str]:
        return {int: "a whole number"}

    def inside(self, given: int, key: Key) -> Iterator[Problem]:
        if not self.least <= given <= self.most:
            yield key, f"it is {given}; it lies between {self.least} and {self.most}"


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words or whole numbers."""

    options: tuple[Any, ...]

    def looks(self) -> dict[type, str]:
        return {type(option): f"one of {', '.join(map(str, self.options))}" for option in self.options}

    def inside(self, given: Any, key: Key) -> Iterator[Problem]:
        words = [str(option) for option in self.options]
        if given not in self.options:
            yield key, f"{given!r} is none of {', '.join(words)}{nearest(str(given), words)}"


@dataclass(frozen=True)
class Either(Kind):
    """The first of some kinds that the data look like."""

    kinds: tuple[Kind, ...]

    def looks(self) -> dict[type, str]:
        return {type_: words for kind in self.kinds for type_, words in kind.looks().items()}

    def _like(self, given: Any) -> Kind:
        return next(kind for kind in self.kinds if type(given) in kind.looks())

    def inside(self, given: Any, key: Key) -> Iterator[Problem]:
        return self._like(given).inside(given, key)

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        if type(given) in self.looks():
            yield from self._like(given).formulas(given, key)

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        return self._like(given).read(reader, given, key, names)


def count(there: int, what: str, allowed: Iterable[int]) -> str:
    """'it has 2 items, and needs 3', or '… and needs 2 at least and 3 at most'."""
    least, most = min(allowed), max(allowed)
    words = [f"{least} at least", *([f"{most} at most"] if most < MANY - 1 else [])]
    return f"it has {there} {what}, and needs {least if least == most else ' and '.join(words)}"
