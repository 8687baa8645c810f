"""The first page of the gallery: examples in groups, each with a picture of what moves.

Pictures are those of docs/images/gallery, which `python docs/page_screenshots.py --thumbnails` takes from the viewer;
an example without one shows its first figure.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"

GROUPS = {
    "First steps": ["double_pendulum", "shell_on_dimpled_bowl", "wheel_on_incline", "joined_masses"],
    "Rolling": [
        "rolling_coin",
        "rattleback",
        "chaplygin_ball",
        "sliding_ball",
        "ball_on_two_rails",
        "billiard_in_a_corner",
        "turntable",
        "shaken_trough",
        "moving_sphere",
        "terrain_from_data",
    ],
    "Contact that comes and goes": [
        "ball_comes_to_rest",
        "bouncing_on_a_plate",
        "billiards",
        "follow_and_draw",
        "ball_off_a_ball",
    ],
    "Numbers of others": [
        "rattleback_reversal",
        "fekete_points",
        "eulers_disc",
        "tippe_top",
        "rubber_ellipsoid",
        "ball_in_a_cylinder",
        "ball_on_a_rotating_cone",
        "ball_with_moving_masses",
    ],
    "Mechanisms": [
        "slider_crank",
        "four_bar",
        "bennett_linkage",
        "squeezing_mechanism",
        "delta_robot",
        "geneva_wheel",
        "robot_from_a_file",
        "quadruped",
        "bicycle",
        "bicycle_on_a_bump",
        "wheelset",
        "ball_on_a_string",
        "falling_chain",
        "spinning_hoop",
        "crane",
    ],
    "Studies": ["friction_over_starts", "basins_of_the_dimpled_bowl", "magnetic_pendulum"],
    "Rest, small motions, control": [
        "bead_on_a_hoop_branches",
        "bicycle_root_locus",
        "modes_of_a_chain",
        "crane_servo",
        "fit_a_pendulum",
    ],
    "Pages that are alive": ["bowl_with_sliders", "hanging_net"],
}
"""Examples in the order in which they are shown; those that stand nowhere come last, in a group of their own."""

SAID = {
    "First steps": "Laws of the source papers and a pendulum: what must be zero, and what follows.",
    "Rolling": "Bodies on surfaces that are still, turn, shake, or were measured.",
    "Contact that comes and goes": "Bodies that slip, stop, part, strike and rebound, with surfaces and one another.",
    "Numbers of others": "What was printed of tops, coins and balls, and comes out again.",
    "Mechanisms": "Rods, hinges and ropes, through singular positions too.",
    "Studies": "One motion many thousand times.",
    "Rest, small motions, control": "Where it stays, how it trembles there, what holds it.",
    "Pages that are alive": "Move a slider: the page integrates the motion anew.",
    "More": "Further programs.",
}


def groups() -> dict[str, list[str]]:
    """The programs that are there, by group."""
    there = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    grouped = {title: [name for name in names if name in there] for title, names in GROUPS.items()}
    left = [name for name in there if not any(name in names for names in grouped.values())]
    return {title: names for title, names in (grouped | {"More": left}).items() if names}


def title_and_text(name: str) -> tuple[str, str]:
    """The title of an example and the first sentence of its text."""
    doc = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or name
    title, _, *rest = doc.split("\n")
    first = " ".join(rest).strip().split(". ")[0].rstrip(".") + "."
    return title, first


def picture(name: str) -> str:
    """The address of its picture, from the root of the documentation."""
    own = HERE / "images" / "gallery" / f"{name}.webp"
    return f"/images/gallery/{name}.webp" if own.exists() else f"/gallery/images/thumb/sphx_glr_{name}_thumb.png"


def card(name: str) -> list[str]:
    title, text = title_and_text(name)
    return [
        "   .. container:: card-of-example",
        "",
        f"      .. image:: {picture(name)}",
        f"         :alt: {title}",
        f"         :target: {name}.html",
        f"         :class: {'dark-light' if 'thumb' not in picture(name) else 'figure-of-example'}",
        "",
        f"      :doc:`{title} <{name}>`",
        "",
        f"      {text}",
        "",
    ]


def page() -> str:
    """The page, in reStructuredText."""
    lines = [":html_theme.sidebar_secondary.remove: true", "", "Gallery", "=======", ""]
    lines += [
        "Short programs, each with the law of mechanics that it shows, its figure and, where bodies move, a page that plays"
    ]
    lines += ["the run. The tests run all of them.", ""]
    for title, names in groups().items():
        lines += [title, "-" * len(title), "", SAID[title], "", ".. container:: cards", ""]
        for name in names:
            lines += card(name)
        lines += [".. toctree::", "   :hidden:", f"   :caption: {title}", "", *(f"   {name}" for name in names), ""]
    return "\n".join(lines)


def replace_index(app: Any, docname: str, source: list[str]) -> None:
    if docname == "gallery/index":
        source[0] = page()


def always_read(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """What it shows lies in other files than its own."""
    return ["gallery/index"]


def setup(app: Any) -> dict[str, bool]:
    app.connect("env-get-outdated", always_read)
    app.connect("source-read", replace_index)
    return {"parallel_read_safe": True}
