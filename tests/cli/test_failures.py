"""What goes wrong: the message, the exit code, and that nothing half-written is left."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

import zeromass as zm
from zeromass import cli
from zeromass.cli.output import Failure, RunOutput
from zeromass.scenario.scenario import SHIPPED, STARTER

WHEEL = (SHIPPED / "up2006-wheel.toml").read_text(encoding="utf-8")
BALL = STARTER.read_text(encoding="utf-8")
QUICK = ("--no-certificate", "--no-plots", "--no-viewer")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def written(here: Path) -> set[str]:
    return {str(path.relative_to(here)) for path in here.rglob("*")}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("until = 2", "", "run.until: this key is missing"),
        ("until = 2", "until = [2]", "run.until: this is a number, or a formula in quotes"),
        ("until = 2", "untill = 2", "did you mean 'until'"),
        ("theta*sin", "thet*sin", "did you mean 'theta'"),
        ("theta*sin", "theta*)sin", "column 13"),
        ("theta = 0.3", "theta = 0.3\ny = 5", "no state satisfies 'rolling'"),
        ("[run]", "[run", "not valid TOML"),
        ("until = 2", 'until = 2\nmethod = "fixed"', "needs step="),
    ],
)
def test_bad_scenarios(here, old, new, words):
    """Message, exit code 2, and no output folder, in words and as JSON."""
    (here / "bad.toml").write_text(WHEEL.replace(old, new, 1), encoding="utf-8")
    code, out, err = invoke("run", "bad.toml")
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("invalid scenario: bad.toml:")
    assert "Traceback" not in err
    code, out, _ = invoke("run", "bad.toml", "--json")
    assert code == 2
    Failure.model_validate_json(out)
    problem = json.loads(out)["error"]
    assert problem["kind"] == "invalid scenario"
    assert problem["file"] == "bad.toml"
    assert isinstance(problem["line"], int)
    assert written(here) == {"bad.toml"}


def test_bad_scenario_as_a_process(here):
    (here / "bad.toml").write_text(WHEEL.replace("until = 2", "until = nan"), encoding="utf-8")
    words = [sys.executable, "-m", "zeromass", "run", "bad.toml", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["key"] == "run.until"
    assert "a number is finite" in done.stderr


def test_wrong_usage(here):
    assert invoke("run")[0] == 2
    assert invoke("fly")[0] == 2
    assert invoke("equations", "um2022", "--format", "pascal")[0] == 2
    code, _, err = invoke("run", "um2022", "--case", "2E")
    assert code == 2
    assert "2B" in err
    code, _, err = invoke("equations", "um2022", "--format", "latex")
    assert code == 2
    assert "too many to read" in err


def test_files_that_can_not_be_read(here):
    code, _, err = invoke("run", "none.toml")
    assert code == 5
    assert "there is no file 'none.toml'" in err
    assert "did you mean 'um2022'" in invoke("run", "um202")[2]
    (here / "folder.toml").mkdir()
    assert invoke("check", "folder.toml")[0] == 5
    assert written(here) == {"folder.toml"}


def test_output_folder_that_can_not_be_written_to(here):
    (here / "file").write_text("in the way", encoding="utf-8")
    code, out, err = invoke("run", "up2006-wheel", "--out", "file/below")
    assert (code, out) == (5, "")
    assert "the output folder 'file/below' can not be written to" in err
    assert invoke("equations", "up2006-wheel", "--out", "file/x.c")[0] == 5
    assert written(here) == {"file"}


@pytest.mark.parametrize("good", [0, 1])
def test_disk_full(here, monkeypatch, good):
    """Files that were complete stay, the one that was not leaves no trace."""
    real, calls = os.fsync, []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > good:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    code, out, err = invoke("run", "up2006-wheel", "--out", "wheel", *QUICK, "--json")
    assert code == 5
    assert "No space left on device" in err
    assert Failure.model_validate_json(out).error.kind == "input/output"
    assert written(here) == ({"wheel", "wheel/run.nc"} if good else set())


def test_disk_full_keeps_the_old_files(here, monkeypatch):
    assert invoke("run", "up2006-wheel", "--out", "wheel", *QUICK)[0] == 0
    before = {path.name: path.read_bytes() for path in (here / "wheel").iterdir()}

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert invoke("run", "up2006-wheel", "--out", "wheel", *QUICK)[0] == 5
    assert {path.name: path.read_bytes() for path in (here / "wheel").iterdir()} == before


def test_the_physics_stops_a_run(here):
    """A ball on a sphere leaves it: exit code 3, and the run until there is saved."""
    text = BALL.replace('height = "0.3*(X**2 + Y**2)"', 'kind = "sphere"\nradius = 0.3').replace(
        "contact = [0.3, 0.0]", "contact = [0.05, 0.0, 0.29580398915498085]"
    )
    text = text.replace('shift = ["A*cos(Omega*t)", 0, 0]', "").replace(
        "velocity = [0.0, 0.4]", "velocity = [0.0, 0.0]"
    )
    (here / "top.toml").write_text(text, encoding="utf-8")
    code, out, err = invoke("run", "top.toml", *QUICK)
    assert code == 3, out + err
    assert "'contact lost'" in out
    run = zm.load(here / "top" / "run.nc")
    assert 0.1 < run.t[-1] < 5.0


def test_interruption_keeps_what_was_computed(here, monkeypatch):
    from zeromass import run as module

    @contextmanager
    def impatient(progress, start, until):
        def tell(t: float) -> None:
            raise KeyboardInterrupt

        yield tell

    monkeypatch.setattr(module, "_watching", impatient)
    code, out, _ = invoke("run", "up2006-wheel", "--out", "wheel", "--json")
    assert code == 130
    RunOutput.model_validate_json(out)
    found = json.loads(out)
    assert found["outcome"]["ending"] == "interrupted"
    assert found["certificate"] is None
    assert set(found["files"]) == {"run", "table"}


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="ended"),
        pytest.param(signal.SIGHUP, id="hung up", marks=pytest.mark.slow),
    ],
)
def test_interruption_of_a_process(here, number):
    """Who ends it, or closes its terminal, finds what was computed, too."""
    (here / "long.toml").write_text(
        WHEEL.replace("until = 2", 'until = 2e9\nmethod = "radau"\nstep = 1e-3'), encoding="utf-8"
    )
    words = [sys.executable, "-m", "zeromass", "run", "long.toml", *QUICK]

    def heard() -> None:  # tests in the background of a shell have interrupts ignored, and would hand that down
        for one in (signal.SIGINT, signal.SIGHUP):
            signal.signal(one, signal.SIG_DFL)

    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    deadline = time.monotonic() + 60
    while not (here / "long").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    left = [path.name for path in (here / "long").iterdir()] if (here / "long").exists() else []
    assert set(left) <= {"run.nc", "run.csv"}


def test_a_run_whose_certificate_is_interrupted_is_saved(here, monkeypatch):
    def impatient(run: zm.Run) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zeromass.cli.run.trusted", impatient)
    code, out, err = invoke("run", "up2006-wheel", "--out", "wheel", "--json")
    assert code == 130
    RunOutput.model_validate_json(out)
    assert json.loads(out)["outcome"]["ending"] == "finished"
    assert err.startswith("interrupted, without certificate and pictures: writing wheel/run.nc, about 4.")
    assert zm.load(here / "wheel" / "run.nc").outcome.complete
    assert written(here / "wheel") == {"run.nc", "run.csv"}


def test_what_is_complete_is_said_where_drawing_is_interrupted(here, monkeypatch):
    def impatient(*_) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zeromass.cli.files._plots", impatient)
    code, out, err = invoke("run", "up2006-wheel", "--out", "wheel", "--json")
    assert code == 130
    assert set(json.loads(out)["files"]) == {"run", "table"}
    assert err == "interrupted while files were written; complete: wheel/run.nc, wheel/run.csv\n"


def entered(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of the whole command, in this process."""
    monkeypatch.setattr(sys, "argv", ["zeromass", *words])
    monkeypatch.setattr(cli, "_ended_like_interrupted", lambda: None)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert isinstance(end.value.code, int)
    return end.value.code


def test_an_interruption_before_a_command_has_begun_is_told(here, monkeypatch, capsys):
    def early(*words: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zeromass.cli.describe.reporting", early)
    assert entered(monkeypatch, "check", "um2022") == 130
    assert capsys.readouterr().err == "interrupted: by the user\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", [["--help"], ["check", "up2006-wheel", "--json"]], ids=lambda one: one[0])
def test_nobody_can_take_what_is_printed(here, words):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "zeromass", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 5
    assert done.stderr.splitlines()[-1].startswith("input/output: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_is_no_file_is_no_scenario(here):
    code, _, err = invoke("check", ".")
    assert (code, err) == (5, "input/output: '.' is a folder, and no scenario\n")
    code, _, err = invoke("new", "")
    assert code == 2
    assert "'' is no name for a file" in err
    assert not (here / ".toml").exists()


def test_files_as_windows_writes_them(here):
    """With a mark in front, and two characters at the end of a line."""
    text = WHEEL.replace("\n", "\r\n")
    (here / "marked.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    code, _, err = invoke("check", "marked.toml")
    assert (code, err) == (0, "")


def test_a_defect_of_ours_is_one_line(here, monkeypatch):
    from zeromass.cli import files

    def broken(file: str, case: str | None) -> None:
        raise RuntimeError("this should\nnot happen")

    monkeypatch.setattr(files, "scenario_at", broken)
    code, out, err = invoke("check", "um2022")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "RuntimeError: this should not happen" in err
    code, _, err = invoke("check", "um2022", "--debug")
    assert code == 1
    assert "Traceback" in err
