"""Stănescu's example, a particle on a moving sphere. The paper prints no figure of it; these show equations (34) to (54)."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.papers import stanescu
from zeromass.papers.printed import Figures
from zeromass.papers.printed.panels import in_time, panels

COLORS = ("red", "blue", "green")


def figures() -> Figures:
    runs = stanescu.runs()
    for name, words in (("general", "general start"), ("planar", "planar start, eqs. 51-54 with X(0) = R")):
        yield f"motion-{name}", f"Particle on the moving sphere, {words}", motion(runs[name])


def motion(run: Any) -> Any:
    """The path relative to the sphere, the coordinates, and the constraint f (34) of the run."""
    figure, (space, places, error) = panels(1, 3, space=[0], size=(4.4, 3.6))
    particle = stanescu.sphere().particle
    times = np.linspace(float(run.t[0]), float(run.t[-1]), 800)
    path = run.at(times)[particle.position]
    space.plot(*path.T, color="red", lw=1.2)
    space.set(xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]")
    in_time(places, times, [(path[:, i], COLORS[i], "-", "XYZ"[i]) for i in range(3)], "coordinates [m]")
    ((name, values),) = run.residuals().items()
    in_time(error, run.t, [(values, "red", "-", name)], "f [m²]")
    return figure
