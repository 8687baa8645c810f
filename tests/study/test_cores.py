"""Studies on several cores: nothing is lost, nothing is doubled, the same bits, and bad members are named."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import threading
import time
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from study.poison import BAD, COUNT, MEMORY, WORDS, ended, is_named_and_left_out, poisoned, spring, stiffness
from zeromass.study import largest, sweep, workers
from zeromass.study.chunk import Results, Study
from zeromass.study.cores import Cores
from zeromass.study.workers import Bounds


def on_cores(study: Study, patience: float | None = None) -> Results:
    return ended(study, Cores(study.work, 2, Bounds(patience, MEMORY)))


def test_cores_change_nothing() -> None:
    system, start, k, x = spring()
    keep: dict[str, Any] = {"x": x, "fast": largest(zm.rate(x))}
    one = sweep(system, start, until=5.0, over={k: stiffness()}, keep=keep)
    told: list[int] = []
    two = sweep(
        system, start, until=5.0, over={k: stiffness()}, keep=keep, on=2, progress=lambda n, all_: told.append(n)
    )
    assert one.identical(two)
    assert told[-1] == COUNT


@pytest.mark.slow
def test_killed_processes_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[subprocess.Popen[bytes]] = []
    begin = workers.Worker.__init__

    def noted(self: workers.Worker, *arguments: Any) -> None:
        begin(self, *arguments)
        alive.append(self._process)

    monkeypatch.setattr(workers.Worker, "__init__", noted)
    study = poisoned(slow=0.05)
    expected = study.work.results(study.members.starts(np.arange(COUNT))[0])
    over, random = threading.Event(), np.random.default_rng(0)

    def kill() -> None:
        for _ in range(12):
            time.sleep(float(random.uniform(0.1, 0.5)))
            if over.is_set():
                return
            for process in alive[-2:]:
                if process.poll() is None:
                    os.kill(process.pid, signal.SIGKILL)
                    break

    killer = threading.Thread(target=kill)
    killer.start()
    found = on_cores(study)
    over.set()
    killer.join()
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name
    assert len(alive) > 2


@pytest.mark.parametrize(
    "how",
    few(["dies", *[how for how in WORDS if how != "dies"]]),
)
def test_a_bad_member_is_named_and_left_out(how: str) -> None:
    good = poisoned().results(np.arange(COUNT))
    found = on_cores(poisoned(**{how: BAD + 1.0}), patience=1.5 if how == "hangs" else None)
    is_named_and_left_out(found, how, good)


def test_no_process_outlives_the_one_that_asks(tmp_path: Any) -> None:
    """Not even one whose member hangs."""
    code = (
        "import sys; sys.path[:0] = ['tests']\n"
        "from study.poison import poisoned\n"
        "from zeromass.study.workers import Bounds, Worker, payload_of\n"
        "study = poisoned(hangs=1.0)\n"
        "worker = Worker(payload_of(study.work), Bounds())\n"
        "worker.ready(); print(worker._process.pid, flush=True)\n"
        "worker.results(study.work.first)\n"
    )
    import sys

    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        child = int(asking.stdout.readline())
        time.sleep(0.3)
        asking.kill()
    for _ in range(100):
        if not _runs(child):
            return
        time.sleep(0.1)
    raise AssertionError("the process goes on")


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_process_that_can_not_begin_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BEGINNINGS", 2)
    guard = workers.Guard(b"no work at all", Bounds())
    with pytest.raises(workers.WorkerError, match="UnpicklingError"):
        guard.results(poisoned().work.first)


def test_a_member_that_needs_too_much_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its steps are recorded, and there are more of them than there may be; those of the others are not."""
    system, start, k, x = spring()
    values = np.array([1.0, 2.0, 1e10, 3.0])
    # room for 4 MiB of steps at first, of 6 numbers each; the stiff one takes 250 000 of them and more
    monkeypatch.setattr("zeromass.study.lanes.RECORDED", 1 << 19)
    keep = {"fast": largest(zm.rate(x))}
    study = sweep(system, start, until=2.0, over={k: values}, keep=keep, memory=12e6)
    assert study.outcome.values.tolist() == ["finished", "finished", "out of memory", "finished"]
    assert "give more (memory=…)" in study.message.item(2)
    assert np.all(np.isfinite(study.fast.values) == [True, True, False, True])


@pytest.mark.parametrize("on", ["lanes", 2])
def test_an_interrupted_study_keeps_what_is_done(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    system, start, k, x = spring()
    monkeypatch.setattr("zeromass.study.gathered.SIZE", 8)

    once = iter([_thread.interrupt_main])

    def interrupt(done: int, total: int) -> None:
        if done >= 20:
            next(once, lambda: None)()
            time.sleep(0.5)  # others wait to tell theirs, while the study is told to stop

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores Ctrl-C
    try:
        study = sweep(system, start, until=2.0, over={k: stiffness()}, keep={"x": x}, on=on, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    done = study.outcome.values == "finished"
    assert 20 <= done.sum() < COUNT
    assert set(study.outcome.values[~done]) == {"interrupted"}
    assert study.x.values[done] == pytest.approx(np.cos(2.0 * np.sqrt(stiffness()[done])), abs=1e-8)
    assert np.all(np.isnan(study.x.values[~done]))
