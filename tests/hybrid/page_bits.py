"""Motions of the corpus by a page's driver, in Node, and by Python: `python tests/hybrid/page_bits.py NAME…` prints both.

Bits are the same where the code of this machine has no fused operations: set ZEROMASS_CPU=x86-64-v2.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import zeromass as zm
from hybrid.contact_corpus import CONTACTS
from hybrid.corpus import SWITCHES
from hybrid.record import TIGHT
from integrate.node import over_switches
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced

ROUNDED = ("can_that_tumbles_at_a_wall", "bar_that_falls_on_its_front_foot", "wheel_that_leaves_a_hill")
"""Problems whose start, by Newton's steps in the page, differs from that of Python by rounding: the page takes that one."""

TIMES = 33
"""Samples of a motion."""


def both(name: str) -> dict[str, Any]:
    """Ends, switches, events, impulses and samples of a motion in a page and in Python, floats as text."""
    system, start, until = {**SWITCHES, **CONTACTS}[name]()
    start = replace(start, made_of=None) if name in ROUNDED else start
    settings = Settings(rtol=TIGHT["rtol"], atol=TIGHT["atol"], method="dop853")
    shown = (*system.coordinates, *system.rates)
    motion = Pieced(start, tuple(system.events), shown, until, settings, ())
    run = zm.simulate(system, start, until=until, method="dop853", rtol=TIGHT["rtol"], atol=TIGHT["atol"])
    times = np.linspace(start.t, float(run.t[-1]), TIMES)
    task = {"values": {}, "until": until, **TIGHT, "times": times.tolist()}
    with tempfile.TemporaryDirectory() as folder:
        (page,) = over_switches(motion, [task], Path(folder))
    there = [page["t"], *page["end"], *page["samples"], *[s[0] for s in page["switches"]]]
    here = [run.outcome.t, *run.y[-1], *run.at(times).y.ravel(), *[s.t for s in run.switches]]
    if system.unilaterals:
        there += [t for _, t in page["happened"]] + [x for t, _, sizes in page["impulses"] for x in (t, *sizes)]
        here += [e.t for e in run.events] + [x for i in run.impulses for x in (i.t, *i.impulses)]
    return {
        "page": [float(x).hex() for x in there],
        "python": [float(x).hex() for x in here],
    }


if __name__ == "__main__":
    print(json.dumps({name: both(name) for name in sys.argv[1:]}))
