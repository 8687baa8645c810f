"""Axes as all plots have them: quiet frames, the palette's colours, typeset names, legends beside the curves.

Nothing global is changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Expression, Symbol, latex
from zeromass.expression.names import latex_name, latex_symbol
from zeromass.expression.operation.writing import printable
from zeromass.expression.text import heading, written
from zeromass.report.palette import SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from zeromass.integrate import Course

STYLES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Lines of several runs, where a colour already says which quantity it is."""

WIDTH, HEIGHT = 5.4, 3.6
"""Inches of axes."""


DIGITS = 5
"""Of numbers in labels."""

LONG = 48
"""Letters of a formula that still fits beside an axis or into a legend."""

ROWS, ROW = 3, 13.0
"""Rows of a legend from which on a figure grows, and their height, points."""

LETTER, HANDLE = 0.064, 0.47
"""Inches of a letter of a legend on average, and of what stands before and behind a label."""


def axes(
    rows: int = 1,
    columns: int = 1,
    *,
    size: tuple[float, float] | None = None,
    titles: Sequence[str] = (),
    widths: Sequence[float] = (),
    heights: Sequence[float] = (),
    space: Sequence[int] = (),
) -> Any:
    """New Axes in the style of the plots: one, or an array of them, row by row.

    size     of the figure, inches
    titles   one for each
    widths   of the columns, against one another; heights those of the rows
    space    which of them have three dimensions, by their places, from 0 on

    >>> import matplotlib.pyplot as plt
    >>> left, right = zm.plot.axes(1, 2, titles=["path", "forces"])
    >>> right.get_title()
    'forces'
    >>> plt.close(left.figure)
    """
    import matplotlib.pyplot as plt

    size = size or (WIDTH * min(columns, 2) * (1.0 if columns == 1 else 0.95), HEIGHT * rows)
    figure = plt.figure(figsize=size, layout="constrained")
    cells = figure.add_gridspec(rows, columns, width_ratios=widths or None, height_ratios=heights or None)
    found = np.empty(rows * columns, dtype=object)
    words = [*titles, *[""] * (rows * columns - len(titles))]
    for k, title in zip(range(rows * columns), words, strict=True):
        found[k] = figure.add_subplot(cells[divmod(k, columns)], projection="3d" if k in space else None)
        quiet(found[k])
        if title:
            titled(found[k], title)
    return found[0] if rows * columns == 1 else found


def quiet(ax: Axes) -> None:
    """A frame that keeps in the background, and the palette's colours for what is drawn next."""
    if ax.name != "3d":
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color("0.45")
    ax.tick_params(color="0.45", labelsize="small")
    ax.grid(True, color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    ax.set_prop_cycle(color=list(SERIES))


def own(ax: Axes | None, size: tuple[float, float] = (WIDTH, HEIGHT)) -> Axes:
    """The axes given, or new ones."""
    return axes(size=size) if ax is None else given_axes(ax)


def given_axes(ax: Any, *, space: bool = False) -> Any:
    """Axes of Matplotlib, of three dimensions where that is needed; anything else is refused."""
    if not hasattr(ax, "plot_surface" if space else "get_xlim"):
        kind = "Axes of three dimensions, fig.add_subplot(projection='3d')" if space else "Axes of Matplotlib"
        raise ModelError(f"ax is {shown(ax)}; it is {kind}, or None for new ones")
    return ax


def titled(ax: Axes, words: str) -> None:
    """A title, unless there is one; above a legend that stands there."""
    if not ax.get_title():
        ax.set_title(words, fontsize="medium", pad=6.0)


def legend(ax: Axes, *others: Axes, columns: int = 4) -> None:
    """Legend between title and curves; also for curves of `others`.

    >>> import matplotlib.pyplot as plt
    >>> ax = zm.plot.axes(titles=["growth"])
    >>> lines = ax.plot([0, 1], [1, 2], label="a")
    >>> zm.plot.legend(ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a']
    >>> plt.close(ax.figure)
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    found = [pair for one in (ax, *others) for pair in zip(*one.get_legend_handles_labels(), strict=True)]
    if not found:
        return
    first = ax.get_legend() is None
    columns = _fitting([label for _, label in found], columns, ax.bbox.width / ax.figure.dpi)
    ax.legend(
        *map(list, zip(*found, strict=True)),
        frameon=False,
        fontsize="small",
        ncols=columns,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        handlelength=1.7,
        columnspacing=1.3,
    )
    rows = -(-len(found) // columns)
    if ax.get_title():
        ax.set_title(ax.get_title(), fontsize="medium", pad=8.0 + ROW * rows)
    figure: Any = ax.figure
    if rows > ROWS and first and isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        wide, tall = figure.get_size_inches()
        figure.set_size_inches(wide, tall + ROW * (rows - ROWS) / 72)  # curves keep their room


def _fitting(labels: Sequence[str], most: int, wide: float) -> int:
    """How many columns of a legend fit into a width, inches; it is filled a column after the other."""
    letters = [_letters(label) for label in labels]
    for columns in range(min(most, len(labels)), 1, -1):
        rows = -(-len(labels) // columns)
        longest = [max(letters[k : k + rows]) for k in range(0, len(letters), rows)]
        if LETTER * sum(longest) + HANDLE * len(longest) <= wide:
            return len(longest)
    return 1


def timed(ax: Axes, label: str, runs: Sequence[Course], title: str = "", *, named: bool = True) -> Axes:
    """The axes of a plot against time, with a dotted line wherever the kind of motion changes."""
    for change in sorted({change for run in runs for change in run.changes}):
        ax.axvline(change, color="0.6", ls=":", lw=0.8, zorder=0)
    first, last = min(run.t.min() for run in runs), max(run.t.max() for run in runs)
    if last > first:
        ax.set_xlim(first, last)
    ax.set(xlabel="time [s]", ylabel=label)
    ax.grid(True, color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    if title:
        titled(ax, title)
    if named:
        legend(ax)
    return ax


def remark(ax: Axes, words: str) -> None:
    """Small words below the axes, at the right."""
    place: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right", "va": "top"}
    ax.annotate(words, (1.0, 0.0), (0.0, -36.0), fontsize="x-small", color="0.5", **place)


def as_written(name: str) -> str:
    """A name in a figure, where Matplotlib would read what stands between dollars as a formula."""
    return printable(name).replace("$", r"\$")


def typeset(leaf: Symbol) -> str:
    """A symbol as mathematics; as it is written, where Matplotlib can not set it."""
    words = f"${latex_symbol(leaf)[0]}$"
    return words if _settable(words) else as_written(repr(leaf))


def formula(e: Expression) -> str:
    """An expression as mathematics, where it is short enough to be read; else as it is written, and cut.

    >>> from zeromass.report.axes import formula
    >>> theta = zm.coordinate("theta")
    >>> print(formula(zm.rate(theta) ** 2))
    $\\dot{\\theta}^{2}$
    """
    if isinstance(e, Symbol):
        return typeset(e)
    if written(e) <= LONG:
        words = f"${latex(e, digits=DIGITS)}$"
        if _letters(words) <= LONG and _settable(words):
            return words
    words = as_written(heading(e))
    return words if len(words) <= LONG else words[: LONG - 1] + "…"


def named(name: str) -> str:
    """A name, with Greek letters and subscripts where it tells them; words, and single letters, as they are.

    >>> from zeromass.report.axes import named
    >>> named("delta"), named("v_0"), named("friction needed"), named("time_at_end"), named("k")
    ('$\\\\delta$', '$v_{0}$', 'friction needed', 'time_at_end', 'k')
    """
    base, subscript = latex_name(name)
    math = f"${base}_{{{subscript}}}$" if subscript else f"${base}$"
    letter = len(base) == 1 and base.isalpha()
    known = base.startswith("\\") and not base.startswith("\\mathrm")
    return math if (known or (letter and subscript)) and _settable(math) else as_written(name)


def _letters(words: str) -> int:
    """How many letters of typeset words one sees."""
    return len(re.sub(r"\\[a-zA-Z]+|\\.|[${}_^]", "", words))


@lru_cache(maxsize=512)
def _settable(words: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(words)
    except (ValueError, RuntimeError):
        return False
    return words.count("$") == 2


def levelled(ax: Axes, values: Sequence[np.ndarray], scale: float, least: float) -> None:
    """Noise shown as noise: what changes by less than `least` of a scale is drawn level, and the size of it told.

    scale  what is large, in the unit of the values
    """
    good = [one[np.isfinite(one)] for one in values]
    found = np.concatenate([one for one in good if one.size] or [np.zeros(1)])
    low, high = float(found.min()), float(found.max())
    scale = max(scale, abs(low), abs(high))
    if not scale > 0.0 or high - low > least * scale:
        return
    middle, room = low / 2 + high / 2, 0.05 * scale
    if not np.isfinite([middle - room, middle + room]).all():
        return
    ax.set_ylim(middle - room, middle + room)
    size = max(abs(low), abs(high)) if abs(middle) <= least * scale else high - low
    still = "zero" if abs(middle) <= least * scale else "constant"
    words = f"{still} but for errors of {power_of_ten(size)}" if size else still
    ax.text(0.5, 0.94, words, transform=ax.transAxes, ha="center", va="top", fontsize="small", color="0.45")


def power_of_ten(value: float) -> str:
    """A number of one digit and a power of ten, typeset."""
    if not value:
        return "0"
    mantissa, exponent = f"{value:.0e}".split("e")
    return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$"
