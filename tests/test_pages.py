"""Pages that the documentation makes: one for every public name, output below programs, and a gallery of all examples."""

from __future__ import annotations

import inspect
import io
import sys
from pathlib import Path

import pytest

import zeromass as zm
from report.chromium import MISSING, browser, executable

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import docstrings  # noqa: E402
import executed  # noqa: E402
import gallery_page  # noqa: E402
import interface  # noqa: E402

OBJECTS = {it.full: it for it in interface.public()}


def test_every_public_name_has_a_page():
    """But for what is no function or class."""
    spaces = {space.removeprefix("zeromass.") for space in interface.SPACES} - {"zeromass"}
    assert {name for name in zm.__all__ if f"zeromass.{name}" not in OBJECTS} == spaces | {"t"}


def test_pages_differ_where_capital_letters_do_not_count():
    pages = [it.page.lower() for it in OBJECTS.values()]
    assert len(pages) == len(set(pages))


def test_pages_have_signatures_arguments_and_examples():
    for full, it in OBJECTS.items():
        text = interface.page(it, [])
        names = list(it.signature.parameters) if it.signature else []
        assert f":: {full}(" in text
        for name in names:
            assert f"* - ``{name}``" in text, full
        if ">>>" in (inspect.getdoc(it.object) or ""):
            assert ".. rubric:: Example" in text, full


def test_what_drives_a_joint_is_on_its_page():
    """Motors, drives, springs and dampers, with their arguments, on the page of each joint that has them."""
    joints = [it for full, it in OBJECTS.items() if full.startswith("zeromass.joints.") and it.is_class]
    driven = [it for it in joints if hasattr(it.object, "motor")]
    assert {"Revolute", "Prismatic", "Cylindrical", "Planar", "Screw"} <= {it.name for it in driven}
    for it in driven:
        text = interface.page(it, [])
        for name in ("motor", "drive", "spring", "damper"):
            assert f".. py:method:: {name}(" in text, (it.name, name)


def test_a_rolling_system_begins_with_its_start():
    text = interface.page(OBJECTS["zeromass.Rolling"], [])
    members = [line.split(":: ")[1].split("(")[0] for line in text.splitlines() if "py:method::" in line]
    assert members[0] == "start"


def test_examples_fit_beside_a_table_of_contents():
    wide = {}
    for full, it in OBJECTS.items():
        lines = interface.page(it, []).splitlines()
        rows = [line.strip() for line in lines if line.strip().startswith((">>> ", "... "))]
        if found := [row for row in rows if len(row) > docstrings.WIDEST]:
            wide[full] = found
    assert wide == {}


def test_arguments_are_taken_from_the_docstring():
    doc = """A quantity.

    a, b   lengths, m
    c      a mass, which
           goes on

    Text with two  columns
    that are no arguments

    >>> 1 + 1
    2
    """
    found = docstrings.parsed(inspect.cleandoc(doc), ["a", "b", "c"])
    assert found.first == "A quantity."
    assert found.arguments == {"a": "lengths, m", "b": "lengths, m", "c": "a mass, which goes on"}
    assert found.text == ["Text with two  columns\nthat are no arguments"]
    assert found.examples == [">>> 1 + 1\n2"]


def test_columns_become_tables():
    """A block in columns is a table that fits on a phone; a row may go on below itself. Equations stay as they are."""
    block = ["run[x]     values at the steps", "run.at(t)  values at any times,", "           between the steps too"]
    pairs = [("run[x]", "values at the steps"), ("run.at(t)", "values at any times, between the steps too")]
    assert docstrings.columns(block) == pairs
    assert "   * - ``run.at(t)``" in list(docstrings.restructured(["\n".join(block)]))
    for other in (
        ["    x = y   [UP2006]", "    z = w   [UP2006]"],
        ["Prose that has", "two  blanks", "in it"],
        ["one  row"],
    ):
        assert not docstrings.columns(other)


def test_output_value_and_figure_stand_below_a_program(tmp_path, monkeypatch):
    monkeypatch.setattr(executed, "FIGURES", tmp_path)
    monkeypatch.setattr(executed, "VIEWS", tmp_path)
    code = "import matplotlib.pyplot as plt\nfrom pathlib import Path\nprint('said', 6 * 7)\nplt.plot([1, 2])"
    page = f"# Title\n\n```python\n{code}\n```\n\n```python\nPath('a.html').write_text('<p>')\n```\n"
    text = executed.with_output(page, "guide/some")
    assert "said 42" in text
    assert (tmp_path / "guide-some-1.png").exists()
    assert "/_build/executed/guide-some-1.png" in text
    assert (tmp_path / "guide-some-a.html").exists()
    assert "../_static/viewer/guide-some-a.html" in text


def test_every_example_is_in_one_group_of_the_gallery():
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}
    shown = [name for names in gallery_page.groups().values() for name in names]
    assert sorted(shown) == sorted(there)
    assert {name for names in gallery_page.GROUPS.values() for name in names} <= there


def test_pictures_of_the_gallery_are_of_examples():
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert {path.stem for path in (ROOT / "docs" / "images" / "gallery").glob("*.webp")} <= there


def test_film_is_small_enough_for_a_page_that_one_opens_first():
    assert (ROOT / "docs" / "images" / "shell.webp").stat().st_size <= 3_000_000


@pytest.mark.slow
def test_nothing_is_wider_than_a_phone_nor_too_long_to_read(tmp_path, monkeypatch):
    """Pages of names, of keys and of the interface as a browser shows them, 390 px wide: no scrolling to the side."""
    import page_screenshots
    from sphinx.application import Sphinx

    if (chromium := executable()) is None:
        pytest.skip(MISSING)
    pages = {f"api/{name}": OBJECTS[f"zeromass.{name}"] for name in ("simulate", "Run", "Rolling", "sweep")}
    (tmp_path / "guide").mkdir()
    (tmp_path / "api").mkdir()
    for name, it in pages.items():
        (tmp_path / f"{name}.rst").write_text(interface.page(it, []), encoding="utf-8")
    (tmp_path / "guide" / "scenario-keys.md").write_bytes((ROOT / "docs/guide/scenario-keys.md").read_bytes())
    (tmp_path / "index.rst").write_text(
        "Pages\n=====\n\n.. toctree::\n   :glob:\n\n   guide/*\n   api/*\n", encoding="utf-8"
    )
    settings = {
        "extensions": ["myst_parser", "folded"],
        "html_theme": "pydata_sphinx_theme",
        "html_static_path": [str(ROOT / "docs/_static")],
        "html_css_files": ["pages.css"],
        "default_role": "code",
        "maximum_signature_line_length": 76,
        "html_theme_options": {"show_prev_next": False},
        "html_context": {"default_mode": "auto"},
        "html_title": "zeromass",
    }
    out = tmp_path / "out"
    with io.StringIO() as words:
        Sphinx(
            str(tmp_path), None, str(out), str(tmp_path / "trees"), "html", settings, status=None, warning=words
        ).build()
    monkeypatch.setattr(page_screenshots, "BUILT", out)
    with browser(chromium) as page:
        for name in ("guide/scenario-keys", *pages):
            assert page_screenshots.shown(page, name, "phone") == []
        page.load((out / "guide/scenario-keys.html").as_uri() + "#rolling-body")
        assert page.evaluate("document.getElementById('rolling-body').checkVisibility()")  # a link opens what is folded
