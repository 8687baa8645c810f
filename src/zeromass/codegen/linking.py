"""A linker for one object of WebAssembly: addresses for its data, a stack, a memory, and names to the outside.

LLVM's object has everything but places in memory: its data stand in segments, and where code or data need an address they
say so in relocations. Functions and types keep their numbers, since nothing is imported. The address of a function is its
place in a table of those that are called by address. The result asks for nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from zeromass.codegen.wasm_bytes import Reader, number, padded, section, signed, text, vector
from zeromass.errors import ZeromassError

STACK = 1 << 16
"""Bytes of the stack. It is the first part of the memory and grows down: running out of it is an error, not a mistake."""

PAGE = 1 << 16
"""Bytes by which memory grows."""

TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENTS, CODE, DATA, COUNT = 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12
"""Numbers of the sections; that of the number of data segments stands before code."""

LEB, SIGNED, WORD = (3,), (4, 11), (5,)
"""Kinds of relocations to an address in memory, by how it is written."""

CALLED = (1, 2)
"""Those to the address of a function, in code and in data."""

SAME = (0, 6, 7, 20)
"""Those to a function, a type, a global or the table, which keep their numbers."""

FUNCTION_SYMBOL, DATA_SYMBOL = 0, 1
UNDEFINED, NAMED = 0x10, 0x40


class LinkingError(ZeromassError, ValueError):
    """An object that can not stand alone."""


class Symbol(NamedTuple):
    """A name of the object: number of a function; or segment, offset and size of data, segment −1 where it is not there."""

    kind: int
    name: str
    place: int
    offset: int = 0
    size: int = 0


@dataclass
class Segment:
    """Data, where they are aligned, and their address once it is known."""

    data: bytearray
    align: int
    address: int = 0


@dataclass
class Parsed:
    """An object, by its parts."""

    sections: dict[int, bytes] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    relocations: dict[int, list[tuple[int, int, int, int]]] = field(default_factory=dict)


def parsed(code: bytes) -> Parsed:
    """The parts of an object of LLVM's."""
    if code[:8] != b"\0asm\1\0\0\0":
        raise LinkingError("this is no object of WebAssembly")
    reader, found, order = Reader(code, 8), Parsed(), []
    while reader.more:
        kind = reader.byte()
        body = reader.some(reader.number())
        order.append(kind)
        if kind != 0:
            found.sections[kind] = body
            continue
        custom = Reader(body)
        name = custom.text()
        if name == "linking":
            _linking(custom, found)
        elif name.startswith("reloc."):
            target = order[custom.number()]
            found.relocations[target] = list(_relocations(custom))
    _segments(found)
    return found


def _relocations(reader: Reader) -> Iterator[tuple[int, int, int, int]]:
    """Kind, place, symbol and addend."""
    for _ in range(reader.number()):
        kind, place, symbol = reader.number(), reader.number(), reader.number()
        yield kind, place, symbol, reader.signed() if kind in (*LEB, *SIGNED, *WORD, 8, 9) else 0


def _linking(reader: Reader, found: Parsed) -> None:
    reader.number()  # version
    while reader.more:
        kind = reader.byte()
        body = Reader(reader.some(reader.number()))
        if kind == 5:  # what segments are like
            found.segments = []
            for _ in range(body.number()):
                body.text()
                found.segments.append(Segment(bytearray(), 1 << body.number()))
                body.number()
        elif kind == 8:
            found.symbols = [_symbol(body) for _ in range(body.number())]


def _symbol(reader: Reader) -> Symbol:
    kind, flags = reader.byte(), reader.number()
    if kind == DATA_SYMBOL:
        name = reader.text()
        if flags & UNDEFINED:
            return Symbol(kind, name, -1)
        return Symbol(kind, name, reader.number(), reader.number(), reader.number())
    index = reader.number()
    named = kind != 3 and (not flags & UNDEFINED or flags & NAMED)
    return Symbol(kind, reader.text() if named else "", index)


def _segments(found: Parsed) -> None:
    """Data of the segments, and where each begins in the section."""
    if DATA not in found.sections:
        return
    reader = Reader(found.sections[DATA])
    for k in range(reader.number()):
        if reader.number() != 0 or reader.byte() != 0x41:
            raise LinkingError(f"data segment {k} has no plain place")
        reader.signed()
        reader.byte()
        size = reader.number()
        found.offsets.append(reader.at)
        found.segments[k].data = bytearray(reader.some(size))


def _imported(body: bytes) -> list[str]:
    """Names of the functions and tables that an object wants from elsewhere."""
    reader, names = Reader(body), []
    for _ in range(reader.number()):
        reader.text()
        name, kind = reader.text(), reader.byte()
        if kind == 0:
            reader.number()
            names.append(name)
        elif kind == 3:
            reader.some(2)
        else:
            if kind == 1:
                reader.byte()
            limited = reader.byte() & 1
            reader.number()
            if limited:
                reader.number()
    return names


def linked(
    code: bytes,
    *,
    functions: Sequence[str],
    data: Sequence[str],
    tables: Mapping[str, bytes] | None = None,
    notes: Mapping[str, bytes] | None = None,
) -> bytes:
    """A module from an object: exports `memory`, functions, and addresses of data, with `free`, where memory is free.

    tables  {name: bytes} of data that the object only refers to
    notes   {name: bytes} of custom sections
    """
    found = parsed(code)
    missing = _imported(found.sections.get(IMPORT, b"\0"))
    if missing:
        raise LinkingError(f"code for WebAssembly calls {', '.join(missing)}, which nothing here defines")
    free, placed = _place(found.segments, tables or {})
    addresses = {
        k: (placed[s.name] if s.place < 0 else found.segments[s.place].address + s.offset)
        for k, s in enumerate(found.symbols)
        if s.kind == DATA_SYMBOL and (s.place >= 0 or s.name in placed)
    }
    called = _called(found)
    addresses |= {k: 1 + place for place, k in enumerate(called)}  # the first place is that of no function
    body = bytearray(found.sections[CODE])
    _relocate(found, CODE, addresses, lambda place: (body, place))
    _relocate(found, DATA, addresses, lambda place: _in_segment(found, place))
    numbers = {s.name: s.place for s in found.symbols if s.kind == FUNCTION_SYMBOL}
    places = {s.name: addresses[k] for k, s in enumerate(found.symbols) if k in addresses} | {"free": free}
    absent = [name for name in (*functions, *data) if name not in numbers and name not in places]
    if absent:
        raise LinkingError(f"there is no {', '.join(absent)} in the object")
    shown = [*data, "free"]
    exports = [text("memory") + bytes([2]) + number(0)]
    exports += [text(name) + bytes([0]) + number(numbers[name]) for name in functions]
    exports += [text(name) + bytes([3]) + number(1 + k) for k, name in enumerate(shown)]
    values = [bytes([0x7F, 1, 0x41]) + signed(STACK) + b"\x0b"]
    values += [bytes([0x7F, 0, 0x41]) + signed(places[name]) + b"\x0b" for name in shown]
    contents = [(segment.address, bytes(segment.data)) for segment in found.segments]
    contents += [(placed[name], table) for name, table in (tables or {}).items()]
    kept = [_written(address, content) for address, content in contents if any(content)]
    pieces = [
        section(TYPE, found.sections[TYPE]),
        section(FUNCTION, found.sections[FUNCTION]),
        *([section(TABLE, vector([b"\x70\0" + number(1 + len(called))]))] if called else []),
        section(MEMORY, vector([b"\0" + number(-(-free // PAGE))])),
        section(GLOBAL, vector(values)),
        section(EXPORT, vector(exports)),
        *([section(ELEMENTS, vector([_elements([found.symbols[k].place for k in called])]))] if called else []),
        section(CODE, bytes(body)),
        section(DATA, vector(kept)),
        *[section(0, text(name) + note) for name, note in (notes or {}).items()],
    ]
    return b"\0asm\1\0\0\0" + b"".join(pieces)


def _place(segments: Sequence[Segment], tables: Mapping[str, bytes]) -> tuple[int, dict[str, int]]:
    """Gives segments and tables their addresses; the first address behind them, and where the tables are."""
    at, placed = STACK, {}
    for segment in segments:
        segment.address = -(-at // segment.align) * segment.align
        at = segment.address + len(segment.data)
    for name, table in tables.items():
        placed[name] = -(-at // 16) * 16
        at = placed[name] + len(table)
    return -(-at // 16) * 16, placed


def _called(found: Parsed) -> list[int]:
    """Symbols of the functions whose addresses are taken, in the order of the table."""
    taken = [symbol for some in found.relocations.values() for kind, _, symbol, _ in some if kind in CALLED]
    return list(dict.fromkeys(taken))


def _elements(functions: Sequence[int]) -> bytes:
    """Functions of the table, from its second place on."""
    return b"\0\x41" + signed(1) + b"\x0b" + vector([number(k) for k in functions])


def _written(address: int, content: bytes) -> bytes:
    """Data at an address; zeros at their end are there without."""
    content = content.rstrip(b"\0")
    return b"\0\x41" + signed(address) + b"\x0b" + number(len(content)) + content


def _in_segment(found: Parsed, place: int) -> tuple[bytearray, int]:
    k = max(k for k, first in enumerate(found.offsets) if first <= place)
    return found.segments[k].data, place - found.offsets[k]


def _relocate(
    found: Parsed, where: int, addresses: Mapping[int, int], at: Callable[[int], tuple[bytearray, int]]
) -> None:
    """Writes addresses where the object needs them."""
    for kind, place, symbol, addend in found.relocations.get(where, []):
        if kind in SAME:
            continue
        if symbol not in addresses:
            raise LinkingError(
                f"the object refers to '{found.symbols[symbol].name}', which is nowhere (relocation {kind})"
            )
        target, first = at(place)
        value = addresses[symbol] + addend
        if kind in (*WORD, CALLED[1]):
            target[first : first + 4] = struct.pack("<I", value)
        elif kind in (*LEB, *SIGNED, CALLED[0]):
            target[first : first + 5] = padded(value, negative=kind not in LEB)
        else:
            raise LinkingError(f"relocations of kind {kind} are not known here")
