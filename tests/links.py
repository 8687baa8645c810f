"""A chain of links twice, with code of kinds and written out: what large systems do is tested on small ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import zeromass as zm
from zeromass.model import system as model

g = zm.parameter("g", 9.81)
turn = zm.parameter("turn", 0.4)
"""Rate of the first quaternion, of which starts are formulas."""


class Links:
    """Rods with ball joints in a row, the first held, with drag on their middles; `rolled` and `plain`."""

    def __init__(self, count: int, *, bodies: list[zm.RigidBody] | None = None, **more: Any) -> None:
        self.bodies: list[zm.RigidBody] = []
        self.guess: dict[Any, float] = {}
        self.joints: dict[str, Any] = {}
        random, forces = np.random.default_rng(count), []
        for k in range(count):
            body = bodies[k] if bodies else zm.RigidBody(f"rod {k}", 1.0 + 0.1 * k, [0.02, 0.1, 0.11])
            end: Any = self.bodies[-1].point([0.5, 0, 0]) if k else np.zeros(3)
            self.joints[f"joint {k}"] = body.point([-0.5, 0, 0]) - end
            self.guess.update(zip(body.coordinates, [k + 0.5, 0, 0, 1, 0, 0, 0], strict=True))
            self.guess.update(zip(zm.rate(body.quaternion), 0.5 * random.normal(size=4), strict=True))
            forces.append(zm.Force(-0.1 * body.velocity, at=body.position))
            self.bodies.append(body)
        more = {"gravity": g, "forces": forces, **more}
        kept = model.LARGE
        try:
            model.LARGE = 1
            self.rolled = zm.System(self.bodies, constraints=self.joints, **more)
            model.LARGE = 10**9
            self.plain = zm.System(self.bodies, constraints=self.joints, **more)
        finally:
            model.LARGE = kept
        self.tip: Any = self.bodies[-1].point([0.5, 0, 0])

    def start(self, system: zm.System, **given: Any) -> zm.State:
        """With a rate that is a formula of a parameter."""
        return system.start({zm.rate(self.bodies[0].quaternion[2]): turn}, guess=self.guess, **given)

    def written(self, state: zm.State) -> zm.State:
        """A state of the one system as that of the other."""
        return zm.State(self.plain, state.t, state.q, state.v, state.parameters)
