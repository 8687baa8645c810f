"""Wheels that lift and land outside Python, in Node: a bar that rocks on two feet, a hill, and a floor that heaves."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.test_lifting_wheels import tilted as tilted  # noqa: PLC0414
from integrate.node import MISSING, node
from integrate.test_wasm_kinds import beside

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81


def test_a_bar_rocks_on_two_feet(tilted, tmp_path):
    """The other foot lifts where the stroke drives it up, and takes a part of the stroke where it does not."""
    start = tilted[1]
    tries = [{"J": 0.3, "e": 0.0}, {"J": 0.7, "e": 0.0}, {"J": 0.7, "e": 0.5}]
    runs = beside(start, 0.4, tries, tmp_path)
    assert [run.kinds[1] for run in runs] == [
        "rear rolling, front rolling",
        "rear lifted, front slipping",
        "rear lifted, front lifted",
    ]
