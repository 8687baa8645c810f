"""Runs in files: what is read back is what was written, and a file is never half written."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

import zeromass as zm
from zeromass.errors import FileError
from zeromass.report.writing import write


@pytest.fixture(scope="module")
def run():
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
    start = rolling.start(contact=(0.3, 0.1), velocity=(0.2, -0.3), spin=2.0)
    crossing = zm.Event("crossing", rolling.contact[0], terminal=False)
    return zm.simulate(rolling, start, until=2.0, rtol=1e-11, atol=1e-13, events=crossing)


@pytest.fixture(scope="module")
def saved(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp("runs") / "ball.nc", scenario="name = 'ball'")


def test_states_come_back_exactly(run, saved):
    again = zm.load(saved)
    assert np.array_equal(again.t, run.t)
    assert np.array_equal(again.y, run.y)
    assert str(again.outcome) == str(run.outcome)
    assert again.statistics == run.statistics
    assert [e.name for e in again.events] == [e.name for e in run.events]
    assert [e.t for e in again.events] == [e.t for e in run.events]


def test_dense_output_comes_back(run, saved):
    """To the last bit: the polynomials of the steps are stored, and the projection is made again in the same way."""
    times = np.linspace(0.0, 2.0, 173)
    assert np.array_equal(zm.load(saved).at(times).y, run.at(times).y)


def test_measured_terrain_comes_back(tmp_path):
    x = y = np.linspace(-1.0, 1.0, 21)
    heights = 0.3 * np.add.outer(x**2, y**2) + 0.02 * np.outer(np.sin(5 * x), np.cos(4 * y))
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.Surface.from_heights(x, y, heights))
    run = zm.simulate(rolling, rolling.start(contact=(0.4, 0.1)), until=1.0)
    again = zm.load(run.save(tmp_path / "terrain.nc", certificate=False))
    times = np.linspace(0.0, 1.0, 57)
    assert np.array_equal(again.at(times).y, run.at(times).y)
    assert np.allclose(again.at(times)[rolling.normal_force], run.at(times)[rolling.normal_force], rtol=1e-12)


def test_expressions_of_the_original_system_are_known(run, saved):
    again = zm.load(saved)
    for e in (run.system.energy, run.system.normal_force, run.system.contact[2]):
        assert np.allclose(again[e], run[e], rtol=1e-13, atol=1e-13)
    assert again.system.quantities.keys() == run.system.quantities.keys()


def test_the_loaded_system_moves_in_the_same_way(run, saved):
    again = zm.load(saved)
    settings = {key: run.settings[key] for key in ("rtol", "atol", "method", "project")}
    repeated = zm.simulate(again.system, again.start, until=2.0, **settings)
    assert np.array_equal(repeated.y, zm.simulate(run.system, run.start, until=2.0, **settings).y)


def test_dataset_has_names_units_and_attributes(run, saved):
    data = run.to_xarray(np.linspace(0, 2, 5))
    assert list(data["coordinate"].values) == [x.name for x in run.system.coordinates]
    assert data["normal_force"].attrs == {"long_name": "normal force", "units": "N"}
    assert data["t"].attrs["units"] == "s"
    assert "finished" in data.attrs["outcome"]
    with xarray.open_dataset(saved, engine="h5netcdf") as file:
        assert file.attrs["scenario"] == "name = 'ball'"
        assert np.array_equal(file["energy"].values, run[run.system.energy])


@pytest.fixture
def second_runs(monkeypatch) -> list[float]:
    """Tolerances of the runs that certificates make from now on."""
    made: list[float] = []
    module = sys.modules["zeromass.analysis.certificate"]  # the package has a function of that name
    course = module.course  # type: ignore[attr-defined]

    def counted(system, start, until, settings):
        made.append(settings.rtol)
        return course(system, start, until, settings)

    monkeypatch.setattr(module, "course", counted)
    return made


def pendulum_run(**options) -> zm.Run:
    angle, length = zm.coordinate("angle"), zm.parameter("length", 0.7)
    system = zm.System(kinetic=(length * zm.rate(angle)) ** 2 / 2, potential=-9.81 * length * np.cos(angle))
    return zm.simulate(system, system.start({angle: 1.0, zm.rate(angle): 0.0}), until=1.0, **options)


def test_dataset_and_file_tell_the_same(run, saved):
    """Scenario, certificate, versions and all else: the file adds only what it takes to read the run again."""
    told = run.to_xarray(scenario="name = 'ball'").attrs
    assert told["certificate"] == str(run.certificate())
    assert told["scenario"] == "name = 'ball'"
    assert told["numpy_version"] == np.__version__
    assert told["python_version"] == platform.python_version()
    assert {name for name in told if name.endswith("_version")} > {
        "zeromass_version",
        "scipy_version",
        "llvmlite_version",
    }
    with xarray.open_dataset(saved, engine="h5netcdf") as file:
        assert {name: file.attrs[name] for name in told} == told


def test_a_second_run_is_made_once(second_runs, tmp_path):
    run = pendulum_run()
    assert run.to_xarray(certificate=False).attrs["certificate"] == ""
    run.save(tmp_path / "plain.nc", certificate=None)
    assert second_runs == []
    words = run.to_xarray().attrs["certificate"]
    assert words == str(run.certificate())
    run.save(tmp_path / "pendulum.nc")
    assert run.to_xarray([0.5]).attrs["certificate"] == words
    assert second_runs == [1e-12]  # a hundredth of the tolerance of the run
    other = pendulum_run(rtol=1e-6).certificate()
    assert run.to_xarray(certificate=other).attrs["certificate"] == str(other) != words


def test_a_loaded_run_tells_what_its_file_tells(second_runs, tmp_path, monkeypatch):
    run = pendulum_run().from_scenario("name = 'pendulum'", "long")
    told = run.to_xarray().attrs
    assert (told["scenario"], told["scenario_case"], told["parameter length"]) == ("name = 'pendulum'", "long", 0.7)
    path = run.save(tmp_path / "pendulum.nc")
    second_runs.clear()
    monkeypatch.setattr("importlib.metadata.version", lambda name: "other")  # it is read with other packages
    again = zm.load(path)
    assert again.to_xarray().attrs == told
    assert zm.load(again.save(tmp_path / "again.nc")).to_xarray().attrs == told
    assert second_runs == []
    assert pendulum_run().to_xarray(certificate=False).attrs["numpy_version"] == "other"


def stopped_runs():
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    half = {"half circle": y - np.sqrt(1 - x**2)}
    bob, ghost = zm.Particle("bob", mass=1.0), zm.Particle("ghost", mass=0)
    return {
        "non-unique": (zm.System([bob, ghost], gravity=9.81), {}),
        "not a number": (
            zm.System(kinetic=(dx**2 + dy**2) / 2, constraints=half, coordinates=[x, y]),
            {x: 0.0, dx: 1.0},
        ),
        "step too small": (zm.System(kinetic=dx**2 / 2, potential=-1 / x), {x: 1.0}),
    }


@pytest.mark.parametrize("ending", stopped_runs())
def test_a_run_that_stopped_is_kept_too(ending, tmp_path):
    system, values = stopped_runs()[ending]
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(values), until=10.0)
    assert run.outcome.ending.value == ending
    again = zm.load(run.save(tmp_path / "stopped.nc"))
    assert np.array_equal(again.y, run.y)
    assert again.to_xarray().attrs == run.to_xarray().attrs
    begun = len(run) > 1  # else there is nothing to be measured
    assert ("digits to trust" in run.to_xarray().attrs["certificate"]) == begun


def test_what_is_no_run_is_refused(tmp_path):
    other = tmp_path / "other.nc"
    other.write_bytes(b"not a file of that kind")
    with pytest.raises(FileError, match=r"other\.nc"):
        zm.load(other)
    with pytest.raises(FileError, match=r"missing\.nc"):
        zm.load(tmp_path / "missing.nc")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "kept.txt"
    target.write_text("old")

    def full(place: Path) -> None:
        place.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match=r"kept.txt.*No space left"):
        write(target, full)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
