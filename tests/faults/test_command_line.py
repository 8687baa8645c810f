"""Scenarios and files that are none end with the place in the file and the right exit code, never as a defect of ours."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

import zeromass as zm
from cases import few
from zeromass import cli
from zeromass.cli.output import Outcome
from zeromass.integrate import Ending
from zeromass.scenario.scenario import SHIPPED, starter

SPRINGS = (SHIPPED / "up2006-light-second-mass.toml").read_text(encoding="utf-8")
WHEEL = (SHIPPED / "up2006-wheel.toml").read_text(encoding="utf-8")
QUICK = ("--no-certificate", "--no-plots", "--no-viewer")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def invoke(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def changed(text: str, key: str, value: str) -> str:
    new = re.sub(rf"^{key} *=.*$", f"{key} = {value}", text, flags=re.MULTILINE)
    assert new != text
    return new


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("key", few(["m1", "k2", "m2", "k1"], 2))
@pytest.mark.parametrize("value", few(["1e308", "1e-320", "-1", "0", "1e-308", "-1e308"], 3))
def test_numbers_at_the_ends_of_what_there_is(here, key, value):
    """They run, or are stopped by the physics, or are refused at their own line, or at the start that they spoil."""
    text = changed(SPRINGS, key, value)
    Path("s.toml").write_text(text, encoding="utf-8")
    line, start = (text[: text.index(words)].count("\n") + 2 for words in (f"\n{key} =", "\n[system.start]"))
    for command in (("run", "s.toml", *QUICK), ("check", "s.toml")):
        code, _, err = invoke(*command)
        assert code in (0, 2, 3), err
        if code == 2:
            places = [f"s.toml:{line}: parameters.{key}: ", f"s.toml:{start}: system.start: "]
            assert any(err.startswith(f"invalid scenario: {place}") for place in places), err
            code, out, _ = invoke(*command, "--json")
            problem = json.loads(out)["error"]
            assert (code, problem["line"], problem["key"]) in [
                (2, line, f"parameters.{key}"),
                (2, start, "system.start"),
            ]


@pytest.mark.parametrize("key", ["m1", "m2"])
def test_negative_masses_are_named(here, key):
    Path("s.toml").write_text(changed(SPRINGS, key, "-1"), encoding="utf-8")
    for command in ("run", "check"):
        code, _, err = invoke(command, "s.toml")
        assert code == 2
        assert f"parameters.{key}: it is -1, and M has a negative eigenvalue" in err


@pytest.mark.parametrize("content", [b"", b"nothing", b"\x89HDF\r\n\x1a\n" + bytes(100)])
@pytest.mark.parametrize("command", [("plot", "run.nc", "coordinates"), ("view", "run.nc")])
def test_damaged_files(here, command, content):
    Path("run.nc").write_bytes(content)
    code, out, err = invoke(*command)
    assert (code, out) == (5, "")
    assert err.startswith("input/output: 'run.nc' could not be read as a run")


def test_a_file_that_was_changed(here):
    assert invoke("run", "up2006-wheel", "--out", "wheel", *QUICK)[0] == 0
    content = bytearray(Path("wheel/run.nc").read_bytes())
    content[len(content) // 2] ^= 1
    Path("wheel/run.nc").write_bytes(content)
    code, _, err = invoke("view", "wheel/run.nc")
    assert code == 5
    assert "it has changed since it was written" in err


@pytest.mark.parametrize("folder", ["../x", "../../x", "/tmp/x", "a/../../x", "out/x", "a\\u0000b", ".."])
def test_a_scenario_writes_only_below_the_current_folder(here, folder):
    (here.parent / "elsewhere").mkdir()
    os.symlink(here.parent / "elsewhere", here / "out")
    Path("s.toml").write_text(f'{WHEEL}\n[output]\nfolder = "{folder}"\n', encoding="utf-8")
    before = {str(path) for path in here.parent.rglob("*")}
    code, _, err = invoke("run", "s.toml", *QUICK)
    assert code == 2, err
    assert re.match(r"invalid scenario: s\.toml:\d+: output\.folder: ", err)
    assert "--out" in err
    assert {str(path) for path in here.parent.rglob("*")} == before
    assert invoke("run", "s.toml", "--out", "../asked", *QUICK)[0] == 0
    assert (here.parent / "asked" / "run.nc").exists()


def test_a_folder_below_is_good(here):
    Path("s.toml").write_text(f'{WHEEL}\n[output]\nfolder = "a/b"\n', encoding="utf-8")
    assert invoke("run", "s.toml", *QUICK)[0] == 0
    assert Path("a/b/run.nc").exists()


def test_the_name_of_a_case_is_no_path(here):
    Path("s.toml").write_text(f'{WHEEL}\n[cases."../../x".run]\nuntil = 1\n', encoding="utf-8")
    assert invoke("run", "s.toml", "--case", "../../x", *QUICK)[0] == 0
    assert Path("s-..-..-x/run.nc").exists()


def test_every_ending_is_in_the_schema():
    endings = {str(ending.value) for ending in Ending} - {"switch"}  # which ends a segment, never a run
    assert set(get_args(Outcome.model_fields["ending"].annotation)) == endings


def test_a_run_out_of_memory_is_saved(here):
    Path("s.toml").write_text(
        WHEEL.replace("until = 2", 'until = 1e9\nmethod = "fixed"\nstep = 1e-3\nmemory = 2e6'), encoding="utf-8"
    )
    code, out, _ = invoke("run", "s.toml", "--json", *QUICK)
    assert code == 3
    assert json.loads(out)["outcome"]["ending"] == "out of memory"
    assert 1000 < len(zm.load("s/run.nc")) < 100_000


def test_markup_in_names_is_printed_as_it_is(here):
    """Rich would take [bold] for bold, [link=…] for a link, and fail at [/bold]."""
    for name in ("[bold]x[/bold]", "[/bold]", "[link=http://x]y[/link]", "x[red"):
        Path("s.toml").write_text(WHEEL.replace('name = "wheel on an incline"', f'name = "{name}"'), encoding="utf-8")
        for command in (("run", "s.toml", *QUICK), ("check", "s.toml")):
            code, out, err = invoke(*command)
            assert code == 0, err
            assert name in out
    code, _, err = invoke("run", "[bold]none[/bold].toml")
    assert code == 5
    assert "[bold]none[/bold].toml" in err
    assert invoke("new", "[bold]n")[1].startswith("[bold]n.toml is written")
    code, out, _ = invoke("equations", "s.toml", "--out", "[bold]e.txt")
    assert code == 0
    assert out.startswith("[bold]e.txt is written")


def test_the_starter_still_runs(here):
    Path("ball.toml").write_text(starter(), encoding="utf-8")
    assert invoke("run", "ball.toml", *QUICK)[0] == 0
