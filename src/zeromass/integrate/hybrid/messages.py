"""Why modes are not selected at a state: codes of the kernel `select_modes`, and the words for each of them."""

from __future__ import annotations

from enum import IntEnum

from zeromass.model.pieces import UNKNOWN_FORCE


class Selection(IntEnum):
    """Whether the modes are selected, or why not."""

    DECIDED = 0
    SEVERAL = 1
    SEVERAL_SLIDE = 2
    NO_MOTION = 3
    NOT_ADDITIVE = 4
    MANY_NOT_ADDITIVE = 5
    TOO_MANY = 6
    PULLS_AND_PUSHES = 7
    NO_SIGN = 8
    SEVERAL_SIGNS = 9
    ENDLESS = 10
    ERROR = 11  # in a function that Python evaluates
    CONTACT = 12  # contacts do not tell what follows


WORDS: dict[Selection, str] = {
    Selection.SEVERAL: "several motions go on from a switch, to either side of {which}; begin on the one that is meant",
    Selection.SEVERAL_SLIDE: "several motions slide along {which}",
    Selection.NO_MOTION: "no motion goes on to either side of, or along, {which}",
    Selection.NOT_ADDITIVE: "what holds the motion on {which} is not the sum of its parts",
    Selection.MANY_NOT_ADDITIVE: (
        "{count} formulas switch at once, and what they do is not the sum of their parts: {which}"
    ),
    Selection.TOO_MANY: "{count} formulas switch at once and depend on one another: {which}",
    Selection.PULLS_AND_PUSHES: "the constraint would pull on one side of {which} and push on the other",
    Selection.NO_SIGN: f"no sign is right {UNKNOWN_FORCE}",
    Selection.SEVERAL_SIGNS: "{number} signs are right " + UNKNOWN_FORCE,
    Selection.ENDLESS: "the sides of {which} depend on one another, and none agree with all others",
}
"""which: formulas that switch; count: how many; number: signs that are right."""


class ContactEnd(IntEnum):
    """Why the contacts of a state do not tell what follows."""

    DECIDED = 0
    NO_MOTION = 1
    UNDECIDED = 2
    INSIDE = 3  # a motion begins inside
    NO_IMPULSE = 4
    REPEATS = 5
    RESTITUTION = 6  # is no number from 0 to 1 where a contact is struck
    FRICTION = 7  # is negative there
    NEGATIVE = 8  # is the friction of a contact that touches
    ROUGH = 9  # no motion goes on at a contact that never slips
    BACKWARD = 10  # a gap closes backward in time
    NO_ROOM = 11  # there is no memory for all contacts of shapes: more is asked for


CONTACT_WORDS: dict[ContactEnd, str] = {
    ContactEnd.NO_MOTION: "no motion goes on at contact {which}: what friction does there is more than what the force does "
    "itself, as in Painlevé's rod; give the contact less friction, or some compliance",
    ContactEnd.ROUGH: "no motion goes on at contact {which}: it would have to pull, and it can not leave either: the "
    "friction that keeps it from slipping, endless as it is, lifts it, and without that it goes into what it touches; give "
    "friction=μ, with which it slips before",
    ContactEnd.UNDECIDED: "the modes of the contacts near {which} are not found",
    ContactEnd.NO_IMPULSE: "the impulses of an impact near {which} are not found",
    ContactEnd.INSIDE: "the bodies of {which} overlap",
    ContactEnd.BACKWARD: "back in time contact {which} closes: many motions lead to what an impact leaves",
    ContactEnd.REPEATS: "impacts at {which} follow one another at the same moment without end",
}
"""which: a contact."""

IMPOSSIBLE: dict[ContactEnd, str] = {
    ContactEnd.RESTITUTION: "restitution of {which} is {value:g} at t = {t:.9g} s, where it is struck; it lies between "
    "0 and 1",
    ContactEnd.FRICTION: "friction of {which} is {value:g} at t = {t:.9g} s, where it is struck; a coefficient is positive, "
    "or zero",
    ContactEnd.NEGATIVE: "at t = {t:.9g} s {said}",
}
"""which: a contact; value: of its coefficient, at a time t; said: what is wrong with its formula."""

NEGATIVE = " falls below zero; a coefficient is positive, or zero"


def words(why: Selection, which: str, count: int = 1, number: int = 0) -> str:
    """Why no modes are selected."""
    return WORDS[why].format(which=which, count=count, number=number)
