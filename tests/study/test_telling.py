"""How far a study is, as it is told to a function and on the terminal."""

from __future__ import annotations

import numpy as np
import pytest

from study.poison import spring
from zeromass.study import sweep
from zeromass.study.telling import failures, telling


def test_a_function_is_told_how_many_are_done() -> None:
    told: list[tuple[int, int]] = []
    with telling(lambda done, total: told.append((done, total)), 10) as tell:
        tell(3, 0)
        tell(7, 2)
    assert told == [(3, 10), (10, 10)]


def test_a_bar_shows_members_failures_and_the_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with telling(True, 10) as tell:
        for _ in range(4):
            tell(2, 1)
    said = capsys.readouterr().err
    assert "8/10" in said
    assert "members" in said
    assert "a second" in said
    assert "4 failed" in said


def test_members_that_did_not_come_to_their_end_have_failed() -> None:
    outcomes = np.array(["finished", "event", "no start", "failed", "out of memory"], dtype="<U24")
    assert failures(outcomes) == 3


def test_no_bar_is_drawn_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    system, start, k, x = spring()
    sweep(system, start, until=1.0, over={k: [1.0, 2.0]}, keep={"x": x})
    assert capsys.readouterr().err == ""
