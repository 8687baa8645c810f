"""The Python code of README.md runs, in order and in one namespace, and prints what is shown below it."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks() -> list[tuple[int, str]]:
    """Each block of Python code with the line on which it begins."""
    text = README.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match.group(1)) for match in found]


def test_there_is_code():
    assert blocks()


def test_code_runs(capsys):
    namespace: dict[str, object] = {}
    for line, code in blocks():
        # empty lines in front, so that an error shows the line of the README
        exec(compile("\n" * line + code, str(README), "exec"), namespace)
    printed = capsys.readouterr().out
    assert "nan" not in printed.lower()
    assert skeleton(printed) == skeleton(shown())


def shown() -> str:
    """What the README says that its code prints."""
    match = re.search(r"^```text\n(.*?)^```$", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert match
    return match.group(1)


def skeleton(text: str) -> list[str]:
    """Its words, and those of its numbers that are no errors: what is left of rounding differs from machine to machine."""
    kept = re.sub(r"-?\b\d(?:\.\d+)?e[-+]\d+|(?<=trust: )[\d.]+", "…", text)
    return [re.sub(r"\s+", " ", line) for line in kept.splitlines()]


def test_numbers_of_the_certificate_are_of_the_size_shown(capsys):
    """Digits to trust within one."""
    namespace: dict[str, object] = {}
    exec(blocks()[0][1], namespace)
    found = [float(re.search(r"trust: ([\d.]+)", text)[1]) for text in (capsys.readouterr().out, shown())]  # type: ignore[index]
    assert abs(found[0] - found[1]) < 1


def test_relative_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#\s]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target
