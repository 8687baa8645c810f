"""Exact derivatives at a state: of accelerations, constraint forces and anything made of them, by the implicit rule.

    r(z, x) = 0,   ∂z/∂x = −(∂r/∂z)⁻¹ ∂r/∂x,   df/dx = ∂f/∂x + ∂f/∂z ∂z/∂x

z = (q̈, λ) of the rows kept, r = (Q + C + Aᵀλ − M q̈, b − A q̈), x = (q, q̇, p). The entries come from the expression graph as
machine code; only the sparse linear equations are solved in numbers, so that M may be singular and the graph stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.codegen.target import FIRST, host
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.program import Program
from zeromass.expression import Expression, Symbol, expressions, jacobian, parameter, symbols
from zeromass.model import ModelError, State, System

if TYPE_CHECKING:
    from zeromass.analysis.large_slopes import LargeSlopes

REMEMBERED = 16
"""Sets of derivatives that a system keeps for the next time they are asked for."""


class Slope(NamedTuple):
    """Derivatives at one state: shapes (…, 2n) by y = (q, q̇) and (…, k) by the parameters that were asked for.

    acceleration  of q̈
    constraints   of what must vanish at positions, and then at rates
    outputs       of the formulas that were asked for, whose values are `values`
    """

    acceleration: tuple[np.ndarray, np.ndarray]
    constraints: tuple[np.ndarray, np.ndarray]
    outputs: tuple[np.ndarray, np.ndarray]
    sizes: np.ndarray  # of the terms that the outputs' derivatives by y are sums of
    values: np.ndarray
    motion: np.ndarray  # q̈


class Entries:
    """The entries of an array of expressions as a function of numbers: constants once, the rest by machine code."""

    def __init__(self, array: np.ndarray, inputs: Sequence[Expression]) -> None:
        array = expressions(array)
        self._constants = np.array([0.0 if e.value is None else e.value for e in array.ravel()]).reshape(array.shape)
        self._varied = np.array([e.value is None for e in array.ravel()], dtype=bool).reshape(array.shape)
        varied = list(array[self._varied])
        self._code = LaneFunction(varied, inputs, host().scalar, effort=FIRST) if varied else None

    def __call__(self, values: np.ndarray) -> np.ndarray:
        result = self._constants.copy()
        if self._code is not None:
            result[self._varied] = self._code(values)
        return result


class Slopes:
    """Derivatives at any state where a program holds.

    outputs     formulas of the state, accelerations and multipliers
    parameters  by which derivatives are taken, beside the state; `acting`, with them, the forces of some on the coordinates,
                shape (n, their number), where these stand nowhere in the system
    """

    def __init__(
        self,
        program: Program,
        outputs: Sequence[Expression] = (),
        parameters: Sequence[Symbol] = (),
        acting: dict[Symbol, np.ndarray] | None = None,
    ) -> None:
        system, kept, dropped = program.system, list(program.elimination.kept), list(program.elimination.dropped)
        self.program = program
        self._size = len(system.coordinates)
        extra = {u: g for u, g in (acting or {}).items() if any(u is p for p in parameters)}
        force = sum((u * g for u, g in extra.items()), expressions(np.zeros(self._size)))
        a, λ, A = system.accelerations, system.multipliers[kept], system.A[kept]
        self._z = self._size + len(kept)
        r = np.concatenate([system.Q + system.C + force + A.T @ λ - system.M @ a, system.b[kept] - A @ a])
        f = expressions(list(outputs)) if outputs else expressions(np.empty(0, dtype=object))
        forces = [s for s in symbols(f) if s.kind == "multiplier"]
        strange = set(forces).difference(system.multipliers)
        if strange:
            raise ModelError(f"'{min(map(repr, strange))}' is nothing of the system")
        x = [*system.coordinates, *system.rates, *parameters]
        self._shared = Shared(system, kept, dropped, x) if forces and dropped else None
        μ = system.multipliers[dropped] if self._shared is not None else ()
        zeros = expressions([zero for level in (0, 1) for _, zero in system.zeros(level)])
        self._inputs = [*system.inputs, *extra]
        self._extra = len(extra)
        self._solution = Entries(program.solved([*a, *λ]), list(system.inputs))
        self._values = Entries(f, [*self._inputs, *a, *λ, *μ])
        self._slopes = Entries(jacobian(r, [*a, *λ, *x]), [*self._inputs, *a, *λ])
        self._told = Entries(jacobian(f, [*a, *λ, *μ, *x]), [*self._inputs, *a, *λ, *μ])
        self._constraints = Entries(jacobian(zeros, x), self._inputs)

    def at(self, state: State) -> Slope:
        """The derivatives at a state of the program's system."""
        return self.at_inputs(state.inputs)

    def at_inputs(self, inputs: np.ndarray) -> Slope:
        """The derivatives at numbers in the order of `system.inputs`."""
        n, k = self._size, self._z
        z = self._solution(inputs)
        here = np.concatenate([inputs, np.zeros(self._extra)])
        r = self._slopes(np.concatenate([here, z]))
        z_x, sizes = -solved(r[:, :k], r[:, k:]), np.abs(np.linalg.inv(r[:, :k])) @ np.abs(r[:, k:])
        told, told_x = (z, z_x) if self._shared is None else self._shared(here, z, z_x)
        if self._shared is not None:
            sizes = np.concatenate([sizes[:n], np.abs(told_x[n:])])
        all_ = np.concatenate([here, told])
        f, m = self._told(all_), len(told)
        return Slope(
            _split(z_x[:n], 2 * n),
            _split(self._constraints(here), 2 * n),
            _split(f[:, m:] + f[:, :m] @ told_x, 2 * n),
            (np.abs(f[:, m:]) + np.abs(f[:, :m]) @ sizes)[:, : 2 * n],
            self._values(all_),
            z[:n],
        )


class Shared:
    """Multipliers of all rows where some follow from others, D = T K: those of least Σλ², as a run tells them.

        Aᵀ(μ_K + Tᵀμ_D) = Aᵀλ,   (1 + T Tᵀ) μ_D = T λ,   μ_K = λ − Tᵀμ_D

    with λ those of the rows kept, K, alone. From dT K = dD − T dK follow their derivatives.
    """

    def __init__(self, system: System, kept: list[int], dropped: list[int], x: Sequence[Expression]) -> None:
        self._kept, self._dropped, self._n = kept, dropped, len(system.coordinates)
        u = [parameter(f"u{k}", 0.0) for k in range(self._n)]
        w = [parameter(f"w{k}", 0.0) for k in range(len(system.rows))]
        self._rows = Entries(system.A, list(system.inputs))
        moved = np.concatenate([system.A @ expressions(u), system.A.T @ expressions(w)])
        self._moved = Entries(jacobian(moved, x), [*system.inputs, *u, *w])
        self._inputs = len(system.inputs)

    def __call__(self, here: np.ndarray, z: np.ndarray, z_x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q̈, μ_K, μ_D) and their derivatives, from (q̈, λ) and theirs."""
        inputs, n = here[: self._inputs], self._n
        A = self._rows(inputs)
        back = np.linalg.pinv(A[self._kept])  # K has independent rows
        T = A[self._dropped] @ back
        S, λ, λ_x = np.eye(len(T)) + T @ T.T, z[n:], z_x[n:]
        μ_D = np.linalg.solve(S, T @ λ)
        μ_K = λ - T.T @ μ_D
        w = np.empty(len(A))
        w[self._dropped], w[self._kept] = μ_D, -T.T @ μ_D
        moved = self._moved(np.concatenate([inputs, back @ μ_K, w]))
        along, across = moved[: len(A)], back.T @ moved[len(A) :]  # dA K⁺μ_K, and dTᵀ μ_D
        turned = along[self._dropped] - T @ along[self._kept]  # dT μ_K
        μ_D_x = np.linalg.solve(S, turned + T @ (λ_x - across))
        μ_K_x = λ_x - across - T.T @ μ_D_x
        return np.concatenate([z[:n], μ_K, μ_D]), np.concatenate([z_x[:n], μ_K_x, μ_D_x])


def solved(K: np.ndarray, right: np.ndarray) -> np.ndarray:
    """K⁻¹ right, corrected once by what is left, in rows and columns of comparable size."""
    if not K.size:
        return right.copy()
    c = 1.0 / np.sqrt(np.maximum(np.abs(K).max(axis=0), np.finfo(float).tiny))
    r = 1.0 / np.maximum(np.abs(K * c).max(axis=1), np.finfo(float).tiny)
    scaled = r[:, None] * K * c
    x = c[:, None] * np.linalg.solve(scaled, r[:, None] * right)
    return x + c[:, None] * np.linalg.solve(scaled, r[:, None] * (right - K @ x))


def _split(x: np.ndarray, at: int) -> tuple[np.ndarray, np.ndarray]:
    return x[:, :at], x[:, at:]


def slopes_of(
    program: Program,
    outputs: Sequence[Expression] = (),
    parameters: Sequence[Symbol] = (),
    acting: dict[Symbol, np.ndarray] | None = None,
) -> Slopes | LargeSlopes:
    """Those of a program, which its system keeps for the next time."""
    memory: dict[Any, Slopes | LargeSlopes] = program.system.memory.setdefault("slopes", {})
    key = (id(program), tuple(outputs), tuple(parameters), tuple((acting or {}).keys()))
    found = memory.pop(key, None)  # it keeps its program, whose id is its own as long
    memory[key] = found or _made(program, outputs, parameters, acting)  # the last ones used stand last
    while len(memory) > REMEMBERED:
        del memory[next(iter(memory))]
    return memory[key]


def _made(
    program: Program,
    outputs: Sequence[Expression],
    parameters: Sequence[Symbol],
    acting: dict[Symbol, np.ndarray] | None,
) -> Slopes | LargeSlopes:
    if program.code != "rolled":
        return Slopes(program, outputs, parameters, acting)
    from zeromass.analysis.large_slopes import LargeSlopes  # few systems are large

    if acting:
        raise ModelError(
            "a force that stands nowhere in a large system is no input of it: give the system the force with a zm.parameter "
            "as its size, and that parameter as the input"
        )
    return LargeSlopes(program, outputs, parameters)
