"""Kernels of straight-line code in SIMD lanes: copied to where a stepping method is written."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from zeromass.codegen.elementary.arithmetic import Real, copysign, sqrt, where
from zeromass.kernel import functions
from zeromass.kernel.source import Kernel

_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.For, ast.BoolOp, ast.Not, ast.Subscript)


def lanes(kernel: Kernel, *args: Real | float) -> Any:
    """The result of a kernel on floats of which each lane has its own, as instructions of the function that is written.

    A kernel without loops, branches and arrays is a formula: run as Python on `Real`s it writes itself, one instruction for
    each operation, and a lane has the bits of the kernel. Comparisons, which differ by lane, are combined by & and |.
    """
    for node in ast.walk(kernel.node):
        if isinstance(node, _BRANCHES) or (isinstance(node, ast.Compare) and type(node.ops[0]) in (ast.Eq, ast.NotEq)):
            raise kernel.error(node, "lanes go the same way: no loops, if, and, or, not, ==, != and arrays")
    names = {name: _IN_LANES.get(id(value), value) for name, value in kernel.f.__globals__.items()}
    return FunctionType(kernel.f.__code__, {**names, "min": _smaller, "max": _larger})(*args)


def _smaller(x: Real, y: Real) -> Real:
    """Python's min: the first unless the second is smaller."""
    return where(y < x, y, x)


def _larger(x: Real, y: Real) -> Real:
    return where(y > x, y, x)


_IN_LANES = {id(functions.sqrt): sqrt, id(functions.copysign): copysign}
