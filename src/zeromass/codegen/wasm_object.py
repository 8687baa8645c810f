"""An object of WebAssembly, as LLVM writes it, by its parts: functions, data, symbols, and where addresses are wanted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from zeromass.codegen.wasm_bytes import Reader
from zeromass.errors import ZeromassError

TYPE, IMPORT, FUNCTION, CODE, DATA = 1, 2, 3, 10, 11
"""Numbers of its sections."""

LEB, SIGNED, WORD = (3,), (4, 11), (5,)
"""Kinds of relocations to an address in memory, by how it is written."""

CALLED = (1, 2)
"""Those to the address of a function, in code and in data."""

NUMBER, TYPED = 0, 6
"""Those to the number of a function, and of a type."""

SAME = (7, 20)
"""Those to a global or the table, of which there is one."""

FUNCTION_SYMBOL, DATA_SYMBOL = 0, 1
LOCAL, UNDEFINED, NAMED = 0x02, 0x10, 0x40


class LinkingError(ZeromassError, ValueError):
    """An object that can not stand alone."""


class Symbol(NamedTuple):
    """A name: number of a function; or segment, offset and size of data. The place is −1 where it is not in the object."""

    kind: int
    name: str
    place: int
    offset: int = 0
    local: bool = False


class Relocation(NamedTuple):
    """Where an address is wanted, from the beginning of a function or a segment on: of a symbol and bytes behind it."""

    kind: int
    place: int
    symbol: int
    addend: int


@dataclass
class Content:
    """The body of a function, by the number of its type, or the data of a segment, by how it is aligned."""

    data: bytes
    kind: int
    relocations: list[Relocation] = field(default_factory=list)


class Object:
    """The parts of an object of LLVM's.

    types      of functions, as they are written
    functions  in their order; segments likewise
    symbols    by their numbers
    """

    def __init__(self, code: bytes) -> None:
        if code[:8] != b"\0asm\1\0\0\0":
            raise LinkingError("this is no object of WebAssembly")
        self.types: list[bytes] = []
        self.functions: list[Content] = []
        self.segments: list[Content] = []
        self.symbols: list[Symbol] = []
        self._imported: list[str] = []
        self._starts: dict[int, list[int]] = {CODE: [], DATA: []}
        kinds: list[int] = []
        aligned: list[int] = []
        order: list[int] = []
        relocations: list[tuple[int, Relocation]] = []
        reader = Reader(code, 8)
        while reader.more:
            kind = reader.byte()
            body = Reader(reader.some(reader.number()))
            order.append(kind)
            if kind == TYPE:
                self.types = [_type(body) for _ in range(body.number())]
            elif kind == IMPORT:
                self._imported = _imported(body)
            elif kind == FUNCTION:
                kinds = [body.number() for _ in range(body.number())]
            elif kind == CODE:
                self._read_code(body, kinds)
            elif kind == DATA:
                self._read_data(body)
            elif kind == 0:
                name = body.text()
                if name == "linking":
                    aligned = self._linking(body)
                elif name.startswith("reloc."):
                    section = order[body.number()]
                    relocations += [(section, one) for one in _relocations(body)]
        for segment, alignment in zip(self.segments, aligned, strict=True):
            segment.kind = 1 << alignment
        for section, one in relocations:
            if section in self._starts:
                starts = self._starts[section]
                k = bisect_right(starts, one.place) - 1
                contents = self.functions if section == CODE else self.segments
                contents[k].relocations.append(one._replace(place=one.place - starts[k]))

    def _read_code(self, body: Reader, kinds: list[int]) -> None:
        for kind in kinds[: body.number()]:
            size = body.number()
            self._starts[CODE].append(body.at)
            self.functions.append(Content(body.some(size), kind))

    def _read_data(self, body: Reader) -> None:
        for k in range(body.number()):
            if body.number() != 0 or body.byte() != 0x41:
                raise LinkingError(f"data segment {k} has no plain place")
            body.signed()
            body.byte()
            size = body.number()
            self._starts[DATA].append(body.at)
            self.segments.append(Content(body.some(size), 1))

    def _linking(self, reader: Reader) -> list[int]:
        """Reads the symbols; how segments are aligned, as powers of 2."""
        reader.number()  # version
        aligned: list[int] = []
        while reader.more:
            kind = reader.byte()
            body = Reader(reader.some(reader.number()))
            if kind == 5:
                for _ in range(body.number()):
                    body.text()
                    aligned.append(body.number())
                    body.number()
            elif kind == 8:
                self.symbols = [self._symbol(body) for _ in range(body.number())]
        return aligned

    def _symbol(self, reader: Reader) -> Symbol:
        kind, flags = reader.byte(), reader.number()
        local = bool(flags & LOCAL)
        if kind == DATA_SYMBOL:
            name = reader.text()
            if flags & UNDEFINED:
                return Symbol(kind, name, -1)
            segment, offset = reader.number(), reader.number()
            reader.number()  # size
            return Symbol(kind, name, segment, offset, local)
        index = reader.number()
        named = kind != 3 and (not flags & UNDEFINED or flags & NAMED)
        name = reader.text() if named else ""
        if kind != FUNCTION_SYMBOL:
            return Symbol(kind, name, index)
        if flags & UNDEFINED:
            return Symbol(kind, name or self._imported[index], -1)
        return Symbol(kind, name, index - len(self._imported), local=local)


def _type(body: Reader) -> bytes:
    """A type of functions: arguments and results."""
    first = body.at
    body.byte()
    for _ in range(2):
        body.some(body.number())
    return body.data[first : body.at]


def _imported(body: Reader) -> list[str]:
    """Names of the functions that an object wants from elsewhere."""
    names = []
    for _ in range(body.number()):
        body.text()
        name, kind = body.text(), body.byte()
        if kind == 0:
            body.number()
            names.append(name)
        elif kind == 3:
            body.some(2)
        else:
            if kind == 1:
                body.byte()
            limited = body.byte() & 1
            body.number()
            if limited:
                body.number()
    return names


def _relocations(body: Reader) -> Iterator[Relocation]:
    for _ in range(body.number()):
        kind, place, symbol = body.number(), body.number(), body.number()
        yield Relocation(kind, place, symbol, body.signed() if kind in (*LEB, *SIGNED, *WORD, 8, 9) else 0)
