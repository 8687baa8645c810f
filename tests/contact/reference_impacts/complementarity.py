"""Which contacts of a body are open, roll or slip: all cases are tried, and the first that agrees with itself is taken.

Of many contacts there are too many cases. There one leads to the next: from all that roll, that contact is changed which
misses its condition by most, until a case agrees.

At k points that touch, with forces F on the body and accelerations a of its points against the surfaces,

    a = a₀ + D F,   D = ∂w/∂q̇ M⁻¹ (∂w/∂q̇)ᵀ         D the kinetic metric at the contacts, a₀ the acceleration without forces

    open      F = 0,               n·a ≥ 0
    rolling   a = 0,               F_n ≥ 0, |F_t| ≤ μ F_n
    slipping  n·a = 0,             F_n ≥ 0, F_t = −μ F_n s,   s the direction of the slip, or that in which it begins

The same holds of strokes, for impulses and velocities while the impulse grows; there the normal forces of contacts that
are struck are given, see `contact.reference_impacts.together`. Forces that change nothing are as
`contact.reference_impacts.balance` says.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from contact.reference_impacts.balance import Meeting, Mode, balanced
from contact.reference_impacts.beginning_slip import begun

AGREES = 1e-9
"""Part of the sizes of forces and accelerations by which a case may miss its conditions: well above rounding."""

NO_FORCE = 1e-12
"""Part of the sizes of forces up to which a normal force is none: rounding, whatever its sign."""

MANY, MOST = 5, 8
"""Contacts at most of which all cases are tried at once, and at most where one does not lead to another that agrees."""

LEADS = 4
"""Changes of each contact, on the average, by which one case may lead to another."""

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
    choices = _choices(at, excluded, known)
    if len(choices) > MANY:
        best = _led(at, a0, choices, known)
        if best.misses <= AGREES or len(choices) > MOST:
            return _released(at, a0, best, known)
    for modes in sorted(product(*choices), key=lambda modes: (modes.count("open"), modes.count("slipping"))):
        case = tried(at, a0, modes, known)
        if case.misses <= AGREES:
            return _released(at, a0, case, known)
        if best is None or case.misses < best.misses:
            best = case
    assert best is not None
    return best


def _released(at: Meeting, a0: np.ndarray, case: Case, given: Sequence[float | None]) -> Case:
    """The same case, or that in which contacts that are pulled, by little, are open, if that agrees too."""
    N, least = np.einsum("ki,ki->k", at.n, case.F), -NO_FORCE * _sizes(at, a0, case.F)[0]
    pulled = [j for j, mode in enumerate(case.modes) if mode != "open" and given[j] is None and N[j] < least]
    if not pulled:
        return case
    other = tried(at, a0, tuple("open" if j in pulled else mode for j, mode in enumerate(case.modes)), given)
    return other if other.misses <= AGREES else case


def _led(at: Meeting, a0: np.ndarray, choices: list[list[Mode]], given: Sequence[float | None]) -> Case:
    """The case that others lead to, from that in which all contacts touch and roll; the nearest to one if none agrees."""
    case = best = tried(at, a0, tuple(possible[0] for possible in choices), given)
    seen = {case.modes}
    for _ in range(LEADS * len(choices)):
        if best.misses <= AGREES:
            break
        misses = _misses(at, a0, case, given)
        worst = sorted((j for j, missed in enumerate(misses) if missed > AGREES), key=lambda j: -misses[j])
        others = [found for j in worst for found in _others(at, case, choices, j) if found not in seen]
        if not others:
            break
        seen.add(others[0])
        case = tried(at, a0, others[0], given)
        best = case if case.misses < best.misses else best
    return best


def _others(at: Meeting, case: Case, choices: list[list[Mode]], j: int) -> list[tuple[Mode, ...]]:
    """Cases in which one contact is another: open where it pulls; else rolling where it slips, and the other way round."""
    order: tuple[Mode, ...] = ("rolling", "slipping", "open")
    if case.modes[j] != "open" and float(at.n[j] @ case.F[j]) < 0.0:
        order = ("open", "rolling", "slipping")
    wanted: list[Mode] = [mode for mode in order if mode in choices[j] and mode != case.modes[j]]
    found: list[tuple[Mode, ...]] = [(*case.modes[:j], mode, *case.modes[j + 1 :]) for mode in wanted]
    return found


def _choices(at: Meeting, excluded: Collection[tuple[int, Mode]], given: Sequence[float | None]) -> list[list[Mode]]:
    """What each contact may be, rolling before slipping, and open last."""
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
    return choices


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
    case = Case(modes, F, a, s, 0.0)
    return case._replace(misses=max(0.0, *_misses(at, a0, case, given)))


def _unit(x: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(x)
    return x / size if size > 0.0 else x


def _misses(at: Meeting, a0: np.ndarray, case: Case, given: Sequence[float | None]) -> list[float]:
    """By how much each contact misses its conditions, as a part of the sizes of forces and accelerations."""
    modes, F, a, s, _ = case
    most, fast = _sizes(at, a0, F)
    found = []
    for j, mode in enumerate(modes):
        n, N = at.n[j], float(at.n[j] @ F[j])
        along = a[j] - (n @ a[j]) * n
        if mode == "open":
            found.append(-float(n @ a[j]) / fast)
            continue
        missed = [-N / most]
        if given[j] is None:
            missed.append(abs(float(n @ a[j])) / fast)
        if mode == "rolling":
            missed.append(float(np.linalg.norm(along)) / fast)
            if at.μ[j] < np.inf:
                missed.append((float(np.linalg.norm(F[j] - N * n)) - at.μ[j] * N) / most)
        elif not np.any(at.s[j]):
            missed.append(float(np.linalg.norm(along - (along @ s[j]) * s[j])) / fast)
            missed.append(-float(along @ s[j]) / fast)
        found.append(max(missed))
    return found


def _sizes(at: Meeting, a0: np.ndarray, F: np.ndarray) -> tuple[float, float]:
    """Sizes of forces and of accelerations, that rounding is a part of."""
    most, metric = float(np.abs(F).max(initial=0.0)) or 1.0, float(np.abs(at.D).max())
    fast = max(float(np.abs(a0).max()), metric * most, np.finfo(float).tiny)
    return max(most, fast / metric), fast
