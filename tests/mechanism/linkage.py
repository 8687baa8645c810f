"""A four-bar linkage of parallel hinges, drawn as it is or roughly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import zeromass as zm

GROUND = zm.Ground()


class Linkage(NamedTuple):
    """The system, its first and last hinge, and the points between the rods."""

    system: zm.System
    pin: zm.joints.Revolute
    out: zm.joints.Revolute
    knee: np.ndarray
    elbow: np.ndarray


def four_bar(rough: float = 0.0) -> Linkage:
    """Crank 0.2 m, coupler 0.5 m, rocker 0.4 m on 0.6 m of ground; `rough` m is what bodies are drawn off."""
    a, b, c, d = 0.2, 0.5, 0.4, 0.6
    A, D = a * np.array([np.cos(1.0), 0, np.sin(1.0)]), np.array([d, 0, 0])
    s = float(np.linalg.norm(D - A))
    β = np.arctan2((D - A)[2], (D - A)[0]) + np.arccos((b**2 + s**2 - c**2) / (2 * b * s))
    B = A + b * np.array([np.cos(β), 0, np.sin(β)])
    random, rods = np.random.default_rng(0), []
    for name, first, last in (("crank", np.zeros(3), A), ("coupler", A, B), ("rocker", B, D)):
        at, turn = (first + last) / 2, np.array([1.0, 0, 0, 0])
        if rough:
            at, turn = at + rough * random.normal(size=3), turn + rough * random.normal(size=4)
        rods.append(zm.RigidBody(name, mass=1.0, inertia=(0.01, 0.01, 0.01), at=at, orientation=turn))
    crank, coupler, rocker = rods
    y = ((0, -1, 0), (0, -1, 0))
    pin = zm.joints.Revolute(GROUND, crank, at=((0, 0, 0), -A / 2), axis=y, name="pin")
    out = zm.joints.Revolute(rocker, GROUND, at=((D - B) / 2, D), axis=y, name="out")
    joints = [
        pin,
        zm.joints.Revolute(crank, coupler, at=(A / 2, (A - B) / 2), axis=y, name="first"),
        zm.joints.Revolute(coupler, rocker, at=((B - A) / 2, (B - D) / 2), axis=y, name="second"),
        out,
    ]
    system = zm.System(rods, gravity=9.81, joints=joints)
    return Linkage(system, pin, out, crank.point(A / 2), coupler.point((B - A) / 2))
