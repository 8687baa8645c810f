"""How WebAssembly writes numbers, words and sections as bytes, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence


class Reader:
    """Bytes, read from the front."""

    data: bytes
    at: int

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def more(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Unsigned, LEB128."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if byte & 64 else value

    def some(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        return self.some(self.number()).decode()


def number(value: int) -> bytes:
    """Unsigned, LEB128."""
    found = bytearray()
    while True:
        value, byte = value >> 7, value & 127
        found.append(byte | (128 if value else 0))
        if not value:
            return bytes(found)


def signed(value: int) -> bytes:
    found = bytearray()
    while True:
        byte, value = value & 127, value >> 7
        done = value == (-1 if byte & 64 else 0)
        found.append(byte | (0 if done else 128))
        if done:
            return bytes(found)


def padded(value: int, *, negative: bool) -> bytes:
    """LEB128 in five bytes, as relocations leave room for."""
    bits = [(value >> 7 * k) & 127 for k in range(5)]
    if not negative:
        bits[4] &= 15
    return bytes([*[b | 128 for b in bits[:4]], bits[4] & 127])


def text(words: str) -> bytes:
    return number(len(words.encode())) + words.encode()


def vector(items: Sequence[bytes]) -> bytes:
    return number(len(items)) + b"".join(items)


def section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + number(len(body)) + body
