"""Friction that the motion of bodies on one another does not determine: of all that holds them, that of least squares.

Normal forces of contacts that touch and friction of those that roll, u, may push nowhere: K u = 0 with the metric K of
them all. Friction with the least sum of squares is that with u_t·F_t = 0, so that the rows which hold the contacts are

    Σ v·ṡ = 0,   v ⊥ u_t         with the friction F_t = Σ λ v

as many as there are motions to hold. What one body does between its surfaces has formulas, see `zeromass.contact.cases`;
here the v are numbers, as they are where bodies lie still on one another. Where they move, u_t·ṡ tells when others are due.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.contact.balance import tangents
from zeromass.contact.redundant import DIGITS, Shares
from zeromass.contact.strokes import joined
from zeromass.equation import numerical_rank

if TYPE_CHECKING:
    from zeromass.contact.complementarity import Mode
    from zeromass.contact.here import Here

Row = tuple[tuple[int, tuple[float, float, float]], ...]
"""Contacts by their numbers, and what of their slips is added up."""


class Grips(NamedTuple):
    """Rows that hold contacts which roll, and what of their slips follows from these rows."""

    rows: tuple[Row, ...] = ()
    follows: tuple[Row, ...] = ()

    @property
    def contacts(self) -> set[int]:
        """Numbers of the contacts that are held."""
        return {j for row in (*self.rows, *self.follows) for j, _ in row}


NONE = Grips()


def grips_at(here: Here, modes: Sequence[Mode], shares: Shares) -> Grips:
    """Of contacts at a state, each open, rolling or slipping: the rows of those whose friction is not determined."""
    closed = [j for j, mode in enumerate(modes) if mode != "open"]
    if not any(len(here.of[j]) > 1 for j in closed):
        return NONE
    rows: list[Row] = []
    follows: list[Row] = []
    for part in joined(here.metric(closed), len(closed)):
        own = [closed[i] for i in part]
        rolls = [j for j in own if modes[j] == "rolling"]
        if not any(len(here.of[j]) > 1 for j in own) or not rolls:
            continue
        u = _pushing_nowhere(here, own, rolls, shares)
        alone = [[j for j in own if here.of[j].keys() == {body}] for body in {b for j in own for b in here.of[j]}]
        known = [
            _pushing_nowhere(here, some, [j for j in some if j in rolls], shares).shape[1] for some in alone if some
        ]
        if u.shape[1] <= sum(known):  # each body between its surfaces
            continue
        U, _, _ = np.linalg.svd(u)
        rows += _written(here, rolls, U[:, u.shape[1] :])
        follows += _written(here, rolls, U[:, : u.shape[1]])
    return Grips(tuple(rows), tuple(follows))


def _pushing_nowhere(here: Here, own: Sequence[int], rolls: Sequence[int], shares: Shares) -> np.ndarray:
    """Friction along the tangents of contacts that roll, (2 k, …), that pushes nowhere with normal forces of all."""
    dropped = dict(shares)
    columns = []
    for i in own:
        if i in dropped:
            continue
        force = np.zeros((len(own), 3))
        force[own.index(i)] = here.n[i]
        for r, parts in shares:
            if r in own:
                force[own.index(r)] += dict(parts).get(i, 0.0) * here.n[r]
        columns.append(force.ravel())
    normals = len(columns)
    for i in rolls:
        for t in tangents(here.n[i]):
            force = np.zeros((len(own), 3))
            force[own.index(i)] = t
            columns.append(force.ravel())
    if not columns:
        return np.zeros((0, 0))
    B = np.array(columns).T
    decision = numerical_rank(B.T @ here.metric(own) @ B)
    return (decision.column_scale[:, None] * decision.right[:, decision.rank :])[normals:]


def _written(here: Here, rolls: Sequence[int], V: np.ndarray) -> list[Row]:
    """Vectors of friction along tangents, in columns, as rows in inertial axes; the same ones for the same span."""
    found = []
    for v in _reduced(V.T):
        vectors = [v[2 * a : 2 * a + 2] @ tangents(here.n[j]) for a, j in enumerate(rolls)]
        parts = [(j, tuple((x.round(DIGITS) + 0.0).tolist())) for j, x in zip(rolls, vectors, strict=True)]
        found.append(tuple((j, x) for j, x in parts if any(x)))
    return found


def _reduced(rows: np.ndarray) -> np.ndarray:
    """The reduced form of independent rows, by the largest pivots."""
    rows, done = rows.copy(), []
    for i in range(len(rows)):
        left = np.abs(rows[i:])
        k, c = np.unravel_index(int(np.argmax(left)), left.shape)
        rows[[i, i + k]] = rows[[i + k, i]]
        rows[i] /= rows[i, c]
        for other in range(len(rows)):
            if other != i:
                rows[other] -= rows[other, c] * rows[i]
        done.append(c)
    return rows[np.argsort(done)]
