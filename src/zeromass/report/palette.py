"""The colours of plots, films and the viewer: one a quantity, the same everywhere, told apart with any colour vision.

They go out from those of Okabe and Ito, darkened where they are read on white. The page of the viewer takes them from
here, and so do plots and films.
"""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]
"""What is drawn on: paper, or a dark screen."""

INK: dict[Theme, str] = {"light": "#1d2430", "dark": "#e9ecf1"}
"""Of what stands before all others, such as the total energy or the track of a contact."""

SERIES: tuple[str, ...] = (
    "#c8602a",
    "#2b7fc4",
    "#12866a",
    "#8a4fa3",
    "#b98a00",
    "#b5476f",
    "#5b6675",
    "#4aa3c7",
)
"""Runs, parts and curves that have no colour of their own, in this order."""

QUANTITIES: dict[str, str] = {
    "contact": "ink",
    "centre": "#c8602a",
    "normal": "#2f7ed8",
    "friction": "#c9447f",
    "friction ratio": "#c9447f",
    "applied": "#12866a",
    "constraint": "#8a5fc0",
    "total": "ink",
    "energy": "ink",
    "kinetic": "#d98a1f",
    "translational": "#d98a1f",
    "rotational": "#0f9d74",
    "potential": "#4aa3c7",
    "spin": "#8a5fc0",
    "x": "#d55e00",
    "y": "#0f9d74",
    "z": "#4aa3e0",
}
"""What has the same colour in every picture; "ink" is that of the theme."""

CROWD = "#7c8796"
"""Bodies among many, of which only a few have colours of their own."""

HEIGHTS: tuple[tuple[int, int, int], ...] = (
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
)
"""Heights of surfaces from low to high: viridis at nine places, red, green and blue."""

STONE: dict[Theme, tuple[int, int, int]] = {"light": (226, 224, 218), "dark": (70, 78, 92)}
"""What they are softened towards, by three tenths."""


def color(name: str, index: int = 0, theme: Theme = "light") -> str:
    """Colour of a quantity by its name, or by its index.

    >>> from zeromass.report.palette import color
    >>> color("normal"), color("normal force"), color("total", theme="dark"), color("bob", 1)
    ('#2f7ed8', '#2f7ed8', '#e9ecf1', '#2b7fc4')
    """
    plain = name.lower().removesuffix(" force").removesuffix(" energy")
    found = QUANTITIES.get(plain, SERIES[index % len(SERIES)])
    return INK[theme] if found == "ink" else found


def for_page() -> dict[str, Any]:
    """The palette as the viewer's page reads it."""
    return {
        "ink": INK,
        "series": list(SERIES),
        "quantities": QUANTITIES,
        "heights": HEIGHTS,
        "stone": STONE,
        "crowd": CROWD,
    }
