"""The words of a formula."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from zeromass.scenario.errors import FormulaError

LONGEST = 10_000
"""Characters of a formula."""

MOST_TOKENS = 5_000
"""Numbers, names and signs of a formula."""

LONGEST_NAME = 100

WORDS = ("and", "or", "not")
"""Names that are signs."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    |(?P<sign>\*\*|<=|>=|[-+*/^(),<>'°])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """A number, a name, a sign or the end."""

    kind: str
    text: str
    position: int


def tokens(source: str) -> list[Token]:
    """The words of a formula and the end; what is no word of a formula is refused with its place."""
    if len(source) > LONGEST:
        raise FormulaError(f"the formula has {len(source)} characters; at most {LONGEST} are read", 0, source)
    found: list[Token] = []
    place = 0
    while place < len(source):
        match = _TOKEN.match(source, place)
        if match is None:
            hint = "; conditions are joined by and, or, not" if source[place] in "&|!~" else ""
            raise FormulaError(f"{source[place]!r} has no meaning in a formula{hint}", place, source)
        kind, text = str(match.lastgroup), match.group()
        if kind != "space":
            _check(kind, text, place, source)
            found.append(Token("sign" if text in WORDS else kind, text, place))
            if len(found) > MOST_TOKENS:
                raise FormulaError(f"the formula has more than {MOST_TOKENS} terms and signs", place, source)
        place = match.end()
    return [*found, Token("end", "", len(source))]


def _check(kind: str, text: str, place: int, source: str) -> None:
    if kind == "number" and not math.isfinite(float(text)):
        raise FormulaError("the number is too large", place, source)
    if kind == "name" and len(text) > LONGEST_NAME:
        raise FormulaError(f"the name has {len(text)} characters; at most {LONGEST_NAME} are read", place, source)
