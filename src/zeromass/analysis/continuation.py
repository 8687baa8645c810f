"""The equations of a branch in numbers, and the points that satisfy them.

    G(x, p) = 0,  τᵀ(δx, δp) = δs       pseudo-arclength: the branch goes on where p turns back

x are positions, rates, accelerations and multipliers, as in `balance`. What nothing depends on is held, and rows that follow
from others are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.analysis.balance import Balance
from zeromass.analysis.linear import Eigenvalues
from zeromass.analysis.linearize import Formulas, linearize
from zeromass.analysis.manifold import best
from zeromass.analysis.slopes import Entries
from zeromass.equation import independent_rows, numerical_rank
from zeromass.expression import Expression, Symbol, expressions, jacobian, substitute, t
from zeromass.model import ModelError, State, System

if TYPE_CHECKING:
    from zeromass.analysis.branch import EquilibriumBranch

NEWTON = 12
"""Corrections of a point before its step is halved."""

CONVERGED = 1e-12
"""Length of the last correction, in the units of a branch, of a point that counts as found."""

BESIDE = 1e-3
"""Part of the range of the parameter, away from the start, where it is asked whether what is open there stays so."""

FOLLOWS = 1e3
"""Unit of accelerations and multipliers, beside that of positions: what they do does not count in the length of a step."""


class Path:
    """The equations of a branch, in numbers: z = (x, p) as far as it varies, in units that make it of order one."""

    system: System
    parameter: Symbol
    span: tuple[float, float]
    step: float
    points: int
    constant: dict[str, Expression] | None
    states: Formulas
    first: State
    balance: Balance
    rows: np.ndarray

    def __init__(
        self,
        system: System,
        start: State,
        parameter: Symbol,
        span: tuple[float, float],
        constant: dict[str, Expression] | None,
        states: Formulas,
        step: float,
        points: int,
    ) -> None:
        self.system, self.parameter, self.span, self.step, self.points = system, parameter, span, step, points
        self.constant, self.states, self.first = constant, states, start
        self.balance = balance = Balance(system, constant)
        still = set(balance.still)
        unknowns = [*[x for x in balance.unknowns if x not in still], parameter]
        zeros = substitute(expressions([zero for _, zero in balance.equations]), dict.fromkeys(balance.still, 0.0))
        zeros = expressions([zero for zero in zeros if zero.value is None])
        self._symbols = [t, *balance.unknowns, *system.parameters]
        self._place = {s: i for i, s in enumerate(self._symbols)}
        self._G = Entries(np.concatenate([zeros[:, None], jacobian(zeros, unknowns)], axis=1), self._symbols)
        self._varied = np.array([self._place[x] for x in unknowns])
        self._base = self._numbers(start)
        z = self._base[self._varied]
        J = self._G(self._base)[:, 1:]
        self._hold(J)
        forces = set(system.multipliers)
        kind = np.array([3 if x in forces else x.order for x in unknowns])[self._kept]
        z = z[self._kept]
        sizes = [max(1.0, float(np.abs(z[kind == k]).max(initial=0.0))) for k in range(4)]
        # a step is as long as that of the positions and of the parameter: the others follow
        self.unit: np.ndarray = np.array([sizes[k] * (1.0, 10.0, FOLLOWS, FOLLOWS)[k] for k in kind])
        self.unit[-1] = span[1] - span[0]
        J = J[:, self._kept] * self.unit
        self.rows = independent_rows(J).kept
        null = numerical_rank(J).null_space
        self.along: np.ndarray = null[:, 0] * (1.0 if null[-1, 0] >= 0 else -1.0)

    def _hold(self, J: np.ndarray) -> None:
        """Keeps what the equations leave open, whatever the parameter: places, turns, multipliers of redundant rows."""
        N = numerical_rank(J[:, :-1]).null_space
        if N.shape[1] and min(self._open_beside(BESIDE), self._open_beside(-BESIDE)) < N.shape[1]:
            raise ModelError(
                "the start is a bifurcation itself, where branches cross: begin beside it, and follow branch.other()"
            )
        held = best(N, np.arange(len(N)))
        self._kept = np.setdiff1d(np.arange(J.shape[1]), held)
        self._varied = self._varied[self._kept]

    def _open_beside(self, part: float) -> int:
        """How many directions the equations leave open where the parameter is a part of its range away."""
        values = self._base.copy()
        values[self._varied[-1]] += part * (self.span[1] - self.span[0])
        for _ in range(NEWTON):
            G = self._G(values)
            values[self._varied[:-1]] -= np.linalg.lstsq(G[:, 1:-1], G[:, 0], rcond=None)[0]
        J = self._G(values)[:, 1:-1]
        return numerical_rank(J).null_space.shape[1] if np.isfinite(J).all() else J.shape[1]

    def _numbers(self, state: State) -> np.ndarray:
        n = len(self.system.coordinates)
        motion = state.motion
        a = np.zeros(n) if self.constant is None else motion.acceleration
        M, Q, A, _, C = state.matrices
        λ = np.linalg.lstsq(A.T, M @ a - Q - C, rcond=None)[0] if len(A) else np.empty(0)
        return np.concatenate(
            [[state.t], state.q, state.v, a, λ, [state.parameters[p] for p in self.system.parameters]]
        )

    def state(self, z: np.ndarray) -> State:
        """The state at z."""
        values = self._base.copy()
        values[self._varied] = z * self.unit
        n = len(self.system.coordinates)
        parameters = {p: float(values[self._place[p]]) for p in self.system.parameters}
        return State(self.system, self.first.t, values[1 : 1 + n], values[1 + n : 1 + 2 * n], parameters)

    def equations(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """G and its derivatives by z, in independent rows."""
        values = self._base.copy()
        values[self._varied] = z * self.unit
        found = self._G(values)
        return found[self.rows, 0], found[self.rows][:, 1:][:, self._kept] * self.unit

    def corrected(self, z: np.ndarray, τ: np.ndarray) -> np.ndarray | None:
        """The point of the branch in the plane through z across τ."""
        for _ in range(NEWTON):
            G, J = self.equations(z)
            if not (np.isfinite(G).all() and np.isfinite(J).all()):
                return None
            try:
                δ = np.linalg.solve(np.vstack([J, τ]), np.append(-G, 0.0))
            except np.linalg.LinAlgError:
                return None
            z = z + δ
            if np.linalg.norm(δ) <= CONVERGED * (1.0 + np.linalg.norm(z)):
                return z
        return None

    def tangent(self, z: np.ndarray, like: np.ndarray) -> np.ndarray:
        """The direction of the branch, on the side of another."""
        _, J = self.equations(z)
        τ = np.linalg.solve(np.vstack([J, like]), np.append(np.zeros(len(J)), 1.0))
        return τ / np.linalg.norm(τ)

    def crossing(self, z: np.ndarray, τ: np.ndarray) -> float:
        """Changes its sign where another branch crosses: the determinant of (J; τ), in rows of unit length."""
        _, J = self.equations(z)
        rows = np.vstack([J / np.maximum(np.linalg.norm(J, axis=1), np.finfo(float).tiny)[:, None], τ])
        sign, size = np.linalg.slogdet(rows)
        return float(sign * np.exp(size / len(rows)))

    def followed(self, start: State, direction: np.ndarray, *, away: bool = False) -> EquilibriumBranch:
        """The branch from a state on, in a direction, as far as the range goes; `away` from a bifurcation."""
        from zeromass.analysis.following import followed

        return followed(self, start, direction, away)

    def coordinates_of(self, state: State) -> np.ndarray:
        """z of a state."""
        return self._numbers(state)[self._varied] / self.unit

    def eigenvalues(self, state: State) -> Eigenvalues:
        """Of small motions about a state; empty where they can not be told."""
        states = self.states
        if states is None and self.constant is not None:
            both = {name: (e, self.balance.constancy(name, e)) for name, e in self.constant.items()}
            states = {name: e for name, (e, _) in both.items()}
            states |= {f"rate of {name}": two[0][1] for name, (_, two) in both.items() if len(two) > 1}
        try:
            return linearize(self.system, state, states=states).eigenvalues
        except ModelError:
            return np.empty(0, dtype=complex)
