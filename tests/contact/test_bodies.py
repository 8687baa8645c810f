"""Mass, centre of mass and inertia of bodies, against their densities integrated over space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm

EPS = np.finfo(float).eps


def integrated(
    outer: float, inner: float, density: Callable[[np.ndarray], np.ndarray]
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, of a density that depends on the sign of x alone.

    Gauss's rules in r² dr and on each half of the axis x, the trapezoidal rule around it: exact for these polynomials.
    """
    x, w = np.polynomial.legendre.leggauss(8)
    rs, wr = inner + (outer - inner) * (x + 1) / 2, w * (outer - inner) / 2
    cs, wc = np.concatenate([(x - 1) / 2, (x + 1) / 2]), np.concatenate([w, w]) / 2
    φ = np.arange(16) * 2 * np.pi / 16
    ρ, c, f = np.meshgrid(rs, cs, φ, indexing="ij")
    s = np.sqrt(1 - c**2)
    points = (ρ * np.array([c, s * np.cos(f), s * np.sin(f)])).reshape(3, -1)
    weights = (wr[:, None, None] * wc[None, :, None] * (2 * np.pi / 16) * ρ**2).ravel() * density(points[0])
    mass = weights.sum()
    center = points @ weights / mass
    arms = points - center[:, None]
    J = np.einsum("n,nij->ij", weights, [a @ a * np.eye(3) - np.outer(a, a) for a in arms.T])
    return float(mass), center, J


@pytest.mark.parametrize("inner", [0.0, 0.05, 0.08, 0.0899])
@pytest.mark.parametrize("densities", [(7874.0, 10490.0), (2700.0, 0.0), (1.0, 1.0)])
def test_two_materials(inner, densities):
    """To rounding of the thin shell's differences of powers."""
    body = zm.bodies.two_material_shell(outer=0.09, inner=inner, densities=densities)
    mass, center, J = integrated(0.09, inner, lambda x: np.where(x > 0, *densities))
    bound = 50 * EPS * 0.09 / (0.09 - inner)
    assert body.mass == pytest.approx(mass, rel=bound)
    assert body.center_of_mass == pytest.approx(center, abs=bound * 0.09)
    assert np.diag(body.inertia) == pytest.approx(J, abs=bound * mass * 0.09**2)
    assert body.radius == 0.09


def test_two_equal_materials_are_one():
    two = zm.bodies.two_material_shell(0.09, 0.08, densities=(5000.0, 5000.0))
    one = zm.bodies.shell(0.09, 0.08, mass=two.mass)
    assert two.center_of_mass == (0.0, 0.0, 0.0)
    assert two.inertia == pytest.approx(one.inertia, rel=10 * EPS)


def test_exchanging_the_materials_mirrors_the_body():
    a, b = (zm.bodies.two_material_shell(0.09, 0.08, densities=d) for d in ((1.0, 3.0), (3.0, 1.0)))
    assert a.center_of_mass[0] == -b.center_of_mass[0] < 0
    assert a.inertia == b.inertia


def test_a_shell_without_hollow_is_a_ball():
    assert zm.bodies.shell(0.1, 0.0, 2.0).inertia == pytest.approx(zm.bodies.ball(0.1, 2.0).inertia, rel=4 * EPS)
    assert zm.bodies.ball(0.1, 2.0).inertia == pytest.approx((0.008,) * 3, rel=4 * EPS)


def test_thin_shells():
    """J → 2/3 m r² in proportion to the thickness d: J = 2/3 m r² (1 − d/r + …); and a half shell's centre is at r/2."""
    limit = zm.bodies.shell(0.1, 0.1, 2.0)
    assert limit.inertia == pytest.approx((2 / 3 * 2.0 * 0.01,) * 3, rel=4 * EPS)
    for thickness in (1e-3, 1e-4):
        J = zm.bodies.shell(0.1, 0.1 - thickness, 2.0).inertia[0]
        assert J / limit.inertia[0] == pytest.approx(1 - thickness / 0.1, abs=2 * (thickness / 0.1) ** 2)
    half = zm.bodies.two_material_shell(0.1, 0.1 - 1e-6, densities=(1.0, 0.0))
    assert half.center_of_mass[0] == pytest.approx(0.05, rel=2e-5)


def test_where_the_mass_is_does_not_change_the_total():
    """Steiner: about the centre of the sphere the moments are those of a shell of the same mass."""
    body = zm.bodies.two_material_shell(0.09, 0.08, densities=(7874.0, 10490.0))
    ρ = np.array(body.center_of_mass)
    about_center = np.diag(body.inertia) + body.mass * (ρ @ ρ * np.eye(3) - np.outer(ρ, ρ))
    assert about_center == pytest.approx(np.diag(zm.bodies.shell(0.09, 0.08, body.mass).inertia), abs=1e-16)


def test_principal_moments_and_matrix_roll_alike():
    rows = []
    for inertia in ((2e-3, 2.5e-3, 3e-3), np.diag([2e-3, 2.5e-3, 3e-3])):
        rolling = zm.Rolling(
            zm.bodies.SphericalBody(0.1, 0.5, inertia, (0.01, 0, 0.02)), on=zm.surfaces.paraboloid(0.2)
        )
        state = rolling.start(contact=(0.3, 0.1), velocity=(0.4, 0.5), spin=2.0)
        rows.append(state.motion.acceleration)
    assert np.array_equal(*rows)
