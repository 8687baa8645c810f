"""Modes as motions: on the constraints, in their shape, at their frequency, and near to what the system does."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from mechanism.bicycle import bicycle


@pytest.fixture(scope="module")
def chain():
    """Two bars on hinges, in seven coordinates a bar."""
    bars = [zm.RigidBody(f"bar {k}", 1.0, (1 / 12, 1 / 12, 1e-3), at=(0, 0, -0.5 - k)) for k in range(2)]
    joined = zip([zm.Ground(), bars[0]], bars, strict=True)
    pins = [zm.joints.Revolute(a, b, at=(0, 0, -k), axis=(0, 1, 0)) for k, (a, b) in enumerate(joined)]
    system = zm.System(bars, gravity=9.81, joints=pins)
    return system, bars, pins, zm.analysis.linearize(system, system.equilibrium())


def test_a_mode_swings_on_its_constraints_in_its_shape(chain):
    system, bars, _, linear = chain
    for mode in linear.modes():
        run = mode.motion(0.2, periods=2.0)
        assert run.outcome.complete
        assert abs(run.t[-1] - 2 / mode.frequency) < 1e-12
        dense = run.at(np.linspace(0, run.t[-1], 101))
        zeros = np.array([row.zero for row in system.rows if row.level == 0])
        assert np.abs(run[zeros]).max() < 1e-12
        assert np.abs(dense[zeros]).max() < 1e-6  # between phases, sums of 16 harmonics
        speed = np.gradient(dense[bars[1].position[0]], dense.t, edge_order=2)
        np.testing.assert_allclose(dense[bars[1].velocity[0]], speed, atol=0.01 * np.abs(speed).max())


def test_a_small_mode_is_the_motion_of_the_system(chain):
    """x = Re(a v e^{λt}): two runs of amplitude a differ by a² alone."""
    system, bars, _, linear = chain
    for mode in linear.modes():
        for a in (1e-2, 1e-3):
            start = linear.displaced(mode, a)
            run = zm.simulate(system, start, until=1.0 / mode.frequency)
            shown = mode.motion(a, periods=1.0)
            times = np.linspace(0, run.t[-1], 21)
            off = run.at(times)[bars[1].position] - shown.at(times)[bars[1].position]
            assert np.abs(off).max() < 3 * a**2


def test_what_moves_most_is_seen_to_move(chain):
    """By default an eighth of the picture, or half a radian, whichever is less."""
    *_, bars, pins, linear = chain
    for mode in linear.modes():
        run = mode.motion()
        ends = [run[bar.position] for bar in bars]
        moved = max(np.linalg.norm(np.ptp(end, axis=0)) / 2 for end in ends)
        turned = max(np.ptp(np.cumsum([run[pin.angle] for pin in pins], axis=0), axis=1)) / 2
        assert 0.7 < max(moved / 0.12, turned / 0.5) < 1.05  # the mass centres are 1 m apart; the way back is shorter


def test_a_mode_is_written_as_a_page(chain, tmp_path):
    mode = chain[-1].modes()[0]
    text = mode.view(tmp_path / "mode.html").read_text()
    assert f"<title>mode of {mode.frequency:.4g} Hz, damping 0</title>" in text
    assert '"title":"shape"' in text


@pytest.mark.slow
def test_the_weave_of_a_bicycle_can_be_looked_at(tmp_path):
    """A mode of a steady motion, in states that were named; the bicycle stays where it is."""
    made = bicycle()
    lean = made.wheel.rotate((0, 1, 0))[2]
    kept = {"lean": lean, "steer": made.steer.angle, "lean rate": zm.rate(lean), "steer rate": made.steer.rate}
    linear = zm.analysis.linearize(made.system, made.system.start({made.rear.rate: 5.0 / 0.3}), states=kept)
    weave = next(mode for mode in linear.modes() if mode.frequency)
    run = weave.motion(0.1)
    about = [run[e] - linear.at[e] for e in (lean, made.steer.angle)]
    seen = [abs(weave.vector[k]) * 0.1 for k in range(2)]
    np.testing.assert_allclose([np.abs(values).max() for values in about], seen, rtol=0.02)
    assert weave.view(tmp_path / "weave.html").exists()


def test_what_moves_with_time_is_not_frozen():
    bob = zm.Particle("bob", mass=1.0)
    x, y, z = bob.position
    shaken = zm.System(
        [bob], gravity=9.81, constraints={"rod": x**2 + z**2 - (1 + 0.1 * np.sin(zm.t)) ** 2, "plane": y}
    )
    linear = zm.analysis.linearize(shaken, shaken.start({x: 0.0}, guess={z: -1.0}))
    with pytest.raises(zm.errors.ModelError, match=r"moves with time; look at a run from linear\.displaced"):
        linear.modes()[0].motion()
