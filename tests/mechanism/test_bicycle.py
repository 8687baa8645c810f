"""The bicycle of joints against the published benchmark."""

from __future__ import annotations

import inspect

import numpy as np

import zeromass as zm
from mechanism.bicycle import bicycle

SPEED = 5.0
EIGENVALUES = [-14.07838969279822, -0.775341882195845 + 4.464867713788229j, -0.775341882195845 - 4.464867713788229j]
EIGENVALUES += [-0.322866429004087]
"""At 5 m/s [MP2007, table 2]."""


def test_it_is_built_in_less_than_thirty_lines():
    assert len(inspect.getsource(bicycle).splitlines()) < 30


def test_it_has_three_velocities_to_choose():
    made = bicycle()
    start = made.system.start({made.rear.rate: SPEED / 0.3})
    diagnosis = made.system.check(start)
    assert diagnosis.unique
    assert diagnosis.degrees_of_freedom == 3


def test_its_motion_keeps_its_energy():
    made = bicycle()
    start = made.system.start({made.rear.rate: SPEED / 0.3, zm.rate(made.steer.angle): 0.3})
    run = zm.simulate(made.system, start, until=2.0)
    energy = run[made.system.energy]
    assert np.ptp(energy) < 1e-8 * energy[0]
    assert np.ptp(run[made.steer.angle]) > 0.01


def test_small_motions_have_the_published_eigenvalues():
    """Central differences of lean and steer accelerations at 5 m/s: 1e-5 from the third derivatives and from rounding."""
    made = bicycle()
    lean = made.wheel.rotate((0, 1, 0))[2]  # sin of the lean angle, to first order the angle
    size, columns = 1e-4, []
    for k in range(4):
        sides = []
        for sign in (1, -1):
            x = np.zeros(4)
            x[k] = sign * size
            start = made.system.start(
                {
                    lean: x[0],
                    made.steer.angle: x[1],
                    zm.rate(lean): x[2],
                    made.steer.rate: x[3],
                    made.rear.rate: SPEED / 0.3,
                }
            )
            sides.append(start[np.array([zm.rate(zm.rate(lean)), zm.rate(made.steer.rate)])])
        columns.append((sides[0] - sides[1]) / (2 * size))
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.stack(columns, axis=1)]])
    found = sorted(np.linalg.eigvals(A), key=lambda x: (x.real, -x.imag))
    np.testing.assert_allclose(found, EIGENVALUES, atol=1e-5)


def test_the_linear_system_has_them_to_twelve_digits():
    """Lean and steer, and their rates, along the joints: angles of joints are positions there."""
    made = bicycle()
    lean = made.wheel.rotate((0, 1, 0))[2]
    kept = {"lean": lean, "steer": made.steer.angle, "lean rate": zm.rate(lean), "steer rate": made.steer.rate}
    linear = zm.analysis.linearize(made.system, made.system.start({made.rear.rate: SPEED / 0.3}), states=kept)
    found = np.sort_complex(linear.eigenvalues)
    assert np.abs(found - np.sort_complex(EIGENVALUES)).max() < 1e-12
