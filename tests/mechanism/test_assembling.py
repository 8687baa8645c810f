"""Closed loops from rough positions, from rounded data, other ways to assemble them, and loops that can not close."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest

import zeromass as zm
from mechanism.linkage import GROUND, four_bar


def test_a_loop_closes_from_bodies_that_are_drawn_roughly():
    """Bodies drawn 5 cm off and turned by some degrees, joints given in their own axes."""
    linkage = four_bar(rough=0.05)
    start = linkage.system.start({linkage.pin.angle: 0.4})
    assert max(abs(value) for value in start.residuals.values()) < 1e-14
    assert linkage.system.check(start).degrees_of_freedom == 1


def test_angles_are_followed_over_most_of_a_turn():
    """Far from where it is drawn, on the branch on which it is drawn: the rocker's angle is continuous in the crank's."""
    linkage = four_bar()
    last = 0.0
    for angle in np.linspace(0, 5.5, 12):
        start = linkage.system.start({linkage.pin.angle: angle})
        now = start[linkage.out.angle]
        assert abs(now - last) < 0.6
        last = now


@pytest.mark.slow
def test_both_ways_to_assemble_a_four_bar_are_found():
    linkage = four_bar()
    found = linkage.system.assemblies({linkage.pin.angle: 0.4}, tries=30)
    elbows = {round(float(state[linkage.elbow][2]), 6) for state in found}
    assert len(elbows) == 2


def test_rounded_data_gives_the_nearest_consistent_state():
    """Data rounded to two digits: nothing near has a smaller distance to it, by a scan along the one freedom."""
    linkage = four_bar()
    true = linkage.system.start({linkage.pin.angle: 0.37})
    data = {e: round(true[e], 2) for e in (*linkage.knee[[0, 2]], *linkage.elbow[[0, 2]])}
    start = linkage.system.start(near=data)

    def distance(state):
        return sum((state[e] - value) ** 2 for e, value in data.items())

    assert max(abs(value) for value in start.residuals.values()) < 1e-14
    here, angle = distance(start), start[linkage.pin.angle]
    for other in angle + np.array([-1e-2, -1e-3, -1e-4, 1e-4, 1e-3, 1e-2]):
        assert distance(linkage.system.start({linkage.pin.angle: other})) > here


def test_rounded_rates_too():
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=zm.rate(x) ** 2 + zm.rate(y) ** 2, constraints={"line": x - 2 * y})
    start = system.start({x: 2.0}, near={zm.rate(x): 1.0, zm.rate(y): 1.0})
    np.testing.assert_allclose(start.v, [1.2, 0.6], atol=1e-12)  # nearest to (1, 1) along (2, 1)


def test_a_loop_that_can_not_close_says_where_and_by_how_much():
    rod = zm.RigidBody("rod", mass=1.0, inertia=(1, 1, 1), at=(0.5, 0, 0))
    left = zm.joints.Spherical(GROUND, rod, at=((0, 0, 0), (-0.5, 0, 0)), name="left")
    right = zm.joints.Spherical(GROUND, rod, at=((1.5, 0, 0), (0.5, 0, 0)), name="right")
    with pytest.raises(zm.errors.StartError, match=r"'(left|right) point\[0\]' \(off by -?0\.\d+\)"):
        zm.System([rod], gravity=0, joints=[left, right]).start()


def test_a_chain_that_is_too_short_says_which_joint_stays_open():
    """Two bars of 1 m each do not reach further than 2 m: 'C' is open by the rest, whichever way the bars are drawn."""
    a, b = (zm.RigidBody(name, 1.0, (1, 1, 1), at=(x, 0, 0.3)) for name, x in (("a", 0.5), ("b", 1.4)))
    reach = 3.5
    joints = [
        zm.joints.Revolute(GROUND, a, at=((0, 0, 0), (-0.5, 0, 0)), axis=(0, 1, 0), name="A"),
        zm.joints.Revolute(a, b, at=((0.5, 0, 0), (-0.5, 0, 0)), axis=(0, 1, 0), name="B"),
        zm.joints.Revolute(b, GROUND, at=((0.5, 0, 0), (reach + 0.5, 0, 0)), axis=(0, 1, 0), name="C"),
    ]
    with pytest.raises(zm.errors.StartError) as told:
        zm.System([a, b], gravity=0, joints=joints).start()
    assert re.match(rf"the loop can not close: '[ABC]' stays open by {reach - 1.5:.3g} m where", str(told.value))


def test_what_redundant_hinges_share_is_said_and_which_to_relax():
    """A door on three hinges: along the axis and across it the forces are shared; what all carry together is told."""
    door = zm.RigidBody("door", mass=10.0, inertia=(1, 1, 1), at=(0.5, 0, 1))
    hinges = [zm.joints.Revolute(GROUND, door, at=(0, 0, z), axis=(0, 0, 1), name=f"hinge {z}") for z in (0, 1, 2)]
    system = zm.System([door], gravity=9.81, joints=hinges)
    start = system.start({hinges[0].rate: 1.0})
    assert system.check(start).degrees_of_freedom == 1
    assert set(system.check(start).inseparable) >= {hinge.name for hinge in hinges}
    run = zm.simulate(system, start, until=0.5)
    with pytest.warns(zm.errors.SharedForce, match="'hinge 0', 'hinge 1', 'hinge 2' share it"):
        shared = run[hinges[0].force[2]]
    assert np.all(np.abs(shared) < 98.1)
    with pytest.warns(zm.errors.SharedForce, match="'hinge 0', 'hinge 1', 'hinge 2' share it"):
        assert start[hinges[0].force[2]] == pytest.approx(shared[0], abs=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        total = run[sum(hinge.force for hinge in hinges)]
        assert start[sum(hinge.force for hinge in hinges)][2] == pytest.approx(98.1, abs=1e-8)
    np.testing.assert_allclose(total[:, 2], 98.1, atol=1e-8)


def test_relaxing_the_joint_that_is_named_determines_all_forces():
    linkage = four_bar()
    start = linkage.system.start({linkage.pin.rate: 1.0})
    relax = linkage.system.check(start).relax
    assert relax
    for name, rows in relax.items():
        kept = [i for i, row in enumerate(linkage.system.rows) if row.name not in rows]
        assert len(rows) == 3
        assert all(row.startswith(name) for row in rows)
        assert np.linalg.matrix_rank(start.matrices.A[kept]) == len(kept)


def test_systems_with_joints_are_pickled_and_saved(tmp_path):
    linkage = four_bar()
    run = zm.simulate(linkage.system, linkage.system.start({linkage.pin.rate: 3.0}), until=0.3)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.y, run.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = zm.load(run.save(tmp_path / "run.nc", certificate=False))
        assert np.array_equal(loaded[linkage.pin.angle], run[linkage.pin.angle])
        assert np.array_equal(loaded[linkage.pin.force], run[linkage.pin.force])
