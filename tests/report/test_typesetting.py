"""What a browser makes of formulas and of the page in a notebook: MathJax understands all of it, and the page plays."""

from __future__ import annotations

import html
import io
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from expression.formulas import random_trees, value
from model.test_derivation import SYSTEMS
from report.chromium import Browser

MATHJAX = Path(__file__).parents[2] / "docs" / "_static" / "mathjax" / "tex-svg.js"


def typeset(chromium: Browser, formulas: list[str], folder: Path) -> list[str]:
    """The complaints of MathJax about formulas, one display each, and about their number."""
    body = "".join(rf"<div>\[{html.escape(words)}\]</div>" for words in formulas)
    page = folder / "formulas.html"
    page.write_text(
        "<!doctype html><meta charset='utf-8'><script>window.MathJax = {startup: {pageReady: () => "
        "MathJax.startup.defaultPageReady().then(() => { window.done = true; })}};</script>"
        f"<script src='{MATHJAX.as_uri()}'></script><body>{body}</body>",
        encoding="utf-8",
    )
    chromium.load(page.as_uri())
    chromium.wait("window.done === true")
    found = chromium.evaluate("[...document.querySelectorAll('[data-mml-node=merror]')].map(e => e.textContent)")
    shown = chromium.evaluate("document.querySelectorAll('mjx-container').length")
    return [*found, *([] if shown == len(formulas) else [f"{shown} of {len(formulas)} are shown"])]


@pytest.mark.slow
def test_random_formulas_are_understood(chromium, tmp_path):
    theta, phi, x = zm.coordinates("theta phi_1 car.x")
    variables = (theta, zm.rate(phi), zm.acceleration(x))
    trees = [tree for seed in range(3) for tree in random_trees(seed, 40, depths=range(2, 5))]
    assert typeset(chromium, [zm.export.latex(value(tree, variables)) for tree in trees], tmp_path) == []


@pytest.mark.slow
def test_derivations_are_understood(chromium, tmp_path):
    """Each on its page; names of constraints among them that would be commands."""
    bob = zm.Particle("bob", mass=1.0)
    strange = zm.System([bob], constraints={r"50% \of_it & {more}": bob.position[0] ** 2 - bob.position[1]})
    pages = [zm.export.latex(make()) for make in SYSTEMS.values()] + [strange.latex()]
    assert typeset(chromium, pages, tmp_path) == []


def test_a_wrong_formula_is_seen(chromium, tmp_path):
    """The test would notice."""
    assert typeset(chromium, [r"\frac{1}{2", r"x^{2}^{3}"], tmp_path)


@pytest.mark.slow
def test_the_view_plays_inside_a_notebook(chromium, tmp_path):
    """Nothing is asked for, nothing complained about, and there is a picture in the frame."""
    from PIL import Image

    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
    run = zm.simulate(rolling, rolling.start(contact=(0.3, 0.1), velocity=(0.2, -0.3), spin=2.0), until=1.0)
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'><body>{run.view()._repr_html_()}", encoding="utf-8")
    chromium.load(page.as_uri())
    chromium.wait("window.viewer !== undefined && window.viewer.frames > 1", frame=chromium.frame)
    colors = 0
    while colors < 200:  # an empty frame has a few; what is drawn in it comes to the picture a little later
        picture = Image.open(io.BytesIO(chromium.screenshot(tmp_path / "notebook.png"))).convert("RGB")
        colors = len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0))
    assert chromium.complaints() == []
    assert chromium.requests() == [page.as_uri()]
