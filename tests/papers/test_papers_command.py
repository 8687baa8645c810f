"""`zeromass papers`: one table on the terminal, the same in docs/papers.md, and figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from zeromass import cli
from zeromass.papers import page, results, table
from zeromass.papers.document import IMAGES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found():
    return results()


def test_the_command_prints_and_ends_well():
    done = subprocess.run([sys.executable, "-m", "zeromass", "papers"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 80
    for word in ("agree", "UP2006", "UM2022", "UD2011", "Stanescu", "+38 %", "--table", "docs/papers.md"):
        assert word in done.stdout
    assert "nan" not in done.stdout


def test_every_row_is_printed(found, monkeypatch):
    monkeypatch.setattr(cli, "results", lambda: found)
    done = CliRunner().invoke(cli.app, ["papers", "--table"], catch_exceptions=False)
    assert done.exit_code == 0
    assert max(map(len, done.output.splitlines())) <= 80
    words = " ".join(done.output.split())
    for section in found.sections:
        for row in section.rows:
            assert f"{row.quantity} printed {row.printed}; computed {row.computed}" in words


@pytest.mark.slow
def test_page_and_figures(found, monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "results", lambda: found)
    path = tmp_path / "papers.md"
    done = CliRunner().invoke(cli.app, ["papers", "--docs", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
    text = path.read_text(encoding="utf-8")
    images = sorted((tmp_path / "images" / "papers").glob("*.png"))
    assert len(images) == 11
    for image in images:
        assert f"(images/papers/{image.name})" in text
        assert image.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert image.stat().st_size < 60_000
    for section in found.sections:
        for row in section.rows:
            assert " | ".join(cell.replace("|", "\\|") for cell in row.cells) in text


def test_the_documentation_is_up_to_date(found):
    """`python -m zeromass papers --docs docs/papers.md` brings it up to date."""
    assert (ROOT / "docs" / "papers.md").read_text(encoding="utf-8") == page(found)
    for name in ("shell-example-1", "ball-normal-force", "particle"):
        assert (ROOT / "docs" / IMAGES / f"{name}.png").exists()


def test_agreement_is_rounding():
    assert table.decimal("μ", "0.19", 0.18994).agrees
    assert not table.decimal("μ", "0.20", 0.2051).agrees
    assert table.decimal("μ", "0.20", 0.2051).agreement == "no, +3 %"
    assert table.Row("a", "b", "c", None).agreement == "–"


def test_up2006_has_a_row_for_every_comparison(found):
    section = found.sections[0]
    assert section.key == "UP2006"
    assert all(row.agrees for row in section.rows)
    assert any(row.computed == "not unique" for row in section.rows)
