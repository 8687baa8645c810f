r"""What notebooks show of an object: a card of HTML that carries its looks along, on light paper and on dark.

Formulas stand between \( and \), which notebooks typeset; names need no typesetting. Words of the user are escaped: no name
is ever markup or a formula.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from zeromass.expression.names import greek, latex_symbol, name_parts
from zeromass.expression.node import Symbol

GOOD, BAD = "#12866a", "#c0392b"
"""Of verdicts: what is well, and what is not."""

_CARD = (
    "display:inline-block;text-align:left;font-size:13px;line-height:1.5;border:1px solid #8884;border-radius:8px;"
    "padding:8px 14px;margin:2px 0"
)
_HEAD = "font-weight:600;margin-bottom:4px"
_TABLE = "border-collapse:collapse;margin:2px 0;border:0"
_CELL = "text-align:left;vertical-align:baseline;padding:1px 14px 1px 0;border:0;background:none"
_SOFT = "opacity:.62;font-weight:400"


def text(words: object) -> str:
    """Words as they are: neither tags nor formulas."""
    return html.escape(str(words)).replace("$", "<span>&#36;</span>").replace("\\", "<span>&#92;</span>")


def math(latex: str) -> str:
    """A formula in a line."""
    return rf"\({html.escape(latex, quote=False)}\)"


def symbol(leaf: Symbol) -> str:
    """A symbol without any typesetting: its letter, dots for its rates, and its subscripts."""
    if leaf.latex:
        return math(latex_symbol(leaf)[0])
    base, subscripts, owner = name_parts(leaf.name)
    dots = {0: "", 1: "\u0307", 2: "\u0308"}.get(leaf.order, "")
    below = ",".join(text(greek(word)) for word in [*subscripts, owner] if word)
    return f"<i>{text(greek(base))}{dots}</i>" + (f"<sub>{below}</sub>" if below else "")


def soft(words: object) -> str:
    """Words in the background."""
    return f'<span style="{_SOFT}">{text(words)}</span>'


def told(words: object, *, good: bool) -> str:
    """A verdict."""
    return f'<b style="color:{GOOD if good else BAD}">{text(words)}</b>'


def table(rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Rows of cells, which are HTML."""
    head = "".join(f'<th style="{_CELL};{_SOFT}">{text(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f'<table style="{_TABLE}">{f"<tr>{head}</tr>" if header else ""}{body}</table>'


def card(title: str, *parts: str, note: str = "") -> str:
    """A card: a title and parts, which are HTML.

    >>> from zeromass.expression.card import card, table, text
    >>> "a &lt; b" in card("Rule", table([["when", text("a < b")]]))
    True
    """
    beside = f" {soft(note)}" if note else ""
    body = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="{_CARD}"><div style="{_HEAD}">{text(title)}{beside}</div>{body}</div>'
