"""Two checksums of the file of a run: of its bytes, and of what it tells.

A seal behind the last byte tells a damaged file before anything reads it: HDF5 can turn in circles in one. The checksum of
the numbers and words that a run is made again from holds whatever program has copied or packed the file in between, which
loses the seal. Neither is a signature: who writes a file on purpose can write its checksums too.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

WORDS = ("format", "systems", "grid_names", "segments", "settings", "scenario", "scenario_case", "certificate")
"""Attributes that count; beside them those that tell a version."""

COPIES = 32
"""Of a seal: 3 kB, so that damage at the end of a file leaves some of them."""

_FORM = b"zeromass seal: %015d bytes, sha256 %s\n"
_SEAL = re.compile(rb"zeromass seal: (\d{15}) bytes, sha256 ([0-9a-f]{64})\n")
_LENGTH = len(_FORM % (0, b"0" * 64))
_PIECE = 2**20


def seal(content: bytes | memoryview) -> bytes:
    """What is written behind the bytes of a file, where HDF5 does not look."""
    return _FORM % (len(content), hashlib.sha256(content).hexdigest().encode()) * COPIES


def broken(path: Path) -> bool:
    """Whether a file has a seal that is not that of its bytes; one that never had any is not broken."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - COPIES * _LENGTH))
        end = file.read()
        seals = Counter(_SEAL.findall(end))
        if not seals:
            return b"zeromass seal" in end
        (length, told), _ = seals.most_common(1)[0]
        file.seek(0)
        digest, left = hashlib.sha256(), int(length)
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            digest.update(piece)
            left -= len(piece)
    return left > 0 or digest.hexdigest().encode() != told


def checksum(arrays: Mapping[str, np.ndarray], attributes: Mapping[str, object]) -> str:
    """SHA-256 of arrays, with their names and shapes, and of the attributes that a run is made again from.

    >>> from zeromass.report.checksum import checksum
    >>> zero, nearly = np.zeros(2), np.array([0.0, 5e-324])
    >>> checksum({"t": zero}, {}) == checksum({"t": zero + 0}, {}), checksum({"t": zero}, {}) == checksum({"t": nearly}, {})
    (True, False)
    """
    digest = hashlib.sha256()
    counted = [name for name in attributes if name in WORDS or name.endswith("_version")]
    for name in sorted(counted):
        digest.update(repr((name, str(attributes[name]))).encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name], dtype="<f8")
        digest.update(repr((name, values.shape)).encode())
        digest.update(values.data)
    return digest.hexdigest()
