"""The machine code and memory of motions whose contacts are found among shapes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from threading import get_ident
from typing import Any

import numpy as np

from zeromass.codegen import cache
from zeromass.codegen.target import BEST, Code, host, once
from zeromass.compile.program import Program
from zeromass.expression import Expression
from zeromass.integrate.collisions.bodies import TWIST
from zeromass.integrate.collisions.choice import CHOSEN, record_contacts, restore_contacts
from zeromass.integrate.collisions.distance import gap_between
from zeromass.integrate.collisions.forces import READ, accelerate_bodies, correct, evaluate_contacts, read_contacts
from zeromass.integrate.collisions.guards import watch_contacts
from zeromass.integrate.collisions.kinematics import Frame
from zeromass.integrate.collisions.law import LAW
from zeromass.integrate.collisions.mobility import Mobility
from zeromass.integrate.collisions.slots import (
    AXIS,
    CLOSED,
    FLAGS,
    FORCE_MARGIN,
    FORCES,
    GAP_MARGIN,
    PULLS,
    ROW,
    ROWS,
    SLIPS,
    SLOT,
    STICKS,
    WAY,
    WIDTH,
    CollisionTable,
)
from zeromass.integrate.hybrid.collision_search import find_collision
from zeromass.integrate.hybrid.collision_slots import choose_slots, keep_slots
from zeromass.integrate.hybrid.collision_table import (
    BodyTables,
    columns_inside,
    components,
    finite_sizes,
    law_functions,
    shape_table,
)
from zeromass.integrate.hybrid.contact_problem import contact_problem
from zeromass.integrate.hybrid.contact_table import Contacts
from zeromass.integrate.hybrid.guard_functions import CONTACT
from zeromass.integrate.hybrid.impact_problem import impact_problem
from zeromass.integrate.hybrid.pieces import FoundContacts
from zeromass.integrate.hybrid.polyhedra_table import polyhedra_table
from zeromass.integrate.hybrid.tables import ints, lengthened
from zeromass.kernel.language import compiled, text_of
from zeromass.model import Event
from zeromass.model.pieces import SystemPieces

NEAR_PAIRS = 24
"""Near pairs for which there is memory at first, for each shape."""

LEAST, MOST = 32, 4096
"""Contacts for which there is memory at least, and at most."""

SKIN = 0.25
"""Part of the median size of shapes up to which they are near one another: fewer searches, and fewer pairs."""


class CollisionNative:
    """Machine code of a program with the contacts of its shapes, and their memory; see `Native`.

    room   contacts for which there is memory; pairs: those that may be near one another
    """

    def __init__(self, pieces: SystemPieces, program: Program, room: int, pairs: int) -> None:
        colliders = pieces.colliders
        assert colliders is not None
        self.program, self.room, self.colliders, self._native = program, room, colliders, program.native
        system, lanes = program.system, host().width
        n, base = len(system.coordinates), len(system.parameters)
        reach = np.zeros(len(colliders.bodies))
        numbers = {body: i for i, body in enumerate(colliders.bodies)}
        for one in colliders.colliders:
            if one.body is not None:
                far = float(np.linalg.norm(one.polytope.points, axis=1).max())
                reach[numbers[one.body]] = max(reach[numbers[one.body]], far)
        self._bodies = BodyTables(colliders.bodies, program, reach)
        bodies = self._bodies.table
        component = components(system, colliders.bodies)
        parts, of = np.unique(component, return_inverse=True)
        columns = [np.flatnonzero(of == p) for p in range(len(parts))]
        of_body = [int(of[bodies.own[bodies.begins[b]]]) for b in range(bodies.count)]
        names = {leaf: i for i, leaf in enumerate(system.parameters)}
        rhs, pivots = program.native.rhs(lanes), program.native.pivots
        widest = sum(len(columns[p]) for p in of_body)
        block = sum(TWIST * TWIST * of_body.count(p) ** 2 for p in set(of_body))
        m = len(of_body)
        mobility = Mobility(
            rhs=rhs.address("rhs"),
            t=np.zeros((1, lanes)),
            y=np.zeros((2 * n, lanes)),
            values=np.zeros((base, lanes)),
            slopes=np.zeros((2 * n if lanes == 1 else n, lanes)),
            growth=np.zeros((1, lanes)),
            pivots=np.zeros((pivots + 1, lanes)),
            wrench=ints([names[colliders.wrenches[body][0]] for body in colliders.bodies]),
            component=ints(of_body),
            begins=np.cumsum([0, *map(len, columns)]).astype(np.int64),
            columns=ints(np.concatenate(columns).tolist()),
            inside=columns_inside(bodies, columns, of_body),
            active=ints([0] * m),
            order=ints([-1] * m),
            member=ints([0] * m),
            listed=ints([0] * m),
            starts=ints([0] * len(parts)),
            members=ints([0] * len(parts)),
            free=np.zeros(n),
            first=ints([0] * m),
            C=np.zeros(TWIST * widest),
            blocks=ints([0] * len(parts)),
            X=np.zeros(block),
            A=np.zeros((m, TWIST)),
            W=np.zeros((m, TWIST)),
            loaded=np.zeros((m, TWIST)),
        )
        corrections = program.native.corrections
        laws = law_functions(colliders, program)
        q = 3 * room
        self.table = CollisionTable(
            shapes=shape_table(colliders, bodies, pairs),
            bodies=bodies,
            mobility=mobility,
            frame=Frame(
                point=np.zeros(3),
                point_rate=np.zeros(3),
                e=np.zeros((3, 3)),
                rate=np.zeros((3, 3)),
                arms=np.zeros((2, 3)),
                velocity=np.zeros(3),
                bias=np.zeros(3),
            ),
            base=base,
            room=room,
            one=ints([0] * room),
            two=ints([0] * room),
            feature=np.zeros((room, 3), dtype=np.int64),
            side=np.zeros(room),
            law=ints([0] * room),
            laws=np.zeros(LAW * len(colliders.laws)),
            evaluate_laws=laws.address("laws"),
            rough=ints([law.friction is None for law in colliders.laws]),
            **{name: np.zeros(size) for name, size in {"gap": room, "velocity": q, "bias": q, "free": q}.items()},
            force=np.zeros(q),
            normal=np.zeros(q),
            rows=np.zeros(ROW * q),
            flags=np.zeros(FLAGS * room),
            closed=ints([0] * room),
            slot=ints([0] * q),
            direction=ints([0] * q),
            pattern=np.zeros(self._pattern_room(q, self._members(of_body)), dtype=np.int64),
            data=np.zeros(q * (2 * TWIST + 2 * TWIST * self._members(of_body)) + 2 * q),
            solution=np.zeros(q + 1 + 1),
            matrix=np.zeros(q * q + TWIST * m),
            order=np.zeros(4 * q, dtype=np.int64),
            posed=-1,
            mark=ints([0] * room),
            kept=np.zeros((room, 7), dtype=np.int64),
            record=np.zeros((2 * room, WIDTH)),
            struck=np.zeros((2 * room, 5)),
            begun=ints([0]),
            hit=ints([0]),
            gained=np.zeros(1),
            before=np.zeros((m, 3)),
            behind=np.zeros((m, 3)),
            skin=SKIN * float(np.median(finite_sizes(colliders))),
            plain=program.native.rhs(1).address("rhs"),
            corrects=corrections is not None,
            positions=0 if corrections is None else corrections.address("positions"),
            velocities=0 if corrections is None else corrections.address("velocities"),
        )
        self._keep: list[Any] = [laws, rhs, corrections, program.native.rhs(1)]
        self._events: dict[Any, Code | None] = {}
        self.widths = 2 * max(np.diff(bodies.begins), default=0), 2 * max(map(len, columns))
        self._made = self._trampolines(2 * n, base + SLOT * room, pivots + 1)

    @staticmethod
    def _members(of_body: Sequence[int]) -> int:
        return max((of_body.count(p) for p in set(of_body)), default=1)

    def _pattern_room(self, q: int, members: int) -> int:
        return 2 + 3 * (q + 1) + q * 2 * TWIST + q * 2 * TWIST * members + q * q

    def _trampolines(self, order: int, values: int, pivots: int) -> Code:
        """Functions of a system, as stepping methods call them, that are given this memory."""
        table = self.table.image.ctypes.data
        n = order // 2
        lines = []
        for name, kernel, own in (
            ("rhs", accelerate_bodies, ((1, order, values, order, 1, pivots), "")),
            ("positions", correct, ((1, order, values, n), ", i64 0")),
            ("velocities", correct, ((1, order, values, n), ", i64 1")),
        ):
            lines.append(_trampoline(name, kernel, table, *own))
        q, wide = 3 * self.room, self.widths
        sizes = (1, order, values, self.room, q, q, q, q, LAW * self.room, q * wide[0], q * wide[1])
        lines.append(_trampoline("contacts", evaluate_contacts, table, sizes, ""))
        return Code("\n".join(lines), host().scalar, keep=self.table)

    # as `Native` ---------------------------------------------------------------------------------------------------------
    @property
    def pivots(self) -> int:
        return self._native.pivots

    @property
    def busy(self) -> bool:
        return self._native.busy

    @property
    def telling(self) -> tuple[Expression, ...]:
        return self._native.telling

    def called(self, evaluations: int) -> None:
        self._native.called(evaluations)

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of dy/dt with contact forces, of one state."""
        assert lanes == 1
        return self._made

    @property
    def corrections(self) -> Code:
        """What returns states to constraints and contacts."""
        return self._made

    def correcting(self, lanes: int) -> Code:
        """The same of one state."""
        assert lanes == 1
        return self._made

    @property
    def contacts(self) -> Code:
        """Kinematics and dynamics of all contacts, see `hybrid.contact_table.Contacts.evaluate`."""
        return self._made

    def make_room(self, pieces: int) -> None:
        """Memory for the records of so many pieces, and of one more with all contacts."""
        c = self.table
        c.begun, c.hit, c.gained = (lengthened(x, pieces + 2) for x in (c.begun, c.hit, c.gained))
        c.record = lengthened(c.record, c.recorded + 2 * self.room)
        c.struck = lengthened(c.struck, c.strokes + 2 * self.room)

    def found(self, piece: int) -> FoundContacts:
        """The contacts with which a piece began."""
        c = self.table
        first, last, hit, end = c.begun[piece], c.begun[piece + 1], c.hit[piece], c.hit[piece + 1]
        return FoundContacts(c.record[first:last].copy(), c.struck[hit:end].copy(), float(c.gained[piece]))

    def here(self, values: np.ndarray, impulse: np.ndarray) -> FoundContacts:
        """The contacts as they are."""
        c = self.table
        self.make_room(1)
        kept = c.recorded, c.strokes, c.begun[:2].copy(), c.hit[:2].copy()
        compiled(record_contacts)(c, values, impulse, 0, 0.0)
        found = self.found(0)
        c.recorded, c.strokes, c.begun[:2], c.hit[:2] = kept
        return found

    def take(self, t: float, y: np.ndarray, contacts: FoundContacts, values: np.ndarray) -> bool:
        """Takes contacts of a record for those of a state: whether there is room for them."""
        return compiled(restore_contacts)(self.table, np.array([t]), y, values, contacts.closed) == CHOSEN

    def read(
        self, contacts: FoundContacts, t: np.ndarray, y: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of contacts of a record at times and states: wrenches of bodies, and what touches where, see `read_contacts`.

        values  of the parameters of the system
        """
        known = np.concatenate([values, np.zeros(self.table.base + SLOT * self.room - len(values))])
        count = len(contacts.closed)
        wrenches, touching = np.zeros((len(t), len(self.colliders.hidden))), np.zeros((len(t), count, READ))
        if count == 0 or len(t) == 0:
            return wrenches, touching
        self.take(float(t[0]), y[0].copy(), contacts, known)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_void_p, ctypes.c_int64] * 5)(
            kernels().address(read_contacts.name)
        )
        for clock, state, wrench, touch in zip(t[:, None].copy(), y.copy(), wrenches, touching, strict=True):
            given = clock, state, known, wrench, touch
            call(self.table.image.ctypes.data, *[x for one in given for x in (one.ctypes.data, one.size)])
        return wrenches, touching

    def name(self, k: int) -> str:
        """What messages call a contact, by its number among those that touch."""
        return f"'{self.colliders.name(int(self.table.one[k]), int(self.table.two[k]))}'"

    def pair(self, p: int) -> str:
        """What messages call a near pair."""
        x = self.table.shapes
        return f"'{self.colliders.name(int(x.first[p]), int(x.second[p]))}'"

    def overlapping(self, pair: int) -> str:
        """Which shapes overlap at a start, and how deep."""
        x = self.table.shapes
        one, two = int(x.first[pair]), int(x.second[pair])
        depth = -compiled(gap_between)(x, one, two)
        first, second = (self.colliders.colliders[k].name for k in (one, two))
        return f"'{first}' lies {depth:.3g} m inside '{second}'; begin where the shapes do not overlap"

    def events(self, events: Sequence[Event], lanes: int) -> Code | None:
        """What is watched: events that were asked for, and functions of all contacts that there is memory for."""
        assert lanes == 1
        key = tuple(events)
        if key not in self._events:
            asked = [event for event in events if not event.name.startswith(CONTACT)]
            plain = self._native.events(asked, 1)
            self._keep.append(plain)
            c = self.table
            c.events = len(asked)
            c.event = 0 if plain is None else plain.address("event")  # pyright: ignore[reportAttributeAccessIssue]
            order, values = 2 * len(self.program.system.coordinates), c.base + SLOT * self.room
            text = _trampoline("event", watch_contacts, c.image.ctypes.data, (1, order, values, len(events)), "")
            self._events[key] = Code(text, host().scalar, keep=c)
        return self._events[key]


def first_room(pieces: SystemPieces) -> tuple[int, int]:
    """Contacts, and near pairs, for which there is memory at first; none of systems whose contacts are formulas."""
    if pieces.colliders is None:
        return 0, 0
    count = len(pieces.colliders.colliders)
    return max(LEAST, 2 * count), max(LEAST, NEAR_PAIRS * count)


def collision_native(pieces: SystemPieces, program: Program, needed: int) -> CollisionNative:
    """Machine code and memory of a program for so many contacts, that nobody else uses in between."""
    known: dict[Any, CollisionNative] = pieces.system.memory.setdefault("collisions", {})
    key = program, get_ident()
    if key not in known or known[key].room < needed:
        _, pairs = first_room(pieces)
        known[key] = CollisionNative(pieces, program, max(LEAST, 2 * needed), pairs)
    return known[key]


@once
def kernels() -> Code:
    """Machine code of the kernels of contacts that are found among shapes, for motions of all systems."""
    some = (
        accelerate_bodies,
        correct,
        watch_contacts,
        evaluate_contacts,
        find_collision,
        choose_slots,
        keep_slots,
        read_contacts,
    )
    written = cache.sources("codegen", "kernel", "integrate")
    origin = None if written is None else cache.digest("collisions", written)
    target = host().scalar
    return Code(lambda: text_of(*some, target=target), target, origin=origin, effort=BEST, passes=True)


def _trampoline(name: str, kernel: Any, table: int, sizes: Sequence[int], more: str) -> str:
    """LLVM IR of a function of arrays that calls a kernel with this memory before them, and with their sizes."""
    address = kernels().address(kernel.name)
    arguments = ", ".join(f"ptr %a{k}" for k in range(len(sizes)))
    given = ", ".join(f"ptr %a{k}, i64 {size}" for k, size in enumerate(sizes))
    return (
        f"define void @{name}({arguments}) {{\n  %f = inttoptr i64 {address} to ptr\n  %t = inttoptr i64 {table} to ptr\n"
        f"  call void %f(ptr %t, {given}{more})\n  ret void\n}}\n"
    )


def found_contacts(native: CollisionNative, pieces: SystemPieces) -> Contacts:
    """Contacts of a motion that are found among shapes, in memory; none of them yet."""
    c, k, n = native.table, native.room, len(native.program.system.coordinates)
    at = c.base + SLOT * np.arange(k)
    q, real, whole = 3 * k, (lambda count: np.zeros(count)), (lambda count: np.zeros(count, dtype=np.int64))
    ones = np.ones(k, dtype=np.int64)

    def places(first: int, count: int) -> np.ndarray:
        return (at[:, None] + np.arange(first, first + count)).ravel()

    problem = contact_problem(k, k * k)
    problem.geometric = True
    return Contacts(
        count=0,
        simultaneous=pieces.given.simultaneous_impacts,
        evaluate=native.contacts.address("contacts"),
        normal_force=ones.copy(),
        carrier=np.arange(k),
        opens=ones.copy(),
        rough=whole(k),
        two_sided=whole(k),
        spatial=ones.copy(),
        closed=places(CLOSED, 1),
        sticks=places(STICKS, 1),
        slips=places(SLIPS, 1),
        pulls=places(PULLS, 1),
        way=places(WAY, 2),
        gap_margin=places(GAP_MARGIN, 1),
        force_margin=places(FORCE_MARGIN, 1),
        rows=places(ROWS, 3),
        forces=places(FORCES, 3),
        axis=places(AXIS, 1),
        gap=real(k),
        velocity=real(q),
        free=real(q),
        force=real(q),
        normal=real(q),
        law=real(LAW * k),
        J=real(q * native.widths[0]),
        J_ends=whole(q + 1),
        J_columns=whole(q * native.widths[0]),
        W=real(q * native.widths[1]),
        W_ends=whole(q + 1),
        W_columns=whole(q * native.widths[1]),
        along=real(n),
        before=real(2 * n),
        begins=whole(k),
        reached=whole(k),
        touching=whole(k),
        candidate=whole(k),
        jammed=whole(k),
        first_pair=whole(k + 1),
        pairs=whole(k * k),
        listed=whole(k),
        place=whole(k),
        on=whole(q),
        turned=whole(k),
        z=real(q),
        order=whole(q),
        values=real(c.base + SLOT * k),
        impulse=real(q),
        shared=whole(k),
        problem=problem,
        impacts=impact_problem(k),
        polyhedra=polyhedra_table(pieces, None),
        finds=True,
        table=c,
        choose=kernels().address(choose_slots.name),
        search=kernels().address(find_collision.name),
        keep=kernels().address(keep_slots.name),
    )
