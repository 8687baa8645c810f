"""The benchmark bicycle of [MP2007], from four rigid bodies, three hinges and two wheels on the ground.

Axes x forward, y left, z up, the origin under the rear wheel; the paper's point to the right and down.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import zeromass as zm

W, TRAIL, TILT, G = 1.02, 0.08, np.pi / 10, 9.81
R_REAR, R_FRONT = 0.3, 0.35
X, Y, Z = np.eye(3)

TABLE: dict[int, list[complex]] = {
    0: [5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393],
    1: [3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442],
    2: [2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735],
    3: [1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920],
    4: [0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447],
    5: [-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822],
    6: [-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.08537123098030],
    7: [-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125260],
    8: [-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394570],
    9: [-3.21675402252485 + 9.69377351531791j, 0.15790184030917, -22.43788559040860],
    10: [-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017400],
}
"""Eigenvalues, 1/s, by the speed, m/s, of conjugate ones the upper [MP2007, table 2]; 14 digits of the smaller ones."""


class Bicycle(NamedTuple):
    """The system, what stays constant when it runs straight, and its speed."""

    system: zm.System
    states: dict[str, Any]
    lean: Any
    steer: Any
    speed: Any
    bodies: tuple[zm.RigidBody, zm.RigidBody, zm.RigidBody, zm.RigidBody]
    """Frame, rear wheel, fork and front wheel."""

    def straight(self, speed: float) -> zm.State:
        """Upright and straight ahead, at a speed, m/s."""
        frame, rear, fork, front = self.bodies
        return self.system.start(
            [
                (frame.position, (0.3, 0, 0.9)),
                (frame.quaternion, (1, 0, 0, 0)),
                (rear.quaternion, (1, 0, 0, 0)),
                (rear.velocity[0], speed),
                (zm.rate(self.lean), 0.0),
                (zm.rate(self.steer), 0.0),
            ],
            guess=[
                (rear.position, (0, 0, R_REAR)),
                (fork.position, (0.9, 0, 0.7)),
                (front.position, (W, 0, R_FRONT)),
            ],
        )


def ground_contact(wheel: zm.RigidBody, radius: float) -> tuple[Any, Any]:
    """Height of the lowest point of a wheel, and the velocity of the wheel there along the ground."""
    axle = wheel.rotate(Y)
    down = Z - axle[2] * axle
    lowest = -radius * down / np.sqrt(down @ down)
    return wheel.position[2] + lowest[2], (wheel.velocity + np.cross(wheel.angular_velocity, lowest))[:2]


def bicycle() -> Bicycle:
    """The bicycle of [MP2007, table 1]."""
    frame = zm.RigidBody("frame", 85.0, [[9.2, 0, -2.4], [0, 11.0, 0], [-2.4, 0, 2.8]])
    rear = zm.RigidBody("rear wheel", 2.0, (0.0603, 0.12, 0.0603))
    fork = zm.RigidBody("fork", 4.0, [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]])
    front = zm.RigidBody("front wheel", 3.0, (0.1405, 0.28, 0.1405))
    at = {frame: np.array([0.3, 0, 0.9]), fork: np.array([0.9, 0, 0.7])}
    hub, head, front_hub = R_REAR * Z, (W + TRAIL) * X, W * X + R_FRONT * Z
    ahead = np.cos(TILT) * X + np.sin(TILT) * Z  # across the steering axis
    axis = np.cos(TILT) * Z - np.sin(TILT) * X
    (high, slip), (high_front, slip_front) = ground_contact(rear, R_REAR), ground_contact(front, R_FRONT)
    system = zm.System(
        [frame, rear, fork, front],
        gravity=G,
        constraints={
            "rear hub": frame.point(hub - at[frame]) - rear.position,
            "rear axle": [rear.rotate(Y) @ frame.rotate(X), rear.rotate(Y) @ frame.rotate(Z)],
            "head": frame.point(head - at[frame]) - fork.point(head - at[fork]),
            "steering axis": [fork.rotate(axis) @ frame.rotate(ahead), fork.rotate(axis) @ frame.rotate(Y)],
            "front hub": fork.point(front_hub - at[fork]) - front.position,
            "front axle": [front.rotate(Y) @ fork.rotate(X), front.rotate(Y) @ fork.rotate(Z)],
            "rear contact": high,
            "front contact": high_front,
            "rear rolling": slip,
            "front rolling": slip_front,
        },
    )
    lean = np.arcsin(frame.rotate(Y)[2])
    steer = np.arcsin(fork.rotate(ahead) @ frame.rotate(Y))
    speed = R_REAR * (rear.angular_velocity @ rear.rotate(Y))
    states = {"lean": lean, "steer": steer, "lean rate": zm.rate(lean), "steer rate": zm.rate(steer), "speed": speed}
    return Bicycle(system, states, lean, steer, speed, (frame, rear, fork, front))
