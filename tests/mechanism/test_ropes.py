"""A rope that goes slack and taut: the ball on a string, exactly."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

g, L = 9.81, 1.3


def ball(speed: float):
    bob = zm.Particle("bob", mass=0.7, at=(0, 0, -L))
    rope = zm.Rope(zm.Ground(), bob, length=L, name="rope")
    system = zm.System([bob], gravity=g, joints=[rope])
    start = system.start([(bob.position, (0, 0, -L)), (bob.velocity, (speed, 0, 0))])
    return system, bob, rope, start


def test_it_leaves_its_circle_where_the_tension_ends_and_flies_a_parabola():
    """v₀² between 2gL and 5gL: slack at the height h with v² = g h, h = (v₀² − 2gL)/(3g) above the middle."""
    v0 = np.sqrt(3.5 * g * L)
    system, bob, rope, start = ball(v0)
    run = zm.simulate(system, start, until=2.5, rtol=1e-12, atol=1e-14)
    assert run.kinds[:2] == ("rope taut", "rope slack")
    slack = run.events[0]
    h = (v0**2 - 2 * g * L) / (3 * g)
    x, v = run.at(slack.t)[bob.position][0], run.at(slack.t)[bob.velocity][0]
    assert abs(x[2] - h) < 1e-9
    assert abs(v @ v - g * h) < 1e-8
    times = np.linspace(slack.t, run.events[1].t, 20)[:-1]
    s = (times - slack.t)[:, None]
    flight = x + v * s + np.array([0, 0, -g / 2]) * s**2
    np.testing.assert_allclose(run.at(times)[bob.position], flight, atol=1e-9)
    np.testing.assert_allclose(run.at(times[1:])[rope.tension], 0.0, atol=1e-9)
    assert np.all(run[rope.tension] > -1e-8)
    assert np.all(run[rope.slack] > -1e-9)


def test_where_it_becomes_taut_the_velocity_along_it_is_lost_and_no_other():
    v0 = np.sqrt(3.0 * g * L)
    system, bob, _, start = ball(v0)
    run = zm.simulate(system, start, until=2.0)
    taut = run.events[1]
    assert taut.name == "rope taut"
    before, after = run.segments[1].state(taut.t), run.segments[2].state(taut.t)
    n = before[bob.position] / L
    assert abs(np.linalg.norm(before[bob.position]) - L) < 1e-9
    vb, va = before[bob.velocity], after[bob.velocity]
    assert vb @ n > 0.1
    np.testing.assert_allclose(va, vb - (vb @ n) * n, atol=1e-9)
    (impulse,) = run.impulses
    lost = 0.7 * (vb @ n) ** 2 / 2
    assert impulse.t == taut.t
    assert set(impulse.constraints) == {"rope"}
    assert abs(impulse.energy + lost) < 1e-9
    assert run.work().imbalance < 1e-9  # of the energy of swing and flight; rtol is 1e-10
    assert run.remarks == ()
    assert run.certificate().digits > 8


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_slow_ones_never_go_slack(speed):
    system, _, rope, start = ball(speed)
    run = zm.simulate(system, start, until=3.0)
    assert run.kinds == ("rope taut",)
    assert np.all(run[rope.tension] > 0)


def test_a_start_with_a_stretched_rope_is_refused():
    system, bob, _, _ = ball(0.0)
    start = system.start([(bob.position, (0, 0, -2 * L))])
    with pytest.raises(zm.StartError, match=r"'rope' is stretched by 1\.3"):
        zm.simulate(system, start, until=1.0)
