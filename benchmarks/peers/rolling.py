"""The shell as zeromass writes it [UM2022, eqs. 17, 19, 22, 27]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import zeromass as zm
from peers import shape


class Rolling(NamedTuple):
    """The system, the start, and the contact's coordinates."""

    system: zm.System
    start: zm.State
    contact: np.ndarray


def rolling() -> Rolling:
    """The shell on the bowl, ready to run."""
    mass, rho, inertia = shape.shell()
    shell = zm.RigidBody("shell", mass=mass, inertia=inertia)
    contact, center = zm.Particle("contact", mass=0), zm.Particle("center", mass=0)
    gap = shape.bowl(*contact.position)
    k = zm.expression.gradient(gap, contact.position)
    n = k / np.sqrt(k @ k)
    slip = center.velocity + shape.OUTER * np.cross(n, shell.angular_velocity)
    system = zm.System(
        [shell, contact, center],
        gravity=shape.GRAVITY,
        constraints={
            "surface": gap,
            "tangency": center.position - contact.position - shape.OUTER * n,
            "mass center": center.position + shell.rotate(rho) - shell.position,
            "no slip": slip,
        },
    )
    start = system.start(
        [
            (contact.position[:2], shape.START["contact"]),
            (center.velocity[:2], shape.START["velocity"]),
            (n @ shell.angular_velocity, shape.START["spin"]),
            (shell.quaternion, shape.START["orientation"]),
        ]
    )
    return Rolling(system, start, contact.position)
