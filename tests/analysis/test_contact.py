"""The friction that rolling needs, and where a surface would have to pull: maxima and zeros between steps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm


def stopped(*arguments, **options):
    """A run that may end early without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunStopped)
        return zm.simulate(*arguments, **options)


def test_ball_on_an_incline():
    """Constant: μ = k/(1 + k) tan α with k = 2/5."""
    alpha = 0.3
    rolling = zm.Rolling(zm.bodies.ball(0.1, 2.0), on=zm.surfaces.plane(alpha))
    run = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=1.0)
    # rounding of a few hundred operations
    assert abs(run.required_friction().value - 2 / 7 * np.tan(alpha)) <= 1e-12
    assert run.pulling() == ()


def test_maximum_between_long_steps():
    """With steps so long that the maximum among them is off in the third digit."""
    rolling = zm.Rolling(zm.bodies.ball(0.05, 1.0), on=zm.surfaces.paraboloid(0.5))
    start = rolling.start(contact=(0.8, 0.0), velocity=(0.0, 0.3))
    run = zm.simulate(rolling, start, until=5.0, rtol=1e-7, atol=1e-9)
    found = run.required_friction()
    times = np.linspace(0, 5, 20001)
    ratio = run.at(times)[rolling.friction_ratio]
    # samples 0.25 ms apart miss a maximum by at most ω²h²/8 of it
    assert 0 <= found.value - ratio.max() <= 1e-5 * found.value
    # the course repeats itself, and so does its maximum, to the tolerance of the run
    assert 0 <= found.value - run.at(found.time)[rolling.friction_ratio][0] <= 1e-12
    assert found.value >= run[rolling.friction_ratio].max()
    assert "needed at" in str(found)


def test_ball_that_leaves_a_sphere():
    """At cos θ = 10/17 cos θ₀ from rest near the top; friction can not be enough there."""
    R, r, tilt = 1.0, 0.1, 0.1
    place = R * np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    one_sided = zm.Rolling(zm.bodies.ball(r, 1.0), on=zm.surfaces.sphere(R))
    run = stopped(one_sided, one_sided.start(contact=place), until=5.0, rtol=1e-12, atol=1e-14)
    cosine = run.at(run.t[-1])[one_sided.contact[2]][0] / R
    assert abs(cosine - 10 / 17 * np.cos(tilt)) <= 1e-9
    assert run.pulling() == ()
    found = run.required_friction()
    assert (found.value, found.time) == (np.inf, run.t[-1])
    assert "no friction is enough" in str(found)

    two_sided = zm.Rolling(zm.bodies.ball(r, 1.0), on=zm.surfaces.sphere(R), two_sided=True)
    on = zm.simulate(two_sided, two_sided.start(contact=place), until=run.t[-1] + 0.3, rtol=1e-12, atol=1e-14)
    (interval,) = on.pulling()
    assert abs(interval.begin - run.t[-1]) <= 1e-9
    assert interval.end == on.t[-1]
    assert abs(on.required_friction().time - interval.begin) <= 1e-14  # the event, and the zero of the force


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_short_pull_between_steps(rtol):
    """A plane that shakes down a little harder than gravity: it pulls for 2 acos(g/Aω²)/ω around each top."""
    amplitude, omega = 0.1, 10.0
    gravity = amplitude * omega**2 * 0.98
    plane = zm.surfaces.plane(shift=(0, 0, amplitude * np.cos(omega * zm.t)))
    rolling = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=plane, gravity=gravity, two_sided=True)
    run = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=3.0, rtol=rtol, atol=rtol)
    half, period = np.arccos(0.98) / omega, 2 * np.pi / omega
    expected = [(max(0.0, k * period - half), k * period + half) for k in range(5)]
    found = [(interval.begin, interval.end) for interval in run.pulling()]
    assert len(found) == len(expected)
    # the force follows from time alone: zeros of a cosine near its top, whose slope is a fifth
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_runs_backwards():
    plane = zm.surfaces.plane(shift=(0, 0, 0.1 * np.cos(10 * zm.t)))
    rolling = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=plane, gravity=5.0, two_sided=True)
    start = rolling.start(contact=(0.0, 0.0))
    forwards = zm.simulate(rolling, start, until=1.0).pulling()
    backwards = zm.simulate(rolling, start, until=-1.0).pulling()
    mirrored = sorted((-interval.end, -interval.begin) for interval in backwards)
    np.testing.assert_allclose(mirrored, [(i.begin, i.end) for i in forwards], rtol=0, atol=1e-12)
    assert all(interval.begin < interval.end for interval in backwards)


def test_only_rolling_bodies_have_a_contact():
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    run = zm.simulate(system, system.start({x: 0, zm.rate(x): 1}), until=1.0)
    for ask in (run.required_friction, run.pulling):
        with pytest.raises(zm.errors.ModelError, match=r"zm\.Rolling"):
            ask()
