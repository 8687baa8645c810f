"""A page as a widget: what is chosen in it comes back to Python, and what Python chooses is shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from report.chromium import Browser
from zeromass.report import View
from zeromass.report import widget as widgets

x = zm.coordinate("x")
stiffness = zm.parameter("stiffness", 4.0)


@pytest.fixture(scope="module")
def run() -> zm.Run:
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=stiffness * x**2 / 2)
    return zm.simulate(spring, spring.start({x: 1.0, zm.rate(x): 0.0}), until=3.0, rtol=1e-9)


@pytest.fixture(scope="module")
def view(run) -> View:
    point = (x, 0, 0)
    return run.view(sliders={stiffness: (1.0, 9.0), x: (0.5, 2.0)}, lines=[((0, 0, 0), point)], plots={"x (m)": x})


def test_without_anywidget_the_extra_is_named(view, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widgets._kind.cache_clear()
    with pytest.raises(zm.errors.ModelError, match=r"pip install 'zeromass\[notebook\]'"):
        view.widget()


# the protocol of widgets, without a browser -----------------------------------------------------------------------
@pytest.fixture
def shown(view) -> Any:
    pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'zeromass[notebook]'")
    widgets._kind.cache_clear()
    return view.widget()


def test_it_begins_with_the_values_of_the_run(view, shown):
    assert shown.values == view.values == {"stiffness": 4.0, "x": 1.0}
    assert shown.time is None
    sent = shown.get_state()
    assert sent["page"] == view.page
    assert {"time", "playing", "values", "outcome", "height", "_esm"} <= sent.keys()
    assert "stiffness=4" in repr(shown)


def test_what_the_page_says_comes_to_python(run, shown):
    """As a front end sends it; and with these values Python makes that motion."""
    heard = []
    shown.observe(lambda change: heard.append((change["name"], change["new"])), ["values", "time"])
    shown.set_state({"values": {"stiffness": 9.0, "x": 0.5}, "time": 1.25, "playing": False, "outcome": ""})
    assert ("values", {"stiffness": 9.0, "x": 0.5}) in heard
    assert ("time", 1.25) in heard
    again = zm.simulate(run.program, run.start.again(shown.values), until=3.0, rtol=1e-9)
    assert again.at(shown.time)[x][0] == pytest.approx(0.5 * np.cos(3.0 * 1.25), abs=1e-7)


def test_some_values_may_be_set(shown):
    shown.values = {"x": 2}
    assert shown.values == {"stiffness": 4.0, "x": 2.0}
    with pytest.raises(zm.errors.ModelError, match=r"no slider is named 'mass'; there is: stiffness, x"):
        shown.values = {"mass": 2.0}


def test_a_page_without_sliders_tells_the_time(run, shown):
    plain = run.view(lines=[((0, 0, 0), (x, 0, 0))]).widget()
    assert plain.values == {}
    plain.set_state({"time": 0.5, "values": {}})
    assert plain.time == 0.5
    with pytest.raises(zm.errors.ModelError, match="there is: none"):
        plain.values = {"x": 1.0}


# the browser: the script of the widget with a model as a notebook has it ---------------------------------------------
NOTEBOOK = """<!doctype html><meta charset="utf-8"><body><div id="cell"></div><script type="module">
{script}
const held = {state}, heard = {{}};
window.model = {{
  sent: [],
  get: (name) => held[name],
  set: (name, value) => {{ held[name] = value; for (const f of heard[`change:${{name}}`] ?? []) f(); }},
  on: (event, f) => (heard[event] ??= []).push(f),
  off: (event, f) => (heard[event] = heard[event].filter((g) => g !== f)),
  save_changes: () => model.sent.push(JSON.parse(JSON.stringify(held))),
}};
window.heard = heard;
window.close = {name}({{ model, el: document.getElementById("cell") }});
</script>"""


def notebook(view: View, folder: Path, **chosen: Any) -> str:
    """A page with the widget's script in it, and a model."""
    state = {"page": view.page, "height": 500, "time": None, "playing": None, "values": {**view.values}, "outcome": ""}
    held = json.dumps(state | chosen).replace("<", "\\u003c")
    script = widgets.SCRIPT.read_text("utf-8").replace("export default { render };", "")
    place = folder / "notebook.html"
    place.write_text(NOTEBOOK.format(script=script, state=held, name="render"), encoding="utf-8")
    return place.as_uri()


def test_the_page_and_the_model_agree(chromium: Browser, view, run, tmp_path):
    chromium.load(url := notebook(view, tmp_path))
    chromium.wait("model.sent.length > 1 && model.get('time') !== null")
    frame = chromium.frame
    chromium.evaluate("viewer.play(false)", frame)
    chromium.evaluate("viewer.living.set({ stiffness: 9.0 })", frame)
    chromium.wait("model.get('values').stiffness === 9 && model.get('playing') === false")
    assert chromium.evaluate("model.sent.at(-1).values") == {"stiffness": 9.0, "x": 1.0}
    chromium.evaluate("model.set('time', 1.25)")
    chromium.wait("viewer.t === 1.25", frame=frame)
    chromium.evaluate("model.set('values', { stiffness: 4.0, x: 0.5 })")
    chromium.wait("viewer.living.last?.values.stiffness === 4", frame=frame)
    answer = chromium.evaluate("viewer.living.set({})", frame)
    assert answer["end"][0] == pytest.approx(0.5 * np.cos(2.0 * 3.0), abs=1e-7)
    chromium.wait("model.get('time') === 1.25")
    assert chromium.complaints() == []
    assert chromium.requests() == [url]
    chromium.evaluate("window.close()")
    assert chromium.evaluate("Object.values(heard).flat().length") == 0


def test_what_was_chosen_before_the_page_was_shown_is_taken(chromium: Browser, view, tmp_path):
    chromium.load(notebook(view, tmp_path, time=2.0, playing=False, values={"stiffness": 6.25, "x": 1.5}))
    chromium.wait("viewer.t === 2 && viewer.living.last?.values.stiffness === 6.25", frame=chromium.frame)
    chromium.wait("model.get('time') === 2 && model.get('values').x === 1.5")  # what the page said before is on its way
    assert chromium.complaints() == []
