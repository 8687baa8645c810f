"""The bodies, collision shapes and contact laws of a system in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression, Symbol, as_expression, expressions, jacobian, rate, substitute, symbols
from zeromass.expression.build import ONE, ZERO
from zeromass.integrate.collisions.bodies import FORMULA, HEAD, PARTICLE, RIGID, TWIST, Bodies
from zeromass.integrate.collisions.law import SLOW
from zeromass.integrate.collisions.shapes import FIXED, HALF_SPACE, LARGE, ROOM, Shapes
from zeromass.integrate.hybrid.tables import ints
from zeromass.model import RigidBody, System
from zeromass.model.collisions import Colliders
from zeromass.model.parts import Part

GRAVITY = 9.81
"""m/s²: √(g r) is the speed that slow slips are compared with."""

BOUNCE_PART = 1e-6
"""Part of the size of the smallest shape that bounces rise at least."""

CREEP = 1e-4
"""Part of √(g r) of the smallest shape below which a slip has died out, and up to which a new one keeps its direction."""


def components(system: System, bodies: Sequence[Part]) -> np.ndarray:
    """Of each coordinate the number of its component: those that no mass, constraint or body connects are apart."""
    places = {x.token: i for i, x in enumerate(system.coordinates)}
    found = np.arange(len(places))

    def root(i: int) -> int:
        while found[i] != i:
            found[i] = found[found[i]]
            i = found[i]
        return i

    def join(leaves: Iterable[Symbol]) -> None:
        own = [places[leaf.token] for leaf in leaves if leaf.token in places]
        for i in own[1:]:
            found[root(i)] = root(own[0])

    for row in system.rows:
        join(symbols(row.zero))
    for body in bodies:
        join(symbols(body.position, body.quaternion if isinstance(body, RigidBody) else ()))
    if system.large:
        for part in system.parts:
            join([*part.coordinates])
        extra = system._free.extra[0]  # type: ignore[attr-defined]
        join(symbols(extra) if extra is not None else [])
    else:
        for i, row in enumerate(system.sparse_M.rows):
            join([system.coordinates[i], *(system.coordinates[j] for j in row)])
    _, numbers = np.unique([root(i) for i in range(len(places))], return_inverse=True)
    return numbers


class BodyTables:
    """Bodies in memory, and the code of those whose places are formulas."""

    def __init__(self, bodies: Sequence[Part], program: Program, reach: np.ndarray) -> None:
        system = program.system
        places = {x: i for i, x in enumerate(system.coordinates)}
        kinds, where, outputs, first = [], [], list[Expression](), []
        ends, columns, own, begins, local = [0], list[int](), list[int](), [0], list[int]()
        for body in bodies:
            q = [*body.position, *(body.quaternion if isinstance(body, RigidBody) else ())]
            plain = all(x in places for x in q)
            kinds.append((RIGID if len(q) == 7 else PARTICLE) if plain else FORMULA)
            where.append(([places[x] for x in q] + [0] * 7)[:7] if plain else [0] * 7)
            first.append(len(outputs))
            if plain:
                rows = [[places[x]] for x in q[:3]] + [[places[x] for x in q[3:]] for _ in range(3)]
            else:
                rows, some = self._formulas(body, system)
                outputs += some
            used = sorted({c for row in rows for c in row})
            for row in rows:
                columns += row
                local += [used.index(c) for c in row]
                ends.append(len(columns))
            own += used
            begins.append(len(own))
        n = len(bodies)
        self.code: Code | None = None
        if outputs:
            self.code = code({"bodies": (program.inputs, [outputs])}, host().scalar)
        rotation = np.zeros((n, 9))
        rotation[:, [0, 4, 8]] = 1.0
        self.table = Bodies(
            count=n,
            kind=ints(kinds),
            place=np.array(where, dtype=np.int64).reshape(n, 7),
            evaluate=0 if self.code is None else self.code.address("bodies"),
            formulas=self.code is not None,
            found=np.zeros(len(outputs)),
            first=ints(first),
            position=np.zeros((n, 3)),
            rotation=rotation,
            velocity=np.zeros((n, 3)),
            spin=np.zeros((n, 3)),
            bias=np.zeros((n, TWIST)),
            T=np.ones(len(columns)),
            ends=ints(ends),
            columns=ints(columns),
            begins=ints(begins),
            own=ints(own),
            local=ints(local),
            reach=reach,
        )

    @staticmethod
    def _formulas(body: Part, system: System) -> tuple[list[list[int]], list[Expression]]:
        """Columns of the entries of T, and x, R, v, ω, bias and T of a body."""
        spins = isinstance(body, RigidBody)
        ω = body.angular_velocity if spins else expressions(np.zeros(3))
        R = body.rotation if spins else expressions(np.eye(3))
        twist = expressions([*body.velocity, *ω])
        T = jacobian(list(twist), system.rates)
        none = dict.fromkeys(system.accelerations, ZERO)
        bias = [as_expression(substitute(as_expression(rate(e)), none)) for e in twist]
        rows = [[j for j, e in enumerate(row) if e is not ZERO] for row in T]
        entries = [T[i, j] for i, row in enumerate(rows) for j in row]
        found = [*body.position, *R.ravel(), *body.velocity, *ω, *bias]
        assert len(found) == HEAD
        return rows, [as_expression(e) for e in (*found, *entries)]


def shape_table(colliders: Colliders, bodies: Bodies, room: int) -> Shapes:
    """Shapes in memory, with room for so many near pairs."""
    own = colliders.colliders
    numbers = {body: i for i, body in enumerate(colliders.bodies)}
    polytopes = [one.polytope for one in own]
    corners, faces, borders = (
        np.cumsum([0, *(len(of(p)) for p in polytopes)])
        for of in (lambda p: p.points, lambda p: p.planes, lambda p: p.edges)
    )
    loops, sides, ends = list[int](), list[int](), [0]
    edges = np.empty((0, 4), dtype=np.int64)
    for p, corner, face, border in zip(polytopes, corners.tolist(), faces.tolist(), borders.tolist(), strict=False):
        known = {frozenset(edge): border + e for e, edge in enumerate(p.edges[:, :2].tolist())}
        for loop in p.loops:
            loops += [corner + v for v in loop]
            sides += [known.get(frozenset(edge), 0) for edge in zip(loop, (*loop[1:], loop[0]), strict=True)]
            ends.append(len(loops))
        shift = np.array([corner, corner, face, face])
        edges = np.concatenate([edges, np.where(p.edges < 0, -1, p.edges + shift)])
    kinds = [p.kind for p in polytopes]
    group = np.full(len(own), -1)
    for g, members in enumerate(colliders.groups):
        group[members] = g
    points, planes = (
        max(map(len, some), default=1) for some in ([p.points for p in polytopes], [p.planes for p in polytopes])
    )
    joined = {tuple(sorted((numbers[a], numbers[b]))) for a, b in colliders.joined if a in numbers and b in numbers}
    sides_most = max((len(loop) for p in polytopes for loop in p.loops), default=1)
    size = [LARGE if one.polytope.kind == HALF_SPACE else one.size or max(finite_sizes(colliders)) for one in own]
    finite = [i for i, kind in enumerate(kinds) if kind != HALF_SPACE]
    return Shapes(
        body=ints([FIXED if one.body is None else numbers[one.body] for one in own]),
        polytope=ints(range(len(own))),
        radius=np.array([one.radius for one in own]),
        size=np.array(size),
        kind=ints(kinds),
        points=np.concatenate([p.points for p in polytopes]),
        planes=np.concatenate([p.planes for p in polytopes]).reshape(-1, 4),
        edges=edges,
        loops=ints(loops),
        loop_edges=ints(sides),
        loop_ends=ints(ends),
        corners=corners.astype(np.int64),
        faces=faces.astype(np.int64),
        borders=borders.astype(np.int64),
        position=bodies.position,
        rotation=bodies.rotation,
        first=np.zeros(room, dtype=np.int64),
        second=np.zeros(room, dtype=np.int64),
        law=np.zeros(room, dtype=np.int64),
        touches=np.zeros(room, dtype=np.int64),
        gap=np.zeros(room),
        low=np.zeros(room),
        seen=np.full(room, -1),
        before=np.zeros(room),
        after=np.zeros(room),
        early=np.zeros(room),
        group=group,
        joined=ints(sorted(a * len(numbers) + b for a, b in joined)),
        lower=np.zeros((len(own), 3)),
        upper=np.zeros((len(own), 3)),
        sorted=ints(finite),
        half_spaces=ints([i for i, kind in enumerate(kinds) if kind == HALF_SPACE]),
        room=room,
        fast=np.zeros(len(colliders.bodies)),
        skip=np.zeros((ROOM, 3), dtype=np.int64),
        moved=np.zeros((points, 3)),
        turned=np.zeros((max(planes, 1), 3)),
        best=ints([0, 0, 0]),
        way=np.zeros(3),
        feature=np.zeros((ROOM, 3), dtype=np.int64),
        place=np.zeros((ROOM, 3)),
        ring=np.zeros((sides_most, 3)),
        base=np.zeros((sides_most, 3)),
    )


def finite_sizes(colliders: Colliders) -> list[float]:
    """Of finite shapes, m; 1 m where there are points alone."""
    return [one.size for one in colliders.colliders if one.polytope.kind != HALF_SPACE and one.size > 0.0] or [1.0]


def law_functions(colliders: Colliders, program: Program) -> Code:
    """Machine code of the numbers of all laws."""
    found: list[Any] = []
    sizes = finite_sizes(colliders)
    size, usual = float(max(sizes)), CREEP * float(np.sqrt(GRAVITY * min(sizes)))
    for law in colliders.laws:
        rough = law.friction is None
        static = 0.0 if rough else law.friction
        kinetic = static if rough or law.kinetic is None else law.kinetic
        creep = usual if law.creep is None else law.creep
        bounce = BOUNCE_PART * min(sizes) if law.least_bounce is None else law.least_bounce
        found += [static, kinetic, law.restitution, size, creep / SLOW, -ONE, bounce, 0.0]
    return code({"laws": (program.inputs, [[as_expression(e) for e in found]])}, host().scalar)


def columns_inside(bodies: Bodies, columns: Sequence[np.ndarray], of_body: Sequence[int]) -> np.ndarray:
    """Of each entry of T the place of its coordinate among those of its component."""
    found = []
    for k, part in enumerate(of_body):
        own = bodies.columns[bodies.ends[TWIST * k] : bodies.ends[TWIST * (k + 1)]]
        found.append(np.searchsorted(columns[part], own))
    return np.concatenate(found).astype(np.int64)
