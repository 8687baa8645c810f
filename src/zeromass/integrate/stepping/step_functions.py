"""The watched functions inside steps, as machine code: from a polynomial, by the projection, to their values and roots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from zeromass.integrate.stepping.functions import Functions, Onto
from zeromass.integrate.stepping.kernel import ROUNDING
from zeromass.integrate.stepping.roots import Search
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, compiled, function, kernel
from zeromass.kernel.roots import RootSearch, locate_roots
from zeromass.model import Event

NEARLY = 0.99
"""Part of the bound on a projection beyond which it is left to `Inside` to say whether it leads too far."""


class StepFunctions(Struct):
    """Steps from (t0, y0) to (t1, y1), and functions of the states in them.

    step        the one that is looked into; times have shape (steps,), states (steps, 2n)
    polynomial  Legendre's coefficients of the states, one step after another, (steps · terms, 2n)
    weights     room for as many numbers as there are terms
    row         room for a time and a state, which `project` brings onto the constraints, given `arguments`
    projects    whether it does
    limit       2n times the square of its bound, in units of the tolerance; `unsure` counts what comes near it
    inputs      of `event`, the same in every lane, (1 + 2n + parameters, lanes); outputs: its values, (functions, lanes)
    values      of the functions, (functions,)
    """

    step: int
    t0: Reals
    t1: Reals
    y0: Reals2
    y1: Reals2
    polynomial: Reals2
    weights: Reals
    row: Reals
    projects: bool
    project: Annotated[Callable[..., int], function(*[Address] * 14, result=int)]
    arguments: Ints
    rtol: float
    atol: float
    limit: float
    unsure: int
    event: Annotated[Callable[..., None], function(Reals2, Reals2, Reals2, Reals2)]
    inputs: Reals2
    outputs: Reals2
    values: Reals


@kernel
def functions_at(s: StepFunctions, t: float) -> None:
    """s.values ← the functions at a time in the step."""
    state_at(s, t)
    n, lanes = s.y0.shape[1], s.inputs.shape[1]
    for k in range(lanes):
        s.inputs[0, k] = t
    for i in range(n):
        for k in range(lanes):
            s.inputs[1 + i, k] = s.row[1 + i]
    s.event(s.inputs, s.inputs[1:], s.inputs[1 + n :], s.outputs)
    for j in range(len(s.values)):
        s.values[j] = s.outputs[j, 0]


@kernel
def select_step(s: StepFunctions, step: int) -> None:
    """Looks into a step."""
    s.step = step


@kernel
def state_at(s: StepFunctions, t: float) -> None:
    """s.row ← the state at a time in the step, on the constraints; its ends are as they were recorded."""
    if t == s.t1[s.step]:
        s.row[1:] = s.y1[s.step]
    elif t == s.t0[s.step]:
        s.row[1:] = s.y0[s.step]
    else:
        interpolate(s, t)
        if s.projects:
            project(s, t)


@kernel
def interpolate(s: StepFunctions, t: float) -> None:
    """s.row ← Σ P_j(θ) c_j, added in this order."""
    terms, t0 = len(s.weights), s.t0[s.step]
    first = terms * s.step
    x = 2.0 * ((t - t0) / (s.t1[s.step] - t0)) - 1.0
    s.weights[0], s.weights[1] = 1.0, x
    for k in range(1, terms - 1):
        s.weights[k + 1] = (float(2 * k + 1) * x * s.weights[k] - float(k) * s.weights[k - 1]) / float(k + 1)
    y, weight = s.row[1:], s.weights[0]
    for i in range(len(y)):
        y[i] = weight * s.polynomial[first, i]
    for k in range(1, terms):
        weight, part = s.weights[k], s.polynomial[first + k]
        for i in range(len(y)):
            y[i] += weight * part[i]


@kernel
def project(s: StepFunctions, t: float) -> None:
    """Brings s.row onto the constraints; counts it as unsure if that may lead further than an error of a step does."""
    n, a = s.y0.shape[1], s.arguments
    s.row[0] = t
    for i in range(n):
        s.inputs[1 + i, 0] = s.row[1 + i]
    s.project(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    total = 0.0
    for i in range(n):
        before = s.inputs[1 + i, 0]
        change = (s.row[1 + i] - before) / (s.atol + s.rtol * abs(before) + ROUNDING)
        total += change * change
    if not total <= NEARLY * s.limit:
        s.unsure += 1


class RootsInSteps(Struct):
    """The roots in several steps.

    fractions  of a step at which functions are looked at first, (n,), the last of them 1
    begin      the first step that is searched, and then the one to go on with
    count      of roots: their times, which function is zero, the step, and the state, of shape (room, 2n)
    sure       whether machine code could locate the roots of a step, (steps,)
    """

    fractions: Reals
    begin: int
    count: int
    times: Reals
    which: Ints
    steps: Ints
    states: Reals2
    sure: Ints


@kernel
def roots_in_steps(s: StepFunctions, r: RootSearch, found: RootsInSteps) -> bool:
    """Locates the roots in steps, one after another: whether all were searched, or there is no more room."""
    n = len(r.places)
    found.count = 0
    while found.begin < len(s.t0):
        if found.count + len(r.times) > len(found.times):
            return False
        s.step, s.unsure = found.begin, 0
        t0, t1 = s.t0[s.step], s.t1[s.step]
        for k in range(n - 1):
            r.places[k] = t0 + (t1 - t0) * found.fractions[k]
        r.places[n - 1] = t1
        for k in range(locate_roots(r)):
            state_at(s, r.times[k])
            found.times[found.count + k], found.which[found.count + k] = r.times[k], r.which[k]
            found.steps[found.count + k] = s.step
            found.states[found.count + k][:] = s.row[1:]
        found.sure[s.step] = 1 if s.unsure == 0 else 0
        if s.unsure == 0:
            found.count += r.count
        found.begin += 1
    return True


class Steps(NamedTuple):
    """Several steps: times (k,) and states (k, 2n) at their beginnings and ends, and their polynomials, (k, terms, 2n)."""

    t0: np.ndarray
    y0: np.ndarray
    t1: np.ndarray
    y1: np.ndarray
    polynomials: np.ndarray


class StepMemory:
    """Memory for the steps of a workspace, one after another: see `StepFunctions`."""

    def __init__(self, work: Workspace, functions: Functions, projects: bool, terms: int) -> None:
        order, lanes, count = work.order, work.lanes, len(work.watched)
        code, row = work.event_code, np.empty(1 + order)
        inputs = np.empty((1 + order + len(work.values), lanes))
        inputs[1 + order :] = work.values[:, None]
        self.state: np.ndarray = row[1:]
        self._keeps: list[Any] = [code]
        self._work, self._of = work, (work.code, work.watched)
        self._searches: dict[tuple[int, int], Search] = {}
        projection: dict[str, Any] = {}
        if projects:
            onto = Onto(functions, row[None])
            address, arguments, _ = onto.arguments
            projection = {"project": address, "arguments": np.array(arguments)}
            self._keeps.append(onto)
        self.step: StepFunctions = StepFunctions(
            weights=np.empty(terms),
            row=row,
            projects=projects,
            **projection,
            rtol=work.tolerances.rtol,
            atol=work.tolerances.atol,
            event=0 if code is None else code.address("event"),
            inputs=inputs,
            outputs=np.empty((count, lanes)),
            values=np.empty(count),
        )
        self.address: int = self.step.image.ctypes.data

    def search(self, places: int, columns: int) -> Search:
        """Memory for roots of some of the functions at some places."""
        key = places, columns
        if key not in self._searches:
            self._searches[key] = Search(self.step.values, *key)
        return self._searches[key]

    def fits(self, work: Workspace) -> bool:
        """Whether it is that of a workspace as it is now."""
        return work is self._work and (work.code, work.watched) == self._of

    def open(self, steps: Steps) -> None:
        """Looks into steps, the first of them at first."""
        step, order = self.step, self._work.order
        step.t0, step.y0, step.t1, step.y1 = steps[:4]
        step.polynomial = np.ascontiguousarray(steps.polynomials).reshape(-1, order)
        step.step, step.limit = 0, order * self._work.correction_limit**2

    def roots(
        self, steps: Steps, events: Sequence[Event], columns: Sequence[int], fractions: np.ndarray
    ) -> Iterator[tuple[int, list[tuple[float, int, np.ndarray]] | None]]:
        """Of each step its number and its roots: times, which of the events, states; None where machine code is not sure."""
        self.open(steps)
        count, search = len(steps.t0), self.search(len(fractions), len(columns))
        search.ask([0.0] * len(fractions), columns, [e.direction for e in events], [True] * len(events))
        search.bind(compiled(functions_at).address, self.address)
        room = search.room + 2 * count * len(columns)
        times, which, rows = np.empty(room), np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
        states, sure = np.empty((room, self._work.order)), np.empty(count, dtype=np.int64)
        found = RootsInSteps(fractions=fractions, times=times, which=which, steps=rows, states=states, sure=sure)
        while True:
            first, done = found.begin, compiled(roots_in_steps)(self.step, search.memory, found)
            some: dict[int, list[tuple[float, int, np.ndarray]]] = {k: [] for k in range(first, found.begin)}
            n = found.count
            for k, t, column, y in zip(rows[:n].tolist(), times[:n].tolist(), which[:n].tolist(), states, strict=False):
                some[k].append((t, column, y.copy()))
            yield from ((k, roots if sure[k] else None) for k, roots in some.items())
            if done:
                return
