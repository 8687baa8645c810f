"""How a run ended, and why it can not begin: by name, with the place, the reason and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NoReturn

import numpy as np

from zeromass.equation import Verdict, numerical_rank
from zeromass.equation.rank import negligible
from zeromass.equation.units import equilibration
from zeromass.errors import shown
from zeromass.expression import Evaluator
from zeromass.expression.node import undisturbed
from zeromass.frozen import frozen
from zeromass.integrate.entries import all_rows, beside, generic, turning
from zeromass.model import ModelError, State, System
from zeromass.model.state import Matrices

AT = 1e-5
"""Part of their size beside a start below which rows, or combinations of them, may be gone: a start that was solved for
where a gradient vanishes is off by the root of rounding."""

REACH = 1e-3
"""Furthest that a singular position may be from a start, by the turn of its rows, for the start to be at it."""

APART = 1e-6
"""Displacement that tells how rows turn, as a part of the one in which they turn by about a radian."""

SHORTEST = 1e-3
"""Part of this displacement that is gone at least: rounding is 1e-7 of the rows' turn then, well below what counts."""

TURNING = 1e-4
"""A turn of dependent rows, relative to their own, that is more than the error of such a difference."""

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Constraint rows of unit size at displacements of the coordinates, (k, n), and of time, (k,): shape (k, m, n)."""

SOON, UNGOVERNED = 1e-4, 1e-2
"""Time, s, after which a row of rates without a gradient at the start is looked at, and the part of what single rates make
of it that counts: the error of the look is of the order of the time."""

REMEMBERED = 1024
"""Starts of a system of which it is known whether they are singular."""


class Ending(StrEnum):
    """The ways in which a run ends; each is equal to its words.

    "jump": a constraint or an energy jumps where a formula switches. "ambiguous": several motions go on from there, or none.
    "switch" ends a segment of a run, never the run.

    >>> from zeromass.integrate import Ending
    >>> Ending.NON_UNIQUE == "non-unique"
    True
    """

    FINISHED = "finished"
    EVENT = "event"
    NON_UNIQUE = "non-unique"
    INCONSISTENT = "inconsistent"
    SINGULAR_BRANCH = "singular branch"
    STEP_TOO_SMALL = "step too small"
    NOT_A_NUMBER = "not a number"
    INTERRUPTED = "interrupted"
    OUT_OF_MEMORY = "out of memory"
    CHATTERING = "chattering"
    JUMP = "jump"
    AMBIGUOUS = "ambiguous"
    SWITCH = "switch"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ModelError(f"{shown(value)} is no ending of a run; endings are {', '.join(cls)}")


@frozen(eq=True)
class Outcome:
    """How and where a run ended; `message` says where, why and what to do, in the user's names.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=2.0, events={"wall": x - 1.5})
    >>> print(run.outcome)
    event at t = 1.5 s: 'wall'
    >>> run.outcome.ending == "event", run.outcome.complete
    (True, True)
    """

    ending: Ending
    t: float
    message: str

    @property
    def complete(self) -> bool:
        """Whether the run went as far as it was asked to: to the end, or to a terminal event."""
        return self.ending in (Ending.FINISHED, Ending.EVENT)

    def __str__(self) -> str:
        return f"{self.ending.value} at t = {self.t:.9g} s" + (f": {self.message}" if self.message else "")


@frozen(eq=True)
class Occurrence:
    """An event that happened: its name, the time, and the state there.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> gate = zm.Event("gate", x - 1.5, terminal=False)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0, events=gate)
    >>> run.events
    (Occurrence(name='gate', t=1.5, y=array([1.5, 1. ])),)
    """

    name: str
    t: float
    y: np.ndarray


@undisturbed
def at_start(start: State, violation: float) -> Outcome | None:
    """What keeps a run from beginning; `violation` of a constraint is allowed, relative to the state or 1.

    A residual φ counts as the displacement φ/|∂φ/∂q| that would mend it where that is less, as in small units of length.
    """
    if not all(np.all(np.isfinite(block)) for block in start.matrices):
        names = not_finite(start.system, start.system.matrices(start.inputs))
        return Outcome(Ending.NOT_A_NUMBER, start.t, f"at the start {names} has no finite value")
    if start.overflowing:
        return Outcome(Ending.NOT_A_NUMBER, start.t, f"at the start {start.overflowing}")
    size = violation * max(1.0, float(np.abs([*start.q, *start.v]).max()))
    slopes = _slopes(start)
    violated = [
        f"'{name}' by {value:.3g}" for name, value in start.residuals.items() if abs(value) > size * slopes[name]
    ]
    if violated:
        words = ", ".join(violated[:4])
        words = f"the start violates {words}; make it with system.start(…) and the parameters of the run"
        return Outcome(Ending.INCONSISTENT, start.t, words)
    verdict = start.verdict
    if verdict is not Verdict.UNIQUE:
        return Outcome(ending_of(verdict), start.t, diagnosed(start))
    known = start.system.memory.setdefault("branching", {})  # by the bits of starts: the next run from one finds it
    key = start.inputs.tobytes()
    if key not in known:
        if len(known) >= REMEMBERED:
            known.clear()
        known[key] = _branching(start) or _ungoverned(start)
    return None if known[key] is None else Outcome(Ending.SINGULAR_BRANCH, start.t, known[key])


def _slopes(start: State) -> dict[str, float]:
    """How much each residual changes with a coordinate or rate at most, but not less than 1, by name."""
    names, _ = start.system.residuals
    levels = [row.level for row in start.system.rows]
    slopes = np.maximum(np.abs(start.matrices.A).max(axis=1, initial=0.0), 1.0)
    places = [*[i for i, level in enumerate(levels) if level == 0], *[i for i, level in enumerate(levels) if level < 2]]
    return dict(zip(names, slopes[places].tolist(), strict=True))


def ending_of(verdict: Verdict) -> Ending:
    return Ending.NON_UNIQUE if verdict is Verdict.UNDETERMINED else Ending.INCONSISTENT


def diagnosed(state: State) -> str:
    return str(state.system.check(state)).replace("\n", "; ")


def not_finite(system: System, matrices: Matrices) -> str:
    """The masses, forces and constraints without a finite value, by name."""
    M, Q, A, b, C = matrices
    bad = {
        "the mass": ~np.all(np.isfinite(M), axis=1),
        "the force": ~np.isfinite(Q + C),
    }
    names = [f"{what} of {system.names[j]}" for what, which in bad.items() for j in np.flatnonzero(which)]
    rows = np.flatnonzero(~(np.all(np.isfinite(A), axis=1) & np.isfinite(b)))
    return ", ".join(names + [f"constraint '{system.rows[i].name}'" for i in rows])


def _branching(start: State) -> str | None:
    """Why no motion can begin at a start because it is a singular position, and what to do; None if it is none.

    With U and N the dependencies among the rows and the tangents there, the rows stay dependent along a tangent w if

        K(w) = Uᵀ (∂A/∂q · w) N = 0.

    If that holds for every w, some constraints repeat others, and nothing is wrong. If it does not, several motions go on
    from there, or a constraint has no gradient where it holds, as x² = 0 has none: no acceleration keeps it.
    """
    if not start.matrices.A.size:
        return None
    rows, here, units = _rows(start)
    decision = numerical_rank(here, tolerance=AT, largest=1.0, equilibrate=False)
    if decision.rank == len(here):
        return None
    U, N = decision.left[:, decision.rank :], decision.right[:, decision.rank :]

    def turns(ways: np.ndarray, times: np.ndarray) -> np.ndarray:
        """∂A along ways of the coordinates, (k, n), and of time, (k,): shape (k, m, n).

        A coordinate that hardly matters here has a unit in which rows turn by many radians: the way is gone less far then.
        """
        far = np.abs(ways * units / turning(start)).max(axis=1)
        apart = APART / np.clip(far, 1.0, 1.0 / SHORTEST)
        ways, times = apart[:, None] * ways, apart * times
        there = rows(np.concatenate([ways, -ways]), np.concatenate([times, -times]))
        return (there[: len(ways)] - there[len(ways) :]) / (2 * apart[:, None, None])

    if not N.size:
        return None
    onward = start.v / units  # where time goes on alone, what moves leaves its constraints
    pace = 1.0 / max(1.0, float(np.linalg.norm(onward)))
    K = turns(np.stack([N @ generic(N.shape[1]), pace * onward]), np.array([0.0, pace]))
    weak = np.abs(U.T @ K @ N).max(axis=2)
    left = float(decision.singular_values[decision.rank :].max(initial=0.0))
    sizes = np.maximum(np.abs(K).max(axis=(1, 2)), max(1.0, left / (REACH * TURNING)))
    if np.all(negligible(weak, sizes[:, None], TURNING)):
        return None
    return _words(start, here, U, N, turns(N.T, np.zeros(N.shape[1])))


def _ungoverned(start: State) -> str | None:
    """Why a row of rates does not hold after a start where it has no gradient, as ẋ² − ẏ² has none at rest; else None.

    What begins without such a row may keep it nevertheless, as the energy is kept: along q + v τ + q̈ τ²/2 its value is
    compared with what the change of each rate alone makes of it.
    """
    system, n, τ = start.system, len(start.q), SOON
    flat = [i for i, row in enumerate(system.rows) if row.level == 1 and not np.any(start.matrices.A[i])]
    if not flat:
        return None
    q̈ = np.nan_to_num(start.motion.acceleration)
    inputs = np.repeat(start.inputs[None], n + 2, axis=0)
    inputs[1:, 0] += τ
    inputs[1:, 1 : n + 1] += start.v * τ + q̈ * τ**2 / 2
    inputs[1, n + 1 : 2 * n + 1] += q̈ * τ
    inputs[2:, n + 1 : 2 * n + 1] += np.diag(q̈ * τ)
    values = Evaluator([system.rows[i].zero for i in flat], system.inputs)(inputs)
    alone = np.abs(values[2:] - values[0]).max(axis=0)
    for i, value, size in zip(flat, values[1] - values[0], alone, strict=True):
        if not negligible(value, size, UNGOVERNED):
            return (
                f"the constraint '{system.rows[i].name}' has no gradient in the rates at the start, as ẋ² − ẏ² has none at "
                "rest, so that no force keeps it; write it with a gradient, such as ẋ − ẏ, or start with rates that tell "
                "its branch"
            )
    return None


def _rows(start: State) -> tuple[Rows, np.ndarray, np.ndarray]:
    """Rows in units of the coordinates, each as large as 1 at the start or beside it; those at the start; and the units."""
    entries, n = all_rows(start.system), len(start.q)

    def plain(displacements: np.ndarray, times: np.ndarray) -> np.ndarray:
        inputs = np.repeat(start.inputs[None], len(times), axis=0)
        inputs[:, 0] += times
        inputs[:, 1 : n + 1] += displacements
        return entries(inputs)

    w = beside(start)
    near = plain(np.array([0 * w, w, -w]), np.zeros(3))
    largest = np.abs(near).max(axis=0)
    _, units = equilibration(largest)
    units = units * (turning(start) / units).max()
    sizes = (largest * units).max(axis=1)
    sizes[sizes == 0] = 1.0
    scale = units / sizes[:, None]
    return lambda displacements, times: plain(units * displacements, times) * scale, near[0] * scale, units


def _words(start: State, here: np.ndarray, U: np.ndarray, N: np.ndarray, turns: np.ndarray) -> str:
    rows = start.system.rows
    forms = U.T @ turns @ N  # (tangent that is gone along, dependency, tangent)
    flat = [i for i in np.flatnonzero(np.abs(U).max(axis=1) > 0.5) if not np.abs(here[i]).max() > AT]
    for i in flat:
        form = np.einsum("wdt,d->wt", forms, U[i])
        values = np.linalg.eigvalsh((form + form.T) / 2)
        if not values.min() < -TURNING * np.abs(values).max() < TURNING * np.abs(values).max() < values.max():
            return (
                f"the constraint '{rows[i].name}' has no gradient where it holds, as x**2 has none at x = 0, so that no "
                "force keeps it; write it with a gradient, such as x instead of x**2"
            )
    shares = np.abs(U).max(axis=1)
    names = ", ".join(dict.fromkeys(rows[i].group for i in np.flatnonzero(shares > 0.01)))
    resting = not np.any(start.v)
    which = "it is not determined which of them begins" if resting else "their rates alone do not tell them apart"
    return (
        f"the start is a singular position: the constraints {names} depend on one another here and not beside it, several "
        f"motions go on from here, and {which}; prescribe a start beside this position, on the branch that is meant"
    )
