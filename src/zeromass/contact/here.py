"""Several contacts at a state, in numbers: normals, velocities, and the bodies that forces at them move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.expression import Evaluator, as_expression, expressions
from zeromass.model import State

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts


class Here(NamedTuple):
    """The contacts of a system at a state, in numbers.

    n, w, point  normals, velocities against the surfaces, and places, (k, 3) each
    of           for each contact the numbers of its bodies with the signs of what acts on them: {body: ±1}
    center       mass centres of the bodies, (b, 3)
    inverse      of their inertia, inertial axes, (b, 3, 3)
    m            their masses, (b,)
    """

    n: np.ndarray
    w: np.ndarray
    point: np.ndarray
    of: tuple[dict[int, int], ...]
    center: np.ndarray
    inverse: np.ndarray
    m: np.ndarray

    def metric(self, which: Sequence[int]) -> np.ndarray:
        """D = Σ ± (1/m − [ρ] I⁻¹ [ρ′]) over bodies that two contacts share, ρ from its mass centre, shape (3 k, 3 k)."""
        D = np.zeros((len(which), 3, len(which), 3))
        for body in {body for j in which for body in self.of[j]}:
            own = [a for a, j in enumerate(which) if body in self.of[j]]
            places = [which[a] for a in own]
            sign = np.array([self.of[j][body] for j in places])
            across = np.cross(np.eye(3), (self.point[places] - self.center[body])[:, None, :])  # ρ × along each row
            blocks = np.eye(3)[None, :, None] / self.m[body] + np.einsum(
                "iab,bc,jdc->iajd", across, self.inverse[body], across
            )
            D[np.ix_(own, range(3), own, range(3))] += np.einsum("i,j,iajd->iajd", sign, sign, blocks)
        return D.reshape(3 * len(which), 3 * len(which))

    @property
    def leaving(self) -> np.ndarray:
        """Normal velocities, (k,)."""
        return np.einsum("ki,ki->k", self.n, self.w)


def here_at(contacts: Contacts, state: State) -> Here:
    """The contacts at a state of any of the cases."""
    whole = contacts.whole
    if "here" not in whole.memory:
        found = []
        for pair in whole.pairs:
            found += [*pair.normal, *pair.slip_velocity, *pair.point]
        for body in whole.bodies:
            S, J = body.rotation, body.inertia
            found += [*body.position, *(S @ J @ S.T).ravel(), as_expression(body.mass)]
        of = tuple({whole.bodies.index(body): sign for body, sign in pair.sides} for pair in whole.pairs)
        whole.memory["here"] = Evaluator(expressions(found), whole.inputs), of
    values, of = whole.memory["here"]
    numbers, k = values(inputs_of(whole, state)), len(whole.pairs)
    n, w, point = np.moveaxis(numbers[: 9 * k].reshape(k, 3, 3), 1, 0)
    bodies = numbers[9 * k :].reshape(-1, 13)
    inverse = np.linalg.inv(bodies[:, 3:12].reshape(-1, 3, 3))
    return Here(n, w, point, of, bodies[:, :3], inverse, bodies[:, 12])


def inputs_of(whole: Contacts, state: State) -> np.ndarray:
    """Time, positions, rates and parameters of a state of any of the cases."""
    return np.concatenate([[state.t], state.q, state.v, [state.parameters[p] for p in whole.parameters]])
