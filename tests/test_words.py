"""Public text uses the field's words: no word of our own where a textbook has one."""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from zeromass.cli import app

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "zeromass"
sys.path.insert(0, str(ROOT / "docs"))

import interface  # noqa: E402

WORDS = {
    r"(module|program|integrator)s? alone": "standalone",
    r"course (of|at) (a|the|one|given)\b": "trajectory",
    r"deciding": "mode selection",
    r"questions? of (a|the) contact": "complementarity (LCP)",
    r"(sticking|reaching|standing|closer|switched) mode": "mode integration, guard cache, root isolation, hybrid integrator",
    r"closer (runs?|one)|run, closer|close(r|st) look|look(s|ed)? closer": "run at tighter tolerance, root isolation",
    r"shocks?": "reset map, impact",
    r"timetable": "time events",
    r"pace": "step-size schedule",
    r"look(s|ed)? ahead|looked at ahead": "sampled before the run",
    r"glances?": "sampling",
    r"looking|looked (at|into)|looks? (at it|into|between|after)": "sampling, evaluation, search",
    r"look(s|ed)? first|a look at": "",
    r"survey of (a|the) (run|motion|step)": "sampling",
    r"placed samples?": "samples",
    r"leap(s|t|ed|ing)?": "singularity crossing",
    r"passing|departures?": "singularity crossing",
    r"strokes?|striking": "impact",
    r"(struck|strikes?|impacts?) (together|at once|in turn)": "simultaneous, sequential",
    r"(following|another) (mode|kind)|adrift": "contact transitions, degenerate support",
    r"kinds? of (the |a )?(rolling )?(motion|run|bodies|system)s?|(changes?|changed) (of|its|their|the) kinds?"
    r"|the kind (changes|becomes|of motion)|of one kind": "contact mode, mode, class",
    r"meeting": "contact problem (Delassus operator)",
    r"skins?|roller": "collision geometry, support mapping",
    r"braked|grip(s|py|ping|ped)?": "static friction",
    r"drilling": "torsional friction",
    r"changing|siblings?": "mode graph",
    r"turnings": "generalized velocities",
    r"rolled (code|form|program)": "multifrontal",
    r"slopes? (along|backward)": "jvp, vjp",
    r"elsewhere": "relocation, on another machine, otherwise",
    r"rooms?|asking": "memory, package, allocator, prefetch",
    r"holding (mode|piece)": "sliding mode",
    r"least (states|coordinates)|light (parts|rows)": "minimal coordinates, massless",
    r"outline of (a|the) (program|system)|promised": "program metadata, lazy mapping",
    r"(is|are|was|be) told|(tell|tells|told) apart|told (of|by)": "is given, is known, has",
    r"usual (method|choice|guess|charts|ones|value)": "default",
    r"refus(e|es|ed|al)": "reject, error",
    r"examined": "evaluated, checked",
    r"telling|helping hands?|hands of a": "progress, worker threads",
    r"(?<!graphics.)cards?": "GPU",
    r"living (page|view|run)s?|pages? (that is|are) alive|(is|are) alive": "interactive page",
    # phrases that a reader has to guess at
    r"well done": "success",
    r"comes? along": "included",
    r"drawn together|as drawn": "the pose in which the bodies are defined",
    r"(can|could|do|does|did|will|would|must|is|are|was) be had|one holds": "",
    r"what is left of (the|each|a) constraint": "residual",
    r"says itself|what one would say|said of": "",
    r"as long as it is asked|for who|who asks": "",
    r"somebody|whoever": "the user, the caller",
}
"""Words of the project's own, in the sense that they had, each with those of the field to write instead. Words of ordinary
English are among them with what made them private: a person may look at a picture, and a step is not looked at."""

PATTERNS = {re.compile(rf"\b({words})\b".replace(" ", r"\s+"), re.IGNORECASE): say for words, say in WORDS.items()}

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "coming-from").glob("*.md")),
    *sorted((ROOT / "docs" / "course").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
]

NO_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|`[^`]*`|\]\([^)]*\)|^ {4}\S.*?$", re.MULTILINE | re.DOTALL)
"""Of a page: code, comments, addresses."""


def prose(path: Path) -> str:
    """What a page says, with its lines where they were; of a program its comments and texts."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return NO_PROSE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for k, line in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + k] += " " + line
    return "\n".join(lines)


def found(text: str) -> list[str]:
    """Places with such a word, each with its line."""
    places = []
    for pattern, instead in PATTERNS.items():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            near = " ".join(text[max(0, match.start() - 30) : match.end() + 30].split())
            places.append(f"line {line}: '{match[0]}'{f', say {instead}' if instead else ''}: … {near} …")
    return places


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(page):
    assert found(prose(page)) == []


def test_changelog():
    """Its section Unreleased; what was released stays as it was."""
    text = prose(ROOT / "CHANGELOG.md")
    assert found(text[: text.index("## [0.2.0]")]) == []


EXAMPLE = re.compile(r"^\s*(>>>|\.\.\.) .*$", re.MULTILINE)
"""Lines of programs in docstrings."""


def docstrings() -> Iterator[tuple[str, str]]:
    """Of public classes and functions, and of what classes offer."""
    for one in interface.public():
        yield one.full, inspect.getdoc(one.object) or ""
        if inspect.isclass(one.object):
            listed = interface.interface_of(one.object)
            for name, value in vars(one.object).items():
                if name[0] != "_" and (not listed or name in listed) and (own := interface._documented(value)):
                    yield f"{one.full}.{name}", inspect.getdoc(own) or ""


def test_docstrings():
    wrong = {name: places for name, text in docstrings() if (places := found(EXAMPLE.sub("", text)))}
    assert wrong == {}


def test_help():
    """Of the command line: commands, arguments and options."""
    wrong = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        texts = [command.help or "", *(getattr(one, "help", None) or "" for one in command.params)]
        if places := [place for text in texts for place in found(text)]:
            wrong[name] = places
    assert wrong == {}


TEXT = re.compile(r"""(["'`])((?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1""")
"""A text of JavaScript that has a space in it, as words for people have."""


def test_viewer():
    wrong = {}
    for path in sorted((SOURCE / "report" / "viewer").rglob("*.js")):
        code = re.sub(r"/\*.*?\*/|(?m:^\s*//.*$)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if places := [place for match in TEXT.finditer(code) for place in found(match[2])]:
            wrong[path.name] = places
    assert wrong == {}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of three words or more: messages, outcomes, titles and axes of plots; no docstrings, LLVM code or SVG."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said_of = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in said_of:
            continue
        if node.value.count(" ") > 1 and not re.search(r"[%@]\w|=\s*\"", node.value):
            yield node.lineno, node.value


def test_texts():
    files = sorted(SOURCE.rglob("*.py"))
    wrong = {
        f"{path.relative_to(SOURCE)}:{line}": places
        for path in files
        for line, text in texts(path)
        if (places := found(text))
    }
    assert wrong == {}
