"""A disc that rolls on a plane in a circle, leaning at a constant angle.

The axis e₃ of the disc makes the angle θ with the vertical and turns about it at the rate Ω; ω₃ is the spin about e₃.
With moments (A, A, C), the moments of the forces at the contact about the centre give the rate of change of angular
momentum [Routh, Advanced Rigid Dynamics, 1905; O'Reilly, Nonlinear Dynamics 10 (1996) 287]:

    (C + mr²) Ω ω₃ sin θ − A Ω² sin θ cos θ + m g r cos θ = 0

The orientation is S(t) = R(e_z, Ωt) S(0) R(e₃, (ω₃ − Ω cos θ)t), the centre runs on a circle of radius rω₃/Ω.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, quaternion, relative, rotation

m, r, g = 0.4, 0.15, 9.81
UP = np.array([0.0, 0.0, 1.0])


def disc(A: float, C: float) -> tuple[zm.RigidBody, zm.Particle, zm.System]:
    disc = zm.RigidBody("disc", mass=m, inertia=(A, A, C))
    contact = zm.Particle("contact", mass=0)
    axis = disc.rotate(UP)
    arm = contact.position - disc.position
    system = zm.System(
        [disc, contact],
        gravity=g,
        constraints={
            "plane": contact.position[2],
            "rim": [arm @ axis, (arm @ arm - r**2) / 2],
            "tangency": arm @ np.cross(axis, UP),
            "no slip": disc.velocity + np.cross(disc.angular_velocity, arm),
        },
    )
    return disc, contact, system


@pytest.mark.parametrize(
    ("θ", "Ω", "thickness"), [(1.2, 2.0, 0.5), (0.5, 9.0, 0.5), (1.9, -3.0, 1.0)], ids=["wide", "steep", "ring"]
)
def test_steady_motion(θ, Ω, thickness):
    """Measured in 3 s: 1.3e-12."""
    C = thickness * m * r**2  # 1/2: a disc, 1: a ring
    A = C / 2
    ω3 = (A * Ω**2 * np.sin(θ) * np.cos(θ) - m * g * r * np.cos(θ)) / ((C + m * r**2) * Ω * np.sin(θ))
    body, contact, system = disc(A, C)
    # e₃ in the x, z plane; e₁ up the disc; the contact below at −r e₁
    e3, e1 = np.array([np.sin(θ), 0.0, np.cos(θ)]), np.array([-np.cos(θ), 0.0, np.sin(θ)])
    S0 = np.stack([e1, np.cross(e3, e1), e3], axis=1)
    velocity = r * ω3 * np.cross(e3, e1)
    centre = np.cross(UP, velocity) / -Ω  # where it is, from the axis of the circle
    start = system.start(
        [
            (body.position[:2], centre[:2]),
            (body.quaternion, quaternion(S0)),
            (body.angular_velocity, Ω * UP + (ω3 - Ω * np.cos(θ)) * e3),
        ],
        guess=[(contact.position, centre - r * e1)],
    )
    t = np.linspace(0.0, 3.0, 61)
    run = exact_run(system, start, t[-1]).at(t)
    turned = rotation(UP, Ω * t)
    height = r * np.sin(θ) * UP
    assert relative(run[body.position], turned @ centre + height) <= 5e-12
    assert relative(run[contact.position], turned @ (centre - r * e1) * [1, 1, 0]) <= 5e-12
    assert relative(run[body.rotation], turned @ S0 @ rotation(UP, (ω3 - Ω * np.cos(θ)) * t)) <= 5e-12
    push = m * Ω * np.cross(UP, turned @ velocity) + m * g * UP
    assert relative(run[system.reaction.on(body.position)], push) <= 5e-12
