"""Figures 1 to 13 of Udwadia & Mogharabin (2022): the shell on the dimpled bowl."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from zeromass.contact import Rolling, surfaces
from zeromass.expression import rate
from zeromass.model.quaternion import rotation
from zeromass.papers import um2022
from zeromass.papers.printed import Figures
from zeromass.papers.printed.panels import bowl_in_space, contours, in_time, legend, panels
from zeromass.papers.printed.sketches import constrained_shell, free_shell
from zeromass.run import Run

CASES = tuple(um2022.ORIENTATIONS)
RED, BLUE, GREEN, BLACK = "red", "blue", "green", "black"
PAPER = {"rtol": 1e-12, "atol": 1e-15, "project": False, "method": "dop853"}
"""Tolerances of the paper, without a return to the constraints after each step."""


@cache
def run(case: str) -> Run:
    return um2022.run(case)


def system(case: str) -> Rolling:
    return um2022.system(no_spin=um2022.SPINS[case[0]] is None)


def figures() -> Figures:
    """All of them, and the errors of the nine cases that the paper leaves out."""
    yield "fig01", "Unconstrained system", free_shell()
    yield "fig02", "Constrained system with two particles of zero mass", constrained_shell()
    yield "fig03", "(a) The bowl, with the initial contact; (b) its contour lines", bowl()
    yield "fig04", "Initial orientations: (a)-(d) cases A to D", orientations()
    yield "fig05", "Example 1. Contact P and centre O: in space, and projected onto XY", paths()
    for number, example in (("06", "1"), ("09", "2"), ("12", "3")):
        words = "normal and tangential torque" if example == "3" else "torque components X, Y, Z"
        yield f"fig{number}", f"Example {example}. Normal and friction force; {words} about P", forces(example)
    yield "fig08", "Path of P with spin 3π rad/s at the start (green), and without (blue)", compared("2")
    yield "fig11", "Path of P with the no-spin constraint (green), and without (blue)", compared("3")
    printed = {"1A": "fig07", "2B": "fig10", "3C": "fig13"}
    for case in um2022.CASES:
        name = printed.get(case, f"errors-{case}")
        yield (
            name,
            f"Example {case[0]}, case {case[1]}. Errors of the constraints, as in the paper",
            errors(case, PAPER),
        )
        yield (
            f"{name}-projected",
            f"The same with a return to the constraints after each step ({case})",
            errors(case, {}),
        )


def bowl() -> Any:
    figure, (left, right) = panels(1, 2, space=[0], size=(5.4, 4.4))
    bowl_in_space(left)
    X, Y = um2022.CONTACT
    Z = float(surfaces.dimpled_bowl().height(np.array(X), np.array(Y)))
    left.computed_zorder = False  # the arrow is in front of the bowl
    left.plot([X, X], [Y, Y], [Z + 0.02, Z + 0.2], color=BLACK, lw=2, zorder=5)
    left.plot([X], [Y], [Z + 0.015], color=BLACK, marker="v", ms=7, zorder=5)
    contours(right, surfaces.dimpled_bowl(), 2.0)
    return figure


AXES = (("x̂", BLACK, "-"), ("ŷ", RED, "-."), ("ẑ", BLUE, ":"))
"""Body axes in figure 4: names, colours and line styles."""


def orientations() -> Any:
    """The half of lower density in yellow with a black band, that of higher density in red; body axes."""
    figure, axes = panels(2, 2, space=range(4), size=(4.2, 4.0))
    r = um2022.RADII[0]
    angle, around = np.meshgrid(np.linspace(0, np.pi, 61), np.linspace(0, 2 * np.pi, 73))
    sphere = np.stack([np.cos(angle), np.sin(angle) * np.cos(around), np.sin(angle) * np.sin(around)])
    middle = (angle[1:, 1:] + angle[:-1, :-1]) / 2
    colors = np.select([middle < 0.47 * np.pi, middle < 0.5 * np.pi], ["gold", BLACK], RED)
    for ax, case in zip(axes, CASES, strict=True):
        start, rolling = run("1" + case).start, system("1" + case)
        S = rotation(start[rolling.body.quaternion])
        center = start[rolling.center]
        x, y, z = np.einsum("ij,jkl->ikl", S, sphere) * r + center[:, None, None]
        ax.plot_surface(x, y, z, facecolors=colors, rcount=73, ccount=73, linewidth=0, antialiased=False)
        for axis, (name, color, style) in enumerate(AXES):
            begin, end, words = (center + length * r * S[:, axis] for length in (1.0, 2.2, 2.5))
            ax.plot(*np.stack([begin, end], axis=1), color=color, ls=style, lw=2, label=name)
            ax.text(*words, name, color=color, ha="center", va="center")
        ax.set(xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]", box_aspect=(1, 1, 1))
        for i, limit in enumerate((ax.set_xlim, ax.set_ylim, ax.set_zlim)):
            limit(center[i] - 2.1 * r, center[i] + 2.1 * r)
        ax.view_init(elev=30, azim=-60)
        ax.tick_params(labelsize=6)
    return figure


def paths() -> Any:
    figure, axes = panels(4, 2, space=range(0, 8, 2), size=(4.8, 4.0))
    for k, case in enumerate(CASES):
        rolling, sampled = system("1" + case), run("1" + case).at(np.linspace(0, um2022.UNTIL, 4000))
        P, O = sampled[rolling.contact], sampled[rolling.center]
        reach = 1.05 * float(np.abs(P[:, :2]).max())
        bowl_in_space(axes[2 * k], reach=reach, alpha=0.45)
        axes[2 * k].plot(*P.T, color=RED, lw=0.8)
        axes[2 * k].plot(*O.T, color=BLUE, ls="--", lw=0.8)
        axes[2 * k + 1].plot(*P.T[:2], color=RED, lw=0.9, label="P")
        axes[2 * k + 1].plot(*O.T[:2], color=BLUE, ls="--", lw=0.9, label="O")
        axes[2 * k + 1].set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
        legend(axes[2 * k + 1])
    return figure


def forces(example: str) -> Any:
    """Left the magnitudes of normal and friction force; right the torque about P, of example 3 in two parts."""
    figure, axes = panels(4, 2, size=(5.2, 2.6))
    for k, case in enumerate(CASES):
        contact = um2022.contact(run(example + case))
        sampled = run(example + case).at(np.linspace(0, um2022.UNTIL, 4000))
        normal, friction = sampled[contact.normal_force], np.linalg.norm(sampled[contact.friction_force], axis=1)
        solid, dashed = (normal, RED, "-", "normal force"), (friction, BLUE, "--", "friction force")
        in_time(axes[2 * k], sampled.t, [solid, dashed], "Force [N]")
        torque = sampled[run(example + case).system.quantities["torque at contact"].expression]
        if example == "3":
            n = sampled[contact.normal]
            along = np.einsum("ti,ti->t", torque, n)
            rest = np.linalg.norm(torque - along[:, None] * n, axis=1)
            curves = [(along, RED, "-", "normal"), (rest, BLUE, "--", "tangential")]
        else:
            colors = ((RED, "-", "X"), (BLUE, "--", "Y"), (GREEN, "-.", "Z"))
            curves = [(torque[:, i], *style) for i, style in enumerate(colors)]
        in_time(axes[2 * k + 1], sampled.t, curves, "Torque [N m]")
    return figure


def compared(example: str) -> Any:
    figure, axes = panels(2, 2, size=(4.6, 4.4))
    times = np.linspace(0, um2022.UNTIL, 4000)
    label = {"2": "λ(0) = 3π rad/s", "3": "no spin"}[example]
    for ax, case in zip(axes, CASES, strict=True):
        for name, color, style, words in ((example + case, GREEN, "-", label), ("1" + case, BLUE, "--", "example 1")):
            path = run(name).at(times)[um2022.contact(run(name)).point]
            ax.plot(*path.T[:2], color=color, ls=style, lw=0.9, label=words)
        ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
        legend(ax)
    return figure


def errors(case: str, options: dict[str, Any]) -> Any:
    """φ₁ and its rate, φ₂, φ₃, φ₄, φ₅ and the energy, with their signs, at the steps; of example 3, φ_NS too."""
    found = run(case) if not options else um2022.run(case, **options)
    system, t = found.system, found.t
    residuals = found.residuals()
    quaternion = next(name for name in residuals if name.endswith("quaternion"))
    (row,) = (row for row in system.rows if row.group == quaternion)
    energy = found[system.energy]
    figure, axes = panels(4 if "no spin" in residuals else 3, 2, size=(5.2, 2.6))
    xyz = ((RED, "-", "X"), (BLUE, "--", "Y"), (GREEN, "-.", "Z"))

    def components(name: str) -> list[tuple[np.ndarray, str, str, str]]:
        return [(residuals[name][:, i], *style) for i, style in enumerate(xyz)]

    first, its_rate = r"$\varphi_1$", r"$\dot{\varphi}_1$ [1/s]"
    lines = [(residuals[quaternion], RED, "-", first), (found[rate(row.zero)], BLUE, "--", its_rate)]
    in_time(axes[0], t, lines, f"{first}, {its_rate}")
    in_time(axes[1], t, [(residuals["surface"], RED, "-", "")], r"$\varphi_2$ [m]")
    in_time(axes[2], t, components("tangency"), r"$\varphi_3$ [m]")
    in_time(axes[3], t, components("mass center"), r"$\varphi_4$ [m]")
    in_time(axes[4], t, components("no slip"), r"$\varphi_5$ [m/s]")
    in_time(axes[5], t, [((energy - energy[0]) / energy[0], RED, "-", "")], r"$\varphi_E$ / E(0)")
    if "no spin" in residuals:
        in_time(axes[6], t, [(residuals["no spin"], RED, "-", "")], r"$\varphi_{NS}$ [rad/s]")
        axes[7].remove()
    return figure
