"""Matrices of some tens of rows are decomposed by one core, with the same bits as by several."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from zeromass.equation import arrays
from zeromass.equation.arrays import FEW, MANY, alone

_library = arrays._alone._library

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
    with alone(70, 110):
        assert _threads() == 1
        with alone(FEW):
            assert _threads() == 1
        assert _threads() == 1
    assert _threads() == 2


@needs_openblas
@pytest.mark.usefixtures("several")
def test_an_error_inside_leaves_it_as_it_was():
    with pytest.raises(np.linalg.LinAlgError), alone(40):
        np.linalg.inv(np.zeros((40, 40)))
    assert _threads() == 2


@needs_openblas
@pytest.mark.usefixtures("several")
@pytest.mark.parametrize("sizes", [(), (0, 0), (FEW - 1, 3), (MANY, 3)])
def test_few_rows_and_many_are_left_alone(sizes: tuple[int, ...]):
    with alone(*sizes):
        assert _threads() == 2


@needs_openblas
@pytest.mark.usefixtures("several")
def test_threads_that_overlap_end_as_they_began():
    entered, left = threading.Event(), threading.Event()

    def first() -> None:
        with alone(50):
            entered.set()
            left.wait(10.0)

    other = threading.Thread(target=first)
    with alone(50):
        other.start()
        assert entered.wait(10.0)
    assert _threads() == 1  # the other one is still inside
    left.set()
    other.join()
    assert _threads() == 2


def test_the_bits_are_those_of_several_cores():
    A = np.random.default_rng(0).normal(size=(110, 70))
    shared = np.linalg.svd(A)
    with alone(*A.shape):
        single = np.linalg.svd(A)
    assert all(np.array_equal(x, y) for x, y in zip(shared, single, strict=True))


def test_without_openblas_nothing_happens(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(vars(arrays._alone), "_library", None)
    with alone(70):
        assert np.allclose(np.linalg.inv(2 * np.eye(70)), np.eye(70) / 2)
