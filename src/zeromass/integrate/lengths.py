"""Lengths √(d·d) that pass through zero: a spring that is shot straight through its anchor, drag at a speed that vanishes.

On the line that d moves along, √(d·d) is |s| of a signed length s: smooth before and after the passage, and what depends on
it may jump there. A step across it has no error that its method could see. Steps in which d turns by more than a right
angle are therefore examined. Where d passes zero, to rounding, the motion ends just before and goes on just after: no stage
of any step lies beyond. Motions whose lengths stay away from zero are as before, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Evaluator, Expression, heading
from zeromass.integrate.joined import joined
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.passages import Passage
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.loop import Loop
from zeromass.integrate.terms import lengths_in
from zeromass.model import Event, State, System

NEAR = 0.1
"""Part of the length at the ends of a step below which a passage inside it is looked for."""

THROUGH = 1e-11
"""Part of the size of a length that may be left where it passes zero: rounding of a straight line."""

SHORT = 1e-12
"""Part of that size at which the motion ends before zero, and goes on about as far behind it."""

BEHIND = 2**0.5
"""How far behind, by how far before: nothing that is asked of the moment between lies on zero itself."""

AHEAD = 0.99
"""Part of the time to zero that is gone at once; that of the rest is foreseen better."""

ROUNDS, SECANTS, INSIDE = 40, 60, 17
"""Rounds towards a passage, of the search for the time to it, and places inside a step that are looked at."""

AT_ONCE = 1 << 20
"""Numbers of steps and lengths that are looked at in one piece."""

NUDGE = 8 * float(np.finfo(float).eps)
"""Part of a state's size by which a start on a vanishing length is moved along its motion."""

PASSES = "passes through zero"


class Lengths:
    """The lengths in the formulas of a system.

    said     the formulas √(d·d)
    vectors  d of each, as expressions of the state
    """

    def __init__(self, system: System) -> None:
        known = lengths_in(system)
        self.said: tuple[Expression, ...] = tuple(known)
        self.vectors: tuple[tuple[Expression, ...], ...] = tuple(known.values())
        self._inputs = system.inputs

    @cached_property
    def _values(self) -> Evaluator:
        return Evaluator([e for d in self.vectors for e in d], self._inputs)

    def at(self, inputs: np.ndarray) -> list[np.ndarray]:
        """d of each length at inputs, shape (…, its components)."""
        with np.errstate(all="ignore"):
            flat = self._values(inputs)
        return np.split(flat, np.cumsum([len(d) for d in self.vectors])[:-1], axis=-1)


def lengths_of(system: System) -> Lengths:
    """The lengths of a system, found once."""
    known = system.memory.get("lengths")
    if known is None:
        known = system.memory["lengths"] = Lengths(system)
    return known


def through_zero(
    program: Program,
    start: State,
    until: float,
    settings: Settings,
    events: Sequence[Event],
    segment: Segment,
    tell: Callable[[float], None],
    held: int,
) -> Segment:
    """A segment as it is where lengths pass zero: the same one where none does.

    events  that it watched; others as of `Loop`
    """
    lengths = lengths_of(start.system)
    if len(segment.t) < 2 or settings.step is not None:
        return segment
    parts: list[Segment] = []
    passed: list[Passage] = []
    state = start
    while (found := _first(lengths, program, segment, settings)) is not None:
        which, stop = found
        before = Loop(program, state, stop, settings, events, held=held).segment(tell)
        if before.outcome.ending is not Ending.FINISHED:
            segment = before
            break
        parts.append(before)
        passed.append(Passage(stop, (f"{lengths.said[which]!r} {PASSES}",)))
        state = _beyond(lengths, which, before.state(float(before.t[-1])), until)
        watching = [*events, _watch(lengths, which, before)]
        segment = Loop(program, state, until, settings, watching, held=held).segment(tell)
        if segment.outcome.ending is Ending.EVENT and segment.events[-1].name == PASSES:
            if _first(lengths, program, segment, settings) is not None:
                continue
            segment = Loop(program, state, until, settings, events, held=held).segment(tell)
    if not parts:
        return segment
    whole = joined([replace(part, outcome=Outcome(Ending.SWITCH, part.outcome.t, "")) for part in parts] + [segment])
    happened = tuple(event for event in whole.events if event.name != PASSES)
    return replace(whole, happened=happened, crossed=(*whole.crossed, *passed))


def _watch(lengths: Lengths, which: int, before: Segment) -> Event:
    """An event where a length may pass zero again: on the plane through zero that lies across its line."""
    d = lengths.at(before.state(float(before.t[-1])).inputs)[which]
    e = d / np.linalg.norm(d)
    zero = sum((float(x) * component for x, component in zip(e, lengths.vectors[which], strict=True)), 0.0)
    return Event(PASSES, zero)  # type: ignore[arg-type]


def _first(lengths: Lengths, program: Program, segment: Segment, settings: Settings) -> tuple[int, float] | None:
    """The first length that passes zero in a segment, and a time just before; None where none does."""
    some = max(1, AT_ONCE // segment.y.shape[1] // len(lengths.said))
    sizes = np.zeros(len(lengths.said))
    for begin in range(0, len(segment.t) - 1, some):
        rows = slice(begin, begin + some + 1)
        steps: list[tuple[int, int]] = []
        for k, d in enumerate(lengths.at(_inputs(segment, segment.t[rows], segment.y[rows]))):
            turned = np.flatnonzero(~(np.einsum("ij,ij->i", d[:-1], d[1:]) > 0.0))
            steps += [(begin + int(i), k) for i in turned]
            sizes[k] = max(sizes[k], float(np.linalg.norm(d, axis=1).max()))
        for i, k in sorted(steps):
            beside = segment.t[max(i - 1, 0)], segment.t[min(i + 2, len(segment.t) - 1)]
            if any(min(beside) <= passage.t <= max(beside) for passage in segment.crossed):
                continue  # that is done already
            t = np.linspace(segment.t[i], segment.t[i + 1], INSIDE)
            inside = np.linalg.norm(lengths.at(_inputs(segment, t, segment.dense(t)))[k], axis=1)
            if not np.nanmin(inside) > NEAR * max(inside[0], inside[-1]):
                stop = _approached(lengths, k, program, segment, i, settings, sizes[k])
                if stop is not None:
                    return k, stop
    return None


def _inputs(segment: Segment, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    values = np.broadcast_to(segment.values, (len(t), len(segment.values)))
    return np.concatenate([t[:, None], y, values], axis=1)


def _approached(
    lengths: Lengths, k: int, program: Program, segment: Segment, i: int, settings: Settings, size: float
) -> float | None:
    """A time just before a length passes zero, from the beginning of a step on; None where it passes beside it.

    size  of the length in the segment
    """
    first, n = segment.start, segment.y.shape[1] // 2
    while (
        i > 0 and not np.linalg.norm(lengths.at(_inputs(segment, segment.t[i : i + 1], segment.y[i : i + 1]))[k]) > 0.0
    ):
        i -= 1
    state = State(first.system, float(segment.t[i]), segment.y[i, :n].copy(), segment.y[i, n:].copy(), first.parameters)
    end = float(segment.t[i + 1]) + (float(segment.t[i + 1]) - state.t)
    for _ in range(ROUNDS):
        left, least = _time_left(lengths, k, state, end - state.t)
        if left is None:
            return None
        near = float(np.linalg.norm(lengths.at(state.inputs)[k]))
        if near <= SHORT * size or abs(left) <= 4 * np.spacing(abs(state.t)):
            return state.t if least <= THROUGH * size else None
        loop = Loop(program, state, state.t + AHEAD * left, replace(settings, step=None), [])
        reached = loop.segment(lambda t: None)
        if reached.outcome.ending is not Ending.FINISHED:
            return None
        state = reached.state(float(reached.t[-1]))
    return None


def _arc(state: State, a: np.ndarray, h: float) -> np.ndarray:
    """Inputs at a time h after a state, along its acceleration."""
    inputs = state.inputs.copy()
    n = len(state.q)
    inputs[0] += h
    inputs[1 : 1 + n] += h * state.v + h**2 / 2 * a
    inputs[1 + n : 1 + 2 * n] += h * a
    return inputs


def _time_left(lengths: Lengths, k: int, state: State, most: float) -> tuple[float | None, float]:
    """The time until a length is shortest along the arc of a state, no longer than `most`, and how long it is then."""
    a, d0 = state.motion.acceleration, lengths.at(state.inputs)[k]
    size = np.linalg.norm(d0)
    if not (size > 0.0 and np.isfinite(a).all()):
        return None, np.inf
    e = d0 / size

    def along(h: float) -> float:
        return float(e @ lengths.at(_arc(state, a, h))[k])

    low, high = 0.0, most
    if not along(high) < 0.0:
        return None, np.inf
    for _ in range(SECANTS):
        middle = (low + high) / 2
        if along(middle) > 0.0:
            low = middle
        else:
            high = middle
    return low, float(np.linalg.norm(lengths.at(_arc(state, a, high))[k]))


def _beyond(lengths: Lengths, which: int, state: State, until: float) -> State:
    """The state about as far behind zero as it is before it."""
    h, _ = _time_left(lengths, which, state, np.copysign(1e3 * SHORT * max(1.0, abs(until - state.t)), until - state.t))
    h = 0.0 if h is None else h
    inputs, n = _arc(state, state.motion.acceleration, (1.0 + BEHIND) * h), len(state.q)
    return replace(state, t=float(inputs[0]), q=inputs[1 : 1 + n], v=inputs[1 + n : 1 + 2 * n])


def vanishing(start: State) -> str:
    """That a length without a direction keeps a motion from beginning, in words; none where no length vanishes."""
    lengths = lengths_of(start.system)
    zero = [said for said, d in zip(lengths.said, lengths.at(start.inputs), strict=True) if not d.any()]
    if not zero:
        return ""
    return f"; '{heading(zero[0])}' vanishes there and has no direction: begin beside it, or with a velocity that gives one"


def beside_zero(start: State) -> State:
    """A start on a length that vanishes, moved along its motion by rounding: the direction of the length is then known.

    The same start where no length vanishes, or its rates do too.
    """
    lengths = lengths_of(start.system)
    zero = [not d.any() for d in lengths.at(start.inputs)]
    speed = float(np.abs(start.v).max(initial=0.0))
    if not any(zero) or not speed > 0.0:
        return start
    h = NUDGE * max(1.0, float(np.abs(start.q).max(initial=0.0))) / speed
    moved = replace(start, q=start.q + h * start.v)
    return moved if all(d.any() for d in lengths.at(moved.inputs)) else start
