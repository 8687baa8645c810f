"""The kernel that CONTRIBUTING.md shows runs, as Python and as machine code."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_example_of_contributing_runs(tmp_path):
    text = GUIDE.read_text(encoding="utf-8")
    (code,) = re.findall(r"^## Write a kernel$.*?^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    file = tmp_path / "example.py"
    file.write_text(code, encoding="utf-8")
    linecache.checkcache(str(file))
    exec(compile(code, str(file), "exec"), {"__name__": "example"})
