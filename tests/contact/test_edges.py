"""Edges of surfaces: valleys, which a ball touches on both sides, and ridges, about which it turns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import quad

import zeromass as zm

G, RADIUS, SLOPE = 9.81, 0.1, 0.3
ANGLE = np.arctan(SLOPE)


def stopped(rolling: zm.Rolling, start: zm.State, until: float) -> zm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zm.simulate(rolling, start, until=until)


def on(height, name: str, **options) -> zm.Rolling:
    return zm.Rolling(zm.bodies.ball(RADIUS, 0.5), on=zm.Surface(height, name=name), **options)


@pytest.mark.parametrize("friction", [None, 0.5])
@pytest.mark.parametrize(
    ("height", "turn"),
    [(lambda X, Y: SLOPE * abs(X), 2 * ANGLE), (lambda X, Y: np.maximum(SLOPE * X, 0.0), ANGLE)],
)
def test_a_valley_is_named_and_the_way_into_its_other_side_is_remarked(height, turn, friction):
    """With the contact in the edge the other side is r cos θ from the centre, θ what the slope turns by."""
    ball = on(height, "valley", friction=friction)
    run = stopped(ball, ball.start(contact=(-1, 0), velocity=(1, 0)), 2.0)
    assert run.outcome.ending == "jump"
    assert "'valley' has a valley at (0, 0, 0) m" in run.outcome.message
    assert f"turns by {np.degrees(turn):.3g}°" in run.outcome.message
    assert np.ptp(run[ball.energy]) < 1e-9
    (remark,) = run.remarks
    assert f"lies {RADIUS * (1 - np.cos(turn)):.3g} m inside 'valley'" in remark


@pytest.mark.parametrize("gap", [1e-4, -1e-4])
def test_where_a_ball_touches_both_sides(gap):
    """Its centre is above the edge, at r/cos α, and it touches where |X| = r sin α."""
    ball = on(lambda X, Y: SLOPE * abs(X), "valley")
    if gap > 0:
        ball.start(contact=(-RADIUS * np.sin(ANGLE) - gap, 0.0))
    else:
        with pytest.raises(zm.errors.StartError, match="inside"):
            ball.start(contact=(-RADIUS * np.sin(ANGLE) - gap, 0.0))


@pytest.mark.parametrize("height", [lambda X, Y: -SLOPE * abs(X), lambda X, Y: np.minimum(-SLOPE * X, 0.0)])
def test_a_ridge_is_named(height):
    ball = on(height, "ridge")
    run = stopped(ball, ball.start(contact=(-0.2, 0), velocity=(2.0, 0)), 2.0)
    assert run.outcome.ending == "jump"
    assert "'ridge' has a ridge at (0, 0, 0) m" in run.outcome.message
    assert "round it" in run.outcome.message
    assert run.remarks == ()
    assert np.ptp(run[ball.energy]) < 1e-9


def over_a_ridge(speed: float, way: float) -> float:
    """Time from a contact at −way to one at way, by the ball's turning about the edge as an inverted pendulum.

    Up and down v² = v₀² ∓ 10/7 g h; about the edge 7/10 r² φ˙² + g r cos φ is constant, from −α to α.
    """
    at_edge = np.sqrt(speed**2 - 10 / 7 * G * way * SLOPE)
    slopes = 2 * (speed - at_edge) / (5 / 7 * G * np.sin(ANGLE))

    def rate(φ):
        return np.sqrt((at_edge / RADIUS) ** 2 - 10 / 7 * G / RADIUS * (np.cos(φ) - np.cos(ANGLE)))

    return slopes + quad(lambda φ: 1 / rate(φ), -ANGLE, ANGLE, epsabs=1e-12)[0]


def test_a_rounded_ridge_is_the_edge_in_the_limit():
    """−0.3 √(X² + ε²): the time over it comes to that of a ball that turns about the edge, ten times closer with ε/10."""
    way = 0.3
    speed = np.sqrt(0.5**2 + 10 / 7 * G * way * SLOPE)
    late = []
    for ε in (1e-3, 1e-4, 1e-5):
        ball = on(lambda X, Y, ε=ε: -SLOPE * np.sqrt(X**2 + ε**2), "ridge")
        start = ball.start(contact=(-way, 0), velocity=(speed * np.cos(ANGLE), 0))
        run = zm.simulate(ball, start, until=3.0, events={"beyond": ball.contact[0] - way}, rtol=1e-11)
        assert run.outcome.ending == "event"
        assert run.at(run.t[-1])[ball.energy][0] == pytest.approx(start[ball.energy], abs=1e-9)
        late.append(run.t[-1] - over_a_ridge(speed, way))
    assert np.abs(late[:2]) == pytest.approx(10 * np.abs(late[1:]), rel=0.1)
    assert abs(late[-1]) < 1e-4
