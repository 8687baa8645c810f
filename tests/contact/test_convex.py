"""Convex bodies: their moments, starts, outsides and guards, and spheres that are written as something else."""

from __future__ import annotations

import pickle
from math import gamma
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import zeromass as zm
from cases import few
from zeromass.contact import Roller
from zeromass.contact.directions import scattered
from zeromass.contact.outlines import Ellipsoid, Outline
from zeromass.expression import Evaluator, expressions

GIVEN: dict[str, Any] = {"mass": 2.0, "inertia": ((0.011, 0.001, 0.0), (0.001, 0.012, -0.0005), (0.0, -0.0005, 0.013))}
RHO = (0.004, -0.002, 0.006)


def spheres(r: float) -> dict[str, Roller]:
    """One uneven sphere, said in six ways."""
    given = {**GIVEN, "center_of_mass": RHO, "name": "stone"}
    return {
        "sphere": zm.bodies.SphericalBody(r, **given),
        "ellipsoid": zm.bodies.ellipsoid((r, r, r), **given),
        "torus without a hole": zm.bodies.capsule(r, 1e-300, **given),
        "superquadric": zm.bodies.superquadric((r, r, r), 2, **given),
        "support": zm.bodies.convex(support=lambda x, y, z: r * np.sqrt(x**2 + y**2 + z**2), **given),
        "implicit": zm.bodies.convex(implicit=lambda x, y, z: x**2 + y**2 + z**2 - r**2, **given),
    }


def surface(random: np.random.Generator) -> zm.Surface:
    """Hills of random heights that are shaken, tilt and revolve."""
    a, k, w = random.uniform(0.05, 0.15, 3), random.uniform(1.0, 3.0, 3), random.uniform(0.3, 1.5, 4)
    return zm.Surface(
        lambda X, Y: a[0] * X**2 + a[1] * Y**2 + 0.02 * np.sin(k[0] * X) * np.cos(k[1] * Y),
        shift=(0.05 * np.sin(w[0] * zm.t), 0.03 * np.cos(w[1] * zm.t), 0.02 * np.sin(w[2] * zm.t)),
        rotation=((0.1, random.uniform(-1, 1), 1.0), 0.1 * np.sin(w[3] * zm.t)),
    )


def same_motion(seed: int) -> None:
    random = np.random.default_rng(seed)
    on, told = surface(random), []
    said = {
        "contact": random.uniform(-0.5, 0.5, 2),
        "velocity": random.uniform(-0.5, 0.5, 2),
        "spin": random.uniform(-2, 2),
        "orientation": random.normal(size=3),
    }
    for solid in spheres(0.08).values():
        rolling = zm.Rolling(solid, on=on, two_sided=True)
        run = zm.simulate(rolling, rolling.start(**said), until=2.0, rtol=1e-13, atol=1e-15)
        at = run.at([0.0, 1.0, 2.0])
        told.append(
            np.concatenate([at[rolling.contact], at[rolling.body.quaternion], at[rolling.reaction_force] / 20], 1)
        )
    assert max(np.abs(other - told[0]).max() for other in told[1:]) <= 1e-12


@pytest.mark.parametrize("seed", few(range(2)))
def test_a_sphere_is_a_sphere(seed):
    same_motion(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_a_sphere_is_a_sphere_on_many(seed):
    same_motion(seed)


# an ellipsoid by formulas of its own -----------------------------------------------------------------------------------
@pytest.mark.parametrize("axes", [(0.3, 0.2, 0.1), (0.2, 0.2, 0.1), (0.1, 0.3, 0.1), (0.2, 0.2, 0.2)])
def test_an_ellipsoid_touches_with_its_farthest_point(axes):
    """(k·l) l = G k where l = s(k), whatever the length of k, and nowhere else nearby; W = ∂s/∂d."""
    random = np.random.default_rng(7)
    outline, d = Ellipsoid(axes), zm.coordinates("d0 d1 d2")
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    S, d = expressions(turn * np.linalg.det(turn)), expressions(d)
    l = expressions(outline.farthest(d, S))
    n = random.normal(size=3)
    n /= np.linalg.norm(n)
    apart = Evaluator(outline.tangency(l, 2.7 * d, S), d)
    np.testing.assert_allclose(apart(n), 0.0, atol=1e-15)
    off = Evaluator(outline.tangency(l + 1e-3 * random.normal(size=3), 2.7 * d, S), d)
    assert np.abs(off(n)).max() > 1e-4
    W, general = (Evaluator(expressions(e), d)(n) for e in (outline.radii(d, S), Outline.radii(outline, d, S)))
    np.testing.assert_allclose(W, general, atol=1e-14)


# moments -----------------------------------------------------------------------------------------------------------
def of_hull(solid: Roller) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, ∫ x and ∫ x xᵀ of the hull of many of its points: a sum over the tetrahedra from the centre."""
    points = solid.farthest(scattered(2000), {})
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    volumes = np.abs(np.linalg.det(corners)) / 6
    sums = corners.sum(axis=1)
    second = np.einsum("k,ki,kj->ij", volumes, sums, sums) + np.einsum("k,kci,kcj->ij", volumes, corners, corners)
    return float(volumes.sum()), volumes @ sums / 4, second / 20


@pytest.mark.parametrize(
    "solid",
    [
        zm.bodies.ellipsoid((0.3, 0.2, 0.1), density=2.0),
        zm.bodies.disc(0.1, edge=0.04, density=2.0),
        zm.bodies.cylinder(0.1, 0.3, density=2.0),
        zm.bodies.capsule(0.1, 0.3, density=2.0),
        zm.bodies.cone(0.1, 0.3, density=2.0),
        zm.bodies.convex(support=lambda x, y, z: 0.03 + 0.004 * z**2 + 0.002 * z, density=2.0),
    ],
    ids=lambda solid: solid.name,
)
def test_moments_are_those_of_the_outside(solid):
    """The hull of 2,000 points is smaller by some parts in a thousand."""
    volume, first, second = of_hull(solid)
    rho = np.asarray(solid.center_of_mass, dtype=float)
    assert solid.mass == pytest.approx(2.0 * volume, rel=8e-3)
    assert rho == pytest.approx(first / volume, abs=2e-3 * float(solid.size))
    second = second - np.outer(first, first) / volume
    J = 2.0 * (np.trace(second) * np.eye(3) - second)
    given = np.asarray(solid.inertia, dtype=float)
    given = np.diag(given) if given.ndim == 1 else given
    assert np.abs(J - given).max() <= 1e-2 * np.abs(given).max()


def test_moments_of_formulas_are_exact():
    exact = zm.bodies.ellipsoid((0.3, 0.2, 0.1), density=3.0)
    ways = {
        "support": lambda x, y, z: np.sqrt((0.3 * x) ** 2 + (0.2 * y) ** 2 + (0.1 * z) ** 2),
        "implicit": lambda x, y, z: (x / 0.3) ** 2 + (y / 0.2) ** 2 + (z / 0.1) ** 2 - 1,
    }
    for way, function in ways.items():
        found = zm.bodies.convex(**{way: function}, density=3.0)
        assert found.mass == pytest.approx(exact.mass, rel=1e-11)
        assert np.asarray(found.inertia) == pytest.approx(np.diag(exact.inertia), rel=1e-11, abs=1e-15)
        assert found.center_of_mass == (0.0, 0.0, 0.0)


def test_moments_of_a_thick_disc_are_exact():
    """Slices of radius R(z) from one face to the other, by Gauss's rule in the angle of the round edge."""
    coin = zm.bodies.disc(0.012, edge=0.001, density=8000.0)
    angle, weight = np.polynomial.legendre.leggauss(40)
    R, z = 0.011 + 0.001 * np.cos(angle * np.pi / 2), 0.001 * np.sin(angle * np.pi / 2)
    dz = weight * 0.001 * np.cos(angle * np.pi / 2) * np.pi / 2
    slices = 8000.0 * np.pi * R**2 * dz
    assert coin.mass == pytest.approx(slices.sum(), rel=1e-13)
    assert coin.inertia[2] == pytest.approx(slices @ R**2 / 2, rel=1e-13)
    assert coin.inertia[0] == pytest.approx(slices @ (R**2 / 4 + z**2), rel=1e-13)


def test_volume_of_a_superquadric():
    """8abc Γ(1 + 1/p)³/Γ(1 + 3/p)."""
    body = zm.bodies.superquadric((0.3, 0.2, 0.1), 4, density=2.0)
    assert body.mass == pytest.approx(2.0 * 8 * 0.006 * gamma(1.25) ** 3 / gamma(1.75), rel=1e-11)
    corner = body.farthest(scattered(4096), {})
    assert np.linalg.norm(corner, axis=1).max() == pytest.approx(float(body.size), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [2.0, 2.5, 4.0, 6.0])
def test_moments_of_a_superquadric_are_those_of_its_outside(exponent):
    def implicit(x, y, z):
        return (abs(x / 0.3)) ** exponent + (abs(y / 0.2)) ** exponent + (abs(z / 0.1)) ** exponent - 1

    closed = zm.bodies.superquadric((0.3, 0.2, 0.1), exponent, density=2.0)
    found = zm.bodies.convex(implicit=implicit, density=2.0, reach=0.4)
    assert found.mass == pytest.approx(closed.mass, rel=1e-6)
    assert np.asarray(found.inertia) == pytest.approx(np.diag(closed.inertia), rel=1e-6, abs=1e-12)


def test_on_its_side_a_can_does_not_start():
    for can in (zm.bodies.cylinder(0.03, 0.1, 0.4), zm.bodies.capsule(0.03, 0.1, 0.4)):
        rolling = zm.Rolling(can, on=zm.surfaces.plane())
        with pytest.raises(zm.errors.StartError, match="in a line"):
            rolling.start(contact=(0.0, 0.0), orientation=(np.pi / 2, 0.0, 0.0))
        assert rolling.start(contact=(0.0, 0.0), orientation=(np.pi / 2 - 0.1, 0.0, 0.0))


def test_a_solid_torus_has_its_moments():
    """By Pappus and Steiner: rings of the tube's circle, in numbers."""
    R, r = 0.3, 0.05
    x, w = np.polynomial.legendre.leggauss(200)
    x, height = R + r * x, 2 * np.sqrt(r**2 - (r * x) ** 2)
    area = r * w * height
    mass = float((2 * np.pi * x * area).sum())
    along = float((2 * np.pi * x**3 * area).sum())
    across = along / 2 + float((2 * np.pi * x * r * w * height**3 / 12).sum())
    body = zm.bodies.torus(R, r, density=1.0)
    assert body.mass == pytest.approx(mass, rel=1e-6)
    assert np.asarray(body.inertia) == pytest.approx([across, across, along], rel=1e-6)


# starts ------------------------------------------------------------------------------------------------------------
EGG = {"axes": (0.2, 0.1, 0.05), "mass": 1.0}


@pytest.mark.parametrize("point", [(0.0, 0.0, -0.05), (0.0, 0.0, 0.05), (0.2, 0.0, 0.0), (0.12, 0.06, None)])
def test_laid_on_the_point_that_touches(point):
    x, y, z = point
    z = 0.05 * np.sqrt(1 - (x / 0.2) ** 2 - (y / 0.1) ** 2) if z is None else z
    egg = zm.Rolling(zm.bodies.ellipsoid(**EGG), on=zm.Surface(lambda X, Y: 0.2 * X**2 - 0.1 * X * Y + 0.3 * Y))
    start = egg.start(contact=(0.3, -0.2), touching=(x, y, z), spin=1.0)
    reach = start[egg.body.rotation.T @ (egg.contact - egg.center)]
    assert reach == pytest.approx([x, y, z], abs=1e-12)
    assert not start.free


def test_velocity_of_the_centre():
    """Three components that fit, and three that do not: the centre does not move along the line from the contact."""
    egg = zm.Rolling(zm.bodies.ellipsoid(**EGG), on=zm.surfaces.plane())
    turned = {"contact": (0.0, 0.0), "orientation": (0.4, 0.3, 0.0)}
    start = egg.start(**turned, velocity=(0.3, -0.2))
    velocity = start[egg.center_particle.velocity]
    assert abs(velocity[2]) > 0.01
    again = egg.start(**turned, velocity=velocity)
    assert again.v == pytest.approx(start.v, abs=1e-12)
    with pytest.raises(zm.errors.StartError, match="line from contact to centre"):
        egg.start(**turned, velocity=(0.3, -0.2, 0.0))


def test_kept_and_loaded(tmp_path):
    for solid in (zm.bodies.ellipsoid(**EGG), zm.bodies.superquadric((0.2, 0.1, 0.1), 2, 1.0)):
        rolling = zm.Rolling(solid, on=zm.surfaces.plane(), friction=0.9)
        low = (0.0, 0.0, -solid.farthest(np.eye(3), {})[2, 2])
        start = rolling.start(contact=(0.0, 0.0), touching=low, velocity=(0.1, 0.2))
        run = zm.simulate(rolling, start, until=0.3)
        run.save(tmp_path / "egg.nc")
        loaded = zm.load(tmp_path / "egg.nc")
        assert loaded.required_friction().value == run.required_friction().value
        assert loaded.system.solid.farthest(np.eye(3), {}) == pytest.approx(solid.farthest(np.eye(3), {}), abs=1e-15)
        drawn, again = (system.drawing.bodies[0].shape.corners for system in (rolling, loaded.system))
        assert again == pytest.approx(drawn, abs=1e-15)
        copied = pickle.loads(pickle.dumps(run))
        assert np.array_equal(copied.y, run.y)


# guards ------------------------------------------------------------------------------------------------------------
def test_a_hollow_as_tight_as_the_body_is_long():
    """An ellipsoid of semi-axes a, b, c lying on c has the radii a²/c and b²/c there."""
    a, c = 0.2, 0.05
    for curvature, fits in ((0.99 * c / a**2, True), (1.01 * c / a**2, False)):
        trough = zm.Surface(lambda X, Y, k=curvature: 0.5 * k * X**2)
        egg = zm.Rolling(zm.bodies.ellipsoid((a, 0.1, c), 1.0), on=trough)
        if fits:
            clearance = egg.start(contact=(0.0, 0.0))[egg.clearance]
            assert clearance == pytest.approx(0.01, rel=1e-6)
        else:
            with pytest.raises(zm.errors.StartError, match="more than one point"):
                egg.start(contact=(0.0, 0.0))


def test_touching_elsewhere_is_seen():
    """A long egg on a narrow ledge between walls."""
    corner = zm.Surface(lambda X, Y, Z: Z * (0.25 - X), name="corner")
    egg = zm.Rolling(zm.bodies.ellipsoid((0.2, 0.05, 0.05), 1.0), on=corner)
    assert egg.start(contact=(0.0, 0.0, 0.0))
    with pytest.raises(zm.errors.StartError, match="inside"):
        egg.start(contact=(0.1, 0.0, 0.0))
    turned = egg.start(contact=(0.1, 0.0, 0.0), orientation=(0.0, 0.0, np.pi / 2), velocity=(0.5, 0.0))
    with pytest.warns(zm.errors.RunDoubtful):
        run = zm.simulate(egg, turned, until=0.25)
    assert run.remarks


def test_a_disc_that_lies_flat():
    coin = zm.Rolling(zm.bodies.disc(0.01, 0.005), on=zm.surfaces.plane())
    with pytest.raises(zm.errors.StartError, match="face"):
        coin.start(contact=(0.0, 0.0))
    assert coin.start(contact=(0.0, 0.0), orientation=(np.pi / 2 - 0.1, 0.0, 0.0))


def test_a_cylinder_that_falls_on_its_side_ends_by_name():
    can = zm.Rolling(zm.bodies.cylinder(0.03, 0.1, 0.4), on=zm.surfaces.plane())
    tilted = can.start(contact=(0.0, 0.0), orientation=(np.radians(80.0), 0.0, 0.0))
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(can, tilted, until=2.0)
    assert run.outcome.ending == "jump"
    assert "comes to lie on a side" in run.outcome.message
    assert run.state(run.t[-1])[can.normal @ can.body.rotation[:, 2]] == pytest.approx(0.0, abs=1e-9)


# bad input ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "make"),
    [
        ("semi-axis", lambda: zm.bodies.ellipsoid((0.1, 0.0, 0.1), 1.0)),
        ("three numbers", lambda: zm.bodies.ellipsoid((0.1, 0.1), 1.0)),
        ("mass= or its density=", lambda: zm.bodies.ellipsoid((0.1, 0.1, 0.1))),
        ("mass= or its density=", lambda: zm.bodies.ellipsoid((0.1, 0.1, 0.1), 1.0, density=2.0)),
        (
            "centre of mass twice",
            lambda: zm.bodies.ellipsoid(**EGG, inertia=(1, 1, 1), center=(0, 0, 0), center_of_mass=(0, 0, 0)),
        ),
        ("give its inertia", lambda: zm.bodies.ellipsoid(**EGG, center_of_mass=(0, 0, 0.01))),
        ("edge", lambda: zm.bodies.disc(0.1, 1.0, edge=0.2)),
        ("at least 2", lambda: zm.bodies.superquadric((0.1, 0.1, 0.1), 1.5, 1.0)),
        ("not convex", lambda: zm.bodies.convex(support=lambda x, y, z: 1.0 + 0.9 * x**2 * y**2 * z**2 * 20, mass=1.0)),
        ("not inside", lambda: zm.bodies.convex(implicit=lambda x, y, z: (x - 2) ** 2 + y**2 + z**2 - 1, mass=1.0)),
        ("no end", lambda: zm.bodies.convex(implicit=lambda x, y, z: x**2 + y**2 - 1, mass=1.0)),
        ("one of them", lambda: zm.bodies.convex(mass=1.0)),
        ("'coin' is sharp", lambda: zm.bodies.disc(0.01, density=8000.0, name="coin")),
        ("does not give a formula", lambda: zm.bodies.convex(support=lambda x: x, mass=1.0)),
        (
            "off the outside",
            lambda: zm.Rolling(zm.bodies.ellipsoid(**EGG), on=zm.surfaces.plane()).start(
                contact=(0, 0), touching=(0.0, 0.0, 0.1)
            ),
        ),
        (
            "or by orientation=",
            lambda: zm.Rolling(zm.bodies.ellipsoid(**EGG), on=zm.surfaces.plane()).start(
                contact=(0, 0), touching=(0.0, 0.0, 0.05), orientation=(0.1, 0.0, 0.0)
            ),
        ),
    ],
)
def test_mistake(words, make):
    with pytest.raises(zm.errors.ZeromassError, match=words):
        make()
