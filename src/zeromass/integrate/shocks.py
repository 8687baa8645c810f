"""What jumps where a formula switches: nothing, rates, or what can not jump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.switching import Impulse
from zeromass.model import State
from zeromass.model.nearest import least_change
from zeromass.model.pieces import SystemPieces

LOCATED = 1e-12
"""Time by which a switch may be off, relative to 1 and to the time itself: what changes within it does not jump."""

SMALL = 1e-9
"""Part of its size below which a jump counts as rounding."""


@dataclass(frozen=True)
class Shock:
    """The state after a switch, the impulse that led there, and the jump of the energy's formula, J."""

    state: State
    impulse: Impulse | None
    energy: float


def shock(pieces: SystemPieces, before: State, after: State, changed: Sequence[int]) -> Shock | Outcome:
    """What a switch does to a state, given on the pieces before and after it; an outcome where that is no motion."""
    said = ", ".join(dict.fromkeys(f"'{pieces.switches[k].said!r}'" for k in changed))
    late = LOCATED * max(1.0, abs(before.t))
    outcome = _constraint_jump(before, after, late, said) or _energy_jump(pieces, before, after, changed, late, said)
    if outcome is not None:
        return outcome
    names, energies = pieces.energies
    jump = 0.0
    if "energy" in names:
        k = names.index("energy")
        jump = float(energies(after.inputs)[k] - energies(before.inputs)[k])
    impulse = _impulse(before, after)
    if impulse is None:
        return Shock(after, None, jump)
    return Shock(replace(after, v=after.v + impulse.change), impulse, jump)


def _constraint_jump(before: State, after: State, late: float, said: str) -> Outcome | None:
    names = [row.name for row in before.system.rows if row.level == 0]
    speeds = np.abs([after.residuals[f"rate of {name}"] - before.residuals[f"rate of {name}"] for name in names])
    jumps = np.array([after.residuals[name] - before.residuals[name] for name in names])
    size = SMALL * max(1.0, float(np.abs(before.q).max(initial=0.0)))
    bad = [(name, jump) for name, jump, v in zip(names, jumps, speeds, strict=True) if abs(jump) > size + v * late]
    if not bad:
        return None
    words = ", ".join(f"'{name}' by {jump:.6g}" for name, jump in bad[:4])
    return Outcome(
        Ending.JUMP,
        before.t,
        f"where {said} switches, the constraint {words} jumps: no finite force brings the system there; let it go over "
        "continuously, or end the run before",
    )


def _energy_jump(
    pieces: SystemPieces, before: State, after: State, changed: Sequence[int], late: float, said: str
) -> Outcome | None:
    """An energy that depends on the place through a switch, and is higher on one side of it: a force without a limit."""
    names, energies = pieces.energies
    if not names:
        return None
    (M, Q, *_), (N, R, *_) = before.matrices, after.matrices
    if "kinetic" in names or "energy" in names:
        momentum, change = M @ before.v, (N - M) @ before.v
        if np.abs(change).max(initial=0.0) > SMALL * np.abs(momentum).max(initial=0.0):
            return Outcome(
                Ending.JUMP,
                before.t,
                f"where {said} switches, the mass jumps: the equations do not tell what becomes of the momentum; end the run "
                "there and begin another one",
            )
    placed: dict[Symbol, float] = dict(after.parameters)
    for k in changed:
        if not pieces.of_place[k]:
            placed[pieces.switches[k].mode] = before.parameters[pieces.switches[k].mode]
    there = replace(after, parameters=placed)
    old, new = energies(before.inputs), energies(there.inputs)
    jump = float(np.abs(new - old)[-1 if "potential" not in names else names.index("potential")])
    size = float(np.abs(old).max() + np.abs(new).max())
    force = np.abs(Q).max() + np.abs(R).max()
    slack = late * (np.abs(Q) + np.abs(R)) @ np.abs(before.v) + late * force * np.abs(before.q).max(initial=0.0)
    if jump <= SMALL * size or jump <= slack:
        return None
    return Outcome(
        Ending.JUMP,
        before.t,
        f"where {said} switches, the potential energy jumps by {jump:.6g} J: a force without a limit; let it go over "
        "continuously, or end the run before",
    )


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
