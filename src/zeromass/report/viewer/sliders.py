"""Sliders of a page: the parameters that they move, and whether a page can make the motions that they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromass.compile.newton import NewtonSteps
from zeromass.compile.program import rolls
from zeromass.errors import shown
from zeromass.expression import Expression, Symbol, expressions, parameter, symbols
from zeromass.integrate import Course, course
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.outcome import Ending
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.terms import terms_of_time
from zeromass.model import ModelError, State
from zeromass.model.collisions import without_collisions
from zeromass.model.given import given_mapping
from zeromass.model.prescription import has_formulas, names_of_prescribed, single

Sliders = Mapping[Any, tuple[float, float]]
"""{parameter, or what the start prescribes: (from, to)}."""


STIFF = ("radau",)
"""Methods for stiff motions: `dop853` may take steps without end for them, which is tried where a page has no other."""

BOUND = 8.0 * 2**20
"""Memory of a motion, bytes, up to which it is tried whether a page can make it: more would take too long there."""


@dataclass(frozen=True)
class Slider:
    """One slider: the parameter, its name in the page, its ends, and its value at first."""

    symbol: Symbol
    name: str
    low: float
    high: float
    value: float


def told(slider: Slider) -> dict[str, Any]:
    """A slider as the page reads it."""
    ends = {"low": slider.low, "high": slider.high, "value": slider.value}
    return {"name": slider.name, "parameter": slider.symbol.name, **ends}


def sliders_of(run: Course, sliders: Sliders) -> tuple[State, list[Slider]]:
    """The start with a parameter for each slider, and the sliders."""
    start, found = run.start, []
    made_of = start.made_of
    known = [*run.system.parameters, *(made_of.parameters if made_of else ())]
    pairs, names = dict(single(made_of.pairs)) if made_of else {}, names_of_prescribed(start)
    prescribed = pairs if made_of and made_of.again is None else {}
    given = given_mapping(sliders, "sliders", "{parameter: (from, to)}")
    by_name = {names[e]: e for e in prescribed} | {p.name: p for p in known}
    for key, ends in given.items():
        key = by_name.get(key, key) if isinstance(key, str) else key
        try:
            low, high = (float(x) for x in ends)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"sliders: {shown(key)} has {shown(ends)}; give {{parameter: (from, to)}}") from None
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ModelError(f"sliders: {key!r} goes from {low:g} to {high:g}; give two finite numbers in order")
        if isinstance(key, Symbol) and key.kind == "parameter" and key in known:
            made_with = made_of.values if made_of else {}
            value = float(start.parameters.get(key, made_with.get(key, key.default or 0.0)))
            found.append(Slider(key, key.name, low, high, value))
        elif isinstance(key, Expression) and key in prescribed and not symbols(expressions(pairs[key])):
            name = names[key]
            symbol = parameter("start_" + "".join(c if c.isalnum() else "_" for c in name), float(pairs[key]))
            pairs[key] = symbol
            found.append(Slider(symbol, name, low, high, float(symbol.default or 0.0)))
        else:
            there = ", ".join([*[p.name for p in known], *[names[e] for e in prescribed]]) or "nothing"
            raise ModelError(
                f"sliders: '{key!r}' is neither a zm.parameter of the model or the start nor a number that the start was "
                f"given; there is: {there}"
            )
    if made_of is not None:
        own = tuple(
            dict.fromkeys([*made_of.parameters, *[s.symbol for s in found if s.symbol not in run.system.parameters]])
        )
        start = replace(start, made_of=replace(made_of, pairs=tuple(pairs.items()), parameters=own))
    return start, found


def only_explicit(run: Course) -> str | None:
    """Why a page steps with dop853 alone, in words; None where it has Radau's methods too."""
    return "the system is large" if run.system.large else None


def check_explicit(run: Course, start: State, why: str) -> None:
    """That dop853 can make a motion that may be stiff."""
    settings = replace(run.settings, method="dop853", step=None, transitions=False, memory=BOUND)
    tried = course(run.system, start, float(run.t[-1]), settings)
    if tried.outcome.ending not in (Ending.FINISHED, Ending.EVENT):
        raise ModelError(
            f"sliders: the run was made with method='{run.settings.method}', for what is stiff, and so it is: a page "
            f"steps with dop853, as {why}, and that does not come to its end ({tried.outcome}); leave them out"
        )


def check(run: Course, start: State, sliders: Sequence[Slider]) -> None:
    """That the page can make motions of a run."""
    system = run.system
    without_collisions(system, "sliders", "leave the sliders out")
    if run.t[-1] < run.t[0]:
        raise ModelError("sliders: the run goes back in time; a page makes motions forward")
    moving = start
    if system.pieces is not None:
        motion = Pieced(start, tuple(system.events), (), float(run.t[-1]), run.settings, [s.symbol for s in sliders])
        try:
            motion.check()
        except ModelError as error:
            raise ModelError(f"sliders: {error}; leave the sliders out") from None
        moving = motion.moving
    if start.made_of is not None and not NewtonSteps.possible(moving):
        if start.made_of.again is not None:
            raise ModelError(
                "sliders: bodies touch at the start, and a page does not decide anew which of them do; leave the sliders out"
            )
        strange = _not_direct(moving) if rolls(moving.system) else None
        if strange is not None and _moved(moving, sliders):
            raise ModelError(
                f"sliders: the start of this large system prescribes {strange}, and a page solves it for coordinates and "
                "rates alone; prescribe these, or leave the sliders out"
            )
        if strange is None:
            raise ModelError(
                "sliders: prescribed values and constraints do not determine the start (left free: "
                f"{', '.join(start.free)}), so a page can not solve for it; prescribe more of it"
            )
    why = only_explicit(run)
    if run.settings.method in STIFF and why is not None:
        check_explicit(run, start, why)
    pulses = {leaf for term in terms_of_time(moving.system) for leaf in symbols(term.u)}
    for s in sliders:
        if s.symbol in pulses and any(_limits(run, moving, s.symbol, end) for end in (s.low, s.high)):
            raise ModelError(
                f"sliders: {s.name} stands in a formula of time alone that limits the steps of a run, and a page does not "
                "compute these limits again; leave this slider out"
            )


def _not_direct(start: State) -> str | None:
    """What a start prescribes, or satisfies, beside values of coordinates and rates, in words; None if nothing."""
    assert start.made_of is not None
    for e in [e for key, _ in start.made_of.pairs for e in expressions(key).ravel()]:
        if not isinstance(e, Symbol):
            return f"'{e!r}'"
    placed = [row.name for row in start.system.rows if row.place is not None]
    return f"the place of '{placed[0]}'" if placed else None


def _moved(start: State, sliders: Sequence[Slider]) -> bool:
    """Whether a start may be another one with other values: they stand in what it was given, or in a constraint."""
    assert start.made_of is not None
    given = [part for pair in start.made_of.pairs for part in pair if has_formulas(part)]
    leaves = symbols([*[e for part in given for e in expressions(part).ravel()], *[r.zero for r in start.system.rows]])
    return not {s.symbol for s in sliders}.isdisjoint(leaves)


def _limits(run: Course, start: State, symbol: Symbol, value: float) -> bool:
    """Whether what depends on time alone limits steps, with a value of a parameter."""
    from zeromass.integrate.pace import pace

    found = pace(start.system, {**start.parameters, symbol: value}, start.t, float(run.t[-1]))
    return found is not None and Ahead(found).matters
