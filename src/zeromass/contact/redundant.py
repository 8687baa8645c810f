"""Contacts whose normal forces do not follow from the motion: there are more of them than ways to push a body.

With the metric G of normal forces alone, G_ij = n_i·D n_j, forces u along the normals with G u = 0 push a body nowhere.
Normal forces with the same resultant differ by such u; `integrate.hybrid.contact_sharing` chooses among them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence


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


def warn_of_redundancy(names: Sequence[str], rubbed: bool = True) -> None:
    """Warns of contacts by their names, if there are any; rubbed: whether one of them has friction."""
    if names:
        said = "; where one of these contacts slips, its friction depends on that" if rubbed else ""
        warnings.warn(
            f"the normal forces of {', '.join(names)} are not determined by the motion of rigid bodies: of all with the "
            f"same resultant those of the least sum of squares are taken{said}",
            RedundantContacts,
            stacklevel=2,
        )
