"""What an interrupted command writes: it says so at once, and a second interrupt leaves no half of a file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time

import pytest
from typer.testing import CliRunner

import zeromass as zm
from zeromass.cli import app, files
from zeromass.integrate.stepping.loop import Loop
from zeromass.report import writing
from zeromass.report.files import file_size

SCENARIO = """
[system]
coordinates = ["x"]
kinetic = "x'**2/2"
potential = "x**2/2"
[system.start]
x = 1.0
[run]
until = 1e5
"""


@pytest.fixture(autouse=True)
def heard():
    """Ctrl-C is heard, as it is not in what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def interrupted(monkeypatch, tmp_path):
    """`zeromass run`, interrupted after some steps."""
    steps = Loop._some_steps

    def some(loop, tell):
        steps(loop, tell)
        raise KeyboardInterrupt

    monkeypatch.setattr(Loop, "_some_steps", some)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spring.toml").write_text(SCENARIO)
    return lambda *more: CliRunner().invoke(app, ["run", "spring.toml", "-o", "out", *more])


def test_it_says_what_is_written_and_how_large_that_is(interrupted, tmp_path):
    done = interrupted("--json")
    assert done.exit_code == 130
    assert "interrupted at t = " in done.stderr
    assert "writing out/run.nc, about" in done.stderr
    assert set(json.loads(done.stdout)["files"]) == {"run", "table"}
    run = zm.load(tmp_path / "out" / "run.nc")
    assert run.outcome.ending == "interrupted"
    # attributes, names and a seal beside the numbers take less than 100 KB
    assert file_size(run) <= (tmp_path / "out" / "run.nc").stat().st_size <= file_size(run) + 1e5


def test_the_table_of_a_long_run_is_left_for_later(interrupted, monkeypatch):
    monkeypatch.setattr(files, "TABLE", 1000)
    assert set(json.loads(interrupted("--json").stdout)["files"]) == {"run"}


def test_of_a_long_run_a_table_of_some_times_is_written(interrupted, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "WHOLE", 1000)
    done = interrupted("--json")
    assert done.exit_code == 130
    assert "the file of the whole run would take" in done.stderr
    assert "writing out/run.csv, 1000 times of it, at most" in done.stderr
    assert json.loads(done.stdout)["files"] == {"run": None, "table": "out/run.csv"}
    assert len((tmp_path / "out" / "run.csv").read_text().splitlines()) == 1001


@pytest.mark.parametrize("seconds", [1.0, 3.0])
def test_an_interrupted_process_ends_and_says_what_it_writes(tmp_path, seconds):
    """Whatever it has computed: 3 s are some million steps, whose file would take some hundred MB."""
    (tmp_path / "spring.toml").write_text(SCENARIO.replace("1e5", "1e8"))
    words = [sys.executable, "-m", "zeromass", "run", "spring.toml", "-o", "out"]

    def heard() -> None:  # as in the fixture, which a new process does not have
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(words, cwd=tmp_path, preexec_fn=heard, **pipes)
    while not (tmp_path / "out").exists():
        time.sleep(0.01)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert "interrupted at t = " in said
    assert "interrupt again to leave it unwritten" in said


def test_a_second_interrupt_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_abandoned", [])
    begun, ended = threading.Event(), threading.Event()

    def content(place):
        place.write_bytes(b"half")
        begun.set()
        ended.wait(10)

    def interrupt():
        begun.wait(10)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        files._beside(lambda: {"run": writing.write(tmp_path / "run.nc", content)})
    assert not [*tmp_path.iterdir()]
    ended.set()
    with pytest.raises(writing.FileError, match="the process is about to end"):
        writing.write(tmp_path / "run.nc", content)
    assert not [*tmp_path.iterdir()]
