"""Whatever a run is asked that can not be: one error in one line, no traceback of others, nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm

X = zm.coordinate("x")


@pytest.fixture(scope="module")
def run() -> zm.Run:
    system = zm.System(kinetic=zm.rate(X) ** 2 / 2, potential=X**2 / 2)
    return zm.simulate(system, system.start({X: 1.0}), until=2.0)


NO_PATHS = {
    "None": None,
    "bytes": b"run.nc",
    "number": 3,
    "nan": float("nan"),
    "list": ["run.nc"],
    "object": object(),
    "folder": "folder",
    "missing folder": "no/such/run.nc",
    "below a file": "file/run.nc",
    "empty": "",
    "nul": "run\0.nc",
}
NO_TIMES = {
    "word": "1",
    "bytes": b"1",
    "nan": float("nan"),
    "infinite": np.inf,
    "outside": 99.0,
    "before": -1.0,
    "complex": 1j,
    "object": object(),
    "table": [[0.0, 1.0]],
    "list of None": [None],
    "formula": X,
}
NO_NUMBERS = {key: NO_TIMES[key] for key in ("word", "bytes", "complex", "object", "table", "formula", "nan", "before")}
NO_FORMULAS = {"None": None, "word": "y", "object": object(), "bytes": b"x", "several": [X, X], "none of them": []}

WRITERS: dict[str, Callable[[zm.Run, Any], Any]] = {
    "save": lambda run, path: run.save(path, certificate=False),
    "to_csv": lambda run, path: run.to_csv(path),
    "to_parquet": lambda run, path: run.to_parquet(path, certificate=False),
    "view": lambda run, path: run.view(path),
    "movie": lambda run, path: run.movie(path),
    "load": lambda run, path: zm.load(path),
}
TIMES: dict[str, Callable[[zm.Run, Any], Any]] = {
    "at": lambda run, t: run.at(t),
    "state": lambda run, t: run.state(t),
    "to_csv": lambda run, t: run.to_csv("run.csv", t),
    "to_xarray": lambda run, t: run.to_xarray(t, certificate=False),
    "sensitivity": lambda run, t: run.sensitivity(t),
    "adjoint": lambda run, t: run.adjoint(X, t),
}
NUMBERS: dict[str, Callable[[zm.Run, Any], Any]] = {
    "every": lambda run, x: run.lyapunov_exponent(every=x),
    "every of all": lambda run, x: run.lyapunov_spectrum(every=x),
    "seed": lambda run, x: run.lyapunov_exponent(seed=x),
    "seed of all": lambda run, x: run.lyapunov_spectrum(seed=x),
    "count": lambda run, x: run.lyapunov_spectrum(count=x),
}
FORMULAS: dict[str, Callable[[zm.Run, Any], Any]] = {
    "maximum": lambda run, e: run.maximum(e),
    "minimum": lambda run, e: run.minimum(e),
    "adjoint": lambda run, e: run.adjoint(e),
}


def refused(ask: Callable[[], Any]) -> str:
    with pytest.raises(zm.errors.ZeromassError) as error:
        ask()
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("path", NO_PATHS.values(), ids=NO_PATHS)
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_is_no_path_of_a_file(run, write, path, tmp_path, monkeypatch):
    if path is None and write is WRITERS["view"]:
        return  # in a notebook
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    refused(lambda: write(run, path))
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("time", NO_TIMES.values(), ids=NO_TIMES)
@pytest.mark.parametrize("ask", TIMES.values(), ids=TIMES)
def test_what_is_no_time_of_the_run(run, ask, time, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(lambda: ask(run, time))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("ask", NUMBERS.values(), ids=NUMBERS)
def test_what_is_no_number_that_it_could_be(run, ask, number):
    refused(lambda: ask(run, number))


@pytest.mark.parametrize("formula", NO_FORMULAS.values(), ids=NO_FORMULAS)
@pytest.mark.parametrize("ask", FORMULAS.values(), ids=FORMULAS)
def test_what_is_not_one_formula(run, ask, formula):
    refused(lambda: ask(run, formula))


def test_options_of_files_are_what_they_should_be(run, tmp_path):
    path = tmp_path / "run.nc"
    for given in (b"text", 3, Path("file"), ["a"], "nul\0"):
        assert "scenario is" in refused(lambda given=given: run.save(path, certificate=False, scenario=given))
    for given in ("certain", 3, object()):
        assert "certificate is" in refused(lambda given=given: run.save(path, certificate=given))
    for given in (b"a", [1.0, 2.0], float("nan"), object()):
        assert "weights is" in refused(lambda given=given: run.adjoint(X, [1.0], given))
    assert not path.exists()


def test_what_is_said_of_no_path(run):
    assert refused(lambda: run.save(None)) == "None is no path of a file; give a name such as 'run.nc'"
    assert "could not be read as a run" in refused(lambda: zm.load(None))


P = zm.parameter("p", 1.0)
SPRING = zm.System(kinetic=zm.rate(X) ** 2 / 2, potential=P * X**2 / 2)
START = SPRING.start({X: 1.0})
STRANGE = {"word": "a", "bytes": b"1", "complex": 1j, "object": object(), "table": [[0.0, 1.0]], "list of None": [None]}

READERS: dict[str, Callable[[Any], Any]] = {
    "urdf": zm.from_urdf,
    "mjcf": zm.from_mjcf,
    "mesh": zm.bodies.Solid.mesh,
    "store": lambda path: zm.sweep(SPRING, START, until=1.0, over={P: [1.0]}, keep={"x": X}, store=path),
}
OPTIONS: dict[str, Callable[[Any], Any]] = {
    "time of a start": lambda x: SPRING.start({X: 1.0}, t=x),
    "parameters of a start": lambda x: SPRING.start({X: 1.0}, parameters=x),
    "a start again": lambda x: START.again(x),
    "its parameter": lambda x: START.again({P: x}),
    "what was prescribed": lambda x: START.again({X: x}),
    "method": lambda x: zm.simulate(SPRING, START, until=1.0, method=x),
    "limits": lambda x: zm.simulate(SPRING, START, until=1.0, limits=x),
    "events": lambda x: zm.simulate(SPRING, START, until=1.0, events=x),
}
PICTURES: dict[str, Callable[[zm.Run, Any], Any]] = {
    "fps": lambda run, x: run.view("run.html", fps=x),
    "plots": lambda run, x: run.view("run.html", plots=x),
    "sliders": lambda run, x: run.view("run.html", sliders=x),
}


@pytest.mark.parametrize("path", [None, b"a", 3, float("nan"), ["a"], object(), "nul\0", "file/a"])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_is_no_path_to_read_from_or_to_keep_a_study_in(read, path, tmp_path, monkeypatch):
    if path is None and read is READERS["store"]:
        return
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    refused(lambda: read(path))
    assert [p.name for p in tmp_path.rglob("*")] == ["file"]


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("ask", OPTIONS.values(), ids=OPTIONS)
def test_starts_and_settings_refuse_what_can_not_be(ask, value):
    refused(lambda: ask(value))


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("ask", PICTURES.values(), ids=PICTURES)
def test_pages_refuse_what_can_not_be(run, ask, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(lambda: ask(run, value))
    assert not list(tmp_path.iterdir())
