"""Beads on rotating wires: holonomic constraints that depend on time and do work.

A straight wire that turns in a vertical plane at Ω [Greenwood, Principles of Dynamics, 2nd ed. 1988, chap. 6]:

    r̈ = Ω²r − g sin Ωt,   r = a cosh Ωt + b sinh Ωt + g/(2Ω²) sin Ωt

and it pushes the bead sideways with m(2Ωṙ + g cos Ωt). A hoop of radius R that turns about its vertical diameter
[Goldstein, 3rd ed. 2002, §2.7 and exercise 2.18]: with θ from its lowest point, θ̇²/2 − Ω² sin²θ/2 − (g/R) cos θ is
constant, and at cos θ = g/(RΩ²) the bead rests in the hoop.
"""

from __future__ import annotations

import numpy as np

import zeromass as zm
from exact.measure import exact_run, relative

m, g, Ω = 0.6, 9.81, 1.7


def test_straight_wire():
    """Measured: 2.5e-14. cosh Ωt grows to 160, the errors of the first steps with it, and so does what is compared."""
    bead = zm.Particle("bead", mass=m)
    x, y, z = bead.position
    s, c = np.sin(Ω * zm.t), np.cos(Ω * zm.t)
    system = zm.System([bead], gravity=(0.0, -g, 0.0), constraints={"wire": x * s - y * c, "plane": z})
    r0, v0 = 0.9, -0.5
    start = system.start({x: r0, zm.rate(x): v0})
    t = np.linspace(0.0, 3.4, 69)
    run = exact_run(system, start, t[-1]).at(t)
    a, b = r0, v0 / Ω - g / (2 * Ω**2)
    ch, sh, s, c = np.cosh(Ω * t), np.sinh(Ω * t), np.sin(Ω * t), np.cos(Ω * t)
    r = a * ch + b * sh + g / (2 * Ω**2) * s
    v = Ω * (a * sh + b * ch) + g / (2 * Ω) * c
    assert relative(run[bead.position[:2]], np.stack([r * c, r * s], axis=1)) <= 2e-13
    assert relative(run[bead.velocity[:2]], np.stack([v * c - Ω * r * s, v * s + Ω * r * c], axis=1)) <= 2e-13
    push = m * (2 * Ω * v + g * c)
    assert relative(run[system.reaction.on([x, y])], push[:, None] * np.stack([-s, c], axis=1)) <= 2e-13


def hoop(R: float, Ω: float) -> tuple[zm.Particle, zm.System]:
    bead = zm.Particle("bead", mass=m)
    x, y, _ = bead.position
    plane = x * np.sin(Ω * zm.t) - y * np.cos(Ω * zm.t)
    ring = (bead.position @ bead.position - R**2) / 2
    return bead, zm.System([bead], gravity=g, constraints={"plane": plane, "ring": ring})


def test_rest_in_the_hoop():
    """Measured: 2.2e-13 in five seconds."""
    R, Ω = 0.5, 6.0
    bead, system = hoop(R, Ω)
    θ = np.arccos(g / (R * Ω**2))
    start = system.start([(bead.position, (R * np.sin(θ), 0.0, -R * np.cos(θ))), (bead.velocity[2], 0.0)])
    t = np.linspace(0.0, 5.0, 101)
    run = exact_run(system, start, t[-1]).at(t)
    circle = np.stack([np.sin(θ) * np.cos(Ω * t), np.sin(θ) * np.sin(Ω * t), np.full(len(t), -np.cos(θ))], axis=1)
    assert relative(run[bead.position], R * circle) <= 1e-12


def test_jacobi_integral_of_the_hoop():
    """Measured: 2.1e-14 in ten seconds."""
    R, Ω = 0.5, 6.0
    bead, system = hoop(R, Ω)
    start = system.start([(bead.position[2], -0.45), (bead.velocity[2], 0.0)], guess={bead.position[0]: 0.2})
    run = exact_run(system, start, 10.0)
    place, velocity = bead.position, bead.velocity
    integral = system.energy / m - Ω * (place[0] * velocity[1] - place[1] * velocity[0])
    assert relative(run[integral], np.full(len(run), start[integral])) <= 1e-13
    assert np.ptp(run[place[2]]) > 0.3
    assert np.ptp(run[system.energy]) > 1.0  # which the constraint changes: it does work
