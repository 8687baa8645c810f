"""The shell on the dimpled bowl, 25 s of it, and its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import rolling_run
from zeromass.report.viewer import view


@pytest.fixture(scope="session")
def run() -> zm.Run:
    return rolling_run(spin=3 * np.pi)


@pytest.fixture(scope="session")
def page(run, tmp_path_factory) -> Path:
    return view(run, tmp_path_factory.mktemp("viewer") / "shell.html")
