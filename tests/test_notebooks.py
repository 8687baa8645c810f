"""Notebooks run as they stand, and show what they promise; once in an environment that has nothing but the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from cases import few

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

EXECUTE = """
import json, sys
import nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
shown = [[output.output_type, output.get("data", {}), output.get("text", "")]
         for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
print(json.dumps(shown))
"""


def executed(python: str, path: Path, folder: Path) -> list[tuple[str, dict[str, str], str]]:
    """What the cells show: the kind of output, its data by type, its text."""
    kernels = Path(python).parent.parent / "share" / "jupyter"
    settings = {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_PATH": str(kernels), "JUPYTER_DATA_DIR": str(folder)}
    done = subprocess.run(
        [python, "-c", EXECUTE, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def judged(shown: list[tuple[str, dict[str, str], str]]) -> None:
    """Nothing failed or warned; there are cards, formulas, pictures and a page that plays."""
    assert not [text for kind, _, text in shown if kind in ("stream", "error")]
    types = [set(data) for _, data, _ in shown]
    assert all(one & {"text/html", "text/latex", "image/png"} for one in types)
    assert any("text/latex" in one for one in types)
    assert any("image/png" in one for one in types)
    pages = ["".join(data.get("text/html", "")) for _, data, _ in shown]
    assert sum(page.startswith("<iframe srcdoc=") for page in pages) == 1
    assert not any('src="http' in page or "src='http" in page for page in pages)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_its_output(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    assert path.stat().st_size < 20_000


@pytest.mark.parametrize("path", few(NOTEBOOKS), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    for needed in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(needed, reason=f"{needed} is not installed: pip install 'zeromass[notebook]'")
    judged(executed(sys.executable, path, tmp_path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_code_runs_without_a_notebook(path):
    """Also where there is no kernel: the cells as one program, and what their last lines show."""
    import matplotlib

    matplotlib.use("Agg")
    space: dict[str, object] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).rstrip().splitlines()
        exec("\n".join(lines), space)
        try:
            shown = eval(last.rstrip(";"), space)
        except SyntaxError:
            exec(last, space)
        else:
            known = [getattr(shown, name, None) for name in ("_repr_html_", "_repr_latex_")]
            assert last.endswith(";") or any(way is not None and way() for way in known), last
    matplotlib.pyplot.close("all")


@pytest.mark.slow
def test_notebooks_run_in_a_clean_environment(tmp_path, monkeypatch):
    """A new environment with the package and what a kernel needs; skipped where no package index can be reached."""
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    wanted = [str(ROOT), "nbclient", "nbformat", "ipykernel"]
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *wanted], capture_output=True, text=True, check=False, env=plain
    )
    if "No matching distribution" in done.stderr or "Connection" in done.stderr:
        pytest.skip(f"no package index can be reached: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-3000:]
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for path in NOTEBOOKS:
        judged(executed(python, path, tmp_path))
