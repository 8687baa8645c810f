"""Measured heights in a file beside a scenario: CSV or NumPy's .npz, read with bounds and without running anything.

A CSV file has the lines y in its first row, and in each row after it a line x and the heights over it:

        ,  y₀,   y₁,   …
      x₀, z₀₀,  z₀₁,   …
      x₁, z₁₀,  z₁₁,   …

The first cell is not read. An .npz file has the arrays x, y and z with shape (len(x), len(y)), as `np.savez` writes them.
"""

from __future__ import annotations

import io
import lzma
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np

from zeromass.errors import ZeromassError, listed, nearest

LARGEST = 32 * 1024 * 1024
"""Bytes of a file."""

MOST_HEIGHTS = 250_000
"""Of a grid: the spline takes 288 bytes for each."""

MOST_BYTES = 8 * MOST_HEIGHTS + 65536
"""Of an array in a file, with its head."""

ENDINGS = (".csv", ".npz")
Heights = tuple[np.ndarray, np.ndarray, np.ndarray]

_HEAD = re.compile(
    rb"""\x93NUMPY(?:\x01\x00..|\x02\x00....)\{'descr':\ '(?P<kind>[<>|](?:f[248]|[iu][1248]))',
    \ 'fortran_order':\ (?P<columns>True|False),\ 'shape':\ \((?P<shape>(?:\d{1,9},?\ ?){0,4})\),\ \}\ *\n""",
    re.DOTALL | re.VERBOSE,
)
"""The head of an array of numbers in NumPy's format; what it says is read, not evaluated."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened whose path has no links."""

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, NotImplementedError,
    RuntimeError,
)  # fmt: skip
"""What `zipfile` raises on files that are damaged, encrypted or packed in an unknown way."""


class HeightsError(ZeromassError, ValueError):
    """A file of heights can not be used; the message says why, and where in it."""


def heights_in(folder: Path | None, file: str) -> Heights:
    """x, y and z of a file, which is named from the folder of the scenario and lies in it or below."""
    path = _place(folder, file)
    try:
        with _opened(path) as stream:
            content = stream.read(min(os.fstat(stream.fileno()).st_size, LARGEST) + 1)
    except OSError as error:
        raise HeightsError(f"'{file}' can not be read: {error.strerror or error}") from error
    if len(content) > LARGEST:
        raise HeightsError(f"'{file}' is larger than {LARGEST} bytes")
    x, y, z = _csv(content, file) if path.suffix.lower() == ".csv" else _npz(content, file)
    if z.size > MOST_HEIGHTS:
        raise HeightsError(f"'{file}' has {z.size} heights; at most {MOST_HEIGHTS} are read: take fewer lines")
    return x, y, z


def _place(folder: Path | None, file: str) -> Path:
    name = PurePosixPath(file)
    if name.is_absolute() or ".." in name.parts or "\\" in file or ":" in file or "\0" in file:
        raise HeightsError(f"'{file}' is no file beside the scenario: give its name, or folder/name")
    if name.suffix.lower() not in ENDINGS:
        raise HeightsError(f"'{file}' is neither a .csv nor an .npz file")
    if folder is None:
        raise HeightsError(f"'{file}' is looked for beside the scenario file, and this scenario is no file")
    path = folder / name
    if path.exists() and not path.resolve().is_relative_to(folder.resolve()):
        raise HeightsError(f"'{file}' is a link out of the folder of the scenario; put the file itself there")
    if not path.is_file():
        beside = [p.name for p in path.parent.glob("*") if p.suffix.lower() in ENDINGS] if path.parent.is_dir() else []
        raise HeightsError(f"there is no file '{file}' beside the scenario{nearest(name.name, beside)}")
    return path.resolve()


def _opened(path: Path) -> IO[bytes]:
    """A file whose links have been followed: it is not opened if there is one again by now, and must be a plain file."""
    stream = open(os.open(path, os.O_RDONLY | _NO_LINK), "rb")  # noqa: SIM115  (the caller closes it)
    if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) and path.resolve() == path:
        return stream
    stream.close()
    raise OSError(f"'{path.name}' is no plain file")


def _csv(content: bytes, file: str) -> Heights:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HeightsError(f"'{file}', line {line}: it is not text in UTF-8") from error
    if text.count(",") > 2 * MOST_HEIGHTS or text.count("\n") > MOST_HEIGHTS:
        raise HeightsError(f"'{file}' has too many cells; at most {MOST_HEIGHTS} heights are read: take fewer lines")
    rows = [(i, line.split(",")) for i, line in enumerate(text.split("\n"), 1) if line.strip(" \t\r,")]
    if not rows:
        raise HeightsError(f"'{file}' is empty")
    (first, head), *body = rows
    y = [_number(cell, file, first, k) for k, cell in enumerate(head[1:], 2)]
    table = []
    for i, cells in body:
        if len(cells) != len(head):
            words = f"it has {len(cells)} cells, and the first row has {len(head)}"
            raise HeightsError(f"'{file}', line {i}: {words}; a row is a line x and the heights over it")
        table.append([_number(cell, file, i, k) for k, cell in enumerate(cells, 1)])
    array = np.array(table, dtype=float).reshape(len(table), len(head))
    return array[:, 0], np.array(y), array[:, 1:]


def _number(cell: str, file: str, line: int, column: int) -> float:
    try:
        value = math.nan if "_" in cell else float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        words = f"'{cell.strip()[:30]}' is no finite number" if cell.strip() else "a number is missing"
        raise HeightsError(f"'{file}', line {line}, cell {column}: {words}")
    return value


def _npz(content: bytes, file: str) -> Heights:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            x, y, z = (_array(archive, name, file) for name in "xyz")
            return x, y, z
    except HeightsError:
        raise
    except _DAMAGE as error:
        raise HeightsError(f"'{file}' is no .npz file that can be read: {error}") from error


def _array(archive: zipfile.ZipFile, name: str, file: str) -> np.ndarray:
    """One array of numbers. Its size is known, and bounded, before anything of it is unpacked."""
    there = archive.namelist()
    if f"{name}.npy" not in there:
        names = [other.removesuffix(".npy") for other in there]
        raise HeightsError(f"'{file}' has no array '{name}', but {listed(names, 8) or 'nothing'}; it needs x, y and z")
    if archive.getinfo(f"{name}.npy").file_size > MOST_BYTES:
        raise HeightsError(
            f"'{name}' in '{file}' is larger than {MOST_HEIGHTS} heights are; at most that many are read"
        )
    data = archive.read(f"{name}.npy")
    head = _HEAD.match(data)
    if head is None:
        raise HeightsError(f"'{name}' in '{file}' is no array of real numbers, as `np.savez` writes it")
    kind, order = np.dtype(head["kind"].decode()), "F" if head["columns"] == b"True" else "C"
    shape = tuple(int(n) for n in head["shape"].split(b",") if n.strip())
    if math.prod(shape) * kind.itemsize != len(data) - head.end():
        raise HeightsError(f"'{name}' in '{file}' has shape {shape}, and data of another size")
    if math.prod(shape) > MOST_HEIGHTS:  # each takes 8 bytes, however few it has in the file
        raise HeightsError(f"'{name}' in '{file}' has {math.prod(shape)} numbers; at most {MOST_HEIGHTS} are read")
    return np.frombuffer(data, kind, offset=head.end()).reshape(shape, order=order).astype(float)
