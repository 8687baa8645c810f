"""The Python code of README.md runs, in order and in one namespace."""

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
    assert "nan" not in capsys.readouterr().out.lower()
