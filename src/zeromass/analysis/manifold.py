"""Directions along the constraints, in a basis that is named in coordinates and rates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import RANK_TOLERANCE, negligible
from zeromass.model import System


class Tangents(NamedTuple):
    """All changes δy of a state, y = (q, q̇), that keep its constraints: δy = N x, x = δy of the `chosen` ones.

    N       shape (2n, d)
    chosen  places in y, d of them, positions before rates
    """

    N: np.ndarray
    chosen: np.ndarray


def tangents(system: System, J: np.ndarray) -> Tangents:
    """From J, ∂/∂y of what must vanish at positions and at rates, shape (zeros, 2n).

    The coordinates and rates are chosen that determine the others best; rates among those of the coordinates chosen.
    """
    n = len(system.coordinates)
    positions = len(system.told(0))
    N = numerical_rank(J[:positions, :n]).null_space
    q = best(N, np.arange(n))
    N_q = _in_terms_of(N, q)
    J_q, J_v = J[positions:, :n], J[positions:, n:]
    decision = numerical_rank(J_v)
    N = decision.null_space
    v = best(N, q)
    N_v = _in_terms_of(N, v)
    # rates that go with a change of positions alone, those chosen at zero
    follow = -decision.inverse @ (J_q @ N_q)
    follow = follow - N_v @ follow[v]
    full = np.block([[N_q, np.zeros((n, len(v)))], [follow, N_v]])
    sizes = np.abs(full)
    sizes = np.minimum(sizes.max(axis=0, initial=0.0), sizes.max(axis=1, initial=0.0)[:, None])
    full[negligible(full, sizes, RANK_TOLERANCE)] = 0.0  # rounding, which would count where nothing else is
    return Tangents(full, np.concatenate([q, n + v]))


def best(N: np.ndarray, among: np.ndarray) -> np.ndarray:
    """As many rows of N as it has columns that are independent as far as can be, in their order: pivots of a QR."""
    import scipy.linalg as linalg

    if not N.shape[1]:
        return np.empty(0, dtype=int)
    qr: Any = linalg.qr
    pivots = qr(N[among].T, mode="r", pivoting=True)[1]
    return np.sort(among[pivots[: N.shape[1]]])


def _in_terms_of(N: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The same space, its basis the identity in the rows chosen."""
    if not len(chosen):
        return np.zeros((len(N), 0))
    basis = np.linalg.solve(N[chosen].T, N.T).T
    basis[chosen] = np.eye(len(chosen))
    return basis
