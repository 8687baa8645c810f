"""What holds other things in a scenario file: lists, tables of names, and tables with the arguments of a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from zeromass.errors import listed, nearest
from zeromass.scenario.errors import MISSING
from zeromass.scenario.kinds import Kind, Names, Problem, Words
from zeromass.scenario.source import Key

if TYPE_CHECKING:
    from zeromass.scenario.reading import Reader


@dataclass(frozen=True)
class Items(Kind):
    """A list, of any length, of one kind."""

    item: Kind

    def looks(self) -> dict[type, str]:
        return {list: "a list"}

    def inside(self, given: list[Any], key: Key) -> Iterator[Problem]:
        for i, item in enumerate(given):
            yield from self.item.problems(item, (*key, i))

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        for i, item in enumerate(given if isinstance(given, list) else ()):
            yield from self.item.formulas(item, (*key, i))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> list[Any]:
        found: list[Any] = []
        for i, item in enumerate(given):
            with reader.noting():
                found.append(self.item.read(reader, item, (*key, i), names))
        return found


@dataclass(frozen=True)
class Named(Kind):
    """A table whose keys are names of the user's own, with one kind behind each."""

    item: Kind
    name: Words = field(default_factory=Words)

    def looks(self) -> dict[type, str]:
        return {dict: "a table"}

    def inside(self, given: dict[str, Any], key: Key) -> Iterator[Problem]:
        for name, item in given.items():
            yield from self.name.problems(name, (*key, name))
            yield from self.item.problems(item, (*key, name))

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        for name, item in given.items() if isinstance(given, dict) else ():
            yield from self.item.formulas(item, (*key, name))

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> dict[str, Any]:
        return {name: self.item.read(reader, item, (*key, name), names) for name, item in given.items()}


@dataclass(frozen=True)
class Argument:
    """What may stand at one key of a table, what is taken where nothing does, and what it means in words."""

    kind: Kind
    required: bool = False
    default: Any = None
    words: str = ""


@dataclass(frozen=True)
class Table(Kind):
    """A table whose keys are the arguments of what makes something of it.

    make    takes the arguments that are given
    rule    what is wrong between the keys of a table, with the keys below it
    blame   the key, where it is given, to which errors of `make` point instead of the table
    beside  keys that are no arguments and are read elsewhere
    words   what the table stands for
    instead data that keep the rule, taken while the errors of others are looked for; the keys that are needed by default
    """

    arguments: Mapping[str, Argument]
    make: Callable[..., Any] = dict
    rule: Callable[[dict[str, Any]], Iterable[Problem]] = lambda given: ()
    blame: str = ""
    beside: tuple[str, ...] = ()
    words: str = ""
    instead: Mapping[str, Any] = field(default_factory=dict)

    def looks(self) -> dict[type, str]:
        return {dict: "a table"}

    def inside(self, given: dict[str, Any], key: Key) -> Iterator[Problem]:
        found: list[Problem] = []
        for name, item in given.items():
            if name in self.arguments:
                found += self.arguments[name].kind.problems(item, (*key, name))
            elif name not in self.beside:
                known = [*self.beside, *self.arguments]
                words = nearest(name, known) or f"; there are: {listed(known)}"
                found.append(((*key, name), f"there is no such key{words}"))
        meant = " ".join(message for _, message in found)  # a misspelt key is not missing as well
        missing = [name for name, argument in self.arguments.items() if argument.required and name not in given]
        found += [((*key, name), MISSING) for name in missing if f"'{name}'?" not in meant]
        yield from found or (((*key, *place), message) for place, message in self.rule(given))

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        for name, item in given.items() if isinstance(given, dict) else ():
            if name in self.arguments:
                yield from self.arguments[name].kind.formulas(item, (*key, name))

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

    def looks(self) -> dict[type, str]:
        return {dict: "a table"}

    def inside(self, given: dict[str, Any], key: Key) -> Iterator[Problem]:
        kind, tables = given.get("kind", self.default), self.tables()
        if kind is None:
            yield (*key, "kind"), MISSING
        elif not isinstance(kind, str) or spelled(kind) not in tables:
            yield (*key, "kind"), f"'{kind}' is none of {', '.join(tables)}{nearest(spelled(str(kind)), tables)}"
        else:
            yield from replace(tables[spelled(kind)], beside=("kind",)).inside(given, key)

    def formulas(self, given: Any, key: Key) -> Iterator[tuple[Key, str]]:
        kind = given.get("kind", self.default) if isinstance(given, dict) else None
        table = self.tables().get(spelled(str(kind)))
        yield from table.formulas(given, key) if table is not None else ()

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        return self.tables()[spelled(given.get("kind", self.default))].read(reader, given, key, names)


def spelled(name: str) -> str:
    """The kind of a file that a name in Python, or one with hyphens, stands for: 'dimpled bowl' for dimpled_bowl."""
    return name.replace("_", " ").replace("-", " ")
