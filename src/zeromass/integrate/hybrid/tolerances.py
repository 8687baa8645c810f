"""Numbers by which modes are selected: what counts as zero, and how far is looked."""

from __future__ import annotations

from zeromass.model.state import ROUNDING

NEAR = 8 * ROUNDING
"""Part of its magnitude below which a switching function counts as zero."""

NEAR_ENOUGH = 1e-6
"""Part of the largest coordinate or rate, or of 1, above which a switching function of a large system is not zero."""

LOCATED = 4e-14
"""How well a switch is located, in time relative to 1 and to the time itself, twice."""

SMALL = 1e-9
"""Part of its terms below which a derivative counts as zero."""

ORDERS = 4
"""Derivatives of a switching function that are looked at."""

SOON = 1e-5
"""Time, relative to 1 and to the time itself, in which the rate of a switching function changes by what its slope tells."""

CURVED = 0.1
"""Part of its change within a moment by which ġ may differ from a line where that tells of g̈."""

MOST = 5
"""Switches at once of which all combinations of sides are looked at; of more see `zeromass.integrate.hybrid.pivoting`."""

LOST = 1e12
"""Growth of pivots from which on rows that hold a motion depend on one another."""

LEFT = 8e-15
"""How far a motion may have gone beyond what holds it to a switch before it leaves: rounding."""

NESTED = 64
"""Rounds, beside one for each switch, after which modes that depend on one another are not found."""

PATIENCE, ROUNDS = 3, 4
"""Changes of all that contradicts a guess that need not make it less; and guesses for each switch at most."""
