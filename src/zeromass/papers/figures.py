"""Figures of the papers' runs: paths on their surfaces, friction, and forces of the contact.

They show the steps of the runs, which lie much closer than a pixel can show.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact import surfaces
from zeromass.papers import stanescu, ud2011, um2022
from zeromass.papers.results import Results
from zeromass.report.axes import quiet
from zeromass.report.palette import SERIES, color
from zeromass.report.writing import write
from zeromass.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI, COLORS = 80, 64
CONTACT, CENTRE, NORMAL, FRICTION = (color(name) for name in ("contact", "centre", "normal", "friction"))
FIRST, SECOND, PALE = SERIES[0], SERIES[1], "0.8"
"""A motion and one that it is compared with; contour lines."""


def save(results: Results, folder: Path) -> list[Path]:
    """Draws every figure into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "shell-example-1": _shell_paths(results.shell),
        "shell-example-2": _shell_compared(results.shell, "2", "spin 3π rad/s at the start"),
        "shell-example-3": _shell_compared(results.shell, "3", "no spin throughout"),
        "shell-friction": _shell_friction(results.shell),
        "ball-I": _ball_in_time(results.ball),
        "ball-I-along-y": _ball_paths(results.ball, [f"I{c} along y" for c in ud2011.FREQUENCIES]),
        "ball-II": _ball_paths(results.ball, [f"II{c}" for c in ud2011.FREQUENCIES]),
        "ball-III": _ball_paths(results.ball, [f"III{c}" for c in ud2011.FREQUENCIES]),
        "ball-two-frequencies": _two_frequencies(results.ball["two frequencies"]),
        "ball-normal-force": _normal_forces(results.ball),
        "particle": _particle(results.particle),
    }
    files = []
    for name, figure in figures.items():
        image = _image(figure)
        files.append(write(folder / f"{name}.png", lambda place, image=image: image.save(place, optimize=True)))
    return files


def _image(figure: Figure) -> Any:
    """A figure as an image of few colours, a quarter of the size of one with all of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE)


def _panels(rows: int, columns: int, titles: Iterable[str], width: float = 8.0, height: float = 3.4) -> tuple[Any, ...]:
    """A figure with titled axes in rows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height * rows), dpi=DPI, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, title in zip(axes, titles, strict=True):
        quiet(ax)
        ax.set_title(title, fontsize=10)
    return figure, list(axes)


def _named(figure: Figure, ax: Axes) -> None:
    """One legend for all axes, below them and off the curves."""
    figure.legend(*ax.get_legend_handles_labels(), fontsize=8, frameon=False, ncols=4, loc="outside lower center")


def _plane(ax: Axes, x: str = "X [m]", y: str = "Y [m]") -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def _bowl(ax: Axes) -> None:
    """Contours of the bowl."""
    X, Y = np.meshgrid(np.linspace(-4, 4, 161), np.linspace(-4, 4, 161))
    ax.contour(X, Y, surfaces.dimpled_bowl().height(X, Y), levels=12, colors=PALE, linewidths=0.6)


def _shell_paths(runs: dict[str, Run]) -> Figure:
    figure, axes = _panels(2, 2, [f"example 1, case {c}" for c in um2022.ORIENTATIONS], height=3.8)
    rolling = um2022.system(no_spin=False)
    for ax, c in zip(axes, um2022.ORIENTATIONS, strict=True):
        _bowl(ax)
        run = runs["1" + c]
        for what, mark, style, name in (
            (rolling.contact, CONTACT, "-", "contact"),
            (rolling.center, CENTRE, "--", "centre"),
        ):
            ax.plot(*run[what][:, :2].T, style, color=mark, linewidth=0.9, label=name)
        ax.plot(*um2022.CONTACT, "k.", markersize=5)
        _plane(ax)
    _named(figure, axes[0])
    return figure


def _shell_compared(runs: dict[str, Run], example: str, words: str) -> Figure:
    """Contact paths of an example beside those of example 1."""
    figure, axes = _panels(2, 2, [f"example {example}, case {c}" for c in um2022.ORIENTATIONS], height=3.8)
    for ax, c in zip(axes, um2022.ORIENTATIONS, strict=True):
        _bowl(ax)
        for name, mark, style, label in (
            (example + c, FIRST, "-", words),
            ("1" + c, SECOND, "--", "example 1"),
        ):
            run = runs[name]
            path = run[um2022.contact(run).point][:, :2]
            ax.plot(*path.T, style, color=mark, linewidth=0.9, label=label)
        ax.plot(*um2022.CONTACT, "k.", markersize=5)
        _plane(ax)
    _named(figure, axes[0])
    return figure


def _shell_friction(runs: dict[str, Run]) -> Figure:
    """Friction ratios with the printed coefficients."""
    figure, axes = _panels(3, 4, [f"example {case[0]}, case {case[1]}" for case in runs], width=11.0, height=2.1)
    for ax, (case, run) in zip(axes, runs.items(), strict=True):
        ratio = um2022.contact(run).friction_ratio
        ax.plot(run.t, run[ratio], color=FRICTION, linewidth=0.6)
        μ = run.required_friction()
        ax.plot(μ.time, μ.value, "o", color=CONTACT, markersize=4, label="largest, as computed")
        ax.axhline(
            float(um2022.PRINTED_FRICTION[case]), color="k", linestyle="--", linewidth=0.8, label="largest, as printed"
        )
        ax.set_ylim(0, 0.32)
    _named(figure, axes[0])
    for ax in axes[8:]:
        ax.set_xlabel("time [s]")
    for ax in axes[::4]:
        ax.set_ylabel("$|F_t|/F_n$")
    return figure


def _ball_in_time(runs: dict[str, Run]) -> Figure:
    """Set I is planar: x in time."""
    names = [f"I{c}" for c in ud2011.FREQUENCIES]
    figure, axes = _panels(2, 2, [f"{name}, trough moves along x" for name in names], height=2.4)
    rolling = ud2011.model().rolling
    for ax, name in zip(axes, names, strict=True):
        run = runs[name]
        ax.plot(run.t, run[rolling.contact[0]], color=CONTACT, linewidth=1, label="contact")
        ax.plot(run.t, run[rolling.center[0]], "--", color=CENTRE, linewidth=1, label="centre")
        ax.set_xlabel("time [s]")
        ax.set_ylabel("x [m]")
    _named(figure, axes[0])
    return figure


def _ball_path(ax: Axes, run: Run) -> None:
    rolling = ud2011.model().rolling
    ax.plot(*run[rolling.contact][:, :2].T, color=CONTACT, linewidth=1, label="contact")
    ax.plot(*run[rolling.center][:, :2].T, "--", color=CENTRE, linewidth=1, label="centre")
    ax.plot(*run[rolling.contact][0, :2], "k.", markersize=5)
    _plane(ax, "x [m]", "y [m]")


def _ball_paths(runs: dict[str, Run], names: list[str]) -> Figure:
    figure, axes = _panels(2, 2, names)
    for ax, name in zip(axes, names, strict=True):
        _ball_path(ax, runs[name])
    _named(figure, axes[0])
    return figure


def _two_frequencies(run: Run) -> Figure:
    figure, (ax,) = _panels(1, 1, ["two frequencies along x and along y"], width=5.5, height=4.2)
    _ball_path(ax, run)
    _named(figure, ax)
    return figure


def _normal_forces(runs: dict[str, Run]) -> Figure:
    """The six cases in which the trough would have to pull."""
    names = [f"{s}{c}" for c in "cd" for s in ("I", "II", "III")]
    figure, axes = _panels(2, 3, names, width=10.0, height=2.4)
    rolling = ud2011.model().rolling
    for ax, name in zip(axes, names, strict=True):
        times, force = runs[name].t, runs[name][rolling.normal_force]
        ax.plot(times, force, color=NORMAL, linewidth=0.9)
        ax.fill_between(times, 0, force, where=force < 0, color="#c0392b", alpha=0.4, linewidth=0, label="pulls")
        ax.axhline(0, color="k", linewidth=0.6)
        ax.set_xlabel("time [s]")
    for ax in axes[::3]:
        ax.set_ylabel("normal force [N]")
    _named(figure, axes[0])
    return figure


def _particle(runs: dict[str, Run]) -> Figure:
    titles = ["general case, from the side", "planar case", "planar case, push of the sphere"]
    figure, axes = _panels(1, 3, titles, width=10.0, height=3.2)
    found = stanescu.sphere()
    for ax, name in zip(axes[:2], stanescu.CASES, strict=True):
        run = runs[name]
        X, _, Z = run[found.particle.position].T
        ax.plot(X, Z, color=SECOND, linewidth=1)
        ax.plot(X[0], Z[0], "k.", markersize=5)
        _plane(ax, "X [m]", "Z [m]")
    run = runs["planar"]
    push = 2 * stanescu.RADIUS * run[run.system.multipliers[0]]
    axes[2].plot(run.t, push, color=NORMAL, linewidth=1)
    axes[2].axhline(0, color="k", linewidth=0.6)
    axes[2].plot(run.events[0].t, 0, "o", color=FRICTION, markersize=4)
    axes[2].set_xlabel("time [s]")
    axes[2].set_ylabel("force [N]")
    return figure
