"""The wheelset of the IVP test set: hunting of a railway wheelset whose creep forces saturate.

F. Mazzia and C. Magherini, Test Set for Initial Value Problem Solvers, release 2.4, University of Bari, 2008, problem
"Wheelset", after B. Simeon, C. Führer and P. Rentrop, Differential-algebraic equations in vehicle system dynamics, Surv.
Math. Ind. 1 (1991) 1–37. Figures of the model and the reference solution at t = 10 s are theirs.

Positions x, y, z, yaw θ and roll φ, the deviation β of the spin, and of each contact (left, right) a shift ψ and a
coordinate ξ, which have no mass. The normal forces depend on the multipliers, and the creep forces on the normal forces. So
multipliers are rates of two more coordinates without mass, and constraints on accelerations are constraints on these rates.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import zeromass as zm
from zeromass import rate
from zeromass.expression import as_expression, substitute

MASS, GRAVITY, SPEED, RADIUS, FRICTION = 16.08, 9.81, 30.0, 0.1, 0.12
SPIN_INERTIA, INERTIA, WIDTH, SPRING = 0.0605, 0.366, 0.19, 6400.0
CONE, GAUGE, RAIL = 0.0262, 0.1506, 0.06
ELLIPSE, SHAPE, POISSON, MODULUS = 1.3537956, 0.7115218, 0.28, 7.92e10
KALKER = 4.72772197, 4.27526987, 1.97203505
SCALE = 1e4
SPIN = SPEED / RADIUS

START = 0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3, 0.26459e-3
"""x, y, z, θ, φ at t = 0, at rest."""

CONTACTS = -7.4122380357667139e-6, -0.1521364296121248, 7.5634406395172940e-6, 0.1490635714733819
"""ψ and ξ at t = 0, left and right."""

FORCES = -0.83593e-2, -0.74144e-2
"""Multipliers over 10⁴ at t = 0, right and left."""

POSITIONS_AT_10 = (
    0.86355386965811e-2, 0.13038281022727e-4, -0.93635784016818e-4, -0.13642299804033e-1, 0.15292895005422e-2,
)  # fmt: skip
RATES_AT_10 = (
    -0.76985374142666e-1, -0.25151106429207e-3, 0.20541188079539e-2, -0.23904837703692, -0.13633468454173e-1,
    -0.24421377661131,
)  # fmt: skip
CONTACTS_AT_10 = -0.33666751972196e-3, -0.15949425684022, 0.37839614386969e-3, 0.14173214964613
FORCES_AT_10 = -0.10124044903201e-1, -0.56285630573753e-2


def wheelset() -> tuple[zm.System, zm.State]:
    """The system and its start."""
    q = zm.coordinates("x y z theta phi beta psi_l xi_l psi_r xi_r impulse_r impulse_l")
    x, _, z, θ, φ, β, ψl, ξl, ψr, ξr, right, left = q
    ẋ, ẏ, ż, dθ, dφ, dβ = (rate(c) for c in q[:6])
    contacts = [_contact(q, -1, ψl, ξl, SCALE * rate(left)), _contact(q, 1, ψr, ξr, SCALE * rate(right))]
    _normal_forces(*contacts)
    for contact in contacts:
        contact.creep = _creep(q, contact)
    sφ, cφ = np.sin(φ), np.cos(φ)
    yaw = -2 * WIDTH**2 * SPRING * θ
    gyroscopic = SPIN_INERTIA * (SPIN + dβ)
    Δ = SPIN_INERTIA - INERTIA
    F: list[Any] = [
        -2 * SPRING * x,
        -MASS * GRAVITY,
        -2 * SPRING * z,
        INERTIA * dθ * dφ * sφ - gyroscopic * dφ - Δ * dθ * sφ * dφ + cφ * yaw,
        gyroscopic * dθ * cφ + Δ * dθ * sφ * dθ * cφ,
        sφ * yaw,
    ]
    for contact in contacts:
        F = [f + moved for f, moved in zip(F, _generalized(q, contact), strict=True)]
    a = [F[0] / MASS, F[1] / MASS, F[2] / MASS, F[3] / (INERTIA * cφ), F[4] / INERTIA]
    a.append(F[5] / SPIN_INERTIA - dθ * dφ * cφ - sφ * a[3])
    constraints = {
        f"{c.name} {what}": e for c in contacts for what, e in zip(("profile", "shift"), c.tangent, strict=True)
    }
    v = [ẋ, ẏ, ż, dθ, dφ]
    for contact in contacts:
        speed = as_expression(sum(row * speed for row, speed in zip(contact.row, v, strict=True)))
        found = substitute(rate(speed), dict(zip([rate(s) for s in v], a, strict=False)))
        constraints[f"{contact.name} force"] = as_expression(found) / 1000.0
    system = zm.System(coordinates=q, M=np.diag([1.0] * 6 + [0.0] * 6), Q=[*a, *[0.0] * 6], constraints=constraints)
    given = dict(zip(q[:5], START, strict=True)) | dict.fromkeys([β, right, left, ẋ, ẏ, ż, dθ, dφ, dβ], 0.0)
    guess = dict(zip(q[6:10], CONTACTS, strict=True)) | dict(zip([rate(right), rate(left)], FORCES, strict=True))
    return system, system.start(given, guess=guess)


def _contact(q: Any, side: int, ψ: Any, ξ: Any, force: Any) -> SimpleNamespace:
    """Profiles of wheel (a cone) and rail (a circle) at one contact, the row of its constraint, and the tangents."""
    x, _, _, θ, φ = q[:5]
    sθ, cθ, sφ, cφ, sψ, cψ = np.sin(θ), np.cos(θ), np.sin(φ), np.cos(φ), np.sin(ψ), np.cos(ψ)
    r, dr = RADIUS + np.tan(CONE) * (GAUGE - side * ξ), -side * np.tan(CONE)
    off = side * (x + ξ * cθ * cφ + r * (cθ * sφ * cψ - sθ * sψ)) - GAUGE - np.sin(CONE) * RAIL
    root = np.sqrt(RAIL**2 - off**2)
    slope, bend = -side * off / root, -(RAIL**2) / root**3
    row = (
        slope,
        -1.0,
        0.0,
        slope * (r * (-cθ * sψ - cψ * sφ * sθ) - cφ * sθ * ξ),
        -cψ * r * sφ - cφ * ξ + slope * (cφ * cψ * cθ * r - cθ * sφ * ξ),
    )
    across, down = (dr * cφ - sφ * cψ) * cθ + sψ * sθ, dr * sφ + cψ * cφ
    tangent = slope * down + across, dr * sθ * cφ - sθ * sφ * cψ - cθ * sψ
    name, angle = "left" if side < 0 else "right", np.arctan(side * across / down)
    return SimpleNamespace(
        name=name,
        side=side,
        ψ=ψ,
        ξ=ξ,
        r=r,
        dr=dr,
        slope=slope,
        bend=bend,
        row=row,
        tangent=tangent,
        angle=angle,
        force=force,
    )


def _normal_forces(left: SimpleNamespace, right: SimpleNamespace) -> None:
    sl, cl, sr, cr = np.sin(left.angle), np.cos(left.angle), np.sin(right.angle), np.cos(right.angle)
    across, up = (left.row[k] * left.force + right.row[k] * right.force for k in (0, 1))
    left.normal = (cr * across - sr * up) / (-sl * cr - sr * cl)
    right.normal = (-cl * across - sl * up) / (-sl * cr - sr * cl)


def _creep(q: Any, c: SimpleNamespace) -> tuple[Any, Any, Any]:
    """Kalker's creep forces, saturated one by one, and together where they are more than friction gives."""
    θ, φ = q[3:5]
    ẋ, ẏ, ż, dθ, dφ, dβ = (rate(e) for e in q[:6])
    sφ, cφ, sψ, cψ, sδ, cδ = np.sin(φ), np.cos(φ), np.sin(c.ψ), np.cos(c.ψ), np.sin(c.angle), np.cos(c.angle)
    s, o, N, r, ξ = np.sin(θ / cδ), np.cos(θ / cδ), c.normal, c.r, c.ξ
    curvature = 0.5 / (r * np.sqrt(1 + c.dr**2)) - 0.5 * c.bend / (1 + c.slope**2) ** 1.5
    size = (3 * np.abs(N) * (1 - POISSON) * ELLIPSE / (2 * np.pi * curvature * MODULUS * np.sqrt(SHAPE))) ** (1 / 3)
    ω = SPIN + dβ
    u = (
        -ω * r * (s * cψ + o * sφ * sψ)
        - dθ * (r * (s * sφ * cψ + o * sψ) + ξ * s * cφ)
        - dφ * o * (ξ * sφ - r * cφ * cψ)
        + ẋ
    )
    v = ω * r * cφ * sψ + ẏ + dφ * (ξ * cφ + r * sφ * cψ)
    w = (
        SPEED + ż - ω * r * (o * cψ - s * sφ * sψ)
        - dθ * (ξ * o * cφ + r * (o * sφ * cψ - s * sψ)) + dφ * s * (ξ * sφ - r * cφ * cψ)
    )  # fmt: skip
    rolling = 0.5 * np.sqrt((u - 2 * ẋ) ** 2 + (v - 2 * ẏ) ** 2 + (w - 2 * ż - 2 * SPEED) ** 2)
    along = (s * u + o * w) / rolling
    across = (o * cδ * u - c.side * sδ * v - s * cδ * w) / rolling
    spin = (c.side * sδ * ω + cδ * dθ) / rolling
    most = FRICTION * N
    tx = -most * np.tanh(MODULUS * size**2 * KALKER[0] * along / most)
    ty = -most * np.tanh(MODULUS * size**2 * (KALKER[1] * across + size * KALKER[2] * spin) / most)
    square = tx**2 + ty**2
    less = zm.where(square - most**2 > 0, np.abs(most) / np.sqrt(square), 1.0)
    tx, ty = tx * less, ty * less
    return s * tx + o * cδ * ty, -c.side * sδ * ty, o * tx - s * cδ * ty


def _generalized(q: Any, c: SimpleNamespace) -> list[Any]:
    """Creep and normal forces of a contact on x, y, z, θ, φ and β."""
    θ, φ = q[3:5]
    sθ, cθ, sφ, cφ, sψ, cψ = np.sin(θ), np.cos(θ), np.sin(φ), np.cos(φ), np.sin(c.ψ), np.cos(c.ψ)
    (X, Y, Z), r, ξ = c.creep, c.r, c.ξ
    moments = [
        -(ξ * sθ + r * sψ * cθ * cφ) * X - r * sψ * sφ * Y + (-ξ * cθ + r * sψ * sθ * cφ) * Z,
        -(ξ * cθ * sφ - r * cψ * cθ * cφ) * X + (ξ * cφ + r * cψ * sφ) * Y + (ξ * sθ * sφ - r * cψ * sθ * cφ) * Z,
    ]
    ideal = [row * c.force for row in c.row]
    spin = -r * (cψ * sθ + sψ * cθ * sφ) * X + r * sψ * cφ * Y - r * (cψ * cθ - sψ * sθ * sφ) * Z
    return [*[a + b for a, b in zip([X, Y, Z, *moments], ideal, strict=True)], spin]
