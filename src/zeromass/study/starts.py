"""Starts of many members, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.model import State, System


@dataclass(frozen=True, eq=False)
class Starts:
    """Starts of members of one system: times t, shape (k,), states y, (k, 2n), and values of the parameters, (k, p)."""

    t: np.ndarray
    y: np.ndarray
    parameters: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    @classmethod
    def of(cls, states: Sequence[State]) -> Starts:
        """Some states of one system."""
        system = states[0].system
        values = [[state.parameters[p] for p in system.parameters] for state in states]
        y = [np.concatenate([state.q, state.v]) for state in states]
        return cls(
            np.array([state.t for state in states], dtype=float),
            np.array(y, dtype=float),
            np.array(values, dtype=float).reshape(len(states), len(system.parameters)),
        )

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.t, self.y, self.parameters

    def state(self, system: System, k: int) -> State:
        """The start of one member."""
        n = self.y.shape[1] // 2
        values = dict(zip(system.parameters, self.parameters[k].tolist(), strict=True))
        return State(system, float(self.t[k]), self.y[k, :n].copy(), self.y[k, n:].copy(), values)

    def __getitem__(self, which: np.ndarray) -> Starts:
        return Starts(self.t[which], self.y[which], self.parameters[which])
