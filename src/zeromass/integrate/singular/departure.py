"""The way out of a singular position that a run starts in, where the rates tell on which branch it goes on."""

from __future__ import annotations

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.expression import Evaluator
from zeromass.integrate.settings import Settings
from zeromass.integrate.singular.crossing import Crossing
from zeromass.integrate.singular.judge import Miss
from zeromass.integrate.singular.leap import Leap
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.status import Tolerances
from zeromass.model import State

BESIDE = 1e-3
"""Part of the time in which a start moves by its own size after which pivots and rank are chosen."""

SHORTEST = 12
"""How often a leap out of a start is halved."""

CORRECTIONS, CUT = 8, 1e-7
"""Newton's corrections of a state beside a start, and the part of the strongest rows below which they leave out others."""


def departure(start: State, until: float, settings: Settings) -> tuple[Program, Leap] | None:
    """The program beside a singular start, and the leap in whose middle the start is; None if no motion is determined.

    The rows regain their strength linearly along the rates of the start, in both directions, if these are tangent to one
    branch and not to another one as well; then the motion is as analytic there as in any crossing.
    """
    speed = float(np.abs(start.v).max(initial=0.0))
    if not speed > 0 or not settings.project or settings.step is not None:
        return None
    values = np.array([start.parameters[p] for p in start.system.parameters])
    tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step)
    natural = max(1.0, float(np.abs(start.q).max())) / speed
    beside = _beside(start, np.copysign(BESIDE * natural, until - start.t))
    program = program_at(start.system, beside)
    seen = np.array([beside.t]), np.concatenate([beside.q, beside.v])[None]
    crossing = Crossing(
        program, beside, seen, Functions(program.native, values), tolerances, settings.limits.correction
    )
    h = 2 * min(natural, abs(until - start.t), 3 * settings.longest_step)
    for _ in range(SHORTEST):
        found = crossing.out_of(start.t, np.concatenate([start.q, start.v]), np.copysign(h, until - start.t))
        if found is not None:
            crosses = not isinstance(crossing.judge(found, start.t), Miss)
            return (program, found) if crosses and crossing.transversal(found) else None
        h /= 2
    return None


def _beside(start: State, ahead: float) -> State:
    """A state a little ahead, on the constraints."""
    system, n = start.system, len(start.q)
    position = [i for i, row in enumerate(system.rows) if row.level == 0]
    zeros = Evaluator([system.rows[i].zero for i in position], system.inputs)
    state = State(system, start.t + ahead, start.q + ahead * start.v, start.v, start.parameters)
    for _ in range(CORRECTIONS if position else 0):
        δ = np.linalg.pinv(state.matrices.A[position], rcond=CUT) @ zeros(state.inputs)
        state = State(system, state.t, state.q - δ, start.v, start.parameters)
    A = state.matrices.A
    inputs = state.inputs.copy()
    inputs[1 + n : 1 + 2 * n] = state.v
    rates = Evaluator(system.velocity_constraints, system.inputs)(inputs) if len(system.velocity_constraints) else []
    velocity = [i for i, row in enumerate(system.rows) if row.level < 2]
    v = state.v - np.linalg.pinv(A[velocity], rcond=CUT) @ np.asarray(rates) if velocity else state.v
    return State(system, state.t, state.q, v, start.parameters)
