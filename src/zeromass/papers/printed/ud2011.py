"""Figures 1 to 15 of Udwadia & Di Massa (2011): the ball on a moving parabolic trough."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact import Surface
from zeromass.papers import ud2011
from zeromass.papers.printed import Figures
from zeromass.papers.printed.panels import in_time, legend, panels
from zeromass.papers.printed.sketches import sphere_on_surface
from zeromass.report.surfaces import surface as draw_surface
from zeromass.run import Run

COLORS = ("blue", "green", "red")
"""Of the components of an error: h₃, h₄, h₅ of eq. 16, and h₆, h₇, h₈ of eq. 17."""

PAPER: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-13, "project": False, "method": "dop853"}


def figures() -> Figures:
    """All of them; set I also along y, as the text has it, where Table 1 has x."""
    yield "fig01", "Sphere on a moving surface", sphere_on_surface()
    yield "fig02", "Shape of the parabolic surface", trough()
    names = [f"{group}{letter}" for group in ("I", "II", "III") for letter in "abcd"]
    for number, name in enumerate(names, 3):
        yield f"fig{number:02}", f"Case {name}: motion and errors of the constraints", behaviour(ud2011.CASES[name])
    for letter in "abcd":
        name = f"I{letter} along y"
        yield f"case-I{letter}-along-y", f"Case {name}", behaviour(ud2011.READINGS[name])
    yield "fig15", "Two frequencies: motion and errors", behaviour(ud2011.CASES["two frequencies"])


def trough() -> Any:
    figure, (ax,) = panels(1, 1, space=[0], size=(6.0, 4.6))
    shape = Surface(lambda x, y: (ud2011.B0 / ud2011.A0) ** 2 * x**2, name="trough")
    draw_surface(shape, (-0.4, 0.4), (-0.4, 0.4), ax)
    ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    return figure


def behaviour(case: ud2011.Shaking) -> Any:
    """The centre C (solid) and the contact W (dashed), in space and from above; errors h₃ to h₈, with their signs."""
    run: Run = ud2011.run(case)
    rolling = ud2011.model().rolling
    sampled = run.at(np.linspace(0, ud2011.UNTIL, 2000))
    figure, (space, plane, contact, slip) = panels(2, 2, space=[0], size=(5.2, 3.6))
    for what, style, label in ((rolling.center, "-", "C"), (rolling.contact, "--", "W")):
        place = sampled[what]
        space.plot(*place.T, "k" + style, lw=0.9, label=label)
        plane.plot(*place.T[:2], "k" + style, lw=0.9, label=label)
    space.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    plane.set(xlabel="x [m]", ylabel="y [m]")
    legend(plane)
    drifting = ud2011.run(case, **PAPER)
    residuals = drifting.residuals()
    for ax, name, first in ((contact, "tangency", 3), (slip, "no slip", 6)):
        curves = [(residuals[name][:, i], COLORS[i], "-", f"$h_{first + i}$") for i in range(3)]
        in_time(ax, drifting.t, curves, "error [m]" if first == 3 else "error [m/s]")
    return figure
