"""Chains whose links are light above and heavy below, by many orders of magnitude: right, or ended by a true name."""

import numpy as np
import pytest

import zeromass as zm

G, LENGTH = 9.81, 0.3


def chain(masses):
    bodies, joints, before = [], [], zm.Ground()
    for k, m in enumerate(masses):
        J = m * LENGTH**2 / 12
        body = zm.RigidBody(f"link{k}", m, (0.12 * J, J, J), at=((k + 0.5) * LENGTH, 0, 0))
        joints.append(zm.joints.Revolute(before, body, at=(k * LENGTH, 0, 0), axis=(0, 1, 0)))
        bodies.append(body)
        before = body
    return zm.System(bodies, gravity=G, joints=joints), joints


def turns(masses):
    """Angular accelerations of the links from rest, all level, by Lagrange's equations of a chain in its plane."""
    m, n = np.array(masses), len(masses)
    W = LENGTH * (np.tril(np.ones((n, n)), -1) + np.eye(n) / 2)
    return np.linalg.solve(np.einsum("i,ij,ik->jk", m, W, W) + np.diag(m * LENGTH**2 / 12), G * (m @ W))


@pytest.mark.parametrize("masses", [np.logspace(-6, 6, 4), np.logspace(-4, 9, 4)])
def test_a_chain_of_masses_twelve_orders_apart_falls_as_it_should(masses):
    system, joints = chain(masses)
    run = zm.simulate(system, system.start(), until=1e-3, atol=1e-12)
    assert run.outcome.ending == "finished"
    assert run.t[-1] == 1e-3
    assert np.ptp(run[system.energy]) < 1e-9 * run[system.kinetic].max()
    α = turns(masses)
    soon = 5e-5  # what tension does grows with its sixth power
    found = np.cumsum([run.at(soon)[joint.angle] for joint in joints])
    assert np.abs(2 * found / soon**2 - α).max() < 1e-5 * np.abs(α).max()  # nine of sixteen digits are lost in a pivot


def test_masses_that_rounding_does_not_bear_are_named():
    system, _ = chain(np.logspace(-9, 9, 4))
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(), until=1e-3, atol=1e-12)
    assert run.outcome.ending == "non-unique"
    assert "rounding leaves no digit of the acceleration" in run.outcome.message
    assert "may be zero" in run.outcome.message


def test_a_run_that_goes_on_carefully_does_not_end_there():
    """Steps that are careful about a weak pivot end before the run does, which then goes on."""
    system, _ = chain(np.logspace(-9, 9, 8))
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(), until=0.5, rtol=1e-10, atol=1e-12)
    assert run.outcome.ending != "finished" or run.t[-1] == 0.5
