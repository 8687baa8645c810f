"""Resets of a motion at switches, by the kernels of its driver: how it goes on or ends there, and the impulse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from zeromass.errors import ZeromassError
from zeromass.expression import Evaluator, expressions
from zeromass.integrate.hybrid.endings import CONSTRAINT_JUMPS, ENERGY_JUMPS, MASS_JUMPS
from zeromass.integrate.hybrid.memory import Crossing
from zeromass.integrate.hybrid.piece_memory import PieceMemory
from zeromass.integrate.hybrid.pieces import Impulse
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.model import State, System
from zeromass.model.collisions import Colliders
from zeromass.model.pieces import SystemPieces


def state_beyond(
    pieces: SystemPieces, memory: PieceMemory, before: State, after: State, changed: Sequence[int]
) -> tuple[Crossing, State] | Outcome:
    """The state beyond switches, given on the pieces before and after them; an outcome where that is no motion.

    NOTHING jumps there, or rates do, IMPULSE, or parts without mass, CONSTRAINT
    """
    found, v = memory.reset(before, after, changed)
    said, t, size = pieces.words(changed), before.t, f"{memory.m.jumps.size:.6g}"
    if found is Crossing.CONSTRAINT:
        jumps = _jumps(memory)
        moved = _moved(pieces.given, before, after, [*jumps])
        return _ended(pieces.given, before, after, jumps, said) if moved is None else (found, moved)
    if found is Crossing.MASS:
        return Outcome(Ending.JUMP, t, MASS_JUMPS.format(which=said))
    if found is Crossing.ENERGY:
        return Outcome(Ending.JUMP, t, ENERGY_JUMPS.format(which=said, step=size))
    return found, State(after.system, t, after.q, v, after.parameters, after.free)


def impulse_between(before: State, after: State) -> Impulse:
    """The impulse that has changed rates, of states on the pieces after a switch.

    M Δq̇ = Aᵀ p
    """
    rows = [row for row in after.system.rows if row.level < 2]
    M, _, A, _, _ = after.matrices
    A = A[[row.level < 2 for row in after.system.rows]]
    change = after.v - before.v
    p = np.linalg.lstsq(A.T, M @ change, rcond=None)[0]
    took = np.abs(p) > SMALL * np.abs(p).max(initial=0.0)
    names = tuple(row.name for row, part in zip(rows, took, strict=True) if part)
    return Impulse(before.t, names, p[took], change, float(change @ M @ (before.v + change / 2)))


def contact_impulse(pieces: SystemPieces, after: State, before: np.ndarray, P: np.ndarray) -> Impulse:
    """The impulses of contacts at one moment; `after` is the state behind the impact, see `contact_impulses`."""
    return contact_impulses(pieces, after.inputs[None], before[None], P[None])[0]


def contact_impulses(pieces: SystemPieces, inputs: np.ndarray, before: np.ndarray, P: np.ndarray) -> list[Impulse]:
    """The impulses of contacts at several moments.

    inputs  t, q, q̇ and parameters behind the impacts, (k, inputs); before: the rates q̇ in front of them, (k, n)
    P       normal impulses and those of friction along both tangents, (k, 3c), N s
    """
    system, n = pieces.system, before.shape[1]
    if "masses" not in system.memory:
        system.memory["masses"] = Evaluator(expressions(system.sparse_M.entries), system.inputs)
    M = system.sparse_M.filled(system.memory["masses"](inputs))
    change = inputs[:, 1 + n : 1 + 2 * n] - before
    energies = np.einsum("ki,kij,kj->k", change, M, before + change / 2)
    moments = zip(inputs[:, 0].tolist(), P.reshape(len(P), -1, 3), change, energies.tolist(), strict=True)
    return [Impulse(t, *_impulses(pieces, p), jump, energy) for t, p, jump, energy in moments]


def _impulses(pieces: SystemPieces, P: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and sizes of the impulses of contacts, (c, 3), at one moment."""
    struck = [(one, p) for one, p in zip(pieces.unilaterals, P, strict=True) if p.any()]
    parts = [(one.name, p[0]) for one, p in struck if one.scalar]
    for one, p in struck:
        normal, friction = one.impulse_names
        parts += [] if one.scalar else [(normal, p[0]), (friction, np.sqrt(p[1] * p[1] + p[2] * p[2]))]
    return tuple(name for name, _ in parts), np.array([size for _, size in parts])


def found_impulse(
    colliders: Colliders, after: State, before: np.ndarray, struck: Mapping[tuple[int, int], float], energy: float
) -> Impulse:
    """The impulses of contacts that were found among shapes.

    after, before  states behind and speeds before the impacts
    struck         normal impulses of pairs of shapes, N s; energy: what they add to the kinetic energy, J
    """
    names = tuple(colliders.name(*pair) for pair in struck)
    return Impulse(after.t, names, np.array([*struck.values()]), after.v - before, energy)


def energy_jump(pieces: SystemPieces, before: State, after: State) -> float:
    """By how much the formula of the energy jumps between two pieces, at the same state, J; 0 where it has no energy."""
    names, energies = pieces.energies
    if "energy" not in names:
        return 0.0
    k = names.index("energy")
    return float(energies(after.inputs)[k] - energies(before.inputs)[k])


def _jumps(memory: PieceMemory) -> dict[str, float]:
    """By how much constraints of positions jump, those that do."""
    j, rows = memory.m.jumps, [row for row in memory.pieces.system.rows if row.level == 0]
    sizes = (j.after - j.before)[: len(rows)].tolist()
    return {row.name: size for row, size, some in zip(rows, sizes, j.jumped.tolist(), strict=True) if some}


def _moved(given: System, before: State, after: State, jumps: Sequence[str]) -> State | None:
    """The state after a switch, parts without mass put where their constraints are then; None where masses would move."""
    if not given.leaps(jumps, before, after):
        return None
    try:
        found = after.carried_to(after.system)
    except ZeromassError:
        return None
    heavy = np.abs(after.matrices.M).max(axis=0) > 0.0
    for old, new in ((after.q, found.q), (after.v, found.v)):
        size = max(1.0, float(np.abs(old[heavy]).max(initial=0.0)))
        if np.abs(new - old)[heavy].max(initial=0.0) > SMALL * size:
            return None
    return found


def _ended(given: System, before: State, after: State, jumps: dict[str, float], said: str) -> Outcome:
    """That constraints jump: as the system says it, or where, which, and by how much."""
    rows = ", ".join(f"'{name}' by {jump:.6g}" for name, jump in [*jumps.items()][:4])
    words = given.jumped([*jumps], before, after)
    if words:
        return Outcome(Ending.JUMP, before.t, f"{words} (the constraint {rows} jumps there)")
    return Outcome(Ending.JUMP, before.t, CONSTRAINT_JUMPS.format(which=said, rows=rows))
