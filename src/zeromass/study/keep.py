"""What a study keeps of each member: final values, values at times, extremes, integrals, times of events.

A plain expression, or an array of them, is kept as it is at the end of the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from zeromass.expression import Expression, expressions, symbols
from zeromass.expression.leaves import namesake
from zeromass.model import Event, ModelError, System
from zeromass.model.given import given_numbers, shown
from zeromass.model.named_expressions import name_of


@dataclass(frozen=True, eq=False)
class Kept:
    """Something of a member, from an expression or an array of them.

    needs_steps  whether it follows from the whole motion, and not from its end alone
    """

    expression: Any
    needs_steps: ClassVar[bool] = True

    @property
    def array(self) -> np.ndarray:
        return expressions(self.expression)


class Final(Kept):
    """Values at the end of the motion."""

    needs_steps = False


@dataclass(frozen=True, eq=False)
class Extreme(Kept):
    """The largest (sign 1) or smallest (−1) value along the motion, between its steps too."""

    sign: Literal[1, -1] = 1


@dataclass(frozen=True, eq=False)
class Integral(Kept):
    """∫ e dt along the motion; divided by its length, where the mean is wanted."""

    mean: bool = False


@dataclass(frozen=True, eq=False)
class AtTimes(Kept):
    """Values at given times; not a number where the motion has ended before."""

    times: np.ndarray = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class FirstTime(Kept):
    """The time at which an event happened first; not a number where it did not."""

    needs_steps: ClassVar[bool] = False

    @property
    def event(self) -> Event:
        return self.expression


def largest(expression: Expression) -> Extreme:
    """The largest value of an expression along the motion, between steps too; for `zm.sweep(keep=…)`.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> start = spring.start({zm.rate(x): v})
    >>> study = zm.sweep(spring, start, until=3.0, over={v: [1.0, 2.0]}, keep={"top": zm.study.largest(x)})
    >>> study.top.values.round(9)
    array([1., 2.])
    """
    return Extreme(_one(expression), 1)


def smallest(expression: Expression) -> Extreme:
    """The smallest value of an expression along the motion, between steps too; for `zm.sweep(keep=…)`.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> start = spring.start({zm.rate(x): v})
    >>> study = zm.sweep(spring, start, until=5.0, over={v: [1.0, 2.0]}, keep={"bottom": zm.study.smallest(x)})
    >>> study.bottom.values.round(9)
    array([-1., -2.])
    """
    return Extreme(_one(expression), -1)


def integral(expression: Any) -> Integral:
    """The integral of an expression over the time of the motion; for `zm.sweep(keep=…)`.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> start = gliding.start({zm.rate(x): v})
    >>> study = zm.sweep(gliding, start, until=3.0, over={v: [1.0, 2.0]}, keep={"area": zm.study.integral(x)})
    >>> study.area.values.round(9)  # v t²/2
    array([4.5, 9. ])
    """
    return Integral(expression)


def mean(expression: Any) -> Integral:
    """The mean of an expression over the time of the motion; for `zm.sweep(keep=…)`.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> start = gliding.start({zm.rate(x): v})
    >>> study = zm.sweep(gliding, start, until=3.0, over={v: [1.0, 2.0]}, keep={"x": zm.study.mean(x)})
    >>> study.x.values.round(9)
    array([1.5, 3. ])
    """
    return Integral(expression, mean=True)


def values_at(expression: Any, times: ArrayLike) -> AtTimes:
    """Values of an expression at given times, NaN after the end of the motion; for `zm.sweep(keep=…)`.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> start = gliding.start({zm.rate(x): v})
    >>> study = zm.sweep(gliding, start, until=3.0, over={v: [1.0, 2.0]}, keep={"x": zm.study.values_at(x, [1.0, 2.5])})
    >>> study.x.values.round(9).tolist(), study.x.dims
    ([[1.0, 2.5], [2.0, 5.0]], ('v', 'x_time'))
    """
    return AtTimes(expression, np.atleast_1d(given_numbers(times, "times")))


def first_time(event: Event) -> FirstTime:
    """Time of the first occurrence of an event, s; the motion continues unless the event is terminal.

    >>> x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    >>> gliding = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> there = zm.Event("there", x - 2.0, terminal=False)
    >>> start = gliding.start({zm.rate(x): v})
    >>> study = zm.sweep(gliding, start, until=3.0, over={v: [0.5, 1.0, 2.0]}, keep={"at": zm.study.first_time(there)})
    >>> study.at.values.round(9)
    array([nan,  2.,  1.])
    """
    if not isinstance(event, Event):
        raise ModelError(f"first_time takes a zm.Event, not {event!r}")
    return FirstTime(event)


def _one(expression: Any) -> Expression:
    array = expressions(expression)
    if array.ndim:
        raise ModelError(f"an extreme value is that of one expression, not of an array of shape {array.shape}")
    return array.item()


def kept(given: Any) -> Kept:
    """What was asked for; a plain expression is kept at the end."""
    return given if isinstance(given, Kept) else Final(expressions(given))


def kept_by_name(given: Any) -> dict[str, Kept]:
    """What was asked for, {name: what}; several in a list are called by their formulas."""
    if isinstance(given, Mapping):
        return {name: kept(what) for name, what in given.items()}
    several = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and np.ndim(given) > 0
    if isinstance(given, Expression | Kept) or not several:
        raise ModelError(f"keep is {shown(given)}; give {{name: what}}, or a list of what is to be kept")
    found: dict[str, Kept] = {}
    for what in given:
        one = kept(what)
        name = _name(one).replace("/", "÷")  # no name of a variable in files
        if name in found:
            raise ModelError(f"keep: two have the name '{name}'; give {{name: what}}")
        found[name] = one
    return found


def _name(what: Kept) -> str:
    if isinstance(what, FirstTime):
        return f"first time of {what.event.name}"
    formula = name_of(what.expression)
    match what:
        case Extreme():
            return f"{'largest' if what.sign > 0 else 'smallest'} {formula}"
        case Integral():
            return f"{'mean' if what.mean else 'integral of'} {formula}"
    return formula


def check_kept(wanted: Mapping[str, Kept], systems: Sequence[System]) -> None:
    """Raises where something kept contains coordinates of none of the systems that members may move as: it has no values."""
    known = {x for system in systems for x in (*system.inputs, *system.accelerations)}
    for name, what in wanted.items():
        e = expressions([what.event.zero]) if isinstance(what, FirstTime) else what.array
        for leaf in symbols(e):
            if leaf.kind == "coordinate" and leaf not in known:
                words = f"keep: '{leaf!r}' in '{name}' is nothing of this system, so a study has no values of it"
                raise ModelError(words + namesake(leaf, systems[0].inputs))


def needs_steps(wanted: Sequence[Kept]) -> bool:
    return any(one.needs_steps for one in wanted)
