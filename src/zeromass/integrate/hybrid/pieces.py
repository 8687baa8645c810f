"""What a switch in a formula does to a run: the pieces that it is made of, what switched, and impulses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.errors import ModelError, shown
from zeromass.expression import Expression, Symbol
from zeromass.frozen import frozen
from zeromass.integrate.collisions.slots import SLIPS, STICKS, WIDTH
from zeromass.model import State
from zeromass.model.collisions import Colliders
from zeromass.model.given import given_all, given_numbers
from zeromass.model.pieces import SystemPieces


@frozen()
class Switching:
    """A formula that went over from one piece to the next.

    t           when, s
    expression  the formula that switches, as it was written, such as sign(rate(x)) or (t < 1)
    direction   1 where what it looks at rises through the switch, −1 where it falls; 0 where the motion begins to slide
                along it, as dry friction holds a body at rest

    >>> x = zm.coordinate("x")
    >>> pushed = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: zm.where(zm.t < 1, 2.0, 0.0)})
    >>> run = zm.simulate(pushed, pushed.start({x: 0.0}), until=3.0)
    >>> [(switch.t, switch.expression, switch.direction) for switch in run.switches]
    [(1.0, (t < 1), 1)]
    >>> round(run.state(3.0)[x], 12)
    5.0
    """

    t: float
    expression: Expression
    direction: int


@frozen()
class Impulse:
    """A jump of the rates, where a constraint asks for other ones from one moment to the next.

        M Δq̇ = Aᵀ p,   A (q̇ + Δq̇) = the new rates: the change of least Δq̇ᵀ M Δq̇

    t            when, s
    constraints  the rows of the constraints that took part, by name
    impulses     p of each of these rows, in units of its multiplier times s
    change       Δq̇, in the order of the coordinates
    energy       what it adds to the kinetic energy, J

    A mass that is drawn along at 1 m/s, and from t = 1 s on at −1 m/s:

    >>> x = zm.coordinate("x")
    >>> drawn = zm.System(kinetic=zm.rate(x) ** 2, constraints={"drive": x - 1 + np.abs(zm.t - 1)})
    >>> run = zm.simulate(drawn, drawn.start(), until=2.0)
    >>> (impulse,) = run.impulses
    >>> impulse.t, impulse.constraints, impulse.impulses.round(12), impulse.change.round(12), impulse.energy
    (1.0, ('drive',), array([-4.]), array([-2.]), 0.0)
    """

    t: float
    constraints: tuple[str, ...]
    impulses: np.ndarray
    change: np.ndarray
    energy: float

    def record(self) -> list[Any]:
        """The impulse as plain data, for files."""
        return [self.t, list(self.constraints), self.impulses.tolist(), self.change.tolist(), self.energy]

    @staticmethod
    def from_record(data: Sequence[Any]) -> Impulse:
        """The impulse of its data."""
        if not isinstance(data, list | tuple) or len(data) != 5:
            raise ModelError(f"an impulse is kept as five things, what impulse.record() gives, not as {shown(data)}")
        t, names, p, change, energy = data
        given = tuple(given_all(names, str, "the constraints of an impulse", "a name"))
        p, change = (given_numbers(x, "an impulse", (None,), finite=False) for x in (p, change))
        return Impulse(t, given, p, change, energy)


class Hold(NamedTuple):
    """A switch that holds a motion, as dry friction holds a body at rest: its mode, and those of its two sides."""

    mode: Symbol
    low: float
    high: float


class FoundContacts(NamedTuple):
    """Contacts that were found among shapes on a piece.

    closed    one row for each that is closed, as `CollisionNative` writes it
    impulses  with which the piece begins, (k, 5): both shapes, and the impulse along the normal and both tangents, N s
    energy    what these add to the kinetic energy, J
    """

    closed: np.ndarray
    impulses: np.ndarray
    energy: float

    @property
    def modes(self) -> dict[tuple[int, int], str]:
        """Modes of the pairs of shapes that touch: "slips", "sticks", or "closed" without friction; of several points one
        that slips, or else one that sticks."""
        found: dict[tuple[int, int], str] = {}
        for row in self.closed:
            pair = int(row[0]), int(row[1])
            mode = "slips" if row[7 + SLIPS] else "sticks" if row[7 + STICKS] else "closed"
            both = {mode, found.get(pair, "closed")}
            found[pair] = "slips" if "slips" in both else "sticks" if "sticks" in both else "closed"
        return found

    @classmethod
    def from_record(cls, colliders: Colliders, data: Sequence[Any]) -> FoundContacts:
        """Of plain data, as files have it."""
        closed = np.array(data[0], dtype=float).reshape(-1, WIDTH)
        impulses = np.array(data[1], dtype=float).reshape(-1, 5)
        counts = [(len(p.points), len(p.edges), len(p.planes)) for p in (one.polytope for one in colliders.colliders)]
        v, e, f = np.sum(counts, axis=0)
        most = np.array([(v, v), (v, e), (e, v), (v, f), (f, v), (e, e)])  # of each sort of feature
        shapes, features = np.concatenate([closed[:, :2], impulses[:, :2]]), closed[:, 2]
        bounded = [(shapes, len(counts)), (features, len(most)), (closed[:, 6], len(colliders.laws))]
        good = all(((x >= 0) & (x < end)).all() for x, end in bounded)
        places = closed[:, 3:5]
        if not good or not ((places >= 0) & (places < most[features.astype(int)])).all():  # kernels go by them
            raise ValueError("the data of contacts names shapes, vertices, edges or faces that are none")
        return cls(closed, impulses, float(data[2]))


@frozen()
class Piece:
    """On which pieces of its formulas a segment moves, and how it came there.

    modes      values of the modes and margins of all switches
    holds      switches along which it slides
    switchings what switched where it begins
    impulse    that it begins with
    energy     by how much the formula of the energy jumped there, at the same state, as where a spring is exchanged, J
    contacts   that were found among shapes, and the impulses at these; None of systems whose contacts are formulas
    """

    modes: Mapping[Symbol, float]
    holds: tuple[Hold, ...] = ()
    switchings: tuple[Switching, ...] = ()
    impulse: Impulse | None = None
    energy: float = 0.0
    contacts: FoundContacts | None = None

    def record(self, pieces: SystemPieces) -> dict[str, Any]:
        """The piece as plain data, for files; switches by their place among those of the system."""
        places = {switch.mode: k for k, switch in enumerate(pieces.switches)}
        said = [switch.said for switch in pieces.switches]
        data: dict[str, Any] = {
            "contacts": [[self.modes.get(leaf, 0.0) for leaf in one.hidden] for one in pieces.unilaterals],
            "modes": [[self.modes[switch.mode], self.modes[switch.margin]] for switch in pieces.switches],
            "holds": [[places[hold.mode], hold.low, hold.high] for hold in self.holds],
            "switchings": [[s.t, said.index(s.expression), s.direction] for s in self.switchings],
            "energy": self.energy,
        }
        if self.impulse is not None:
            data["impulse"] = self.impulse.record()
        if self.contacts is not None:
            data["shapes"] = [self.contacts.closed.tolist(), self.contacts.impulses.tolist(), self.contacts.energy]
        return data

    @classmethod
    def from_record(cls, data: Mapping[str, Any], pieces: SystemPieces) -> Piece:
        """The piece of its data."""
        switches = pieces.switches
        modes: dict[Symbol, float] = {}
        for switch, (mode, margin) in zip(switches, data["modes"], strict=True):
            modes[switch.mode], modes[switch.margin] = mode, margin
            if switch.mode in pieces.held:
                held = any(switches[k].mode is switch.mode for k, *_ in data["holds"])
                modes[pieces.held[switch.mode].flag] = float(held)
        for one, values in zip(pieces.unilaterals, data.get("contacts", ()), strict=True):
            modes.update(zip(one.hidden, values, strict=True))
        modes |= {} if pieces.colliders is None else dict.fromkeys(pieces.colliders.hidden, 0.0)
        impulse = Impulse.from_record(data["impulse"]) if "impulse" in data else None
        return cls(
            modes,
            tuple(Hold(switches[k].mode, low, high) for k, low, high in data["holds"]),
            tuple(Switching(t, switches[k].said, direction) for t, k, direction in data["switchings"]),
            impulse,
            data["energy"],
            FoundContacts.from_record(pieces.colliders, data["shapes"])
            if pieces.colliders and "shapes" in data
            else None,
        )

    def program(self, pieces: SystemPieces, start: State) -> Program:
        """The equations on this piece, with the pivots that are best at a start."""
        here = pieces.state(start, self.modes)
        if pieces.in_forces:  # one is for all pieces
            known = pieces.system.memory
            if "program" not in known:
                known["program"] = program_at(pieces.system, here)
            return known["program"]
        return program_at(pieces.system, here)


def contact_modes(pieces: SystemPieces, modes: Mapping[Symbol, float]) -> tuple[str, ...]:
    """The mode of each contact: open, sticks, slips, or closed where there is no friction."""
    found = []
    for one in pieces.unilaterals:
        closed, sticks, slips = (modes.get(leaf, 0.0) != 0.0 for leaf in one.modes[:3])
        found.append("open" if not closed else "sticks" if sticks else "slips" if slips else "closed")
    return tuple(found)


def struck_contacts(pieces: SystemPieces, impulse: Impulse | None) -> list[bool]:
    """Which contacts have an impulse."""
    names = impulse.constraints if impulse else ()
    return [any(name in (one.name, one.impulse_names[0]) for name in names) for one in pieces.unilaterals]


def contact_events(
    pieces: SystemPieces, before: Mapping[Symbol, float], after: Mapping[Symbol, float], struck: Sequence[bool]
) -> list[str]:
    """Names of what happens at contacts where modes go over to others: the new mode, or an impact.

    struck  which contacts are
    """
    old, new = (contact_modes(pieces, modes) for modes in (before, after))
    found = []
    for one, was, mode, hit in zip(pieces.unilaterals, old, new, struck, strict=True):
        turned = was == mode == "slips" and sum(before[way] * after[way] for way in one.modes[3:5]) < 0.0
        if mode != was or hit:
            found.append(one.happening(was, mode, hit))
        elif turned:  # it has died out, and begins again
            found.append(one.happening(was, "sticks", False))
    return [name for name in found if name]


def switchings(pieces: SystemPieces, t: float, old: Piece, new: Piece) -> tuple[Switching, ...]:
    """What has switched from one piece to the next, at a time."""
    held, were = {hold.mode for hold in new.holds}, {hold.mode: hold for hold in old.holds}
    found = []
    for switch in pieces.switches:
        before, after = old.modes[switch.mode], new.modes[switch.mode]
        if switch.mode in held:
            if switch.mode not in were:
                found.append(Switching(t, switch.said, 0))
        elif switch.mode in were:
            found.append(Switching(t, switch.said, 1 if after >= were[switch.mode].high else -1))
        elif before != after:
            found.append(Switching(t, switch.said, int(np.sign(after - before))))
    return tuple(found)
