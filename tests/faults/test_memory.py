"""A run, and what is asked of it, take a bounded amount of memory: in blocks, and with a named outcome."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate import Ending, Settings, memory


def pendulum() -> tuple[zm.System, zm.expression.Symbol]:
    x = zm.coordinate("x")
    return zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-9.81 * np.cos(x), forces={x: -0.1 * zm.rate(x)}), x


METHODS = {
    "fixed": {"method": "fixed", "step": 1e-3},
    "collocation": {"longest_step": 1e-3},
    "dop853": {"method": "dop853", "longest_step": 1e-3},
    "radau": {"method": "radau", "longest_step": 1e-3},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_run_ends_before_it_takes_more_than_it_may(method):
    """As far as it goes it is the run without a bound, to the last bit."""
    system, x = pendulum()
    start = system.start({x: 1.0})
    with pytest.warns(zm.errors.RunStopped, match="out of memory"):
        run = zm.simulate(system, start, until=100.0, memory=3e6, **METHODS[method])
    assert run.outcome.ending == Ending.OUT_OF_MEMORY == "out of memory"
    assert "2.86 MiB" in run.outcome.message
    assert "memory=" in run.outcome.message
    assert not run.outcome.complete
    assert 3e5 < run.t.nbytes + run.y.nbytes < 3e6
    free = zm.simulate(system, start, until=100.0, **METHODS[method])
    assert np.array_equal(run.y, free.y[: len(run)])
    inside = run.t[:-1:97] + np.diff(run.t)[::97] / 3
    assert np.array_equal(run.at(inside).y, free.at(inside).y)
    further = zm.simulate(system, run.state(run.t[-1]), until=run.t[-1] + 1.0)
    assert further.outcome.complete


def test_events_count_too():
    system, x = pendulum()
    often = zm.Event("often", np.sin(1e4 * zm.t), terminal=False)
    with pytest.warns(zm.errors.RunStopped, match="out of memory"):
        run = zm.simulate(
            system, system.start({x: 1.0}), until=100.0, memory=3e6, step=1e-4, method="fixed", events=often
        )
    assert 100 < len(run.events) < 3e6 / 400


def test_segments_share_the_bound():
    """Each segment is small; all of them together are not."""
    run = zm.simulate(*_bouncing(), until=1.0)
    assert len(run.segments) > 3
    with pytest.warns(zm.errors.RunStopped, match="out of memory"):
        bounded = zm.simulate(*_bouncing(), until=1.0, longest_step=1e-5, memory=2e7)
    assert len(bounded.segments) < len(run.segments)


def _bouncing() -> tuple[zm.System, zm.State]:
    """A ball that rolls and slips in turns on a plate that is shaken."""
    plate = zm.surfaces.plane(shift=(0.05 * np.sin(40 * zm.t), 0, 0))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=plate, friction=0.1)
    return ball, ball.start(contact=(0.0, 0.0))


def test_the_usual_bound_is_a_quarter_of_the_machine():
    assert Settings().bound == memory.machine_memory() // 4
    assert 2**28 < memory.machine_memory() < 2**50
    assert Settings(memory=1e9).bound == 1e9
    assert Settings(memory=np.inf).bound == np.inf


def test_limits_of_the_process_count():
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, resource.RLIM_INFINITY))
from zeromass.integrate.memory import machine_memory
print(machine_memory() == 3 * 2**30)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


SMALL = {
    "zeromass.expression.evaluate": {"AT_ONCE": 40},
    "zeromass.integrate.segment": {"AT_ONCE": 7},
    "zeromass.integrate.stepping.dense": {"AT_ONCE": 5, "REMEMBERED": 3},
    "zeromass.compile.lanes": {"AT_ONCE": 8},
}


def bob_run() -> tuple[zm.Run, list]:
    bob = zm.Particle("bob", mass=0.5)
    string = (bob.position @ bob.position - 1.0) / 2
    system = zm.System([bob], gravity=9.81, constraints={"string": string, "again": 2 * string})
    start = system.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, (0.0, 0.3, 0.0))])
    run = zm.simulate(system, start, until=2.0)
    return run, [system.energy, bob.position, system.multipliers, system.accelerations, np.sin(bob.position[0]) * zm.t]


def test_blocks_do_not_change_what_is_computed(monkeypatch):
    run, asked = bob_run()
    times = np.linspace(0.0, 2.0, 101)
    whole = [run[e] for e in asked] + [run.at(times)[e] for e in asked] + [run.at(times).y]
    for module, sizes in SMALL.items():
        for name, size in sizes.items():
            monkeypatch.setattr(sys.modules[module], name, size)  # the package has a function of the name of the module
    run, asked = bob_run()
    parts = [run[e] for e in asked] + [run.at(times)[e] for e in asked] + [run.at(times).y]
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


HUNGRY = """
import resource, sys
import numpy as np
import zeromass as zm
x = zm.coordinate("x")
system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-9.81 * np.cos(x), forces={x: -0.1 * zm.rate(x)})
e = x
for k in range(200):
    e = np.sin(e + k * x)
e = e + zm.acceleration(x)
run = zm.simulate(system, system.start({x: 1.0}), until=float(sys.argv[1]), method="fixed", step=1e-3)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
values = run[e]
print(len(run), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.parametrize("until", [150.0, pytest.param(11_000.0, marks=pytest.mark.slow)])
def test_an_expression_is_evaluated_in_bounded_memory(until):
    """600 operations at every step would be 5 kB a step, all at once; blocks take 128 MiB and a few copies of the values."""
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", HUNGRY, str(until)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    steps, taken = map(int, done.stdout.split())
    assert steps > 1000 * until - 2
    assert taken < 300 * 2**20 + 24 * steps
