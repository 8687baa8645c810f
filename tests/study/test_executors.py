"""Studies on executors of `concurrent.futures`: those of Python and one made by hand; and bad members there."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from study.poison import BAD, COUNT, MEMORY, ended, is_named_and_left_out, poisoned, spring, stiffness
from zeromass.study import sweep
from zeromass.study.executors import Places
from zeromass.study.workers import Bounds


class AtOnce(Executor):
    """Does what it is given at once, as an executor made by hand may; `lost` of its tasks it loses."""

    def __init__(self, lost: int = 0) -> None:
        self.lost, self.asked = lost, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        future: Future[Any] = Future()
        if self.asked <= self.lost:
            future.set_exception(ConnectionError("a node is gone"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("made", few([processes, lambda: AtOnce(lost=3), lambda: ThreadPoolExecutor(2), AtOnce], 2))
def test_an_executor_changes_nothing(made: Callable[[], Executor], tmp_path: Path) -> None:
    system, start, k, x = spring()
    study: dict[str, Any] = {"over": {k: stiffness()}, "keep": {"x": x}, "until": 2.0}
    expected = sweep(system, start, **study)
    with made() as executor:
        assert sweep(system, start, **study, on=executor).identical(expected)
        if zarr_is_there():
            found = sweep(system, start, **study, on=executor, store=tmp_path / "study.zarr")
            assert found.load().identical(expected)
        assert executor.submit(abs, -3).result() == 3  # it is the caller's, and goes on


def zarr_is_there() -> bool:
    try:
        import zarr
    except ImportError:
        return False
    return bool(zarr)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["crashes", "hangs", "takes"])
def test_a_bad_member_is_named_and_the_executor_lives(how: str) -> None:
    good = poisoned().results(np.arange(COUNT))
    study = poisoned(**{how: BAD + 1.0})
    with processes() as executor:
        found = ended(study, Places(study.work, executor, Bounds(1.5 if how == "hangs" else None, MEMORY)))
        is_named_and_left_out(found, how, good)
        assert executor.submit(abs, -3).result() == 3


class Killed(ProcessPoolExecutor):
    """Processes that do the first thing that is asked of them, hang on all others, and are killed when that one is done."""

    asked = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        return super().submit(fn, *args, **kwargs) if self.asked == 1 else super().submit(time.sleep, 3600.0)

    def kill(self, done: int, total: int) -> None:
        for process in list(self._processes):  # type: ignore[attr-defined]
            os.kill(process, signal.SIGKILL)


def test_an_executor_that_breaks_keeps_what_is_done() -> None:
    """A killed process breaks that of Python for good."""
    system, start, k, x = spring()
    executor = Killed(2, mp_context=multiprocessing.get_context("spawn"))
    study: dict[str, Any] = {"over": {k: stiffness()}, "keep": {"x": x}, "until": 2.0}
    with executor, pytest.warns(zm.errors.RunStopped, match="what it ran on broke"):
        found = sweep(system, start, **study, on=executor, progress=executor.kill)
    done = found.outcome.values == "finished"
    assert 0 < done.sum() < COUNT
    assert set(found.outcome.values[~done]) == {"interrupted"}


def test_what_is_no_executor_is_refused() -> None:
    system, start, k, x = spring()
    for wrong in ("moon", 0, -2, None, True, [1]):
        with pytest.raises(zm.errors.ModelError, match="on = "):
            sweep(system, start, over={k: [1.0]}, keep={"x": x}, until=1.0, on=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("missing", "option"), [("ray", {"on": "ray"}), ("zarr.abc.store", {"store": "study.zarr"})])
def test_what_is_not_installed_is_named(missing: str, option: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    system, start, k, x = spring()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(zm.errors.ModelError, match="pip install 'zeromass"):
        sweep(system, start, over={k: [1.0]}, keep={"x": x}, until=1.0, **option)
