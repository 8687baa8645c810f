"""Whether a velocity constraint is truly nonholonomic, or the rate of a relation between positions.

A constraint a(q, t)·q̇ + a₀(q, t) = 0 is a form a on (q, t). Together with the others it is integrable exactly when
the exterior derivative da vanishes on every pair of motions that all of them allow (Frobenius). A pair on which it does
not vanish proves that the constraint is nonholonomic; where it vanishes at the state and at states around it that the
holonomic constraints allow, the constraint is called integrable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator, expressions, jacobian, substitute, symbols
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
    for i, curled in zip(linear, true_curl, strict=True):
        verdicts[i] = "nonholonomic" if curled else "integrable"
    return verdicts
