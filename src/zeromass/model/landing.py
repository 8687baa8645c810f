"""Gaps that close with strokes, as of wheels that land, for a driver outside Python: what it decides from.

What `zeromass.contact.lifting` asks of a state in numbers, a driver asks of functions that are compiled, of the sibling in
which all such gaps are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from zeromass.expression import Array, Symbol
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import Sparse
from zeromass.model.given import Number

if TYPE_CHECKING:
    from zeromass.model.system import System


class Landing(NamedTuple):
    """What strokes at a gap that closes are made from.

    gap, slid   massless coordinates, m: the gap, and how far it has slipped along and across
    friction_coefficient, restitution, creep, size  numbers, or formulas of time and parameters; None of endless friction
    said        names of what is told, or watched, beside its opening and closing; that bounces have ended comes first
    """

    gap: Symbol
    slid: Array
    friction_coefficient: Number | None
    restitution: Number
    creep: Number
    size: Number
    said: tuple[str, ...]


def landings(system: System) -> list[tuple[str, Landing]]:
    """Gaps of a system that close with strokes, by their names."""
    gaps = [(side.name, getattr(side, "landing", None)) for side in system.one_sided]
    return [(name, landing) for name, landing in gaps if landing is not None]


def lifted(system: System, closed: frozenset[str]) -> frozenset[str]:
    """What is closed where all gaps that close with strokes are open, and all others as they are."""
    gone = {name for name, _ in landings(system)}
    return closed - gone - {side.name for side in system.one_sided if getattr(side, "on", "") in gone}


def judged(system: System) -> dict[str, Sequence[Any]]:
    """What strokes and decisions after them are made from, where all gaps are open.

    M, A, slopes  entries of matrices that are not zero, see `places`
    zeros         constraints of positions; `slopes` their derivatives by the coordinates
    """
    found = [landing for _, landing in landings(system)]
    matrices = {name: [e for row in M.rows for e in row.values()] for name, M in _matrices(system).items()}
    return {
        **matrices,
        "zeros": [zero for _, zero in system.zeros(0)],
        "mu": [ZERO if one.friction_coefficient is None else one.friction_coefficient for one in found],
        "e": [one.restitution for one in found],
        "creep": [one.creep for one in found],
        "size": [one.size for one in found],
    }


def places(system: System) -> dict[str, dict[str, Any]]:
    """Of each matrix the number of its rows, and where its entries stand that are not zero."""
    return {
        name: {"rows": len(M.rows), "entries": [[i, j] for i, row in enumerate(M.rows) for j in row]}
        for name, M in _matrices(system).items()
    }


def _matrices(system: System) -> dict[str, Sparse]:
    return {"M": system.sparse_M, "A": system.sparse_A, "slopes": system.slopes(0)}
