"""Stănescu's example, a particle on a moving sphere. The paper prints no figure; these show equations (34) to (54)."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.papers import stanescu
from zeromass.papers.printed import Figures
from zeromass.papers.printed.panels import in_time, panels

COLORS = ("red", "blue", "green")


def figures() -> Figures:
    for name, words in (("general", "general start"), ("planar", "planar start, eqs. 51-54 with X(0) = R")):
        yield f"motion-{name}", f"Particle on the moving sphere, {words}", motion(stanescu.run(name))


def motion(run: Any) -> Any:
    """The path relative to the sphere, the coordinates, the multiplier λ, and the constraint residual f (34)."""
    figure, (space, places, force, error) = panels(2, 2, space=[0], size=(5.0, 3.6))
    sphere = stanescu.sphere()
    sampled = run.at(np.linspace(0, stanescu.UNTIL, 800))
    path = sampled[sphere.particle.position]
    relative = path - np.outer(run.start[sphere.a] * np.cos(stanescu.OMEGA * sampled.t), (1, 0, 0))
    u, v = np.mgrid[0 : np.pi : 13j, 0 : 2 * np.pi : 25j]
    globe = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)]) * stanescu.RADIUS
    space.plot_wireframe(*globe, color="0.8", lw=0.5)
    space.plot(*relative.T, color="red", lw=1.4)
    space.set(xlabel="X - a cos ωt [m]", ylabel="Y [m]", zlabel="Z [m]", box_aspect=(1, 1, 1))
    in_time(places, sampled.t, [(path[:, i], COLORS[i], "-", "XYZ"[i]) for i in range(3)], "coordinates [m]")
    in_time(force, sampled.t, [(sampled[run.system.multipliers[0]], "red", "-", "")], "λ [N/m]")
    in_time(error, run.t, [(run.residuals()["sphere"], "red", "-", "")], "f [m²]")
    return figure
