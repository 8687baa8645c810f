"""What a start that finds no state says: which equations contradict one another, and what to prescribe instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.model.open_loop import open_loop

if TYPE_CHECKING:
    from zeromass.model.solving import Numbers, Point, Reached

TOLD = 1e-3
"""Part of the largest miss, in comparable units, above which a contradicted equation is named."""

LOOSE = float(np.sqrt(np.finfo(float).eps))
"""Components of a unit vector of what is free that count: above the square root of rounding, which is their error."""


def contradiction(given: Numbers, start: np.ndarray, best: Reached | None) -> str:
    """The equations that the best of all points misses, with the prescriptions that take part, and the remedy."""
    names, fixed = _names(given), given.fixed
    if best is None:
        r = given.at(start).r
        bad = [name for name, value in zip(names, r, strict=True) if not np.isfinite(value)] or names
        return f"'{bad[0]}' has no finite value at the prescribed values; prescribe others or give guess={{…}}"
    _, r, J = best.point
    part = np.abs(r) / given.terms(best.point, given.sizes(given.at(start)), least=LOOSE)
    rows = [i for i in np.argsort(-part) if part[i] > TOLD * part.max()]
    missed = [f"'{names[i]}' (off by {r[i]:.3g})" for i in rows[:4]]
    touched = np.any(J[rows] != 0.0, axis=0)
    unknowns = given.equations.unknowns
    held = [f"{x!r} = {fixed[x]:g}" for x, hit in zip(unknowns, touched, strict=True) if hit and x in fixed]
    asked = range(len(given.equations.constraints), len(names))
    held += [names[i] for i in asked if i not in rows and np.any(J[i][touched])]
    words = ", ".join(missed) + (f" with {', '.join(held[:6])} prescribed" if held else "")
    return (
        open_loop(given, names, [best.point.x, start])
        + f"no state satisfies {words}; the smallest miss that was found is {best.error:.2g}. "
        + (_instead(given, best.point, touched) or "Drop or change one of them, or give guess={…} nearer to a solution")
        + _singular(given, start)
    )


def _names(given: Numbers) -> list[str]:
    """What messages call the equations."""
    constraints, prescribed = given.equations.constraints, given.equations.prescribed
    values = given.wanted[len(constraints) :]
    return constraints + [f"{e!r} = {value:g}" for e, value in zip(prescribed, values, strict=True)]


def _instead(given: Numbers, point: Point, touched: np.ndarray) -> str:
    """Unknowns that take part and were prescribed though the constraints alone determine them, and what is open."""
    unknowns = given.equations.unknowns
    free = numerical_rank(point.J[: len(given.equations.constraints)]).null_space
    loose = np.abs(free).max(axis=1, initial=0.0) > LOOSE
    bound = [repr(x) for x in unknowns[touched & ~loose] if x in given.fixed]
    others = [repr(x) for x in unknowns[loose] if x not in given.fixed]
    if not bound:
        return ""
    words = f"Here the constraints alone determine {', '.join(bound[:4])}: drop it"
    return words + (f", or prescribe one of {', '.join(others[:4])} instead" if others else "")


def _singular(given: Numbers, start: np.ndarray) -> str:
    """Words where the equations say less at the guess than beside it, so that no step leads away from there."""
    random = np.random.default_rng(0)
    beside = start + given.varied * random.normal(scale=LOOSE * max(1.0, np.abs(start).max()), size=len(start))
    here, there = (given.at(x).J[:, given.varied] for x in (start, beside))
    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return ""
    if numerical_rank(here).rank >= numerical_rank(there).rank:
        return ""
    return ". The guess is a singular position, where the equations say less than beside it: give another"
