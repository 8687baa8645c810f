"""Contacts that are found among shapes, as contacts of a motion, in kernels: what touches, and what moves together."""

from __future__ import annotations

from zeromass.integrate.collisions.choice import NO_ROOM, choose_contacts, keep_choice, record_contacts
from zeromass.integrate.collisions.forces import write_columns
from zeromass.integrate.collisions.slots import CollisionTable, coupled
from zeromass.integrate.hybrid.contact_kinematics import fail
from zeromass.integrate.hybrid.contact_table import CLOSES, Contacts
from zeromass.integrate.hybrid.memory import Motion
from zeromass.integrate.hybrid.messages import ContactEnd
from zeromass.integrate.hybrid.switches import Switches
from zeromass.kernel.language import kernel


@kernel
def choose_slots(c: CollisionTable, m: Motion, w: Switches, fresh: int) -> int:
    """m.contacts ← the contacts of shapes that touch at the state: DECIDED, or why there are none."""
    x = m.contacts
    found = choose_contacts(c, w.clock, m.y[: len(m.first)], m.values, x.reached, CLOSES, fresh != 0)
    if found == NO_ROOM:
        return fail(x, int(ContactEnd.NO_ROOM), 0)
    if found >= 0:
        return fail(x, int(ContactEnd.INSIDE), found)
    x.count = c.slots
    for k in range(c.slots):
        rough = c.rough[c.law[k]]
        x.rough[k], x.spatial[k] = rough, 1 - rough
    couple(c, x)
    write_columns(c, x.J_ends, x.J_columns, x.W_ends, x.W_columns)
    return int(ContactEnd.DECIDED)


@kernel
def keep_slots(c: CollisionTable, m: Motion, takes: int) -> None:
    """Notes the contacts as a piece begins, 1, takes back what was chosen since, 0, or writes them into the record, 2."""
    x = m.contacts
    if takes == 2:
        record_contacts(c, m.values, x.impulse, m.pieces, x.gained)
        x.gained = 0.0
        x.left = min(c.record.shape[0] - c.recorded, c.struck.shape[0] - c.strokes)
    else:
        keep_choice(c, takes)
    x.count = c.slots


@kernel
def couple(c: CollisionTable, x: Contacts) -> None:
    """x.pairs ← of each contact those whose forces move it, itself among them."""
    filled = 0
    for i in range(c.slots):
        x.first_pair[i] = filled
        for j in range(c.slots):
            if i == j or coupled(c, i, j):
                x.pairs[filled] = j
                filled += 1
    x.first_pair[c.slots] = filled
