"""How far a run can be trusted: residuals, energy balance, margin of the rank, and digits from a second run."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromass.analysis.contact import Interval, pulling_intervals
from zeromass.analysis.digits import (
    SAFETY,
    Errors,
    between_jumps,
    ends_elsewhere,
    off_constraints,
    parting,
    rounding,
    sizes,
)
from zeromass.analysis.imbalance import energy_remarks
from zeromass.analysis.sampling import is_sampled, repeated
from zeromass.analysis.work import Work, work
from zeromass.equation import numerical_rank
from zeromass.equation.arrays import single_thread
from zeromass.errors import FewDigits, RedundantContacts, user_stack_level
from zeromass.expression import expressions
from zeromass.integrate import Course, Sampled, Settings, course
from zeromass.integrate.course import given_course
from zeromass.integrate.segment import Samples, Segment
from zeromass.integrate.settings import FEW, SMALLEST_RTOL
from zeromass.integrate.terms import terms_of_time
from zeromass.model.named_expressions import named_expressions

TIGHTER = 100.0
"""How many times smaller the tolerances of the second run are."""

SAMPLES = 400
"""States at which ranks and residuals are examined, besides none at the ends of steps alone."""

LONG = 2**19
"""Steps of a run for which a second one is made at once; for more it is made in parts."""

ABOUT = 8
"""Steps before and after a change of the kind of motion at which two runs are compared too."""


@dataclass(frozen=True)
class Residual:
    """Largest violation of one constraint at position, velocity and acceleration level; NaN where it has no such level.

    >>> bob = zm.Particle("bob", mass=0.5)
    >>> pendulum = zm.System([bob], gravity=9.81, constraints={"string": (bob.position @ bob.position - 1.0) / 2})
    >>> run = zm.simulate(pendulum, pendulum.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)]), until=1.0)
    >>> (string,) = run.certificate().residuals
    >>> string.name, string.position < 1e-12
    ('string', True)
    """

    name: str
    position: float
    velocity: float
    acceleration: float


@dataclass(frozen=True)
class Trust:
    """Accuracy of one quantity of a run: its name, and its errors relative to its largest value.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> (trust,) = run.certificate(of={"square": x**2}).of
    >>> trust.name, trust.digits > 9
    ('square', True)
    """

    name: str
    errors: Errors

    @property
    def digits(self) -> float:
        """Decimal digits to trust."""
        return max(0.0, float(-np.log10(self.errors.worst)))


@dataclass(frozen=True)
class Certificate:
    """Accuracy of a run: residuals, energy balance, digits; `print` it.

    residuals  of each constraint, in its own units
    work       energy, and the work that changed it (None where the system has no energy)
    margin     smallest margin of the rank of [M; A] along the run, a factor above the tolerance of the decision
    error      largest difference of a state from that of a run at tighter tolerance, relative to the size of its coordinate;
               infinite where that run ends at another place
    errors     what each of four witnesses tells of the error of a state: two runs, energy, constraints, rounding
    parting    where the second run goes another way: its end or its mode of motion, by name
    warning    why the run can hardly be trusted; empty where it can
    pulled     intervals in which a two-sided contact has to pull
    of         the quantities that were asked for, each with its own digits

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> trust = run.certificate()
    >>> trust.digits > 9, trust.work.imbalance < 1e-9
    (True, True)
    """

    residuals: tuple[Residual, ...]
    work: Work | None
    margin: float
    error: float
    errors: Errors
    rtol: float
    tighter_rtol: float
    imbalance: str = ""
    """What the energy balance says against the run; empty where its tolerance explains the balance."""
    parting: str = ""
    pulled: tuple[Interval, ...] = ()
    of: tuple[Trust, ...] = ()

    @property
    def digits(self) -> float:
        """Decimal digits to trust, to the end of the run: those of the worst of `errors`."""
        return max(0.0, float(-np.log10(self.errors.worst)))

    @property
    def limited_by(self) -> str:
        """What limits the digits, in words."""
        if self.errors.limited_by == "the energy" and self.work is not None and self.work.inside > self.work.gap:
            return "the energy between steps"
        return self.errors.limited_by

    @property
    def warning(self) -> str:
        """Why the run, or what was asked for of it, can hardly be trusted; empty where it can."""
        few = [f"{one.digits:.1f} digits of {one.name}" for one in self.of if one.digits < FEW]
        if few:
            return f"only {', '.join(few)} can be trusted"
        if self.digits < FEW and not self.of:
            why = self.parting or f"limited by {self.limited_by}"
            return f"only {self.digits:.1f} digits of the run can be trusted ({why})"
        return self.imbalance

    def __str__(self) -> str:
        width = max([len(r.name) for r in self.residuals] + [10])
        lines = [f"{'constraint'.ljust(width)}   position   velocity   acceleration"]
        for r in self.residuals:
            cells = [f"{x:10.1e}" if np.isfinite(x) else "         –" for x in (r.position, r.velocity, r.acceleration)]
            lines.append(f"{r.name.ljust(width)} {cells[0]} {cells[1]}     {cells[2]}")
        if self.work is not None:
            lines.append(str(self.work))
        lines.append(f"rank of [M; A]: margin {self.margin:.1e} at least")
        if self.pulled:
            spans = ", ".join(f"{span.begin:.4g} … {span.end:.4g} s" for span in self.pulled)
            lines.append(f"the surface has to pull the body: {spans}")
        lines.append(
            f"largest relative difference {self.error:.1e} between rtol {self.rtol:g} and {self.tighter_rtol:g}"
        )
        if self.parting:
            lines.append(self.parting)
        lines.append(f"digits to trust: {self.digits:.1f} (limited by {self.limited_by})")
        lines += [f"digits of {one.name}: {one.digits:.1f} (limited by {one.errors.limited_by})" for one in self.of]
        if self.warning:
            lines.append(f"warning: {self.warning}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from zeromass.analysis.cards import certificate_card

        return certificate_card(self)


@single_thread
def certificate(run: Course, of: Any = None) -> Certificate:
    """The certificate of a run; it makes a second run with tolerances a hundred times smaller.

    of  quantities whose own digits are asked for: an expression or an array of them, several in a list, or {name: …}. The
        digits of the run are those of its worst coordinate or rate; a quantity may be known better, or worse

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> run.certificate().digits > 9
    True
    """
    given_course(run)
    wanted = {} if of is None else named_expressions(of, "of")
    times = np.union1d(np.linspace(run.t[0], run.t[-1], SAMPLES), run.t[:: max(1, len(run) // SAMPLES)])
    for passage in run.passages:
        if passage.span is not None:
            low, high = sorted(passage.span)
            times = times[(times <= low) | (times >= high)]
    sampled = run.at(times)
    settings = run.settings
    tighter = max(settings.rtol / TIGHTER, SMALLEST_RTOL)
    violated = residuals(sampled)
    balance = work(run) if run.system.has_energy else None
    size = sizes(sampled.y, settings.atol, 1.0 if balance is None else balance.seen)
    error, parted, apart = _difference(run, sampled, size, tighter, wanted)
    errors = Errors(
        runs=SAFETY * error,
        energy=0.0 if balance is None else balance.error,
        constraints=off_constraints(sampled, size),
        rounding=rounding(run, sampled, size),
    )
    found = Certificate(
        violated,
        balance,
        min(_margin(part) for _, part in sampled.parts),
        error,
        errors,
        settings.rtol,
        tighter,
        "" if balance is None else "".join(energy_remarks(run, balance)),
        parted,
        pulling_intervals(run) if run.system.contacts else (),
        tuple(Trust(name, replace(errors, runs=SAFETY * apart[name])) for name in wanted),
    )
    if found.warning:
        warnings.warn(found.warning, FewDigits, stacklevel=user_stack_level())
    return found


def _margin(samples: Samples) -> float:
    """The smallest margin of the rank of [M; A]."""
    if samples.segment.solved.code == "rolled":  # by its pivots, as no matrix is written out
        return float(1 / np.max(samples.segment.solved.native.growth(samples.inputs)))
    M, _, A, _, _ = samples.system.matrices(samples.inputs)
    return float(np.min(numerical_rank(np.concatenate([M, A], axis=1)).margin))


def residuals(sampled: Sampled) -> tuple[Residual, ...]:
    """Largest violation of each constraint, over its rows and over time."""
    worst: dict[str, list[float]] = {}
    for _, samples in sampled.parts:
        for name, found in _residuals(samples).items():
            worst[name] = np.fmax(worst.get(name, found), found).tolist()
    return tuple(Residual(name, *values) for name, values in worst.items())


def _residuals(samples: Samples) -> dict[str, list[float]]:
    """Of each constraint at position, velocity and acceleration level; NaN where it has no such level."""
    rows, system = samples.system.rows, samples.system
    program = samples.segment.program
    written = program is None or program.code != "rolled"
    zeros = {
        0: ([row.zero for row in rows if row.level == 0], [row.group for row in rows if row.level == 0]),
        1: (list(system.velocity_constraints), [row.group for row in rows if row.level < 2]),
        2: (
            list(system.A @ system.accelerations - system.b) if rows and written else [],
            [row.group for row in rows] if written else [],
        ),
    }
    values = {level: samples[expressions(formulas)] for level, (formulas, _) in zeros.items()}

    places: list[dict[str, list[int]]] = [{}, {}, {}]
    for level, (_, names) in zeros.items():
        for i, name in enumerate(names):
            places[level].setdefault(name, []).append(i)

    def worst(level: int, group: str) -> float:
        picked = places[level].get(group, [])
        return float(np.abs(values[level][:, picked]).max()) if picked else float("nan")

    return {group: [worst(level, group) for level in range(3)] for group in dict.fromkeys(row.group for row in rows)}


def _difference(
    run: Course, sampled: Sampled, size: np.ndarray, rtol: float, of: Mapping[str, np.ndarray]
) -> tuple[float, str, dict[str, float]]:
    """Largest difference from a second run, relative to sizes of coordinates and rates, and where the two part; and that of
    some quantities, each relative to its own largest value."""
    places, worst, parted, elsewhere = (sampled, run.at(_about_changes(run))), 0.0, "", False
    own = {name: [times[e] for times in places] for name, e in of.items()}
    largest = {name: max(np.abs(x).max(initial=np.finfo(float).tiny) for x in values) for name, values in own.items()}
    apart_of = dict.fromkeys(of, 0.0)
    for second in _second(run, _closer(run, rtol)):
        low, high = sorted((second.t[0], second.t[-1]))
        for k, times in enumerate(places):
            if np.any(reached := (times.t >= low) & (times.t <= high) & ~between_jumps(run, second, times.t)):
                there = second.at(times.t[reached])
                worst = float(np.maximum(worst, (np.abs(there.y - times.y[reached]) / size).max()))
                for name, e in of.items():
                    apart = np.abs(there[e] - own[name][k][reached]).max() / largest[name]
                    apart_of[name] = float(np.maximum(apart_of[name], apart))
        parted, elsewhere = parting(run, second), ends_elsewhere(run, second)
    if elsewhere:
        return float("inf"), parted, dict.fromkeys(of, float("inf"))
    return worst, parted, apart_of


def _second(run: Course, settings: Settings) -> Iterator[Course]:
    """A second run: the whole of it; of a long one of one segment its parts, one after another, to spare memory.

    If one of them ends early, it is the last; if one changes its kind, the whole run follows, which tells where. Values that
    a controller set on the way are set again.
    """
    if is_sampled(run):
        yield repeated(run, settings)
        return
    (first, *others), state, until = run.segments, run.start, float(run.t[-1])
    in_parts = not others and first.piece is None and len(run) > LONG
    for end in [*run.t[LONG:-1:LONG].tolist(), until] if in_parts else ():
        part = course(run.system, state, end, settings)
        if len(part.segments) > 1:
            break
        yield part
        if part.t[-1] != end or end == until:
            return
        state = part.state(end)
    with warnings.catch_warnings():  # which the run itself has told
        warnings.simplefilter("ignore", RedundantContacts)
        yield course(run.system, run.start, until, settings)


def _about_changes(run: Course) -> np.ndarray:
    """Times of the steps nearest to changes of the kind of motion, and between them: there errors are largest."""
    ends = [segment.t[: ABOUT + 1] for segment in run.segments[1:]] + [s.t[-ABOUT - 1 :] for s in run.segments[:-1]]
    ends = ends[:: max(1, len(ends) // SAMPLES)]
    return np.concatenate([np.empty(0), *[np.append(t, (t[:-1] + t[1:]) / 2) for t in ends]])


def _closer(run: Course, rtol: float) -> Settings:
    """How the second run is made: as the first, with a smaller tolerance; where that can hardly be, with half the steps.

    Steps of a given length may all pass over a bump of a force, and so would half of them: then the second run chooses its
    own, which do not.
    """
    settings = run.settings.tighter(rtol)
    if settings.step is not None and not all(_seen(segment, settings.step) for segment in run.segments):
        return replace(settings, step=None, method=settings.method if settings.chosen.controlled else "collocation")
    if settings.step is not None or rtol < run.settings.rtol / 2:
        return settings
    half = float(np.median(np.abs(np.concatenate([np.diff(segment.t) for segment in run.segments])))) / 2
    return replace(settings, longest_step=min(settings.longest_step, half))


def _seen(segment: Segment, step: float) -> bool:
    """Whether steps of a length are short enough for every function of time in the system."""
    if not terms_of_time(segment.system):
        return True
    from zeromass.integrate.pace import pace  # few systems have such terms

    known = pace(segment.system, segment.parameters, float(segment.t[0]), float(segment.t[-1]))
    return known is None or known.allows(step)
