"""Running a system in time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled, compiled_at
from zeromass.equation import Verdict
from zeromass.expression import Expression
from zeromass.integrate.collocation import Collocation
from zeromass.integrate.dense import DenseOutput, states_in
from zeromass.integrate.dop853 import Dop853
from zeromass.integrate.events import Occurrence, event_code, events_of
from zeromass.integrate.functions import Functions
from zeromass.integrate.outcome import Ending, Outcome, RunStopped
from zeromass.integrate.passages import dependent
from zeromass.integrate.root import located
from zeromass.integrate.stepper import Status, Stepper, Tolerances
from zeromass.integrate.trajectory import Statistics, Trajectory
from zeromass.model import Event, ModelError, State, System
from zeromass.model.state import parameter_values

GROWTH_LIMIT = 1e3
"""Cancellation in a pivot at which the pivots are chosen anew at the current state."""

VIOLATED = 1e-6
"""Constraint residuals at the start, relative to the state or 1, above which a run does not begin."""

STALLED = 1e-7
"""Part of a run that as many steps as `CHUNK_OF_STEPS` must bring it forward: with less it would never end."""

CLOSE = 1e-2
"""Part of its largest value that a guard has left where a run that gets stuck is said to have come to it."""

CHUNK_OF_STEPS = 4096
"""Steps between looks at the keyboard and the progress bar."""


def simulate(
    system: System,
    start: State,
    *,
    until: float,
    rtol: float = 1e-10,
    atol: float = 1e-13,
    method: str = "collocation",
    events: Any = None,
    project: bool = True,
    step: float | None = None,
    longest_step: float = np.inf,
    parameters: Mapping[Expression, float] | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Trajectory:
    """The motion of a system from a start until a time.

    rtol, atol   error allowed in a step, relative and absolute, for every coordinate and rate
    method       "collocation" (order 15, its stages side by side in SIMD lanes), "dop853" (order 8), "radau" (stiff
                 systems) or "fixed" (order 8, steps of length `step`)
    step         length of every step, with method="fixed", or with "radau", which then keeps order 5
    events       zm.Event, several, or {name: expression}; their zeros are located on the dense output. Two zeros of one
                 event between two neighbouring stages of a step are missed: `longest_step` bounds the steps
    project      return to the constraints after each step; without it they drift as in the papers
    parameters   values other than those of the start
    progress     a progress bar on the terminal, or a function that is told the time reached

    A run that can not go on ends with a named outcome and a RunStopped warning; what was computed is kept. Ctrl-C does
    the same.
    """
    run = _Run(system, start, until, rtol, atol, method, events, project, step, longest_step, parameters)
    with _watcher(progress, start.t, until) as tell:
        run.go(tell)
    trajectory = run.trajectory()
    if not trajectory.outcome.complete:
        warnings.warn(str(trajectory.outcome), RunStopped, stacklevel=2)
    return trajectory


class _Run:
    """One run under way."""

    def __init__(
        self,
        system: System,
        start: State,
        until: float,
        rtol: float,
        atol: float,
        method: str,
        events: Any,
        project: bool,
        step: float | None,
        longest_step: float,
        parameters: Mapping[Expression, float] | None,
    ) -> None:
        _check(system, start, until, rtol, atol, method, step, longest_step)
        self.system, self.project, self.until = system, project, float(until)
        if parameters:
            known = {**start.parameters, **parameter_values(system, {**start.parameters, **parameters})}
            start = State(system, start.t, start.q, start.v, known)
        self.start = start
        self.settings = {"rtol": rtol, "atol": atol, "method": method, "project": project, "step": step}
        self.watched = events_of([*system.events, *events_of(events)])
        self.occurrences: list[Occurrence] = []
        self.repivots = 0
        self.y0 = np.concatenate([start.q, start.v])
        self.outcome = self._trouble_at_start()
        self.stands = self.outcome is not None
        if self.stands:
            return  # there is no acceleration to compile
        self.method = METHODS[method]()
        self.compiled = compiled_at(system, start)
        values = np.array([start.parameters[p] for p in system.parameters])
        tolerances = Tolerances(rtol, atol, longest_step, step)
        first = _first_step(self._functions(), start.t, self.y0, self.until, tolerances)
        self.work: Stepper = self.method(self.compiled, start.t, self.y0, values, tolerances, first)
        self.work.growth_limit = GROWTH_LIMIT
        self._use(self.compiled)
        self.outcome = self._beyond_a_guard()

    def go(self, tell: Callable[[float], None]) -> None:
        """Steps until there is an outcome."""
        try:
            while self.outcome is None:
                since = self.work.t
                evaluations = self.work.evaluations
                status = self.work.advance(self.until, CHUNK_OF_STEPS)
                tell(self.work.t)
                self.compiled.called(self.work.evaluations - evaluations)
                self.outcome = self._answer(status)
                if status is Status.PAUSED and self._stalls(since):
                    self.outcome = self._stuck()
        except KeyboardInterrupt:
            self.outcome = Outcome(Ending.INTERRUPTED, self.work.t, "what was computed so far is kept")

    def _stalls(self, since: float) -> bool:
        """Whether steps whose length is controlled bring the run forward by next to nothing."""
        controlled = self.settings["step"] is None
        return controlled and abs(self.work.t - since) < STALLED * abs(self.until - self.start.t)

    def _use(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.work.use(compiled, project=self.project)
        directions = np.array([event.direction for event in self.watched], dtype=float)
        self.work.watch(lambda lanes: event_code(self.watched, compiled, lanes), directions)

    def _answer(self, status: Status) -> Outcome | None:
        """What follows from the reason why the stepping code returned; None to go on."""
        if status is Status.FINISHED:
            return Outcome(Ending.FINISHED, self.work.t, "")
        if status is Status.PIVOTS:
            return self._new_pivots()
        if status is Status.EVENT:
            return self._happened()
        if status is Status.STEP_TOO_SMALL:
            return self._stuck()
        if status is Status.NOT_A_NUMBER:
            return self._stopped(Ending.NOT_A_NUMBER)
        return None

    def _state(self) -> State:
        n = len(self.y0) // 2
        y = self.work.y
        return State(self.system, self.work.t, y[:n], y[n:], self.start.parameters)

    def _new_pivots(self) -> Outcome | None:
        """Chooses the pivots anew here, with the rank of the start; ends the run where that does not help."""
        rank = len(self.compiled.elimination.kept)
        state = self._state()
        fresh = Compiled(self.system, state, rank)
        growth = float(fresh.function(fresh.growth)(state.inputs))
        if not growth < 1.0 / np.sqrt(np.finfo(float).eps) ** 1.5:
            return self._stopped(Ending.SINGULAR_BRANCH)
        self.repivots += 1
        self._use(fresh)
        self.work.growth_limit = max(GROWTH_LIMIT, 10.0 * growth)
        return None

    def _happened(self) -> Outcome | None:
        """Locates the events of the last step; a terminal one ends the run there."""
        t, y = self._recorded(last=2)
        (t0, t1), (y0, y1) = t, y
        project = self._functions().projected if self.project else None
        polynomial = self.work.polynomials(t[:1], y[:1], t[1:], y[1:]).swapaxes(0, 1)

        def states(times: np.ndarray) -> np.ndarray:
            inside = states_in(polynomial, (times - t0) / (t1 - t0))
            return project(times, inside) if project else inside

        def at(t: float) -> np.ndarray:
            return y1 if t == t1 else states(np.array([t]))[0]

        places = np.append(t0 + (t1 - t0) * self.work.places[:-1], t1)
        course = [y0, *states(places[1:-1]), y1]
        values = np.array([self.work.event_values(float(t), y) for t, y in zip(places, course, strict=True)])
        found: list[tuple[float, Event]] = []
        tolerance = 1e-14 * max(1.0, abs(t1))
        for k, event in enumerate(self.watched):

            def value(t: float, k: int = k) -> float:
                return float(self.work.event_values(t, at(t))[k])

            for a, b, before, after in zip(places[:-1], places[1:], values[:-1, k], values[1:, k], strict=True):
                rises, falls = before < 0 <= after, before > 0 >= after
                if (rises and event.direction >= 0) or (falls and event.direction <= 0):
                    found.append((located(value, a, b, before, after, tolerance), event))
        found.sort(key=lambda item: item[0] if t1 > t0 else -item[0])
        end = next((place for place, event in found if event.terminal), None)
        for place, event in found:
            if end is not None and abs(place - t0) > abs(end - t0) + 2 * tolerance:
                break  # what happens with the terminal event is listed, what would come later is not
            self.occurrences.append(Occurrence(event.name, float(place), at(place)))
        if end is None:
            return None
        self.work.cut(end, at(end))
        ending = [event for place, event in found if event.terminal and abs(place - end) <= 2 * tolerance]
        state = self._state()
        return Outcome(Ending.EVENT, float(end), ", ".join(event.words(state) for event in ending))

    def _beyond_a_guard(self) -> Outcome | None:
        """The end of a run that starts where it must not even be, such as where a contact would have to pull."""
        for event, value in zip(self.watched, self.work.event_values(self.start.t, self.y0), strict=True):
            if event.guard and value * event.direction > 0:
                self.occurrences.append(Occurrence(event.name, self.start.t, self.y0.copy()))
                return Outcome(Ending.EVENT, self.start.t, event.words(self.start, " already at the start"))
        return None

    def _trouble_at_start(self) -> Outcome | None:
        if not all(np.all(np.isfinite(block)) for block in self.start.matrices):
            names = self._not_finite(self.start.inputs)
            return Outcome(Ending.NOT_A_NUMBER, self.start.t, f"at the start {names} has no finite value")
        size = VIOLATED * max(1.0, float(np.abs(self.y0).max()))
        violated = [f"'{name}' by {value:.3g}" for name, value in self.start.residuals.items() if abs(value) > size]
        if violated:
            words = ", ".join(violated[:4])
            words = f"the start violates {words}; make it with system.start(…) and the parameters of the run"
            return Outcome(Ending.INCONSISTENT, self.start.t, words)
        motion = self.start.motion
        if motion.verdict is Verdict.UNIQUE:
            return None
        ending = Ending.NON_UNIQUE if motion.verdict is Verdict.UNDETERMINED else Ending.INCONSISTENT
        return Outcome(ending, self.start.t, self._diagnosed(self.start))

    def _stopped(self, ending: Ending) -> Outcome:
        state = self._state()
        culprits = self._culprits(state) if ending is Ending.NOT_A_NUMBER else ""
        if ending is Ending.NOT_A_NUMBER and not culprits and self.system.rows:
            ending = Ending.SINGULAR_BRANCH  # all formulas are good, so it is the constraints that do not determine λ
        if ending is Ending.SINGULAR_BRANCH and not state.motion.unique:
            undetermined = state.motion.verdict is Verdict.UNDETERMINED
            ending = Ending.NON_UNIQUE if undetermined else Ending.INCONSISTENT
            words = self._diagnosed(state)
        elif ending is Ending.SINGULAR_BRANCH:
            words = (
                f"the constraints {', '.join(dependent(self.system, state))} are about to lose independence, and several "
                "motions may go on from here"
            )
        elif ending is Ending.NOT_A_NUMBER:
            words = (
                f"beyond this state {culprits or 'a formula'} has no finite value; the motion leaves the region where the "
                "model is defined"
            )
        else:
            stiff = "" if self.settings["method"] == "radau" else ", or the system is stiff (method='radau')"
            words = (
                "the error stays above the tolerance however short the step: the motion is not smooth here "
                f"({self._fastest(state)} changes fastest){stiff}"
            )
        return Outcome(ending, self.work.t, words)

    def _stuck(self) -> Outcome:
        """The end of a run whose steps have become too short: it may be at what must not happen, which is named then."""
        t, y = self._recorded()
        some = np.linspace(0, len(t) - 1, 50).astype(int)
        values = np.array([self.work.event_values(float(t[k]), y[k]) for k in some])
        for event, end, course in zip(
            self.watched, self.work.event_values(self.work.t, self.work.y), values.T, strict=True
        ):
            if event.guard and abs(end) < CLOSE * np.abs(course).max():
                self.occurrences.append(Occurrence(event.name, self.work.t, self.work.y))
                words = event.words(self._state(), " nearly: no step is short enough to come closer")
                return Outcome(Ending.EVENT, self.work.t, words)
        return self._stopped(Ending.STEP_TOO_SMALL)

    def _diagnosed(self, state: State) -> str:
        return str(self.system.check(state)).replace("\n", "; ")

    def _culprits(self, state: State) -> str:
        """What first has no finite value on the way ahead, looked for along the tangent."""
        n = len(self.y0)
        slope = np.concatenate([[1.0], self._functions().slope(state.t, state.inputs[1 : n + 1])[0]])
        for ahead in np.copysign(2.0 ** np.arange(-60, 4), self.until - state.t):
            inputs = state.inputs.copy()
            inputs[: n + 1] += ahead * slope
            names = self._not_finite(inputs)
            if names:
                return names
        return ""

    def _not_finite(self, inputs: np.ndarray) -> str:
        """The masses, forces and constraints without a finite value at some inputs, by name."""
        M, Q, A, b, C = self.system.matrices(inputs)
        bad = {
            "the mass": ~np.all(np.isfinite(M), axis=1),
            "the force": ~np.isfinite(Q + C),
        }
        names = [f"{what} of {x.name}" for what, which in bad.items() for x in self.system.coordinates[which]]
        rows = np.flatnonzero(~(np.all(np.isfinite(A), axis=1) & np.isfinite(b)))
        return ", ".join(names + [f"constraint '{self.system.rows[i].name}'" for i in rows])

    def _fastest(self, state: State) -> str:
        """The coordinate whose rate changes most within the time in which it changes itself."""
        slope, _ = self._functions().slope(state.t, np.concatenate([state.q, state.v]))
        change = np.abs(slope[len(state.q) :]) / (np.abs(state.v) + np.finfo(float).tiny)
        return str(self.system.coordinates[np.argmax(np.where(state.v == 0, 0, change))].name)

    def _functions(self) -> Functions:
        values = np.array([self.start.parameters[p] for p in self.system.parameters])
        return Functions(self.compiled, values, self.method.lanes())

    def _recorded(self, last: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the start and of all accepted steps, or the last of them."""
        t, y = self.work.times[-last:], self.work.states[-last:]
        if len(t) == last > 0:
            return t.copy(), y.copy()
        return np.concatenate([[self.start.t], t]), np.concatenate([self.y0[None], y])

    def _standing(self, outcome: Outcome) -> Trajectory:
        """The run that could not begin: its start."""
        t, y = np.array([self.start.t]), self.y0[None].copy()
        return Trajectory(
            self.system,
            self.start,
            t,
            y,
            outcome,
            Statistics(0, 0, 0, 0, 1.0),
            (),
            self.start.parameters,
            None,
            self.settings,
            np.empty(0),
            DenseOutput(t, y, None),
        )

    def trajectory(self) -> Trajectory:
        assert self.outcome is not None
        if self.stands:
            return self._standing(self.outcome)
        t, y = self._recorded()
        work = self.work
        growth = float(np.max(work.growth, initial=1.0))
        return Trajectory(
            self.system,
            self.start,
            t,
            y,
            self.outcome,
            Statistics(work.steps, work.rejected, work.evaluations, self.repivots, growth),
            tuple(self.occurrences),
            self.start.parameters,
            self.compiled,
            self.settings,
            work.growth.copy(),
            DenseOutput(t, y, work, self._functions().projected if self.project else None),
        )


def _first_step(functions: Functions, t: float, y: np.ndarray, until: float, tolerances: Tolerances) -> float:
    """A first step from the size of the state, its slope and the slope's change [HNW1993, §II.4]."""
    f, _ = functions.slope(t, y)
    scale = (tolerances.atol + tolerances.rtol * np.abs(y)) * np.sqrt(len(y))
    d0, d1 = np.linalg.norm(y / scale), np.linalg.norm(f / scale)
    guess = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    guess = min(guess, abs(until - t)) or 1e-6
    ahead = np.copysign(guess, until - t)
    d2 = np.linalg.norm((functions.slope(t + ahead, y + ahead * f)[0] - f) / scale) / guess
    largest = max(d1, d2)
    second = max(1e-6, guess * 1e-3) if not largest > 1e-15 else (0.01 / largest) ** 0.125
    return float(np.copysign(min(100 * guess, second, tolerances.longest), until - t))


def _check(
    system: System, start: State, until: float, rtol: float, atol: float, method: str, step: Any, longest: float
) -> None:
    if not isinstance(start, State) or start.system is not system:
        raise ModelError("the start belongs to another system; make it with system.start(…)")
    if not np.isfinite(until):
        raise ModelError(f"until = {until}: a run needs a finite end")
    for name, value in (("rtol", rtol), ("atol", atol), ("longest_step", longest)):
        if not value > 0:
            raise ModelError(f"{name} = {value}: it must be positive")
    if method not in METHODS:
        raise ModelError(f"there is no method {method!r}; there are: {', '.join(METHODS)}")
    if method == "fixed" and step is None:
        raise ModelError("method='fixed' needs step=…, the length of its steps")
    if method in ("collocation", "dop853") and step is not None:
        raise ModelError(f"method='{method}' chooses its steps; step=… goes with method='fixed' or 'radau'")
    if step is not None and not (np.isfinite(step) and step > 0):
        raise ModelError(f"step = {step}: it must be positive")


def _radau() -> Any:
    from zeromass.integrate.methods.radau.stepper import Radau  # its coefficients are computed when it is first used

    return Radau


METHODS: dict[str, Callable[[], Any]] = {
    "collocation": lambda: Collocation,
    "dop853": lambda: Dop853,
    "radau": _radau,
    "fixed": lambda: Dop853,
}
"""The stepping methods by name, each as a function that gives its class."""


@contextmanager
def _watcher(progress: bool | Callable[[float], None], start: float, until: float) -> Iterator[Callable[[float], None]]:
    if callable(progress):
        yield progress
    elif progress:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("simulating", total=abs(until - start))
            yield lambda t: bar.update(task, completed=abs(t - start))
    else:
        yield lambda t: None
