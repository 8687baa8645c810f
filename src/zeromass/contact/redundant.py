"""Contacts whose normal forces do not follow from the motion: there are more of them than ways to push a body.

With the metric G of normal forces alone, G_ij = n_i·D n_j, forces u along the normals with G u = 0 push a body nowhere.
Normal forces with the same resultant differ by such u; `integrate.hybrid.contact_sharing` chooses among them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from zeromass.errors import RedundantContacts


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
