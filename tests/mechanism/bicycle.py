"""The benchmark bicycle [MP2007, table 1] from four bodies, three hinges and two wheels on the ground, Z upwards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import zeromass as zm


class Bicycle(NamedTuple):
    """The system, the steering hinge, the axles of the rear and front wheel, and the rear wheel."""

    system: zm.System
    steer: zm.joints.Revolute
    rear: zm.joints.Revolute
    front: zm.joints.Revolute
    wheel: zm.RigidBody


def bicycle() -> Bicycle:
    w, c, tilt, rR, rF = 1.02, 0.08, np.pi / 10, 0.3, 0.35
    ground, y = zm.Ground(), (0, 1, 0)
    R = zm.RigidBody("rear wheel", 2.0, (0.0603, 0.12, 0.0603), at=(0, 0, rR))
    F = zm.RigidBody("front wheel", 3.0, (0.1405, 0.28, 0.1405), at=(w, 0, rF))
    B = zm.RigidBody("frame", 85.0, [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]], at=(0.3, 0, 0.9))
    J = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
    H = zm.RigidBody("fork", 4.0, J, at=(0.9, 0, 0.7))
    rear, front = zm.joints.Revolute(B, R, axis=y), zm.joints.Revolute(H, F, axis=y)
    steer = zm.joints.Revolute(B, H, at=(w + c, 0, 0), axis=(-np.sin(tilt), 0, np.cos(tilt)), name="steer")
    wheels = [
        zm.joints.WheelOnGround(ground, R, radius=rR, axis=y),
        zm.joints.WheelOnGround(ground, F, radius=rF, axis=y),
    ]
    system = zm.System([B, H, R, F], gravity=9.81, joints=[rear, front, steer, *wheels])
    return Bicycle(system, steer, rear, front, R)
