"""Modes as motions that can be looked at: a system that swings in the shape of one, on its constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.analysis.linear import LinearSystem, Mode
from zeromass.compile.program import compile
from zeromass.errors import shown
from zeromass.expression import Expression, expressions, symbols
from zeromass.integrate import Ending, Outcome, Segment, Settings, Statistics
from zeromass.integrate.stepping.dense import NODES, fitted
from zeromass.lazy import later
from zeromass.model import ModelError, State
from zeromass.model.given import given_finite

if TYPE_CHECKING:
    from zeromass.run import Run

PHASES = 32
"""Phases of a period at which the system is put onto its constraints; between them, sums of their harmonics."""

SEEN, TURNED = 0.12, 0.5
"""How far what moves most is shown to move: a part of the size of the picture, and an angle, rad."""


def swinging(linear: LinearSystem, mode: Mode, amplitude: float | None, periods: float) -> Run:
    """A run in which the system swings as a mode does, neither growing nor dying out; not a solution of its equations.

        q(t) = P(q₀ + a Re(δ e^{iφ})),   φ = ωt,   P the way back onto the constraints

    A motion that does not swing goes to and fro. A steady motion, and time in the formulas, stand still meanwhile.
    """
    periods = given_finite(periods, "periods")
    if not periods > 0:
        raise ModelError(f"periods is {shown(periods)}; it is a positive number of swings")
    at = linear.at
    if any(leaf.kind == "time" for leaf in symbols(*[row.zero for row in at.system.rows], *_drawn(at))):
        raise ModelError("the system moves with time; look at a run from linear.displaced(mode, …) instead")
    size = shown_amplitude(linear, mode) if amplitude is None else given_finite(amplitude, "amplitude")
    pace = abs(mode.eigenvalue.imag) or abs(mode.eigenvalue) or 2 * np.pi
    phases = 2 * np.pi * np.arange(PHASES) / PHASES
    q = np.array([linear.displaced(mode, size, phase).q for phase in phases])
    steps = max(int(np.ceil(PHASES * periods)), 1)
    ends = np.linspace(0.0, 2 * np.pi * periods, steps + 1)
    inner = ends[:-1, None] + NODES * np.diff(ends)[:, None]
    y, inside = _harmonics(q, ends, pace), fitted(_harmonics(q, inner, pace))
    t = at.t + ends / pace
    start = State(at.system, at.t, y[0, : len(at.q)], y[0, len(at.q) :], at.parameters)
    segment = Segment(
        compile(at.system, at),
        start,
        t,
        y,
        Outcome(Ending.FINISHED, float(t[-1]), ""),
        Statistics(steps, 0, 0, 0, 1.0),
        (),
        Settings(project=False),
        np.ones(steps),
        inside,
    )
    made: type[Run] = later("zeromass.run", "Run")
    return made((segment,))


def _harmonics(q: np.ndarray, φ: np.ndarray, pace: float) -> np.ndarray:
    """(q, q̇) at phases φ of what has the places q at phases of equal distance, shape (…, 2n)."""
    c = np.fft.rfft(q, axis=0) / len(q)
    c[1:-1] *= 2.0
    k = np.arange(len(c))
    wave = np.exp(1j * φ[..., None] * k)
    return np.concatenate([np.real(wave @ c), pace * np.real((1j * k * wave) @ c)], axis=-1)


def _drawn(state: State) -> list[Expression]:
    """Places of all that is drawn: of bodies, then the ends of each link."""
    drawing = state.system.drawing_at(state.parameters)
    ends = [end for link in drawing.links for end in (link.a, link.b)]
    return [e for place in (*[body.position for body in drawing.bodies], *ends) for e in place]


def shown_amplitude(linear: LinearSystem, mode: Mode) -> float:
    """The amplitude at which what moves most moves by a part of the picture that the eye sees well, and turns by little."""
    at = linear.at
    drawing = at.system.drawing_at(at.parameters)
    count, places = len(drawing.bodies), expressions(_drawn(at))
    turns = expressions([e for body in drawing.bodies if body.quaternion is not None for e in body.quaternion])
    here, reach, shifts, turned = _values(places, at).reshape(-1, 3), 1e-6, 0.0, 0.0
    lengths = np.linalg.norm(here[count + 1 :: 2] - here[count::2], axis=1)
    for phase in (0.0, np.pi / 2):
        δ = np.real(linear.directions @ (mode.vector * np.exp(1j * phase)))[: len(at.q)]
        beside = State(at.system, at.t, at.q + reach * δ, at.v, at.parameters)
        moved = (_values(places, beside).reshape(-1, 3) - here) / reach
        turn = (_values(turns, beside) - _values(turns, at)).reshape(-1, 4) / reach
        along = np.linalg.norm(moved[count + 1 :: 2] - moved[count::2], axis=1)[lengths > 0] / lengths[lengths > 0]
        shifts = max(shifts, np.linalg.norm(moved, axis=1).max(initial=0.0))
        turned = max(turned, 2 * np.linalg.norm(turn, axis=1).max(initial=0.0), along.max(initial=0.0))
    size = float(np.ptp(here, axis=0).max()) if len(here) else 0.0
    bounds = [SEEN * (size or 1.0) / shifts if shifts else np.inf, TURNED / turned if turned else np.inf]
    return float(min(bounds)) if np.isfinite(min(bounds)) else 1.0


def _values(e: np.ndarray, state: State) -> np.ndarray:
    return np.asarray(state[e], dtype=float) if e.size else np.empty(0)
