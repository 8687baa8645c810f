"""Whether a velocity constraint is truly nonholonomic, or the rate of a relation between positions.

A constraint a(q, t)·q̇ + a₀(q, t) = 0 is a form a on (q, t). If the exterior derivative da does not vanish on some pair of
motions that all constraints allow, the constraint is nonholonomic. If da vanishes on all pairs for every constraint, at the
state and at states around it that the holonomic constraints allow, all of them are integrable (Frobenius).

If it vanishes for some constraints and not for others, the first derived system does not decide: the others let the motion
leave the directions D of the constraints by brackets, and brackets of these may violate a. The last system of the derived
flag decides. Its annihilator is the tangent space of the orbit, all that motions along D can reach [S1973]:

    T_q O = span { Φ⁻¹ D(y(s)) },     y′ = P(y) w,  y(0) = q,     Φ = ∂y(s)/∂q

with the projector P on D and any directions w. A form that vanishes on it is the rate of a relation between positions. A
sphere that rolls on a plane without spinning has D of dimension 2, brackets give 3 and 5: all of its rows are nonholonomic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.inverse import moore_penrose
from zeromass.expression import Array, Evaluator, expressions, jacobian, substitute, symbols
from zeromass.expression import t as time
from zeromass.model.start import states_nearby
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.model.system import System

SPREAD = 0.1
"""Distance, in the coordinates' own units, of the states at which the forms are examined besides the given one."""

SAMPLES = 4
ROUNDING = 1e-9
"""Part of the size of da below which its value on a pair counts as zero."""

CURVES, STEPS, LENGTH = 6, 12, 0.7
"""Curves along allowed directions, steps of the Runge–Kutta method on each, and their length in the units of coordinates."""

BEYOND = 10.0
"""Numerical errors that the value of a form has to exceed to be none; that of a form which vanishes is 1/15 of one."""


def kinds(system: System, state: State) -> dict[str, str]:
    """For each constraint: holonomic, integrable, nonholonomic (linear or not), or at acceleration level."""
    result: dict[str, str] = {}
    verdicts = _frobenius(system, state)
    for i, row in enumerate(system.rows):
        if row.level == 0:
            kind = "holonomic"
        elif row.level == 2:
            kind = "at acceleration level"
        else:
            kind = verdicts[i]
        known = result.get(row.group)
        result[row.group] = kind if known in (None, kind) else _strongest(known, kind)
    return result


def _strongest(*kinds: str) -> str:
    order = ["nonholonomic, nonlinear in the rates", "nonholonomic", "integrable"]
    return min(kinds, key=lambda kind: order.index(kind) if kind in order else len(order))


def _frobenius(system: System, state: State) -> dict[int, str]:
    q, v = system.coordinates, system.rates
    verdicts: dict[int, str] = {}
    linear: list[int] = []
    for i, row in enumerate(system.rows):
        if row.level == 1:
            if any(leaf.order == 1 for leaf in symbols(system.A[i])):
                verdicts[i] = "nonholonomic, nonlinear in the rates"
            else:
                linear.append(i)
    if not linear:
        return verdicts
    # all first-order forms on (q, t): the picked ones, and the differentials of the holonomic constraints
    rest = dict.fromkeys(v, 0.0)
    places = expressions([*q, time])
    zeros = expressions([system.rows[i].zero for i in linear])
    forms = np.concatenate([system.A[linear], substitute(zeros, rest)[:, None]], axis=1)
    curl = jacobian(forms, places)
    curl = curl - np.swapaxes(curl, 1, 2)
    holonomic = [i for i, row in enumerate(system.rows) if row.level == 0]
    others = jacobian(expressions([system.rows[i].zero for i in holonomic]), places)
    values = Evaluator(np.concatenate([block.ravel() for block in (forms, others, curl)]), [*system.inputs])
    around = states_nearby(system, state, spread=SPREAD, count=SAMPLES, rates=False)
    size = len(q)
    flat = values(np.array([state.inputs, *[other.inputs for other in around]]))
    examined = []
    for numbers in flat[np.all(np.isfinite(flat), axis=1)]:
        a, h, d = np.split(numbers, [forms.size, forms.size + others.size])
        rank = numerical_rank(np.vstack([a.reshape(forms.shape), h.reshape(-1, size + 1)]))
        examined.append((int(rank.rank), rank.null_space, d.reshape(curl.shape)))
    usual = max((rank for rank, _, _ in examined), default=0)
    true_curl = np.zeros(len(linear), dtype=bool)
    for rank, N, d in examined:
        if rank == usual:  # where the forms lose rank they allow pairs that no motion near by has
            on_pairs = np.abs(N.T @ d @ N).max(axis=(1, 2), initial=0.0)
            true_curl |= on_pairs > ROUNDING * np.maximum(np.abs(d).max(axis=(1, 2), initial=0.0), 1e-300)
    groups = [system.rows[i].group for i in linear]
    if true_curl.any() and not {*groups} <= {group for group, curled in zip(groups, true_curl, strict=True) if curled}:
        true_curl |= _reached(system, state, np.concatenate([forms, others]), len(linear))
    for i, curled in zip(linear, true_curl, strict=True):
        verdicts[i] = "nonholonomic" if curled else "integrable"
    return verdicts


def _reached(system: System, state: State, forms: Array, count: int) -> np.ndarray:
    """Which of the first forms do not vanish on the tangent space of the orbit of a state, shape (count,).

    forms  all first-order forms on (q, t), shape (forms, n + 1)
    """
    size = forms.shape[1]
    slopes = jacobian(forms, expressions([*system.coordinates, time]))
    values = Evaluator(np.concatenate([forms.ravel(), slopes.ravel()]), [*system.inputs])
    place = np.array([*range(1, size), 0])  # of (q, t) among the inputs
    known = values(state.inputs)
    here = known[: forms.size].reshape(forms.shape)
    a, rank = here[:count], int(numerical_rank(here).rank)
    w = np.random.default_rng(0).standard_normal((CURVES, size, 1))

    def fields(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The projector P, and y′ beside ∂y′/∂y = −W⁺ (W′ P w) − P (W′ᵀ W⁺ᵀ w), shape (curves, n + 1, n + 2)."""
        inputs = np.tile(state.inputs, (CURVES, 1))
        inputs[:, place] = y
        flat = values(inputs)
        left = ~np.isfinite(flat).all(axis=1)  # what the forms are defined on
        flat[left] = known
        W, dW = flat[:, : forms.size].reshape(-1, *forms.shape), flat[:, forms.size :].reshape(-1, *slopes.shape)
        decision = numerical_rank(W, rank=rank)
        N, inverse = decision.padded_null_space, moore_penrose(decision)
        P = N @ np.swapaxes(N, 1, 2)
        along = P @ w
        first = inverse @ np.einsum("cakj,ck->caj", dW, along[..., 0])
        second = np.einsum("cakj,ca->ckj", dW, (np.swapaxes(inverse, 1, 2) @ w)[..., 0])
        k = np.concatenate([along, -first - P @ second], axis=2)
        k[left] = np.nan
        return P, k

    def on_orbit(steps: int) -> np.ndarray:
        """Values of the forms on the columns of Φ⁻¹ P(y(s)), at three places, shape (curves, forms, …)."""
        h = LENGTH / steps
        y = np.tile(state.inputs[place], (CURVES, 1))
        Φ = np.tile(np.eye(size), (CURVES, 1, 1))
        found = []
        for step in range(steps):
            total = np.zeros((CURVES, size, size + 1))
            dy, dΦ = np.zeros_like(y), np.zeros_like(Φ)
            for part, weight in ((0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)):  # the classical Runge–Kutta method
                k = fields(y + part * h * dy)[1]
                dy, moved = k[..., 0], Φ + part * h * dΦ
                dΦ = k[..., 1:] @ moved
                total += weight * np.concatenate([k[..., :1], dΦ], axis=2)
            y, Φ = y + h / 6 * total[..., 0], Φ + h / 6 * total[..., 1:]
            if (step + 1) % (steps // 3) == 0:
                found.append(np.linalg.solve(np.where(np.isfinite(Φ), Φ, np.eye(size)), fields(y)[0]))
        lost = np.where(np.isfinite(y).all(axis=1), 0.0, np.nan)
        return a @ np.concatenate(found, axis=2) + lost[:, None, None]

    with np.errstate(all="ignore"):
        rough, fine = on_orbit(STEPS), on_orbit(2 * STEPS)
    inside = np.isfinite(rough + fine).all(axis=(1, 2))
    error, value = (np.abs(x[inside]).max(axis=(0, 2), initial=0.0) for x in (fine - rough, fine))
    return value > BEYOND * error + ROUNDING * np.abs(a).max(axis=1, initial=0.0)
