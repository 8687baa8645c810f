"""How a start goes with the parameters in it, and in the constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.analysis.tangent import start_variations
from zeromass.expression import Evaluator, Expression, Symbol, expressions, jacobian, symbols
from zeromass.expression.leaves import namesake
from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.nearest import least_change


def variations(run: Course, over: Sequence[Symbol]) -> tuple[np.ndarray, np.ndarray]:
    """∂y(0)/∂θ, shape (2n, θ), and ∂p/∂θ of the system's parameters, (p, θ).

        E δq = δe − ∂e/∂p δp      e the constraints, of which nothing is asked, and what was prescribed
        E δq̇ = δe − ∂e/∂p δp − ∂e/∂q δq

    A start that was prescribed by formulas of parameters goes with them. What it left open changes least, in the metric of
    the kinetic energy.
    """
    system, start = run.system, run.start
    p = list(system.parameters)
    δp = np.array([[1.0 if x is θ else 0.0 for θ in over] for x in p]).reshape(len(p), len(over))
    made = start.made_of
    unknown = [θ for θ in over if θ not in p and (made is None or θ not in made.parameters)]
    if unknown:
        known = [*p, *(made.parameters if made else ())]
        names = ", ".join(x.name for x in known) or "none"
        words = f"'{unknown[0].name}' is no parameter of the system or of its start; there are: {names}"
        raise ModelError(words + namesake(unknown[0], known))
    if made is None:
        return start_variations(run) @ δp, δp
    values = {**start.parameters, **{θ: θ.default for θ in made.parameters if θ not in start.parameters}}
    pairs = [pair for key, value in made.pairs for pair in _flat(key, value)]
    M, A = start.matrices.M, start.matrices.A
    n = len(M)
    δ = np.zeros((2, n, len(over)))
    for level in (0, 1):
        zeros = [zero for _, zero in system.zeros(level)]
        wishes = [(e, value) for e, value in pairs if _order(e) == level]
        formulas = expressions([*zeros, *[e for e, _ in wishes]])
        if not len(formulas):
            continue
        by_q, by_p = (
            Evaluator(jacobian(formulas, x), system.inputs)(start.inputs) if len(x) else np.zeros((len(formulas), 0))
            for x in (system.coordinates, p)
        )
        rows = A[system.told(1)] if level else by_q[: len(zeros)]
        own = by_q if level == 0 else Evaluator(jacobian(formulas, system.rates), system.inputs)(start.inputs)
        rows = np.concatenate([rows, own[len(zeros) :]])
        asked = np.zeros((len(formulas), len(over)))
        if wishes and len(over):
            slopes = expressions(jacobian([value for _, value in wishes], list(over)))
            names = list(values)
            asked[len(zeros) :] = Evaluator(slopes, names)(np.array([values[x] for x in names], dtype=float))
        wanted = asked - by_p @ δp - (by_q @ δ[0] if level else 0.0)
        δ[level] = least_change(M, rows, wanted.T).T
    return np.concatenate([δ[0], δ[1]]), δp


def _flat(key: object, value: object) -> list[tuple[Expression, Expression]]:
    keys = expressions(key)
    values = np.broadcast_to(expressions(value), keys.shape)
    return list(zip(keys.ravel(), values.ravel(), strict=True))


def _order(e: Expression) -> int:
    return max((leaf.order for leaf in symbols(e) if leaf.kind == "coordinate"), default=-1)
