"""Surfaces whose velocity jumps: what a contact gives of the impulse, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

RADIUS, MASS = 0.1, 0.5


def at_one(along: float, up: float, **options) -> zm.Run:
    """A ball that rests on a plane whose velocity goes over from (−along, −up) to (along, up) at t = 1 s."""
    ramp = np.abs(zm.t - 1)
    plane = zm.Surface(lambda X, Y: 0 * X, shift=(along * ramp, 0, up * ramp), name="plane")
    ball = zm.Rolling(zm.bodies.ball(RADIUS, MASS), on=plane, **options)
    start = ball.start(contact=(along, 0, up), velocity=(-along, 0, -up))
    return zm.simulate(ball, start, until=1.5)


def test_a_stroke_from_below_is_taken_as_it_is():
    """m Δv = 2 m u upwards, from −u to u: the surface gives no energy that is not in it."""
    run = at_one(0.0, 0.4)
    (impulse,) = run.impulses
    body = [run.system.index(x) for x in run.system.body.position]
    assert impulse.change[body] == pytest.approx([0, 0, 0.8], abs=1e-12)
    assert impulse.energy == pytest.approx(0.0, abs=1e-12)


def test_a_surface_that_would_have_to_pull_ends_the_run_by_name():
    """A plane that drops at once pulls a ball along only if its contact is two-sided."""
    with pytest.warns(zm.errors.RunStopped):
        run = at_one(0.0, -0.4)
    assert run.outcome.ending == "ambiguous"
    assert "struck" in run.outcome.message
    assert run.t[-1] == pytest.approx(1.0, abs=1e-12)
    both = at_one(0.0, -0.4, two_sided=True)
    assert both.outcome.ending == "finished"
    assert len(both.impulses) == 1


@pytest.mark.parametrize(("up", "taken"), [(1.0, True), (0.2, False)])
def test_a_stroke_along_the_surface_is_taken_as_far_as_friction_goes(up, taken):
    """The ball takes 2/7 of the belt's Δv, with an impulse 2/7 m Δv along, μ m Δu = 2 μ m up at most: then it slips."""
    along, μ = 0.5, 0.2
    assert (2 / 7 * 2 * along <= μ * 2 * up) == taken
    run = at_one(along, up, friction=μ)
    (impulse,) = run.impulses
    body = [run.system.index(x) for x in run.system.body.position]
    change = 2 / 7 * 2 * along if taken else μ * 2 * up
    assert impulse.change[body] == pytest.approx([change, 0, 2 * up], abs=1e-12)
    assert run.modes == ("rolling", "rolling") if taken else ("rolling", "slipping", "rolling")
