"""Drawings of the papers' systems."""

from __future__ import annotations

from typing import Any

import numpy as np

MASS = 0.6
"""Length d and height of a mass."""


def _sketch(x: tuple[float, float], y: tuple[float, float], scale: float = 1.25) -> Any:
    """A figure without axes over a rectangle, `scale` inches a unit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(scale * (x[1] - x[0]), scale * (y[1] - y[0])))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=x, ylim=y, aspect="equal")
    ax.set_axis_off()
    return figure, ax


def _arrow(ax: Any, begin: Any, end: Any, words: str = "", color: str = "black", style: str = "-|>") -> None:
    """An arrow, with words beyond its end."""
    ax.annotate("", end, begin, arrowprops={"arrowstyle": style, "color": color, "lw": 1.2, "shrinkA": 0, "shrinkB": 0})
    if words:
        beyond = np.subtract(end, begin)
        place = end + 0.14 * beyond / np.linalg.norm(beyond)
        ax.text(*place, words, color=color, ha="center", va="center")


def _circle(ax: Any, center: Any, radius: float, **style: Any) -> None:
    φ = np.linspace(0, 2 * np.pi, 181)
    ax.plot(center[0] + radius * np.cos(φ), center[1] + radius * np.sin(φ), **{"color": "black", "lw": 1.2, **style})


def _words(ax: Any, *places: tuple[str, float, float]) -> None:
    for words, x, y in places:
        ax.text(x, y, words, ha="center", va="center")


def free_shell() -> Any:
    """UM2022, figure 1."""
    figure, ax = _sketch((-2.8, 1.9), (-1.9, 1.8))
    origin, center = np.array([-2.3, -1.5]), np.array([-0.15, 0.1])
    _circle(ax, (0, 0), 1.0)
    _circle(ax, (0, 0), 0.85, ls="--")
    ax.plot(*zip((0, 0), center, strict=True), "k.", ms=7)
    _words(ax, ("O", 0.06, -0.13), ("C", -0.25, 0.24), ("Σ", 0.85, -0.8), ("$w_C$", -1.4, -0.6))
    for end, words in (((1.35, 0.3), "x̂"), ((0.45, 0.75), "ŷ"), ((-0.45, 1.5), "ẑ")):
        _arrow(ax, center, end, words)
    for end, words in (((0.8, 0), "X"), ((0.25, 0.5), "Y"), ((0, 0.8), "Z")):
        _arrow(ax, origin, origin + end, words)
    _arrow(ax, origin, center)
    _arrow(ax, (1.6, 1.5), (1.6, 0.9), "g")
    return figure


def constrained_shell() -> Any:
    """UM2022, figure 2."""
    figure, ax = _sketch((-2.8, 1.9), (-2.0, 1.3))
    origin, contact = np.array([-2.3, -1.7]), np.array([0, -1.0])
    x = np.linspace(-1.8, 1.8, 100)
    ax.plot(x, -1.0 + 0.12 * x**2, color="black", lw=1.5)
    _circle(ax, (0, 0), 1.0)
    ax.plot([0, -0.3, 0], [0, 0.2, -1.0], "k.", ms=7)
    _words(ax, ("O", 0.15, 0.05), ("C", -0.42, 0.32), ("P", 0.1, -1.2), ("Γ", 1.6, -0.5), ("Σ", 0.85, 0.75))
    _words(ax, ("ρ", -0.2, 0.0))
    _arrow(ax, contact, (0, -0.4), "n", "blue")
    _arrow(ax, (0, 0), (-0.3, 0.2))
    for end, words in (((0.6, 0), "X"), ((0.35, 0.28), "Y"), ((0, 0.6), "Z")):
        _arrow(ax, origin, origin + end, words)
    return figure


def sphere_on_surface() -> Any:
    """UD2011, figure 1."""
    figure, ax = _sketch((-2.9, 2.1), (-2.0, 1.6))
    x = np.linspace(-1.8, 1.8, 100)
    height = lambda x: -0.85 + 0.12 * (x + 0.4) ** 2  # noqa: E731
    W = np.array([0.3, height(0.3)])
    n = np.array([-0.24 * (W[0] + 0.4), 1.0])
    n /= np.linalg.norm(n)
    C, origin, moving = W + n, np.array([-2.4, -1.6]), np.array([-1.5, -1.5])
    ax.plot(x, height(x), color="black", lw=1.5)
    _circle(ax, C, 1.0)
    ax.plot(*zip(C, W, strict=True), "k.-", ms=7, lw=0.8)
    _words(ax, ("C", C[0] - 0.15, C[1] + 0.1), ("W", W[0] + 0.1, W[1] - 0.2), ("Γ", 1.9, -0.1))
    _words(ax, ("R", (C + W)[0] / 2 + 0.15, (C + W)[1] / 2))
    _arrow(ax, W, W + 0.45 * n, "n̂  ", "blue")
    for end, words in (((0.6, 0), "x"), ((0.35, 0.28), "y"), ((0, 0.6), "z")):
        _arrow(ax, origin, origin + end, words)
    for end, words in (((0.6, -0.1), "x̄"), ((0.38, 0.24), "ȳ"), ((0.1, 0.6), "z̄")):
        _arrow(ax, moving, moving + end, words, "blue")
    return figure


def wheel_on_incline() -> Any:
    """UP2006, figure 1."""
    figure, ax = _sketch((-0.8, 4.1), (-0.3, 2.3))
    α, length, radius = 0.4, 4.0, 0.5
    along, n = np.array([np.cos(α), -np.sin(α)]), np.array([np.sin(α), np.cos(α)])
    top = np.array([0, length * np.sin(α)])
    foot = top + 1.6 * along
    center = foot + radius * n
    ax.plot(*zip(top, (length * np.cos(α), 0), (0, 0), top, strict=True), color="black", lw=1.4)
    _circle(ax, center, radius)
    ax.plot(*zip(center, foot, strict=True), "k.-", lw=0.8)
    φ = np.linspace(0, α, 30)
    ax.plot(length * np.cos(α) - 0.7 * np.cos(φ), 0.7 * np.sin(φ), color="black", lw=0.8)
    _words(ax, ("m, $I_c$", center[0] + 0.2, center[1] + 0.13), ("R", center[0] - 0.25, center[1] - 0.2))
    _words(ax, ("α", length * np.cos(α) - 0.85, 0.15), ("θ", center[0] + 0.15, center[1] + 0.75))
    ax.annotate(
        "",
        (center[0] + 0.45, center[1] + 0.45),
        (center[0] - 0.3, center[1] + 0.57),
        arrowprops={"arrowstyle": "-|>", "color": "black", "connectionstyle": "arc3,rad=-0.35"},
    )
    ax.plot([-0.5, 0], [center[1] + 0.6] * 2, color="black", lw=0.6)
    ax.plot([-0.5, center[0]], [center[1]] * 2, color="black", lw=0.6, ls=":")
    _arrow(ax, (-0.4, center[1] + 0.6), (-0.4, center[1]), "y")
    _arrow(ax, (3.2, 1.7), (3.2, 1.1), "g")
    return figure


def _spring(ax: Any, begin: float, end: float, words: str) -> None:
    x = np.linspace(begin, end, 200)
    inside = (x > begin + 0.12 * (end - begin)) & (x < end - 0.12 * (end - begin))
    height = MASS / 2 + 0.09 * np.sin(2 * np.pi * 6 * (x - begin) / (end - begin)) * inside
    ax.plot(x, height, color="black", lw=1)
    _words(ax, (words, (begin + end) / 2, MASS / 2 + 0.2))


def _mass(ax: Any, x: float, words: str) -> None:
    ax.fill([x, x + MASS, x + MASS, x], [0, 0, MASS, MASS], color="0.85", ec="black")
    _words(ax, (words, x + MASS / 2, MASS / 2))


def _wall(ax: Any) -> None:
    ax.plot([0, 0], [0, 0.9], color="black", lw=2)
    for y in np.linspace(0.1, 0.9, 7):
        ax.plot([-0.1, 0], [y - 0.1, y], color="black", lw=0.8)


def _distance(ax: Any, begin: float, end: float, height: float, words: str) -> None:
    """A distance between two places, as in a workshop drawing."""
    for x in (begin, end):
        ax.plot([x, x], [min(height, 0.75) - 0.1, max(height, 0.75) + 0.1], color="black", lw=0.5)
    _arrow(ax, (begin, height), (end, height), style="<|-|>")
    _words(ax, (words, (begin + end) / 2, height + 0.13))


def two_masses() -> Any:
    """UP2006, figure 2."""
    figure, ax = _sketch((-0.3, 4.2), (-0.2, 1.75))
    _wall(ax)
    _spring(ax, 0, 1.2, "$k_1$")
    _mass(ax, 1.2, "$m_1$")
    _spring(ax, 1.2 + MASS, 3.0, "$k_2$")
    _mass(ax, 3.0, "$m_2$")
    ax.plot([0, 4.1], [0, 0], color="black", lw=1)
    _distance(ax, 0, 1.2, 1.0, "$x_1$")
    _distance(ax, 1.2, 1.2 + MASS, 1.0, "$d$")
    _distance(ax, 0, 3.0, 1.4, "$x_2$")
    return figure


def decomposed_masses() -> Any:
    """UP2006, figure 3: q₁ from the wall to the spring k₂, and q₂ the length of this spring."""
    figure, ax = _sketch((-0.3, 5.1), (-0.2, 1.75))
    _wall(ax)
    _spring(ax, 0, 1.2, "$k_1$")
    _mass(ax, 1.2, "$m_1$")
    ax.plot([2.5, 2.5], [0, MASS], color="black", lw=2)
    _spring(ax, 2.5, 3.7, "$k_2$")
    _mass(ax, 3.7, "$m_2$")
    ax.plot([0, 2.1], [0, 0], color="black", lw=1)
    ax.plot([2.3, 5.0], [0, 0], color="black", lw=1)
    _distance(ax, 0, 1.2, 1.0, "$x_1$")
    _distance(ax, 1.2, 1.2 + MASS, 1.0, "$d$")
    _distance(ax, 0, 2.5, 1.4, "$q_1$")
    _distance(ax, 2.5, 3.7, 1.0, "$q_2$")
    return figure
