"""Every public name with wrong arguments: a result, or one error that says what is wrong; nothing from the inside."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import zeromass as zm
from faults import calls
from faults.campaign import SLICE, campaign

CALLS, AT_ONCE = 48_000, 4_000
"""Calls of the long campaign, and those of one process: a crash then says which of few it was."""


def test_a_slice_of_calls_ends_in_results_or_named_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = calls.prepare(tmp_path, calls.QUICK)
    quick = {name: call for name, call in known.items() if not call.slow}
    kinds: Counter[str] = Counter()
    with campaign("calls", 1000, 120.0, seed=SLICE) as rng:
        for name, words, found in calls.tried(quick, 1000, rng):
            kinds[found.kind] += 1
            assert found.kind in calls.GOOD, f"{name}, {words}: {found.kind} {found.words}\n{found.where}"
    assert kinds["named"] > 500, kinds  # most wrong arguments are refused, and not overlooked
    assert kinds["fine"] > 50, kinds


def test_the_campaign_knows_every_public_name():
    """Each name of `zm` that can be called is tried, but for errors and warnings, which are for the library to raise."""
    text = Path(calls.__file__).read_text(encoding="utf-8")
    made = {
        "Branch",
        "Certificate",
        "Control",
        "Diagnosis",
        "Effort",
        "Fit",
        "LinearSystem",
        "Mode",
        "Motion",
        "Adjoint",
    }
    made |= {"Outcome", "Program", "Regulator", "Segment", "Switching", "Target", "ContactPoint", "Impulse"}
    """What `calls` makes anew from one that the library has made."""
    abstract_or_told = {"Periodic", "Special", "Roller"}
    for name in zm.__all__:
        thing = getattr(zm, name)
        if not callable(thing) or isinstance(thing, zm.expression.Expression):
            continue
        if isinstance(thing, type) and issubclass(thing, Exception | Warning):
            continue
        assert name in made | abstract_or_told or re.search(rf"\bzm\.{name}\b", text), f"zm.{name} is not tried"


@pytest.mark.slow
def test_calls_that_should_work_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert calls.working(calls.prepare(tmp_path)) == {}


@pytest.mark.slow
def test_all_calls_end_in_results_or_named_errors():
    """Each part of the campaign has a process of its own, with bounds on its memory: a crash is found, and which call."""
    faults: list[str] = []
    with campaign("all calls", CALLS, 7200.0) as rng:
        for _ in range(CALLS // AT_ONCE):
            seed = rng.randrange(2**32)
            command = [sys.executable, calls.__file__, str(AT_ONCE), str(seed)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
            if done.returncode not in (0, 1):
                last = done.stderr.splitlines()[-3:]
                faults.append(f"seed {seed}: ended with {done.returncode} {last}")
            faults += [f"seed {seed}: {line}" for line in done.stdout.splitlines() if line.startswith(calls.BAD)]
    assert not faults, f"{len(faults)} of {CALLS}:\n" + "\n".join(faults[:50])
