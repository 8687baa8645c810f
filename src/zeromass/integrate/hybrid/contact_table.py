"""Unilateral constraints of a system in memory: their kinematics and dynamics at a state, as machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.compile.unilateral import ContactEquations
from zeromass.expression import Expression, as_expression, expressions, where
from zeromass.expression.build import ONE, ZERO
from zeromass.integrate.hybrid.contact_problem import ContactProblem, contact_problem
from zeromass.integrate.hybrid.impact_problem import ImpactProblem, impact_problem
from zeromass.integrate.hybrid.tables import ints
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, function
from zeromass.model.pieces import SystemPieces
from zeromass.model.unilateral import Unilateral

LAW = 8
"""Numbers of each contact: μ up to which it sticks, negative where it is rough, and where it slips, e, the length and the
speed that rounding is a part of, the force that bounds the friction, negative where a contact does, the height of the least
bounce, and a force that is rounding."""

HOLD, KINETIC, RESTITUTION, SIZE, SPEED, BOUND, BOUNCE, ROUNDED = range(LAW)


CLOSES, OPENS, SLIPS, STOPS, TURNS, RETURNS = 1, 2, 4, 8, 16, 32
"""What ends a mode of a contact, as bits: a gap closes, a force vanishes, friction is at its limit, a slip dies out,
tangents are to be taken along other axes, and a slip dies out that has never been more than slow."""


SLOW = 1e-7
"""Part of √(g r) below which a slip is about to end: where it does follows from its deceleration."""

HELD = 1e-13
"""Part of the largest friction by which rounding may ask for more."""

LEAST = 5e-13
"""Part of √(g r) by which a slip that begins may return beyond zero by errors of steps: half of `STEADY`, so that friction
keeps its direction."""

STEEP = 0.2
"""Square of the sine of the angle between the normal and the axis of its tangents, below which another axis is chosen."""


class Contacts(Struct):
    """The unilateral constraints of a system, and memory for decisions about them; k contacts with three rows each.

    simultaneous   whether contacts are struck at once, or one after another
    evaluate    the rest from (t, y, parameters): see below
    normal_force, opens, two_sided   whether a contact has a normal force, may open, and may pull; carrier: what bounds its
                friction
    closed, sticks, slips, pulls, gap_margin, force_margin   places of the flags and margins among the parameters
    way         of the direction in which a slip begins, (2k,); rows, forces: of the flags of rows that are solved for, and
                of the forces of others, (3k,); axis: of the first of three numbers, −1 for constant tangents
    gap, velocity, free, force   g, (k,); J q̇, J q̈₀ + J̇ q̇ and F in the modes of the parameters, (3k,)
    normal, law n, (3k,), of contacts whose tangents turn; and `LAW` of each
    D, W        J M⁻¹ Jᵀ, and q̈ by unit forces, (3k, n)
    speed       the largest of these velocities where a piece has ended
    reached     what has ended the piece: bits such as `CLOSES`
    touching, candidate   whether each touches, and whether it does not leave; on: rows that are solved for
    A, Z, z, scale, order   room to share forces
    values      parameters with no switch that holds the motion
    impulse     of impacts where the last piece ended, (3k,); struck: whether there were any
    rested      time until all bounces that are too low to be computed would have ended, (k,), s; 0 where there are none
    problem, impacts   of modes and impulses
    why, which  why no modes are found, see `ContactEnd`, and of which contact
    """

    count: int
    simultaneous: bool
    evaluate: Annotated[
        Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals, Reals2, Reals2)
    ]
    normal_force: Ints
    carrier: Ints
    opens: Ints
    two_sided: Ints
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
    D: Reals2
    W: Reals2
    speed: float
    reached: Ints
    touching: Ints
    candidate: Ints
    on: Ints
    A: Reals2
    Z: Reals2
    z: Reals
    scale: Reals
    order: Ints
    values: Reals
    impulse: Reals
    rested: Reals
    struck: bool
    problem: ContactProblem
    impacts: ImpactProblem
    why: int
    which: int


def contact_formulas(pieces: SystemPieces, program: Program) -> list[list[Expression]]:
    """What `evaluate` computes: gap, velocity, free, force, normal, law, D, W."""
    assert program.forced is not None
    equations = ContactEquations(program.system, pieces.unilaterals, program.forced)
    gaps = [ZERO if one.gap is None else one.gap for one in pieces.unilaterals]
    normals: list[Any] = []
    law: list[Any] = []
    for one in pieces.unilaterals:
        normals += list(one.normal) if one.normal is not None else [1.0, 0.0, 0.0]
        static = -ONE if one.rough else 0.0 if one.smooth else one.friction
        kinetic = static if one.kinetic is None else one.kinetic
        law += [static, kinetic, one.restitution, one.size, one.speed, -ONE if one.bound is None else one.bound]
        law += [one.least_bounce, one.negligible]
    D = equations.rows @ equations.added.T
    forces = [program.betas[leaf] for leaf in equations.symbols]
    found = [gaps, equations.velocities, equations.free, forces, normals, law, D.ravel(), equations.added.ravel()]
    return [[as_expression(e) for e in some] for some in found]


def contact_guards(one: Unilateral) -> dict[int, Expression]:
    """What falls through zero where a mode of a contact ends, by the cause; 1 in other modes."""
    closed, sticks, slips = (flag > 0.5 for flag in (one.closed, one.sticks, one.slips))
    N, *T = one.forces
    margin = one.modes[6]
    found: dict[int, Any] = {}
    if one.gap is not None and one.opens:
        found[CLOSES] = where(closed, 1.0, one.gap + one.modes[5])
    if one.gap is not None and (one.opens or one.two_sided):
        found[OPENS] = where(closed, (N * (1.0 - 2.0 * one.pulls) if one.two_sided else N) + margin, 1.0)
    if not (one.smooth or one.rough):
        by = one if one.carrier is None else one.carrier
        pressing = by.forces[0] * (1.0 - 2.0 * by.pulls) if by.two_sided else by.forces[0]
        μN = one.bound if one.bound is not None else as_expression(one.friction) * pressing
        w, limit, slow = one.slip, (1.0 + HELD) * μN, SLOW * one.speed
        found[SLIPS] = where(sticks, limit**2 + margin**2 - T[0] ** 2 - T[1] ** 2, 1.0)
        w2, along = w[0] ** 2 + w[1] ** 2, w[0] * one.modes[3] + w[1] * one.modes[4]
        found[STOPS] = where(slips, w2 - slow**2, 1.0)
        found[RETURNS] = where(slips, along + w2 / slow + LEAST * one.speed, 1.0)
    if one.normal is not None:
        along = one.normal @ expressions(one.axis)
        found[TURNS] = where(closed, 1.0 - along**2 - STEEP, 1.0)
    return {cause: as_expression(zero) for cause, zero in found.items()}


def contact_functions(pieces: SystemPieces, program: Program) -> Code | None:
    """Machine code of `contacts(t, y, parameters, …)`; None without contacts."""
    if not pieces.unilaterals:
        return None
    known: dict[Program, Code] = pieces.system.memory.setdefault("contact functions", {})
    if program not in known:
        formulas = contact_formulas(pieces, program)
        known.setdefault(program, code({"contacts": (program.inputs, formulas)}, host().scalar))
    return known[program]


def contact_table(pieces: SystemPieces, evaluate: Any) -> Contacts:
    """The unilateral constraints of a system in memory."""
    k, n, places = len(pieces.unilaterals), len(pieces.system.coordinates), {}
    for place, leaf in enumerate(pieces.system.parameters):
        places[leaf] = place
    modes = np.array([[places[leaf] for leaf in one.modes] for one in pieces.unilaterals], dtype=np.int64).reshape(
        -1, 11
    )
    numbers = {one.name: i for i, one in enumerate(pieces.unilaterals)}
    real, whole = (lambda count: np.zeros(count)), (lambda: np.zeros(k, dtype=np.int64))
    return Contacts(
        count=k,
        simultaneous=pieces.given.simultaneous_impacts,
        evaluate=evaluate,
        normal_force=ints([one.has_normal for one in pieces.unilaterals]),
        carrier=ints([numbers[one.name if one.carrier is None else one.carrier.name] for one in pieces.unilaterals]),
        opens=ints([one.opens for one in pieces.unilaterals]),
        two_sided=ints([one.two_sided for one in pieces.unilaterals]),
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
        D=np.zeros((3 * k, 3 * k)),
        W=np.zeros((3 * k, n)),
        reached=whole(),
        touching=whole(),
        candidate=whole(),
        on=np.zeros(3 * k, dtype=np.int64),
        A=np.zeros((3 * k, 3 * k)),
        Z=np.zeros((3 * k, 3 * k)),
        z=real(3 * k),
        scale=real(3 * k),
        order=np.zeros(3 * k, dtype=np.int64),
        values=real(len(pieces.system.parameters)),
        impulse=real(3 * k),
        rested=real(k),
        problem=contact_problem(k),
        impacts=impact_problem(k),
    )
