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


def test_digits_of_a_quantity_are_its_own():
    """A rotor that turns at 300 rad/s beside a slow oscillator: a long run loses the angle of the rotor, relative to a
    turn, and not the oscillator; and of the rotor what does not depend on its angle."""
    x, angle = zm.coordinates("x angle")
    fast = zm.rate(angle)
    force = 1e3 * np.sin(angle)
    rotor = zm.System(kinetic=(zm.rate(x) ** 2 + fast**2) / 2, potential=x**2 / 2, forces={angle: force})
    run = zm.simulate(rotor, rotor.start({x: 1.0, fast: 300.0}), until=20.0, rtol=1e-6)
    trust = run.certificate(of={"place": x, "pointing": [np.cos(angle), np.sin(angle)], "speed": fast})
    digits = {one.name: one.digits for one in trust.of}
    tighter = zm.simulate(rotor, rotor.start({x: 1.0, fast: 300.0}), until=20.0, rtol=1e-12)
    times = np.linspace(0.0, 20.0, 500)
    for one, e in zip(trust.of, (x, np.array([np.cos(angle), np.sin(angle)]), fast), strict=True):
        error = np.abs(run.at(times)[e] - tighter.at(times)[e]).max() / np.abs(run.at(times)[e]).max()
        assert 10**-one.digits >= 0.5 * error  # never more than there are; half, as other times are compared
    assert digits["pointing"] < digits["speed"]
    assert "digits of pointing: " in str(trust)
    assert run.certificate(of=x).of[0].name == "x"


def test_what_is_asked_for_has_names_of_its_own():
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
    assert [one.name for one in run.certificate(of=[x, 2 * zm.rate(x)]).of] == ["x", "2*rate(x)"]
    for wrong, words in ((3j, "no expression"), ([x, x], "two have the name 'x'"), ({1: x}, "no name")):
        with pytest.raises(zm.errors.ModelError, match=words):
            run.certificate(of=wrong)
