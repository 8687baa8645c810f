"""Feedback from a linear system, as formulas of the system that it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from zeromass.equation import numerical_rank
from zeromass.errors import shown
from zeromass.expression import Expression, Symbol
from zeromass.model import ModelError, System
from zeromass.model.feedback import with_feedback
from zeromass.model.given import given_numbers

if TYPE_CHECKING:
    from zeromass.analysis.linear import LinearSystem


@dataclass(frozen=True, eq=False)
class Regulator:
    """Linear feedback, u = u₀ − K (x − x₀).

    gain      K, shape (inputs, states)
    feedback  {input: formula of the state}
    linear    what it was made for

    >>> x = zm.coordinate("x")
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> regulator = zm.analysis.linearize(cart, cart.start(), inputs=[{x: 1.0}]).lqr(Q=(1.0, 0.0), R=1.0)
    >>> regulator.gain.round(6)
    array([[1.      , 1.414214]])
    """

    gain: np.ndarray
    feedback: dict[Symbol, Expression]
    linear: LinearSystem

    def closed(self) -> System:
        """The system with this feedback."""
        acting = {u: force for u, force in self.linear.acting if force is not None}
        return with_feedback(self.linear.at.system, self.feedback, acting)


def regulator(linear: LinearSystem, Q: ArrayLike, R: ArrayLike) -> Regulator:
    """K = R⁻¹BᵀP, with AᵀP + PA − PBR⁻¹BᵀP + Q = 0."""
    from scipy.linalg import solve_continuous_are

    if not linear.inputs:
        raise ModelError("feedback needs inputs: zm.analysis.linearize(system, state, inputs=[…])")
    Q, R = _weights(Q, len(linear.A), "Q"), _weights(R, len(linear.inputs), "R")
    if numerical_rank(R).rank < len(R):
        raise ModelError(f"R is {shown(R.tolist())}, which leaves an input without a cost; give each a positive one")
    for W, name in ((Q, "Q"), (R, "R")):
        if not np.allclose(W, W.T):
            raise ModelError(f"{name} is not symmetric; it weighs squares")
    try:
        P = solve_continuous_are(linear.A, linear.B, Q, R)
    except np.linalg.LinAlgError as error:
        raise ModelError(
            f"no feedback from {', '.join(linear.inputs)} makes this stable: a motion that does not die out is not reached "
            "by the inputs, or not seen in Q; name the states that matter by states=[…]"
        ) from error
    K = np.linalg.solve(R, linear.B.T @ P)
    x0 = [linear.at[e] for e in linear.formulas]
    away = np.array([e - value for e, value in zip(linear.formulas, x0, strict=True)], dtype=object)
    u0 = [linear.at.parameters.get(u, 0.0) for u, _ in linear.acting]
    formulas = [value - row @ away for value, row in zip(u0, K, strict=True)]
    return Regulator(K, dict(zip((u for u, _ in linear.acting), formulas, strict=True)), linear)


def _weights(given: ArrayLike, size: int, name: str) -> np.ndarray:
    W = given_numbers(given, name)
    W = W * np.eye(size) if W.ndim == 0 else np.diag(W) if W.ndim == 1 else W
    if W.shape != (size, size):
        raise ModelError(f"{name} has shape {W.shape}; it weighs {size}, so give a number, {size} of them, or a matrix")
    return W
