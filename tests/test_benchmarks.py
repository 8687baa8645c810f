"""The benchmarks that asv follows run, each once at its smallest size; asv.conf.json names their folder."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIGURATION = json.loads(re.sub(r"^\s*//.*$", "", (ROOT / "asv.conf.json").read_text(), flags=re.MULTILINE))
SUITE = ROOT / CONFIGURATION["benchmark_dir"]


@pytest.mark.parametrize("module", sorted(path.stem for path in SUITE.glob("[!_]*.py")))
def test_each_runs_once(module, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(SUITE.parent), *sys.path])
    for program in SUITE.parent.glob("*.py"):  # a folder of tests may have the same name
        monkeypatch.delitem(sys.modules, program.stem, raising=False)
    suite = importlib.import_module(f"{SUITE.name}.{module}")
    classes = [one for one in vars(suite).values() if inspect.isclass(one) and one.__module__ == suite.__name__]
    assert classes
    for kind in classes:
        names = [name for name in vars(kind) if name.startswith(("time_", "track_"))]
        assert names, kind
        smallest = kind.params[:1] if hasattr(kind, "params") else []
        made = kind()
        if hasattr(made, "setup"):
            made.setup(*smallest)
        for name in names:
            result = getattr(made, name)(*smallest)
            assert (result is None) == name.startswith("time_"), f"{kind.__name__}.{name}"


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "benchmarks").glob("*.py")))
def test_programs_begin(name):
    """What the programs import is there: each says what it takes."""
    if name == "shapes.py":
        pytest.skip("is imported by others")
    words = [sys.executable, f"benchmarks/{name}", "--help"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "usage:" in done.stdout
