"""A run follows from its arguments: every case of the papers, in whatever order, thread or process, has the same bits."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from cases import few
from papers import bits
from zeromass.papers import um2022


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """Each case on systems of its own, which nothing ran on before."""
    found = {}
    for name, make in bits.cases().items():
        bits.fresh()
        found[name] = bits.digest(make())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("order", ["backwards", "7", "forwards"])
def test_orders(expected, order):
    bits.fresh()
    made = bits.cases()
    assert {name: bits.digest(made[name]()) for name in bits.ordered(order)} == expected


@pytest.mark.slow
def test_threads(expected):
    """Four threads run all cases at once, on systems that they share."""
    bits.fresh()
    made = bits.cases()
    names = bits.ordered("11")
    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(names, pool.map(lambda name: bits.digest(made[name]()), names), strict=True))
    assert found == expected


@pytest.mark.parametrize(("order", "seed"), few([("3", "2"), ("backwards", "1")]))
def test_processes(expected, order, seed):
    paths = os.pathsep.join([str(Path(bits.__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    command = [sys.executable, bits.__file__, order]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected


RUN = """
import pickle, sys
import zeromass as zm
program, start = pickle.load(sys.stdin.buffer)
run = zm.simulate(program, start, until=5.0, rtol=1e-12, atol=1e-15)
sys.stdout.buffer.write(run.t.tobytes() + run.y.tobytes())
"""


@pytest.mark.parametrize("case", ["1A", "2C", "3D"])
def test_a_pickled_program_in_another_process(case):
    bits.fresh()
    start = um2022.run(case, until=0.1).start
    program = zm.compile(start.system, start)
    here = zm.simulate(program, start, until=5.0, rtol=1e-12, atol=1e-15)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=pickle.dumps((program, start)),
        env=environment,
        capture_output=True,
        check=True,
    )
    assert done.stdout == here.t.tobytes() + here.y.tobytes()


def test_runs_are_pickled_copied_and_continued():
    run = um2022.run("1B", until=5.0)
    other = pickle.loads(pickle.dumps(run))
    times = np.linspace(0.0, 5.0, 201)
    assert np.array_equal(other.at(times).y, run.at(times).y)
    assert other.required_friction() == run.required_friction()
    further = zm.simulate(other.system, other.state(2.0), until=5.0)
    assert np.abs(further.y[-1] - run.y[-1]).max() <= 1e-7  # an error at 2 s has grown some 1e2 times at 5 s
