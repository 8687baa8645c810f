"""Bodies with edges and faces outside Python: coins that are tossed, cans and capsules that tumble and land, in Node."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node, through_kinds
from integrate.test_wasm_kinds import TIGHT, python
from zeromass.integrate.alone.kinds import Kinds

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

v = zm.parameter("v", 0.5)


def tossed(body: zm.Roller, height: float = 0.6, **start: Any) -> zm.State:
    """A body that is thrown up above a floor."""
    on = zm.Rolling(body, on=zm.surfaces.plane(), friction=0.3, restitution=0.4)
    return on.flying.start(center=(0.0, 0.0, height), velocity=(v, 0.1, 1.0), **start)


def beside(start: zm.State, until: float, values: dict[str, float], folder: Any) -> zm.Run:
    """A run in Python with the same kinds, times and states as what the driver makes.

    The contact of a body whose face is nearly along the surface is as much faster than the body: its rates are known to
    1e-9 of the fastest.
    """
    run, system = python(start, values, until), start.system
    motion = Kinds.of(start, (*system.coordinates, *system.rates), until, zm.Settings(**TIGHT, method="dop853"))
    assert motion is not None
    met = tuple(segment.start for segment in run.segments)
    times = np.linspace(0.0, float(run.t[-1]), 51) * (1 - 1e-3)  # where no stroke is
    task = {"values": values, "until": until, **TIGHT, "times": times.tolist()}
    (there,) = through_kinds(replace(motion, met=met), [task], folder)
    m = 2 * len(system.coordinates)
    samples = there["samples"].reshape(len(times), -1)[:, :m]
    sizes = np.maximum(1.0, np.abs(samples).max(axis=0))
    assert [kind for _, kind in there["kinds"]] == list(run.kinds)
    assert there["ending"] == run.outcome.ending.name
    assert np.abs(np.array([t for t, _ in there["kinds"][1:]]) - run.changes).max(initial=0.0) <= 1e-11
    assert np.abs((samples - run.at(times).y) / sizes).max() <= 1e-9
    assert np.abs((there["end"] - run.y[-1]) / sizes).max() <= 1e-9
    return run


def test_a_tossed_coin_turns_over_and_over(tmp_path):
    """It begins flat, as coins do, has no lowest point twice a turn, and lands on its edge."""
    start = tossed(zm.disc(0.1, 0.5), angular_velocity=(12.0, 3.0, 1.0))
    run = beside(start, 0.55, {"v": 0.7}, tmp_path)
    assert len(run.kinds) > 4
    assert len(run.impulses) > 0


@pytest.mark.parametrize("body", [zm.cylinder(0.05, 0.2, 0.5), zm.capsule(0.05, 0.1, 0.5), zm.cone(0.1, 0.2, 0.5)])
def test_what_tumbles_lands_on_one_end_or_the_other(tmp_path, body):
    """Its lowest point leaps from end to end in flight, and it strikes with the one that is lowest."""
    start = tossed(body, angular_velocity=(9.0, 3.0, 1.0), orientation=(0.3, 0.2, 0.0))
    run = beside(start, 0.6, {"v": 0.7}, tmp_path)
    assert len(run.impulses) > 0
