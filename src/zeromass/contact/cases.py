"""The cases of several contacts: which rows hold while each is open, rolling or slipping, and where a case ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.flying import axes_of
from zeromass.contact.gripping import NONE, Grips, Row
from zeromass.contact.limits import impossible
from zeromass.contact.pair import BEGINS, LANDS, LOST, PARTED, SLIPS, STOPS, Pair
from zeromass.contact.redundant import Shares
from zeromass.contact.shaped import ImplicitBody
from zeromass.contact.watched import BORDER, FLAT, TIGHT, UPRIGHT, flat_words
from zeromass.expression import Expression, as_expression, expressions, multiplier, rate
from zeromass.expression.build import ZERO
from zeromass.model import Event
from zeromass.model.constraint import rows_of
from zeromass.model.given import length

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts, Modes

ALIKE = ("solids", "bodies", "centers", "pairs", "gravity", "creep", "slow", "applied", "least_clearance", "strokes")
"""What all cases have in common, beside their equations."""

STOPPED = 10.0
"""Creeps below which a slip has died out, as of one contact."""

BEGUN, FASTER = 20.0, 100.0
"""Creeps above which a slip has begun, of several that may have, and the part of it below which another has not."""

FOLLOWS = 1e-12
"""Gap, as a part of sizes, beyond which a contact is not closed because others are."""

HELD = 1e-9
"""Part of speeds that a slip is at most which follows from those of other contacts."""

NEGLIGIBLE = 1e-12
"""Part of m v²/r that forces of a contact without weight are at least: below, they are rounding."""


def constraints_of(contacts: Contacts) -> dict[str, Any]:
    """What holds in every case: the centres in their bodies, contacts on their surfaces, gaps and slips."""
    found: dict[str, Any] = {}
    for solid, body, O in zip(contacts.solids, contacts.bodies, contacts.centers, strict=True):
        words = "mass center" if len(contacts.solids) == 1 else f"{solid.name} mass center"
        found[words] = O.position + body.rotate(solid.center_of_mass) - body.position
    for pair in contacts.pairs:
        found |= pair.constraints
    return found


def case(
    whole: Contacts, modes: Modes, axes: Sequence[int] | None = None, shares: Shares = (), grips: Grips = NONE
) -> Contacts:
    """The system in which each contact is open, rolling or slipping; always the same one.

    axes    one of the three for each contact, far from its normal: rows of a contact that rolls are across it
    shares  contacts whose normal forces follow from those of others, see `redundant`
    grips   rows of contacts whose friction is not determined, see `gripping`
    """
    known: dict[Any, Contacts] = whole.memory.setdefault("cases", {("open",) * len(whole.pairs): whole})
    across = None
    if "rolling" in modes and axes is not None:
        across = tuple(axis if mode == "rolling" else 0 for axis, mode in zip(axes, modes, strict=True))
    key: Any = modes if across is None else (modes, across)
    key = (key, shares) if shares else key
    key = (key, grips) if grips.rows else key
    if key not in known:
        known[key] = _made(whole, modes, across, shares, grips)
    return known[key]


def _made(whole: Contacts, modes: Modes, axes: Sequence[int] | None, shares: Shares, grips: Grips) -> Contacts:
    """A case, from the equations of the open one.

    A closed gap is a row, and so is a slip that is none; friction acts on the slip, −μ N ṡ/√(ṡ² + c²), and N is what acts on
    the gap.
    """
    added, forces = _closing(whole, modes, shares)
    C = expressions(np.zeros(len(whole.coordinates)))
    pushes: dict[str, Expression] = {}
    for pair, mode in zip(whole.pairs, modes, strict=True):
        if mode == "slipping":
            N, parts = forces[pair.name]
            pushes |= parts
            ṡ = rate(pair.slip)
            μ: Any = pair.friction
            for x, f in zip(pair.slip, -μ * N / np.sqrt(ṡ @ ṡ + whole.creep**2) * ṡ, strict=True):
                C[whole.index(x)] = C[whole.index(x)] + f
    gripped = grips.contacts
    for body in whole.bodies:
        own_pairs = [j for j, p in enumerate(whole.pairs) if p.body is body and p.other is None]
        rolls = [j for j in own_pairs if modes[j] == "rolling" and j not in gripped]
        dropped = {r for r, _ in shares}
        held = [whole.pairs[j] for j in own_pairs if modes[j] != "open" and j not in dropped]
        own = None if axes is None else [axes[j] for j in rolls]
        added |= _rolling([whole.pairs[j] for j in rolls], own, held)
    for j, pair in enumerate(whole.pairs):  # what two bodies do to one another moves both
        if modes[j] == "rolling" and pair.other is not None and j not in gripped:
            added |= _rolling([pair], None if axes is None else [axes[j]], [pair])
    for k, row in enumerate(grips.rows):
        names = ", ".join(whole.pairs[j].name for j, _ in row)
        added[f"{names} rolling {k + 1}"] = _slipped(whole, row)
    rows = rows_of(added)
    known = {row.name: λ for row, λ in zip(whole.rows, whole.multipliers, strict=True)} | pushes
    every = [*whole.rows, *rows]
    new = object.__new__(type(whole))
    for name in ALIKE:
        setattr(new, name, getattr(whole, name))
    new.joints, new.whole, new.modes, new.shares, new.grips = (), whole, modes, shares, grips
    multipliers = [known[row.name] if row.name in known else multiplier(f"λ {row.name}") for row in every]
    new._complete(whole._free, every, C, np.array(multipliers, dtype=object))
    new._know(*whole.parameters)
    new.parameters = whole.parameters
    new.events, new.kind = events_of(new), kind_of(new)
    return new


def _closing(
    whole: Contacts, modes: Modes, shares: Shares
) -> tuple[dict[str, Any], dict[str, tuple[Expression, dict[str, Expression]]]]:
    """Rows of gaps that are closed, and by contacts the normal force with the multipliers in it, by the names of their rows.

    A contact whose force follows from others, N_r = Σ c N_i, has no row; its gap is in theirs, g_i + Σ c g_r, and is closed
    where the others are.

    An implicit body has the row n·ṡ = 0 too. It follows from the closed gap, and has no acceleration of the contact in it,
    which tends to infinity near a flat point.
    """
    rows: dict[str, Any] = {}
    forces: dict[str, tuple[Expression, dict[str, Expression]]] = {}
    leaning = [as_expression(pair.up @ pair.normal) for pair in whole.pairs]  # what acts on a gap is N up·n
    sharing = {i for _, parts in shares for i, _ in parts}
    own: dict[int, Expression] = {}
    for j, (pair, mode) in enumerate(zip(whole.pairs, modes, strict=True)):
        if mode == "open" or any(j == r for r, _ in shares):
            continue
        name = f"{pair.name} closed"
        own[j] = multiplier(f"λ {name}")
        rows[name] = pair.gap * leaning[j] if j in sharing else pair.gap
        forces[pair.name] = (own[j] if j in sharing else own[j] / leaning[j]), {name: own[j]}
        if isinstance(pair.solid, ImplicitBody) and j not in sharing:
            N, parts = forces[pair.name]
            name = f"{pair.name} normal velocity"
            pushed = multiplier(f"λ {name}")
            rows[name] = as_expression(pair.normal @ rate(pair.slip))
            forces[pair.name] = N + pushed, {**parts, name: pushed}
    for r, parts in shares:
        N: Any = ZERO
        for i, c in parts:
            rows[f"{whole.pairs[i].name} closed"] += c * leaning[r] * whole.pairs[r].gap
            N = N + c * own[i]
        forces[whole.pairs[r].name] = N, {f"{whole.pairs[i].name} closed": own[i] for i, _ in parts}
    return rows, forces


def _rolling(pairs: list[Pair], axes: Sequence[int] | None, held: list[Pair]) -> dict[str, Any]:
    """Rows of contacts of one body that roll; held by contacts whose normals are independent.

    Two of them move alike along the line d between them, whatever the body does: there they have one row together, so that
    friction along the line is shared, with the least sum of squares. A sphere with three of them can not turn, and friction
    of the least sum of squares is that of a moment, Σ n × ṡ = 0; with all normals in a plane also that of a force across it,
    Σ d·ṡ = 0.
    """
    if len(pairs) == 1 and axes is not None:  # the normal part of ṡ is zero already
        (pair,) = pairs
        upright = axes_of(pair.surface)
        if upright is not None:
            return {f"{pair.name} rolling": expressions(upright[:, :2].T @ rate(pair.slip))}
        one = np.cross(pair.normal, expressions(np.eye(3)[axes[0]]))
        rows = [one @ rate(pair.slip), np.cross(pair.normal, one) @ rate(pair.slip)]
        return {f"{pair.name} rolling": expressions(rows)}
    if len(pairs) >= 3 and len(held) >= 2 and isinstance(pairs[0].solid, SphericalBody):
        names = ", ".join(pair.name for pair in pairs)
        moments: Any = sum((np.cross(pair.normal, rate(pair.slip)) for pair in pairs), expressions(np.zeros(3)))
        if len(held) > 2:
            return {f"{names} rolling": moments}
        d = np.cross(held[0].normal, held[1].normal)
        forces: Any = sum((d @ rate(pair.slip) for pair in pairs), ZERO)
        return {f"{names} rolling": expressions([*moments, forces])}
    if len(pairs) != 2 or _opposite(*pairs):
        return {f"{pair.name} rolling": rate(pair.slip) for pair in pairs}
    one, two = pairs
    d = one.point - two.point
    found: dict[str, Any] = {}
    shared: Any = ZERO
    for pair in pairs:
        across = np.cross(pair.normal, d)
        found[f"{pair.name} rolling"] = as_expression(across @ rate(pair.slip))
        shared = shared + (d @ rate(pair.slip)) / (across @ across)
    return {**found, f"{one.name} and {two.name} rolling": as_expression(shared)}


def _slipped(whole: Contacts, row: Row) -> Expression:
    """Σ v·ṡ of some contacts, m/s."""
    found: Any = ZERO
    for j, v in row:
        found = found + expressions(np.array(v)) @ rate(whole.pairs[j].slip)
    return as_expression(found)


def _opposite(one: Pair, two: Pair) -> bool:
    """Whether two surfaces face one another, so that the line between the contacts is along their normals."""
    return all(as_expression(a + b) is ZERO for a, b in zip(one.normal, two.normal, strict=True))


def kind_of(contacts: Contacts) -> str:
    """What the motion is called: what each contact is."""
    return ", ".join(f"{pair.name} {mode}" for pair, mode in zip(contacts.pairs, contacts.modes, strict=True))


def events_of(contacts: Contacts) -> tuple[Event, ...]:
    """Where a case ends: where contacts land, are lost, would slip, or slip no more; and what ends a motion."""
    found: list[Event] = []
    slipping = [pair for pair, mode in zip(contacts.pairs, contacts.modes, strict=True) if mode == "slipping"]
    for pair, mode in zip(contacts.pairs, contacts.modes, strict=True):
        if mode == "open":
            words = f"'{pair.solid.name}' strikes '{pair.surface.name}'"
            found.append(Event(pair.says(LANDS), pair.gap, direction=-1, message=words))
        else:
            found += _closed(contacts, pair)
        if pair.other is None and isinstance(pair.solid, ImplicitBody):
            found.append(_flat(contacts, pair))
        if mode == "rolling" and pair.friction is not None:
            words = f"rolling on '{pair.surface.name}' needs more friction than there is"
            lack = pair.lack_of_friction - negligible(contacts, pair)
            found.append(Event(pair.says(SLIPS), lack, direction=1, guard=True, message=words))
        if mode == "slipping":
            ṡ, c = rate(pair.slip), contacts.creep
            speed = as_expression(ṡ @ ṡ)
            words = f"'{pair.solid.name}' rolls on '{pair.surface.name}' from here on"
            found.append(Event(pair.says(STOPS), speed - (STOPPED * c) ** 2, direction=-1, message=words))
            for other in slipping:
                if other is not pair and other.meets(pair):
                    ahead = speed - FASTER**2 * as_expression(rate(other.slip) @ rate(other.slip)) - (BEGUN * c) ** 2
                    found.append(Event(pair.says(f"{BEGINS} before {other.name}"), ahead, direction=1))
        found += _known(pair)
    for r, _ in contacts.shares:
        pair = contacts.pairs[r]
        words = f"'{pair.surface.name}' is not touched any more wherever the others are"
        apart = (FOLLOWS * pair.solid.size) ** 2 - pair.gap**2
        found.append(Event(pair.says(PARTED), as_expression(apart), direction=-1, message=words))
    for row in contacts.grips.follows:
        pair = contacts.pairs[row[0][0]]
        words = f"'{pair.solid.name}' does not keep from slipping on '{pair.surface.name}' any more because others do"
        still = _still(contacts) - _slipped(contacts, row) ** 2
        found.append(Event(pair.says(PARTED), as_expression(still), direction=-1, message=words))
    return tuple(found)


def _still(contacts: Contacts) -> Expression:
    """Square of a slip, m²/s², that is none: a part of the speeds of the bodies, and of their sizes in a second."""
    found: Any = ZERO
    for solid, body in zip(contacts.solids, contacts.bodies, strict=True):
        r, v, ω = solid.size, body.velocity, body.angular_velocity_body
        found = found + HELD**2 * (v @ v + r**2 * (ω @ ω)) + (FOLLOWS * r) ** 2
    return as_expression(found)


def _closed(contacts: Contacts, pair: Pair) -> list[Event]:
    """Of a contact that touches: where it is no longer pressed, and where one point does not tell."""
    words = f"'{pair.surface.name}' would have to pull '{pair.solid.name}'"
    push = pair.normal_force + negligible(contacts, pair)
    found = [Event(pair.says(LOST), push, direction=-1, guard=True, message=words)]
    found += impossible(f"friction of '{pair.name}'", pair.friction)
    if pair.other is not None:  # bodies are convex: they have no hollows
        return found
    room = pair.clearance - contacts.least_clearance
    if not isinstance(pair.solid, ImplicitBody) and isinstance(room, Expression) and room.value is None:
        words = f"a hollow of '{pair.surface.name}' is as tight as '{pair.solid.name}' is round"
        found.append(Event(pair.says(TIGHT), room, direction=-1, guard=True, message=words))
    return found


def _flat(contacts: Contacts, pair: Pair) -> Event:
    """Where the nearest point of an implicit body to a surface has no finite speed: the run passes through."""
    room, plane = pair.clearance - contacts.least_clearance, contacts.whole.outside_of(pair).flat
    name, words = TIGHT, f"a hollow of '{pair.surface.name}' is as tight as '{pair.solid.name}' is round"
    if plane:
        name, words = FLAT, flat_words(pair.solid.name, pair.surface.name)
    return Event(pair.says(name), room, direction=-1, guard=True, message=words, margin=pair.clearance)


def _known(pair: Pair) -> list[Event]:
    """Where nothing is known of the surface, or of the contact: beyond its data, and flat on a face."""
    found = []
    upright = pair.solid.upright(pair.body, pair.normal)
    if upright is not None:
        words = (
            f"a face of '{pair.solid.name}' is along '{pair.surface.name}', and no single point of it is the nearest"
        )
        found.append(Event(pair.says(FLAT), upright - UPRIGHT, direction=-1, guard=True, message=words))
    inside = pair.surface.inside(pair.point)
    if inside is not None:
        words = f"nothing is known of '{pair.surface.name}' beyond the data it is made from"
        found.append(Event(pair.says(BORDER), inside, direction=-1, guard=True, message=words))
    return found


def negligible(contacts: Contacts, pair: Pair) -> Expression:
    """Force, N, that is rounding: 1e-12 m (g + (v² + r²ω²)/r). Bodies touch walls, and one another, without any."""
    g = ZERO if contacts.gravity is None else length(expressions(contacts.gravity).ravel())
    found: Any = ZERO
    for body, _ in pair.sides:
        solid = contacts.solids[contacts.bodies.index(body)]
        r, v, ω = solid.size, body.velocity, body.angular_velocity_body
        found = found + NEGLIGIBLE * solid.mass * (g + (v @ v + r**2 * (ω @ ω)) / r)
    return as_expression(found)
