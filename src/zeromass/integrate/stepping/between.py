"""States inside steps from their polynomials, many of them: a loop in machine code."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from zeromass.compile import cache as kept
from zeromass.compile import ir
from zeromass.compile.elementary.arithmetic import Real
from zeromass.compile.target import FIRST, Code, Target, host
from zeromass.integrate.stepping.writer import INT, POINTER, Writer

_TAKES: dict[str, ir.Type] = {
    **dict.fromkeys(("places", "rows", "polynomials", "states"), POINTER),
    **dict.fromkeys(("count", "order"), INT),
}


def states_between(θ: np.ndarray, rows: np.ndarray, polynomials: np.ndarray) -> np.ndarray:
    """States at places θ in steps, shape (k, 2n).

    rows         those of the polynomials of the steps, shape (k,)
    polynomials  Legendre's coefficients, shape (steps, degree + 1, 2n)

    Σ_j P_j(θ) c_j, added in this order.
    """
    _, terms, order = polynomials.shape
    states = np.empty((len(θ), order))
    if states.size:
        θ, rows, polynomials = np.ascontiguousarray(θ), rows.astype(np.int64), np.ascontiguousarray(polynomials)
        _loop(terms)(*[x.ctypes.data for x in (θ, rows, polynomials, states)], len(θ), order)
    return states


class _Between(Writer):
    """The loop over times, and in it over the values of a state."""

    def __init__(self, module: ir.Module, target: Target, terms: int) -> None:
        super().__init__(module, target, "between", _TAKES, ir.VoidType())
        b, a = self.b, self.arguments
        with self.loop(a["count"]) as k:
            P = _legendre(self.load(a["places"], k), self.real(1.0), terms)
            row = b.load(b.gep(a["rows"], [k], source_etype=INT), typ=INT)
            first = b.mul(b.mul(row, self.int(terms)), a["order"])
            state = b.mul(k, a["order"])
            with self.loop(a["order"]) as i:
                place, total = b.add(first, i), self.real(0.0)
                for p in P:
                    total = total + p * self.load(a["polynomials"], place)
                    place = b.add(place, a["order"])
                self.store(total, a["states"], b.add(state, i))
        b.ret_void()
        self.finish()


def _legendre(θ: Real, one: Real, count: int) -> list[Real]:
    """P_0 … at θ, by the arithmetic of `legendre`."""
    x = θ * 2.0 - 1.0
    P = [one, x]
    for k in range(1, count - 1):
        P.append((x * float(2 * k + 1) * P[k] - P[k - 1] * float(k)) / float(k + 1))
    return P[:count]


@cache
def _loop(terms: int) -> Any:
    def text() -> str:
        module = ir.Module("between")
        _Between(module, host().scalar, terms)
        return str(module)

    written = kept.sources("compile", "integrate")
    origin = None if written is None else kept.digest(__name__, str(terms), written)
    code = Code(text, host().scalar, origin=origin, effort=FIRST)
    return code.function("between", None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)
