"""Structs and arrays outside this process: data of a module with addresses of 32 bits, or one block that can be moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen.target import address
from zeromass.kernel.structs import Struct, fields
from zeromass.kernel.types import Array, Function

Field = tuple[type, str]
"""A field of a kind of struct."""


class Symbol(NamedTuple):
    """A place in the module: a name and an offset in bytes."""

    name: str
    offset: int = 0


class Block(NamedTuple):
    """Memory of structs and of all that they refer to, in one piece that may stand anywhere.

    words        of 64 bits; addresses count from the beginning of the block
    places       of what has a name, in words
    addresses    the words that are such addresses
    functions    {word: the function whose address it is}
    """

    words: np.ndarray
    places: Mapping[str, int]
    addresses: np.ndarray
    functions: Mapping[int, str]


class Image:
    """Memory of structs and of all that they refer to, as LLVM IR or as a block.

    functions  {field: the function of the module that it points to, or None for none}
    arrays     those that addresses in arrays may refer to
    addresses  {field: {place: the function, or None for an array}} of arrays of numbers in which there are addresses
    absent     arrays that whoever runs the module makes room for: they have no rows here
    """

    def __init__(
        self,
        functions: Mapping[Field, str | None],
        arrays: Iterable[np.ndarray],
        addresses: Mapping[Field, Mapping[int, str | None]],
        absent: Sequence[np.ndarray],
    ) -> None:
        self._functions, self._addresses = functions, addresses
        self._absent = {address(owner_of(x)) for x in absent}
        self._known = {address(owner): owner for owner in map(owner_of, arrays)}
        self._within: dict[int, Mapping[int, str | None]] = {}
        self._names: dict[int, str] = {}
        self._structs: dict[int, str] = {}
        self._globals: list[tuple[str, list[int | Symbol]]] = []
        self._called: dict[str, None] = {}

    def add(self, name: str, value: Struct | np.ndarray) -> None:
        """Places a struct or an array under a name that the module may show."""
        if isinstance(value, Struct):
            self._structs[id(value)] = name
            self._globals.append((name, self._words(value)))
        else:
            self._names[address(value)] = name
            self._known[address(value)] = value

    def __str__(self) -> str:
        found = [_written(name, words) for name, words in self._parts()]
        return "\n".join([*[f'declare void @"{name}"()' for name in self._called], *found])

    def block(self) -> Block:
        """All of it in one piece."""
        parts, places, end = list(self._parts()), dict[str, int](), 0
        for name, words in parts:
            places[name], end = end, end + max(len(words), 1)
        found, addresses, functions = np.zeros(end, dtype=np.int64), list[int](), dict[int, str]()
        for name, words in parts:
            for k, word in enumerate(words, places[name]):
                if not isinstance(word, Symbol):
                    found[k] = word
                elif word.name in places:
                    found[k] = 8 * places[word.name] + word.offset
                    addresses.append(k)
                else:
                    functions[k] = word.name
        return Block(found, places, np.array(addresses, dtype=np.int64), functions)

    def _parts(self) -> Iterator[tuple[str, list[int | Symbol]]]:
        """Names and words of structs, of arrays, and of further ones that they refer to."""
        yield from self._globals
        done: set[int] = set()
        while len(done) < len(self._names):
            for place in [place for place in self._names if place not in done]:
                done.add(place)
                yield self._names[place], self._content(place)

    def _words(self, struct: Struct) -> list[int | Symbol]:
        """The machine values of a struct."""
        words: list[int | Symbol] = struct.image.tolist()
        for name, (kind, at) in fields(type(struct)).items():
            value: Any = struct.__dict__["_objects"].get(name)
            if value is None:
                continue
            if isinstance(kind, Array):
                words[at] = self._array((type(struct), name), value)
                if words[at] == 0:
                    words[at + 1] = 0
            elif isinstance(kind, Function):
                called = self._functions[type(struct), name] if value != 0 else None
                words[at] = 0 if called is None else self._function(called)
            elif isinstance(value, Struct):
                words[at] = Symbol(self._structs[id(value)]) if id(value) in self._structs else self._new(value)
        return words

    def _new(self, value: Struct) -> Symbol:
        name = f"image.{type(value).__name__}.{len(self._structs)}"
        self.add(name, value)
        return Symbol(name)

    def _function(self, name: str) -> Symbol:
        self._called[name] = None
        return Symbol(name)

    def _array(self, field: Field, value: np.ndarray) -> int | Symbol:
        owner = owner_of(value)
        self._known.setdefault(address(owner), owner)
        if field in self._addresses:
            self._within[address(owner)] = self._addresses[field]
        return self._at(address(value)) if value.size or address(owner) in self._absent else 0

    def _at(self, place: int) -> int | Symbol:
        """The symbol of an address inside a known array; 0 of those that are absent."""
        for first, owner in self._known.items():
            if first <= place < first + max(owner.nbytes, 1):
                if first in self._absent:
                    return 0
                name = self._names.setdefault(first, f"image.{len(self._names)}")
                return Symbol(name, place - first)
        raise KeyError(f"address {place} is in no array that is known")

    def _content(self, place: int) -> list[int | Symbol]:
        words: list[int | Symbol] = [*np.ascontiguousarray(self._known[place]).view(np.int64).ravel().tolist()]
        for k, name in self._within.get(place, {}).items():
            if words[k]:
                words[k] = self._at(int(words[k])) if name is None else self._function(name)  # pyright: ignore[reportArgumentType]
        return words


def owner_of(x: np.ndarray) -> np.ndarray:
    """The array whose memory a view is a part of."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def _written(name: str, words: list[int | Symbol]) -> str:
    """A global of LLVM IR: words of 64 bits, addresses as 32 bits and 32 zeros."""
    if not any(words):
        return f'@"{name}" = global [{max(len(words), 1)} x i64] zeroinitializer, align 16'
    types, values = [], []
    for word in words:
        if isinstance(word, Symbol):
            place = f'ptr @"{word.name}"'
            if word.offset:
                place = f"ptr getelementptr (i8, {place}, i32 {word.offset})"
            types += ["i32", "i32"]
            values += [f"i32 ptrtoint ({place} to i32)", "i32 0"]
        else:
            types.append("i64")
            values.append(f"i64 {word}")
    return f'@"{name}" = global <{{ {", ".join(types)} }}> <{{ {", ".join(values)} }}>, align 16'
