"""Which contacts of a body are open, roll or slip: all cases are tried, and the first that agrees with itself is taken.

At k points that touch, with forces F on the body and accelerations a of its points against the surfaces,

    a = a₀ + D F,   D = ∂w/∂q̇ M⁻¹ (∂w/∂q̇)ᵀ         D the kinetic metric at the contacts, a₀ the acceleration without forces

    open      F = 0,               n·a ≥ 0
    rolling   a = 0,               F_n ≥ 0, |F_t| ≤ μ F_n
    slipping  n·a = 0,             F_n ≥ 0, F_t = −μ F_n s,   s the direction of the slip, or that in which it begins

The same holds of strokes, for impulses and velocities while the impulse grows; there the normal forces of contacts that
are struck are given, see `zeromass.contact.together`. Forces that change nothing are as `zeromass.contact.balance` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from zeromass.contact.balance import Meeting, Mode, balanced
from zeromass.contact.beginning_slip import begun

AGREES = 1e-9
"""Part of the sizes of forces and accelerations by which a case may miss its conditions: well above rounding."""

TURNS, TURNED = 40, 1e-12
"""Trials of the direction in which a slip begins, and the change at which they end."""


class Case(NamedTuple):
    """One case: modes, forces (k, 3), accelerations (k, 3), directions of slip, and by how much it misses its conditions."""

    modes: tuple[Mode, ...]
    F: np.ndarray
    a: np.ndarray
    s: np.ndarray
    misses: float


def decided(
    at: Meeting,
    a0: np.ndarray,
    *,
    excluded: Collection[tuple[int, Mode]] = (),
    given: Sequence[float | None] | None = None,
) -> Case:
    """The first case that agrees with itself, those with the most contacts that roll before others; else the nearest to it.

    a0        accelerations without forces, (k, 3)
    excluded  what a contact is known not to be
    given     normal forces that are known, of contacts that are struck
    """
    best: Case | None = None
    known = given or [None] * len(at.n)
    for modes in _cases(at, excluded, known):
        case = tried(at, a0, modes, known)
        if case.misses <= AGREES:
            return _released(at, a0, case, known)
        if best is None or case.misses < best.misses:
            best = case
    assert best is not None
    return best


def _released(at: Meeting, a0: np.ndarray, case: Case, given: Sequence[float | None]) -> Case:
    """The same case, or that in which contacts that are pulled, by rounding only, are open, if that agrees too."""
    N = np.einsum("ki,ki->k", at.n, case.F)
    pulled = [j for j, mode in enumerate(case.modes) if mode != "open" and given[j] is None and N[j] < 0.0]
    if not pulled:
        return case
    other = tried(at, a0, tuple("open" if j in pulled else mode for j, mode in enumerate(case.modes)), given)
    return other if other.misses <= AGREES else case


def _cases(
    at: Meeting, excluded: Collection[tuple[int, Mode]], given: Sequence[float | None]
) -> Iterator[tuple[Mode, ...]]:
    """Cases to try, fewest open contacts first, then fewest that slip."""
    choices: list[list[Mode]] = []
    for k, (s, μ, N) in enumerate(zip(at.s, at.μ, given, strict=True)):
        possible: list[Mode] = ["rolling", "slipping", "open"]
        if np.any(s) and μ < np.inf:
            possible.remove("rolling")
        if μ == np.inf:
            possible.remove("slipping")
        if N is not None:
            possible.remove("open")
        choices.append([mode for mode in possible if (k, mode) not in excluded] or possible[-1:])
    yield from sorted(product(*choices), key=lambda modes: (modes.count("open"), modes.count("slipping")))


def tried(at: Meeting, a0: np.ndarray, modes: tuple[Mode, ...], given: Sequence[float | None]) -> Case:
    """Forces and accelerations of a case, and by how much it misses its conditions, as a part of their sizes."""
    s = at.s.copy()
    begins = [k for k, mode in enumerate(modes) if mode == "slipping" and not np.any(s[k])]
    if begins:  # first against the friction that would hold it
        held = at.along(balanced(at, a0, tuple("rolling" if k in begins else m for k, m in enumerate(modes)), s, given))
        for k in begins:
            s[k] = -_unit(held[k])
    F = balanced(at, a0, modes, s, given)
    settled = not begins
    for _ in range(TURNS if begins else 0):
        a = at.along(a0 + (at.D @ F.ravel()).reshape(a0.shape))
        turned = {k: _unit(a[k]) for k in begins}
        change = max(float(np.abs(turned[k] - s[k]).max()) for k in begins)
        for k in begins:
            s[k] = turned[k]
        F = balanced(at, a0, modes, s, given)
        settled = change <= TURNED
        if settled:
            break
    if not settled:
        s = begun(at, a0, modes, s, given, begins)
        F = balanced(at, a0, modes, s, given)
    a = a0 + (at.D @ F.ravel()).reshape(a0.shape)
    return Case(modes, F, a, s, _missed(at, a0, modes, s, F, a, given))


def _unit(x: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(x)
    return x / size if size > 0.0 else x


def _missed(
    at: Meeting,
    a0: np.ndarray,
    modes: tuple[Mode, ...],
    s: np.ndarray,
    F: np.ndarray,
    a: np.ndarray,
    given: Sequence[float | None],
) -> float:
    """By how much a case misses its conditions, as a part of the sizes of forces and accelerations."""
    most = float(np.abs(F).max(initial=0.0)) or 1.0
    fast = max(float(np.abs(a0).max()), float(np.abs(at.D).max()) * most, np.finfo(float).tiny)
    most = max(most, fast / float(np.abs(at.D).max()))
    missed = [0.0]
    for j, mode in enumerate(modes):
        n, N = at.n[j], float(at.n[j] @ F[j])
        along = a[j] - (n @ a[j]) * n
        if mode == "open":
            missed.append(-float(n @ a[j]) / fast)
            continue
        missed.append(-N / most)
        if given[j] is None:
            missed.append(abs(float(n @ a[j])) / fast)
        if mode == "rolling":
            missed.append(float(np.linalg.norm(along)) / fast)
            if at.μ[j] < np.inf:
                missed.append((float(np.linalg.norm(F[j] - N * n)) - at.μ[j] * N) / most)
        elif not np.any(at.s[j]):
            missed.append(float(np.linalg.norm(along - (along @ s[j]) * s[j])) / fast)
            missed.append(-float(along @ s[j]) / fast)
    return max(missed)
