"""Calls of routines that work on arrays of their own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from zeromass.codegen.target import Code, Target, address
from zeromass.integrate.stepping.kernel import Routine, routine


@cache
def _prototype(count: int) -> Any:
    """Of a routine with so many arguments."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * count)


def called(
    kind: type[Routine],
    target: Target,
    busy: bool,
    arrays: Sequence[np.ndarray],
    functions: Sequence[tuple[Code | None, str]],
    more: Sequence[np.ndarray] = (),
) -> Callable[[], Any]:
    """The call of a routine with arrays, which are kept, functions of a system, and more arrays."""
    made = routine(kind, target)
    if busy:
        made.improve()
    addresses = [address(x) for x in arrays] + [0 if f is None else f.address(name) for f, name in functions]
    addresses += [address(x) for x in more]
    call = _prototype(len(addresses))(made.address(kind.name))
    return lambda: (arrays, functions, more, call(*addresses))[3]
