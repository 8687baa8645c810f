"""Lengths that pass through zero: a spring that is shot straight through its anchor, drag at a speed that vanishes.

On the line that d moves along, √(d·d) is |s| of a signed length s: smooth before and after the passage, and what depends on
it may jump there. So may arctan2 of d, and what depends on √u where u touches zero, as 1 − x² in arccos x. A step across it
has no error that its method could see. Steps in which d turns by more than a right angle, or u ceases to fall and rises so
fast that it may have passed zero twice, are therefore examined. Where the length passes zero, to rounding, the motion ends
just before and goes on just after: no stage of any step lies beyond. Motions whose lengths stay away from zero keep their
bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, expressions, heading, rate
from zeromass.expression.node import ordered
from zeromass.integrate.joined import joined, lengthened
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.passages import Passage
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.loop import Loop, lanes_of
from zeromass.integrate.terms import Length, lengths_in
from zeromass.kernel.language import Ints, Reals, Reals2, compiled, kernel, sqrt
from zeromass.model import Event, State, System
from zeromass.model.state import ROUNDING, Magnitude

NEAR = 0.1
"""Part of the length at the ends of a step below which a passage inside it is looked for."""

AT_END = 1e-9
"""Part of the size of a length that is left where a motion ends on a passage, as at a switch there."""

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

TWICE = 2.0
"""Part of the way that a length would go in a step at the larger of its speeds at both ends which it may go at most."""

BEFORE = 2
"""How many of these places a motion is followed to the shortest length as it is, before its arc is followed."""

AGAIN = 2.0
"""How many times the time since the last passage a motion is followed first to find the next."""

VANISHED = 1e-3
"""Part of its largest value to which a length has fallen where it is said to be why a motion finds no further step."""

SAME = 1e-9
"""Part of that time in which what is found behind a passage is the same one, seen with the rounding of u."""

AT_ONCE = 1 << 20
"""Numbers of steps and lengths that are looked at in one piece."""

NUDGE = 8 * float(np.finfo(float).eps)
"""Part of a state's size by which a start on a vanishing length is moved along its motion."""

PASSES = "passes through zero"

Motion = Callable[[float], Segment]
"""The motion from a state until a time, or until what ends it before."""


@kernel
def turns(d0: Reals, d1: Reals, h: float) -> bool:
    """Whether a length may pass zero in a step, from d and the rate of u at both ends.

    d turns by more than a right angle, or u ceases to fall and rises; of √(d·d) if its speeds are large enough for two
    passages.
    """
    n = len(d0) - 1
    u0, u1 = d0[n], d1[n]
    rises = not u0 * u1 > 0.0 and not h * u0 > 0.0 and not (u0 == 0.0 and u1 == 0.0)
    if n == 0:
        return rises
    product, first, second = 0.0, 0.0, 0.0
    for i in range(n):
        product += d0[i] * d1[i]
        first += d0[i] * d0[i]
        second += d1[i] * d1[i]
    first, second = sqrt(first), sqrt(second)
    speed = max(abs(u0 / 2.0 / first), abs(u1 / 2.0 / second))
    return (rises and not first + second > TWICE * abs(h) * speed) or not product > 0.0


@kernel
def turn_in_steps(before: Reals2, after: Reals2, h: Reals, found: Ints) -> None:
    """In which of several steps a length may pass zero."""
    for i in range(len(h)):
        found[i] = 1 if turns(before[i], after[i], h[i]) else 0


class Lengths:
    """The lengths in the formulas of a system, and their values."""

    def __init__(self, system: System) -> None:
        self.all: tuple[Length, ...] = lengths_in(system)
        self._inputs = list(system.inputs)
        rates = zip(self.all, _rates([length.u for length in self.all]), strict=True)
        self.reversed: list[tuple[Expression, ...]] = [(*length.d, r) for length, r in rates]
        """What is reversed where each passes zero: d, and the rate of u."""
        self._known: dict[int, tuple[Evaluator, Evaluator, Magnitude]] = {}

    @property
    def sampled(self) -> list[tuple[Length, list[Expression]]]:
        """Each length with u, and with what is reversed where it passes zero."""
        return [(length, [length.u, *(length.d or some)]) for length, some in zip(self.all, self.reversed, strict=True)]

    @cached_property
    def _directions(self) -> Evaluator:
        return Evaluator([e for some in self.reversed for e in some], self._inputs)

    def directions(self, inputs: np.ndarray) -> list[np.ndarray]:
        """What is reversed where a length passes zero, d and the rate of u, of each: shape (…, components)."""
        with np.errstate(all="ignore"):
            return np.split(self._directions(inputs), np.cumsum([len(some) for some in self.reversed])[:-1], axis=-1)

    def direction(self, k: int, inputs: np.ndarray) -> np.ndarray:
        """What is reversed where one length passes zero: d, or the rate of u where there is none."""
        with np.errstate(all="ignore"):
            return self._of(k)[0](inputs)

    @cached_property
    def _squares(self) -> Evaluator:
        return Evaluator([length.u for length in self.all], self._inputs)

    def values(self, inputs: np.ndarray) -> np.ndarray:
        """All lengths √u, shape (…, lengths)."""
        with np.errstate(all="ignore"):
            return np.sqrt(np.maximum(self._squares(inputs), 0.0))

    def value(self, k: int, inputs: np.ndarray) -> np.ndarray:
        """The length √u."""
        with np.errstate(all="ignore"):
            return np.sqrt(np.maximum(self._of(k)[1](inputs)[..., 0], 0.0))

    def vanishes(self, k: int, inputs: np.ndarray, size: float) -> bool:
        """Whether a length is zero to rounding: by its size in the motion, or by what u is computed from."""
        u, terms = self._of(k)[2].with_values(inputs)
        return bool(self.value(k, inputs) <= THROUGH * size or (not self.all[k].d and u[0] <= 8 * ROUNDING * terms[0]))

    def turned(self, before: list[np.ndarray], after: list[np.ndarray], h: np.ndarray) -> list[np.ndarray]:
        """In which steps of lengths h each length may pass zero, from its `directions` at their ends: truths, (steps,)."""
        found = []
        for d0, d1 in zip(before, after, strict=True):
            steps = np.zeros(len(h), dtype=np.int64)
            compiled(turn_in_steps)(*(np.ascontiguousarray(x, dtype=float) for x in (d0, d1, h)), steps)
            found.append(steps != 0)
        return found

    def _of(self, k: int) -> tuple[Evaluator, Evaluator, Magnitude]:
        if k not in self._known:
            u = [self.all[k].u]
            functions = Evaluator(list(self.all[k].d or self.reversed[k]), self._inputs), Evaluator(u, self._inputs)
            self._known[k] = *functions, Magnitude(u, self._inputs)
        return self._known[k]


def _rates(squares: list[Expression]) -> list[Expression]:
    """The rates of squares of lengths; zero of a speed, whose rate no state tells."""
    moving: set[Expression] = {node for node in ordered(squares) if isinstance(node, Symbol) and node.order}
    for node in ordered(squares):
        if not moving.isdisjoint(node.args):
            moving.add(node)
    places = [e for e in squares if e not in moving]
    found = dict(zip(places, expressions(rate(expressions(places))).tolist() if places else [], strict=True))
    return [found.get(e, as_expression(0.0)) for e in squares]


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
    tell: Callable[[float], None],
) -> Segment:
    """The segment of a smooth system, through every zero of its lengths; arguments as of `Loop`."""
    parts: list[Segment] = []
    state, span = start, 0.0
    while True:

        def motion(target: float, state: State = state) -> Segment:
            return Loop(program, state, target, settings, events).segment(tell)

        segment = before_and_behind(program, motion, state.t, until, span)
        parts.append(segment)
        if segment.outcome.ending is not Ending.SWITCH:
            return joined(parts)
        span = float(segment.t[-1]) - state.t
        state = segment.state(float(segment.t[-1]))


def before_and_behind(program: Program, motion: Motion, t: float, until: float, span: float) -> Segment:
    """A motion from a time on: just behind the first zero of a length, as after a switch; as it is where there is none.

    span  time that it took to the zero before: one that passes many is not followed to its end again and again
    """
    target = t + AGAIN * span
    target = target if span and abs(target - t) < abs(until - t) else until
    while True:
        segment = motion(target)
        soonest = max(SAME * abs(span), segment.settings.limits.stalled * abs(until - t)) if span else 0.0
        passed = _behind(program, motion, segment, until, soonest)
        if passed is not None:
            return passed
        if segment.outcome.ending is Ending.STEP_TOO_SMALL:
            return _at_zero(program, segment)
        if target == until or segment.outcome.ending is not Ending.FINISHED:
            return segment
        target = until


def _behind(program: Program, motion: Motion, segment: Segment, until: float, soonest: float) -> Segment | None:
    """The motion of a segment to just behind the first zero of a length; None where no length passes zero.

    soonest  time after the beginning from which on one counts
    """
    if len(segment.t) < 2 or segment.settings.step is not None:
        return None
    lengths = lengths_of(program.system)
    found = _first(lengths, program, segment, soonest)
    if found is None:
        return None
    k, stop = found
    for _ in range(ROUNDS):
        before = motion(stop)
        inside = next((p.span for p in before.crossed if p.span and min(p.span) <= stop <= max(p.span)), None)
        if inside is not None:
            return _after_span(motion, segment.t[0], inside[1], until)
        if before.outcome.ending is not Ending.FINISHED or before.t[-1] != stop or len(before.t) < 2:
            return before
        d = lengths.direction(k, _inputs(program, before, before.t[-2:], before.y[-2:]))
        if d[0] @ d[1] > 0.0:
            break
        late = np.linalg.norm(d[1]) / (np.linalg.norm(d[0]) + np.linalg.norm(d[1]))  # by the error of its steps
        stop -= 2.0 * late * (stop - float(before.t[-2])) + 4.0 * np.sign(until - stop) * np.spacing(abs(stop))
    else:
        return None
    state = _moving(program, before, -1)
    slope = _slopes(program, before)
    h, _ = _time_left(lengths, k, state, slope, np.copysign(1e3 * SHORT * max(1.0, abs(until - stop)), until - stop))
    inputs, n = _arc(state, slope(state), (1.0 + BEHIND) * (h or 0.0)), len(state.q)
    if not lengths.direction(k, inputs).any():  # rounding has left it on zero
        inputs = _arc(state, slope(state), np.copysign(SHORT * max(1.0, abs(stop)), until - stop))
    if not abs(inputs[0] - segment.t[0]) < abs(until - segment.t[0]):
        return None
    said = f"{lengths.all[k].said!r} {PASSES}"
    behind = lengthened(before, float(inputs[0]), inputs[1 : 1 + 2 * n])
    return replace(
        behind,
        outcome=Outcome(Ending.SWITCH, float(inputs[0]), said),
        crossed=(*before.crossed, Passage(stop, (said,))),
    )


def _after_span(motion: Motion, start: float, end: float, until: float) -> Segment | None:
    """The motion to the end of a passage with a span, in which a length passes zero; None where the run ends in the span.

    The passage integrates over the zero too, and within the span the time does not determine the state.
    """
    if not abs(end - start) < abs(until - start):
        return None
    segment = motion(end)
    if segment.outcome.ending is not Ending.FINISHED:
        return segment
    return replace(segment, outcome=Outcome(Ending.SWITCH, end, "a passage ends"))


def _at_zero(program: Program, segment: Segment) -> Segment:
    """A segment that ends where no step is short enough; it says so where that is at the zero of a length."""
    lengths, inputs = lengths_of(program.system), _inputs(program, segment, segment.t, segment.y)
    for k, length in enumerate(lengths.all):
        values = lengths.value(k, inputs)
        if values[-1] <= VANISHED * np.nanmax(values):
            words = f"{segment.outcome.message}; '{heading(length.said)}' comes to zero there"
            return replace(segment, outcome=replace(segment.outcome, message=words))
    return segment


def passes_zero(program: Program, segment: Segment) -> bool:
    """Whether a length passes zero in a segment."""
    return _first(lengths_of(program.system), program, segment, 0.0) is not None


def _first(lengths: Lengths, program: Program, segment: Segment, soonest: float) -> tuple[int, float] | None:
    """The first length that passes zero in a segment, and a time just before; None where none does."""
    some = max(1, AT_ONCE // segment.y.shape[1] // len(lengths.all))
    sizes = np.zeros(len(lengths.all))
    for begin in range(0, len(segment.t) - 1, some):
        rows = slice(begin, begin + some + 1)
        inputs = _inputs(program, segment, segment.t[rows], segment.y[rows])
        steps: list[tuple[int, int]] = []
        d, h = lengths.directions(inputs), np.diff(segment.t[rows])
        roots = lengths.values(inputs) if any(not length.d for length in lengths.all) else None
        for k, turned in enumerate(lengths.turned([x[:-1] for x in d], [x[1:] for x in d], h)):
            values = np.linalg.norm(d[k][:, :-1], axis=1) if roots is None or lengths.all[k].d else roots[:, k]
            sizes[k] = max(sizes[k], float(np.nanmax(values, initial=0.0)))
            turned[-1] |= begin + len(turned) == len(segment.t) - 1 and bool(values[-1] <= AT_END * sizes[k])
            steps += [(begin + i, k) for i in np.flatnonzero(turned).tolist()]
        for i, k in sorted(steps):
            beside = segment.t[max(i - 1, 0)], segment.t[min(i + 2, len(segment.t) - 1)]
            if any(_overlap(beside, passage.span or (passage.t, passage.t)) for passage in segment.crossed):
                continue  # the passage has crossed the zero
            t = np.linspace(segment.t[i], segment.t[i + 1], INSIDE)
            inside = _inputs(program, segment, t, segment.dense(t))
            values = lengths.value(k, inside)
            if not np.nanmin(values) > NEAR * np.nanmax(values):
                near = float(t[max(int(np.nanargmin(values)) - BEFORE, 0)])
                stop = _approached(lengths, k, program, segment, i, near, float(sizes[k]))
                if stop is not None and abs(stop - segment.t[0]) > soonest:
                    return k, stop
    return None


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return min(one) <= max(other) and min(other) <= max(one)


def _inputs(program: Program, segment: Segment, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    values = [segment.start.parameters[p] for p in program.system.parameters]
    return np.concatenate([t[:, None], y, np.broadcast_to(values, (len(t), len(values)))], axis=1)


def _moving(program: Program, segment: Segment, i: int) -> State:
    """The state of a motion at a step, on the pieces that it moves on."""
    y, n = segment.y[i], len(segment.start.q)
    return State(program.system, float(segment.t[i]), y[:n].copy(), y[n:].copy(), segment.start.parameters)


def _slopes(program: Program, segment: Segment) -> Callable[[State], np.ndarray]:
    """What gives q̈ at states of a motion."""
    values = np.array([segment.start.parameters[p] for p in program.system.parameters])
    functions = Functions(program.native, values, lanes_of(segment.settings.chosen))
    return lambda state: functions.slope(state.t, np.concatenate([state.q, state.v]))[0][len(state.q) :]


def _approached(
    lengths: Lengths, k: int, program: Program, segment: Segment, i: int, near: float, size: float
) -> float | None:
    """A time just before a length passes zero, from the beginning of a step on; None where it passes beside it.

    near  time in the step that is not much before
    size  of the length in the segment
    """
    slope, settings = _slopes(program, segment), segment.settings
    state = _moving(program, segment, i)
    while i > 0 and not lengths.direction(k, state.inputs).any():
        i -= 1
        state = _moving(program, segment, i)
    end = float(segment.t[i + 1]) + (float(segment.t[i + 1]) - state.t)
    if near != state.t:
        reached = Loop(program, state, near, settings, []).segment(lambda t: None)
        state = reached.state(near) if reached.outcome.ending is Ending.FINISHED else state
    before: float | None = None
    for _ in range(ROUNDS):
        left, lowest = _time_left(lengths, k, state, slope, end - state.t)
        if left is None:  # the last part may have led to where the length is shortest
            return before if lengths.vanishes(k, state.inputs, size) else None
        if lengths.value(k, state.inputs) <= SHORT * size or abs(left) <= 4 * np.spacing(abs(state.t)):
            return state.t if lengths.vanishes(k, lowest, size) else None
        d, part, before = lengths.direction(k, state.inputs), AHEAD * left, state.t
        while True:
            reached = Loop(program, state, state.t + part, settings, []).segment(lambda t: None)
            if reached.outcome.ending is not Ending.FINISHED:
                return None
            after = reached.state(float(reached.t[-1]))
            if d @ lengths.direction(k, after.inputs) > 0.0:
                break
            part /= 2  # it was there sooner than its arc
        state = after
    return None


def _arc(state: State, a: np.ndarray, h: float) -> np.ndarray:
    """Inputs at a time h after a state, along its acceleration."""
    inputs = state.inputs.copy()
    n = len(state.q)
    inputs[0] += h
    inputs[1 : 1 + n] += h * state.v + h**2 / 2 * a
    inputs[1 + n : 1 + 2 * n] += h * a
    return inputs


def _time_left(
    lengths: Lengths, k: int, state: State, slope: Callable[[State], np.ndarray], most: float
) -> tuple[float | None, np.ndarray]:
    """The time until a length is shortest along the arc of a state, no longer than `most`, and the inputs there."""
    a, d0 = slope(state), lengths.direction(k, state.inputs)
    size = np.linalg.norm(d0)
    if not (size > 0.0 and np.isfinite(a).all()):
        return None, state.inputs
    e = d0 / size

    def along(h: float) -> float:
        return float(e @ lengths.direction(k, _arc(state, a, h)))

    places = [most, *np.linspace(0.0, most, INSIDE)[1:-1].tolist()]  # an arc may have passed zero and come back
    low, high = 0.0, next((h for h in places if along(h) < 0.0), None)
    if high is None:
        return None, state.inputs
    for _ in range(SECANTS):
        middle = (low + high) / 2
        if along(middle) > 0.0:
            low = middle
        else:
            high = middle
    return low, _arc(state, a, high)


def _without_direction(start: State) -> list[Length]:
    """The lengths √(d·d) that vanish at a start."""
    lengths = lengths_of(start.system)
    vectors = zip(lengths.all, lengths.directions(start.inputs), strict=True)
    return [length for length, d in vectors if length.d and length.said.op != "arctan2" and not d.any()]


def vanishing(start: State) -> str:
    """That a length without a direction keeps a motion from beginning, in words; none where no length vanishes."""
    zero = _without_direction(start)
    if not zero:
        return ""
    said = heading(zero[0].said)
    return f"; '{said}' vanishes there and has no direction: begin beside it, or with a velocity that gives one"


def beside_zero(start: State) -> State:
    """A start on a length that vanishes, moved along its motion by rounding: the direction of the length is then known.

    The same start where no length vanishes, or its rates do too.
    """
    speed = float(np.abs(start.v).max(initial=0.0))
    if not speed > 0.0 or not _without_direction(start):
        return start
    h = NUDGE * max(1.0, float(np.abs(start.q).max(initial=0.0))) / speed
    moved = replace(start, q=start.q + h * start.v)
    return start if _without_direction(moved) else moved
