"""Names stand for coordinates, parameters, vectors and quantities wherever these are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

theta = zm.coordinate("theta")
m, angle = zm.parameter("m", 1.0), zm.parameter("angle", 0.3)
torque = zm.parameter("torque", 0.0)
ARM = zm.System(kinetic=m * zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta), forces={theta: torque})
bob = zm.Particle("bob", mass=1.0)
PIN = zm.joints.Revolute(
    zm.Ground(), zm.RigidBody("rod", 1.0, (1.0, 1.0, 1.0), at=(1, 0, 0)), axis=(0, 1, 0), name="pin"
)


@pytest.fixture(scope="module")
def run():
    return zm.simulate(ARM, ARM.start({theta: angle}), until=1.0)


def test_starts_and_their_parameters():
    start = ARM.start({"theta": angle, "rate(theta)": 2.0}, parameters={"m": 2.0, "angle": 0.5})
    same = ARM.start({theta: angle, zm.rate(theta): 2.0}, parameters={m: 2.0, angle: 0.5})
    assert np.array_equal([*start.q, *start.v], [0.5, 2.0])
    assert (start["theta"], start["rate(theta)"], start["energy"]) == (
        same[theta],
        same[zm.rate(theta)],
        same[ARM.energy],
    )
    assert ARM.start({}, guess={"theta": 0.2})[theta] == 0.2


def test_vectors_of_bodies_and_angles_of_joints():
    system = zm.System([bob, PIN.b.body], gravity=9.81, joints=[PIN])
    start = system.start({"bob.position": (1, 2, 3), "pin.angle": 0.4, "pin.rate": 1.0})
    assert np.array_equal(start["bob.position"], start[bob.position])
    assert start["pin.angle"] == start[PIN.angle]
    assert np.array_equal(start["pin.force"], start[PIN.force])
    assert np.array_equal(start[["bob.x", theta_of(PIN)]], [1.0, 0.4])


def theta_of(joint):
    return joint.angle


def test_runs(run):
    assert np.array_equal(run["theta"], run[theta])
    assert np.array_equal(run.at([0.2])["acceleration(theta)"], run.at([0.2])[zm.acceleration(theta)])
    assert run.maximum("rate(theta)") == run.maximum(zm.rate(theta))
    assert run.mean("theta") == run.mean(theta)
    assert np.array_equal(run.adjoint("theta").start, run.adjoint(theta).start)
    assert run.certificate(of="theta").of[0].name == "theta"
    again = zm.simulate(ARM, run.start, until=1.0, parameters={"m": 3.0})
    assert np.array_equal(again.y, zm.simulate(ARM, run.start, until=1.0, parameters={m: 3.0}).y)


def test_studies(run):
    ours, theirs = (zm.sweep(ARM, run.start, until=0.5, over=over, keep={"end": theta}) for over in (
        {"m": [1.0, 2.0], "angle": [0.1, 0.2]}, {m: [1.0, 2.0], angle: [0.1, 0.2]}))  # fmt: skip
    assert ours.equals(theirs)


def test_analyses(run):
    rest = ARM.equilibrium({"theta": 0.2}, by=["torque"])
    assert rest.parameters[torque] == pytest.approx(9.81 * np.sin(0.2), rel=1e-12)
    linear = zm.analysis.linearize(ARM, rest, inputs=["torque"], outputs=["theta"])
    assert (linear.inputs, linear.outputs) == (("torque",), ("theta",))
    path = zm.analysis.branch(ARM, ARM.equilibrium(), over=("torque", 0.0, 1.0))
    assert path.parameter is torque
    times = np.linspace(0.0, 1.0, 5)
    found = zm.analysis.fit(run, {"theta": (times, run.at(times)[theta])}, over=["angle"], bounds={"angle": (0.0, 1.0)})
    assert found.values["angle"] == found.values[angle] == pytest.approx(0.3)
    assert found.interval("angle") == found.interval(angle)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda run: run["thta"], "nothing that is called 'thta'; did you mean 'theta'?"),
        (lambda run: ARM.start({"phi": 1.0}), "nothing that is called 'phi'; there are: "),
        (lambda run: ARM.start(parameters={"mm": 1.0}), "'mm' is no parameter of the system; its parameters are: m, torque"),
        (lambda run: zm.sweep(ARM, run.start, until=1.0, over={"q": [1.0]}, keep=[theta]), "over: 'q' is no zm.parameter"),
        (lambda run: zm.analysis.fit(run, {"theta": ([0.5], [0.1])}, over=["q"]), "made by zm.parameter, and 'q' is none"),
    ],
)  # fmt: skip
def test_unknown_names_are_told_with_those_that_there_are(run, call, words):
    with pytest.raises(zm.errors.ModelError) as caught:
        call(run)
    assert words in str(caught.value)
