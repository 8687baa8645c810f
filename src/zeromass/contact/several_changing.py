"""Bodies on several surfaces, for a driver outside Python: the cases of their contacts, and what decides between them.

What `zeromass.contact.following` asks of a state in numbers, a driver asks of functions that are compiled.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.contact.complementarity import Mode
from zeromass.contact.edges import lies_words, only_own_edges
from zeromass.contact.following import case_of, onto
from zeromass.contact.pair import BEGINS, LANDS, LOST, PARTED, RESTED, SLIPS, STOPS, Pair
from zeromass.contact.redundant import RedundantContacts
from zeromass.contact.strokes import AT_ONCE
from zeromass.contact.watched import BORDER, FLAT, TIGHT
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, as_expression, expressions, jacobian, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.pieces import Switch
from zeromass.model import State, System
from zeromass.model.changing import Changing
from zeromass.model.quaternion import inertial_rates

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts

CASES = 27
"""Cases at most all of which have a program; of more contacts, those that motions come to."""

NEAR = 1e-9
"""Part of places and speeds by which a state that was brought onto a case may miss its constraints."""


def changing(contacts: Contacts) -> Changing | None:
    """The cases of several contacts that a driver outside Python goes through; None where formulas of them
    switch that are not those of the bodies' own ends."""
    whole = contacts.whole
    if not only_own_edges([whole], [pair.surface for pair in whole.pairs]):
        return None
    return _known(whole, {whole: None})


def _known(whole: Contacts, cases: dict[Contacts, State | None], count: int | None = None) -> Changing:
    """The cases of some systems, each with a state of it, if one is known.

    count  how many there are, where others are left out
    """
    named: dict[str, Contacts] = {}
    for case in cases:
        named.setdefault(name_of(case), case)
    said = tuple(pair.says(what) for pair in whole.pairs for what in _happens(whole, pair))
    return Changing(
        cast("dict[str, System]", named),
        {name: {**_judged(case), **(_everywhere(case) if case is whole else {})} for name, case in named.items()},
        partial(_carried, cases),
        (),
        (),
        said,
        driver="contacts",
        first=whole,
        named=cast(Any, name_of),
        more=_told(whole, named),
        further=partial(_further, whole),
        ends=cast(Any, _lies),
        limits=""
        if count is None
        else f"contacts have {count} cases, and the page knows those that the motions come to "
        f"which it was made from; it says where it needs another",
    )


def _lies(case: Contacts, switch: Switch) -> tuple[bool, str]:
    """Whether a body does not touch the surface that another end of it comes nearest to, and what is said if it does."""
    assert case.pieces is not None
    turned = []
    for pair, mode in zip(case.pairs, case.modes, strict=True):
        zeros = [e for zero in pair.constraints.values() for e in expressions(zero).ravel()]
        if switch.mode in symbols(case.pieces.smooth(zeros)):
            turned.append((pair, mode))
    return all(mode == "open" for _, mode in turned), lies_words(turned[0][0].solid.name)


def _happens(whole: Contacts, pair: Pair) -> list[str]:
    """What may happen at a contact in any of the cases."""
    faster = [f"{BEGINS} before {other.name}" for other in whole.pairs]
    return [LOST, PARTED, SLIPS, STOPS, LANDS, RESTED, TIGHT, BORDER, FLAT, *faster]


def name_of(case: Contacts) -> str:
    """What a case is called: by what each contact is, and by how normal forces are shared, where they are."""
    return f"{case.kind}; {case.shares!r}" if case.shares else case.kind


def _further(whole: Contacts, states: Sequence[State]) -> Changing:
    """The cases that some states are of, and all others of few contacts."""
    found: dict[Contacts, State | None] = {whole: None}
    for state in states:
        if isinstance(state.system, type(whole)) and not state.system.grips.rows:
            found.setdefault(state.system, state)
    choices = [
        ("open", "rolling") if pair.friction is None else ("open", "rolling", "slipping") for pair in whole.pairs
    ]
    if (count := prod(len(some) for some in choices)) <= CASES:
        known = {case.modes for case in found}
        for modes in product(*choices):
            if modes not in known:
                _add(whole, found, cast("tuple[Mode, ...]", modes), states[0])
    return _known(whole, found, count if count > CASES else None)


def _add(whole: Contacts, found: dict[Contacts, State | None], modes: tuple[Mode, ...], start: State) -> None:
    """Adds the case with some modes, at a state near a start; none where there is no such state."""
    with warnings.catch_warnings(action="ignore", category=RedundantContacts), np.errstate(all="ignore"):
        try:
            state = onto(start, case_of(whole, start, modes))
            case = case_of(whole, state, modes)  # with the normals and places of the contacts where they touch
            state = onto(state, case)
            left = max(map(abs, state.residuals.values()), default=0.0)
        except (ZeromassError, np.linalg.LinAlgError):
            return
    if not case.grips.rows and left <= NEAR * (1.0 + float(np.abs([*state.q, *state.v]).max())):
        found[case] = state


def _carried(cases: dict[Contacts, State | None], state: State, system: System) -> State:
    """A state of a case: the one that is known of it, or one near to that which is given."""
    case = cast("Contacts", system)
    known = cases.get(case)
    if known is not None or state.system is case:
        return known or state
    if case.whole is case:  # what holds in a case holds where all is open
        return State(case, state.t, state.q, state.v, {p: state.parameters[p] for p in case.parameters})
    return onto(state, case)


def _judged(case: Contacts) -> dict[str, list[Expression]]:
    """What decides where a case ends: the forces of its contacts, and whether a slip is slow."""
    open_ = [mode == "open" for mode in case.modes]
    found = {
        "N": [ZERO if gone else pair.normal_force for pair, gone in zip(case.pairs, open_, strict=True)],
        "lack": [
            ZERO if gone or pair.friction is None else pair.lack_of_friction
            for pair, gone in zip(case.pairs, open_, strict=True)
        ],
    }
    return found if case.stiff is None else {**found, "stiff": [case.stiff]}


def _everywhere(whole: Contacts) -> dict[str, list[Expression]]:
    """What decides between cases at any state: contacts in numbers, see `following.Here`, and their drift.

    zeros, slopes  constraints of positions, and their derivatives by the coordinates
    """
    q, pairs = whole.coordinates, whole.pairs
    zeros = [zero for _, zero in whole.zeros(0)]
    found: dict[str, list[Any]] = {name: [] for name in ("n", "w", "point", "drift", "mu", "e")}
    for pair in pairs:
        turned = expressions(rate(pair.slip_velocity))
        found["n"] += [*pair.normal]
        found["w"] += [*pair.slip_velocity]
        found["point"] += [*pair.point]
        found["drift"] += [*(turned - (pair.normal @ turned) * pair.normal + rate(pair.approach) * pair.normal)]
        found["mu"].append(ZERO if pair.friction is None else pair.friction)
        found["e"].append(pair.restitution)
    bodies = [(body, body.rotation) for body in whole.bodies]
    found["center"] = [x for body, _ in bodies for x in body.position]
    found["J"] = [x for body, S in bodies for x in (S @ body.inertia @ S.T).ravel()]
    found["m"] = [body.mass for body, _ in bodies]
    found["G"] = [x for body, _ in bodies for x in inertial_rates(body.quaternion).ravel()]
    found["sizes"] = [solid.size for solid in whole.solids]
    found["creep"] = [whole.creep]
    found["zeros"], found["slopes"] = zeros, list(jacobian(zeros, q).ravel())
    return {name: [as_expression(e) for e in some] for name, some in found.items()}


def _told(whole: Contacts, named: dict[str, Contacts]) -> dict[str, Any]:
    """Where in a state things stand, and what the cases are."""
    return {
        "pairs": [
            {
                "name": pair.name,
                "sides": [[whole.bodies.index(body), sign] for body, sign in pair.sides],
                "gap": whole.index(pair.gap),
                "slip": [whole.index(x) for x in pair.slip],
                "limited": pair.friction is not None,
            }
            for pair in whole.pairs
        ],
        "bodies": [
            {"place": [whole.index(x) for x in body.position], "turn": [whole.index(x) for x in body.quaternion]}
            for body in whole.bodies
        ],
        "atOnce": whole.strokes == AT_ONCE,
        "cases": {
            name: {"kind": case.kind, "modes": list(case.modes), "shares": [[r, list(p)] for r, p in case.shares]}
            for name, case in named.items()
        },
    }
