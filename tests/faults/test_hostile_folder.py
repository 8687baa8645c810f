"""Python files beside a scenario, in the current folder or in a store are never executed, whatever their names.

Every module of the standard library, every package that is installed and the names that Python itself looks for stand as
files in the folder; each of them writes its name to a list when it is imported. The list stays empty.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import zeromass as zm
from cases import few

SCENARIO = """
[parameters]
k = 2.0

[system]
coordinates = ["x"]
kinetic = "x'**2/2"
potential = "k*x**2/2"

[system.start]
x = 1.0

[run]
until = 0.5

[sweep.over]
k = [1.0, 2.0, 3.0]

[sweep.keep]
end = "x"
"""

NAMES = sorted(
    {name for name in sys.stdlib_module_names if not name.startswith("__")}
    | {name for name in importlib.metadata.packages_distributions() if name.isidentifier() and name != "zeromass"}
    | {"sitecustomize", "usercustomize", "ray", "cupy", "pygments_lexer", "llvmlite", "dask", "s3fs", "IPython"}
)
"""What is imported somewhere, or might be."""

EARLY = {"runpy", "zeromass"} | {
    # what Python itself imports for `python -m` before the module that it is to run: no module can prevent that
    name.partition(".")[0]
    for name in subprocess.run(
        [sys.executable, "-I", "-c", "import runpy, pkgutil, sys; print(*sys.modules)"], capture_output=True, text=True
    ).stdout.split()
}


@pytest.fixture
def hostile(tmp_path):
    """A downloaded folder: a scenario, and files with the names of modules; and the list of those that were executed."""
    folder, trap = tmp_path / "download", tmp_path / "executed"
    folder.mkdir()
    fill(folder, trap)
    (folder / "study.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "matplotlibrc").write_bytes(b"text.usetex: True\n\xff\n")  # matplotlib, if it read it, would raise
    return folder, trap


def fill(folder: Path, trap: Path, without: frozenset[str] | set[str] = frozenset()) -> None:
    for k, name in enumerate([*NAMES, "zeromass"]):
        if name in without:
            continue
        path = folder / f"{name}.py"
        if k % 2:  # half of them as packages
            (folder / name).mkdir()
            path = folder / name / "__init__.py"
        path.write_text(f"with open({str(trap)!r}, 'a') as list_: list_.write({name!r} + chr(10))\n", encoding="utf-8")


def called(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment}
    )


def executed(trap: Path) -> list[str]:
    return trap.read_text(encoding="utf-8").split() if trap.exists() else []


COMMAND = [str(Path(sys.executable).parent / "zeromass")]
QUICK = [["sweep", "study.toml", "--on", "1", "-o", "s.nc"]]
EVERY = [
    *QUICK,
    ["check", "study.toml"],
    ["sweep", "study.toml", "--on", "1", "-o", "s.zarr", "-p", "s.png"],
    ["sweep", "study.toml", "--on", "lanes", "-o", "s.parquet"],
    ["run", "study.toml"],
    ["equations", "study.toml", "--format", "sympy"],
    ["view", "study/run.nc"],
    ["plot", "study/run.nc", "coordinates"],
    ["new", "other"],
    ["schema"],
    ["papers", "--docs", "papers.md"],
    ["--version"],
]


@pytest.mark.parametrize("calls", [QUICK, pytest.param(EVERY, marks=pytest.mark.slow)], ids=["quick", "every"])
def test_commands_execute_nothing_of_the_current_folder(hostile, calls):
    folder, trap = hostile
    for words in calls:
        done = called([*COMMAND, *words], folder)
        assert (executed(trap), done.returncode) == ([], 0), (words, done.stderr[-2000:])


@pytest.mark.slow
def test_nothing_beside_the_scenario_or_in_the_store_is_executed(hostile, tmp_path):
    folder, trap = hostile
    (tmp_path / "elsewhere").mkdir()
    store = str(folder / "s.zarr")
    words = ["sweep", str(folder / "study.toml"), "--on", "1", "-o", store]
    assert called([*COMMAND, *words], tmp_path / "elsewhere").returncode == 0
    fill(folder / "s.zarr", trap)
    done = called([*COMMAND, *words, "--resume"], folder / "s.zarr")
    assert (executed(trap), done.returncode) == ([], 0), done.stderr[-2000:]


@pytest.mark.parametrize("words", few([["-m", "zeromass"], ["-mzeromass"], ["-B", "-X", "utf8", "-m", "zeromass"]], 1))
def test_python_m_leaves_the_current_folder_before_it_imports_anything(tmp_path, words):
    """What Python imports before a module begins to run can not be prevented by that module; `python -P -m` does."""
    folder, trap = tmp_path / "download", tmp_path / "executed"
    folder.mkdir()
    fill(folder, trap, without=EARLY)
    (folder / "study.toml").write_text(SCENARIO, encoding="utf-8")
    done = called([sys.executable, *words, *QUICK[0]], folder)
    assert (executed(trap), done.returncode) == ([], 0), done.stderr[-2000:]


@pytest.mark.slow
def test_python_p_m_executes_nothing_at_all(hostile):
    folder, trap = hostile
    done = called([sys.executable, "-P", "-m", "zeromass", *QUICK[0]], folder)
    assert (executed(trap), done.returncode) == ([], 0), done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["", "."])
def test_an_empty_entry_of_pythonpath_is_not_the_current_folder(tmp_path, entry):
    """PYTHONPATH=$PYTHONPATH:/somewhere is such an entry where PYTHONPATH was not set."""
    folder, trap = tmp_path / "download", tmp_path / "executed"
    folder.mkdir()
    start = subprocess.run(
        [sys.executable, "-c", "import re, sys; print(*sys.modules)"], capture_output=True, text=True
    )
    before = {name.partition(".")[0] for name in start.stdout.split()}  # of Python's own start and of the script's
    fill(folder, trap, without=EARLY | before | {"sitecustomize", "usercustomize"})
    (folder / "study.toml").write_text(SCENARIO, encoding="utf-8")
    done = called([*COMMAND, *QUICK[0]], folder, PYTHONPATH=os.pathsep.join([entry, str(tmp_path)]))
    assert (executed(trap), done.returncode) == ([], 0), done.stderr[-2000:]


SCRIPT = """
import os, sys
import zeromass as zm

def study(*events):
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    watched = [event("middle", x) for event in events]
    options = dict(over={k: [1.0, 2.0]}, keep={"x": x}, until=0.5, events=watched, on=1)
    return zm.sweep(spring, spring.start({x: 1.0}), **options).outcome.values.tolist()

print(*study())  # and all that a study needs is imported
"""

MORE = """
os.chdir(FOLDER)
sys.path.insert(0, "")
import own
print(*study(own.Passing))
"""


@pytest.mark.slow
def test_processes_of_a_program_execute_nothing_of_its_current_folder(hostile, tmp_path):
    folder, trap = hostile
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    done = called([sys.executable, str(tmp_path / "script.py")], folder)
    assert (executed(trap), done.stdout.split()) == ([], ["finished"] * 2), done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("beside", [True, False])
def test_classes_of_the_users_own_modules_reach_the_processes(hostile, tmp_path, beside):
    """From the script's folder, or from the current one: of that, only this module is imported."""
    folder, trap = hostile
    own = (tmp_path if beside else folder) / "own.py"
    own.write_text("import zeromass as zm\nclass Passing(zm.Event):\n    pass\n", encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + MORE.replace("FOLDER", repr(str(folder))), encoding="utf-8")
    done = called([sys.executable, str(script)], tmp_path)
    assert (executed(trap), done.stdout.split()) == ([], ["finished"] * 4), done.stderr[-2000:]


@pytest.mark.parametrize("path", ["", ".", "here"])
def test_a_program_of_the_current_folder_makes_no_film(tmp_path, monkeypatch, path):
    """Where PATH has it too, as it always has on Windows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\ntouch executed\n", encoding="utf-8")
    (tmp_path / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) if path == "here" else path + os.pathsep)
    bead = zm.Particle("bead", 1.0)
    free = zm.System([bead])
    run = zm.simulate(free, free.start({bead.position[0]: 0.0}), until=0.1)
    with pytest.raises(zm.errors.ModelError, match="ffmpeg"):
        run.movie("film.mp4")
    assert not (tmp_path / "executed").exists()
