"""The certificate tells the truth: its figures are those of runs whose errors are known."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm


def spherical_pendulum(**settings):
    p = zm.Particle("bob", 0.7)
    system = zm.System([p], gravity=9.81, constraints={"rod": (p.position @ p.position - 1) / 2})
    start = system.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity, (0.0, 1.3, 0.0))])
    return zm.simulate(system, start, until=5.0, **settings)


def test_digits_are_those_of_the_error():
    """Against a run at 1e-14, which is wrong by far less."""
    best = spherical_pendulum(rtol=1e-14, atol=1e-16)
    for rtol in (1e-6, 1e-8, 1e-10):
        run = spherical_pendulum(rtol=rtol, atol=rtol / 100)
        certificate = run.certificate()
        times = np.linspace(0, 5, 1001)
        size = np.abs(best.at(times).y).max(axis=0)
        error = (np.abs(run.at(times).y - best.at(times).y) / np.where(size > 0, size, 1.0)).max()
        # the second run has a hundredth of the tolerance; both look at different times of a growing error
        assert certificate.error == pytest.approx(error, rel=0.5)
        assert certificate.digits == pytest.approx(-np.log10(error), abs=0.4)


def test_residuals_with_and_without_projection():
    projected, drifting = (spherical_pendulum(rtol=1e-7, atol=1e-9, project=p).certificate() for p in (True, False))
    (rod,), (loose,) = projected.residuals, drifting.residuals
    assert max(rod.position, rod.velocity) < 1e-14
    assert loose.position > 1e-10
    assert loose.velocity > 1e-10


def test_energy_balance_with_a_damper_and_a_moving_support():
    p = zm.Particle("bob", 0.7)
    support = np.array([0.1 * np.sin(3 * zm.t), 0.0, 0.0])
    arm = p.position - support
    system = zm.System(
        [p], gravity=9.81, forces=zm.Damper(0.2, p.position, (0.0, 0.0, 1.0)), constraints={"rod": (arm @ arm - 1) / 2}
    )
    start = system.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity[1], 1.3)], guess=[(p.velocity, (0.0, 1.3, 0.0))])
    work = zm.simulate(system, start, until=5.0, rtol=1e-12, atol=1e-14).work()
    assert work.applied[-1] < 0 < np.abs(work.constraint).max()
    assert work.imbalance < 1e-11


def test_the_table_names_every_constraint():
    words = str(spherical_pendulum(rtol=1e-8, atol=1e-10).certificate())
    for part in ("rod", "energy", "rank", "digits to trust"):
        assert part in words
