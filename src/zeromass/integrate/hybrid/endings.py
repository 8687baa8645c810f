"""Words for the endings of motions over switches, which Python and pages share; {which} are the formulas that switch."""

from __future__ import annotations

TOUCHES = (
    "the motion touches {which}, as far as its tolerances tell, and may turn back there or go on beyond: both are motions, "
    "and rounding would choose. Start it a little to one side of this, make rtol and atol smaller if it should miss the "
    "place or pass it, or let the formula go over continuously"
)

CHATTERS = (
    "{which} switches faster and faster, {many} times in the last {span} s, {all} times in all; limits=zm.Limits(changes=…) "
    "lets it go on for longer"
)

RETURNS = "{which} switches to and fro at one moment: each time it leads back over the switch"

MASS_JUMPS = (
    "where {which} switches, the mass jumps: the equations do not tell what becomes of the momentum; end the run there and "
    "begin another"
)

ENERGY_JUMPS = (
    "where {which} switches, the potential energy jumps by {step} J: a force without a limit; let it go over continuously, "
    "or end the run before"
)

CONSTRAINT_JUMPS = (
    "where {which} switches, the constraint {rows} jumps: no finite force brings the system there; let it go over "
    "continuously, or end the run before"
)

WORDS: dict[str, str] = {
    "touches": TOUCHES,
    "chatters": CHATTERS,
    "returns": RETURNS,
    "mass": MASS_JUMPS,
    "energy": ENERGY_JUMPS,
    "constraint": CONSTRAINT_JUMPS,
}
"""All of them, by the names that pages know."""
