"""All Lyapunov exponents of a motion along its constraints.

    W ← Φ W,  W = Q R,  λ_i = Σ log R_ii / T,  W ← Q

After each part of the run the tangents are brought back into the constraints: what leaves these has exponents too, of the
formulas and not of the motion.
"""

from __future__ import annotations

import numpy as np

from zeromass.analysis.neighbours import Neighbours
from zeromass.analysis.tangent import allowed_directions, one_smooth_motion
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator, expressions, jacobian
from zeromass.integrate import Course
from zeromass.model import ModelError


def lyapunov_spectrum(run: Course, *, every: float | None = None, seed: int = 0) -> np.ndarray:
    """All Lyapunov exponents, 1/s, the largest first: as many as there are directions along the constraints.

    every  time between renormalisations, s; a hundredth of the run by default

    A damped spring, ẍ = −x − ẋ/2, has −1/4 twice; their sum is that of what damps:

    >>> x = zm.coordinate("x")
    >>> damped = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -zm.rate(x) / 2})
    >>> run = zm.simulate(damped, damped.start({x: 1.0}), until=100.0)
    >>> exponents = zm.lyapunov_spectrum(run)
    >>> round(float(exponents.sum()), 8), bool(abs(exponents + 0.25).max() < 0.02)
    (-0.5, True)
    """
    span = float(run.t[-1] - run.t[0])
    if not span > 0:
        raise ModelError("Lyapunov exponents need a run forward in time")
    count = max(1, round(span / (span / 100 if every is None else float(every))))
    times = np.linspace(run.t[0], run.t[-1], count + 1)
    N = allowed_directions(run)
    W = np.linalg.qr(N @ np.random.default_rng(seed).normal(size=(N.shape[1], N.shape[1])))[0]
    system = run.system
    zeros = expressions([zero for level in (0, 1) for _, zero in system.zeros(level)])
    constraints = Evaluator(jacobian(zeros, [*system.coordinates, *system.rates]), system.inputs)
    rank = len(N) - N.shape[1]
    total, sampled = np.zeros(N.shape[1]), run.at(times[1:])
    along = numerical_rank(constraints(sampled.inputs), rank=rank).null_space if rank else None
    one_smooth_motion(run)
    neighbours = Neighbours(run, W, np.zeros((len(run.parameters), N.shape[1])), float(times[0]))
    for k, end in enumerate(times[1:].tolist()):
        W = neighbours.carry(end)
        if along is not None:
            W = along[k] @ (along[k].T @ W)
        W, R = np.linalg.qr(W)
        total += np.log(np.abs(np.diag(R)))
        neighbours.go_on(sampled.y[k], W)
    return np.sort(total / span)[::-1]
