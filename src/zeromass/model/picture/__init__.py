"""What a system looks like that says nothing special of itself: found in its parts, loads, constraints and energies.

parts        ─► bodies, by their shape
loads        ─► springs, dampers, by what they say of themselves (`looks`)
constraints  ─► rods where a distance is kept, joints where points coincide, surfaces, rails, contact of bodies
energies     ─► points whose rates are squared, springs; for systems in coordinates of their own
"""

from zeromass.model.picture.whole import picture

__all__ = ["picture"]
