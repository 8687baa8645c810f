"""Surfaces: which side bodies are on, how they curve, how they move, and their values on plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from exact.measure import rotation
from zeromass.expression import Evaluator, evaluate

P = zm.coordinates("X Y Z")


def values(e: Any, point: Any, t: float = 0.0) -> np.ndarray:
    return Evaluator(e, [*P, zm.t])(np.array([*point, t], dtype=float))


# surface, a point on it, the normal there, its principal curvatures: positive where the body is outside, −1/R in a hollow
s, c = np.sin(0.3), np.cos(0.3)
NAMED = {
    "plane": (zm.surfaces.plane(), (0.4, -1.0, 0.0), (0, 0, 1), (0, 0)),
    "inclined plane": (zm.surfaces.plane(0.3), (c, 2.0, -s), (s, 0, c), (0, 0)),
    "sphere, outside": (zm.surfaces.sphere(2.0), (0, 2 * s, 2 * c), (0, s, c), (0.5, 0.5)),
    "sphere, inside": (zm.surfaces.sphere(2.0, inside=True), (0, 2 * s, 2 * c), (0, -s, -c), (-0.5, -0.5)),
    "cylinder, outside": (zm.surfaces.cylinder(0.5), (0.5 * c, 0.5 * s, 3.0), (c, s, 0), (0, 2)),
    "cylinder, inside": (zm.surfaces.cylinder(0.5, inside=True), (0.5 * c, 0.5 * s, 3.0), (-c, -s, 0), (-2, 0)),
    "cone": (zm.surfaces.cone(0.75), (2.0, 0.0, 1.5), (-0.6, 0, 0.8), (-0.3, 0)),
    "paraboloid": (zm.surfaces.paraboloid(0.25), (0, 0, 0), (0, 0, 1), (-0.5, -0.5)),
    "torus, outside": (zm.surfaces.torus(2.0, 0.5), (0, 2.5, 0), (0, 1, 0), (0.4, 2)),
    "torus, inside": (zm.surfaces.torus(2.0, 0.5, inside=True), (0, 2.5, 0), (0, -1, 0), (-2, -0.4)),
    "torus, inside of the ring": (zm.surfaces.torus(2.0, 0.5), (0, 1.5, 0), (0, -1, 0), (-1 / 1.5, 2)),
    "dimpled bowl": (zm.surfaces.dimpled_bowl(h1=0, h3=0, h5=0.25), (0, 0, 0), (0, 0, 1), (-0.5, -0.5)),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_surface(name):
    surface, point, normal, bends = NAMED[name]
    assert surface(np.array(point, dtype=float)) == pytest.approx(0, abs=1e-15)
    n = values(surface.normal(P), point)
    assert n == pytest.approx(normal, abs=1e-15)
    # a body's centre r off the surface along n, then the contact it would have from the curvature: dO = (1 + r κ) dP
    K = values(surface.curvature(P), point)
    assert K @ n == pytest.approx(np.zeros(3), abs=1e-14)
    assert n @ K == pytest.approx(np.zeros(3), abs=1e-14)
    found = np.sort(np.real(np.linalg.eigvals(K)))
    assert found == pytest.approx(np.sort([*bends, 0.0]), abs=1e-13)
    ahead = np.array(point) + 1e-3 * n
    assert np.sign(surface(ahead)) == surface.side  # the body's side is where f has the sign of `side`


@pytest.mark.parametrize("name", NAMED)
def test_room(name):
    """1 + r κ of the tightest curvature."""
    surface, point, _, bends = NAMED[name]
    rolling = zm.Rolling(zm.bodies.ball(0.2, 1.0), on=surface, two_sided=True)
    start = rolling.start(contact=point)
    assert start[rolling.clearance] == pytest.approx(1 + 0.2 * min(bends), abs=1e-8)
    assert rolling.surface.moves is False


def test_values_on_numbers():
    """For plotting: any shape of arrays, at rest, shifted and turned; the same as one point at a time."""
    Q = rotation(np.array([0.0, 0.6, 0.8]), 0.7)[0]
    points = np.random.default_rng(0).normal(size=(3, 4, 5))
    for surface in (
        zm.Surface(lambda X, Y: X * Y),
        zm.Surface(lambda X, Y: X * Y, shift=(1.0, -2.0, 0.5)),
        zm.Surface(lambda X, Y: X * Y, rotation=((0, 3, 4), 0.7)),
        zm.Surface(lambda X, Y: X * Y, rotation=[(0, 3, 4), 0.7], shift=(1.0, -2.0, 0.5)),
        zm.Surface(lambda X, Y, Z: Z - X * Y, rotation=Q, shift=(1.0, -2.0, 0.5)),
    ):
        f = surface(points)
        assert f.dtype == float
        assert f.shape == (4, 5)
        shift, turn = np.array(surface.shift, dtype=float), np.eye(3) if surface.rotation is None else Q
        X, Y, Z = np.einsum("ji,jkl->ikl", turn, points - shift[:, None, None])
        assert f == pytest.approx(Z - X * Y, abs=1e-14)
        one = surface(points[:, 1, 2])
        assert isinstance(one, float)
        assert one == pytest.approx(f[1, 2], abs=1e-14)
        assert values(surface(P), points[:, 1, 2]) == pytest.approx(one, abs=1e-14)


def test_a_height_with_settings():
    """Arguments with a default are settings, not coordinates."""

    def height(X, Y, slope=0.5):
        return slope * X

    assert zm.Surface(height)(np.array([2.0, 0.0, 3.0])) == 2.0
    assert zm.Surface(lambda X, Y, Z, a=2.0: Z - a)(np.array([0.0, 0.0, 3.0])) == 1.0


MOVES = {
    "shape": lambda: zm.Surface(lambda X, Y: zm.t * X),
    "shift": lambda: zm.surfaces.paraboloid(0.1, shift=(0, zm.t, 0)),
    "shift along itself": lambda: zm.surfaces.plane(shift=(np.sin(zm.t), 0, 0)),
    "shift of a cylinder along its axis": lambda: zm.surfaces.cylinder(1.0, shift=(0, 0, zm.t)),
    "rotation": lambda: zm.surfaces.paraboloid(0.1, rotation=((1, 0, 0), zm.t)),
    "rotation into itself": lambda: zm.surfaces.plane(rotation=((0, 0, 1), zm.t)),
    "velocity": lambda: zm.surfaces.plane(velocity=(1.0, 0, 0)),
}


@pytest.mark.parametrize("name", MOVES)
def test_what_moves(name):
    """It is known to move, so that its energy is not held constant."""
    surface = MOVES[name]()
    assert surface.moves
    with pytest.raises(zm.errors.ModelError, match=f"'{surface.name}' moves"):
        zm.Rolling(zm.bodies.ball(0.1, 1.0), on=surface, conserve_energy=True)


@pytest.mark.parametrize("seed", range(3))
def test_velocity_of_the_material(seed):
    """v = ṡ + Ω × (p − s) is the rate of a point that is fixed in the axes; so is Ω. Against central differences."""
    random = np.random.default_rng(seed)
    axis, (a, b, w) = random.normal(size=3), random.uniform(0.5, 1.5, 3)
    place = lambda t: np.array([a * np.sin(t), b * np.cos(2 * t), a * b * t])  # noqa: E731
    angle = lambda t: w * t + 0.3 * np.sin(t)  # noqa: E731
    shift = [a * np.sin(zm.t), b * np.cos(2 * zm.t), a * b * zm.t]
    surface = zm.surfaces.paraboloid(0.1, shift=shift, rotation=(axis, w * zm.t + 0.3 * np.sin(zm.t)))
    own, t, h = random.normal(size=3), 0.8, 1e-5

    def at(t: float) -> np.ndarray:
        return place(t) + rotation(axis / np.linalg.norm(axis), angle(t))[0] @ own

    assert values(surface.velocity(P), at(t), t) == pytest.approx((at(t + h) - at(t - h)) / (2 * h), abs=1e-9)
    assert values(surface.angular_velocity, at(t), t) == pytest.approx(
        (w + 0.3 * np.cos(t)) * axis / np.linalg.norm(axis), abs=1e-14
    )
    assert values(surface.local(P), at(t), t) == pytest.approx(own, abs=1e-14)


@pytest.mark.parametrize("name", ["waving", "drawn", "shaken and waving"])
def test_material_stays_on_the_surface(name):
    """f_t + k · v = 0: what is given of a velocity counts along the surface only, the surface's motion gives the rest."""
    wave = lambda X, Y: 0.1 * X**2 + 0.05 * np.sin(2 * X - 3 * zm.t)  # noqa: E731
    surface = {
        "waving": lambda: zm.Surface(wave),
        "drawn": lambda: zm.Surface(wave, velocity=lambda p: (p[1], 2.0, -0.7)),
        "shaken and waving": lambda: zm.Surface(wave, shift=(np.sin(zm.t), 0, zm.t**2), rotation=((1, 0, 0), zm.t)),
    }[name]()
    k, v, point = surface.gradient(P), surface.velocity(P), np.array([0.3, -0.2, 0.9])
    f_t = zm.expression.derivative(surface(P), zm.t)
    for t in (0.0, 0.7, 2.1):
        assert values(f_t + k @ v, point, t) == pytest.approx(0, abs=1e-14)
    if name == "drawn":
        n = surface.normal(P)
        across = (np.eye(3) - np.outer(n, n)) @ (v - np.array([P[1], 2.0, -0.7]))
        assert values(across, point, 0.7) == pytest.approx(np.zeros(3), abs=1e-14)


def test_where_the_material_of_a_rising_slope_goes():
    """One plane, Z = tan α X + a t, three ways to say it: the material goes up with the axes, along the normal, or as given.

    Along the normal it moves by a cos α, with the components a cos α (−sin α, 0, cos α).
    """
    α, a = 0.4, 0.1
    up, place = np.array([0.0, 0.0, a]), np.array(zm.coordinates("x y z"))
    slope = np.tan(α)
    lifted = zm.Surface(lambda X, Y: slope * X, shift=(0, 0, a * zm.t))
    growing = zm.Surface(lambda X, Y: slope * X + a * zm.t)
    chosen = zm.Surface(lambda X, Y: slope * X + a * zm.t, velocity=up)
    along = a * np.cos(α) * np.array([-np.sin(α), 0.0, np.cos(α)])
    for surface, velocity in ((lifted, up), (growing, along), (chosen, up)):
        known = {**dict(zip(place, (0.3, 0.2, 0.3 * slope), strict=True)), zm.t: 0.0}
        assert evaluate(surface.velocity(place), known) == pytest.approx(velocity, abs=1e-15)
