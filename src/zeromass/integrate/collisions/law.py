"""The law of a contact in numbers, and the bounds that its modes are watched with."""

from __future__ import annotations

LAW = 8
"""Numbers of each contact: μ up to which it sticks, and where it slips, e, the length and the speed that rounding is a part
of, the force that bounds the friction, negative where a contact does, the height of the least bounce, and a force that is
rounding."""

HOLD, KINETIC, RESTITUTION, SIZE, SPEED, BOUND, BOUNCE, ROUNDED = range(LAW)

SLOW = 1e-7
"""Part of √(g r) below which a slip is about to end: where it does follows from its deceleration."""

STIFF = 1e-2
"""Part of √(g r) below which the direction of a slip is stiff: it returns to that of the motion at a rate of μ g/|w|."""

HELD = 1e-13
"""Part of the largest friction by which rounding may ask for more."""

LEAST = 1e-10
"""Part of √(g r) by which a slip that begins may return beyond zero by errors of steps."""

STEEP = 0.2
"""Square of the sine of the angle between the normal and the axis of its tangents, below which another axis is chosen."""
