"""Derivatives of forces that redundant constraints share: of the share that a run tells, the one of least Σλ²."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.errors.SharedForce")


def test_a_beam_on_three_supports():
    """Each carries m g/3; derivatives were those of a beam that one of them carries alone."""
    m = zm.parameter("m", 3.0)
    beam = zm.RigidBody("beam", mass=m, inertia=(1, 1, 1))
    pins = [
        zm.joints.PointOnPlane(zm.Ground(), beam, at=(x, 0, 0), normal=(0, 0, 1), name=f"pin {k}")
        for k, x in enumerate((-1, 0, 1))
    ]
    system = zm.System([beam], gravity=9.81, joints=pins)
    run = zm.simulate(system, system.start(), until=0.1)
    for pin in pins:
        force = pin.force[2]
        assert run[force][-1] == pytest.approx(9.81)
        assert run.sensitivity().of(force).parameters[0, 0] == pytest.approx(9.81 / 3)
        assert run.adjoint(force).parameters[m] == pytest.approx(9.81 / 3)


def test_shares_that_change_along_the_way():
    """A pendulum held by φ = 0 and by (1 + c x) φ = 0: with T = 1 + c x they take 1/(1 + T²) and T/(1 + T²) of g y − v²."""
    (x, y), g, c = zm.coordinates("x y"), zm.parameter("g", 9.81), zm.parameter("c", 0.7)
    vx, vy = zm.rate(x), zm.rate(y)
    rod = (x**2 + y**2 - 1) / 2
    system = zm.System(
        kinetic=(vx**2 + vy**2) / 2, potential=g * y, constraints={"one": rod, "other": (1 + c * x) * rod}
    )
    run = zm.simulate(
        system, system.start([(x, 0.6), (y, -0.8), (vx, 0.8), (vy, 0.6)]), until=0.5, rtol=1e-12, atol=1e-14
    )
    T, whole = 1 + c * x, g * y - vx**2 - vy**2
    told = {system.multipliers[0]: whole / (1 + T**2), system.multipliers[1]: T * whole / (1 + T**2)}
    sensitivity = run.sensitivity()
    for λ, by_hand in told.items():
        np.testing.assert_allclose(run[λ], run[by_hand], rtol=1e-10)
        found, expected = sensitivity.of(λ), sensitivity.of(by_hand)  # of the state alone, without forces
        np.testing.assert_allclose(found.parameters, expected.parameters, rtol=1e-8)
        turn = np.array([[0.0, -1.0], [1.0, 0.0]])
        tangent = np.concatenate([turn @ run.start.q, turn @ run.start.v])  # a start that is turned about the middle
        np.testing.assert_allclose(found.start[0] @ tangent, expected.start[0] @ tangent, rtol=1e-7)
        adjoint = run.adjoint(λ)
        np.testing.assert_allclose(
            [adjoint.parameters[p] for p in system.parameters], expected.parameters[0], rtol=1e-8
        )
