"""`zeromass sweep`: what it writes, what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray
from pyarrow import parquet
from typer.testing import CliRunner

from zeromass import cli
from zeromass.cli.output import SCHEMAS, Failure

SPRING = """
[scenario]
name = "springs"
[parameters]
a = 1.0
k = 1.0
[system]
coordinates = ["x"]
kinetic = "x'**2/2"
potential = "k*x**2/2"
[system.start]
x = "a"
[run]
until = 3
[sweep]
on = "lanes"
[sweep.over]
a = { from = 0.5, to = 1.5, count = 3 }
k = [1, 4]
[sweep.keep]
end = "x"
fastest = { largest = "x'" }
energy = "energy"
"""


def invoke(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.app, ["sweep", *[str(word) for word in words]])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "springs.toml").write_text(SPRING, encoding="utf-8")
    return tmp_path


def exact(a: np.ndarray, k: np.ndarray) -> np.ndarray:
    return a * np.cos(np.sqrt(k) * 3)


def test_netcdf_is_written_beside(here: Path) -> None:
    code, out, err = invoke("springs.toml")
    assert code == 0, err
    assert "6 (a 3 × k 2)" in out
    assert "finished: 6" in out
    assert "springs.nc is written" in out
    with xarray.open_dataset("springs.nc") as study:
        assert study.end.values == pytest.approx(exact(study.a.values[:, None], study.k.values), abs=1e-9)
        assert study.energy.units == "J"
    assert {path.name for path in here.iterdir()} == {"springs.toml", "springs.nc"}


def test_json_and_a_table_and_a_picture(here: Path) -> None:
    code, out, _ = invoke("springs.toml", "--out", "s.parquet", "--picture", "s.png", "--json")
    found = json.loads(out)
    SCHEMAS["sweep"].model_validate(found)
    assert code == found["exit_code"] == 0
    assert found["members"] == 6
    assert found["over"] == {"a": 3, "k": 2}
    assert found["outcomes"] == {"finished": 6}
    assert found["kept"]["fastest"]["max"] == pytest.approx(1.5 * 2, rel=1e-6)
    rows = parquet.read_table("s.parquet").to_pylist()
    for row in rows:
        assert row["end"] == pytest.approx(exact(row["a"], row["k"]), abs=1e-9)
    assert (here / "s.png").stat().st_size > 5000


def test_a_store_is_gone_on_with(here: Path) -> None:
    assert invoke("springs.toml", "-o", "s.zarr")[0] == 0
    code, _, err = invoke("springs.toml", "-o", "s.zarr")
    assert (code, "--resume goes on with it" in err) == (2, True)
    assert invoke("springs.toml", "-o", "s.zarr", "--resume")[0] == 0
    study = xarray.open_zarr("s.zarr", consolidated=False)
    assert study.end.values == pytest.approx(exact(study.a.values[:, None], study.k.values), abs=1e-9)
    (here / "springs.toml").write_text(SPRING.replace("until = 3", "until = 2"), encoding="utf-8")
    code, _, err = invoke("springs.toml", "-o", "s.zarr", "--resume")
    assert code in (2, 5)
    assert "until is 3.0 there and 2.0 here" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("springs.toml", "--out", "s.csv"), "written as .nc, .parquet or .zarr, not 's.csv'"),
        (("springs.toml", "--resume"), "--resume goes on with a store: --out springs.zarr"),
        (("springs.toml", "--on", "clouds"), "give lanes, cores, or a number of cores"),
        (("springs.toml", "-p", "s.txt"), "a figure is written as .png"),
        (("up2006-wheel",), "no table [sweep]"),
    ],
)
def test_wrong_usage_is_told(here: Path, words: tuple[str, ...], said: str) -> None:
    code, out, err = invoke(*words, "--json")
    assert code == 2
    assert said in err
    Failure.model_validate(json.loads(out))
    assert {path.name for path in here.iterdir()} == {"springs.toml"}


def test_errors_of_the_file_have_their_line(here: Path) -> None:
    (here / "springs.toml").write_text(SPRING.replace('end = "x"', 'end = "z"'), encoding="utf-8")
    code, out, _ = invoke("springs.toml", "--json")
    problem = json.loads(out)["error"]
    assert code == 2
    assert problem["key"] == "sweep.keep.end"
    assert problem["line"] == 1 + SPRING.splitlines().index('end = "x"')


def test_where_no_member_comes_to_its_end_the_physics_stopped_it(here: Path) -> None:
    """x'' = x⁵ runs away before t = 3."""
    text = SPRING.replace("k*x**2/2", "-k*x**6").replace("from = 0.5", "from = 1.4")
    (here / "springs.toml").write_text(text, encoding="utf-8")
    code, out, _ = invoke("springs.toml")
    assert code == 3
    assert "finished" not in out
    assert (here / "springs.nc").exists()


def test_help_teaches_by_example() -> None:
    code, out, _ = invoke("--help")
    assert code == 0
    for words in ("zeromass sweep bowl.toml", "--resume", ".parquet", "[sweep]"):
        assert words in out
