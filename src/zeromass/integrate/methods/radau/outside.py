"""Jacobians and linear systems of large programs: machine code that calls Python, where sparse matrices are factored.

The functions have the names and arguments of those of `linear`. There are no iterations with a Jacobian for each stage:
where the simplified ones do not converge, the step is shorter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.linear import IMAGINARY, UNITS
from zeromass.integrate.methods.radau.lu import COMPLEX, REAL
from zeromass.integrate.methods.radau.memory import Memory, Part, Slot
from zeromass.integrate.stepping.writer import INT, POINTER


class _Calling(Part):
    """A part that calls a function of Python, whose address is in the list."""

    def outside(self, slot: Slot, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        kind = ir.FunctionType(result, [x.type for x in arguments])
        return self.b.call(self.b.inttoptr(self.whole(slot), kind.as_pointer()), arguments)

    def eigenvalue(self, parts: int) -> list[ir.Value]:
        """Its real and its imaginary part."""
        known = [self.load(self.arguments["eigenvalue"], part * IMAGINARY).value for part in range(parts)]
        return [*known, self.real(0.0).value][:2]


class Jacobian(_Calling):
    """`jacobian(memory, t, y, out)`: what is kept outside is that of this state."""

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "jacobian", {"t": POINTER, "y": POINTER, "out": POINTER}, INT)
        self.keep_whole(self.plus(self.whole(Slot.jacobians), 1), Slot.jacobians)
        self.b.ret(self.outside(Slot.call_jacobian, INT, self.arguments["t"], self.arguments["y"]))
        self.finish()


class Rounding(_Calling):
    """`rounding(memory, y, noise)`: accelerations that a rounding of y makes, about."""

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "rounding", {"y": POINTER, "noise": POINTER}, ir.VoidType())
        self.outside(Slot.call_rounding, INT, self.arguments["y"], self.arguments["noise"])
        self.b.ret_void()
        self.finish()


class SignedRounding(_Calling):
    """`signed_rounding(memory, y, noise)`: `noise` stays as it is."""

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "signed_rounding", {"y": POINTER, "noise": POINTER}, ir.VoidType())
        self.b.ret_void()
        self.finish()


class FactorShifted(_Calling):
    """`factor_shifted_…(memory, eigenvalue, matrix, pivots)`; 1 where the matrix is singular."""

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        name = f"factor_shifted_{'real' if parts == REAL else 'complex'}"
        super().__init__(module, target, name, dict.fromkeys(("eigenvalue", "matrix", "pivots"), POINTER), INT)
        given = [*self.eigenvalue(parts), self.number(Slot.h).value]
        self.b.ret(self.outside(Slot.call_factor, INT, *given))
        self.finish()


class SolveShifted(_Calling):
    """`solve_shifted_…(memory, eigenvalue, matrix, pivots, r)`: x of (μ I − ∂f/∂y) x = r in place of r."""

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        name = f"solve_shifted_{'real' if parts == REAL else 'complex'}"
        arguments: dict[str, ir.Type] = dict.fromkeys(("eigenvalue", "matrix", "pivots", "r"), POINTER)
        super().__init__(module, target, name, arguments, ir.VoidType())
        self.outside(Slot.call_solve, INT, *self.eigenvalue(parts), self.arguments["r"])
        self.b.ret_void()
        self.finish()


class Coupled(Part):
    """`coupled(memory, fresh)`: 1, as there is none."""

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "coupled", {"fresh": INT}, INT)
        self.b.ret(self.int(1))
        self.finish()


def outside_parts(module: ir.Module, target: Target) -> None:
    """The functions of this file in a module."""
    Jacobian(module, target)
    Rounding(module, target)
    for parts in (REAL, COMPLEX):
        FactorShifted(module, target, parts)
        SolveShifted(module, target, parts)
    SignedRounding(module, target)
    Coupled(module, target)


class Calls:
    """The functions of Python that machine code calls: of some `Shifted` systems, at values of the parameters."""

    def __init__(self, shifted: Any, parameters: np.ndarray, n: int, wide: int) -> None:
        self._shifted, self._parameters, self._n, self._wide = shifted, parameters, n, wide
        number, whole, address = ctypes.c_double, ctypes.c_int64, ctypes.c_void_p
        self._functions = {
            Slot.call_jacobian: ctypes.CFUNCTYPE(whole, address, address)(_safely(self._jacobian)),
            Slot.call_rounding: ctypes.CFUNCTYPE(whole, address, address)(_safely(self._rounding)),
            Slot.call_factor: ctypes.CFUNCTYPE(whole, number, number, number)(_safely(self._factor)),
            Slot.call_solve: ctypes.CFUNCTYPE(whole, number, number, address)(_safely(self._solve)),
        }

    def into(self, memory: Memory) -> None:
        """Writes their addresses to the list."""
        for slot, function in self._functions.items():
            memory.set_whole(**{slot.name: ctypes.cast(function, ctypes.c_void_p).value or 0})

    def _jacobian(self, t: int, y: int) -> int:
        state = _array(y, 2 * self._n).copy()
        return int(not self._shifted.at(ctypes.c_double.from_address(t).value, state, self._parameters))

    def _rounding(self, y: int, noise: int) -> int:
        m = 2 * self._n
        _array(noise, m)[self._n :] = UNITS * self._shifted.magnified(_array(y, m))
        return 0

    def _factor(self, real: float, imaginary: float, h: float) -> int:
        key = complex(real, imaginary)
        return int(not self._shifted.factor(key, key / h))

    def _solve(self, real: float, imaginary: float, r: int) -> int:
        key, m = complex(real, imaginary), 2 * self._n
        rows = [_array(r, m)] + ([_array(r + 8 * self._wide, m)] if imaginary else [])
        x = self._shifted.solve(key, rows[0] + 1j * rows[1] if imaginary else rows[0])
        for row, part in zip(rows, (x.real, x.imag), strict=False):
            row[:] = part
        return 0


def _array(address: int, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(address))


def _safely(function: Callable[..., int]) -> Callable[..., int]:
    """The same; where it can not be computed, there is no solution."""

    def called(*arguments: Any) -> int:
        try:
            return function(*arguments)
        except (ArithmeticError, ValueError, MemoryError, np.linalg.LinAlgError):
            return 1

    return called
