"""Portraits of a motion: a coordinate against its rate, and the points in which it passes through a section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Expression, as_expression, rate
from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_choice, given_finite, given_scalar
from zeromass.report.axes import formula, legend, own, titled
from zeromass.report.ground import SAMPLES
from zeromass.report.palette import SERIES
from zeromass.report.runs import Runs, sampled_of, several
from zeromass.report.scales import noise, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BETWEEN = 8
"""Times inside a step at which crossings of a section are looked for."""

HALVINGS = 60
"""Of an interval that holds a crossing: to rounding."""

POINTS = 1e7
"""Most points of a Poincaré section."""


def phase(runs: Runs, x: Expression | None = None, y: Expression | None = None, ax: Axes | None = None) -> Axes:
    """Portrait of a motion: x against y, by default the first coordinate against its rate.

    >>> import matplotlib.pyplot as plt
    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> ax = zm.simulate(swing, swing.start({x: 1.0}), until=7.0).plot.phase(x)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('$x$', '$\\\\dot{x}$')
    >>> plt.close(ax.figure)

    >>> from matplotlib.figure import Figure
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> runs = [zm.simulate(spring, spring.start({x: a}), until=5.0) for a in (1.0, 2.0)]
    >>> zm.plot.phase(runs, x, ax=Figure().add_subplot()).get_xlabel()
    '$x$'
    """
    ax = own(ax, (4.6, 4.2))
    runs = several(runs)
    x, y = _pair(runs[0], x, y)
    for k, run in enumerate(runs):
        sampled = run.at(np.linspace(run.t[0], run.t[-1], 2 * SAMPLES))
        mark = SERIES[k % len(SERIES)]
        ax.plot(sampled[x], sampled[y], color=mark, lw=1.0, label=f"run {k + 1}" if len(runs) > 1 else None)
        ax.plot(sampled[x][:1], sampled[y][:1], "o", color=mark, ms=4.5, mec="white", mew=0.6, zorder=4)
    _framed(ax, runs[0], x, y, "Phase portrait")
    legend(ax)
    return ax


def poincare(
    runs: Runs,
    section: Expression | None = None,
    x: Expression | None = None,
    y: Expression | None = None,
    ax: Axes | None = None,
    *,
    every: float | None = None,
    direction: int = 1,
) -> Axes:
    """Poincaré section: the points (x, y) at which a motion passes through a section, or after every period of a drive.

    section    an expression; the motion passes where it is zero, by default the rate of the last coordinate
    every      instead of a section: the period, s, after which a driven motion is looked at again
    direction  1: where it rises, −1: where it falls, 0: both

    >>> import matplotlib.pyplot as plt
    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> ax = zm.simulate(swing, swing.start({x: 1.0}), until=20.0).plot.poincare(x)
    >>> np.asarray(ax.lines[0].get_ydata()).round(9).tolist()  # the rate at each way through x = 0, upwards
    [1.0, 1.0, 1.0]
    >>> plt.close(ax.figure)
    """
    ax = own(ax, (4.6, 4.2))
    runs = several(runs)
    x, y = _pair(runs[0], x, y)
    if section is None:
        section = as_expression(rate(runs[0].system.coordinates[-1]))
    given_choice(direction, "direction", (-1, 0, 1))
    section = given_scalar(section, "section")
    every = None if every is None else given_finite(every, "every")
    if every is not None and not every > 0:
        raise ModelError(f"every={every!r}: the period is a time, s, longer than zero")
    if every is not None and any(abs(run.t[-1] - run.t[0]) > POINTS * every for run in runs):
        raise ModelError(f"every={every!r}: a run has more than {POINTS:g} such periods")
    for k, run in enumerate(runs):
        times = (
            crossings(run, section, direction) if every is None else np.arange(run.t[0], run.t[-1] + every / 2, every)
        )
        times = times[times <= run.t[-1]]
        if not len(times):
            continue
        sampled = run.at(times)
        ax.plot(
            sampled[x],
            sampled[y],
            ".",
            color=SERIES[k % len(SERIES)],
            ms=4,
            label=f"run {k + 1}" if len(runs) > 1 else None,
        )
    where = f"every {every:.4g} s" if every is not None else f"where {formula(section)} = 0"
    _framed(ax, runs[0], x, y, f"Poincaré section {where}")
    _levelled(ax, runs, x, y)
    legend(ax)
    return ax


def crossings(run: Course, section: Expression, direction: int = 1) -> np.ndarray:
    """Times at which an expression passes through zero, on the dense output, to rounding; see `poincare`."""
    parts = np.arange(BETWEEN) / BETWEEN
    times = np.append((run.t[:-1, None] + np.diff(run.t)[:, None] * parts).ravel(), run.t[-1])
    values = np.asarray(run.at(times)[section], dtype=float)
    before, after = values[:-1], values[1:]
    rises, falls = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
    found = np.flatnonzero({1: rises, -1: falls}.get(direction, rises | falls))
    low, high, sign = times[found], times[found + 1], np.where(rises[found], 1.0, -1.0)
    for _ in range(HALVINGS if len(found) else 0):
        middle = (low + high) / 2
        below = sign * run.at(middle)[section] < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def _pair(run: Course, x: Expression | None, y: Expression | None) -> tuple[Expression, Expression]:
    first = as_expression(run.system.coordinates[0] if x is None else x)
    return first, as_expression(rate(first) if y is None else y)


def _levelled(ax: Axes, runs: Sequence[Course], x: Expression, y: Expression) -> None:
    """Points that differ by errors of the run alone stand on one line: the axis is as long as the motion itself."""
    for name, e in (("x", x), ("y", y)):
        there = [np.asarray(line.get_xdata() if name == "x" else line.get_ydata(), dtype=float) for line in ax.lines]
        large = max(float(np.nanmax(np.abs(sampled_of(run)[e]))) for run in runs)
        if there and np.ptp(points := np.concatenate(there)) <= max(map(noise, runs)) * large:
            middle = points.min() / 2 + points.max() / 2  # whose sum may be too large for a number
            with np.errstate(over="ignore"):
                limits = (middle - large / 2, middle + large / 2)
            if large > 0.0 and np.isfinite(limits).all():
                ax.set(**{f"{name}lim": limits})


def _framed(ax: Axes, run: Course, x: Expression, y: Expression, title: str) -> None:
    labels = (formula(e) + (f" [{unit}]" if (unit := unit_of(run.system, e)) not in ("", "1") else "") for e in (x, y))
    ax.set(**dict(zip(("xlabel", "ylabel"), labels, strict=True)))
    ax.grid(True, color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    titled(ax, title)
