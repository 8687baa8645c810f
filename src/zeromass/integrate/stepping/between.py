"""States inside steps from their polynomials, many of them: a loop in machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.codegen import cache as kept
from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real
from zeromass.codegen.once import once
from zeromass.codegen.target import FIRST, Code, Target, address, host
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT, POINTER, VECTOR, Writer

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
        θ, rows, polynomials = (np.ascontiguousarray(x) for x in (θ, rows.astype(np.int64, copy=False), polynomials))
        _loop(terms)(*[address(x) for x in (θ, rows, polynomials, states)], len(θ), order)
    return states


class _Between(Writer):
    """The loop over times, eight of which have their places beside one another, and in it over the values of a state."""

    def __init__(self, module: ir.Module, target: Target, terms: int) -> None:
        super().__init__(module, target, "between", _TAKES, ir.VoidType())
        b, a = self.b, self.arguments
        count, order = a["count"], a["order"]
        last, wide = b.sub(count, self.int(1)), b.icmp_signed(">=", order, self.int(CHUNK))
        weights = self.variable(ir.ArrayType(VECTOR, terms), "weights")
        with self.loop(count, CHUNK) as first:
            places = [self._least(b.add(first, self.int(k)), last) for k in range(CHUNK)]
            for j, P in enumerate(legendre_at(self.beside(a["places"], places), self.vector(1.0), terms)):
                self.store_chunk(P, weights, self.int(CHUNK * j))
            with self.loop(self._least(b.sub(count, first), self.int(CHUNK))) as lane:
                k = b.add(first, lane)
                P = [self.load(self.at(weights, lane), CHUNK * j) for j in range(terms)]
                row = b.load(b.gep(a["rows"], [k], source_etype=INT), typ=INT)
                polynomial = self.at(a["polynomials"], b.mul(b.mul(row, self.int(terms)), order))
                state = self.at(a["states"], b.mul(k, order))
                with b.if_else(wide) as (many, few):
                    with many:
                        spread, end = [self.splat(p) for p in P], b.sub(order, self.int(CHUNK))
                        with self.loop(order, CHUNK) as i:
                            i = self._least(i, end)  # what is left over is found together with what stands before it
                            self.store_chunk(
                                self.sum(spread, polynomial, i, self.vector(0.0), self.load_chunk), state, i
                            )
                    with few, self.loop(order) as i:
                        self.store(self.sum(P, polynomial, i, self.real(0.0), self.load), state, i)
        b.ret_void()
        self.finish()

    def sum(
        self, P: list[Real], polynomial: ir.Value, i: ir.Value, total: Real, load: Callable[[ir.Value, ir.Value], Real]
    ) -> Real:
        """Σ_j P_j c_j of the i-th value, or of some from there on."""
        for p in P:
            total = total + p * load(polynomial, i)
            i = self.b.add(i, self.arguments["order"])
        return total

    def beside(self, array: ir.Value, places: list[ir.Value]) -> Real:
        """Eight values of an array."""
        values = [self.b.load(self.cell(array, place), typ=DOUBLE, align=8) for place in places]
        return self.vector(self._side_by_side(values))

    def _least(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)


def legendre_at(θ: Real, one: Real, count: int) -> list[Real]:
    """P_0 … at θ, by the arithmetic of `legendre`."""
    x = θ * 2.0 - 1.0
    P = [one, x]
    for k in range(1, count - 1):
        P.append((x * float(2 * k + 1) * P[k] - P[k - 1] * float(k)) / float(k + 1))
    return P[:count]


@once
def _loop(terms: int) -> Any:
    def text() -> str:
        module = ir.Module("between")
        _Between(module, host().scalar, terms)
        return str(module)

    written = kept.sources("codegen", "compile", "integrate")
    origin = None if written is None else kept.digest(__name__, str(terms), written)
    code = Code(text, host().scalar, origin=origin, effort=FIRST)
    return code.function("between", None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)
