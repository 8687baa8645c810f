"""Bodies with edges and faces outside Python: coins that are tossed, cans and capsules that tumble and land, in Node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node
from integrate.test_wasm_contacts import beside as beside_contacts
from zeromass.contact import Roller

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

v = zm.parameter("v", 0.5)


def tossed(body: Roller, height: float = 0.6, friction: float | None = 0.3, **start: Any) -> zm.State:
    """A body that is thrown up above a floor."""
    on = zm.Rolling(body, on=zm.surfaces.plane(), friction=friction, restitution=0.4)
    return on.flying.start(center=(0.0, 0.0, height), velocity=(v, 0.1, 1.0), **start)


def beside(start: zm.State, until: float, values: dict[str, float], folder: Any) -> zm.Run:
    """A run in Python with the same kinds, times and states as what the driver makes."""
    ((run, _),) = beside_contacts(start, until, [values], folder)
    return run


@pytest.mark.slow
def test_a_can_turns_over_and_lands(tmp_path):
    """It begins upright, with a face along the floor, and lands with its other end, which has been the lowest since."""
    can = zm.bodies.cylinder(0.05, 0.2, 0.5)
    start = tossed(can, friction=None, angular_velocity=(6.0, 1.0, 0.3))
    run = beside(start, 0.45, {"v": 0.7}, tmp_path)
    assert len(run.impulses) == 1
    assert len(run.switches) > 1  # no point of it was the lowest at first
    (first,) = run.impulses
    axis = run.state(first.t)[run.system.body.rotation[:, 2]]
    assert axis[2] < 0.0


@pytest.mark.slow
def test_a_tossed_coin_turns_over_and_over(tmp_path):
    """It begins flat, as coins do, has no lowest point twice a turn, and lands on its edge."""
    start = tossed(zm.bodies.disc(0.1, 0.5), angular_velocity=(12.0, 3.0, 1.0))
    run = beside(start, 0.55, {"v": 0.7}, tmp_path)
    assert len(run.switches) > 0
    assert len(run.impulses) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [zm.bodies.cylinder(0.05, 0.2, 0.5), zm.bodies.capsule(0.05, 0.1, 0.5), zm.bodies.cone(0.1, 0.2, 0.5)]
)
def test_what_tumbles_lands_on_one_end_or_the_other(tmp_path, body):
    """Its lowest point leaps from end to end in flight, and it strikes with the one that is lowest."""
    start = tossed(body, angular_velocity=(9.0, 3.0, 1.0), orientation=(0.3, 0.2, 0.0))
    run = beside(start, 0.6, {"v": 0.7}, tmp_path)
    assert len(run.impulses) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [zm.bodies.cylinder(0.05, 0.2, 0.5), zm.bodies.capsule(0.05, 0.1, 0.5), zm.bodies.cone(0.1, 0.2, 0.5)]
)
def test_what_tumbles_strikes_a_wall(tmp_path, body):
    """Floor and wall have each their own nearest end, and are struck in turn."""
    room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    both = zm.Contacts(body, on=room, friction=0.3, restitution=0.4)
    thrown = {"angular_velocity": (7.0, 3.0, 1.0), "orientation": (0.3, 0.2, 0.0)}
    start = both.start(center=(0.5, 0.0, 0.6), velocity=(4 * v, 0.1, 1.0), **thrown)
    ((run, _),) = beside_contacts(start, 0.45, [{"v": 0.55}], tmp_path)
    assert len(run.impulses) >= 2


@pytest.mark.slow
def test_what_rolls_on_a_rim_comes_to_lie_on_its_side(tmp_path):
    """There the motion ends, in Node as in Python: it would touch in a line."""
    can = zm.Rolling(zm.bodies.cylinder(0.05, 0.2, 0.5), on=zm.surfaces.plane(), friction=0.9, restitution=0.4)
    start = can.start(contact=(0.0, 0.0), velocity=(0.0, v), orientation=(0.0, 0.9, 0.0))
    run = beside(start, 0.5, {"v": 0.55}, tmp_path)
    assert run.outcome.ending.name == "JUMP"
    assert "comes to lie on a side" in run.outcome.message


@pytest.mark.slow
def test_a_side_along_a_hill_is_named(tmp_path):
    """Either end leads back to the other: the nearest point is inside the side."""
    hill = zm.Surface(lambda X, Y: -0.5 * (X**2 + Y**2), name="hill")
    capsule = zm.Rolling(zm.bodies.capsule(0.05, 0.1, 0.5), on=hill, friction=0.4, restitution=0.4)
    thrown = {"angular_velocity": (7.0, 3.0, 1.0), "orientation": (0.3, 0.2, 0.0)}
    start = capsule.flying.start(center=(0.2, 0.0, 0.5), velocity=(v, 0.2, 0.5), **thrown)
    assert beside(start, 0.6, {"v": 0.55}, tmp_path).outcome.ending.name == "CHATTERING"


@pytest.mark.slow
@pytest.mark.parametrize("spin", [(2.0, 3.0, 1.0), (0.0, -3.0, 0.0)])
def test_a_can_that_is_level_goes_on_with_the_end_that_comes_down(tmp_path, spin):
    """Both are as low at the start; one that stays level lands on its side, which is named."""
    start = tossed(zm.bodies.cylinder(0.05, 0.2, 0.5), orientation=(np.pi / 2, 0.0, 0.0), angular_velocity=spin)
    run = beside(start, 0.55, {"v": 0.55}, tmp_path)
    assert run.outcome.ending.name == ("FINISHED" if spin[0] else "EVENT")
