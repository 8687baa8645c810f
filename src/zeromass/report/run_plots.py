"""The plots of one run, as methods: `run.plot.path()`, `run.plot.forces(ax)`, …"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.expression import Expression
from zeromass.integrate import Course
from zeromass.model.given import given_choice
from zeromass.report import plots
from zeromass.report.ground import Frame
from zeromass.report.paths import has_paths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

NEEDED = {
    "forces": "normal force",
    "friction_ratio": "friction ratio",
    "torque": "torque at contact",
    "spin": "spin",
    "energies": "energy",
    "balance": "energy",
}
"""The quantity that a plot needs; paths need a surface, and the others can be made of every run."""


class Plots:
    """The plots of one run: `run.plot.path()`, `run.plot.forces(ax)`, … Each returns the Axes it has drawn on.

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> zm.simulate(swing, swing.start({x: 1.0}), until=1.0).plot.available()
    ['energies', 'balance', 'residuals', 'coordinates', 'phase', 'poincare', 'quantity']
    """

    def __init__(self, run: Course) -> None:
        self._run = run

    def path(
        self,
        ax: Axes | None = None,
        *,
        labels: Sequence[str] | None = None,
        contours: bool = True,
        frame: Frame = "space",
    ) -> Axes:
        """Contact point and centre seen from above, on the contour lines of the surface; of several bodies the centres.

        frame  "space", or "surface": the track that the contact leaves on a surface that moves
        """
        return plots.path(self._run, ax, labels=labels, contours=contours, frame=frame)

    def path3d(self, ax: Axes3D | None = None, *, labels: Sequence[str] | None = None) -> Axes3D:
        """Contact point and centre in space over the surface."""
        return plots.path3d(self._run, ax, labels=labels)

    def forces(self, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
        """Normal and friction force of the surface; intervals in which it pulls are shaded."""
        return plots.forces(self._run, ax, labels=labels)

    def friction_ratio(self, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
        """Coefficient of friction that rolling needs."""
        return plots.friction_ratio(self._run, ax, labels=labels)

    def torque(self, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
        """Torque of the surface at the contact, inertial components."""
        return plots.torque(self._run, ax, labels=labels)

    def spin(self, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
        """Spin velocity about the normal."""
        return plots.spin(self._run, ax, labels=labels)

    def energies(self, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
        """Kinetic, potential and total energy."""
        return plots.energies(self._run, ax, labels=labels)

    def balance(self, ax: Axes | None = None) -> Axes:
        """Change of the energy beside the work of applied forces and of constraints that explains it."""
        return plots.balance(self._run, ax)

    def phase(self, x: Expression | None = None, y: Expression | None = None, ax: Axes | None = None) -> Axes:
        """Portrait of the motion: x against y, by default the first coordinate against its rate."""
        return plots.phase(self._run, x, y, ax)

    def poincare(
        self,
        section: Expression | None = None,
        x: Expression | None = None,
        y: Expression | None = None,
        ax: Axes | None = None,
        *,
        every: float | None = None,
        direction: int = 1,
    ) -> Axes:
        """Points (x, y) where the motion passes through a section, upwards by default, or after every period of a drive."""
        return plots.poincare(self._run, section, x, y, ax, every=every, direction=direction)

    def animation(
        self,
        path: str | PathLike[str],
        plot: str | Axes | None = None,
        *,
        fps: float = 20,
        seconds: float | None = None,
        dpi: float = 100,
    ) -> Path:
        """Writes a plot that grows as the motion goes on, .gif or .webp, for slides.

        plot     the name of a plot, or Axes with curves of the run; by default the path, or coordinates against time
        seconds  of the film; by default as long as the motion, at most 12

        >>> x = zm.coordinate("x")
        >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=7.0)
        >>> run.plot.animation(folder / "swing.gif", "phase", seconds=0.5, dpi=40).name
        'swing.gif'
        """
        import matplotlib.pyplot as plt

        from zeromass.report.animation import animation

        if plot is None:
            plot = "path" if "path" in self.available() else "coordinates"
        made = isinstance(plot, str)
        if made:
            given_choice(plot, "plot", self.available())
        ax = getattr(self, plot)() if isinstance(plot, str) else plot
        try:
            return animation(self._run, ax, path, fps=fps, seconds=seconds, dpi=dpi)
        finally:
            if made:
                plt.close(cast("Figure", ax.figure))

    def residuals(self, ax: Axes | None = None) -> Axes:
        """Violation of each constraint at the steps, and of the balance of energy and work, on a logarithmic scale."""
        return plots.residuals(self._run, ax)

    def coordinates(self, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Coordinates against time, all or those named; other units on axes of their own."""
        return plots.coordinates(self._run, names, ax)

    def quantity(self, expression: Expression | str | np.ndarray, ax: Axes | None = None, *, label: str = "") -> Axes:
        """Any expression against time."""
        return plots.quantity(self._run, expression, ax, label=label)

    def available(self) -> list[str]:
        """Names of the plots that this run has the quantities for."""
        names, paths = set(self._run.system.quantities), has_paths(self._run)
        if plots.contacts_of(self._run):
            names.add("normal force")
        without = {kind for kind, needed in NEEDED.items() if needed not in names} | (
            set() if paths else {"path", "path3d"}
        )
        return [kind for kind in plots.KINDS if kind not in without]

    if not TYPE_CHECKING:  # which know the plots, and say themselves that there is no other

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"there is no plot '{name}'; there are: {', '.join(plots.KINDS)}")
