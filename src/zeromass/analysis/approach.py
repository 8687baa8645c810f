"""Steady motions, by steps along the constraints: few equations are wanted of many unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.analysis.manifold import tangents
from zeromass.analysis.slopes import Slope, Slopes, slopes_of
from zeromass.compile.program import compile
from zeromass.equation import numerical_rank
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, Symbol
from zeromass.model import ModelError, StartError, State
from zeromass.model.start import states_nearby

if TYPE_CHECKING:
    from zeromass.analysis.large_slopes import LargeSlopes

STEPS, HALVINGS = 60, 20
"""Steps of Newton, and lengths of one that are tried."""

ATTEMPTS, SPREAD = 4, 0.1
"""States beside the first from which it is tried again, and how far away they are, in the coordinates' own units."""

SOLVED = 1e-10
"""What may be left of an equation, as part of its terms."""

OPEN = 1e-9
"""Part of the largest singular value below which a step leaves a direction alone."""


class Reached(NamedTuple):
    """Where steps have led, and what is left of the equations there, as parts of their terms."""

    state: State
    slope: Slope
    left: np.ndarray

    @property
    def worst(self) -> float:
        return float(np.abs(self.left).max(initial=0.0))


def steady(
    state: State, equations: Sequence[tuple[str, Expression]], wanted: np.ndarray, by: Sequence[Symbol]
) -> State:
    """A state near one where formulas, of accelerations too, have the values wanted.

        f_y N x + f_p δp = wanted − f,   y ← y + N x, and back onto the constraints

    equations  (name, formula)
    by         parameters that may change
    """
    best: Reached | None = None
    for first in chain([state], states_nearby(state.system, state, spread=SPREAD, count=ATTEMPTS)):
        if not first.motion.unique:
            raise ModelError(f"the motion is not determined: {first.system.check(first)}")
        reached = _newton(first, [e for _, e in equations], wanted, by)
        if reached is not None and (best is None or reached.worst < best.worst):
            best = reached
        if best is not None and best.worst <= SOLVED:
            return _named(best, by)
    if best is None:
        raise StartError("no state was found at which it could be looked for; give another guess={…}")
    order = [k for k in np.argsort(-np.abs(best.left)) if abs(best.left[k]) > 0.1 * best.worst][:4]
    missed = [f"'{equations[k][0]}' (off by {best.slope.values[k] - wanted[k]:.3g})" for k in order]
    raise StartError(
        f"no state satisfies {', '.join(missed)}; prescribe less, or give guess={{…}} nearer to a solution"
    )


def _newton(first: State, formulas: list[Expression], wanted: np.ndarray, by: Sequence[Symbol]) -> Reached | None:
    try:
        slopes = slopes_of(compile(first.system, first), tuple(formulas), tuple(by))
        reached = _at(slopes, first, wanted)
        for _ in range(STEPS):
            better = next(_better(slopes, reached, wanted, by), None)
            if better is None or (reached.worst <= SOLVED and better.worst > 0.5 * reached.worst):
                break
            reached = better
    except (ZeromassError, np.linalg.LinAlgError):
        return None
    return reached


def _at(slopes: Slopes | LargeSlopes, state: State, wanted: np.ndarray) -> Reached:
    slope = slopes.at(state)
    y = np.concatenate([state.q, state.v])
    sizes = 1.0 + np.abs(wanted) + slope.sizes @ np.abs(y)
    return Reached(state, slope, (wanted - slope.values) / sizes)


def _better(slopes: Slopes | LargeSlopes, at: Reached, wanted: np.ndarray, by: Sequence[Symbol]) -> Iterator[Reached]:
    """Points of smaller residuals after a whole step or its half, quarter, …"""
    N, J = _directions(at)
    sizes = np.abs(wanted - at.slope.values) / np.where(at.left == 0.0, 1.0, np.abs(at.left))
    sizes = np.where(sizes == 0.0, 1.0, sizes)
    x = np.linalg.lstsq(J / sizes[:, None], at.left, rcond=OPEN)[0]
    for halving in range(HALVINGS):
        there = _at(slopes, _moved(at.state, N, x * 0.5**halving, by), wanted)
        if np.linalg.norm(there.left) < np.linalg.norm(at.left):
            yield there


def _directions(at: Reached) -> tuple[np.ndarray, np.ndarray]:
    N = tangents(at.state.system, at.slope.constraints[0]).N
    return N, np.concatenate([at.slope.outputs[0] @ N, at.slope.outputs[1]], axis=1)


def _moved(state: State, N: np.ndarray, x: np.ndarray, by: Sequence[Symbol]) -> State:
    n, d = len(state.q), N.shape[1]
    y = np.concatenate([state.q, state.v]) + N @ x[:d]
    values = {**state.parameters, **{p: state.parameters[p] + δ for p, δ in zip(by, x[d:].tolist(), strict=True)}}
    return State(state.system, state.t, y[:n], y[n:], values).carried_to(state.system)


def _named(at: Reached, by: Sequence[Symbol]) -> State:
    """The state, with the names of what the equations leave open."""
    N, J = _directions(at)
    sizes = np.maximum(np.abs(J).max(axis=1, initial=0.0), 1.0)
    free = numerical_rank(J / sizes[:, None], tolerance=OPEN, equilibrate=False).null_space[: N.shape[1]]
    moving = np.abs(N @ free).max(axis=1, initial=0.0) > np.sqrt(OPEN)
    state = at.state
    names = [
        repr(x) for x, open_ in zip((*state.system.coordinates, *state.system.rates), moving, strict=True) if open_
    ]
    return State(state.system, state.t, state.q, state.v, state.parameters, tuple(names))
