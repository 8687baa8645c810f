"""The common table of the papers: quantity, printed in the paper, computed, agreement, remark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

HEADINGS = ("quantity", "printed in the paper", "computed", "agreement", "remark")


@dataclass(frozen=True)
class Row:
    """One quantity of a paper.

    agrees      None where the paper gives nothing to compare with
    difference  of the computed number from the printed one, relative; None where it says nothing
    """

    quantity: str
    printed: str
    computed: str
    agrees: bool | None
    remark: str = ""
    difference: float | None = None

    @property
    def agreement(self) -> str:
        """In a word: "yes", "no", or "–"; with the difference where the numbers are not the same."""
        word = {True: "yes", False: "no", None: "–"}[self.agrees]
        return word if self.agrees or self.difference is None else f"{word}, {100 * self.difference:+.0f} %"

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts under `HEADINGS`."""
        return self.quantity, self.printed, self.computed, self.agreement, self.remark


@dataclass(frozen=True)
class Section:
    """The rows of one paper, under its reference key."""

    key: str
    title: str
    rows: tuple[Row, ...]


def decimal(
    quantity: str, printed: str, value: float, *, unit: str = "", computed: str | None = None, digits: int = 4
) -> Row:
    """A row for a number that a paper prints with some decimals: it agrees if ours rounds to it.

    computed  ours as a text, where it is more than the number to `digits` significant digits
    """
    places = -int(Decimal(printed).as_tuple().exponent)
    agrees = f"{value:.{places}f}" == printed
    return Row(
        quantity,
        f"{printed}{unit}",
        f"{value:.{digits}g}{unit}" if computed is None else computed,
        agrees,
        "" if agrees else "not obtained from the printed data",
        value / float(printed) - 1,
    )


def markdown(rows: Iterable[Row]) -> str:
    """The table of some rows for a page of documentation."""
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *[row.cells for row in rows]]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def below(value: float, bound: float) -> str:
    """A number at the level of rounding, told by a bound that does not change from machine to machine."""
    return f"below {bound:.0e}" if value < bound else f"{value:.1e}"
