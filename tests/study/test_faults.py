"""Faults of the machine are no results: they are tried again, or left for the next call, and are not published."""

from __future__ import annotations

import errno
import os
import resource
import signal
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from study.poison import spring, stiffness
from zeromass.study import store as store_module
from zeromass.study import sweep, workers
from zeromass.study.chunk import Work
from zeromass.study.faults import is_fault, says_fault

zarr = pytest.importorskip("zarr", minversion="3.0", reason="zarr 3 is not installed")

COUNT = 60

FAULTS = [
    OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
    MemoryError("Unable to allocate 3 GiB"),
    RuntimeError("can't start new thread"),
    OSError(errno.ENFILE, os.strerror(errno.ENFILE)),
    OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
    OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    OSError(errno.EIO, os.strerror(errno.EIO)),
    BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)),
    ImportError("libm.so.6: cannot open shared object file: Too many open files"),
    RuntimeError("LLVM ERROR: out of memory"),
]


def study(**options: Any) -> Any:
    system, start, k, x = spring()
    return sweep(system, start, over={k: stiffness(COUNT)}, keep={"x": x}, until=2.0, **options)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Members of some stiffness meet an error."""
    plan: dict[str, Any] = {"values": (), "error": None}
    results = Work.results

    def failing(self: Work, starts: Any, before: Any = None) -> Any:
        if plan["error"] is not None and np.isin(starts.parameters[:, 0], plan["values"]).any():
            raise plan["error"]
        return results(self, starts, before)

    monkeypatch.setattr(Work, "results", failing)
    return plan


@pytest.mark.parametrize("error", few(FAULTS, 3), ids=lambda error: f"{type(error).__name__} {error.args[0]}")
def test_a_fault_is_seen_once_and_the_next_call_goes_on(
    tmp_path: Path, faulty: dict[str, Any], error: Exception
) -> None:
    expected = study().load()
    faulty.update(values=[18.0, 19.0], error=error)
    with nullcontext() if isinstance(error, MemoryError) else pytest.warns(zm.errors.RunStopped, match="left out: 2"):
        broken = study(store=tmp_path / "study.zarr").load()
    bad = np.isin(np.arange(COUNT), [17, 18])
    outcome = "out of memory" if isinstance(error, MemoryError) else "interrupted"
    assert broken.outcome.values[bad].tolist() == [outcome] * 2
    assert broken.outcome.values[~bad].tolist() == ["finished"] * (COUNT - 2)
    assert str(error) in broken.message.values[17]
    assert np.array_equal(broken.x.values[~bad], expected.x.values[~bad])
    faulty.update(error=None)
    assert study(store=tmp_path / "study.zarr").load().identical(expected)
    again: list[int] = []
    assert study(store=tmp_path / "study.zarr", progress=lambda done, _: again.append(done)).load().identical(expected)
    assert again == [COUNT]  # all of it was there


def test_an_error_of_the_member_is_its_result(tmp_path: Path, faulty: dict[str, Any]) -> None:
    faulty.update(values=[18.0], error=ZeroDivisionError("float division by zero"))
    assert study(store=tmp_path / "study.zarr").outcome.values[17] == "failed"
    faulty.update(error=None)
    assert study(store=tmp_path / "study.zarr").outcome.values[17] == "failed"


def test_a_machine_that_fails_under_all_members_stops_the_study(tmp_path: Path, faulty: dict[str, Any]) -> None:
    expected = study().load()
    faulty.update(values=stiffness(COUNT), error=FAULTS[0])
    with pytest.warns(zm.errors.RunStopped, match="Too many open files"):
        broken = study(store=tmp_path / "study.zarr")
    assert set(broken.outcome.values.tolist()) == {"interrupted"}
    faulty.update(error=None)
    assert study(store=tmp_path / "study.zarr").load().identical(expected)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="files that are open can not be counted")
def test_a_process_without_files_or_processes_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study stops with an error that says so, and goes on once there are some."""
    monkeypatch.setattr(workers, "PAUSE", 0.0)
    expected = study().load()
    study(store=tmp_path / "other.zarr")  # everything is imported now
    begin = workers.Worker.__init__

    def without_files(self: workers.Worker, *arguments: Any) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")), hard))
        try:
            begin(self, *arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    with monkeypatch.context() as patched:
        patched.setattr(workers.Worker, "__init__", without_files)
        with pytest.raises(workers.WorkerError, match="Too many open files"):
            study(store=tmp_path / "study.zarr", on=1)
    assert study(store=tmp_path / "study.zarr", on=1).load().identical(expected)


def test_a_fault_that_passes_is_not_seen_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that can not be started is started later, and a member under which the machine failed is moved again."""
    expected = study().load()
    begin, results, left = workers.Worker.__init__, workers.Worker.results, [3, 1]

    def late(self: workers.Worker, *arguments: Any) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        begin(self, *arguments)

    def killed(self: workers.Worker, *arguments: Any) -> Any:
        left[1] -= 1
        if left[1] >= 0:
            os.kill(self._process.pid, signal.SIGKILL)
        return results(self, *arguments)

    monkeypatch.setattr(workers.Worker, "__init__", late)
    monkeypatch.setattr(workers.Worker, "results", killed)
    monkeypatch.setattr(workers, "PAUSE", 0.0)
    assert study(store=tmp_path / "study.zarr", on=1).load().identical(expected)
    assert max(left) < 0


@pytest.mark.parametrize(
    "message", few(["OSError: [Errno 24] Too many open files", "its process died: killed by signal 9"])
)
def test_faults_in_a_store_of_an_earlier_version_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    expected = study().load()
    results = Work.results

    def failed(self: Work, starts: Any, before: Any = None) -> Any:
        found = results(self, starts, before)
        bad = np.isin(starts.parameters[:, 0], [18.0, 19.0])
        found["outcome"][bad], found["message"][bad], found["x"][bad] = "failed", message, np.nan
        return found

    with monkeypatch.context() as earlier:
        earlier.setattr(Work, "results", failed)
        earlier.setattr(store_module, "undone", lambda outcomes, messages: np.zeros(len(outcomes), dtype=bool))
        study(store=tmp_path / "study.zarr")
    group = zarr.open_group(tmp_path / "study.zarr", mode="r+")
    assert list(group["outcome"][16:20]) == ["finished", "failed", "failed", "finished"]
    group.attrs["zeromass"] = {key: value for key, value in group.attrs["zeromass"].items() if key != "only results"}
    assert study(store=tmp_path / "study.zarr").load().identical(expected)


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: f"{type(error).__name__} {error.args[0]}")
def test_faults_are_known_by_their_words_too(error: Exception) -> None:
    assert is_fault(error)
    assert says_fault(f"{type(error).__name__}: {error}")


@pytest.mark.parametrize(
    "words",
    [
        "ZeroDivisionError: float division by zero",
        "ModelError: the mass is negative",
        "ValueError: cannot reshape",
        "its process died: killed by signal 11",
        "its process died: it ended with code 3",
        "it took longer than 1.5 s, twice and more",
        "FloatingPointError: overflow",
        "RecursionError: maximum recursion depth exceeded",
    ],
)
def test_errors_of_members_are_no_faults(words: str) -> None:
    assert not says_fault(words)
