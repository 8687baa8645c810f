"""Lengths that may pass through zero in the steps of a piece, a kernel; see `zeromass.integrate.lengths`."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression
from zeromass.integrate.hybrid.memory import COUNTS, RECORDED, Lengths, Motion
from zeromass.integrate.hybrid.tables import ints
from zeromass.integrate.lengths import AT_END, lengths_of, turns
from zeromass.integrate.stepping.layout import HEAD
from zeromass.integrate.terms import lengths_in
from zeromass.kernel.language import Reals, kernel, sqrt


@kernel
def size_of(d: Reals) -> float:
    """A length, from the same values."""
    return sqrt(max(d[len(d) - 1], 0.0))


@kernel
def may_vanish(m: Motion, ended: bool) -> bool:
    """Whether a length may pass zero in a step of the piece that has not been looked at, or where the piece ends."""
    lengths, first, last = m.lengths, m.counts[COUNTS * (m.pieces - 1)], m.ints[RECORDED]
    count = len(lengths.offsets) - 1
    if count == 0 or last == first:
        return False
    time = m.record[lengths.looked - 1, 0] if lengths.looked > first else m.piece_start[0]
    if lengths.looked == first:
        lengths.evaluate(m.piece_start, m.piece_start[1:], m.values, lengths.before)
        for k in range(count):
            lengths.sizes[k] = size_of(lengths.before[lengths.offsets[k] : lengths.offsets[k + 1]])
    for i in range(lengths.looked, last):
        row = m.record[i]
        lengths.evaluate(row, row[HEAD:], m.values, lengths.after)
        for k in range(count):
            begin, end = lengths.offsets[k], lengths.offsets[k + 1]
            if turns(lengths.before[begin : end - 1], lengths.after[begin : end - 1], row[0] - time):
                return True
            lengths.sizes[k] = max(lengths.sizes[k], size_of(lengths.after[begin:end]))
        lengths.before[:] = lengths.after
        time = row[0]
    lengths.looked = last
    vanished = False
    for k in range(count):
        size = size_of(lengths.before[lengths.offsets[k] : lengths.offsets[k + 1]])
        vanished = vanished or size <= AT_END * lengths.sizes[k]
    return ended and vanished


def length_formulas(program: Program) -> list[Expression]:
    """Of each length d, the rate of u, and u, as the kernel has them."""
    if not lengths_in(program.system):
        return []
    lengths = lengths_of(program.system)
    return [e for length, d in zip(lengths.all, lengths.reversed, strict=True) for e in (*d, length.u)]


def length_table(program: Program) -> Lengths:
    """The lengths of a system in memory."""
    system, formulas = program.system, length_formulas(program)
    if not formulas:
        return Lengths(offsets=ints([0]))
    known: dict[str, Code] = system.memory
    if "directions of lengths" not in known:
        known.setdefault("directions of lengths", code({"directions": (program.inputs, [formulas])}, host().scalar))
    offsets = np.cumsum([0, *[1 + len(d) for d in lengths_of(system).reversed]])
    before, after, sizes = (np.zeros(count) for count in (offsets[-1], offsets[-1], len(offsets) - 1))
    evaluate: Any = known["directions of lengths"].address("directions")
    return Lengths(evaluate=evaluate, offsets=ints(offsets), before=before, after=after, sizes=sizes)
