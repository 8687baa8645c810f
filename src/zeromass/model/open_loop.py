"""A loop that can not close: which joint stays open, and by how much, where everything else holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from zeromass.model.solving import Numbers, Point

ROW = re.compile(r"^(?P<joint>.+) (point\[\d\]|curve\[\d\]|length|plane)$")
"""Rows of a joint that are distances, m, as it names them."""

HELD = 1e3
"""How much more than the gap everything else weighs: it is then off by a millionth of the gap."""

MOST = 200
"""Steps towards the least gap: it need not be known to all digits."""

TRIED = 6
"""Most joints of which each in turn is let open."""


def open_loop(given: Numbers, names: list[str], starts: list[np.ndarray]) -> str:
    """Words on the joint that stays open by least, all others closed; nothing where there is no such joint.

    starts  values of the unknowns from where it is looked for
    """
    rows: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        if match := ROW.match(name):
            rows.setdefault(match["joint"], []).append(i)
    if len(rows) < 2:
        return ""
    found = [(_gap(given, own, x), joint) for joint, own in list(rows.items())[:TRIED] for x in starts]
    gaps = [(gap, joint) for gap, joint in found if np.isfinite(gap)]
    if not gaps:
        return ""
    gap, joint = min(gaps)
    return f"the loop can not close: '{joint}' stays open by {gap:.3g} m where everything else holds; "


def _gap(given: Numbers, own: list[int], x: np.ndarray) -> float:
    """By how much a joint with these rows stays open at least, as far as one sees from x; infinite where others open too."""
    from scipy.optimize import least_squares

    weight = np.full(len(given.wanted), HELD)
    weight[own] = 1.0

    def at(varied: np.ndarray) -> Point:
        whole = x.copy()
        whole[given.varied] = varied
        return given.at(whole)

    def slopes(varied: np.ndarray) -> np.ndarray:
        return weight[:, None] * at(varied).J[:, given.varied]

    try:
        end = least_squares(lambda v: weight * at(v).r, x[given.varied], jac=slopes, max_nfev=MOST)  # type: ignore[arg-type]
    except ValueError:  # a formula without a value there
        return np.inf
    r = end.fun / weight
    gap = float(np.linalg.norm(r[own]))
    others = np.delete(r, own)
    return gap if np.abs(others).max(initial=0.0) < 1e-3 * gap else np.inf
