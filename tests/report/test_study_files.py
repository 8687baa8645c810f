"""Studies as netCDF and as tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
from pyarrow import parquet

import zeromass as zm
from zeromass.report.study_files import save


@pytest.fixture(scope="module")
def study() -> xarray.Dataset:
    x, v, m = zm.coordinate("x"), zm.parameter("v", 1.0), zm.parameter("m", 1.0)
    gliding = zm.System(kinetic=m * zm.rate(x) ** 2 / 2)
    keep = {"energy": gliding.energy, "both": [x, zm.rate(x)], "way": zm.study.values_at(x, [1.0, 2.0])}
    return zm.sweep(
        gliding, gliding.start({zm.rate(x): v}), until=3.0, over={v: [1.0, 2.0, 3.0], m: [0.5, 1.0]}, keep=keep
    )


def test_netcdf_gives_the_study_again(study: xarray.Dataset, tmp_path: Path) -> None:
    with xarray.open_dataset(save(study, tmp_path / "study.nc"), engine="h5netcdf") as read:
        for name in study.variables:
            assert np.array_equal(read[name].values.astype(str), study[name].values.astype(str))
            assert read[name].attrs == study[name].attrs
        assert read.attrs == study.attrs


def test_parquet_has_one_row_a_member(study: xarray.Dataset, tmp_path: Path) -> None:
    table = parquet.read_table(save(study, tmp_path / "study.parquet"))
    own = ["outcome", "message", "end_time", "steps", "rejected", "evaluations"]
    assert table.column_names == ["v", "m", "energy", "both[0]", "both[1]", "way[0]", "way[1]", *own]
    rows = table.to_pylist()
    assert len(rows) == 6
    for row in rows:
        assert row["energy"] == pytest.approx(row["m"] * row["v"] ** 2 / 2, rel=1e-12)
        assert row["way[1]"] == pytest.approx(2 * row["v"], rel=1e-12)
        assert row["outcome"] == "finished"
    assert table.schema.field("energy").metadata[b"units"] == b"J"


def test_other_endings_are_told(study: xarray.Dataset, tmp_path: Path) -> None:
    with pytest.raises(zm.errors.ModelError, match=r"written as \.nc or \.parquet, not .*study\.csv"):
        save(study, tmp_path / "study.csv")
