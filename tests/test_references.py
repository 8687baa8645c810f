"""Every work that sources, tests and pages cite by key, as in [UP2006, eq. 2.15], is in docs/references.bib."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CITED = re.compile(r"(?:\[|\{cite\}`)([^\[\]`\n]*)[\]`]")
KEY = re.compile(r"\b[A-Z]{1,3}(?:18|19|20)\d\d\b")


def cited() -> Iterator[tuple[str, str]]:
    """(key, file) of each citation."""
    for folder, ending in (("src", ".py"), ("tests", ".py"), ("examples", ".py"), ("docs", ".md")):
        for path in sorted((ROOT / folder).rglob(f"*{ending}")):
            if "_build" in path.parts or "gallery" in path.parts:
                continue
            for place in CITED.findall(path.read_text(encoding="utf-8")):
                yield from ((key, str(path.relative_to(ROOT))) for key in KEY.findall(place))


def test_every_cited_key_is_known():
    known = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(encoding="utf-8"), re.M))
    found = set(cited())
    assert {"UP2006", "HW1999", "D1971"} <= {key for key, _ in found}  # alone, among others, and with a page
    assert sorted((key, file) for key, file in found if key not in known) == []
