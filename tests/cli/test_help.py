"""Each command shows examples in its help, and each example is one that can be run."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from zeromass import cli
from zeromass.cli.app import HELP

COMMANDS: dict[str, Any] = vars(get_command(cli.app))["commands"]


def shown(*words: str) -> str:
    done = CliRunner().invoke(cli.app, [*words, "--help"], env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"})
    assert done.exit_code == 0
    return done.stdout


def examples(text: str) -> dict[str, str]:
    """Each command line of a help, with what is said of it."""
    found = re.findall(r"^  (zeromass .+?)(?: {2,}(\S.*))?$", text.replace("\\[", "["), flags=re.MULTILINE)
    return {line.strip(): words for line, words in found}


@pytest.mark.parametrize("name", COMMANDS)
class TestEach:
    def test_it_says_what_it_does_first(self, name):
        first = (COMMANDS[name].help or "").split("\n")[0]
        assert 20 < len(first) < 140
        assert first.endswith((".", "?"))

    def test_it_has_examples_of_its_own(self, name):
        told = examples(COMMANDS[name].help or "")
        assert len(told) >= 2
        assert all(words for words in told.values())
        assert all(f"zeromass {name}" in line for line in told)

    def test_examples_stand_on_one_line_each(self, name):
        """Also in a terminal of 80 columns."""
        page = shown(name)
        assert "Examples" in page
        for line, words in examples(COMMANDS[name].help or "").items():
            assert re.search(rf"{re.escape(line)} +{re.escape(words)}", page), page

    def test_a_paragraph_is_broken_by_the_terminal_alone(self, name):
        """A line that ends in the source goes on in a terminal of any width."""
        for text in (COMMANDS[name].help or "", HELP):
            for paragraph in text.strip().split("\n\n"):
                assert "\n" not in paragraph or all(line.startswith("  ") for line in paragraph.split("\n"))

    def test_examples_are_valid(self, name):
        """Arguments and options are those of the command."""
        for line in examples(COMMANDS[name].help or ""):
            for command in line.split(" | "):
                words = shlex.split(command)
                if words[0] == "zeromass":
                    assert words[1] == name
                    COMMANDS[name].make_context(name, words[2:])

    def test_every_argument_is_explained(self, name):
        for parameter in COMMANDS[name].params:
            assert getattr(parameter, "help", None), parameter.name


def test_the_first_help_has_every_command():
    assert {line.split()[1] for line in examples(HELP)} == set(COMMANDS)


def test_the_first_help_stands_as_it_is_written():
    """Nothing is taken for markup, and each example has a line in a terminal of 80 columns."""
    page = shown()
    for line, words in examples(HELP).items():
        assert re.search(rf"{re.escape(line)} +{re.escape(words)} *$", page, flags=re.MULTILINE), line


def test_cheap_examples_run(tmp_path, monkeypatch):
    """Those that integrate nothing; the others run in the long tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("new", "check", "equations", "schema"):
        for line in examples(COMMANDS[name].help or ""):
            done = CliRunner().invoke(cli.app, shlex.split(line.split(" | ")[0])[1:])
            assert done.exit_code == 0 or (done.exit_code == 3 and "virtual" in line), line + done.output


def test_the_guide_lists_every_command():
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs" / "guide" / "scenarios.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert {line.split()[1] for line in block.splitlines()} == set(COMMANDS)


@pytest.mark.slow
def test_examples_run(tmp_path, monkeypatch):
    """All of them, one after another as a user would: each does what it says, or says that the motion is not determined."""
    monkeypatch.chdir(tmp_path)
    order = ("new", "check", "equations", "run", "plot", "view", "sweep", "schema", "papers", "figures")
    assert set(order) == set(COMMANDS)
    for name in order:
        for line in examples(COMMANDS[name].help or ""):
            if "--films" in line:  # minutes; tests/papers/test_printed.py makes short ones
                continue
            if name == "sweep":
                _with_a_study(tmp_path / "bowl.toml")
            words = shlex.split(line.split(" | ")[0])[1:]
            done = CliRunner().invoke(cli.app, words)
            assert done.exit_code == 0 or (done.exit_code == 3 and "virtual" in line), line + done.output


def _with_a_study(file) -> None:
    text = file.read_text(encoding="utf-8")
    if "\n[sweep" not in text:
        study = '\n[sweep.over]\nA = [0.01, 0.02]\n[sweep.keep]\nend = "contact.x"\n'
        file.write_text(text + study, encoding="utf-8")
