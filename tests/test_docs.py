"""The Python code of guide, course and tutorial runs, page by page, each in one namespace and an empty folder."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

from zeromass.integrate import METHODS

DOCS = Path(__file__).parents[1] / "docs"
GUIDE, COURSE = sorted((DOCS / "guide").glob("*.md")), sorted((DOCS / "course").glob("*.md"))
COMING = sorted((DOCS / "coming-from").glob("*.md"))
PAGES = [*GUIDE, *COURSE, *COMING, DOCS / "tutorial.md", DOCS / "index.md", DOCS / "how-do-i.md"]


BLOCK = re.compile(r"^(?:```python|<!-- check)\n(.*?)^(?:```|-->)$", flags=re.MULTILINE | re.DOTALL)
WIDEST = 80
"""Columns of code that is shown: more is cut off beside a table of contents."""


def blocks(page: Path) -> list[tuple[int, str]]:
    """Each block of Python code with the line on which it begins; also those in comments, which check the others."""
    text = page.read_text(encoding="utf-8")
    return [(text[: match.start(1)].count("\n"), match.group(1)) for match in BLOCK.finditer(text)]


def fenced(page: Path, language: str) -> list[str]:
    """Blocks in another language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_scenarios_are_valid():
    from zeromass.scenario import parse_scenario

    found = [text for page in PAGES for text in fenced(page, "toml")]
    assert found
    for text in found:
        parse_scenario(text)


def test_tables_of_the_scenario_page_list_all_keys():
    """Of every table, body, surface and shape, as the signatures in Python give them."""
    from zeromass.scenario import contacts, document, output, rolling, sliding, surfaces, sweep

    expected = {
        "Keys": {
            "[scenario]": {"name", "description"},
            "[rolling]": rolling.TABLE.arguments.keys() - {"spin", "contact"},  # the old words
            "[rolling.start]": rolling.START.arguments.keys(),
            "[contacts]": contacts.TABLE.arguments.keys(),
            "[contacts.start]": contacts.START.arguments.keys(),
            "[sliding]": sliding.TABLE.arguments.keys(),
            "[run]": document.RUN.arguments.keys(),
            "[[events]]": document.EVENT.arguments.keys(),
            "[output]": output.TABLE.arguments.keys(),
            "[sweep]": sweep.TABLE.arguments.keys(),
        },
        "Bodies": {name: table.arguments.keys() - {"name"} for name, table in rolling.body_tables().items()},
        "Surfaces": {
            name: table.arguments.keys() - {"shift", "rotation", "velocity"}
            for name, table in surfaces.surface_tables().items()
        },
        "Shapes": {name: table.arguments.keys() - {"part", "at"} for name, table in output.shape_tables().items()},
    }
    text = (DOCS / "guide" / "scenarios.md").read_text(encoding="utf-8")
    sections = dict(section.split("\n", 1) for section in text.split("\n## ")[1:])
    for section, tables in expected.items():
        rows = re.findall(r"^\| `([^`]+)` \| ([^|]+)", sections[section], flags=re.MULTILINE)
        listed = {name.replace("-", " "): set(re.findall(r"`(\w+)`", keys)) for name, keys in rows}
        assert listed == {name: set(keys) for name, keys in tables.items()}


def test_names_of_the_notation_exist():
    import zeromass as zm

    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, constraints={"still": x})
    rolling = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane(), friction=0.5)
    run = zm.simulate(spring, spring.start({x: 0.0}), until=1.0)
    owners = {"zm": zm, "system": spring, "motion": run.start.motion, "run": run, "program": run.program}
    owners |= {"rolling": rolling, "body": rolling.body}
    text = (DOCS / "notation.md").read_text(encoding="utf-8")
    found = re.findall(rf"`({'|'.join(owners)})\.(\w+)", text)
    assert {owner for owner, _ in found} == set(owners)
    for owner, name in found:
        assert hasattr(owners[owner], name), f"{owner}.{name}"
    for option in re.findall(r"`Rolling\((\w+)=…\)`", text):
        assert option in inspect.signature(zm.Rolling).parameters, option


SHOWN = [*PAGES, DOCS.parent / "README.md"]
EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_code_that_is_shown_is_narrow_and_asserts_nothing(page):
    """What a page claims is checked in comments."""
    for code in fenced(page, r"\w+"):
        assert [line for line in code.splitlines() if len(line) > WIDEST] == []
    for code in fenced(page, "python"):
        assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code)))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples_are_narrow_and_assert_nothing(example):
    text = example.read_text(encoding="utf-8")
    code = re.sub(r'""".*?"""', "", text, count=1, flags=re.DOTALL)
    assert [line for line in code.splitlines() if len(line) > WIDEST and not line.startswith("# ")] == []
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(text)))


def test_commands_exist():
    """Each `zeromass …` of the shell blocks is a command that the help lists."""
    lines = [line for page in PAGES for text in fenced(page, "sh") for line in text.splitlines()]
    commands = {line.split()[1] for line in lines if line.startswith("zeromass ")}
    assert commands
    told = subprocess.run([sys.executable, "-m", "zeromass", "--help"], capture_output=True, text=True, check=True)
    assert commands <= set(told.stdout.split())


def test_there_are_pages():
    assert len(PAGES) >= 10


@pytest.fixture
def methods() -> Iterator[None]:
    """What a page adds to the methods is taken out again."""
    kept = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(kept)


@pytest.mark.slow  # the documentation runs its pages when it is built, and ends at an error
@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    namespace: dict[str, object] = {"__name__": page.stem}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module=r"zeromass(\.|$)")
        for line, code in blocks(page):
            # empty lines in front, so that an error shows the line of the page
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
    plt.close("all")
    assert "nan" not in capsys.readouterr().out.lower().split()


@pytest.mark.parametrize("page", GUIDE + COURSE + COMING, ids=lambda page: page.stem)
def test_page_is_in_the_table_of_contents(page):
    assert f"\n{page.stem}\n" in (page.parent / "index.md").read_text(encoding="utf-8") or page.stem == "index"


def test_the_first_page_has_the_ten_lines_of_the_readme():
    readme = DOCS.parent / "README.md"
    assert blocks(DOCS / "index.md")[0][1] == blocks(readme)[0][1]


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")) + GUIDE + COURSE + COMING, ids=lambda page: page.stem)
def test_relative_links_lead_somewhere(page):
    """Links to files in the repository; what the build makes (gallery, interface, viewer) is checked by the build."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target) and not re.search(r"gallery/|api/|_static/viewer", target):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [*PAGES, DOCS.parent / "README.md"], ids=lambda page: page.stem)
def test_shown_code_has_no_asserts(page):
    """They are for the tests, in blocks <!-- check."""
    shown = fenced(page, "python")
    assert [line for block in shown for line in block.splitlines() if line.lstrip().startswith("assert ")] == []


SOUGHT = (
    "Monte Carlo", "parameter study", "system identification", "trajectory optimization", "inverse dynamics",
    "contact force", "friction", "export", "C code", "FMU", "video",
)  # fmt: skip
"""What engineers search for; Sphinx finds what is in a heading first."""


@pytest.mark.parametrize("words", SOUGHT)
def test_how_do_i_has_a_heading_for_what_engineers_search(words):
    headings = re.findall(r"^### (.*)$", (DOCS / "how-do-i.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [heading for heading in headings if words.lower() in heading.lower()]
