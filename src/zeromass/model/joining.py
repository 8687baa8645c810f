"""Several systems as one, and one under further constraints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, multiplier, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import Sparse
from zeromass.expression.substitute import substitute
from zeromass.frozen import frozen
from zeromass.model.collisions import without_collisions
from zeromass.model.constraint import Row, acceleration_rows, rows_of, velocity_residuals
from zeromass.model.contact import ContactPoint, Supported
from zeromass.model.event import Event
from zeromass.model.forces import Forces, loads
from zeromass.model.given import given_all
from zeromass.model.moved import Moved, States
from zeromass.model.parts import Part
from zeromass.model.requirement import Requirement
from zeromass.model.system import System
from zeromass.model.unconstrained import Unconstrained
from zeromass.model.unilateral import told_apart


def join(
    *systems: System, constraints: Mapping[str, Any] | None = None, forces: Forces = None, **named: System
) -> System:
    """One system of several, connected by constraints [UP2006, example 3] or forces.

    constraints, forces  as of a System, between coordinates of any of them
    named                systems with names of their own: zm.join(left=a, right=b)

    Expressions of the parts are expressions of the whole: run[a.contact] works as before. Names that occur twice get the
    name of their system: "red contact" and "blue contact".

    >>> x, y = zm.coordinates("x y")
    >>> a, b = (zm.System(kinetic=zm.rate(q)**2 / 2, potential=q**2 / 2) for q in (x, y))
    >>> zm.join(a, b, constraints={"together": x - y})
    System(2 coordinates, 1 holonomic constraint rows)
    """
    given = [*systems, *named.values()]
    if not given:
        raise ModelError("zm.join needs at least one system")
    given_all(given, System, "what zm.join joins", "a zm.System")
    labels = [*[system.label for system in systems], *named]
    return assembled(given, {} if constraints is None else constraints, forces, labels, frozenset(named))


class Label(NamedTuple):
    """A name and the system it comes from: what it is called where others have the same name."""

    system: str
    name: str


class Labels(NamedTuple):
    """Names of parts, coordinates, groups of rows and events as their systems have them, in the order of these."""

    parts: tuple[Label, ...]
    coordinates: tuple[Label, ...]
    groups: tuple[Label, ...]
    events: tuple[Label, ...]


def unique(labels: Sequence[Label]) -> list[str]:
    """The names, with those of their systems before them where several are the same."""
    count = Counter(label.name for label in labels)
    return [
        f"{label.system} {label.name}" if count[label.name] > 1 and label.system not in ("", label.name) else label.name
        for label in labels
    ]


class Joined(System):
    """A system that was made of others; what these say of starts and of finished motions, it says too."""

    _of: tuple[System, ...] = ()
    _labels: Labels

    @property
    def _systems(self) -> tuple[System, ...]:
        return self._of

    def with_constraints(self, constraints: Mapping[str, Any]) -> Joined:
        """The same system under further constraints."""
        return assembled([self], constraints)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of its systems, and of forces between them."""
        own = [requirement for system in self._systems for requirement in system.requirements]
        return (*own, *[r for one in self._limited for r in getattr(one, "requirements", ())])

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """Those of its systems."""
        return tuple(side for system in self._systems for side in system.facing)

    @property
    def wrong_side(self) -> str:
        """What its systems say, as far as they say something."""
        return "; or: ".join(system.wrong_side for system in self._systems if system.facing)

    def placement(
        self, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
    ) -> Mapping[Symbol, float]:
        """First guesses of each of its systems, from what is known of it."""
        found: dict[Symbol, float] = {}
        for system in self._systems:
            own = {*system.coordinates, *system.rates, *system.accelerations, *system.parameters}
            some = {e: value for e, value in near.items() if own.issuperset(symbols(e))}
            found |= system.placement(some, t, {p: parameters[p] for p in system.parameters})
        return found

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts that one of its systems can not have."""
        found = super().refused(t, y, parameters)
        for system in self._systems:
            columns = [self.parameters.index(p) for p in system.parameters]
            own = system.refused(t, y[:, self._columns(system)], parameters[:, columns])
            found = {**own, **found}
        return found

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """What its systems find wrong with their part of a finished motion."""
        some = [(system, MovedPart(motion, self._columns(system))) for system in self._systems]
        return tuple(words for system, own in some for words in system.examined(own))

    def _columns(self, system: System) -> list[int]:
        """Where the positions and rates of one of its systems stand among its own."""
        places = {x: j for j, x in enumerate(self.coordinates)}
        own = [places[x] for x in system.coordinates]
        return own + [len(places) + j for j in own]


class StatesPart(NamedTuple):
    """Some columns of states."""

    y: np.ndarray


class MovedPart:
    """A finished motion, of which one of several systems sees its own coordinates."""

    def __init__(self, motion: Moved, columns: list[int]) -> None:
        self._motion, self._columns = motion, columns

    @property
    def t(self) -> np.ndarray:
        """Times at the ends of the steps, s."""
        return self._motion.t

    @property
    def y(self) -> np.ndarray:
        """States there."""
        return self._motion.y[:, self._columns]

    @property
    def parameters(self) -> Mapping[Symbol, float]:
        """Values of the parameters."""
        return self._motion.parameters

    def at(self, times: np.ndarray) -> States:
        """States at some times."""
        return StatesPart(self._motion.at(times).y[:, self._columns])


@frozen()
class Watched:
    """Events of joined systems that neither joints nor forces watch."""

    events: tuple[Event, ...]


def assembled(
    systems: Sequence[System],
    constraints: Mapping[str, Any],
    forces: Forces = None,
    labels: Sequence[str] | None = None,
    named: frozenset[str] = frozenset(),
) -> Joined:
    """The parts, forces and constraints of all of them, and constraints and forces beside; each in its mode.

    labels  what systems are called where their names clash
    named   those that were given, which hold also for systems that are joined themselves
    """
    labels = [system.label for system in systems] if labels is None else labels
    added, acting = rows_of(constraints), loads(forces)
    for system in systems:
        system.check_joined(coupled=bool(added or acting))
    for system in systems:
        without_collisions(system, "joined systems", "make one zm.System of all parts")
    free = [system._free for system in systems]
    q = np.concatenate([part.q for part in free])
    shared = [x for x, count in Counter(q).items() if count > 1]
    if shared:
        owners = [part.name for part in systems[0].parts if any(x is shared[0] for x in part.coordinates)]
        name = [*owners, shared[0].name][0]
        raise ModelError(f"'{name}' is in two of the systems that zm.join joins; make another one for each system")
    masses: list[dict[int, Expression]] = []
    for part in free:
        first = len(masses)
        masses += [{first + j: e for j, e in row.items()} for row in part.masses.rows]

    def total(kind: str) -> Expression | None:
        values = [getattr(part, kind) for part in free]
        if any(value is None for value in values):
            return None
        stored = [load.potential for load in acting] if kind != "kinetic" else []
        return as_expression(sum([*values, *stored]))

    known = _labels(systems, labels, named)
    rows, multipliers = _rows(systems, unique(known.groups), added)
    taken = {row.group for row in rows} & {row.group for row in added}
    if taken:
        raise ModelError(f"a constraint named '{min(taken)}' is there already; choose another name")
    Q = np.concatenate([part.Q for part in free])
    between = sum((load.generalized(q) for load in acting), expressions(np.zeros(len(q))))
    joined = object.__new__(Joined)
    joined.joints = tuple(joint for system in systems for joint in system.joints)
    several = sum(bool(system.unilaterals) for system in systems) > 1
    joined.unilaterals = told_apart(
        replace(one, sole=one.sole and not several) for system in systems for one in system.unilaterals
    )
    joined.contact_elements = tuple(one for system in systems for one in system.contact_elements)
    joined.supported = tuple(body for system in systems for body in system.supported)
    own = _without(joined.supported, q, between, added, multipliers[len(rows) :])
    new = tuple(Label("", group) for group in _groups(added))
    joined._of, joined._labels = tuple(systems), known._replace(groups=(*known.groups, *new))
    joined._complete(
        Unconstrained(
            q,
            Sparse(masses, len(q)),
            Q + between if acting else Q,
            total("kinetic"),
            total("potential"),
            total("energy"),
            _parts(systems, known),
            (*(load for part in free for load in part.loads), *acting),
            tuple(unique(known.coordinates)),
        ),
        rows + added,
        _replaced(np.concatenate([system.C for system in systems]), own),
        multipliers,
    )
    names, lost, watched = iter(unique(known.events)), {}, []
    for system in systems:
        for event in _own_events(system):
            lost[system, event.name] = name = next(names)
            watched.append(replace(event, name=name, zero=_replaced(event.zero, own)))
    joined._carried = tuple(
        replace(
            contact,
            lost=lost.get((system, contact.lost), contact.lost),
            normal_force=_replaced(contact.normal_force, own),
            friction_force=_replaced(contact.friction_force, own),
            friction_ratio=_replaced(contact.friction_ratio, own),
        )
        for system in systems
        for contact in _own_contacts(system)
    )
    limited = [load for system in systems for load in system._limited if not isinstance(load, Watched)]
    limited += [load for load in acting if hasattr(load, "requirements")]
    joined._watch((*limited, *([Watched(tuple(watched))] if watched else [])))
    joined._know(*[p for system in systems for p in system.parameters])
    return joined


def _own_events(system: System) -> list[Event]:
    """Those that neither its joints nor its forces watch."""
    if isinstance(system, Joined):
        return [event for load in system._limited if isinstance(load, Watched) for event in load.events]
    others = {event.name for one in (*system.joints, *system._limited) for event in one.events}
    return [event for event in system.events if event.name not in others]


def _own_contacts(system: System) -> tuple[ContactPoint, ...]:
    """Those that are not of its joints."""
    return system._carried if system._carried or system.joints else system.contacts


def _labels(systems: Sequence[System], labels: Sequence[str], named: frozenset[str]) -> Labels:
    """What each system calls its parts, coordinates, groups of rows and events."""
    found: tuple[list[Label], ...] = ([], [], [], [])
    for system, label in zip(systems, labels, strict=True):
        if isinstance(system, Joined) and label not in named:
            for kind, own in zip(found, system._labels, strict=True):
                kind += own
            continue
        jointed = {row.group for joint in system.joints for row in joint.rows}
        events = [event.name for event in _own_events(system)]
        for kind, own in zip(found[:2], ([part.name for part in system.parts], system.names), strict=True):
            kind += [Label(label, name) for name in own]
        found[2].extend(Label("" if group in jointed else label, group) for group in _groups(system.rows))
        found[3].extend(Label(label, name) for name in events)
    return Labels(*map(tuple, found))


def _groups(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.group for row in rows))


def _rows(systems: Sequence[System], groups: Sequence[str], added: Sequence[Row]) -> tuple[list[Row], Array]:
    """The rows of all systems, called after their groups, and the multipliers of these and of further ones.

    Multipliers that formulas of a system contain stay as they are.
    """
    rows: list[Row] = []
    multipliers: list[Expression] = []
    left = iter(groups)
    for system in systems:
        new = {group: next(left) for group in _groups(system.rows)}
        joints = [λ for joint in system.joints for λ in joint.multipliers]
        forces = [[one.normal_force, *one.friction_force, one.friction_ratio] for one in _own_contacts(system)]
        used = {*joints, *symbols(system.C, [event.zero for event in _own_events(system)], *forces)}
        for row, λ in zip(system.rows, system.multipliers, strict=True):
            rows.append(row._replace(name=new[row.group] + row.name.removeprefix(row.group), group=new[row.group]))
            if row.group == new[row.group]:
                rows[-1] = row
            multipliers.append(λ if λ in used else multiplier(f"λ {rows[-1].name}"))
    multipliers += [multiplier(f"λ {row.name}") for row in added]
    return rows, np.array(multipliers or [], dtype=object)


def _parts(systems: Sequence[System], known: Labels) -> tuple[Part, ...]:
    """The parts of all systems; of those that are called otherwise, copies with the same coordinates."""
    names, left = iter(unique(known.parts)), iter(unique(known.groups))
    found: list[Part] = []
    for system in systems:
        new = {group: next(left) for group in _groups(system.rows)}
        for part in system.parts:
            name = next(names)
            if name != part.name:
                part = copy(part)
                part.name = name
                part.constraints = {new.get(group, group): zero for group, zero in part.constraints.items()}
            found.append(part)
    return tuple(found)


def _without(
    supported: Sequence[Supported], q: Array, between: Array, added: list[Row], multipliers: Array
) -> dict[Expression, Expression]:
    """For accelerations of bodies that surfaces carry, those that they have without the forces between systems.

    The force of a surface follows from m q̈ − Q of its body alone: q̈ − F/m takes the place of q̈ there, with F what acts on
    the body, its contact and its centre from without.
    """
    if not supported:
        return {}
    if added:
        A, _ = acceleration_rows(added, velocity_residuals(added, q), q)
        between = between + multipliers @ A.array
    force = dict(zip(q, expressions(between), strict=True))
    found: dict[Expression, Expression] = {}
    for body in supported:
        for x, *light in zip(body.position, *body.light, strict=True):
            F = as_expression(sum((force[e] for e in light), force[x]))
            if F is not ZERO:
                a = rate(rate(x))
                found[a] = as_expression(a - F / body.mass)
    return found


def _replaced(formulas: Any, own: Mapping[Expression, Expression]) -> Any:
    return substitute(formulas, own) if own else formulas
