"""Linear algebra uses one thread, and as many as before afterwards: its bits do not depend on the number of cores."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from zeromass.equation.arrays import single_thread

_library = single_thread._library

needs_openblas = pytest.mark.skipif(_library is None, reason="NumPy has another library for its products")


def _threads() -> int:
    assert _library is not None
    return _library[0]()


@pytest.fixture
def several():
    """Two threads, whatever the machine has."""
    assert _library is not None
    before = _threads()
    _library[1](2)
    yield
    _library[1](before)


@needs_openblas
@pytest.mark.usefixtures("several")
def test_one_core_inside_and_as_many_as_before_afterwards():
    with single_thread:
        assert _threads() == 1
        with single_thread:
            assert _threads() == 1
        assert _threads() == 1
    assert _threads() == 2


@needs_openblas
@pytest.mark.usefixtures("several")
def test_an_error_inside_leaves_it_as_it_was():
    with pytest.raises(np.linalg.LinAlgError), single_thread:
        np.linalg.inv(np.zeros((40, 40)))
    assert _threads() == 2


@needs_openblas
@pytest.mark.usefixtures("several")
def test_threads_that_overlap_end_as_they_began():
    entered, left = threading.Event(), threading.Event()

    def first() -> None:
        with single_thread:
            entered.set()
            left.wait(10.0)

    other = threading.Thread(target=first)
    with single_thread:
        other.start()
        assert entered.wait(10.0)
    assert _threads() == 1  # the other one is still inside
    left.set()
    other.join()
    assert _threads() == 2


def bits(system: zm.System) -> list[bytes]:
    """Those of a start, a verdict, a run, its samples and what is computed from it."""
    (x, *_) = system.coordinates
    start = system.start({q: 0.02 * k for k, q in enumerate(system.coordinates)})
    run = zm.simulate(system, start, until=1.0, rtol=1e-6)
    acceleration = start.motion.acceleration
    linear = zm.analysis.linearize(system, start)
    values = run.t, run.y, run[x], acceleration, linear.eigenvalues, run.maximum(x).value, run.integral(x**2)
    return [np.asarray(value).tobytes() for value in values]


@needs_openblas
def test_a_run_does_not_depend_on_the_number_of_threads():
    """Of 100 coordinates, whose singular values OpenBLAS gives other last bits by two threads than by one."""
    library, found = single_thread._library, []
    assert library is not None
    get, put = library
    before = get()
    for threads in (1, 2):
        put(threads)
        found.append(bits(chain(100)))
    put(before)
    assert found[0] == found[1]


def chain(count: int) -> zm.System:
    """Masses on springs, each tied to all others a little."""
    x = [zm.coordinate(f"x{k}") for k in range(count)]
    kinetic = sum((1 + k % 3) * zm.rate(q) ** 2 for k, q in enumerate(x)) / 2 + zm.rate(sum(x)) ** 2 / 8
    potential = sum((a - b) ** 2 for a, b in pairwise(x)) + sum(q**2 for q in x) / 10
    return zm.System(kinetic=kinetic, potential=potential)


def test_without_openblas_nothing_happens(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(vars(single_thread), "_library", None)
    with single_thread:
        assert np.allclose(np.linalg.inv(2 * np.eye(70)), np.eye(70) / 2)
