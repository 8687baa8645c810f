"""The benchmark bicycle [MP2007]: eigenvalues of its straight run, its stable speeds, and a steady turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import zeromass as zm
from exact.bicycle import TABLE, TILT, Bicycle, G, bicycle


@pytest.fixture(scope="module")
def model() -> Bicycle:
    return bicycle()


def growth(model: Bicycle, speed: float) -> np.ndarray:
    return zm.analysis.linearize(model.system, model.straight(speed), states=model.states).eigenvalues


@pytest.mark.parametrize("speed", TABLE)
def test_eigenvalues_are_the_published_ones(model, speed):
    """Measured: 6e-13 at 7 m/s, where the table has 15 digits, and 1e-13 elsewhere; one more is 0, of the speed."""
    found = growth(model, float(speed))
    wanted = [x for λ in TABLE[speed] for x in {complex(λ), complex(λ).conjugate()}]
    assert len(found) == len(wanted) + 1 == 5
    for λ in wanted:
        assert np.abs(found - λ).min() < 1e-12
    assert np.abs(found).min() < 1e-12


def test_stable_between_weave_and_capsize_speed(model):
    """4.29238253634111 and 6.02426201538837 m/s [MP2007]; measured: 2e-13."""

    def weave(v):
        return max(λ.real for λ in growth(model, v) if abs(λ.imag) > 1e-3)

    def capsize(v):
        λ = growth(model, v)
        real = λ[np.abs(λ.imag) < 1e-9].real
        return real[np.argsort(np.abs(real))[1]]  # the smallest is that of the speed

    assert abs(brentq(weave, 4.0, 4.6, xtol=1e-13) - 4.29238253634111) < 1e-11
    assert abs(brentq(capsize, 5.8, 6.2, xtol=1e-13) - 6.02426201538837) < 1e-11


@pytest.mark.slow
def test_turns_without_hands_begin_at_the_capsize_speed(model):
    """Steady turns form a family that leaves the straight run where it loses its stability: v = v_c − O(lean²).

    Lean, steer and speed of such a turn stay constant in the run of it.
    """
    start = model.straight(6.0)
    guess = [(model.system.coordinates, start.q), (model.system.rates, start.v)]
    constant = {"lean": model.lean, "steer": model.steer, "speed": model.speed}
    below = []
    for lean in (0.02, 0.1):
        turn = model.system.equilibrium({model.lean: lean}, constant=constant, guess=guess)
        below.append(6.02426201538837 - turn[model.speed])
        assert np.abs(zm.analysis.linearize(model.system, turn, states=model.states).drift).max() < 1e-9
    assert abs(below[1] / below[0] - 25.0) < 1.0
    run = zm.simulate(model.system, turn, until=2.0, rtol=1e-12, atol=1e-14)
    for e in constant.values():
        assert np.ptp(run[e]) < 1e-9


@pytest.mark.slow
def test_a_turn_that_is_none_is_refused(model):
    """Speed and steer together are too much: without hands there is one turn at most for a speed."""
    start = model.straight(5.0)
    with pytest.raises(zm.errors.StartError, match=r"there is no such steady motion: no state satisfies .*of steer"):
        model.system.equilibrium(
            {model.speed: 5.0, model.steer: 0.05},
            constant={"lean": model.lean, "steer": model.steer, "speed": model.speed},
            guess=[(model.system.coordinates, start.q), (model.system.rates, start.v)],
        )


def steered(model: Bicycle) -> tuple[zm.System, zm.expression.Expression]:
    """The same with a torque of the rider between frame and fork."""
    frame, _, fork, _ = model.bodies
    torque = zm.parameter("torque", 0.0)
    axis = frame.rotate((-np.sin(TILT), 0.0, np.cos(TILT)))
    rows = {name: [row.zero for row in model.system.rows if row.group == name] for name in model.system.reaction}
    own = {name: zeros for name, zeros in rows.items() if "quaternion" not in name}
    twist = [zm.Torque(torque * axis, on=fork), zm.Torque(-torque * axis, on=frame)]
    return zm.System(model.system.parts, gravity=G, forces=twist, constraints=own), torque


@pytest.mark.slow
def test_steering_torque(model):
    """B is the second column of the inverse of the published M [MP2007]; a turn that needs a torque is held by it."""
    system, torque = steered(model)
    start = model.straight(5.0)
    straight = zm.State(system, 0.0, start.q, start.v, {torque: 0.0})
    linear = zm.analysis.linearize(system, straight, states=model.states, inputs=[torque])
    inverse = np.linalg.inv([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    assert np.abs(np.abs(linear.B[2:4, 0]) - np.abs(inverse[:, 1])).max() < 1e-12
    turn = system.equilibrium(
        {model.speed: 5.0, model.steer: 0.05},
        constant={"lean": model.lean, "steer": model.steer, "speed": model.speed},
        by=[torque],
        guess=[(system.coordinates, start.q), (system.rates, start.v)],
    )
    assert abs(turn.parameters[torque]) > 0.01
    run = zm.simulate(system, turn, until=1.0, rtol=1e-12, atol=1e-14)
    for e in (model.lean, model.steer, model.speed):
        assert np.ptp(run[e]) < 1e-9


def test_modes_are_named(model):
    """At 5 m/s the weave turns lean and steer out of phase; the eigenvalues of directions off the constraints are gone."""
    linear = zm.analysis.linearize(model.system, model.straight(5.0), states=model.states)
    weave = next(mode for mode in linear.modes() if mode.frequency > 0.1)
    assert set(weave.shape) == {"lean", "steer", "lean rate", "steer rate", "speed"}
    assert abs(weave.shape["speed"]) < 1e-9
    assert linear.removed == 2 * 28 - 10  # 7 coordinates and 3 rates are independent
    assert linear.ignored == 5
