"""Runs as tables: every number, name and unit is read back, whole or not at all."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.errors import FileError


@pytest.fixture(scope="module")
def run() -> zm.Run:
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.2), on=zm.surfaces.paraboloid(0.4), gravity=9.81)
    start = rolling.start(contact=(0.3, 0.1), velocity=(0.2, -0.3), spin=2.0)
    return zm.simulate(rolling, start, until=1.0)


def test_csv_holds_every_digit(run, tmp_path):
    path = run.to_csv(tmp_path / "ball.csv")
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert table.shape == (len(run.t), len(names))
    assert np.array_equal(table[:, names.index("t [s]")], run.t)
    assert np.array_equal(table[:, names.index("energy [J]")], run[run.system.energy])
    contact = [names.index(f"contact.{axis} [m]") for axis in "xyz"]
    assert np.array_equal(table[:, contact], run[run.system.contact])


# Parquet ----------------------------------------------------------------------------------------------------------
def test_parquet_holds_every_digit_name_and_unit(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    times = np.linspace(0.0, 1.0, 37)
    at, system = run.at(times), run.system
    table = parquet.read_table(run.to_parquet(tmp_path / "ball.parquet", times))
    assert table.num_rows == 37
    assert np.array_equal(table["t [s]"], times)
    for j, x in enumerate(system.coordinates):
        assert np.array_equal(table[x.name], at.y[:, j])
        assert np.array_equal(table[f"rate of {x.name}"], at.y[:, len(system.coordinates) + j])
    for i, axis in enumerate("xyz"):
        assert np.array_equal(table[f"contact.{axis} [m]"], at[system.contact][:, i])
    for name, quantity in system.quantities.items():
        first = name if np.ndim(quantity.expression) == 0 else f"{name}.x"
        told = table.schema.field(f"{first} [{quantity.unit}]").metadata
        assert told[b"units"].decode() == quantity.unit
        assert told[b"long_name"].decode().startswith(quantity.label)
    assert len(table.column_names) == len(set(table.column_names))


def test_parquet_tells_what_the_dataset_tells(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    known = run.from_scenario("name = 'ball'", "A")
    told = known.to_xarray().attrs
    path = known.to_parquet(tmp_path / "ball.parquet")
    kept = {name.decode(): value.decode() for name, value in parquet.read_schema(path).metadata.items()}
    assert {name: kept[name] for name in told} == {name: str(value) for name, value in told.items()}
    assert "digits to trust" in kept["certificate"]
    bare = parquet.read_schema(known.to_parquet(tmp_path / "bare.parquet", certificate=False))
    assert bare.metadata[b"certificate"] == b""


def test_parquet_is_written_whole_or_not_at_all(run, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    target = run.to_parquet(tmp_path / "kept.parquet")
    before = target.read_bytes()

    def full(table, place: Path) -> None:
        place.write_bytes(b"PAR1")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "write_table", full)
    with pytest.raises(FileError, match=r"kept\.parquet.*No space left"):
        run.to_parquet(target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_without_pyarrow_it_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    with pytest.raises(ImportError, match="Parquet files need pyarrow, which is not installed: pip install pyarrow"):
        run.to_parquet(tmp_path / "ball.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_not_written_in_a_form_that_its_name_does_not_tell(tmp_path):
    """Each writer knows the endings of what it writes, and names them."""
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
    for name, written, known in (
        ("run.mat", run.save, r"\.nc, \.nc4, \.h5 or \.hdf5"),
        ("run.csv", run.save, r"\.nc, \.nc4, \.h5 or \.hdf5"),
        ("run.xlsx", run.to_csv, r"\.csv or \.txt"),
        ("run.csv", run.to_parquet, r"\.parquet or \.pq"),
        ("run.pdf", run.view, r"\.html or \.htm"),
        ("run.pdf", run.view().save, r"\.html or \.htm"),
    ):
        with pytest.raises(zm.errors.ModelError, match=known):
            written(tmp_path / name)
    assert not list(tmp_path.iterdir())
