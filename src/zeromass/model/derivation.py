"""The derivation of a system on one page: coordinates, energies, M, Q, A, b, C, and whether the motion is unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeromass.errors import ZeromassError
from zeromass.expression import Expression, as_expression, expressions, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.names import escaped, latex_symbol
from zeromass.expression.node import ordered
from zeromass.expression.numerals import decimal, fraction, turns
from zeromass.expression.tidy import Sum, Tidy
from zeromass.expression.typeset import MOST_DIGITS, Typesetter, leading, matrix
from zeromass.model.constraint import LEVELS
from zeromass.model.given import given_count

if TYPE_CHECKING:
    from zeromass.model.check import Diagnosis
    from zeromass.model.state import State
    from zeromass.model.system import System

LINE = 40
"""Signs of a formula in a line, about."""

ENTRY = 14
"""Signs of an entry that stands in a matrix as it is; a longer one is named."""

WIDE = 30
"""Signs of a row of a matrix beyond which its longer entries are named."""

WORTH = 24
"""Signs that naming a part of long formulas must save."""

TOO_LONG = 4_000
"""Operations of a block that is not written down: nobody would read it."""

LETTERS = "suwhk"
"""For parts of formulas that get names: the first that no symbol of the system has."""


class Derivation:
    """The page as rows: a heading and lines of mathematics; `latex` puts them below one another."""

    def __init__(self, system: System, state: State | None, digits: int | None) -> None:
        self._system, self._board, self._digits = system, Tidy(), digits
        self._names: dict[int, str] = {}
        self.rows: list[tuple[str, list[str]]] = []
        self._blocks = self._tidied()
        self._name_parts()
        self._given()
        self._equations()
        self._constraints()
        self._verdict(state)
        if self._rounded():
            self._row("", [rf"\text{{(numbers rounded to {digits} digits)}}"])

    def latex(self) -> str:
        """One `aligned` environment, which MathJax and amsmath know: headings on the left, mathematics on the right."""
        lines = []
        for heading, formulas in self.rows:
            for k, formula in enumerate(formulas):
                lines.append(rf"&\textbf{{{heading}}} && {formula}" if k == 0 and heading else rf"& && {formula}")
        return "\\begin{aligned}\n" + " \\\\[4pt]\n".join(lines) + "\n\\end{aligned}"

    # what is written ------------------------------------------------------------------------------------------------
    def _tidied(self) -> dict[str, np.ndarray]:
        """All blocks of formulas as sums of one board; a block that is too long is left out."""
        system = self._system
        blocks: dict[str, np.ndarray] = {}
        free = system._free
        for name, value in (("T", free.kinetic), ("V", free.potential), ("E", free.energy)):
            if value is not None and (name != "E" or free.kinetic is None):
                blocks[name] = expressions(value)
        blocks |= {"M": system.M, "Q": system.Q}
        if any(e is not ZERO for e in system.C):
            blocks["C"] = system.C
        if system.rows:
            blocks |= {"zero": expressions([row.zero for row in system.rows]), "A": system.A, "b": system.b}
        found = {}
        for name, block in blocks.items():
            size = sum(bool(node.args) for node in ordered(block.ravel()))
            if size <= TOO_LONG:
                sums = np.empty(block.shape, dtype=object)
                for place in np.ndindex(block.shape):
                    sums[place] = self._board(as_expression(block[place]))
                found[name] = sums
            else:
                found[name] = np.array(size)
        return found

    def _name_parts(self) -> None:
        """Names for parts of long formulas that come again and again, the largest saving first."""
        sums = [a for block in self._blocks.values() if block.dtype == object for a in block.ravel()]
        if all(self._board.size(a) <= 2 * LINE for a in sums):
            return
        uses: Counter[int] = Counter()
        seen: set[int] = set()
        stack = [i for a in dict.fromkeys(sums) for factors, _ in a for i, _ in factors]
        while stack:
            i = stack.pop()
            uses[i] += 1
            if i not in seen:
                seen.add(i)
                stack += [j for arg in self._board.atoms[i].args for factors, _ in arg for j, _ in factors]
        letter = self._letter()
        chosen = [i for i in sorted(uses) if (uses[i] - 1) * (self._board.atoms[i].size - 1) >= WORTH]
        self._names = {i: f"{letter}_{{{k + 1}}}" for k, i in enumerate(i for i in chosen if self._board.atoms[i].args)}

    def _letter(self) -> str:
        system = self._system
        taken = {leaf.name.rpartition(".")[2][:1] for leaf in symbols(system.coordinates, list(system.parameters))}
        return next((letter for letter in LETTERS if letter not in taken), r"\xi")

    def _typesetter(self, without: int | None = None) -> Typesetter:
        return Typesetter(self._board, self._digits, {i: name for i, name in self._names.items() if i != without})

    # the rows of the page -------------------------------------------------------------------------------------------
    def _given(self) -> None:
        system = self._system
        self._row("Coordinates", [f"q = {_column(system.coordinates)}"])
        if system.parameters:
            writer = self._typesetter()
            values = [
                f"{_name(p)} = {writer.numeral(p.default)[0]}" for p in system.parameters if p.default is not None
            ]
            self._row("Parameters", _wrapped(values, r",\; ", 8))
        for name, heading in (("T", "Kinetic energy"), ("V", "Potential energy"), ("E", "Energy")):
            if name in self._blocks:
                self._row(heading, self._scalar(name, self._blocks[name]))

    def _equations(self) -> None:
        parts = r"M \ddot{q} = Q" + (" + C" if "C" in self._blocks else "")
        if self._system.rows:
            parts += r" + A^{\mathsf{T}} \lambda, \qquad A \ddot{q} = b"
        self._row("Equations", [parts])
        self._row("Mass", self._matrix("M", self._blocks["M"], symmetric=True))
        self._row("Force", self._matrix("Q", self._blocks["Q"]))
        if "C" in self._blocks:
            self._row("Non-ideal", self._matrix("C", self._blocks["C"]))

    def _constraints(self) -> None:
        system = self._system
        if not system.rows:
            return
        zeros = self._blocks["zero"]
        if zeros.dtype == object:
            lines = []
            for row, zero in zip(system.rows, zeros, strict=True):
                words = self._broken(self._typesetter(), zero, rf"\mathrm{{{escaped(row.name)}}}\colon \quad ")
                words[-1] += rf" = 0 \quad \text{{({LEVELS[row.level]})}}"
                lines += words
            self._row("Constraints", lines)
        else:
            self._row("Constraints", self._too_long("zero", zeros))
        self._row("", self._matrix("A", self._blocks["A"]) + self._matrix("b", self._blocks["b"]))
        self._row("Multipliers", [rf"\lambda = {_column(system.multipliers)}"])

    def _verdict(self, state: State | None) -> None:
        for i, name in self._names.items():
            writer = self._typesetter(without=i)
            atom = self._board.atoms[i]
            whole = atom.args[0] if atom.op == "sum" else (((((i, 1),), 1.0)),)
            lines = self._broken(writer, whole, rf"{name} = ")
            self._row("with" if name.endswith("{1}") else "", lines)
        try:
            found = self._system.check(state)
        except ZeromassError:
            return
        n, rank = found.coordinates, found.rank
        if self._system.rows:
            formula = (
                r"\ddot{q} = \begin{bmatrix} (I - A^{+}A)\, M \\ A \end{bmatrix}^{+} \begin{bmatrix} Q"
                + (" + C" if "C" in self._blocks else "")
                + r" \\ b \end{bmatrix}"
            )
            top = r"\operatorname{rank} \begin{bmatrix} M \\ A \end{bmatrix}"
        else:
            formula, top = r"\ddot{q} = M^{+} Q", r"\operatorname{rank} M"
        relation = rf"{top} = {rank} = n" if found.unique else rf"{top} = {rank}, \quad n = {n}"
        self._row("Motion", [formula, rf"{relation}: \quad \text{{{_said(found)}}}"])
        lines = [
            rf"\mathrm{{{escaped(row)}}} \text{{ {word} }} {_names(others)}"
            for word, rows in (("follows from", found.redundant), ("contradicts", found.contradictory))
            for row, others in rows.items()
        ]
        if lines:
            self._row("Redundant" if not found.contradictory else "Dependent", lines)

    def _rounded(self) -> bool:
        """Whether some number is written with fewer digits than it has."""
        shown = [a for block in self._blocks.values() if block.dtype == object for a in block.ravel()]
        inside = {i for a in shown for i in self._board.inside(a)}
        shown += [arg for i in inside for arg in self._board.atoms[i].args]
        numbers = {abs(c) for a in shown for _, c in a if not (fraction(c) or turns(c))}
        return any(decimal(c, self._digits) != decimal(c) for c in numbers)

    def _row(self, heading: str, lines: Sequence[str]) -> None:
        self.rows.append((heading, list(lines)))

    # formulas -------------------------------------------------------------------------------------------------------
    def _scalar(self, name: str, block: np.ndarray) -> list[str]:
        if block.dtype != object:
            return self._too_long(name, block)
        return self._broken(self._typesetter(), block.item(), f"{name} = ")

    def _broken(self, writer: Typesetter, a: Sum, front: str) -> list[str]:
        """A formula in as many lines as it needs, broken before the signs of its terms."""
        if self._size(a) <= LINE:
            return [front + writer.words(a)]
        lines, length = [front], 0
        for k, (term, words) in enumerate(zip(leading(a), writer.terms(a), strict=True)):
            size = self._size((term,))
            if length and length + size > LINE:
                lines.append(r"\qquad ")
                length = 0
            lines[-1] += words.removeprefix("+ ") if k == 0 else f" {words}"
            length += size
        return lines

    def _size(self, a: Sum) -> int:
        """Signs of a sum, those of named parts as one."""
        board, total = self._board, 0
        stack = [a]
        while stack:
            for factors, c in stack.pop():
                total += 1 + (abs(c) != 1.0)
                for i, k in factors:
                    total += 1 + (k != 1)
                    if i not in self._names:
                        stack += board.atoms[i].args
        return total

    def _matrix(self, name: str, block: np.ndarray, symmetric: bool = False) -> list[str]:
        """A matrix or column; entries too long to stand in it have names, and follow below."""
        if block.dtype != object:
            return self._too_long(name, block)
        rows = block[:, None] if block.ndim == 1 else block
        room = max(ENTRY, LINE // rows.shape[1])
        wide = max(sum(self._size(a) for a in row) for row in rows) > WIDE
        writer, below = self._typesetter(), []
        cells = []
        for i, row in enumerate(rows):
            line = []
            for j, a in enumerate(row):
                if not wide or self._size(a) <= min(room, ENTRY):
                    line.append(writer.words(a))
                    continue
                first, second = (j, i) if symmetric and j < i else (i, j)
                places = (first + 1,) if block.ndim == 1 else (first + 1, second + 1)
                entry = f"{name}_{{{('' if max(rows.shape) < 10 else ',').join(map(str, places))}}}"
                line.append(entry)
                if (first, second) == (i, j):
                    below += self._broken(writer, a, f"{entry} = ")
            cells.append(line)
        return [f"{name} = {matrix(cells)}", *below]

    def _too_long(self, name: str, size: np.ndarray) -> list[str]:
        return [rf"{name}: \quad \text{{{int(size)} operations, too many to read; zm.c\_code writes them}}"]


def _said(found: Diagnosis) -> str:
    return "the motion is unique" if found.unique else f"the motion is {found.verdict.value}"


def _name(leaf: Expression) -> str:
    return latex_symbol(leaf)[0]  # type: ignore[arg-type]


def _names(rows: Sequence[str]) -> str:
    return ", ".join(rf"\mathrm{{{escaped(row)}}}" for row in rows)


def _column(leaves: Sequence[Expression] | np.ndarray) -> str:
    """Symbols as a column, written as a row turned up; a long one in several lines."""
    names = [_name(x) for x in leaves]
    if len(names) <= 14:
        return rf"\begin{{bmatrix}} {' & '.join(names)} \end{{bmatrix}}^{{\mathsf{{T}}}}"
    return rf"\begin{{bmatrix}} {' & '.join(names[:12])} & \cdots & {names[-1]} \end{{bmatrix}}^{{\mathsf{{T}}}}"


def _wrapped(words: Sequence[str], between: str, count: int) -> list[str]:
    return [between.join(words[k : k + count]) for k in range(0, len(words), count)]


def derivation(system: System, state: State | None = None, *, digits: int | None = 6) -> str:
    """The derivation as LaTeX; see `System.latex`."""
    if digits is not None:
        given_count(digits, "digits", below=MOST_DIGITS + 1)
    return Derivation(system, state, digits).latex()
