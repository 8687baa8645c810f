"""Studies on several cores: nothing is lost, nothing is doubled, the same bits, and bad members are named."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import threading
import time
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from ensemble.poison import Poisoned
from zeromass.ensemble import cores, largest, sweep
from zeromass.ensemble.chunk import Chunks, Study, Work
from zeromass.ensemble.members import Members
from zeromass.ensemble.starts import Starts
from zeromass.integrate import Settings

COUNT = 60


def spring() -> tuple[zm.System, zm.State, zm.Expression, zm.Expression]:
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    return system, system.start({x: 1.0}), k, x


def stiffness() -> np.ndarray:
    return 1.0 + np.arange(COUNT)


def poisoned(**bad: float) -> Study:
    from zeromass.ensemble.keep import kept

    system, start, k, x = spring()
    members = Members(system, start, [k], stiffness()[:, None])
    settings = Settings(rtol=1e-9, method="dop853")
    plain = Work(zm.compile(system, members.first), 2.0, settings, (), {"x": kept(x)}, Starts.of([members.first]))
    return Study(members, Poisoned(*[getattr(plain, field.name) for field in fields(plain)], **bad))


def ended(study: Study, patience: float | None = None) -> dict[str, np.ndarray]:
    return cores.on_cores(study, Chunks.of(study), 2, lambda members: None, patience)


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


def test_killed_processes_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[subprocess.Popen[bytes]] = []
    begin = cores.Worker.__init__

    def noted(self: cores.Worker, *arguments: Any) -> None:
        begin(self, *arguments)
        alive.append(self._process)

    monkeypatch.setattr(cores.Worker, "__init__", noted)
    study = poisoned()
    expected = study.results(np.arange(COUNT))
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
    found = ended(study)
    over.set()
    killer.join()
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name
    assert len(alive) > 2


@pytest.mark.parametrize("how", ["dies", "exits", "hangs", "raises"])
def test_a_bad_member_is_named_and_left_out(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "PER_CORE", COUNT if how == "hangs" else 6)  # each try takes all the patience
    good = poisoned().results(np.arange(COUNT))
    found = ended(poisoned(**{how: 18.0}), patience=6.0 if how == "hangs" else None)
    others = np.arange(COUNT) != 17
    assert found["outcome"][17] == "failed"
    words = {
        "dies": "signal 9",
        "exits": "code 3",
        "hangs": "longer than 6 s",
        "raises": "ZeroDivisionError: a bad number",
    }
    assert words[how] in found["message"][17]
    for name, values in good.items():
        assert np.array_equal(found[name][others], values[others]), name


@pytest.mark.parametrize("on", ["lanes", 2])
def test_an_interrupted_study_keeps_what_is_done(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    system, start, k, x = spring()
    monkeypatch.setattr("zeromass.ensemble.chunk.SIZE", 8)

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
