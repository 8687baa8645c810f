"""How the tests of this folder run and measure.

A bound is two to five times the error that was measured, which each test's docstring states: the rest is for machines
that round differently. Where a bound is a number of units of rounding instead, it says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import zeromass as zm

EPS = np.finfo(float).eps
TIGHT = {"rtol": 1e-13, "atol": 1e-15}
"""As much as the step control can tell from rounding: about 450 units in the last place in a step."""


def exact_run(system: zm.System, start: zm.State, until: float, **options: Any) -> zm.Run:
    """A run at tight tolerances that went all the way."""
    run = zm.simulate(system, start, until=until, **{**TIGHT, **options})
    assert run.outcome.complete, str(run.outcome)
    return run


def relative(computed: Any, expected: Any, scale: float | None = None) -> float:
    """Largest difference as part of the largest expected entry, or of a given scale."""
    computed, expected = np.asarray(computed, dtype=float), np.asarray(expected, dtype=float)
    assert computed.shape == expected.shape
    return float(np.max(np.abs(computed - expected)) / (np.max(np.abs(expected)) if scale is None else scale))


def rotation(axis: Any, angle: Any) -> np.ndarray:
    """Matrices of turns by angles, shape (k,), about a fixed unit axis (3,): Rodrigues' formula, shape (k, 3, 3)."""
    x, y, z = np.asarray(axis, dtype=float)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = np.atleast_1d(angle)[:, None, None]
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def quaternion(S: np.ndarray) -> np.ndarray:
    """A unit quaternion of a rotation matrix, (4,)."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(S).as_quat()
    return np.array([w, x, y, z])
