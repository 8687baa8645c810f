"""Runs in files: what is read back is what was written, and a file is never half written."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.report.files import FileError, write


@pytest.fixture(scope="module")
def run():
    rolling = zm.Rolling(zm.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
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
    """To rounding: a polynomial of degree 7 is the same through other points, and both ends are projected."""
    times = np.linspace(0.0, 2.0, 173)
    again = zm.load(saved).at(times)
    before = run.at(times)
    assert np.abs(again.y - before.y).max() <= 1e-13 * np.abs(before.y).max()


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
    import xarray

    with xarray.open_dataset(saved, engine="h5netcdf") as file:
        assert file.attrs["scenario"] == "name = 'ball'"
        assert np.array_equal(file["energy"].values, run[run.system.energy])


def test_csv_holds_every_digit(run, tmp_path):
    path = run.to_csv(tmp_path / "ball.csv")
    names = path.read_text().splitlines()[0].replace('"', "").split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert table.shape == (len(run.t), len(names))
    assert np.array_equal(table[:, 0], run.t)
    assert np.array_equal(table[:, names.index("energy [J]")], run[run.system.energy])


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


KILLS = """
import sys
from pathlib import Path
from zeromass.report.files import write
target, count = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    count += 1
    write(target, lambda place: place.write_bytes(bytes([count % 251]) * 400_000))
"""


@pytest.mark.parametrize("kills", [8, pytest.param(80, marks=pytest.mark.slow)])
def test_a_kill_at_any_time_leaves_a_whole_file(tmp_path, kills):
    target = tmp_path / "whole.bin"
    target.write_bytes(b"\x00" * 400_000)
    for seed in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLS, str(target)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.Random(seed).uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        content = target.read_bytes()
        assert len(content) == 400_000
        assert len(set(content)) == 1
