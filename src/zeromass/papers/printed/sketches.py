"""Drawings of the papers' systems."""

from __future__ import annotations

from typing import Any

import numpy as np


def _sketch(size: tuple[float, float] = (5.0, 4.0)) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    ax = figure.add_subplot()
    ax.set_aspect("equal")
    ax.set_axis_off()
    return figure, ax


def _arrow(ax: Any, begin: Any, end: Any, words: str = "", color: str = "black") -> None:
    ax.annotate("", end, begin, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.2})
    if words:
        ax.annotate(words, end, textcoords="offset points", xytext=(5, 3), color=color)


def _circle(ax: Any, center: Any, radius: float, **style: Any) -> None:
    φ = np.linspace(0, 2 * np.pi, 181)
    ax.plot(center[0] + radius * np.cos(φ), center[1] + radius * np.sin(φ), **{"color": "black", "lw": 1.2, **style})


def _spring(ax: Any, begin: float, end: float, height: float, words: str) -> None:
    x = np.linspace(begin, end, 200)
    inside = (x > begin + 0.12 * (end - begin)) & (x < end - 0.12 * (end - begin))
    ax.plot(x, height + 0.09 * np.sin(2 * np.pi * 6 * (x - begin) / (end - begin)) * inside, color="black", lw=1)
    ax.text((begin + end) / 2, height + 0.17, words, ha="center")


def _mass(ax: Any, x: float, words: str, width: float = 0.6) -> None:
    ax.fill([x, x + width, x + width, x], [0, 0, 0.6, 0.6], color="0.85", ec="black")
    ax.text(x + width / 2, 0.3, words, ha="center", va="center")


def _wall(ax: Any, x: float) -> None:
    ax.plot([x, x], [0, 0.9], color="black", lw=2)
    for y in np.linspace(0.05, 0.9, 7):
        ax.plot([x - 0.1, x], [y - 0.1, y], color="black", lw=0.8)


def free_shell() -> Any:
    """UM2022, figure 1."""
    figure, ax = _sketch()
    _circle(ax, (0, 0), 1.0)
    _circle(ax, (0, 0), 0.85, ls="--")
    ax.plot([0, -0.15], [0, 0.1], "k.", ms=6)
    ax.text(0.05, -0.12, "O")
    ax.text(-0.3, 0.15, "C")
    _arrow(ax, (0, 0), (1.4, 0.35), "x̂")
    _arrow(ax, (0, 0), (-0.35, 1.4), "ẑ")
    _arrow(ax, (-2.2, -1.6), (-1.4, -1.6), "X")
    _arrow(ax, (-2.2, -1.6), (-2.2, -0.8), "Z")
    _arrow(ax, (-2.2, -1.6), (-1.75, -1.25), "Y")
    _arrow(ax, (-2.2, -1.6), (-0.18, 0.08), "")
    ax.text(-1.35, -0.7, "$w_C$")
    _arrow(ax, (1.9, 1.2), (1.9, 0.5), "g")
    ax.text(0.75, -0.85, "Σ")
    return figure


def constrained_shell() -> Any:
    """UM2022, figure 2."""
    figure, ax = _sketch()
    x = np.linspace(-1.8, 1.8, 100)
    ax.plot(x, -1.0 + 0.12 * x**2, color="black", lw=1.5)
    _circle(ax, (0, 0), 1.0)
    ax.plot([0, -0.15, 0], [0, 0.1, -1.0], "k.", ms=7)
    for words, place in (
        ("O", (0.07, 0.02)),
        ("C", (-0.32, 0.15)),
        ("P", (0.08, -1.22)),
        ("Γ", (1.6, -0.55)),
        ("Σ", (0.8, 0.7)),
    ):
        ax.text(*place, words)
    _arrow(ax, (0, -1.0), (0, -0.35), "n", "blue")
    _arrow(ax, (0, 0), (-0.14, 0.09), "")
    ax.text(-0.2, -0.13, "ρ")
    return figure


def sphere_on_surface() -> Any:
    """UD2011, figure 1."""
    figure, ax = _sketch()
    x = np.linspace(-1.8, 1.8, 100)
    ax.plot(x, -0.72 + 0.3 * np.sin(x), color="black", lw=1.5)
    _circle(ax, (0.15, 0.33), 1.0)
    ax.plot([0.15, 0.42], [0.33, -0.6], "k.", ms=7)
    for words, place in (("C", (0.2, 0.38)), ("W", (0.47, -0.83)), ("Γ", (1.6, -0.6)), ("R", (0.35, -0.15))):
        ax.text(*place, words)
    ax.plot([0.15, 0.42], [0.33, -0.6], color="black", lw=0.8)
    _arrow(ax, (-2.2, -1.6), (-1.4, -1.6), "x")
    _arrow(ax, (-2.2, -1.6), (-2.2, -0.8), "z")
    _arrow(ax, (-1.6, -1.1), (-0.9, -1.25), "x̄", "blue")
    _arrow(ax, (-1.6, -1.1), (-1.45, -0.4), "z̄", "blue")
    return figure


def wheel_on_incline() -> Any:
    """UP2006, figure 1."""
    figure, ax = _sketch()
    α = 0.4
    ax.plot([0, 4 * np.cos(α), 0, 0], [4 * np.sin(α), 0, 0, 4 * np.sin(α)], color="black", lw=1.4)
    foot = np.array([1.6 * np.cos(α), 4 * np.sin(α) - 1.6 * np.sin(α)])
    center = foot + 0.5 * np.array([np.sin(α), np.cos(α)])
    _circle(ax, center, 0.5)
    ax.plot(*center, "k.")
    ax.plot(*zip(center, foot, strict=True), color="black", lw=0.8)
    ax.text(*np.add(center, (0.1, 0.1)), "m, $I_c$")
    ax.text(*((center + foot) / 2 + (0.05, -0.02)), "R")
    ax.text(4 * np.cos(α) - 0.85, 0.1, "α")
    _arrow(ax, (-0.4, 4 * np.sin(α)), (-0.4, 4 * np.sin(α) - 0.9), "y")
    _arrow(ax, np.add(center, (0.75, 0.5)), np.add(center, (0.75, -0.1)), "g")
    ax.text(*np.add(center, (-0.65, 0.45)), "θ")
    return figure


def two_masses() -> Any:
    """UP2006, figure 2."""
    figure, ax = _sketch((6.5, 2.4))
    _wall(ax, 0)
    _spring(ax, 0, 1.2, 0.3, "$k_1$")
    _mass(ax, 1.2, "$m_1$")
    _spring(ax, 1.8, 3.0, 0.3, "$k_2$")
    _mass(ax, 3.0, "$m_2$")
    ax.plot([0, 4.2], [0, 0], color="black", lw=1)
    _arrow(ax, (1.5, 0.75), (2.0, 0.75), "$x_1$")
    _arrow(ax, (3.3, 0.75), (3.8, 0.75), "$x_2$")
    return figure


def decomposed_masses() -> Any:
    """UP2006, figure 3."""
    figure, ax = _sketch((8.0, 2.4))
    _wall(ax, 0)
    _spring(ax, 0, 1.2, 0.3, "$k_1$")
    _mass(ax, 1.2, "$m_1$")
    _arrow(ax, (1.5, 0.75), (2.0, 0.75), "$x_1$")
    ax.plot([2.6, 2.6], [0, 0.6], color="black", lw=2)
    _spring(ax, 2.6, 3.8, 0.3, "$k_2$")
    _mass(ax, 3.8, "$m_2$")
    _arrow(ax, (2.6, 0.75), (3.1, 0.75), "$q_1$")
    _arrow(ax, (4.1, 0.75), (4.6, 0.75), "$q_2$")
    ax.plot([0, 5.0], [0, 0], color="black", lw=1)
    ax.text(2.2, -0.3, "$x_1 + d = q_1$", ha="center")
    return figure
