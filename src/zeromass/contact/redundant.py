"""Contacts whose normal forces do not follow from the motion: there are more of them than ways to push a body.

With the metric G of normal forces alone, G_ij = n_i·D n_j, forces u along the normals with G u = 0 push a body nowhere.
Normal forces with the same resultant differ by such u, and of all of them those of the least sum of squares, Σ N², are
taken: N ⊥ u, which is N = G x with some x. Where a row of G follows from others, so does the normal force:

    G_r = Σ c_ri G_i,   N_r = Σ c_ri N_i

The c are numbers of the normals and places alone; neither units nor the formula of a surface are in them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from zeromass.equation import independent_rows, numerical_rank

DIGITS = 12
"""Decimal digits of the parts in which contacts share: what is beyond is rounding."""

Shares = tuple[tuple[int, tuple[tuple[int, float], ...]], ...]
"""Contacts whose normal forces follow from those of others: (r, ((i, c), …)) where N_r = Σ c N_i."""


class RedundantContacts(UserWarning):
    """Normal forces of some contacts are not determined by the motion; those of the least sum of squares, Σ N², are shown.

    A ball in a trough of three planes, all of which touch it:

    >>> import warnings
    >>> c = 0.1 * (1 - np.sqrt(2))
    >>> trough = {"floor": zm.surfaces.plane(), "left": zm.Surface(lambda X, Y, Z: Z + Y - c),
    ...           "right": zm.Surface(lambda X, Y, Z: Z - Y - c)}
    >>> ball = zm.Contacts(zm.ball(0.1, 0.5), on=trough, gravity=10.0, friction=0.0)
    >>> start = ball.start(center=(0.0, 0.0, 0.1))
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     run = zm.simulate(ball, start, until=0.1)
    >>> said[0].category.__name__
    'RedundantContacts'
    >>> [round(float(run[pair.normal_force][-1]), 6) for pair in ball.pairs]  # 5 N in all, upwards
    [2.5, 1.767767, 1.767767]
    """


def normal_metric(D: np.ndarray, n: np.ndarray) -> np.ndarray:
    """G, (k, k), from D, (3 k, 3 k), and normals, (k, 3)."""
    k = len(n)
    return np.einsum("ia,iajb,jb->ij", n, D.reshape(k, 3, k, 3), n)


def pushing_nowhere(G: np.ndarray) -> np.ndarray:
    """Normal forces u with G u = 0, (k, …), in columns."""
    decision = numerical_rank(G)
    return decision.column_scale[:, None] * decision.right[:, decision.rank :]


def shares(which: Sequence[int], names: Sequence[str], D: np.ndarray, n: np.ndarray) -> Shares:
    """How contacts, by numbers, share their normal forces where these are not determined, with a warning; else nothing.

    D, n  their metric, (3 k, 3 k), and normals, (k, 3)
    """
    if len(n) < 2:
        return ()
    rows = independent_rows(normal_metric(D, n))
    if not len(rows.dropped):
        return ()
    warnings.warn(
        f"the normal forces of {', '.join(names)} are not determined by the motion of rigid bodies: of all with the same "
        "resultant those of the least sum of squares are taken; where one of these contacts slips, its friction depends on "
        "that",
        RedundantContacts,
        stacklevel=2,
    )
    return tuple(
        (which[r], tuple((which[i], c) for i, c in zip(rows.kept, row, strict=True) if c))
        for r, row in zip(rows.dropped, rows.coefficients.round(DIGITS).tolist(), strict=True)
    )
