"""`study.zm.run(…)`: the whole run of a member of a study."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import zeromass as zm

SPEEDS, DEPTHS = np.linspace(0.1, 0.7, 4), [0.1, 0.2]


def made() -> tuple[zm.Rolling, zm.State, zm.expression.Expression, zm.expression.Expression]:
    v, depth = zm.parameter("v", 0.5), zm.parameter("depth", 0.1)
    ball = zm.Rolling(zm.bodies.ball(0.05, 0.3), on=zm.Surface(lambda X, Y: depth * (X**2 + Y**2), name="bowl"))
    return ball, ball.start(contact=(0.5, 0.2), velocity=(v, 0.1)), v, depth


@pytest.fixture(scope="module")
def study() -> xarray.Dataset:
    ball, start, v, depth = made()
    there = zm.Event("through the middle", ball.contact[0], terminal=False)
    keep = {
        "friction": zm.study.largest(ball.friction_ratio),
        "end": ball.contact,
        "y": [*ball.coordinates, *ball.rates],
        "middle": zm.study.first_time(there),
        "energy": zm.study.mean(ball.kinetic),
        "own": zm.study.smallest(ball.contact[0] ** 2),
    }
    return zm.sweep(ball, start, until=2.0, rtol=1e-9, over={v: SPEEDS, depth: DEPTHS}, keep=keep)


def test_a_run_has_the_bits_of_its_member(study: xarray.Dataset) -> None:
    for k, v in enumerate(SPEEDS):
        for j, depth in enumerate(DEPTHS):
            run = study.zm.run(v=v, depth=depth)
            assert np.array_equal(run.y[-1], study.y[k, j].values)
            assert run.statistics.steps == study.steps[k, j]
            first = next((event.t for event in run.events), np.nan)
            assert first == pytest.approx(float(study.middle[k, j]), abs=1e-12, nan_ok=True)
            largest = run.maximum(run.system.quantities["friction ratio"].expression).value
            assert largest == pytest.approx(float(study.friction[k, j]), rel=1e-6)


def test_what_is_selected_knows_its_study(study: xarray.Dataset) -> None:
    run = study.sel(depth=0.2).zm.run(v=0.3)
    assert np.array_equal(run.y[-1], study.y.sel(depth=0.2)[1].values)
    assert np.array_equal(study.isel(v=1, depth=1).zm.run().y, run.y)
    assert np.array_equal(study[["friction"]].zm.run(v=0.3, depth=0.2).y, run.y)
    assert np.array_equal(study.zm.run(v=0.34, depth=0.17, method="nearest").y, run.y)


def test_a_value_of_no_member_is_refused(study: xarray.Dataset) -> None:
    with pytest.raises(zm.errors.ModelError, match=r"no member has v = 0\.35; the nearest one has 0\.3, .*nearest"):
        study.zm.run(v=0.35, depth=0.1)
    with pytest.raises(zm.errors.ModelError, match="more than one such member: give depth=… too"):
        study.zm.run(v=0.3)
    with pytest.raises(zm.errors.ModelError, match="'speed' is no parameter of the study; it has: depth, v"):
        study.zm.run(speed=0.3, depth=0.1)
    with pytest.raises(zm.errors.ModelError, match="no member has depth"):
        study.sel(depth=0.2).zm.run(v=0.3, depth=0.1)


def test_a_sample_is_called_by_its_number() -> None:
    from scipy.stats import uniform

    ball, start, v, depth = made()
    drawn = zm.study.samples(5, {v: uniform(0.1, 0.5), depth: uniform(0.1, 0.1)})
    study = zm.sweep(ball, start, until=0.5, over=drawn, keep={"y": [*ball.coordinates, *ball.rates]})
    run = study.zm.run(sample=3)
    assert np.array_equal(run.y[-1], study.y[3].values)
    assert run.parameters[depth] == study.depth[3]


@pytest.mark.parametrize("kind", ["nc", "zarr", "pickle"])
def test_a_study_of_a_file_is_told_its_system(study: xarray.Dataset, kind: str, tmp_path: Path) -> None:
    place = tmp_path / f"study.{kind}"
    plain = study.drop_vars(["outcome", "message"])
    if kind == "nc":
        plain.to_netcdf(place, engine="h5netcdf")
        read: Any = xarray.open_dataset(place, engine="h5netcdf")
    elif kind == "zarr":
        plain.to_zarr(place, consolidated=False)
        read = xarray.open_zarr(place, consolidated=False)
    else:
        read = pickle.loads(pickle.dumps(study))
    with pytest.raises(zm.errors.ModelError, match="give system and start"):
        read.zm.run(v=0.3, depth=0.2)
    ball, start, _, _ = made()
    run = read.zm.run(ball, start, v=0.3, depth=0.2)
    assert run.y[-1] == pytest.approx(study.y.sel(depth=0.2)[1].values, abs=1e-7)  # at rtol 1e-9, other pivots
    read.close()


def test_labels_are_those_of_the_system(study: xarray.Dataset) -> None:
    assert study.friction.attrs == {"long_name": "largest friction needed", "units": "1"}
    assert study.end.attrs == {"long_name": "contact point at the end", "units": "m"}
    assert study.middle.attrs == {"long_name": "first time of 'through the middle'", "units": "s"}
    assert study.energy.attrs == {"long_name": "mean kinetic energy", "units": "J"}
    assert study.own.attrs == {"long_name": "own"}
    assert study.end_time.attrs == {"long_name": "time at the end", "units": "s"}


def test_xarray_draws_it(study: xarray.Dataset) -> None:
    import matplotlib.pyplot as plt

    drawn = study.friction.plot()
    assert drawn.colorbar.ax.get_ylabel() == "largest friction needed [1]"
    assert {drawn.axes.get_xlabel(), drawn.axes.get_ylabel()} == {"v", "depth"}
    plt.close("all")


def test_importing_zeromass_imports_no_xarray() -> None:
    code = "import sys, zeromass; zeromass.sweep; print('xarray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
