"""A linker for objects of WebAssembly: addresses for their data, a stack, a memory, and names to the outside.

LLVM's objects have everything but places in memory: their data stand in segments, and where code or data need an address
they say so in relocations. What nothing refers to is left out. The address of a function is its place in a table of those
that are called by address. The result asks for nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zeromass.codegen.wasm_bytes import number, padded, section, signed, text, vector
from zeromass.codegen.wasm_object import (
    CALLED,
    CODE,
    DATA,
    DATA_SYMBOL,
    FUNCTION,
    FUNCTION_SYMBOL,
    LEB,
    NUMBER,
    SAME,
    SIGNED,
    TYPE,
    TYPED,
    WORD,
    Content,
    LinkingError,
    Object,
)

STACK = 1 << 16
"""Bytes of the stack. It is the first part of the memory and grows down: running out of it is an error, not a mistake."""

PAGE = 1 << 16
"""Bytes by which memory grows."""

TABLE, MEMORY, GLOBAL, EXPORT, ELEMENTS = 4, 5, 6, 7, 9
"""Numbers of the sections that objects do not have."""


class Place(NamedTuple):
    """Of a symbol: the object, whether it is a function, the number of the function or segment there, and bytes behind."""

    object: int
    called: bool
    number: int
    offset: int = 0

    @property
    def content(self) -> Place:
        return self._replace(offset=0)


def linked(
    objects: Sequence[bytes],
    *,
    functions: Sequence[str],
    data: Sequence[str],
    tables: Mapping[str, bytes] | None = None,
    notes: Mapping[str, bytes] | None = None,
) -> bytes:
    """A module from objects: exports `memory`, functions, and addresses of data, with `free`, where memory is free.

    tables  {name: bytes} of data that the objects only refer to
    notes   {name: bytes} of custom sections
    """
    return _Linker(objects, tables or {}).module(functions, data, notes or {})


class _Linker:
    def __init__(self, objects: Sequence[bytes], tables: Mapping[str, bytes]) -> None:
        self._objects, self._tables = [Object(code) for code in objects], tables
        self._known: dict[str, Place] = {}
        for i, one in enumerate(self._objects):
            for symbol in one.symbols:
                if symbol.kind in (FUNCTION_SYMBOL, DATA_SYMBOL) and symbol.place >= 0 and not symbol.local:
                    if symbol.name in self._known:
                        raise LinkingError(f"'{symbol.name}' is defined twice")
                    called = symbol.kind == FUNCTION_SYMBOL
                    self._known[symbol.name] = Place(i, called, symbol.place, symbol.offset)

    def _content(self, place: Place) -> Content:
        one = self._objects[place.object]
        return (one.functions if place.called else one.segments)[place.number]

    def _target(self, i: int, k: int) -> Place | str:
        """Where a symbol of an object is; its name where it is one of the tables."""
        symbol = self._objects[i].symbols[k]
        if symbol.place >= 0:
            return Place(i, symbol.kind == FUNCTION_SYMBOL, symbol.place, symbol.offset)
        if symbol.name in self._known:
            return self._known[symbol.name]
        if symbol.name in self._tables:
            return symbol.name
        does = "calls" if symbol.kind == FUNCTION_SYMBOL else "refers to"
        raise LinkingError(f"code for WebAssembly {does} {symbol.name}, which nothing here defines")

    def _reached(self, roots: Sequence[Place]) -> list[Place]:
        """All functions and segments that are needed, in their order; notes which functions are called by address."""
        found, waiting = {place.content for place in roots}, [place.content for place in roots]
        called: set[Place] = set()
        while waiting:
            place = waiting.pop()
            for kind, _, symbol, _ in self._content(place).relocations:
                if kind in SAME or kind == TYPED:
                    continue
                target = self._target(place.object, symbol)
                if isinstance(target, str):
                    continue
                if kind in CALLED:
                    called.add(target)
                if target.content not in found:
                    found.add(target.content)
                    waiting.append(target.content)
        self._called = {
            place: 1 + k for k, place in enumerate(sorted(called))
        }  # the first place is that of no function
        return sorted(found)

    def module(self, functions: Sequence[str], data: Sequence[str], notes: Mapping[str, bytes]) -> bytes:
        absent = [name for name in (*functions, *data) if name not in self._known and name not in self._tables]
        if absent:
            raise LinkingError(f"there is no {', '.join(absent)} in the objects")
        reached = self._reached([self._known[name] for name in (*functions, *data) if name in self._known])
        codes = [place for place in reached if place.called]
        segments = [place for place in reached if not place.called]
        self._numbers = {place: k for k, place in enumerate(codes)}
        self._types: dict[bytes, int] = {}
        free = self._place(segments)
        kinds = [self._type(place.object, self._content(place).kind) for place in codes]
        bodies = [self._relocated(place) for place in codes]
        contents = [(self._addresses[place], self._relocated(place)) for place in segments]
        contents += [(self._addresses[name], table) for name, table in self._tables.items()]
        shown = [(name, self._address(self._known.get(name, name))) for name in data] + [("free", free)]
        exports = [text("memory") + bytes([2]) + number(0)]
        exports += [text(name) + bytes([0]) + number(self._numbers[self._known[name]]) for name in functions]
        exports += [text(name) + bytes([3]) + number(1 + k) for k, (name, _) in enumerate(shown)]
        values = [bytes([0x7F, 1, 0x41]) + signed(STACK) + b"\x0b"]
        values += [bytes([0x7F, 0, 0x41]) + signed(address) + b"\x0b" for _, address in shown]
        some = vector([b"\x70\0" + number(1 + len(self._called))])
        elements = vector([_elements([self._numbers[place] for place in self._called])])
        pieces = [
            section(TYPE, vector([*self._types])),
            section(FUNCTION, vector([number(kind) for kind in kinds])),
            *([section(TABLE, some)] if self._called else []),
            section(MEMORY, vector([b"\0" + number(-(-free // PAGE))])),
            section(GLOBAL, vector(values)),
            section(EXPORT, vector(exports)),
            *([section(ELEMENTS, elements)] if self._called else []),
            section(CODE, vector([number(len(body)) + body for body in bodies])),
            section(DATA, vector([_written(address, content) for address, content in contents if any(content)])),
            *[section(0, text(name) + note) for name, note in notes.items()],
        ]
        return b"\0asm\1\0\0\0" + b"".join(pieces)

    def _place(self, segments: Sequence[Place]) -> int:
        """Gives segments and tables their addresses; the first address behind them."""
        at = STACK
        self._addresses: dict[Place | str, int] = {}
        for place in segments:
            content = self._content(place)
            self._addresses[place] = -(-at // content.kind) * content.kind
            at = self._addresses[place] + len(content.data)
        for name, table in self._tables.items():
            self._addresses[name] = -(-at // 16) * 16
            at = self._addresses[name] + len(table)
        return -(-at // 16) * 16

    def _address(self, target: Place | str) -> int:
        return self._addresses[target] if isinstance(target, str) else self._addresses[target.content] + target.offset

    def _type(self, i: int, k: int) -> int:
        """The number of a type of an object among all."""
        return self._types.setdefault(self._objects[i].types[k], len(self._types))

    def _relocated(self, place: Place) -> bytes:
        """A function or a segment with the numbers and addresses that it needs."""
        content = self._content(place)
        data = bytearray(content.data)
        for kind, at, symbol, addend in content.relocations:
            if kind in SAME:
                continue
            if kind == TYPED:
                value = self._type(place.object, symbol)
            else:
                target = self._target(place.object, symbol)
                if kind == NUMBER or kind in CALLED:
                    assert not isinstance(target, str)
                    value = (self._numbers if kind == NUMBER else self._called)[target]
                elif kind in (*LEB, *SIGNED, *WORD):
                    value = self._address(target) + addend
                else:
                    raise LinkingError(f"relocations of kind {kind} are not known here")
            if kind in (*WORD, CALLED[1]):
                data[at : at + 4] = struct.pack("<I", value)
            else:
                data[at : at + 5] = padded(value, negative=kind in (*SIGNED, CALLED[0]))
        return bytes(data)


def _elements(functions: Sequence[int]) -> bytes:
    """Functions of the table, from its second place on."""
    return b"\0\x41" + signed(1) + b"\x0b" + vector([number(k) for k in functions])


def _written(address: int, content: bytes) -> bytes:
    """Data at an address; zeros at their end are there without."""
    content = content.rstrip(b"\0")
    return b"\0\x41" + signed(address) + b"\x0b" + number(len(content)) + content
