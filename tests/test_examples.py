"""Every program in examples/ runs as it stands, without a warning from the package, and shows one figure."""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
LONGEST = 135
"""Lines: an example is read in one go."""


def test_there_are_examples():
    assert len(EXAMPLES) >= 12


@pytest.mark.slow  # the gallery of the documentation runs them all, and ends at an error
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_runs(file, capsys):
    matplotlib.use("Agg")
    plt.close("all")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module=r"zeromass(\.|$)")
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        runpy.run_path(str(file), run_name="__main__")
    figures = plt.get_fignums()
    plt.close("all")
    printed = capsys.readouterr().out
    assert len(figures) == 1
    assert printed.strip()
    assert "nan" not in printed.lower().split()


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_reads_as_a_page(file):
    """A title with its underline and a short text, as the gallery shows them."""
    source = file.read_text(encoding="utf-8")
    title, rule, *_ = (ast.get_docstring(ast.parse(source)) or "").split("\n")
    assert rule == "=" * len(title)
    assert source.count("\n") <= LONGEST


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_figure_is_drawn_where_it_is_shown(file):
    """The gallery takes a picture after each part of a program: one labelled in the next part is half done."""
    parts = re.split(r"^# %%.*$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    drawn = [k for k, part in enumerate(parts) if re.search(r"\b(axes|subplots|figure)\(|\.plot\.\w+\(", part)]
    assert drawn == [k for k, part in enumerate(parts) if "plt.show()" in part]
