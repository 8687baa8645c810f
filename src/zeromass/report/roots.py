"""Root loci: the eigenvalues of small motions over a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeromass.analysis import EquilibriumBranch, LinearSystem
from zeromass.analysis.linear import ON_AXIS, Eigenvalues
from zeromass.model import ModelError
from zeromass.model.given import given_all, given_choice, given_kind, given_mapping, given_numbers
from zeromass.report.axes import legend, named, own, titled
from zeromass.report.plots import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def roots(
    roots: EquilibriumBranch | Mapping[float, LinearSystem],
    ax: Axes | None = None,
    *,
    over: str | None = None,
    kind: Literal["parts", "locus"] = "parts",
) -> Axes:
    """Root locus: eigenvalues over a parameter, of a branch or of linear systems.

    over  what to call what was varied
    kind  "parts": real parts as lines and imaginary parts as dashes, over the parameter, shaded where nothing
          grows, unless the branch turns back. "locus": in the complex plane, the parameter as colour

    Returns the Axes.

    >>> x, c = zm.coordinate("x"), zm.parameter("c", 1.0)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -c * zm.rate(x)})
    >>> damped = zm.analysis.branch(spring, spring.equilibrium(), over=(c, 0.0, 3.0))
    >>> ax = zm.plot.roots(damped, kind="locus")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('real part [1/s]', 'imaginary part [1/s]')
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    given_choice(kind, "kind", ("parts", "locus"))
    if over is not None:
        given_kind(over, str, "over", "a word")
    if isinstance(roots, EquilibriumBranch):
        values, found, name = roots.values, list(roots.eigenvalues), roots.parameter.name
    else:
        given_mapping(
            roots, "roots", "what zm.analysis.branch gives, or {value of a parameter: zm.analysis.linearize(…)}"
        )
        given_all(roots.values(), LinearSystem, "roots", "what zm.analysis.linearize gives")
        values, found, name = (
            given_numbers(list(roots), "the values of a parameter", (None,)),
            [one.eigenvalues for one in roots.values()],
            "parameter",
        )
    known = [(value, λ) for value, λ in zip(values, found, strict=True) if len(λ)]
    if not known:
        words = "of a steady motion, give zm.analysis.branch the states=[…] of its linear system"
        raise ModelError(f"there are no eigenvalues to draw: {words}")
    ax = own(ax)
    if not isinstance(roots, EquilibriumBranch):
        known.sort(key=lambda one: one[0])  # a branch has its own order, and may turn back
    at = np.array([value for value, _ in known])
    λ = traced([one for _, one in known])
    if kind == "locus":
        for line in λ.T:
            ax.plot(line.real, line.imag, color="0.85", lw=0.8, zorder=1)
        p = np.broadcast_to(at[:, None], λ.shape)
        dots = ax.scatter(λ.real.ravel(), λ.imag.ravel(), c=p.ravel(), s=6, cmap="viridis", zorder=2)
        bar = ax.figure.colorbar(dots, ax=ax, label=over or named(name), pad=0.02)
        bar.outline.set_visible(False)  # type: ignore[operator]
        ax.axvline(0.0, color="0.6", lw=0.8)
        ax.set(xlabel="real part [1/s]", ylabel="imaginary part [1/s]")
        titled(ax, "Eigenvalues of small motions")
        return ax
    swings = np.where(λ.imag > 0, λ.imag, np.nan)
    ax.plot(at, λ.real, color=COLORS[0], lw=1.2, label=["real part", *["_"] * (λ.shape[1] - 1)])
    ax.plot(at, swings, color=COLORS[1], lw=1.0, ls="--", label=["imaginary part", *["_"] * (λ.shape[1] - 1)])
    ax.axhline(0.0, color="0.6", lw=0.8)
    calm = λ.real.max(axis=1) <= ON_AXIS * np.abs(λ).max(axis=1)
    shade: Any = {"transform": ax.get_xaxis_transform(), "color": "0.95", "lw": 0, "zorder": 0}
    if np.all(np.diff(at) >= 0) or np.all(np.diff(at) <= 0):  # where it turns back, what is calm lies over what is not
        ax.fill_between(at, 0, 1, where=calm.tolist(), label="nothing grows" if calm.any() else None, **shade)
    ax.set(
        xlabel=over or named(name), ylabel="eigenvalues [1/s]", xlim=(at.min(), at.max()) if np.ptp(at) > 0 else None
    )
    titled(ax, "Eigenvalues of small motions")
    legend(ax)
    return ax


def traced(found: Sequence[Eigenvalues]) -> Eigenvalues:
    """Eigenvalues of neighbours as lines, shape (points, lines): each goes on as the one that is nearest to it."""
    from scipy.optimize import linear_sum_assignment

    most = max(len(λ) for λ in found)
    lines = np.full((len(found), most), np.nan + 0j)
    lines[0, : len(found[0])] = found[0]
    for k in range(1, len(found)):
        before, λ = lines[k - 1], found[k]
        distance = np.nan_to_num(np.abs(before[:, None] - λ), nan=1e300)
        rows, columns = linear_sum_assignment(distance)
        lines[k, rows] = λ[columns]
    return lines
