"""The same input gives the same bits: from run to run, from build to build, and with other parameters the same code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import kepler, pendulum, sleigh, top, wire
from model.mechanisms import Shell, bowl
from zeromass.integrate.methods.collocation.stepper import Collocation

LANES = Collocation.lanes


def shell() -> tuple[zm.System, zm.State]:
    s = Shell(bowl)
    place, speed = s.contact.position[:2], s.center.velocity[:2]
    spin = s.n @ s.shell.angular_velocity
    given = [(place, (-1.5, -0.75)), (speed, (1.5, 1.0)), (spin, 0.0), (s.shell.quaternion, (1, 0, 0, 0))]
    return s.system, s.system.start(given)


def wheelset() -> tuple[zm.System, zm.State]:
    """Two conical wheels on an axle; a joint of them has contacts, whose formulas are built when they are asked for."""
    r, w, ρ, slope = 0.5, 0.75, 0.3, zm.parameter("slope", 0.05)
    axle, wheels = zm.RigidBody("axle", 1200.0, (600.0, 100.0, 600.0), at=(0, 0, r)), []
    for side, name in ((1, "left"), (-1, "right")):
        shift = (0, side * (w + ρ * np.sin(np.arctan(slope))), -ρ * np.cos(np.arctan(slope)))
        rail = zm.Surface(lambda X, Y, Z: (Y**2 + Z**2 - ρ**2) / (2 * ρ), shift=shift, name=f"{name} rail")
        given = {"profile": lambda y, side=side: r - side * slope * y, "center": (0, side * w, 0), "two_sided": True}
        wheels.append(zm.joints.WheelOnSurface(zm.Ground(), axle, rail, **given, axis=(0, 1, 0), name=name))
    system = zm.System([axle], gravity=9.81, joints=wheels)
    x, y, _ = axle.position
    return system, system.start({x: 0, y: 1e-4, axle.rotation[0, 1]: 0, axle.velocity[0]: 10.0})


def _of(problem) -> tuple[zm.System, zm.State]:
    return problem.system, problem.start


SYSTEMS = {
    "pendulum": lambda: pendulum()[1:],
    "orbit": lambda: _of(kepler()),
    "wire": lambda: _of(wire()),
    "top": lambda: _of(top()),
    "sleigh": lambda: _of(sleigh()),
    "shell": shell,
    "wheelset": wheelset,
}
NAMES = pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "wheelset"])


def same(a: zm.Run, b: zm.Run) -> bool:
    return np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y) and a.statistics == b.statistics


@NAMES
@pytest.mark.parametrize("options", [{}, {"method": "fixed", "step": 0.02}], ids=["controlled", "fixed"])
def test_the_same_run_twice(name, options):
    system, start = SYSTEMS[name]()
    first = zm.simulate(system, start, until=2.0, **options)
    second = zm.simulate(system, start, until=2.0, **options)
    assert same(first, second)
    assert first.program is second.program
    times = np.linspace(0, 2, 101)
    assert np.array_equal(first.at(times).y, second.at(times).y)


@NAMES
def test_the_same_system_built_twice(name):
    """Formulas are put into machine code in an order that does not depend on what was built before."""
    runs = []
    for noise in range(3):
        for i in range(noise):  # formulas of others in between
            x = zm.coordinate("x")
            np.sin(x) * x + i
        system, start = SYSTEMS[name]()
        runs.append(zm.simulate(system, start, until=2.0))
    assert same(runs[0], runs[1])
    assert same(runs[0], runs[2])
    assert runs[0].program.native.rhs(LANES) is runs[1].program.native.rhs(LANES) is runs[2].program.native.rhs(LANES)


PROGRAM = """
import hashlib, sys
sys.path.insert(0, {tests!r})
import zeromass as zm
from integrate.test_repeatability import SYSTEMS
for name in sys.argv[1:]:
    system, start = SYSTEMS[name]()
    run = zm.simulate(system, start, until=2.0)
    print(name, hashlib.sha256(run.t.tobytes() + run.y.tobytes()).hexdigest())
"""


def test_the_same_bits_in_another_process():
    """Whatever the seed of Python's hashes, and in whatever order systems are built."""
    tests = str(Path(__file__).parents[1])
    names = ["pendulum", "sleigh", "shell", "wheelset"]
    outputs = []
    for seed, order in (
        ("3", names),
        ("4", names[::-1]),
    ):  # in which Python 3.11 orders the names of a protocol otherwise
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", PROGRAM.format(tests=tests), *order]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outputs.append(sorted(done.stdout.splitlines()))
    assert len(outputs[0]) == len(names)
    assert outputs[0] == outputs[1]


def test_parameters_change_without_compiling():
    """Other parameters, the same machine code, and the motion of a system that was built with them as numbers."""
    length, mass = zm.parameter("length", 0.7), 1.3
    bob, system, start = pendulum(length)
    first = zm.simulate(system, start, until=2.0)
    for value in (0.5, 0.9, 1.4):
        place = value * np.array([np.sin(1.0), -np.cos(1.0)])
        other = system.start([(bob.position[:2], place)], parameters={length: value})
        run = zm.simulate(system, other, until=2.0)
        assert run.program.native.rhs(LANES) is first.program.native.rhs(LANES)
        assert run.parameters[length] == value
        fixed_bob, fixed, fixed_start = pendulum(value)
        expected = zm.simulate(fixed, fixed_start, until=2.0)
        assert np.max(np.abs(run.at(2.0)[bob.position] - expected.at(2.0)[fixed_bob.position])) <= 1e-8 * mass
        assert run.at(1.0)[length] == value  # a parameter along a run is its value in it


def test_parameters_given_to_the_run():
    """A parameter of forces alone may be given to simulate: the start stays consistent."""
    k = zm.parameter("k", 1.0)
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    start = system.start({x: 1.0})
    runs = {value: zm.simulate(system, start, until=5.0, rtol=1e-12, parameters={k: value}) for value in (1.0, 4.0)}
    for value, run in runs.items():
        assert np.max(np.abs(run[x] - np.cos(np.sqrt(value) * run.t))) <= 1e-10
        assert run.parameters[k] == value
        assert np.max(np.abs(run[system.energy] - value / 2)) <= 1e-10
    assert runs[1.0].program is runs[4.0].program
    assert start.parameters[k] == 1.0
