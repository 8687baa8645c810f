"""Public text uses the field's words: no word of our own where a textbook has one."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "zeromass"
sys.path.insert(0, str(ROOT / "docs"))

import interface  # noqa: E402

WORDS = {
    r"\bstrokes?\b": "impact",
    r"\bdrilling\b": "torsional friction",
    r"\bcloser runs?\b": "run at tighter tolerance",
    r"\bliving (page|view|run)s?\b|\bpage(s)? (that is|are) alive\b": "interactive page",
    r"\bleap(s|t|ed|ing)?\b": "singularity crossing",
    r"\bkinds? of (the )?motion\b": "mode of motion",
    r"\bgripp(y|ing|ed)\b|\bbraked\b": "static friction",
    r"\badrift\b": "degenerate support",
    r"\bshocks?\b": "reset map, impact",
    r"\btimetable\b": "time events",
    r"\bglance\b": "sampling",
    r"\bsiblings?\b": "mode graph",
    r"\bcourse of (a|the) (run|motion)\b": "trajectory",
    r"\bwell done\b": "success",
    r"\bcomes? along\b": "included",
    r"\bdrawn together\b|\bas drawn\b": "the pose in which the bodies are defined",
    r"\b(can|could|do|does|did|will|would|must|is|are|was) be had\b|\bone holds\b": "",
    r"\bwhat is left of (the|each|a) constraint": "residual",
    r"\b(is|are) told\b|\b(tell|tells|told) apart\b|\btold (of|by)\b": "is given, is known",
    r"\bsays itself\b|\bwhat one would say\b|\bsaid of\b": "",
    r"\blooks? closer\b|\bcloser look\b|\blooks? first\b": "",
    r"\bas long as it is asked\b|\bfor who\b|\bwho asks\b": "",
    r"\bsomebody\b|\bwhoever\b": "the user, the caller",
}
"""Words that public text does not have, with what to write instead; from the project's table of words."""

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "coming-from").glob("*.md")),
    *sorted((ROOT / "docs" / "course").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
]


def found(text: str) -> list[str]:
    """Places with such a word, each with its line."""
    places = []
    for pattern, instead in WORDS.items():
        for match in re.finditer(pattern, text, flags=re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            near = " ".join(text[max(0, match.start() - 30) : match.end() + 30].split())
            places.append(f"line {line}: '{match[0]}'{f', say {instead}' if instead else ''}: … {near} …")
    return places


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(page):
    assert found(page.read_text(encoding="utf-8")) == []


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
    wrong = {name: places for name, text in docstrings() if (places := found(text))}
    assert wrong == {}


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of errors and warnings, formulas in them left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if not (name.endswith(("Error", "warn", "note", "said", ".wrong", ".error", "Outcome")) or name == "fail"):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def test_messages():
    files = sorted(SOURCE.rglob("*.py"))
    wrong = {
        f"{path.relative_to(SOURCE)}:{line}": places
        for path in files
        for line, text in messages(path)
        if (places := found(text))
    }
    assert wrong == {}
