"""Unilateral constraints of a system in memory: their kinematics and dynamics at a state, as machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.compile.unilateral import ContactEquations, contact_equations
from zeromass.expression import Array, Expression, as_expression, expressions, where
from zeromass.expression.build import ONE, ZERO
from zeromass.integrate.collisions.law import HELD, LAW, LEAST, SLOW, STEEP, STIFF
from zeromass.integrate.hybrid.contact_problem import ContactProblem, contact_problem
from zeromass.integrate.hybrid.impact_problem import ImpactProblem, impact_problem
from zeromass.integrate.hybrid.polyhedra import Polyhedra
from zeromass.integrate.hybrid.polyhedra_table import polyhedra_table, pose_formulas
from zeromass.integrate.hybrid.tables import ints
from zeromass.kernel.language import Address, Ints, Reals, Struct, function, kernel
from zeromass.model.pieces import SystemPieces
from zeromass.model.unilateral import Unilateral

CLOSES, OPENS, SLIPS, STOPS, TURNS, STRAYS, FLOWS, RETURNS, MEETS = CAUSES = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""What ends a mode of a contact, as bits: a gap closes, a force vanishes, friction is at its limit, a slip dies out,
tangents are to be taken along other axes, a gap whose row follows from those of others is not kept closed by them, a slip is
so fast that its direction is no longer stiff, a slip dies out that has never been more than slow, and shapes meet, or touch
otherwise than before."""


class Contacts(Struct):
    """The unilateral constraints of a system, and memory for decisions about them; k contacts with three rows each.

    simultaneous   whether contacts are struck at once, or one after another
    evaluate    the rest from (t, y, parameters): see below
    normal_force, opens, two_sided   whether a contact has a normal force, may open, and may pull; carrier: what bounds its
                friction; spatial: whether the direction of its slip turns
    closed, sticks, slips, pulls, gap_margin, force_margin   places of the flags and margins among the parameters
    way         of the direction in which a slip begins, (2k,); rows, forces: of the flags of rows that are solved for, and
                of the forces of others, (3k,); axis: of the first of three numbers, −1 for constant tangents
    gap, velocity, free, force   g, (k,); J q̇, J q̈₀ + J̇ q̇ and F in the modes of the parameters, (3k,)
    normal, law n, (3k,), of contacts whose tangents turn; and `LAW` of each
    J, W        slopes of ġ and of slip velocities by rates, and q̈ by unit forces, (3k, n): the entries that may not be zero,
                row after row; J_ends, J_columns and the like: where each row begins and ends, and the columns of its entries
    along       one row of W, or a sum of them, (n,); before: room for a state, (2n,)
    begins      whether its slip begins with the piece
    reached     what has ended the piece: bits of `CAUSES`
    touching, candidate   whether each touches, and whether it does not leave; jammed: whether friction presses it so that no
                mode is a motion
    pairs       contacts whose slopes share coordinates with those of a contact, in order, itself among them:
                pairs[first_pair[k] : first_pair[k + 1]]
    listed, place   the contacts of the problem, `problem.k` of them, and where each contact stands there, −1 for nowhere
    on          rows of the problem that are solved for
    turned      whether the normal of a contact is reversed: a contact of two sides that pulls
    z, order    memory to share forces
    values      parameters with no switch that holds the motion
    shared      contacts whose normal forces have not followed from the motion
    impulse     of impacts where the last piece ended, (3k,); struck: whether there were any; gained: what they have added to
                the kinetic energy, J
    problem, impacts   of modes and impulses
    polyhedra    that touch one another
    finds, table    whether contacts are found among shapes, and their `CollisionTable`; looked: steps that were looked at
    left        rows of the record of such contacts that are left
    pace        longest first step after which slips have not turned by more than a part of a right angle, s
    choose, search, keep   what chooses these contacts, finds them in steps, and takes back a choice: see `collision_slots`
    why, which  why no modes are found, see `ContactEnd`, and of which contact
    """

    count: int
    simultaneous: bool
    evaluate: Annotated[
        Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals)
    ]
    normal_force: Ints
    carrier: Ints
    opens: Ints
    rough: Ints
    two_sided: Ints
    spatial: Ints
    closed: Ints
    sticks: Ints
    slips: Ints
    pulls: Ints
    way: Ints
    gap_margin: Ints
    force_margin: Ints
    rows: Ints
    forces: Ints
    axis: Ints
    gap: Reals
    velocity: Reals
    free: Reals
    force: Reals
    normal: Reals
    law: Reals
    J: Reals
    J_ends: Ints
    J_columns: Ints
    W: Reals
    W_ends: Ints
    W_columns: Ints
    along: Reals
    before: Reals
    begins: Ints
    reached: Ints
    touching: Ints
    candidate: Ints
    jammed: Ints
    first_pair: Ints
    pairs: Ints
    listed: Ints
    place: Ints
    on: Ints
    turned: Ints
    z: Reals
    order: Ints
    values: Reals
    impulse: Reals
    struck: bool
    gained: float
    shared: Ints
    problem: ContactProblem
    impacts: ImpactProblem
    polyhedra: Polyhedra
    finds: bool
    table: Address
    looked: int
    left: int
    pace: float
    choose: Annotated[Callable[..., int], function(Address, Address, Address, int, result=int)]
    search: Annotated[Callable[..., int], function(Address, Address, Address, Address, result=int)]
    keep: Annotated[Callable[..., None], function(Address, Address, int)]
    why: int
    which: int


Rows = tuple[list[int], list[int]]
"""Where each row of a matrix begins and ends, and the columns of its entries."""


def sparse_rows(matrix: Array) -> tuple[list[int], list[int], list[Expression]]:
    """Where each row of a matrix begins and ends, and the columns and formulas of its entries that may not be zero."""
    rows = [[c for c, e in enumerate(row) if e is not ZERO] for row in matrix]
    entries = [row[c] for row, columns in zip(matrix, rows, strict=True) for c in columns]
    return np.cumsum([0, *map(len, rows)]).tolist(), [c for columns in rows for c in columns], entries


def _equations(pieces: SystemPieces, program: Program) -> ContactEquations:
    assert program.forced is not None
    return contact_equations(program.system, pieces.unilaterals, program.forced)


def contact_formulas(pieces: SystemPieces, program: Program) -> list[list[Expression]]:
    """What `evaluate` computes: gap, velocity, free, force, normal, law, J, W."""
    equations = _equations(pieces, program)
    gaps = [ZERO if one.gap is None else one.gap for one in pieces.unilaterals]
    normals: list[Any] = []
    law: list[Any] = []
    for one in pieces.unilaterals:
        normals += list(one.normal) if one.normal is not None else [1.0, 0.0, 0.0]
        static = 0.0 if one.rough or one.smooth else one.friction
        kinetic = static if one.kinetic is None else one.kinetic
        law += [static, kinetic, one.restitution, one.size, one.speed, -ONE if one.bound is None else one.bound]
        law += [one.least_bounce, one.negligible]
    J, W = (sparse_rows(matrix)[2] for matrix in (equations.rows, equations.added))
    forces = [program.betas[leaf] for leaf in equations.symbols]
    found = [gaps, equations.velocities, equations.free, forces, normals, law, J, W]
    return [[as_expression(e) for e in some] for some in found]


def contact_guards(one: Unilateral) -> dict[int, Expression]:
    """What falls through zero where a mode of a contact ends, by the cause; 1 in other modes."""
    closed, sticks, slips = (flag > 0.5 for flag in (one.closed, one.sticks, one.slips))
    N, *T = one.forces
    margin = one.modes[6]
    found: dict[int, Any] = {}
    if one.gap is not None and one.opens and one.pair is None:
        found[CLOSES] = where(closed, 1.0, one.gap + one.modes[5])
    if one.gap is not None and (one.opens or one.two_sided):
        found[OPENS] = where(closed, (N * (1.0 - 2.0 * one.pulls) if one.two_sided else N) + margin, 1.0)
    if not (one.smooth or one.rough):
        by = one if one.carrier is None else one.carrier
        pressing = by.forces[0] * (1.0 - 2.0 * by.pulls) if by.two_sided else by.forces[0]
        μN = one.bound if one.bound is not None else as_expression(one.friction) * pressing
        w, limit, slow = one.slip, (1.0 + HELD) * μN, SLOW * one.speed
        w2, along = w[0] ** 2 + w[1] ** 2, w[0] * one.modes[3] + w[1] * one.modes[4]
        found[SLIPS] = where(sticks, limit**2 + margin**2 - T[0] ** 2 - T[1] ** 2, 1.0)
        found[STOPS] = where(slips, w2 - slow**2, 1.0)
        found[RETURNS] = where(slips, along + w2 / slow + LEAST * one.speed, 1.0)
        if one.spatial:
            found[FLOWS] = where(slips, (STIFF * one.speed) ** 2 - w2, 1.0)
    if one.gap is not None:  # a row that follows from others may not do so for long
        follows = where(one.rows[0] > 0.5, 1.0, one.modes[5] ** 2 - one.gap**2)
        found[STRAYS] = where(closed, follows, 1.0)
    if one.normal is not None:
        along = one.normal @ expressions(one.axis)
        found[TURNS] = where(closed, 1.0 - along**2 - STEEP, 1.0)
    return {cause: as_expression(zero) for cause, zero in found.items()}


@kernel
def may_end(x: Contacts, values: Reals, k: int, cause: int) -> bool:
    """Whether the mode of a contact is one that this cause ends."""
    closed = values[x.closed[k]] != 0.0
    if cause == FLOWS:
        return False
    if cause == STRAYS:
        return closed and values[x.rows[3 * k]] == 0.0
    if cause == SLIPS:
        return values[x.sticks[k]] != 0.0
    if cause == RETURNS:
        return values[x.slips[k]] != 0.0
    if cause == STOPS:
        return values[x.slips[k]] != 0.0 and not (x.begins[k] != 0 and x.spatial[k] != 0)
    return closed != (cause == CLOSES)


def contact_functions(pieces: SystemPieces, program: Program) -> Code | None:
    """Machine code of `contacts(t, y, parameters, …)`, and `poses` of polyhedra; None without contacts that are formulas."""
    if not pieces.unilaterals:
        return None
    known: dict[Program, Code] = pieces.system.memory.setdefault("contact functions", {})
    if program not in known:
        functions = {"contacts": (program.inputs, contact_formulas(pieces, program))}
        if poses := pose_formulas(pieces.unilaterals):
            functions["poses"] = program.inputs, [poses]
        known.setdefault(program, code(functions, host().scalar))
    return known[program]


def coupled_pairs(J: Rows, W: Rows, carrier: list[int], n: int) -> tuple[list[int], list[int]]:
    """Of each contact those whose rows share coordinates with its own, or with those of what it carries: see `Contacts`."""
    k = len(carrier)
    shares = np.zeros((2, k, n), dtype=np.float32)
    for way, (ends, columns) in zip(shares, (J, W), strict=True):
        for i in range(k):
            way[i, columns[ends[3 * i] : ends[3 * i + 3]]] = 1.0
            way[carrier[i]] = np.maximum(way[carrier[i]], way[i])
    found = shares[0] @ shares[1].T > 0.0
    found |= found.T | np.eye(k, dtype=bool)
    found[range(k), carrier] = found[carrier, range(k)] = True
    rows = [np.flatnonzero(row).tolist() for row in found]
    return np.cumsum([0, *map(len, rows)]).tolist(), [i for row in rows for i in row]


def contact_table(pieces: SystemPieces, program: Program, touching: Code | None) -> Contacts:
    """The unilateral constraints of a system in memory."""
    patterns: list[tuple[list[int], list[int], int]] = [([0], [], 0), ([0], [], 0)]
    if pieces.unilaterals:
        equations = _equations(pieces, program)
        found = [sparse_rows(matrix) for matrix in (equations.rows, equations.added)]
        patterns = [(ends, columns, len(entries)) for ends, columns, entries in found]
    (J_ends, J_columns, J_size), (W_ends, W_columns, W_size) = patterns
    k, n, places = len(pieces.unilaterals), len(pieces.system.coordinates), {}
    for place, leaf in enumerate(pieces.system.parameters):
        places[leaf] = place
    modes = np.array([[places[leaf] for leaf in one.modes] for one in pieces.unilaterals], dtype=np.int64).reshape(
        -1, 11
    )
    numbers = {one.name: i for i, one in enumerate(pieces.unilaterals)}
    carrier = [numbers[one.name if one.carrier is None else one.carrier.name] for one in pieces.unilaterals]
    first_pair, pairs = coupled_pairs((J_ends, J_columns), (W_ends, W_columns), carrier, n)
    real, whole = (lambda count: np.zeros(count)), (lambda: np.zeros(k, dtype=np.int64))
    return Contacts(
        count=k,
        simultaneous=pieces.given.simultaneous_impacts,
        evaluate=0 if touching is None else touching.address("contacts"),
        normal_force=ints([one.has_normal for one in pieces.unilaterals]),
        carrier=ints(carrier),
        opens=ints([one.opens for one in pieces.unilaterals]),
        rough=ints([one.rough for one in pieces.unilaterals]),
        two_sided=ints([one.two_sided for one in pieces.unilaterals]),
        spatial=ints([one.spatial for one in pieces.unilaterals]),
        closed=modes[:, 0].copy(),
        sticks=modes[:, 1].copy(),
        slips=modes[:, 2].copy(),
        pulls=modes[:, 10].copy(),
        way=modes[:, 3:5].ravel().copy(),
        gap_margin=modes[:, 5].copy(),
        force_margin=modes[:, 6].copy(),
        rows=modes[:, 7:10].ravel().copy(),
        forces=ints([places[leaf] for one in pieces.unilaterals for leaf in one.forces]),
        axis=ints([places[one.axis[0]] if one.axis else -1 for one in pieces.unilaterals]),
        gap=real(k),
        velocity=real(3 * k),
        free=real(3 * k),
        force=real(3 * k),
        normal=real(3 * k),
        law=real(LAW * k),
        J=real(J_size),
        J_ends=ints(J_ends),
        J_columns=ints(J_columns),
        W=real(W_size),
        W_ends=ints(W_ends),
        W_columns=ints(W_columns),
        along=real(n),
        before=real(2 * n),
        begins=whole(),
        reached=whole(),
        touching=whole(),
        candidate=whole(),
        jammed=whole(),
        first_pair=ints(first_pair),
        pairs=ints(pairs),
        listed=whole(),
        place=whole(),
        on=np.zeros(3 * k, dtype=np.int64),
        turned=whole(),
        z=real(3 * k),
        order=np.zeros(3 * k, dtype=np.int64),
        values=real(len(pieces.system.parameters)),
        impulse=real(3 * k),
        shared=whole(),
        problem=contact_problem(k, len(pairs)),
        impacts=impact_problem(k),
        polyhedra=polyhedra_table(pieces, touching),
    )
