"""Work with members that kill, stop or disturb the process that moves them, and studies of a spring that has some."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass, fields

import numpy as np

import zeromass as zm
from zeromass.integrate import Settings
from zeromass.study.chunk import Results, Study, Work
from zeromass.study.dispatch import Dispatch, Pool
from zeromass.study.gathered import Gathered
from zeromass.study.keep import kept
from zeromass.study.members import Axes, Members, axes_of
from zeromass.study.motions import Seated
from zeromass.study.starts import Starts

COUNT = 60
BAD = 17

WORDS = {
    "dies": "killed by signal 9",
    "raises": "ZeroDivisionError: a bad number",
    "exits": "ended with code 3",
    "crashes": "killed by signal",
    "hangs": "longer than 1.5 s",
    "takes": "llocate",
}
"""What a member may do, and what its message then says."""

OUTCOMES = {"takes": "out of memory", "dies": "interrupted"}
"""Its outcome, where that is not "failed": a process that others kill is a fault of the machine, and no result."""

MEMORY = 400e6
"""Bytes that a process may take beyond those that it begins with."""


@dataclass(frozen=True, eq=False)
class Poisoned(Work):
    """Members are told by the value of their first parameter; `log` is a file that has a letter for each chunk."""

    dies: float = np.nan
    hangs: float = np.nan
    raises: float = np.nan
    exits: float = np.nan
    crashes: float = np.nan
    takes: float = np.nan
    slow: float = 0.0

    def results(self, starts: Starts, before: Seated | None = None) -> Results:
        values = starts.parameters[:, 0]
        if self.dies in values:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.exits in values:
            os._exit(3)
        if self.crashes in values:
            ctypes.string_at(0)
        if self.hangs in values:
            time.sleep(3600)
        if self.raises in values:
            raise ZeroDivisionError("a bad number")
        if self.takes in values:
            blocks = []
            while True:
                blocks.append(np.ones(2_000_000))
        time.sleep(self.slow * len(starts))
        return super().results(starts, before)


def spring() -> tuple[zm.System, zm.State, zm.expression.Expression, zm.expression.Expression]:
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    return system, system.start({x: 1.0}), k, x


def stiffness(count: int = COUNT) -> np.ndarray:
    return 1.0 + np.arange(count)


def poisoned(count: int = COUNT, **bad: float) -> Study:
    system, start, k, x = spring()
    grid = axes_of({k: stiffness(count)})
    members = Members(system, start, list(grid.values), grid)
    settings = Settings(rtol=1e-9, method="dop853")
    plain = Work(zm.compile(system, members.first), 2.0, settings, (), {"x": kept(x)}, Starts.of([members.first]))
    return Study(members, Poisoned(*[getattr(plain, field.name) for field in fields(plain)], **bad))


def axes(count: int = COUNT) -> Axes:
    return axes_of({zm.parameter("k", 1.0): stiffness(count)})


def ended(study: Study, pool: Pool) -> Results:
    """All results of a study on a pool."""
    place = Gathered(axes(len(study.members)), study)
    with pool:
        Dispatch(study, place, pool, lambda members, failed: None).run()
    return place.results


def is_named_and_left_out(found: Results, how: str, good: Results) -> None:
    """The bad member has its outcome, with the reason, and all others are as they would be without it."""
    others = np.arange(COUNT) != BAD
    assert found["outcome"][BAD] == OUTCOMES.get(how, "failed")
    assert WORDS[how] in found["message"][BAD]
    for name, values in good.items():
        assert np.array_equal(found[name][others], values[others]), name
