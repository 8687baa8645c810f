"""What jumps where a formula switches: nothing, rates, or what can not jump."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zeromass.errors import ZeromassError
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.endings import CONSTRAINT_JUMPS, ENERGY_JUMPS, MASS_JUMPS
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.switching import Impulse
from zeromass.model import State, System
from zeromass.model.nearest import least_change
from zeromass.model.pieces import SystemPieces

LOCATED = 1e-12
"""Time by which a switch may be off, relative to 1 and to the time itself: what changes within it does not jump."""

SMALL = 1e-9
"""Part of its size below which a jump counts as rounding."""


@dataclass(frozen=True)
class Shock:
    """The state after a switch, the impulse that led there, and the jump of the energy's formula, J.

    leapt  whether parts without mass are elsewhere from there on
    """

    state: State
    impulse: Impulse | None
    energy: float
    leapt: bool = False


def shock(pieces: SystemPieces, before: State, after: State, changed: Sequence[int], said: str) -> Shock | Outcome:
    """What a switch does to a state, given on the pieces before and after it; an outcome where that is no motion.

    said  what switches, in words
    """
    late = LOCATED * max(1.0, abs(before.t))
    impulse, jump, leap = None, 0.0, None
    if not pieces.parts["constraints"].isdisjoint(changed):
        jumps = _constraint_jumps(before, after, late)
        leap = _leap(pieces.given, before, after, [*jumps]) if jumps else None
        if jumps and leap is None:
            return _jump(pieces.given, before, after, jumps, said)
        impulse = None if jumps else _impulse(before, after)
    if not pieces.parts["masses"].isdisjoint(changed) and _mass_jumps(before, after):
        return Outcome(Ending.JUMP, before.t, MASS_JUMPS.format(which=said))
    if not pieces.parts["energies"].isdisjoint(changed):
        step = _energy_step(pieces, before, after, [k for k in changed if pieces.of_place[k]], late)
        if step:
            return Outcome(Ending.JUMP, before.t, ENERGY_JUMPS.format(which=said, step=f"{step:.6g}"))
        names, energies = pieces.energies
        k = names.index("energy")
        jump = float(energies(after.inputs)[k] - energies(before.inputs)[k])
    if leap is not None:
        return Shock(leap, None, jump, leapt=True)
    return Shock(after if impulse is None else replace(after, v=after.v + impulse.change), impulse, jump)


def _constraint_jumps(before: State, after: State, late: float) -> dict[str, float]:
    """By how much rows of the constraints jump, those that do."""
    names = [row.name for row in before.system.rows if row.level == 0]
    speeds = np.abs([after.residuals[f"rate of {name}"] - before.residuals[f"rate of {name}"] for name in names])
    jumps = np.array([after.residuals[name] - before.residuals[name] for name in names])
    size = SMALL * max(1.0, float(np.abs(before.q).max(initial=0.0)))
    found = zip(names, jumps.tolist(), speeds.tolist(), strict=True)
    return {name: jump for name, jump, v in found if abs(jump) > size + v * late}


def _leap(given: System, before: State, after: State, jumps: Sequence[str]) -> State | None:
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


def _jump(given: System, before: State, after: State, jumps: Mapping[str, float], said: str) -> Outcome:
    """That constraints jump: as the system says it, or where, which, and by how much."""
    rows = ", ".join(f"'{name}' by {jump:.6g}" for name, jump in [*jumps.items()][:4])
    words = given.jumped([*jumps], before, after)
    if words:
        return Outcome(Ending.JUMP, before.t, f"{words} (the constraint {rows} jumps there)")
    return Outcome(Ending.JUMP, before.t, CONSTRAINT_JUMPS.format(which=said, rows=rows))


def _mass_jumps(before: State, after: State) -> bool:
    """Whether the momentum of the same rates is another one."""
    M, N = before.matrices.M, after.matrices.M
    momentum, change = np.abs(M @ before.v).max(), np.abs((N - M) @ before.v).max()
    return bool(change > SMALL * momentum)


def _energy_step(pieces: SystemPieces, before: State, after: State, placed: Sequence[int], late: float) -> float:
    """How much higher the energy is on one side of switches that depend on the place, J; 0 where it goes over there."""
    modes: dict[Symbol, float] = dict(before.parameters)
    for k in placed:
        modes[pieces.switches[k].mode] = after.parameters[pieces.switches[k].mode]
    there = replace(before, parameters=modes)
    if pieces.in_forces:
        Q, R = (pieces.stored_forces(state.inputs) for state in (before, there))
    else:
        (_, Q, *_), (_, R, *_) = before.matrices, there.matrices
    names, energies = pieces.energies
    old, new = energies(before.inputs), energies(there.inputs)
    k = names.index("potential" if "potential" in names else "energy")
    force = np.abs(Q) + np.abs(R)
    slack = late * (force @ np.abs(before.v) + force.max() * np.abs(before.q).max())
    jump = float(new[k] - old[k])
    return jump if abs(jump) > max(SMALL * float(np.abs(old).max() + np.abs(new).max()), slack) else 0.0


def _impulse(before: State, after: State) -> Impulse | None:
    """The least change of the rates that the constraints ask for after a switch."""
    rows = [row for row in after.system.rows if row.level < 2]
    if not rows:
        return None
    names = [row.name if row.level else f"rate of {row.name}" for row in rows]
    jumps = np.array([after.residuals[name] - before.residuals[name] for name in names])
    M, _, A, _, _ = after.matrices
    A = A[[row.level < 2 for row in after.system.rows]]
    terms = np.abs(A) @ np.abs(before.v)
    if np.all(np.abs(jumps) <= SMALL * np.maximum(1e-3, terms)):
        return None
    change = least_change(M, A, -jumps)
    p = np.linalg.lstsq(A.T, M @ change, rcond=None)[0]
    took = np.abs(p) > SMALL * np.abs(p).max(initial=0.0)
    energy = float(change @ M @ (before.v + change / 2))
    return Impulse(
        before.t,
        tuple(row.name for row, part in zip(rows, took, strict=True) if part),
        p[took],
        change,
        energy,
    )
