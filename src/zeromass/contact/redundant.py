"""Contacts whose normal forces do not follow from the motion: there are more of them than ways to push a body."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from zeromass.equation import numerical_rank


class RedundantContacts(UserWarning):
    """Normal forces of some contacts are not determined by the motion; those of the smallest multipliers are shown.

    A ball in a trough of three planes, all of which touch it:

    >>> import warnings
    >>> c = 0.1 * (1 - np.sqrt(2))
    >>> trough = {"floor": zm.surfaces.plane(), "left": zm.Surface(lambda X, Y, Z: Z + Y - c),
    ...           "right": zm.Surface(lambda X, Y, Z: Z - Y - c)}
    >>> ball = zm.Contacts(zm.ball(0.1, 0.5), on=trough)
    >>> start = ball.start(center=(0.0, 0.0, 0.1))
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     kind = ball.begins_as(start)
    >>> said[0].category.__name__
    'RedundantContacts'
    """


def said_if_redundant(names: Sequence[str], D: np.ndarray, n: np.ndarray) -> None:
    """Warns where the normal forces of contacts, (k, 3) normals and their metric D, are not determined.

    n_i·D n_j, the metric of the normal forces alone, has a rank below their number.
    """
    if len(n) < 2:
        return
    k = len(n)
    G = np.einsum("ia,iajb,jb->ij", n, D.reshape(k, 3, k, 3), n)
    if numerical_rank(G).rank < k:
        warnings.warn(
            f"the normal forces of {', '.join(names)} are not determined by the motion of rigid bodies: of all that do the "
            "same, those of the smallest multipliers are shown; where one of these contacts slips, leave a surface out",
            RedundantContacts,
            stacklevel=2,
        )
