"""Plots of runs against time: each function takes one run or several and an Axes, and returns the Axes.

A quantity has one colour in every picture (`zeromass.report.palette`), and several runs are told apart by their lines.
Labels carry units; nothing global is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.analysis import work
from zeromass.analysis.residuals import residual_histories
from zeromass.expression import Expression, Symbol, expressions
from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_all, given_kind
from zeromass.model.naming import meant
from zeromass.report.axes import (
    STYLES,
    as_written,
    axes,
    formula,
    given_axes,
    legend,
    levelled,
    own,
    power_of_ten,
    remark,
    timed,
    titled,
    typeset,
)
from zeromass.report.ground import heights_around
from zeromass.report.palette import SERIES, color
from zeromass.report.paths import path, path3d
from zeromass.report.portraits import phase, poincare
from zeromass.report.runs import Runs, labels_of, quantity_of, sampled_of, several
from zeromass.report.scales import noise, scales, unit_of, units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 120
"""Places of a curve of noise: of closer steps the largest is drawn."""

COLORS = SERIES
"""Colours of curves that have none of their own."""

__all__ = ["COLORS", "KINDS", "as_written", "heights_around", "save_figure"]


def forces(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Normal and friction force of the surface [UM2022, figs 6, 9, 12]; intervals in which it pulls are shaded.

    Of several contacts those that ever have one, friction in dashes.

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> ax = zm.plot.forces(runs, Figure().add_subplot(), labels=["near", "far"])
    >>> ax.get_xlabel()
    'time [s]'
    """
    ax = own(ax)
    runs = several(runs)
    for k, (run, label) in enumerate(zip(runs, labels_of(runs, labels), strict=True)):
        sampled = sampled_of(run)
        if contacts := contacts_of(run):
            _contact_forces(ax, run, contacts, label, k)
            continue
        normal, friction = (sampled[quantity_of(run, name)] for name in ("normal force", "friction force"))
        style = STYLES[k % len(STYLES)]
        for name, values in (("normal", normal), ("friction", friction)):
            ax.plot(sampled.t, values, color=color(name), lw=1.1, ls=style, label=as_written(f"{name} {label}".strip()))
        pulls = normal < -noise(run) * np.abs(normal).max()
        if np.any(pulls):
            ax.fill_between(
                sampled.t,
                0,
                1,
                where=list(pulls),
                transform=ax.get_xaxis_transform(),
                color="#c0392b",
                alpha=0.12,
                lw=0,
                label="the surface would have to pull" if k == 0 else None,
            )
            ax.axhline(0.0, color="0.5", lw=0.6)
    title = "Forces of the contacts" if any(map(contacts_of, runs)) else "Forces of the surface"
    return timed(ax, "force [N]", runs, title)


def contacts_of(run: Course) -> list[str]:
    """Names of the contacts of a run that has several; none where the forces are those of one."""
    ending = " normal force"
    return [name.removesuffix(ending) for name in run.system.quantities if name.endswith(ending)]


def _contact_forces(ax: Axes, run: Course, contacts: Sequence[str], label: str, k: int) -> None:
    """Forces of each contact that ever has one, in a colour of its own; of the k-th run."""
    sampled = sampled_of(run)
    forces = {
        name: [sampled[quantity_of(run, f"{name} {kind}")] for kind in ("normal force", "friction force")]
        for name in contacts
    }
    largest = max(float(np.nanmax(np.abs(normal))) for normal, _ in forces.values())
    for j, (name, (normal, friction)) in enumerate(forces.items()):
        shade, words = SERIES[(j + k) % len(SERIES)], as_written(f"{name} {label}".strip())
        if np.nanmax(np.abs(normal)) > noise(run) * largest or len(forces) == 1:
            ax.plot(sampled.t, normal, color=shade, lw=1.1, label=words)
        if np.nanmax(np.abs(friction)) > noise(run) * largest:
            ax.plot(sampled.t, friction, color=shade, lw=1.1, ls=STYLES[1], label=f"{words}, friction")


def friction_ratio(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Coefficient of friction that rolling needs, |F_t|/F_n.

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> ax = zm.plot.friction_ratio(runs, Figure().add_subplot(), labels=["near", "far"])
    >>> ax.get_xlabel()
    'time [s]'
    """
    return _lines(
        runs, ["friction ratio"], ax, labels, "friction needed $|F_t|/F_n$", "Friction that rolling needs", "1"
    )


def torque(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Torque of the surface at the contact, inertial components [UM2022, figs 6, 9, 12].

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> ax = zm.plot.torque(runs, Figure().add_subplot(), labels=["near", "far"])
    >>> ax.get_xlabel()
    'time [s]'
    """
    return _lines(
        runs, ["torque at contact"], ax, labels, "torque [N m]", "Torque of the surface at the contact", "N m"
    )


def spin(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Spin velocity about the normal.

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> ax = zm.plot.spin(runs, Figure().add_subplot(), labels=["near", "far"])
    >>> ax.get_xlabel()
    'time [s]'
    """
    return _lines(runs, ["spin"], ax, labels, "spin [rad/s]", "Spin about the normal", "rad/s")


def energies(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Kinetic, potential and total energy.

    >>> from matplotlib.figure import Figure
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> runs = [zm.simulate(spring, spring.start({x: a}), until=5.0) for a in (1.0, 2.0)]
    >>> zm.plot.energies(runs, Figure().add_subplot()).get_xlabel()
    'time [s]'
    """
    names = {"kinetic": "kinetic", "potential": "potential", "energy": "total"}
    return _lines(runs, names, ax, labels, "energy [J]", "Energies", "J")


def balance(run: Course, ax: Axes | None = None) -> Axes:
    """Change of the energy beside the work that explains it, of applied forces and of constraints that move or rub."""
    ax = own(ax)
    found = work(run)
    lines = {"change of the energy": ("energy", found.change)}
    for name, kind, done in (
        ("work of applied forces", "applied", found.applied),
        ("work of constraints", "constraint", found.constraint),
    ):
        if np.abs(done).max() > found.noise:
            lines[name] = (kind, done)
    done = found.applied + found.constraint
    if len(lines) == 3:
        lines["both works"] = ("friction", done)
    for k, (name, (kind, values)) in enumerate(lines.items()):
        ax.plot(found.t, values, color=color(kind), lw=2.2 if k == 0 else 1.1, ls=STYLES[min(k, 3)], label=name)
        if k == 0:
            ax.lines[-1].set_alpha(0.45)
    timed(ax, "energy [J]", [run], "Energy and work")
    remark(ax, f"apart by {power_of_ten(found.imbalance)} of the energy exchanged, at most")
    levelled(ax, [found.change, done], found.turned, noise(run))
    return ax


def coordinates(runs: Runs, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Coordinates against time, all or those named; those in other units on axes of their own, below the first.

    >>> from matplotlib.figure import Figure
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> runs = [zm.simulate(spring, spring.start({x: a}), until=5.0) for a in (1.0, 2.0)]
    >>> len(zm.plot.coordinates(runs, ax=Figure().add_subplot()).lines)
    2
    """
    runs = several(runs)
    known = units(runs[0].system)
    if names is not None and not isinstance(names, str):
        names = given_all(names, str, "names", "the name of a coordinate")
    called = dict(zip(runs[0].system.coordinates, runs[0].system.names, strict=True))
    wanted = [x for x, name in called.items() if names is None or name in names]
    if not wanted:
        raise ModelError(f"no coordinate is named {names}; there are: {', '.join(called.values())}")
    groups: dict[str, list[Symbol]] = {}
    for x in wanted:
        groups.setdefault(known.get(x, ""), []).append(x)
    places = _places(ax, len(groups))
    shades = {x: _shade(x, k, wanted) for some in groups.values() for k, x in enumerate(some)}
    for place, (unit, some) in zip(places, groups.items(), strict=True):
        for j, run in enumerate(runs):
            sampled = sampled_of(run)
            own = dict(zip(run.system.names, run.system.coordinates, strict=True))
            for k, x in enumerate(some):
                style = STYLES[(j + k // len(SERIES)) % len(STYLES)]  # where colours come again
                label = (typeset(x) if called[x] == x.name else called[x]) if j == 0 else None
                place.plot(sampled.t, sampled[own[called[x]]], color=shades[x], lw=1.1, ls=style, label=label)
        label = {"m": "position [m]", "rad": "angle [rad]", "1": "quaternion"}.get(unit, "coordinate [SI]")
        timed(place, label, runs, named=ax is None)
    for place in places[:-1]:
        if place is not places[-1] and ax is None:
            place.set_xlabel("")
    titled(places[0], "Coordinates")
    if ax is None:
        legend(places[0])
    else:
        legend(ax, *dict.fromkeys(place for place in places if place is not ax))
    return places[0]


def _places(ax: Axes | None, count: int) -> list[Axes]:
    """Axes for several units: below one another, or on both sides of axes that are given."""
    if ax is None:
        found = axes(count, 1, size=(5.4, 3.6 if count == 1 else 2.3 * count + 0.4))
        return [found] if count == 1 else list(found)
    given_axes(ax)
    if count == 1:
        return [ax]
    other = ax.twinx()
    other.spines["right"].set_visible(True)
    return [ax, *[other] * (count - 1)]


def _shade(x: Symbol, k: int, others: Sequence[Symbol]) -> str:
    """The colour of a coordinate: that of its direction, where there is one point only and nothing else."""
    letter = x.name.rpartition(".")[2]
    alone = all(one.name.rpartition(".")[2] in ("x", "y", "z") for one in others) and len(others) <= 3
    return color(letter) if alone else SERIES[k % len(SERIES)]


def quantity(runs: Runs, expression: Expression | str | np.ndarray, ax: Axes | None = None, *, label: str = "") -> Axes:
    """Any expression against time; several as one array.

    >>> from matplotlib.figure import Figure
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> runs = [zm.simulate(spring, spring.start({x: a}), until=5.0) for a in (1.0, 2.0)]
    >>> len(zm.plot.quantity(runs, x**2, Figure().add_subplot(), label="x² [m²]").lines)
    2
    """
    given_kind(label, str, "label", "a word")
    ax = own(ax)
    runs = several(runs)
    wanted = expressions(meant(runs[0].system, expression))
    many, drawn = wanted.size > 1, []
    for j, run in enumerate(runs):
        sampled = sampled_of(run)
        values = np.asarray(sampled[wanted], dtype=float).reshape(len(sampled.t), -1)
        for k, (e, one) in enumerate(zip(wanted.ravel(), values.T, strict=True)):
            words = formula(e) if many and j == 0 else None
            shade = SERIES[(k if many else j) % len(SERIES)]
            ax.plot(sampled.t, one, color=shade, lw=1.1, ls=STYLES[j % len(STYLES)] if many else "-", label=words)
            drawn.append(one)
    timed(ax, label or _axis(runs[0], wanted.ravel().tolist()), runs, named=many)
    levelled(ax, drawn, 0.0, max(map(noise, runs)))
    return ax


def _axis(run: Course, wanted: Sequence[Expression]) -> str:
    """What an axis says of expressions: a formula with its unit, of several the unit that they share."""
    found = {unit_of(run.system, e) for e in wanted}
    (unit,) = found if len(found) == 1 else ("",)
    if len(wanted) == 1:
        return formula(wanted[0]) + (f" [{unit}]" if unit else "")
    return {"m": "position [m]", "m/s": "velocity [m/s]", "rad": "angle [rad]"}.get(unit, f"[{unit}]" if unit else "")


def residuals(run: Course, ax: Axes | None = None) -> Axes:
    """Violation of each constraint at the steps, on a logarithmic scale [UM2022, figs 7, 10, 13].

    Beside them, by how much energy and work do not balance, as a part of the energy exchanged: of a driven system the
    energy itself changes, and is no error.
    """
    ax = own(ax)
    floor, some = np.finfo(float).eps / 100, -(-len(run) // BINS)
    histories = residual_histories(run)
    for k, (group, signed) in enumerate(histories.items()):
        t, values = _largest(run.t, np.abs(signed).reshape(len(run.t), -1).max(axis=1), some)
        ax.semilogy(t, np.maximum(values, floor), color=SERIES[k % len(SERIES)], lw=0.9, label=as_written(group))
    if run.system.has_energy and len(run) > 1:
        found = work(run)
        apart = np.abs(found.change - found.applied - found.constraint) / max(found.turned, found.noise, floor)
        words = "energy and work, relative" if _driven(found) else "energy, relative"
        ax.semilogy(found.t, np.maximum(apart, floor), color=color("energy"), lw=0.9, ls=STYLES[2], label=words)
    eps = float(np.finfo(float).eps)
    ax.axhspan(floor / 10, eps, color="0.94", lw=0, zorder=0)
    place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "left", "va": "top", "linespacing": 1.2}
    ax.text(1.01, eps, "rounding\nof 1", fontsize="x-small", color="0.5", **place)
    ax.set_ylim(floor / 2, max(ax.get_ylim()[1], 100 * eps))
    title = "Constraint residuals" if histories else "Energy residual"
    timed(ax, "residual [SI]", [run], title, named=False)
    legend(ax, columns=3)
    if histories and some > 1:
        remark(ax, f"largest of every {some} steps")
    return ax


def _largest(t: np.ndarray, values: np.ndarray, some: int) -> tuple[np.ndarray, np.ndarray]:
    """Of every so many values the largest, at the middle of their times: noise as the height that it reaches."""
    begins = np.arange(0, len(t), some)
    ends = np.append(begins[1:], len(t)) - 1
    return (t[begins] + t[ends]) / 2, np.fmax.reduceat(values, begins)


def _driven(found: Any) -> bool:
    """Whether work changes the energy."""
    return bool(np.abs(np.stack([found.applied, found.constraint])).max() > found.noise)


def _lines(
    runs: Runs,
    names: Sequence[str] | Mapping[str, str],
    ax: Axes | None,
    labels: Sequence[str] | None,
    label: str,
    title: str,
    unit: str,
) -> Axes:
    """Quantities against time: a colour for each, or for each component of a vector, and a line for each run.

    names  of the quantities, or {name: what the legend calls it}
    """
    ax = own(ax)
    called = names if isinstance(names, Mapping) else {name: name for name in names}
    runs = several(runs)
    drawn, large = [], 0.0
    for k, (run, of) in enumerate(zip(runs, labels_of(runs, labels), strict=True)):
        sampled = sampled_of(run)
        large = max(large, scales(run).get(unit, 0.0))
        for name, word in called.items():
            values = sampled[quantity_of(run, name)]
            series = [(values, word)] if values.ndim == 1 else [(values[:, i], axis) for i, axis in enumerate("XYZ")]
            several_named = len(series) * len(names) > 1
            for value, words in series:
                shown = " ".join(word for word in (words if several_named else "", of) if word)
                style = STYLES[k % len(STYLES)]
                shade = color(words, k)
                ax.plot(sampled.t, value, color=shade, lw=1.1, ls=style, label=as_written(shown) or None)
                drawn.append(value)
    timed(ax, label, runs, title)
    if len(names) == 1:
        levelled(ax, drawn, large, max(map(noise, runs)))
    return ax


KINDS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        path,
        path3d,
        forces,
        friction_ratio,
        torque,
        spin,
        energies,
        balance,
        residuals,
        coordinates,
        phase,
        poincare,
        quantity,
    )
}


def save_figure(ax: Axes, file: str | PathLike[str], *, dpi: int = 150) -> None:
    """Writes the figure of an Axes as PNG, SVG or PDF, by the ending of its name, and closes it.

    >>> from zeromass.plot import save_figure
    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=1.0)
    >>> save_figure(run.plot.energies(), folder / "energies.svg")
    """
    import matplotlib.pyplot as plt

    from zeromass.report.writing import write

    ending = str(file).rsplit(".", 1)[-1].lower()
    if ending not in ("png", "svg", "pdf"):
        raise ModelError(f"a figure is written as .png, .svg or .pdf, not '{file}'")
    figure = cast("Figure", ax.figure)
    write(file, lambda place: figure.savefig(place, format=ending, dpi=dpi, bbox_inches="tight"))
    plt.close(figure)
