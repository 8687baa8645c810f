"""Directions in which slips begin, where friction turns them far: along the accelerations to which they lead.

A slip that begins along s has friction −μ N s against it, and its acceleration a(s) must be along s. Where friction is
strong, s ← a/|a| goes to and fro; s ← a + ρ s, made a unit vector, has the same end, and comes to it with ρ as large as
friction times the metric. Its last digits are found by Newton's method on the angles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.reference_impacts.balance import Meeting, Mode, balanced, tangents

TRIALS, NEAR = 100, 1e-3
"""Trials of damped directions, and the change at which Newton's method takes over."""

STEPS, EXACT = 12, 1e-14
"""Steps of Newton's method, and the angle at which they end."""

SMALL = 1e-7
"""Angle by which directions are turned to see what that does."""


def begun(
    at: Meeting,
    a0: np.ndarray,
    modes: tuple[Mode, ...],
    s: np.ndarray,
    given: Sequence[float | None],
    begins: Sequence[int],
) -> np.ndarray:
    """Directions of slip, (k, 3), of which those of contacts where slips begin are found; whether they agree is not said."""
    axes = {k: tangents(at.n[k]) for k in begins}

    def directed(θ: np.ndarray) -> np.ndarray:
        found = s.copy()
        for k, angle in zip(begins, θ, strict=True):
            found[k] = np.array([np.cos(angle), np.sin(angle)]) @ axes[k]
        return found

    def along(θ: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations along the surfaces, (begins, 2), and the damping ρ of each."""
        F = balanced(at, a0, modes, directed(θ), given)
        a = a0 + (at.D @ F.ravel()).reshape(a0.shape)
        held = [
            at.μ[k] * abs(at.n[k] @ F[k]) * np.abs(at.D[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]).max() for k in begins
        ]
        return np.array([axes[k] @ a[k] for k in begins]), np.array(held)

    def across(θ: np.ndarray) -> np.ndarray:
        a = along(θ)[0]
        return np.cos(θ) * a[:, 1] - np.sin(θ) * a[:, 0]

    θ = np.array([np.arctan2(*(axes[k] @ s[k])[::-1]) for k in begins])
    for _ in range(TRIALS):
        a, ρ = along(θ)
        to = a + ρ[:, None] * np.stack([np.cos(θ), np.sin(θ)], axis=1)
        turn = np.arctan2(*to.T[::-1]) - θ
        turn = (turn + np.pi) % (2 * np.pi) - np.pi
        θ = θ + turn
        if np.abs(turn).max() <= NEAR:
            break
    for _ in range(STEPS):
        missed = across(θ)
        J = np.stack([(across(θ + step) - missed) / SMALL for step in SMALL * np.eye(len(θ))], axis=1)
        turn = np.linalg.lstsq(J, -missed, rcond=None)[0]
        θ = θ + turn
        if np.abs(turn).max() <= EXACT:
            break
    return directed(θ)
