"""The reference for motions with switches, against closed forms: it judges, so it is judged first."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.references.closed_forms import EXACT, block
from integrate.references.pieces import Clock, Pieces, Switch, Unclear
from integrate.references.piecewise import motion


@pytest.mark.parametrize("problem", EXACT, ids=lambda f: f.__name__)
def test_closed_forms(problem):
    """Measured at most 5e-13 in states and 2e-13 s in switching times; the steps are held to 1e-13 each."""
    exact = problem()
    times = np.linspace(0.0, exact.until, 60)
    found = motion(exact.pieces, exact.start, times)
    assert np.abs(found.y - exact.solution(times)).max() <= 3e-12
    if exact.pieces.switches:
        changes = [change.t for change in found.changes if change.t > 0]
        np.testing.assert_allclose(changes, exact.switches, rtol=0, atol=1e-12)


def test_two_contacts_stick_together_and_one_by_one():
    """Two blocks, the lower on the ground, pushed by F(t) = t on the lower one, friction 1 on the ground, 5 between them.

    Until t = 1 nothing moves; then both go as one, (m₁ + m₂) ẍ = t − 1.
    """

    def slope(t, y, p):
        ground, between = 2 * p[0] - 1, 5 * (2 * p[1] - 1)
        return np.array([y[2], y[3], (t - ground + between) / 2.0, -between / 1.0])

    switches = [Switch("ground", lambda t, y: y[2]), Switch("between", lambda t, y: y[3] - y[2])]
    found = motion(Pieces(slope, switches), [0.0, 0.0, 0.0, 0.0], np.linspace(0.0, 3.0, 31))
    moved = np.clip(found.t - 1, 0, None) ** 3 / 18
    np.testing.assert_allclose(found.y[:, 0], moved, atol=1e-13)
    np.testing.assert_allclose(found.y[:, 1], moved, atol=1e-13)
    assert found.changes[-1].t == pytest.approx(1.0, abs=1e-12)


def test_a_short_pulse_is_exact():
    """1 N for 1 ms in 10 s, and what a jump of the speed does."""
    clock = Clock(lambda t: float(5.0 < t < 5.001), (5.0, 5.001))
    jumps = {7.0: lambda y: np.array([y[0], -y[1]])}
    pieces = Pieces(lambda t, y, p: np.array([y[1], p[0]]), clocks=[clock], jumps=jumps)
    found = motion(pieces, [0.0, 0.0], [0.0, 7.0, 10.0])
    np.testing.assert_allclose(found.y[1], [1e-6 / 2 + 1e-3 * 1.999, 1e-3], rtol=1e-12)
    np.testing.assert_allclose(found.y[2], [1e-6 / 2 + 1e-3 * (1.999 - 3), -1e-3], rtol=1e-12)


def test_two_crossings_within_a_step_are_seen():
    """A window of 1e-3 m that a free mass crosses: steps alone would be as long as the run."""
    switches = [Switch("in", lambda t, y: y[0] - 1.0), Switch("out", lambda t, y: y[0] - 1.001)]
    pieces = Pieces(lambda t, y, p: np.array([y[1], p[0] - p[1]]), switches)
    found = motion(pieces, [0.0, 1.0], [0.0, 10.0])
    assert found.y[-1, 1] == pytest.approx(np.sqrt(1 + 2e-3), abs=1e-13)


def test_what_is_not_determined_is_unclear():
    """ẍ = + sign ẋ at rest may go either way, or stay."""
    pieces = Pieces(lambda t, y, p: np.array([y[1], 2 * p[0] - 1]), [Switch("ẋ", lambda t, y: y[1])])
    with pytest.raises(Unclear, match="ways to go on"):
        motion(pieces, [0.0, 0.0], [0.0, 1.0])


def test_switches_without_end_are_unclear():
    """ẍ = −sign x − 0.3 sign ẋ: half-swings shrink by 0.7/1.3 each, infinitely many in a finite time."""
    switches = [Switch("x", lambda t, y: y[0]), Switch("ẋ", lambda t, y: y[1])]
    pieces = Pieces(lambda t, y, p: np.array([y[1], 1 - 2 * p[0] - 0.3 * (2 * p[1] - 1)]), switches)
    with pytest.raises(Unclear):
        motion(pieces, [1.0, 0.0], [0.0, 100.0])


def test_friction_at_rest_without_a_push_stays():
    exact = block()
    found = motion(exact.pieces, (0.3, 0.0), [0.0, 5.0])
    np.testing.assert_array_equal(found.y[-1], [0.3, 0.0])
