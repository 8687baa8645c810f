"""Whether members may begin in lanes: the checks of a start, on arrays.

A member that passes has an ordinary start; one that does not is looked at alone, by `at_start` and `Loop`, who say why
where it can not begin.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.equation.arguments import require_mass_matrix
from zeromass.equation.rank import MASS_TOLERANCE, negligible, rank_of
from zeromass.errors import EquationError
from zeromass.expression import Evaluator, symbols, t
from zeromass.integrate.outcome import Ending, at_start
from zeromass.integrate.pace import pace
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.terms import terms_of_time
from zeromass.model import State, System
from zeromass.study.lanes import Lanes
from zeromass.study.starts import Starts

FEW = 4
"""Coordinates up to which eigenvalues of a mass matrix that depends on positions are found for every member; of more, its
diagonal is looked at."""

DEPENDENT = 1e-9
"""Part of its terms by which a row of A q̈ = b that was dropped may be missed where it follows from the others."""


def ordinary(lanes: Lanes, starts: Starts, until: float) -> np.ndarray:
    """Which members begin as members of the program do: on the constraints, with good pivots, before every guard, and with
    steps that nothing limits but their own control.

    The rows of A that the program keeps are independent where its pivots are good. Those that it dropped must be
    combinations of them at every start, and the acceleration must satisfy them.
    """
    system, limits = lanes.program.system, lanes.settings.limits
    inputs = np.concatenate([starts.t[:, None], starts.y, starts.parameters], axis=1)
    with np.errstate(all="ignore"):
        fine = (starts.t != until) & np.isfinite(inputs).all(axis=1)
        if system.residuals[0]:
            size = limits.violation * np.maximum(1.0, np.abs(starts.y).max(axis=1))
            fine &= np.all(np.abs(lanes.residuals(inputs)) <= size[:, None], axis=1)
        slopes, growth = lanes.slopes(starts.t, starts.y, starts.parameters)
        fine &= np.isfinite(slopes).all(axis=1) & (growth <= limits.growth)
        if lanes.dropped is not None:
            fine &= _follow(lanes.dropped(inputs), slopes[:, slopes.shape[1] // 2 :])
            fine &= _hold(lanes, starts) if lanes.linear else _dependent(lanes, inputs)
        guards = [k for k, event in enumerate(lanes.events) if event.guard]
        if guards:
            (values,) = lanes.called("event", starts.t, starts.y, starts.parameters, (lanes.places.events,))
            ways = np.array([lanes.events[k].direction for k in guards])
            fine &= np.all(values[:, guards] * ways <= 0.0, axis=1)
    fine &= _determined(lanes, starts, inputs)
    fine &= unlimited(lanes, starts, until, fine)
    if lanes.dropped is not None and fine.any():
        fine &= _redundant(lanes, starts.state(system, int(np.flatnonzero(fine)[0])))
    return fine


def indefinite(system: System, starts: Starts) -> dict[int, str]:
    """Members whose mass matrix has a negative eigenvalue at the start, and in words which."""
    some, moving = _judged(system, starts), not {t, *system.coordinates}.isdisjoint(symbols(system.M))
    if moving and len(system.coordinates) <= FEW:
        some = np.arange(len(starts))
    whole = len(some) == len(starts)
    if not (len(some) or moving):
        return {}
    inputs = np.concatenate([starts.t[:, None], starts.y, starts.parameters], axis=1)
    found = {} if not len(some) else _negative(_mass(system, inputs[some]), some)
    if moving and not whole:  # eigenvalues would take longer than short motions
        diagonal = _mass(system, inputs, diagonal=True)
        wrong = np.flatnonzero((diagonal < 0).any(axis=1))
        found |= _negative(_mass(system, inputs[wrong]), wrong)
    if found and not whole and not moving:
        found = dict.fromkeys(range(len(starts)), next(iter(found.values())))  # one stands for all
    return found


def _judged(system: System, starts: Starts) -> np.ndarray:
    """Members whose mass matrix is to be judged for the parameters in it: all, one if they are alike, none without any."""
    own = {*symbols(system.M)}
    columns = [k for k, p in enumerate(system.parameters) if p in own]
    if not columns or not len(starts):
        return np.empty(0, dtype=int)
    return np.arange(len(starts) if np.ptp(starts.parameters[:, columns], axis=0).any() else 1)


def _mass(system: System, inputs: np.ndarray, *, diagonal: bool = False) -> np.ndarray:
    """Numbers of M, shape (k, n, n), or of its diagonal, (k, n)."""
    known: dict[bool, Evaluator] = system.memory.setdefault("mass matrix", {})
    if diagonal not in known:
        known[diagonal] = Evaluator(np.diag(system.M) if diagonal else system.M, system.inputs)
    with np.errstate(all="ignore"):
        return known[diagonal](inputs)


def _negative(M: np.ndarray, which: np.ndarray) -> dict[int, str]:
    """Those of some members that have a negative eigenvalue; what is no number is not judged here."""
    found = {}
    finite = np.isfinite(M).all(axis=(1, 2))
    with suppress(EquationError):
        require_mass_matrix(M[finite], MASS_TOLERANCE)
        return {}
    for k in np.flatnonzero(finite).tolist():
        try:
            require_mass_matrix(M[k], MASS_TOLERANCE)
        except EquationError as error:
            found[int(which[k])] = str(error)
    return found


def _determined(lanes: Lanes, starts: Starts, inputs: np.ndarray) -> np.ndarray:
    """Where mass and constraints determine the acceleration, as far as parameters in the mass matrix decide that."""
    system = lanes.program.system
    some = _judged(system, starts)
    if not len(some):
        return np.ones(len(starts), dtype=bool)
    found = system.matrices(inputs[some])
    rows = np.concatenate([found.M, found.A], axis=1)
    finite = np.isfinite(rows).all(axis=(1, 2))
    rows[~finite] = 0.0
    fine = finite & (np.asarray(numerical_rank(rows).rank) == rows.shape[2])
    return np.broadcast_to(fine, len(starts))  # one stands for all


def of_rank(program: Program, start: State) -> bool:
    """Whether the constraints of a start have the rank of the program, as far as they have numbers.

    Of a large system that is seen at its start: rows that were left out have to follow from the others there.
    """
    if program.code == "rolled":
        return True
    A = start.matrices.A
    return not A.size or not np.isfinite(A).all() or rank_of(A) == program.rank


def unlimited(lanes: Lanes, starts: Starts, until: float, which: np.ndarray) -> np.ndarray:
    """Which of some members have no step that a function of time alone limits: see `zeromass.integrate.pace`."""
    system = lanes.program.system
    own = {event.name for event in system.events}
    sampled = [event.zero for event in lanes.asked if event.name not in own]
    followed = [event.zero for event in lanes.asked if event.name in own]
    terms = terms_of_time(system, followed, sampled)
    if not terms:
        return which
    felt = {s for term in terms for s in symbols(term.u)}
    columns = [k for k, p in enumerate(system.parameters) if p in felt]
    known: dict[bytes, bool] = {}
    free = np.zeros(len(starts), dtype=bool)
    for k in np.flatnonzero(which).tolist():
        key = np.append(starts.t[k], starts.parameters[k, columns]).tobytes()
        if key not in known:
            found = pace(system, starts.state(system, k).parameters, float(starts.t[k]), until, followed, sampled)
            known[key] = found is None or not Ahead(found).matters
        free[k] = known[key]
    return free


def _redundant(lanes: Lanes, some: State) -> bool:
    """Whether rows that the program has dropped repeat others, and not only where it was made; seen at one start."""
    known: dict[Program, bool] = some.system.memory.setdefault("redundant", {})
    if lanes.program not in known:
        outcome = at_start(some, lanes.settings.limits.violation)
        known[lanes.program] = outcome is None or outcome.ending is not Ending.SINGULAR_BRANCH
    return known[lanes.program]


def _hold(lanes: Lanes, starts: Starts) -> np.ndarray:
    """Where every rate that the rows kept allow satisfies those dropped: seen at one without any order, brought there."""
    n = starts.y.shape[1] // 2
    y = starts.y.copy()
    y[:, n:] = np.random.default_rng(0).normal(size=n)
    y[:, n:] += lanes.called("velocities", starts.t, y, starts.parameters, (n,))[0]
    inputs = np.concatenate([starts.t[:, None], y, starts.parameters], axis=1)
    rows = lanes.linear_rows(inputs)
    A, left = rows[:, :, :-1], rows[:, :, -1]
    terms = (np.abs(A) @ np.abs(y[:, n:, None]))[:, :, 0]
    return np.all(negligible(left, terms, DEPENDENT), axis=1)


def _dependent(lanes: Lanes, inputs: np.ndarray) -> np.ndarray:
    """Where the rows of A that were dropped are combinations of the others: what these leave of them is negligible.

    Columns and rows are scaled to their largest entries, since coordinates and rows have units of their own.
    """
    A, dropped = lanes.rows(inputs), list(lanes.program.elimination.dropped)
    A = A / _size(A, 1)
    A = A / _size(A, 2)
    kept, rest = np.delete(A, dropped, axis=1), A[:, dropped]
    gram = kept @ kept.swapaxes(1, 2)
    gram = np.where(np.all(np.isfinite(gram), axis=(1, 2), keepdims=True), gram, 0.0)
    ridge = np.finfo(float).eps * np.eye(gram.shape[1])  # a row that vanishes is no hindrance
    parts = np.linalg.solve(gram + ridge, kept @ rest.swapaxes(1, 2))
    left = rest - parts.swapaxes(1, 2) @ kept
    return np.all(negligible(left, 1.0, DEPENDENT), axis=(1, 2))


def _size(A: np.ndarray, axis: int) -> np.ndarray:
    largest = np.abs(A).max(axis=axis, keepdims=True)
    return np.where(largest > 0.0, largest, 1.0)


def _follow(rows: np.ndarray, q̈: np.ndarray) -> np.ndarray:
    """Where the dropped rows of A q̈ = b, shape (k, rows, n + 1), hold for the acceleration of the others, (k, n)."""
    A, b = rows[:, :, :-1], rows[:, :, -1]
    terms = (np.abs(A) @ np.abs(q̈)[:, :, None])[:, :, 0] + np.abs(b)
    return np.all(negligible((A @ q̈[:, :, None])[:, :, 0] - b, terms, DEPENDENT), axis=1)
