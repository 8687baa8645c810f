"""Figures 1 to 3 of Udwadia & Phohomsiri (2006): drawings of the examples."""

from __future__ import annotations

from zeromass.papers.printed import Figures
from zeromass.papers.printed.sketches import decomposed_masses, two_masses, wheel_on_incline


def figures() -> Figures:
    yield "fig01", "A wheel rolling down an inclined plane under gravity", wheel_on_incline()
    yield "fig02", "A two degree-of-freedom multi-body system", two_masses()
    yield "fig03", "Decomposition of the system using more than two coordinates", decomposed_masses()
