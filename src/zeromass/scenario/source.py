"""The text of a scenario file: read with bounds, and searched for the line on which a key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeromass.scenario.errors import ScenarioError

LARGEST = 256 * 1024
"""Bytes of a file."""

DEEPEST = 32
"""Brackets inside one another, and parts of a dotted key."""

Key = tuple[str | int, ...]

_STRINGS = re.compile(r'"""|\'\'\'|"|\'|#|[\[\]{},=.\n]')
_ENDS = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL),
    "'''": re.compile(r"(?:[^']|'(?!''))*'''"),
    '"': re.compile(r'(?:[^"\\\n]|\\.)*"'),
    "'": re.compile(r"[^'\n]*'"),
    "#": re.compile(r"[^\n]*"),
}
_INK = re.compile(r"\S")
_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s."'=\[\]]+))\s*(?:\.|$)""")


@dataclass(frozen=True)
class Source:
    """The data of a scenario file and where its keys stand.

    folder  in which files lie that the scenario names; None of a text that is no file
    """

    name: str
    text: str
    data: dict[str, Any]
    lines: dict[Key, int]
    folder: Path | None = None

    def line(self, key: Key) -> int | None:
        """Line of a key, or of the nearest table around it."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return None

    def error(self, message: str, key: Key, column: int | None = None) -> ScenarioError:
        """An error that points to a key."""
        return ScenarioError(message, file=self.name, line=self.line(key), key=dotted(key), column=column)


def dotted(key: Key) -> str:
    """A key as one would write it: rolling.surface.shift[0]."""
    words = ""
    for part in key:
        words += f"[{part}]" if isinstance(part, int) else f".{part}" if words else str(part)
    return words


def read(path: Path) -> Source:
    """The source in a file."""
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    return parsed(content, str(path), path.parent)


def parsed(content: bytes | str, name: str = "scenario", folder: Path | None = None) -> Source:
    """The source of some text, which may name files of a folder."""
    content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(content) > LARGEST:
        raise ScenarioError(f"the file is larger than {LARGEST} bytes", file=name)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioError("the file is not text in UTF-8", file=name, line=line) from error
    _bounded(text, name)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(error, name) from error
    except (RecursionError, ValueError, OverflowError) as error:
        raise ScenarioError(f"the file is not valid TOML: {error}", file=name) from error
    return Source(name, text, data, _lines(text), folder)


def _toml_error(error: tomllib.TOMLDecodeError, name: str) -> ScenarioError:
    words = str(error)
    match = re.search(r"\s*\(at line (\d+), column (\d+)\)$", words)
    if match is None:
        return ScenarioError(f"the file is not valid TOML: {words}", file=name)
    line, column = int(match[1]), int(match[2])
    message = f"the file is not valid TOML: {words[: match.start()]} (column {column})"
    return ScenarioError(message, file=name, line=line, column=column)


def _signs(text: str) -> Iterator[tuple[str, int, int]]:
    """(sign, place, end) of each bracket, sign and line end outside strings and comments, which are one sign each."""
    place = 0
    while match := _STRINGS.search(text, place):
        sign, place = match.group(), match.end()
        if sign in _ENDS:
            end = _ENDS[sign].match(text, place)
            place = end.end() if end else text.find("\n", place) + 1 or len(text)
        yield sign, match.start(), place


def _bounded(text: str, name: str) -> None:
    """Refuses brackets and dotted keys that are nested too deeply, before anything reads them."""
    depth = dots = 0
    for sign, place, _ in _signs(text):
        if sign not in _ENDS:
            dots = dots + 1 if sign == "." else 0
            depth = max(0, depth + (sign in "[{") - (sign in "]}"))
        if depth > DEEPEST or dots > DEEPEST:
            line = text.count("\n", 0, place) + 1
            raise ScenarioError(f"the file is nested more than {DEEPEST} deep", file=name, line=line)


def _lines(text: str) -> dict[Key, int]:
    """The line of each table and key of valid TOML; keys of inline tables stand where the table does."""
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    line, before = 1, 0
    for place, statement in _statements(text):
        line, before = line + text.count("\n", before, place), place
        if statement.startswith("["):
            several = statement.startswith("[[")
            own = _resolved(_parts(statement.strip("[] \t")), counts)
            if several:
                counts[own] = counts.get(own, -1) + 1
                lines.setdefault(own, line)
                own = (*own, counts[own])
            table = own
            lines.setdefault(table, line)
        else:
            key = (*table, *_parts(statement))
            for length in range(len(table) + 1, len(key) + 1):
                lines.setdefault(key[:length], line)
    return lines


def _statements(text: str) -> list[tuple[int, str]]:
    """(place, words) of each table header and of each key, without its value."""
    found: list[tuple[int, str]] = []
    begin = depth = 0
    header = seen = False
    for sign, place, end in _signs(text):
        if depth == 0 and not seen and not text[begin:place].strip():
            begin = place if sign not in "\n#" else place + 1
            header = sign == "["
        if sign in _ENDS:
            continue
        depth += (sign in "[{") - (sign in "]}")
        if header and depth == 0 and sign in "]}":
            found.append((begin, text[begin:end]))
            header, seen = False, True
        elif sign == "=" and depth == 0 and not seen:
            found.append((_first(text, begin), text[begin:place]))
            seen = True
        elif sign == "\n" and depth == 0:
            begin, seen, header = end, False, False
    return found


def _first(text: str, place: int) -> int:
    """The first place from here on that is no blank."""
    match = _INK.search(text, place)
    return match.start() if match else place


def _parts(words: str) -> tuple[str, ...]:
    return tuple(next(group for group in match.groups() if group is not None) for match in _PART.finditer(words))


def _resolved(key: tuple[str, ...], counts: dict[Key, int]) -> Key:
    """A header's key with the places of the arrays of tables that it goes through."""
    result: Key = ()
    for i, part in enumerate(key):
        result = (*result, part)
        if result in counts and i < len(key) - 1:
            result = (*result, counts[result])
    return result
