"""The checksum of what a run is made again from: the numbers and the words of its file.

It tells a file that was damaged from one that was not, whatever program has copied or packed it in between. It is no
signature: who writes a file on purpose can write its checksum too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

WORDS = ("format", "systems", "grid_names", "segments", "settings", "scenario", "scenario_case", "certificate")
"""Attributes that count; beside them those that tell a version."""


def checksum(arrays: Mapping[str, np.ndarray], attributes: Mapping[str, object]) -> str:
    """SHA-256 of arrays, with their names and shapes, and of the attributes that a run is made again from.

    >>> from zeromass.report.checksum import checksum
    >>> checksum({"t": np.zeros(2)}, {})[:8], checksum({"t": np.array([0.0, 5e-324])}, {})[:8]
    ('e3b39b6a', '55cec3b9')
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
