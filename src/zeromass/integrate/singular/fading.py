"""Where in a leap the rows of the constraints lose independence, from the pivots of multipliers at its stages.

The root of a pivot falls linearly to a singular position and, with its sign changed behind it, is as analytic as the motion:
the polynomial through its values at the stages vanishes where it does.
"""

from __future__ import annotations

from math import prod

import numpy as np

from zeromass.integrate.singular.leap import Leap
from zeromass.integrate.singular.places import INVERSE, PLACES, STAGES, values_at

DIP = 0.6
"""Part of what a root, or another strength, has at the ends of a step that is left inside where it may vanish."""

_FINE: list[float] = np.linspace(0.0, 1.0, 33).tolist()
_ON_FINE = values_at(np.array(_FINE))[:, :STAGES] @ INVERSE
_PLACES: list[float] = PLACES.tolist()
_TINY = float(np.finfo(float).tiny)


def weakest_of(found: Leap) -> tuple[float, bool]:
    """The time at which the root of the pivot that fades most vanishes, and whether that is inside a leap.

    Beside it that is as far as the fall at the nearer end tells.
    """
    if not len(found.pivots) or not np.isfinite(found.pivots).all():
        return found.t + found.h / 2, False
    roots = np.sqrt(found.pivots)
    with np.errstate(invalid="ignore"):
        σ = roots[(roots.min(axis=1) / roots.max(axis=1)).argmin()].tolist()
    k = σ.index(min(σ))
    if not 0 < k < STAGES - 1 or not σ[k] < DIP * min(σ[0], σ[-1]):
        k, other = (0, 1) if σ[0] < σ[-1] else (STAGES - 1, STAGES - 2)
        apart = (_PLACES[k] - _PLACES[other]) / max(σ[other] - σ[k], _TINY)
        return found.t + found.h * (_PLACES[k] + σ[k] * apart), False
    before = _last_before(σ, k)
    fine = (_ON_FINE @ [*σ[: before + 1], *[-x for x in σ[before + 1 :]]]).tolist()
    near = _PLACES[before] + (_PLACES[before + 1] - _PLACES[before]) * σ[before] / (σ[before] + σ[before + 1])
    falls = [j for j in range(len(fine) - 1) if fine[j] > 0 >= fine[j + 1]]
    if falls:
        near = vanishing(_FINE, fine, min(falls, key=lambda j: abs(_FINE[j] - near)))
    return found.t + found.h * near, True


def _last_before(σ: list[float], k: int) -> int:
    """The last stage before a root vanishes that is least at stage k: as the line through two stages beside tells."""
    a, b = (k - 2, k - 1) if k > 1 else (k + 2, k + 1)
    ahead = σ[b] + (σ[b] - σ[a]) * (_PLACES[k] - _PLACES[b]) / (_PLACES[b] - _PLACES[a])
    return k if (ahead > 0) == (k > 1) else k - 1


def vanishing(t: list[float], σ: list[float], before: int) -> float:
    """The time after t_before at which values that fall through zero vanish: the cubic t(σ) through four of them at 0."""
    first = min(max(before - 1, 0), len(t) - 4)
    s = σ[first : first + 4]
    if not s[0] > s[1] > s[2] > s[3]:
        return t[before] + (t[before + 1] - t[before]) * σ[before] / (σ[before] - σ[before + 1])
    return sum(t[first + i] * prod(s[j] / (s[j] - s[i]) for j in range(4) if j != i) for i in range(4))
