"""Work in the background: it does not keep anybody waiting for code."""

import threading
import time

import pytest

from zeromass.codegen import background
from zeromass.codegen.target import Code, host


def test_work_begins_when_nobody_waits_for_code(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "QUIET", 2.0)
    began: list[float] = []
    last = time.monotonic()
    background.queue.waited = time.monotonic()
    background.later(lambda: began.append(time.monotonic()))
    for _ in range(3):
        time.sleep(0.2)
        last = time.monotonic()
        background.queue.waited = time.monotonic()
    assert not began
    deadline = last + 30.0
    while not began and time.monotonic() < deadline:
        time.sleep(0.01)
    assert began
    assert began[0] >= last + background.QUIET


def test_no_work_begins_while_somebody_waits_long_for_code(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "QUIET", 0.05)
    began = threading.Event()

    def text() -> str:
        background.later(began.set)
        assert not began.wait(10 * background.QUIET)
        return "define void @f() {\n  ret void\n}"

    Code(text, host().scalar)
    assert began.wait(30.0)


def test_waiting_for_the_work_does_not_wait_for_quiet(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "QUIET", 60.0)
    done = threading.Event()
    background.queue.waited = time.monotonic()
    begun = time.monotonic()
    background.later(done.set)
    background.wait()
    assert done.is_set()
    assert time.monotonic() - begun < background.QUIET
