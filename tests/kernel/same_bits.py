"""Kernels on every target, compared to the last bit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernel.node import in_node, node
from zeromass.kernel.language import Kernel, Struct, compiled


def bits(x: Any) -> list[int]:
    """The bits of all numbers in arguments or results; every NaN counts as the same, as its sign differs by machine."""
    if isinstance(x, Struct):
        return [word for name in type(x).__annotations__ for word in bits(getattr(x, name))]
    if isinstance(x, (tuple, list)):
        return [word for item in x for word in bits(item)]
    if x is None or callable(x):
        return []
    a = np.atleast_1d(np.asarray(x))
    if a.dtype.kind == "f":
        return np.where(np.isnan(a), np.nan, a).view(np.int64).ravel().tolist()
    return a.astype(np.int64).ravel().tolist()


def copied(x: Any) -> Any:
    """Arguments that a call may change."""
    if not isinstance(x, Struct):
        return copy.deepcopy(x)
    made = type(x)(**{name: copy.deepcopy(value) for name, value in x.__dict__["_objects"].items()})
    made.image[:] = [old if new == 0 else new for old, new in zip(x.image.tolist(), made.image.tolist(), strict=True)]
    return made


def outcomes(
    kernel: Kernel, problems: Sequence[Sequence[Any]], folder: Path, functions: Sequence[Kernel] = ()
) -> dict[str, list[list[int]]]:
    """Bits of results and arguments after each call: as Python, as machine code and, where there is one, in Node."""
    ways: dict[str, Callable[[list[list[Any]]], list[Any]]] = {
        "Python": lambda some: [kernel(*args) for args in some],
        "machine code": lambda some: [compiled(kernel)(*args) for args in some],
    }
    if node() is not None:
        ways["Node"] = lambda some: in_node([(kernel, args) for args in some], folder, functions)
    found: dict[str, list[list[int]]] = {}
    for way, run in ways.items():
        mine = [[copied(x) for x in args] for args in problems]
        results = run(mine)
        found[way] = [bits([result, *args]) for result, args in zip(results, mine, strict=True)]
    return found


def assert_same_bits(kernel: Kernel, problems: Sequence[Sequence[Any]], folder: Path) -> None:
    first, *others = outcomes(kernel, problems, folder).items()
    for name, found in others:
        for k, (mine, theirs) in enumerate(zip(first[1], found, strict=True)):
            assert mine == theirs, f"{kernel.name}, problem {k}: {first[0]} and {name} differ"
