"""What kernels may call beside one another, as Python has to do it: with the results of machines, to the last bit.

The elementary functions are zeromass's own, written without fused operations, so that their bits are the same everywhere.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.codegen.once import once

ELEMENTARY = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "expm1", "log", "log1p", "pow", "sinh", "cosh"),
    *("tanh", "asinh", "acosh", "atanh", "cbrt", "hypot", "floor"),
)
"""Names of the elementary functions."""

BUILTIN: dict[Any, str] = {abs: "abs", min: "min", max: "max", len: "len", int: "int", float: "float"}
"""{function: name} of all that is part of the language."""


def builtin(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function part of the language."""
    BUILTIN[f] = f.__name__
    return f


@once
def _machine_code(name: str) -> Callable[..., float]:
    """An elementary function as machine code of this computer."""
    from zeromass.codegen import elementary, ir
    from zeromass.codegen.target import Code, host

    module, count = ir.Module(), elementary.FUNCTIONS[name].arity
    f = ir.Function(module, ir.FunctionType(ir.DoubleType(), [ir.DoubleType()] * count), "call")
    b = ir.IRBuilder(f.append_basic_block())
    b.ret(elementary.emit(b, name, f.args, fused=False))
    code = Code(str(module), host().scalar)
    return code.function("call", ctypes.c_double, *[ctypes.c_double] * count)


def _elementary(name: str) -> Callable[..., float]:
    def called(*x: float) -> float:
        return _machine_code(name)(*x)

    called.__name__ = name
    called.__doc__ = f"The elementary function {name}, see `codegen.elementary`."
    return builtin(called)


sin, cos, tan, asin, acos, atan, atan2 = map(_elementary, ELEMENTARY[:7])
exp, expm1, log, log1p, pow, sinh, cosh, tanh = map(_elementary, ELEMENTARY[7:15])
asinh, acosh, atanh, cbrt, hypot, floor = map(_elementary, ELEMENTARY[15:])


@builtin
def sqrt(x: float) -> float:
    """√x; not a number below zero."""
    return math.sqrt(x) if x >= 0.0 else math.nan


@builtin
def copysign(x: float, y: float) -> float:
    """|x| with the sign of y."""
    return math.copysign(x, y)


@builtin
def ulp(x: float) -> float:
    """The distance from |x| to the next larger number, of a finite x."""
    return math.ulp(x)


@builtin
def reals(*shape: int) -> np.ndarray:
    """A local array of zeros; its size is a constant."""
    return np.zeros(shape)


@builtin
def ints(*shape: int) -> np.ndarray:
    """A local array of int zeros; its size is a constant."""
    return np.zeros(shape, dtype=np.int64)
