"""Structs: named values in memory that Python and machine code share."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np

from zeromass.codegen.target import address
from zeromass.kernel.types import (
    ADDRESS,
    BOOL,
    INT,
    REAL,
    Array,
    Function,
    Kind,
    Scalar,
    kind_of,
    machine_types,
    name_of,
)


class Struct:
    """Named numbers, views of arrays and addresses of machine code: annotate the fields in a subclass.

    image  the fields in memory, a word of 8 bytes for each machine value, which machine code reads and writes

    Numbers live in the image alone. Arrays are known to Python as the objects that were set, and must have the type, the
    shape and the memory order of the field. An address may be given as a number or as a struct. A function may be an
    address, a ctypes function or, for Python alone, anything that can be called.
    """

    image: np.ndarray

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "image", np.zeros(size_of(type(self)), dtype=np.int64))
        object.__setattr__(self, "_objects", {})
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        known = fields(type(self))
        if name not in known:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'; there are {', '.join(known)}")
        kind, at = known[name]
        if isinstance(kind, Scalar) and kind != ADDRESS:
            self.image[at : at + 1].view(float if kind == REAL else np.int64)[0] = value
            return
        self.__dict__["_objects"][name] = value
        words = words_of(kind, value)
        self.image[at : at + len(words)] = words

    def __getattr__(self, name: str) -> Any:
        known = fields(type(self))
        if name.startswith("__") or name not in known:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        kind, at = known[name]
        if not isinstance(kind, Scalar) or kind == ADDRESS:
            found = self.__dict__["_objects"].get(name)
            return callable_of(kind, found) if isinstance(kind, Function) else found
        if kind == REAL:
            return float(self.image[at : at + 1].view(float)[0])
        return bool(self.image[at]) if kind == BOOL else int(self.image[at])


@cache
def fields(struct: type) -> dict[str, tuple[Kind, int]]:
    """{name: (type, place in words)} of the fields of a struct."""
    found: dict[str, tuple[Kind, int]] = {}
    at, names = 0, vars(sys.modules[struct.__module__])
    for name, written in struct.__annotations__.items():
        kind = kind_of(eval(written, names) if isinstance(written, str) else written)
        found[name], at = (kind, at), at + len(machine_types(kind))
    return found


def size_of(struct: type) -> int:
    """Words that a struct takes."""
    return sum(len(machine_types(kind)) for kind, _ in fields(struct).values())


def words_of(kind: Kind, value: Any) -> list[Any]:
    """The machine values of an argument or field: addresses and sizes as ints, a float as it is."""
    if isinstance(kind, Array):
        wanted = float if kind.element == REAL else np.int64
        if not (isinstance(value, np.ndarray) and value.dtype == wanted and value.ndim == kind.ndim):
            what = f"an array of {value.dtype}, shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise TypeError(f"{what} was given where {kind} is needed")
        if not value.flags.c_contiguous:
            raise TypeError(f"an array with gaps, strides {value.strides}, was given where {kind} is needed")
        return [address(value), *value.shape]
    if isinstance(kind, type):
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} was given where {name_of(kind)} is needed")
        return [address(value.image)]
    if isinstance(kind, Function):
        return [_address_of(value)]
    if kind == ADDRESS and isinstance(value, Struct):
        return [address(value.image)]
    return [float(value) if kind == REAL else int(value)]


def _address_of(value: Any) -> int:
    """Of a function; 0 of one that Python alone can call."""
    if isinstance(value, int):
        return value
    return ctypes.cast(value, ctypes.c_void_p).value or 0 if isinstance(value, ctypes._CFuncPtr) else 0  # pyright: ignore[reportAttributeAccessIssue]


def callable_of(kind: Function, value: Any) -> Any:
    """A function as Python calls it, with arrays and structs by their addresses if it is machine code."""
    if not isinstance(value, (int, ctypes._CFuncPtr)):  # pyright: ignore[reportAttributeAccessIssue]
        return value
    call = ctypes.CFUNCTYPE(c_type(kind.result), *map(c_type, kind.args))(_address_of(value))
    return lambda *args: call(*[words_of(k, a)[0] for k, a in zip(kind.args, args, strict=True)])


def c_type(kind: Kind) -> Any:
    """The first machine value of a type, for ctypes; ints are addresses too."""
    if kind is None:
        return None
    if isinstance(kind, Scalar) and kind != ADDRESS:
        return ctypes.c_double if kind == REAL else ctypes.c_int64 if kind == INT else ctypes.c_bool
    return ctypes.c_void_p
