"""SECURITY.md names tests that exist, and the page of the viewer has the policy that it promises."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import zeromass as zm

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "SECURITY.md").read_text(encoding="utf-8").split("\n")
GUARANTEES = [line for line in LINES if line.startswith("| ") and not line.startswith(("| guarantee", "| ---"))]


def test_each_guarantee_names_its_tests():
    assert len(GUARANTEES) >= 15
    for line in GUARANTEES:
        cells = line.strip("| ").split(" | ")
        named = re.findall(r"`(tests/[\w/]+\.py)`", cells[-1])
        assert named, line
        assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_page_has_a_policy_that_allows_its_own_scripts_alone(tmp_path):
    bead = zm.Particle("bead", 1.0)
    free = zm.System([bead])
    run = zm.simulate(free, free.start({bead.position[0]: 0.0}), until=0.1)
    page = run.view(tmp_path / "page.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";") if rule.strip()}
    assert rules["default-src"] == ["'none'"]
    assert not any(
        "unsafe" in word or "http" in word or word == "*" for word in rules["script-src"] if "wasm" not in word
    )
    scripts = re.findall(r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    assert scripts
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in rules["script-src"]
    assert not re.search(r"<(?:script|img|link|iframe)[^>]*\b(?:src|href)=[\"']?(?:https?:)?//", page)
