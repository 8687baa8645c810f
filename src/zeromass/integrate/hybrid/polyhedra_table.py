"""Polyhedra of a system in memory: their faces and edges, and the contacts that each pair of them has."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from zeromass.codegen.target import Code
from zeromass.expression import Expression
from zeromass.integrate.hybrid.polyhedra import ROOM, Polyhedra
from zeromass.integrate.hybrid.tables import ints
from zeromass.model.pieces import SystemPieces
from zeromass.model.polyhedra import FEATURE, PolyhedraPair
from zeromass.model.unilateral import Unilateral


def pairs_of(unilaterals: Iterable[Unilateral]) -> dict[PolyhedraPair, list[int]]:
    """Pairs of polyhedra, and the contacts of each, by their numbers."""
    found: dict[PolyhedraPair, list[int]] = {}
    for c, one in enumerate(unilaterals):
        if one.pair is not None:
            found.setdefault(one.pair, []).append(c)
    return found


def pose_formulas(unilaterals: Iterable[Unilateral]) -> list[Expression]:
    """How polyhedra are placed against one another, 12 formulas for each pair."""
    return [e for pair in pairs_of(unilaterals) for e in pair.pose]


def polyhedra_table(pieces: SystemPieces, code: Code | None) -> Polyhedra:
    """The polyhedra of a system that touch one another."""
    pairs = pairs_of(pieces.unilaterals)
    bodies = list(dict.fromkeys(body for pair in pairs for body in (pair.first, pair.second)))
    numbers = {body: i for i, body in enumerate(bodies)}
    places = {leaf: i for i, leaf in enumerate(pieces.system.parameters)}
    corners, faces, borders = (
        np.cumsum([0, *(len(of(body)) for body in bodies)])
        for of in (lambda b: b.points, lambda b: b.planes, lambda b: b.edges)
    )
    loops: list[int] = []
    sides: list[int] = []
    ends, edges = [0], np.empty((0, 4), dtype=np.int64)
    for body, corner, face, border in zip(bodies, corners.tolist(), faces.tolist(), borders.tolist(), strict=False):
        known = {frozenset(edge): border + e for e, edge in enumerate(body.edges[:, :2].tolist())}
        for loop in body.loops:
            loops += [corner + v for v in loop]
            sides += [known[frozenset(edge)] for edge in pairwise((*loop, loop[0]))]
            ends.append(len(loops))
        edges = np.concatenate([edges, body.edges + np.array([corner, corner, face, face])])
    largest = max((body.sides for body in bodies), default=0)
    return Polyhedra(
        count=len(pairs),
        evaluate=0 if code is None or not pairs else code.address("poses"),
        pose=np.zeros(12 * len(pairs)),
        points=np.concatenate([np.empty((0, 3)), *(body.points for body in bodies)]),
        planes=np.concatenate([np.empty((0, 4)), *(body.planes for body in bodies)]),
        edges=edges,
        loops=ints(loops),
        loop_edges=ints(sides),
        loop_ends=ints(ends),
        corners=corners.astype(np.int64),
        faces=faces.astype(np.int64),
        borders=borders.astype(np.int64),
        first=ints([numbers[pair.first] for pair in pairs]),
        second=ints([numbers[pair.second] for pair in pairs]),
        slots=np.array([(own[0], len(own)) for own in pairs.values()], dtype=np.int64).reshape(-1, 2),
        feature=ints([places[one.feature[0]] if one.feature else -1 for one in pieces.unilaterals]),
        size=np.array([max(pair.first.size, pair.second.size) for pair in pairs]),
        reach=np.array([pair.first.size + pair.second.size for pair in pairs]),
        moved=np.zeros((max((len(b.points) for b in bodies), default=0), 3)),
        turned=np.zeros((max((len(b.planes) for b in bodies), default=0), 3)),
        kind=ints([0] * ROOM),
        one=ints([0] * ROOM),
        two=ints([0] * ROOM),
        place=np.zeros((ROOM, 3)),
        best=ints([0, 0, 0]),
        way=np.zeros(3),
        ring=np.zeros((largest, 3)),
        base=np.zeros((largest, 3)),
        trial=np.zeros(len(FEATURE)),
    )
