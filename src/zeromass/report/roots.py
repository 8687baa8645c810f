"""Root loci: the eigenvalues of small motions over a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from zeromass.analysis import Branch, LinearSystem
from zeromass.model import ModelError
from zeromass.report.plots import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_roots(
    roots: Branch | Mapping[float, LinearSystem],
    ax: Axes | None = None,
    *,
    over: str | None = None,
    kind: Literal["parts", "locus"] = "parts",
) -> Axes:
    """Eigenvalues over a parameter: of a branch, or of linear systems by the value of anything that was varied.

    over  what to call what was varied
    kind  "parts": real parts as lines and imaginary parts as dashes, over the parameter; shaded where all real parts are
          negative. "locus": in the complex plane, the parameter as colour

    Returns the Axes.

    >>> x, c = zm.coordinate("x"), zm.parameter("c", 1.0)
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -c * zm.rate(x)})
    >>> damped = zm.branch(spring, spring.equilibrium(), over=(c, 0.0, 3.0))
    >>> ax = zm.plot_roots(damped, kind="locus")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('real part [1/s]', 'imaginary part [1/s]')
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    if isinstance(roots, Branch):
        values, found, name = roots.values, list(roots.eigenvalues), roots.parameter.name
    else:
        values, found, name = np.array(list(roots)), [one.eigenvalues for one in roots.values()], "parameter"
    known = [(value, λ) for value, λ in zip(values, found, strict=True) if λ is not None]
    if not known:
        words = "of a steady motion, give zm.branch the states=[…] of its linear system"
        raise ModelError(f"there are no eigenvalues to draw: {words}")
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1]
    p = np.repeat([value for value, _ in known], [len(λ) for _, λ in known])
    λ = np.concatenate([λ for _, λ in known])
    if kind == "locus":
        dots = ax.scatter(λ.real, λ.imag, c=p, s=6, cmap="viridis")
        ax.figure.colorbar(dots, ax=ax, label=over or name)
        ax.axvline(0.0, color="0.6", lw=0.8)
        ax.set(xlabel="real part [1/s]", ylabel="imaginary part [1/s]")
        return ax
    ax.plot(p, λ.real, ".", ms=3, color=COLORS[0], label="real part")
    swings = λ.imag > 0
    ax.plot(p[swings], λ.imag[swings], ".", ms=2, color=COLORS[1], label="imaginary part")
    ax.axhline(0.0, color="0.6", lw=0.8)
    known.sort(key=lambda one: one[0])
    stable = [bool(λ.real.max() < 0.0) for _, λ in known]
    at = [value for value, _ in known]
    ax.fill_between(at, 0, 1, where=stable, transform=ax.get_xaxis_transform(), color="0.93", lw=0, zorder=0)
    ax.set(xlabel=over or name, ylabel="eigenvalues [1/s]")
    ax.legend(frameon=False)
    return ax
