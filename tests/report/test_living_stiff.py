"""Pages of stiff motions: Radau's methods in Node and in a real browser, beside Python."""

from __future__ import annotations

import base64
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, in_node, node

ARTEFACTS = Path(__file__).parents[2] / "build" / "viewer"

TIGHT = {"rtol": 1e-11, "atol": 1e-13, "method": "radau"}

mu = zm.parameter("mu", 1000.0)


@pytest.fixture(scope="module")
def oscillator(tmp_path_factory) -> tuple[zm.Run, Path]:
    """A damper that drives at small amplitudes and brakes at large ones, μ times as strong as the spring [HW1996, §IV.1]."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: mu * (1 - x**2) * zm.rate(x) - x})
    run = zm.simulate(system, system.start({x: 2.0}), until=1500.0, **TIGHT)
    path = tmp_path_factory.mktemp("stiff") / "oscillator.html"
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        run.view(path, sliders={mu: (500.0, 1200.0), x: (1.5, 3.0)}, lines=[((0, 0, 0), (x, 0, 0))], plots={"x": x})
    return run, path


def living(path: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found
    return json.loads(found[1])["living"]


def python(run: zm.Run, **values: float) -> zm.Run:
    """What the page's program makes of the run."""
    (x,) = run.system.coordinates
    start = run.system.start({x: values.get("start_x", 2.0)}, parameters={mu: values["mu"]})
    return zm.simulate(run.system, start, until=float(run.t[-1]), **TIGHT)


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_stiff_oscillator_in_node(oscillator, tmp_path):
    """Through its sudden turns, whatever μ: dop853 would take a million steps. A second motion has the bits of the first."""
    run, path = oscillator
    page = living(path)
    assert 'method="radau"' in page["program"]
    values = [{"mu": 1000.0}, {"mu": 700.0, "start_x": 1.6}, {"mu": 1000.0}]
    tasks = [{"values": some, **page["settings"], "longest": 1e9} for some in values]
    found, _ = in_node(base64.b64decode(page["modules"][0]), tasks, tmp_path)
    for some, there in zip(values, found, strict=True):
        assert there["ending"] == "FINISHED"
        assert there["steps"] < 2000
        assert np.abs(there["record"][-2:] - python(run, **some).y[-1]).max() <= 1e-9
    assert np.array_equal(found[0]["record"], found[2]["record"])


@pytest.mark.slow
def test_a_stiff_oscillator_in_a_browser(chromium, oscillator):
    run, path = oscillator
    chromium.open(path, "paused&t=700")
    answer = chromium.evaluate('window.viewer.living.set({ "mu": 800 })')
    there = python(run, mu=800.0)
    assert answer["ending"] == "FINISHED"
    assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-stiff.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1
