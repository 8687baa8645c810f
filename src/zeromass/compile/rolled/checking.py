"""The diagnosis of a large system: ranks by its elimination and block by block, with no matrix as a whole.

Which rows of A repeat others is decided as for its motions, pivot by pivot, see `Machine.decide`. Directions without inertia
belong to parts without mass: those that rows connect are looked at together, and apart from all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from zeromass.compile.rolled.elements import Acting
from zeromass.compile.rolled.equations import alone
from zeromass.compile.rolled.loops import FLOOR
from zeromass.compile.rolled.machine import GUARD
from zeromass.compile.rolled.native import RolledNative
from zeromass.compile.rolled.program import RolledProgram, can_roll, rolled_at
from zeromass.compile.rolled.sharing import MOST
from zeromass.compile.rolled.structure import Structure
from zeromass.equation import Verdict, numerical_rank
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Expression, expressions, gradient, jacobian, rate
from zeromass.model import State, System
from zeromass.model.check import NEARBY, VISIBLE, Dependence, Diagnosis, Undetermined, undetermined
from zeromass.model.integrability import kinds

ROUNDS, NEAR = 20, 1e-12
"""Corrections that bring a state beside another one onto the constraints, and what they change at last."""

CANCELS = 64 * np.finfo(float).eps
"""Part of its terms that rounding leaves of a slope that vanishes."""

AROUND = 64
"""Coordinates up to which the parts beside a constraint are looked at with it."""


def large_diagnosis(system: System, state: State) -> Diagnosis | None:
    """The diagnosis of a large system at a state; None where its code is not rolled, and its matrices are written out."""
    if not can_roll(system):
        return None
    program = rolled_at(system, state)
    structure, native = program.structure, cast(RolledNative, program.native)
    n, dropped = len(system.coordinates), structure.dropped
    open_ = _open(structure, state) if structure.undetermined else ()
    _, growth, left, sizes = structure.residual(native.machine("motion", 1), state)
    off = ~negligible(left, sizes + FLOOR * sizes.max(initial=0.0), np.sqrt(CONSISTENCY_TOLERANCE))
    against = set(structure.rows[off].tolist()) if dropped and not open_ else set()
    force = [state[item.force] for item in open_ if item.force is not None]
    verdict = (
        Verdict.INCONSISTENT
        if against
        else (Verdict.IMPOSSIBLE_FORCE if np.any(np.abs(force) > VISIBLE) else Verdict.UNDETERMINED)
        if open_
        else Verdict.UNIQUE
    )
    kinematic = sum(row.level < 2 for row in system.rows) - sum(system.rows[i].level < 2 for i in dropped)
    dependent, inseparable = _dependent(program, state, against)
    return Diagnosis(
        verdict=verdict,
        coordinates=n,
        rank=n - len(open_),
        margin=float(1 / (growth * GUARD)) if not open_ else 0.0,
        degrees_of_freedom=n - kinematic,
        constraint_rank=len(system.rows) - len(dropped),
        constraint_rows=len(system.rows),
        kinds=_kinds(structure, state),
        undetermined=open_,
        dependent=dependent,
        inseparable=inseparable,
        lost=_lost(program, state),
    )


# rows that repeat others -------------------------------------------------------------------------------------------------
def _dependent(
    program: RolledProgram, state: State, against: set[int]
) -> tuple[tuple[Dependence, ...], tuple[str, ...]]:
    """Rows that follow from others, and the constraints whose forces can not be told apart for that."""
    structure, rows = program.structure, program.system.rows
    if not structure.dropped:
        return (), ()
    if len(structure.dropped) > MOST:
        return tuple(Dependence(rows[i].name, {}, i not in against) for i in structure.dropped), ()
    nothing = cast(RolledNative, program.native).sharing.nothing(state.inputs)
    told = structure.rows.tolist()
    found = []
    for u, i in zip(nothing.T, [i for i in told if i in set(structure.dropped)], strict=True):
        own = told.index(i)
        others = np.flatnonzero(np.abs(u) > VISIBLE * np.abs(u).max())
        follows = {rows[told[k]].name: float(-u[k] / u[own]) for k in others.tolist() if k != own}
        wrong = i in against or any(told[k] in against for k in others.tolist())
        found.append(Dependence(rows[i].name, follows, not wrong))
    shared = np.abs(nothing).max(axis=1) > VISIBLE
    names = dict.fromkeys(rows[i].group for i, yes in zip(told, shared, strict=True) if yes)
    return tuple(found), tuple(names)


def _lost(program: RolledProgram, state: State) -> tuple[str, ...]:
    """Whether the constraints lose rank at just this state, compared with one beside it that satisfies them too."""
    here = len(program.structure.dropped)
    beside = _beside(program, state) if here else None
    if beside is None:
        return ()
    y = np.concatenate([beside.q, beside.v])
    values = np.array([state.parameters[p] for p in state.system.parameters], dtype=float)
    there = len(Structure(program.structure.system, beside.t, y, values).dropped)
    if there >= here:
        return ()
    count = len(program.system.rows)
    return (
        f"A has lost rank: the constraints have {count - here} independent rows at this state and {count - there} nearby; "
        "it is a singular configuration, start from a state away from it",
    )


def _beside(program: RolledProgram, state: State) -> State | None:
    """A state on the constraints a little away from another one; None if none is found."""
    native, n = cast(RolledNative, program.native), len(state.q)
    y = np.concatenate([np.random.default_rng(0).normal(state.q, NEARBY), state.v])
    values = np.array([state.parameters[p] for p in state.system.parameters], dtype=float)
    for level, task in enumerate(("positions", "velocities")):
        if task not in program.corrections:
            continue
        machine, some = native.machine(task, 1), slice(level * n, (level + 1) * n)
        for _ in range(ROUNDS):
            change = machine(state.t, y, values, n)[0][:, 0]
            y[some] += change
            if not np.abs(change).max() > NEAR * max(1.0, float(np.abs(y[some]).max())):
                break
        else:
            return None
    return State(state.system, state.t, y[:n], y[n:], state.parameters) if np.isfinite(y).all() else None


# directions without inertia ----------------------------------------------------------------------------------------------
def _open(structure: Structure, state: State) -> tuple[Undetermined, ...]:
    """Directions that neither inertia nor constraints fix: of parts without mass, those together that rows connect."""
    system, elements = structure.system, structure.elements
    massless: dict[int, np.ndarray] = {}
    for b, block in enumerate(elements.blocks):
        parts = [] if block.part is None else [block.part]
        M = state[System(parts).M] if parts else np.zeros((1, 1))
        N = numerical_rank(np.atleast_2d(M)).null_space
        if N.size:
            massless[b] = N
    rows = [(i, [b for b in element.blocks if b in massless]) for element in elements.rows for i in element.rows]
    rows += [(i, [b]) for i, b in elements.absorbed.items() if b in massless]
    found: list[Undetermined] = []
    for blocks in _connected(list(massless), [some for _, some in rows]):
        own = [elements.blocks[b] for b in blocks]
        q = expressions([x for block in own for x in block.coordinates])
        touching = [i for i, some in rows if set(some) & set(blocks)]
        A = _slopes(system, touching, q, state)
        N = np.zeros((len(q), sum(massless[b].shape[1] for b in blocks)))
        row = column = 0
        for b in blocks:
            a, c = massless[b].shape
            N[row : row + a, column : column + c] = massless[b]
            row, column = row + a, column + c
        held = A @ N
        held[np.abs(held) <= CANCELS * (np.abs(A) @ np.abs(N))] = 0.0  # rounding would be scaled up like anything else
        free = N @ numerical_rank(held).null_space if len(touching) else N
        if free.size:
            Q = _forces([acting for acting in elements.acting if set(acting.blocks) & set(blocks)], q)
            found += undetermined(q, [block.part for block in own if block.part is not None], Q, state, free)
    return tuple(found)


def _slopes(system: System, rows: Sequence[int], q: np.ndarray, state: State) -> np.ndarray:
    """The columns of rows of A that belong to some coordinates."""
    by = {0: q, 1: rate(q), 2: rate(rate(q))}
    entries = [jacobian([system.rows[i].zero], by[system.rows[i].level])[0] for i in rows]
    return np.atleast_2d(state[expressions(entries)]) if rows else np.zeros((0, len(q)))


def _forces(acting: Sequence[Acting], q: np.ndarray) -> np.ndarray:
    total = expressions(np.zeros(len(q)))
    for one in acting:
        load = one.load
        total = total + (-gradient(load, q) if isinstance(load, Expression) else expressions(load.generalized(q)))
    return expressions(total)


def _connected(members: Sequence[int], ties: Sequence[Sequence[int]]) -> list[list[int]]:
    """Members that ties connect, together."""
    lead = {b: b for b in members}

    def first(b: int) -> int:
        while lead[b] != b:
            b = lead[b]
        return b

    for some in ties:
        for b in some[1:]:
            lead[first(b)] = first(some[0])
    groups: dict[int, list[int]] = defaultdict(list)
    for b in members:
        groups[first(b)].append(b)
    return list(groups.values())


# kinds of constraints ----------------------------------------------------------------------------------------------------
def _kinds(structure: Structure, state: State) -> dict[str, str]:
    """Of what kind each constraint is; rows of rates with the parts beside them, once for all that are alike."""
    system, elements = structure.system, structure.elements
    result = {row.group: "holonomic" for row in system.rows if row.level == 0}
    result |= {row.group: "at acceleration level" for row in system.rows if row.level == 2}
    of: dict[int, int] = {}
    touching: dict[int, set[int]] = defaultdict(set)
    for e, element in enumerate(elements.rows):
        of |= dict.fromkeys(element.rows, e)
        for b in element.blocks:
            touching[b].add(e)
    number = {
        i: (k, r) for k, kind in enumerate(structure.kinds) for some in kind.rows for r, i in enumerate(some.tolist())
    }
    known: dict[Any, dict[int, str]] = {}
    for element in elements.rows:
        if all(system.rows[i].level != 1 for i in element.rows):
            continue
        around = sorted({e for b in element.blocks for e in touching[b]})
        blocks = sorted({b for e in around for b in elements.rows[e].blocks})
        if sum(len(elements.blocks[b].coordinates) for b in blocks) > AROUND:
            blocks = list(element.blocks)
            around = [e for e in around if set(elements.rows[e].blocks) <= set(blocks)]
        key = (number[element.rows[0]], tuple(sorted(number[elements.rows[e].rows[0]] for e in around)))
        if key not in known:
            known[key] = _looked(system, [elements.blocks[b] for b in blocks], around, elements, element, state)
        for r, i in enumerate(element.rows):
            if system.rows[i].level == 1:
                result[system.rows[i].group] = known[key][r]
    order = dict.fromkeys(row.group for row in system.rows)
    return {group: result[group] for group in order}


def _looked(
    system: System, blocks: Sequence[Any], around: Sequence[int], elements: Any, element: Any, state: State
) -> dict[int, str]:
    """Of each row of an element: what kind it is, in a system of the parts around it alone."""
    rows = [system.rows[i] for e in around for i in elements.rows[e].rows]
    own = {system.rows[i].name: r for r, i in enumerate(element.rows)}
    few = alone(blocks, [row._replace(group=row.name) for row in rows])
    q, v = (state[expressions(list(some))] for some in (few.coordinates, few.rates))
    here = State(few, state.t, q, v, {p: state.parameters[p] for p in few.parameters})
    found = kinds(few, here)
    return {r: found[name] for name, r in own.items()}


__all__ = ["large_diagnosis"]
