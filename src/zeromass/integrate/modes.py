"""Motion that changes its kind on the way: rolling, slipping, rolling again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.compile.compiled import compiled_at
from zeromass.contact import Rolling
from zeromass.contact.slipping import Slipping
from zeromass.expression import Symbol
from zeromass.integrate.functions import Functions
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.simulate import simulate
from zeromass.integrate.trajectory import Trajectory
from zeromass.model import ModelError, State, System
from zeromass.model.state import parameter_values

MOST = 1000
"""Changes after which a motion is given up: it chatters."""


@dataclass(frozen=True, eq=False)
class Phases:
    """Runs that follow one another, each of one kind of motion.

    phases[expression] and phases.at(times)[expression] go over all of them; `kinds` names them.
    """

    runs: tuple[Trajectory, ...]

    @property
    def t(self) -> np.ndarray:
        """Times of all steps."""
        return np.concatenate([run.t for run in self.runs])

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple("slipping" if isinstance(run.system, Slipping) else "rolling" for run in self.runs)

    @property
    def changes(self) -> tuple[float, ...]:
        """Times at which the motion changes its kind."""
        return tuple(float(run.t[0]) for run in self.runs[1:])

    @property
    def outcome(self) -> Outcome:
        return self.runs[-1].outcome

    def __getitem__(self, e: Any) -> np.ndarray:
        return np.concatenate([run[e] for run in self.runs])

    def at(self, times: Any) -> _At:
        """The motion at given times."""
        return _At(self, np.atleast_1d(np.asarray(times, dtype=float)))


class _At:
    def __init__(self, phases: Phases, times: np.ndarray) -> None:
        self._phases, self.t = phases, times
        ends = np.array([run.t[-1] for run in phases.runs])
        self._which = np.clip(np.searchsorted(ends, times, side="left"), 0, len(ends) - 1)

    def __getitem__(self, e: Any) -> np.ndarray:
        parts = {int(k): self._phases.runs[k].at(self.t[self._which == k])[e] for k in np.unique(self._which)}
        result = np.empty((len(self.t), *next(iter(parts.values())).shape[1:]))
        for k, values in parts.items():
            result[self._which == k] = values
        return result


def simulate_phases(system: Rolling | Slipping, start: State, *, until: float, **settings: Any) -> Phases:
    """The motion of a rolling body that may slip, from a start until a time; settings as for `simulate`.

    Rolling turns into slipping where it needs more than the friction there is, and back where the slip has died out and
    rolling needs less.
    """
    if not isinstance(system, Rolling | Slipping):
        raise ModelError("phases are of rolling bodies: give a zm.Rolling with friction=μ, or its .slipping")
    runs: list[Trajectory] = []
    if isinstance(system, Rolling) and not _grips(system, start):
        system, start = system.slipping, _of(system.slipping, start.t, start.q, start.v, start.parameters)
    while len(runs) < MOST:
        run = simulate(system, start, until=until, **settings)
        runs.append(run)
        if run.outcome.ending is not Ending.EVENT or run.t[-1] == until:
            break
        following = _following(system, run)
        if following is None:
            break
        system = following
        start = _carried_over(run, system)
    return Phases(tuple(runs))


def _following(system: System, run: Trajectory) -> Rolling | Slipping | None:
    """The kind of motion after an event; None where the motion ends."""
    name = run.events[-1].name
    if isinstance(system, Rolling) and name == "would slip":
        return system.slipping
    if isinstance(system, Slipping) and name == "slip dies out":
        rolling = system.rolling
        state = _carried_over(run, rolling)
        return rolling if _grips(rolling, state) else system
    return None


def _grips(rolling: Rolling, state: State) -> bool:
    """Whether rolling needs no more than the friction there is."""
    return rolling.grips(state)


def _of(system: System, t: float, q: np.ndarray, v: np.ndarray, parameters: Mapping[Symbol, float]) -> State:
    """A state of another system of the same coordinates."""
    known = {p: parameters[p] for p in system.parameters if p in parameters}
    return State(system, t, q, v, parameter_values(system, known))


def _carried_over(run: Trajectory, system: System) -> State:
    """The last state of a run, brought onto the constraints of another system of the same coordinates."""
    y, t = run.y[-1], float(run.t[-1])
    n = len(y) // 2
    state = _of(system, t, y[:n].copy(), y[n:].copy(), run.parameters)
    values = np.array([state.parameters[p] for p in system.parameters])
    y = Functions(compiled_at(system, state), values).projected(np.array([t]), y[None])[0]
    return _of(system, t, y[:n], y[n:], run.parameters)
