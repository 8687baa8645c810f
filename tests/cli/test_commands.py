"""Each command: what it prints, what it writes, and its exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import zeromass as zm
from cases import spread
from zeromass import cli
from zeromass.cli.output import SCHEMAS
from zeromass.scenario import shipped_scenarios
from zeromass.scenario.scenario import SHIPPED, STARTER

BALL = STARTER.read_text(encoding="utf-8").replace("viewer = true", 'plots = ["forces"]')
WHEEL = (SHIPPED / "up2006-wheel.toml").read_text(encoding="utf-8")


def zeromass(*words: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "zeromass", *map(str, words)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def invoke(*words: object) -> tuple[int, str, str]:
    """The command in this process: exit code, stdout and stderr."""
    done = CliRunner().invoke(cli.app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def data(*words: object, code: int = 0) -> dict:
    """What a command prints with --json."""
    exit_code, out, err = invoke(*words, "--json")
    assert exit_code == code, out + err
    found = json.loads(out)
    assert found["exit_code"] == code
    SCHEMAS[str(words[0])].model_validate(found)
    return found


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of a run, and what was printed."""
    place = tmp_path_factory.mktemp("saved")
    (place / "ball.toml").write_text(BALL, encoding="utf-8")
    return place, data("run", place / "ball.toml", "--out", place / "ball")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wheel.toml").write_text(WHEEL, encoding="utf-8")
    return tmp_path


def test_help_teaches_by_example_and_comes_quickly(tmp_path):
    done = zeromass("--help", folder=tmp_path, NO_COLOR="1", COLUMNS="100")
    assert done.returncode == 0
    for words in ("zeromass run bowl.toml", "zeromass papers", "130", "--version", "--install-completion"):
        assert words in done.stdout
    assert set(shipped_scenarios()) <= set(re.findall(r"[\w-]+", done.stdout))
    heavy = ["pydantic", "matplotlib", "xarray", "sympy", "zeromass.papers", "zeromass.scenario.document"]
    code = f"import sys, zeromass.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert invoke("--version") == (0, f"zeromass {project['version']}\n", "")


def test_first_five_minutes(tmp_path):
    """new, then run: as the starter says, in processes of their own; piped, there is no colour and no progress."""
    done = zeromass("new", "bowl", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = zeromass("run", "bowl.toml", "--no-certificate", "--no-plots", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "finished at t = 5 s" in done.stdout
    assert "crosses the middle" in done.stdout
    assert "\x1b" not in done.stdout
    assert {path.name for path in (tmp_path / "bowl").iterdir()} == {"run.nc", "run.csv", "viewer.html"}


def test_no_color_is_respected(here):
    words = ("run", "wheel.toml", "--no-certificate", "--no-plots", "--no-viewer")
    done = zeromass(*words, folder=here, FORCE_COLOR="1", NO_COLOR="1")
    assert done.returncode == 0
    assert "\x1b[32m" not in done.stdout


def test_run_json(saved):
    place, found = saved
    assert set(found) == {
        "command", "exit_code", "scenario", "outcome", "statistics", "events", "end", "extremes", "seconds", "certificate",
        "folder", "files", "remarks",
    }  # fmt: skip
    assert found["scenario"]["name"] == "my first scenario"
    assert found["outcome"] == {"ending": "finished", "t": 5.0, "message": "", "complete": True}
    assert set(found["statistics"]) == {"steps", "rejected", "evaluations", "repivots", "growth"}
    assert [event["name"] for event in found["events"]] == ["crosses the middle"] * 3
    assert found["certificate"]["digits"] > 6
    assert {r["name"] for r in found["certificate"]["residuals"]} >= {"surface", "no slip"}
    assert set(found["files"]) == {"run", "table", "plots", "viewer"}
    assert all(Path(path).exists() for path in [found["files"]["run"], *found["files"]["plots"]])
    assert not list((place / "ball").glob(".*"))


def test_run_files_are_read_back(saved):
    place, found = saved
    run = zm.load(place / "ball" / "run.nc")
    assert run.t[-1] == 5.0
    end = dict(zip([x.name for x in run.system.coordinates], run.y[-1], strict=False))
    assert end == found["end"]["position"]
    rows = (place / "ball" / "run.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 502
    assert rows[0].startswith('"t [s]"')


def test_run_twice_gives_the_same_numbers(here, saved):
    _, first = saved
    (here / "ball.toml").write_text(BALL, encoding="utf-8")
    again = data("run", "ball.toml", "--no-certificate", "--no-plots", "--no-viewer")
    assert again["end"] == first["end"]
    assert again["certificate"] is None
    assert again["folder"] == "ball"


def test_check(here):
    code, out, _ = invoke("check", "wheel.toml")
    assert code == 0
    assert "motion: unique" in out
    assert "rolling: holonomic" in out
    found = data("check", "wheel.toml")
    assert found["unique"] is True
    assert found["degrees_of_freedom"] == 1
    assert found["coordinates"] == ["theta", "y"]


def test_check_and_run_of_a_model_that_is_not_determined(here):
    text = WHEEL.replace('["theta", "y"]', '["theta", "y", "x"]')
    (here / "virtual.toml").write_text(text, encoding="utf-8")
    found = data("check", "virtual.toml", code=3)
    assert found["unique"] is False
    assert found["undetermined"][0]["direction"] == {"x": 1.0}
    assert "give x a mass" in found["undetermined"][0]["remedy"]
    found = data("run", "virtual.toml", code=3)
    assert found["outcome"]["ending"] == "non-unique"
    assert (here / "virtual" / "run.nc").exists()


def test_equations(here):
    code, out, _ = invoke("equations", "wheel.toml")
    assert code == 0
    assert "Ic + R*(m*R)  0" in out
    assert r"\sin\alpha" in invoke("equations", "wheel.toml", "--format", "latex")[1]
    assert "Matrix([[-R*sin(alpha), 1]])" in invoke("equations", "wheel.toml", "--format", "sympy")[1]
    found = data("equations", "wheel.toml", "--format", "c", "--out", "wheel.c")
    assert "void equations(const double *in, double *out)" in found["equations"]["c"]
    assert (here / "wheel.c").read_text() == found["equations"]["c"]
    assert data("equations", "wheel.toml")["equations"].keys() == {"q", "M", "Q", "A", "b"}


def test_plot(saved, here):
    place, _ = saved
    file = place / "ball" / "run.nc"
    assert data("plot", file, "friction_ratio", "--out", "ratio.svg")["file"] == "ratio.svg"
    assert "<svg" in (here / "ratio.svg").read_text(encoding="utf-8")
    assert invoke("plot", file, "quantity", "--formula", "contact.x**2 + normal_force")[0] == 0
    assert (here / "quantity.png").read_bytes()[:4] == b"\x89PNG"
    for words, message in (
        ((file, "frictio_ratio"), "did you mean 'friction_ratio'"),
        ((file, "forces", "--out", "x.bmp"), ".png, .svg or .pdf"),
        ((file, "quantity"), "needs --formula"),
        ((file, "quantity", "--formula", "normal_forc"), "did you mean 'normal_force'"),
        ((file, "forces", "--formula", "t"), "goes with"),
    ):
        code, _, err = invoke("plot", *words)
        assert code == 2
        assert message in err
    assert invoke("plot", "none.nc", "forces")[0] == 5
    assert invoke("plot", "wheel.toml", "forces")[0] == 5


def test_view(saved, here):
    place, _ = saved
    assert data("view", place / "ball" / "run.nc", "--out", "ball.html")["file"] == "ball.html"
    assert "</html>" in (here / "ball.html").read_text(encoding="utf-8")
    assert data("view", "stanescu", "--case", "planar")["file"] == "stanescu.html"
    assert not list(here.glob(".*.tmp"))


def test_new_does_not_overwrite(here):
    code, out, _ = invoke("new", "first")
    assert code == 0
    assert "first.toml" in out
    before = (here / "first.toml").read_bytes()
    assert b"zeromass run first.toml" in before
    code, _, err = invoke("new", "first.toml")
    assert code == 2
    assert "is there already" in err
    assert (here / "first.toml").read_bytes() == before
    assert data("new", "shell", "--like", "um2022")["file"] == "shell.toml"
    assert data("check", "shell.toml", "--case", "3D")["unique"] is True
    assert "did you mean 'um2022'" in invoke("new", "other", "--like", "um2021")[2]


@pytest.mark.parametrize("name", spread(shipped_scenarios(), 4))
def test_what_comes_along_can_be_copied_and_checked(here, name):
    assert data("new", "mine", "--like", name)["file"] == "mine.toml"
    virtual = name == "up2006-virtual-particle"  # whose motion nothing determines
    assert data("check", "mine.toml", code=3 if virtual else 0)["unique"] is not virtual


def test_run_on_measured_terrain(here):
    x, y = np.linspace(-1, 1, 9), np.linspace(-1, 1, 8)
    np.savez(here / "hills.npz", x=x, y=y, z=0.3 * (x[:, None] ** 2 + y**2))
    old = 'height = "0.3*(X**2 + Y**2)"'
    (here / "hills.toml").write_text(BALL.replace(old, 'kind = "terrain"\nfile = "hills.npz"'), encoding="utf-8")
    found = data("run", "hills.toml", "--no-certificate")
    assert {"table", "plots", "viewer"} <= set(found["files"])
    (here / "bowl.toml").write_text(BALL, encoding="utf-8")
    bowl = data("run", "bowl.toml", "--no-certificate", "--no-plots", "--no-viewer")
    # a spline of degree 5 through a paraboloid is the paraboloid, up to rounding and the tolerance 1e-10
    for kind in ("position", "rate"):
        assert np.allclose(list(found["end"][kind].values()), list(bowl["end"][kind].values()), rtol=0, atol=1e-6)


def test_bad_terrain_leaves_nothing_behind(here):
    old = 'height = "0.3*(X**2 + Y**2)"'
    (here / "hills.toml").write_text(BALL.replace(old, 'kind = "terrain"\nfile = "hills.csv"'), encoding="utf-8")
    before = set(here.iterdir())
    code, out, err = invoke("run", "hills.toml")
    assert (code, out) == (2, "")
    assert "hills.toml:" in err
    assert "rolling.surface.file: there is no file 'hills.csv' beside the scenario" in err
    assert set(here.iterdir()) == before


def test_the_viewer_shows_what_the_scenario_asks_for(here):
    more = '[output]\ntrails = []\n[output.charts]\n"Angle of the wheel (rad)" = "theta"\n'
    shape = '[[output.shapes]]\nat = ["R*theta", 0, "-y"]\nkind = "wheel"\nradius = "R"\nwidth = 0.123456\n'
    (here / "drawn.toml").write_text(WHEEL + more + shape, encoding="utf-8")
    data("run", "drawn.toml", "--no-certificate", "--no-plots")
    data("view", "drawn.toml")
    data("view", "drawn/run.nc", "--out", "saved.html")
    for page in (here / "drawn" / "viewer.html", here / "drawn.html", here / "saved.html"):
        text = page.read_text(encoding="utf-8")
        assert "Angle of the wheel (rad)" in text
        assert '"width":0.123456' in text


def test_papers_json(monkeypatch):
    from types import SimpleNamespace

    from zeromass.papers.table import Row, Section

    section = Section("UP2006", "examples", (Row("a", "1", "1.0", np.bool_(True), "eq."), Row("b", "2", "3", None)))
    found = SimpleNamespace(shell={}, ball={}, particle={"planar": 0}, sections=(section,))
    monkeypatch.setattr(cli, "results", lambda: found)
    printed = data("papers")
    assert printed["runs"] == 1
    rows = printed["sections"][0]["rows"]
    assert rows[0] == {"quantity": "a", "printed": "1", "computed": "1.0", "agrees": True, "remark": "eq."}
    assert rows[1]["agrees"] is None
