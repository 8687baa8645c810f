"""Docstrings are plain text: paragraphs, lists, indented equations, tables of arguments, `code` in single backticks.

Here they become reStructuredText that shows them faithfully.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ruff.__main__ import find_ruff_bin

WIDEST = 80
"""Columns of code on a page; more is cut off beside a table of contents."""

STATEMENT = re.compile(r"(^>>> .*\n(?:^\.\.\.(?: .*)?\n)*)((?:^(?!>>> ).*\n)*)", re.MULTILINE)
"""A statement of an example, and what it prints."""

_FIXED = re.compile(r"^\s+\S|\S {2,}\S|^>>>")  # indented, aligned in columns, or a prompt: keep as typed
_RULE = re.compile(r"^([-=~])\1{2,}$")
_ROW = re.compile(r"^(\*{0,2}\w+(?:, \w+)*) {1,}(?=\S)")


@dataclass(frozen=True)
class Docstring:
    """Its first line, what is said of arguments or attributes by name, the other text, and the examples."""

    first: str
    arguments: dict[str, str]
    text: list[str]
    examples: list[str]


def parsed(doc: str, names: Iterable[str] = ()) -> Docstring:
    """A docstring taken apart; a block of columns whose first column has one of the names is a table of arguments."""
    blocks = re.split(r"\n\s*\n", doc.strip("\n")) if doc.strip() else [""]
    known, table, text, examples = set(names), {}, [], []
    for block in blocks[1:]:
        rows = block.split("\n")
        if rows[0].startswith(">>>"):
            examples.append(block)
        elif said := _table(rows, known):
            table |= said
        else:
            text.append(block)
    first, *more = blocks[0].split("\n")
    if more:
        text.insert(0, "\n".join(more)) if _FIXED.search(more[0]) else None
        first = blocks[0].replace("\n", " ") if not _FIXED.search(more[0]) else first
    return Docstring(first, table, text, examples)


def _table(rows: list[str], known: set[str]) -> dict[str, str]:
    """{name: what is said of it} of a block in columns; nothing if it is another block."""
    said: dict[str, str] = {}
    names: list[str] = []
    for row in rows:
        match = _ROW.match(row)
        if match and not row.startswith(" "):
            names = match.group(1).split(", ")
            for name in names:
                said[name] = row[match.end() :].strip()
        elif row.startswith("  ") and names:
            for name in names:
                said[name] += " " + row.strip()
        else:
            return {}
    aligned = any(re.match(r"^\S+(, \S+)* {2,}\S", row) for row in rows)
    return said if aligned and len(known & said.keys()) * 2 >= len(said) else {}


def inline(line: str) -> str:
    """One line of prose with code in double backticks and no other markup."""
    pieces = re.split(r"(``.+?``|`[^`]+`)", line)
    prose = [re.sub(r"([\\*|`]|_\b)", r"\\\1", piece) for piece in pieces[::2]]
    code = [f"``{piece.strip('`').strip()}``" for piece in pieces[1::2]]
    # "\ " ends inline code before a letter without making a space
    text = prose[0].removeprefix("\\") if re.match(r"\\\* ", prose[0]) else prose[0]
    for literal, after in zip(code, prose[1:], strict=True):
        text += ("\\ " if text and text[-1].isalnum() else "") + literal
        text += ("\\ " if after and after[0].isalnum() else "") + after
    return text


def columns(rows: list[str]) -> list[tuple[str, str]]:
    """What stands left and right in a block of two aligned columns; a row may go on below itself. Nothing of others."""
    found: list[tuple[str, str]] = []
    begin = 0
    for row in rows:
        match = re.match(r"(\S+(?: \S+)*) {2,}(?=\S)", row)
        if match and (not found or match.end() == begin):
            begin = match.end()
            found.append((match[1], row[begin:]))
        elif found and row.startswith(" " * begin):
            found[-1] = (found[-1][0], f"{found[-1][1]} {row.strip()}")
        else:
            return []
    return found if len(found) > 1 else []


def narrow(rows: list[str]) -> list[str]:
    """An example whose statements are no wider than a page, as ruff formats them; its results as they are."""
    if all(len(row) <= WIDEST for row in rows):
        return rows
    found: list[str] = []
    for statement, wanted in re.findall(STATEMENT, "\n".join(rows) + "\n"):
        lines = [line[4:] for line in statement.splitlines()]
        if max(map(len, lines)) > WIDEST - 4:
            words = ["-", "--line-length", str(WIDEST - 4), "--isolated", "--no-cache"]
            text = "\n".join(lines) + "\n"
            done = subprocess.run(
                [find_ruff_bin(), "format", *words], input=text, capture_output=True, text=True, check=True
            )
            lines = done.stdout.splitlines()
        found += [f"{'...' if k else '>>>'} {line}".rstrip() for k, line in enumerate(lines)]
        found += wanted.splitlines()
    return found


def restructured(blocks: Iterable[str]) -> Iterator[str]:
    """Lines of reStructuredText for blocks of a docstring."""
    for block in blocks:
        rows = block.split("\n")
        if len(rows) > 1 and _RULE.match(rows[1]):  # an underlined heading
            yield from (f"**{rows[0].strip()}**", "")
            rows = rows[2:]
        if pairs := columns(rows):
            yield from (".. list-table::", "   :class: arguments", "   :widths: auto", "")
            for left, right in pairs:
                yield from (f"   * - ``{left}``", f"     - {inline(right)}")
            yield ""
            continue
        is_list = bool(rows) and re.match(r"[-*] |\d+\. ", rows[0])
        if rows and not is_list and any(_FIXED.search(row) for row in rows):
            language = "none"
            if rows[0].lstrip().startswith(">>>"):
                language, rows = "python", narrow(rows)
            yield from (f".. code-block:: {language}", "", *("    " + row for row in rows), "")
        else:
            yield from (*(inline(row) for row in rows), "")
