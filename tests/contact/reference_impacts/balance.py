"""Forces at contacts of which each is open, rolling or slipping: those that keep the accelerations they must keep.

Where contacts that roll share a body, forces along the line between them do not change its motion: of all that do the same,
the friction with the smallest sum of squares is taken. Normal forces that are not determined are those of the least sum of
squares with their resultant, see `zeromass.contact.redundant`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from zeromass.equation import numerical_rank

Mode = Literal["open", "rolling", "slipping"]


class Meeting(NamedTuple):
    """Points that touch, in numbers.

    D  change of their velocities against the surfaces by forces at them, shape (3 k, 3 k)
    n  normals, (k, 3)
    s  directions of slip, (k, 3), zero where nothing slips
    μ  coefficients of friction, (k,), infinite where there is always enough
    """

    D: np.ndarray
    n: np.ndarray
    s: np.ndarray
    μ: np.ndarray

    def along(self, vectors: np.ndarray) -> np.ndarray:
        """The parts of vectors, (k, 3), along the surfaces."""
        return vectors - np.einsum("ki,ki->k", vectors, self.n)[:, None] * self.n


def normal_metric(D: np.ndarray, n: np.ndarray) -> np.ndarray:
    """G, (k, k), from D, (3 k, 3 k), and normals, (k, 3)."""
    k = len(n)
    return np.einsum("ia,iajb,jb->ij", n, D.reshape(k, 3, k, 3), n)


def pushing_nowhere(G: np.ndarray) -> np.ndarray:
    """Normal forces u with G u = 0, (k, …), in columns."""
    decision = numerical_rank(G)
    return decision.column_scale[:, None] * decision.right[:, decision.rank :]


def balanced(
    at: Meeting, a0: np.ndarray, modes: tuple[Mode, ...], s: np.ndarray, given: Sequence[float | None]
) -> np.ndarray:
    """Forces of a case, (k, 3), whether they can be or not."""
    k = len(modes)
    known, columns, rows = np.zeros((k, 3)), [], []
    for j, mode in enumerate(modes):
        n, N = at.n[j], given[j]
        if N is not None:
            known[j] = N * (n if mode == "rolling" else n - at.μ[j] * s[j])
        if mode == "rolling":
            own = _own(at, j, N)
            columns += [_place(k, j, x) for x in own]
            rows += [_place(k, j, x) for x in own]
        elif mode == "slipping" and N is None:
            columns.append(_place(k, j, n - at.μ[j] * s[j]))
            rows.append(_place(k, j, n))
    if not columns:
        return known
    B, R = np.array(columns).T, np.array(rows)
    K, right = R @ at.D @ B, -(R @ (a0.ravel() + at.D @ known.ravel()))
    if k == 1:  # D of one contact is regular
        return known + (B @ np.linalg.solve(K, right)).reshape(k, 3)
    decision = numerical_rank(K)
    x = decision.inverse @ right
    loose = decision.column_scale[:, None] * decision.right[:, decision.rank :]
    F = known.ravel() + B @ x
    if loose.shape[1]:  # what changes nothing
        F = _least(at, F, B @ loose, [j for j, mode in enumerate(modes) if mode != "open" and given[j] is None])
    return F.reshape(k, 3)


def _least(at: Meeting, F: np.ndarray, spare: np.ndarray, free: list[int]) -> np.ndarray:
    """F + spare y, (3 k,), with normal forces of the least sum of squares for their resultant, and then the least friction.

    free  contacts whose normal forces are not given
    """
    k = len(at.n)

    def normal(forces: np.ndarray) -> np.ndarray:
        return np.einsum("ki,kic->kc", at.n, forces.reshape(k, 3, -1))[free]

    u = pushing_nowhere(normal_metric(at.D, at.n)[np.ix_(free, free)]) if len(free) > 1 else np.zeros((len(free), 0))
    if u.shape[1]:
        pushed = numerical_rank(u.T @ normal(spare), largest=float(np.abs(spare).max()), equilibrate=False)
        F = F + spare @ (pushed.inverse @ -(u.T @ normal(F))[:, 0])
        spare = spare @ pushed.right[:, pushed.rank :]
    if spare.shape[1]:
        held = numerical_rank(_along(at, spare), largest=float(np.abs(spare).max()), equilibrate=False)
        F = F + spare @ (held.inverse @ -_along(at, F[:, None])[:, 0])
        rest = spare @ held.right[:, held.rank :]
        if rest.shape[1]:
            F = F - rest @ (np.linalg.pinv(rest) @ F)
    return F


def _along(at: Meeting, forces: np.ndarray) -> np.ndarray:
    """Of forces, (3 k, columns), the parts along the surfaces."""
    k = len(at.n)
    split = forces.reshape(k, 3, -1)
    return (split - at.n[:, :, None] * np.einsum("ki,kic->kc", at.n, split)[:, None]).reshape(3 * k, -1)


def tangents(n: np.ndarray) -> np.ndarray:
    """Two unit vectors across a normal, (2, 3)."""
    first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)])


def _place(k: int, j: int, vector: np.ndarray) -> np.ndarray:
    whole = np.zeros((k, 3))
    whole[j] = vector
    return whole.ravel()


def balance(
    at: Meeting, modes: tuple[Mode, ...], s: np.ndarray, given: Sequence[float | None]
) -> Callable[[np.ndarray], np.ndarray]:
    """`balanced` without accelerations a₀, as a function of directions of slip, near some, that change.

    What does not change with them is made once, where no force is free.
    """
    k, a0 = len(modes), np.zeros((len(modes), 3))
    free = [j for j, mode in enumerate(modes) if mode == "slipping" and given[j] is None]
    held = [_place(k, j, x) for j, mode in enumerate(modes) if mode == "rolling" for x in _own(at, j, given[j])]
    rows = np.array([*held, *[_place(k, j, at.n[j]) for j in free]]).reshape(-1, 3 * k)
    N = np.array([0.0 if x is None else x for x in given])[:, None]
    μ = np.array([at.μ[j] if mode == "slipping" else 0.0 for j, mode in enumerate(modes)])[:, None]
    change, count = rows @ at.D, len(held)
    B = rows.T.copy()

    def pushing(s: np.ndarray) -> np.ndarray:
        direction = at.n - μ * s
        for c, j in enumerate(free):
            B[3 * j : 3 * j + 3, count + c] = direction[j]
        return direction

    pushing(s)
    if len(rows) and numerical_rank(change @ B).rank < len(rows):
        return lambda s: balanced(at, a0, modes, s, given)

    def forces(s: np.ndarray) -> np.ndarray:
        known = N * pushing(s)
        if not len(rows):
            return known
        return known + (B @ np.linalg.solve(change @ B, -(change @ known.ravel()))).reshape(k, 3)

    return forces


def _own(at: Meeting, j: int, N: float | None) -> np.ndarray:
    """Directions of the forces that keep a contact rolling, normal force given or not."""
    return np.eye(3) if N is None else tangents(at.n[j])
