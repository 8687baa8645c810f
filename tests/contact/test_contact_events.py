"""How a run of a rolling body ends: contact lost, slipping, a hollow too tight; and how it goes on regardless."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import zeromass as zm
from exact.measure import TIGHT, exact_run
from zeromass.integrate.outcome import Ending

R, r, k = 0.6, 0.1, 2 / 5
BALL = zm.bodies.ball(r, 0.4)


def over_the_top(**options) -> zm.Run:
    """A ball that rolls off a sphere from rest at θ₀ = 0.3."""
    rolling = zm.Rolling(BALL, on=zm.surfaces.sphere(R), **options)
    return exact_run(rolling, rolling.start(contact=(R * np.sin(0.3), 0), guess=R), 1.5, transitions=False)


def test_one_sided_contact_ends_where_the_force_is_zero():
    run = over_the_top()
    assert run.outcome.ending is Ending.EVENT
    assert "'contact lost'" in run.outcome.message
    force = run[run.system.normal_force]
    assert np.all(force[:-1] > 0)
    assert abs(force[-1]) <= 1e-12 * force[0]


def test_two_sided_contact_goes_on_and_marks_the_pull():
    """The same place to 1e-13 s; below the middle of the sphere the surface pulls all the time."""
    end, run = over_the_top(), over_the_top(two_sided=True)
    assert run.outcome.ending is Ending.FINISHED
    assert [event.name for event in run.events][:1] == ["contact lost"]
    assert run.events[0].t == pytest.approx(end.t[-1], abs=1e-12)
    assert run.at(run.events[0].t + 0.01)[run.system.normal_force] < 0


def test_would_slip():
    """On a sphere from rest the friction needed is k sin θ/((3 + k) cos θ − 2 cos θ₀) of the normal force."""
    μ, c0 = 0.25, np.cos(0.3)
    run = over_the_top(friction=μ)
    assert "'would slip'" in run.outcome.message
    θ = brentq(lambda θ: k * np.sin(θ) - μ * ((3 + k) * np.cos(θ) - 2 * c0), 0.3, 0.9, xtol=1e-15)
    assert run[run.system.normal[2]][-1] == pytest.approx(np.cos(θ), abs=1e-13)
    assert run[run.system.friction_ratio][-1] == pytest.approx(μ, abs=1e-12)


@pytest.mark.parametrize(("μ", "runs"), [(2 / 7 * np.tan(0.4) * 1.001, True), (2 / 7 * np.tan(0.4) * 0.999, False)])
def test_a_slope_too_steep_for_its_friction(μ, runs):
    rolling = zm.Rolling(BALL, on=zm.surfaces.plane(0.4), friction=μ)
    run = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=0.5, transitions=False)
    assert run.modes == ("rolling" if runs else "slipping",)
    assert run.t[-1] == 0.5


def test_a_start_where_the_surface_would_pull():
    rolling = zm.Rolling(BALL, on=zm.surfaces.sphere(R))
    start = rolling.start(contact=(0, 0), guess=R, velocity=(3.0, 0.0))
    assert start[rolling.normal_force] < 0
    run = zm.simulate(rolling, start, until=1.0)
    assert run.t[-1] == 0.0
    assert "'contact lost' already at the start" in run.outcome.message
    assert "two-sided" in run.outcome.message


@pytest.mark.parametrize(
    ("surface", "start"),
    [
        (zm.Surface(lambda X, Y: 4 * X**2 * np.exp(Y) - 0.2 * Y), {"contact": (0.01, 0.0), "velocity": (0.0, 0.5)}),
        (zm.Surface(lambda X, Y: zm.t * X**2 + 0.1 * Y**2), {"contact": (0.05, 0.3)}),
        pytest.param(
            zm.Surface(lambda X, Y, Z: X**2 + Y**2 + Z**2 - (0.5 - zm.t) ** 2, side=-1),
            {"contact": (0.1, 0.0), "guess": -0.5},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["a valley that narrows", "a bowl that bends", "a balloon that shrinks"],
)
def test_hollow_too_tight(surface, start):
    """The run ends where the radius of curvature is the ball's up to 1e-4; the contact point runs ever faster towards it.

    On the balloon it swings ever faster, without bound: no step is short enough in the end, and the reason is named.
    """
    rolling = zm.Rolling(BALL, on=surface, two_sided=True)
    run = zm.simulate(rolling, rolling.start(**start), until=10.0)
    assert "'hollow too tight'" in run.outcome.message
    assert ("nearly" in run.outcome.message) <= ("guess" in start)  # the balloon alone
    if "nearly" in run.outcome.message:
        assert 1e-4 < run[rolling.clearance][-1] < 1e-3
    else:
        assert run[rolling.clearance][-1] == pytest.approx(
            1e-4, abs=3e-8
        )  # rounding under a square root on the balloon
    K = run.state(float(run.t[-1]))[rolling.surface.curvature(rolling.contact)]
    near = 2e-3 if "nearly" in run.outcome.message else 2e-4
    assert -1 / np.real(np.linalg.eigvals(K)).min() == pytest.approx(r, rel=near)


def test_a_socket_with_a_part_in_a_thousand_of_play():
    """A ball in a hollow sphere is not too tight: it swings as a pendulum of length 7/5 (R − r), and its contact far."""
    socket = 1.001 * r
    rolling = zm.Rolling(BALL, on=zm.surfaces.sphere(socket, inside=True))
    start = rolling.start(contact=(socket * np.sin(0.2), 0, -socket * np.cos(0.2)))
    crossing = zm.Event("bottom", rolling.contact[0], terminal=False)
    run = zm.simulate(rolling, start, until=0.2, events=crossing, **TIGHT)
    times = [event.t for event in run.events]
    ω = np.pi * (len(times) - 1) / (times[-1] - times[0])
    assert ω**2 == pytest.approx(9.81 / (7 / 5 * (socket - r)) * (1 - 0.2**2 / 8), rel=1e-4)  # next term θ₀⁴/…


def test_a_two_sided_contact_is_lost_and_resumed():
    """Events take turns with their names, and no friction is enough while the surface pulls."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * np.cos(3 * X)), two_sided=True)
    run = zm.simulate(ball, ball.start(contact=(0.01, 0.0), velocity=(4.0, 0.0)), until=1.5)
    spans = run.pulling()
    assert len(spans) == 3
    named = {
        name: [event.t for event in run.events if event.name == name] for name in ("contact lost", "contact resumed")
    }
    np.testing.assert_allclose(named["contact lost"], [span.begin for span in spans[1:]], atol=1e-11)
    np.testing.assert_allclose(named["contact resumed"], [span.end for span in spans], atol=1e-11)
    t = np.linspace(0.0, 1.5, 301)
    ratio, normal = run.at(t)[ball.friction_ratio], run.at(t)[ball.normal_force]
    assert np.all(ratio[normal < 0.0] == np.inf)
    friction = run.at(t)[ball.friction_magnitude]
    np.testing.assert_array_equal(ratio[normal > 0.0], (friction / normal)[normal > 0.0])
    assert run.maximum(ball.friction_ratio).value == np.inf
    assert 0.0 <= run.minimum(ball.friction_ratio).value < 1e-6
    assert "nan" not in run._repr_html_()
