"""Types of kernels: what a value is, and of which machine values it is made.

A float, int or bool is one machine value, a view of an array a pointer and its sizes, a struct a pointer to its fields. In
memory each machine value takes one word of 8 bytes, pointers too: the layout of a struct is the same on every target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin

import numpy as np

from zeromass.codegen import ir

DOUBLE: ir.Type = ir.DoubleType()
I64: ir.Type = ir.IntType(64)
I1: ir.Type = ir.IntType(1)
POINTER: ir.Type = ir.PointerType()
VOID: ir.Type = ir.VoidType()


class Scalar(NamedTuple):
    """A number, a truth value or an address."""

    name: str

    def __str__(self) -> str:
        return self.name


REAL, INT, BOOL, ADDRESS = Scalar("float"), Scalar("int"), Scalar("bool"), Scalar("address")


class Array(NamedTuple):
    """A view of numbers in memory, row after row: a pointer and the sizes."""

    element: Scalar
    ndim: int

    def __str__(self) -> str:
        return f"{self.element}[{', '.join(':' * self.ndim)}]"


class Tuple(NamedTuple):
    """Several values."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


class Function(NamedTuple):
    """A pointer to machine code; it is given the addresses of arrays, without their sizes."""

    args: tuple[Any, ...]
    result: Any = None

    def __str__(self) -> str:
        return f"function({', '.join(map(str, self.args))})"


Kind: TypeAlias = Any
"""A type of kernels: a `Scalar`, `Array`, `Tuple`, `Function`, a subclass of `Struct`, or None for no value."""

Reals: TypeAlias = Annotated[np.ndarray, Array(REAL, 1)]
Reals2: TypeAlias = Annotated[np.ndarray, Array(REAL, 2)]
Ints: TypeAlias = Annotated[np.ndarray, Array(INT, 1)]
Ints2: TypeAlias = Annotated[np.ndarray, Array(INT, 2)]
Address: TypeAlias = Annotated[int, ADDRESS]

_SCALARS: dict[Any, Kind] = {float: REAL, int: INT, bool: BOOL, None: None, type(None): None}


def function(*args: Any, result: Any = None) -> Function:
    """The type of a pointer to machine code whose arguments and result are annotated like this."""
    return Function(tuple(map(kind_of, args)), kind_of(result))


def kind_of(annotation: Any) -> Kind:
    """The type that an annotation stands for; TypeError if there is none."""
    from zeromass.kernel.structs import Struct

    origin = get_origin(annotation)
    if origin is Annotated:
        return get_args(annotation)[1]
    if origin is tuple:
        return Tuple(tuple(map(kind_of, get_args(annotation))))
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return annotation
    if isinstance(annotation, (Scalar, Array, Tuple, Function)):
        return annotation
    try:
        return _SCALARS[annotation]
    except (KeyError, TypeError):
        raise TypeError(f"{annotation!r} is no type of kernels") from None


def name_of(kind: Kind) -> str:
    """How a type is written in messages."""
    return kind.__name__ if isinstance(kind, type) else "nothing" if kind is None else str(kind)


_MACHINE = {"float": DOUBLE, "int": I64, "bool": I1, "address": POINTER}


def machine_types(kind: Kind) -> list[ir.Type]:
    """Types of the machine values that a value is made of."""
    if kind is None:
        return []
    if isinstance(kind, Scalar):
        return [_MACHINE[kind.name]]
    if isinstance(kind, Array):
        return [POINTER] + [I64] * kind.ndim
    return [t for item in kind.items for t in machine_types(item)] if isinstance(kind, Tuple) else [POINTER]


def result_type(kind: Kind) -> ir.Type:
    """The machine type that a function returns a value as."""
    parts = machine_types(kind)
    return VOID if not parts else parts[0] if len(parts) == 1 else ir.LiteralStructType(parts)


def function_type(kind: Function) -> ir.FunctionType:
    """Of the machine code that a pointer points to."""
    return ir.FunctionType(result_type(kind.result), [machine_types(arg)[0] for arg in kind.args])


Call: TypeAlias = Callable[..., Any]
