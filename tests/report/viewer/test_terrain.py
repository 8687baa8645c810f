"""Surfaces as the page draws them: meshes, heights, and how they move."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import data_of, unpacked
from zeromass.model import Ground
from zeromass.report.viewer.mesh import is_closed, triangles
from zeromass.report.viewer.pack import LEVELS
from zeromass.report.viewer.terrain import terrain


@pytest.mark.parametrize(("radius", "tube"), [(1.0, 0.4), (2.0, 0.3)])
def test_mesh_of_a_torus(radius, tube):
    """Closed, of genus one, on the surface, turned outwards, and of the right area [Pappus: 4π² R r]."""

    def f(x: np.ndarray) -> np.ndarray:
        return ((np.hypot(x[..., 0], x[..., 1]) - radius) ** 2 + x[..., 2] ** 2 - tube**2) / 2

    def slope(x: np.ndarray) -> np.ndarray:
        ring = np.hypot(x[..., 0], x[..., 1])
        return np.stack([x[..., 0] * (1 - radius / ring), x[..., 1] * (1 - radius / ring), x[..., 2]], axis=-1)

    high = np.array([1.1, 1.15, 0.6]) * (radius + tube)
    vertices, corners = triangles(f, slope, -high, high, 60)
    assert np.abs(f(vertices)).max() <= 1e-9
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    count = np.unique(edges, axis=0, return_counts=True)[1]
    assert np.all(count == 2)
    assert len(vertices) - len(count) + len(corners) == 0
    a, b, c = (vertices[corners[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a) / 2
    assert np.mean(np.einsum("ij,ij->i", normal, slope((a + b + c) / 3)) > 0) > 0.995  # slivers may be turned
    area = np.linalg.norm(normal, axis=1).sum()
    assert area == pytest.approx(4 * np.pi**2 * radius * tube, rel=0.02)  # chords of cells of tube/4 … tube/8
    assert is_closed(f, -high, high)
    assert not is_closed(f, -high / 2, high / 2)


def test_heights_are_those_of_the_surface(run, page):
    [surface] = data_of(page)["surfaces"]
    assert surface["kind"] == "height"
    assert surface["motion"] is None
    x, y = np.linspace(*surface["x"]), np.linspace(*surface["y"])
    X, Y = np.meshgrid(x, y)
    expected = -run.system.surface(np.stack([X, Y, np.zeros_like(X)]))
    assert np.abs(surface["z"][0] - expected).max() <= 0.51 * np.ptp(expected) / LEVELS + 1e-12
    contact = run[run.system.contact]
    for k, axis in ((0, x), (1, y)):
        assert axis[0] < contact[:, k].min() - 0.09
        assert axis[-1] > contact[:, k].max() + 0.09


def ground(surface: zm.Surface) -> Ground:
    """A surface as it is drawn below a body."""
    return surface.drawn(zm.Particle("contact", mass=0).position, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
def test_a_surface_that_moves_and_one_that_changes(t):
    times = np.linspace(0.0, 2.0, 201)
    path = [np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.0]])]
    amplitude = zm.parameter("amplitude", 0.2)
    moving = zm.Surface(lambda X, Y: 0.1 * X, shift=(amplitude * np.sin(zm.t), 0, 1), rotation=((0, 0, 1), 2 * zm.t))
    motion = terrain(ground(moving), path, 0.1, times, {amplitude: 0.3})["motion"]
    k = round(100 * t)
    assert unpacked(motion["shift"])[k] == pytest.approx([0.3 * np.sin(t), 0.0, 1.0], abs=1e-6)
    assert unpacked(motion["turn"])[k] == pytest.approx([np.cos(t), 0.0, 0.0, np.sin(t)], abs=4e-5)
    waves = zm.Surface(lambda X, Y: 0.1 * np.sin(X - zm.t))
    made = terrain(ground(waves), path, 0.1, times, {})
    moments, z = np.linspace(*made["moments"]), unpacked(made["z"])
    i = int(np.argmin(np.abs(moments - t)))
    expected = np.broadcast_to(0.1 * np.sin(np.linspace(*made["x"]) - moments[i]), z[i].shape)
    assert z[i] == pytest.approx(expected, abs=0.2 / LEVELS)
    swelling = zm.Surface(lambda X, Y, Z: X**2 + Y**2 + Z**2 - (1 + 0.1 * zm.t) ** 2)
    meshes = terrain(ground(swelling), [np.array([[0.0, 0.0, 1.0]])], 0.1, times, {})["meshes"]
    first, last = (np.linalg.norm(unpacked(meshes[i]["vertices"]), axis=1) for i in (0, -1))
    assert first == pytest.approx(1.0, abs=3.0 / LEVELS)  # of a box 2.4 wide, three coordinates
    assert last == pytest.approx(1.2, abs=3.0 / LEVELS)


def test_a_tilted_and_a_vertical_plane():
    path = [np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])]
    times = np.linspace(0.0, 1.0, 3)
    assert terrain(ground(zm.surfaces.plane(0.3)), path, 0.1, times, {})["kind"] == "height"
    vertical = terrain(ground(zm.Surface(lambda X, Y, Z: X - 0.01)), path, 0.1, times, {})
    assert unpacked(vertical["meshes"][0]["vertices"])[:, 0] == pytest.approx(0.01, abs=3.0 / LEVELS)


def test_the_grid_flows_with_a_belt():
    """A velocity that is one vector of numbers moves the grid; one that differs from place to place or in time can not."""
    path = [np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])]
    velocities = {
        "belt": (0.2, -0.1, 0),
        "function": lambda p: (p[1], 0, 0),
        "in time": (np.sin(zm.t), 0, 0),
        "none": None,
    }
    made = {
        name: terrain(ground(zm.Surface(lambda X, Y: 0 * X, velocity=v)), path, 0.1, np.linspace(0.0, 1.0, 3), {})
        for name, v in velocities.items()
    }
    assert {name: entry.get("flow") for name, entry in made.items()} == {
        "belt": [0.2, -0.1, 0.0],
        "function": None,
        "in time": None,
        "none": None,
    }
