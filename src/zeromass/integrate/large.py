"""What keeps a large system from beginning its motion: found from its elements, and not from matrices as a whole."""

from __future__ import annotations

from typing import cast

import numpy as np

from zeromass.compile.program import Program
from zeromass.compile.rolled.native import RolledNative
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.model import State

MOST = 4
"""Names that a message lists at most."""


def at_large_start(program: Program, start: State, violation: float) -> Outcome | None:
    """What keeps a run from beginning; `violation` of a constraint is allowed, relative to the state or 1."""
    native = cast(RolledNative, program.native)
    structure = native.structure
    open_ = structure.undetermined
    if open_:
        words = f"the masses and constraints do not determine the accelerations of {_listed(open_)}"
        return Outcome(Ending.NON_UNIQUE, start.t, words)
    size = violation * max(1.0, float(np.abs([*start.q, *start.v]).max()))
    for task in program.corrections:
        missing, names = structure.missing(native.machine(task, 1), task, start)
        violated = [f"'{name}' by {value:.3g}" for name, value in zip(names, missing, strict=True) if abs(value) > size]
        if violated:
            words = (
                f"the start violates {', '.join(violated[:MOST])}; make it with system.start(…) and the parameters of "
            )
            return Outcome(Ending.INCONSISTENT, start.t, words + "the run")
    slopes, growth, left, sizes = structure.residual(native.machine("motion", 1), start)
    if not np.all(np.isfinite(slopes)) or not np.isfinite(growth):
        names = structure.not_finite(native.machine("motion", 1))
        return Outcome(
            Ending.NOT_A_NUMBER, start.t, f"at the start {_listed(names) or 'a formula'} has no finite value"
        )
    names = structure.contradicting(start, left, sizes)
    if names:
        words = f"the constraints {_listed(names)} contradict others, which they depend on"
        return Outcome(Ending.INCONSISTENT, start.t, words)
    return None


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(f"'{name}'" for name in names[:MOST]) + more
