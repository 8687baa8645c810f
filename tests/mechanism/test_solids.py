"""Solids against sums over points, against one another, and against their meshes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism.mesh import shared_corners


def of_points(inside, half=1.7, count=1_000_000):
    """Mass, centre and inertia about the origin at density 1, from points strewn in a cube."""
    x = np.random.default_rng(0).uniform(-half, half, size=(count, 3))
    x = x[inside(x)]
    cell = (2 * half) ** 3 / count
    m = len(x) * cell
    return m, x.mean(axis=0), cell * (np.sum(x**2) * np.eye(3) - x.T @ x)


SHAPES = {
    "box": (zm.bodies.Solid.box((1.0, 2.0, 3.0), density=1.0), lambda x: np.all(np.abs(x) <= (0.5, 1.0, 1.5), axis=1)),
    "cylinder": (
        zm.bodies.Solid.cylinder(1.0, 2.0, density=1.0),
        lambda x: (np.hypot(x[:, 0], x[:, 1]) <= 1) & (np.abs(x[:, 2]) <= 1),
    ),
    "tube": (
        zm.bodies.Solid.tube(1.0, 0.6, 2.0, density=1.0),
        lambda x: (np.abs(np.hypot(x[:, 0], x[:, 1]) - 0.8) <= 0.2) & (np.abs(x[:, 2]) <= 1),
    ),
    "sphere": (zm.bodies.Solid.sphere(1.2, density=1.0), lambda x: np.linalg.norm(x, axis=1) <= 1.2),
    "ellipsoid": (
        zm.bodies.Solid.ellipsoid((0.8, 1.5, 1.1), density=1.0),
        lambda x: np.linalg.norm(x / (0.8, 1.5, 1.1), axis=1) <= 1,
    ),
    "capsule": (
        zm.bodies.Solid.capsule(0.7, 1.8, density=1.0),
        lambda x: np.linalg.norm(x - np.clip(x[:, 2:], -0.9, 0.9) * (0, 0, 1), axis=1) <= 0.7,
    ),
    "cone": (
        zm.bodies.Solid.cone(1.0, 1.6, density=1.0),
        lambda x: (x[:, 2] >= 0) & (np.hypot(x[:, 0], x[:, 1]) <= 1 - x[:, 2] / 1.6),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_mass_centre_and_inertia_are_sums_over_points(name):
    """Of 10⁶ points 5 % or more lie inside: 0.5 % of statistical error, and four times that of room."""
    solid, inside = SHAPES[name]
    m, center, J = of_points(inside)
    assert abs(solid.mass - m) < 0.02 * m
    np.testing.assert_allclose(solid.center, center, atol=0.02)
    np.testing.assert_allclose(solid.inertia_about((0, 0, 0)), J, atol=0.03 * np.abs(J).max())


def test_halves_make_the_whole():
    whole = zm.bodies.Solid.box((1, 2, 3), density=5.0)
    halves = [zm.bodies.Solid.box((1, 2, 1.5), density=5.0).moved((0, 0, z)) for z in (-0.75, 0.75)]
    both = halves[0] + halves[1]
    assert abs(both.mass - whole.mass) < 1e-12
    np.testing.assert_allclose(both.inertia, whole.inertia, atol=1e-12)
    tube = zm.bodies.Solid.cylinder(1.0, 2.0, density=3.0) - zm.bodies.Solid.cylinder(0.6, 2.0, density=3.0)
    np.testing.assert_allclose(tube.inertia, zm.bodies.Solid.tube(1.0, 0.6, 2.0, density=3.0).inertia, atol=1e-12)


def test_a_turn_turns_centre_and_inertia():
    cone = zm.bodies.Solid.cone(1.0, 1.6, axis=(1, 2, -2), mass=2.0)
    same = zm.bodies.Solid.cone(1.0, 1.6, mass=2.0)
    np.testing.assert_allclose(cone.center, 0.4 * np.array([1, 2, -2]) / 3, atol=1e-12)
    np.testing.assert_allclose(cone.principal[0], same.principal[0], atol=1e-12)
    back = cone.turned((3, 1, 2), 0.7).turned((3, 1, 2), -0.7)
    np.testing.assert_allclose(back.inertia, cone.inertia, atol=1e-12)


CORNERS = np.array([[x, y, z] for x in (0, 2) for y in (0, 1) for z in (0, 3)], dtype=float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def cube(path, *, binary: bool, holes: int = 0):
    corners, quads = CORNERS, QUADS
    triangles = [corners[[q[0], q[i], q[i + 1]]] for q in quads for i in (1, 2)][holes:]
    if binary:
        body = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in triangles)
        path.write_bytes(b" " * 80 + struct.pack("<I", len(triangles)) + body)
    else:
        lines = [f"outer loop\n{''.join(f'vertex {x} {y} {z}{chr(10)}' for x, y, z in t)}endloop" for t in triangles]
        path.write_text("solid cube\n" + "\n".join(lines) + "\nendsolid\n")
    return path


@pytest.mark.parametrize("binary", [True, False])
def test_a_mesh_of_a_box_is_the_box(tmp_path, binary):
    mesh = zm.bodies.Solid.mesh(cube(tmp_path / "cube.stl", binary=binary), density=4.0)
    box = zm.bodies.Solid.box((2, 1, 3), density=4.0).moved((1, 0.5, 1.5))
    assert abs(mesh.mass - box.mass) < 1e-12
    np.testing.assert_allclose(mesh.center, box.center, atol=1e-12)
    np.testing.assert_allclose(mesh.inertia, box.inertia, atol=1e-11)


def test_a_capsule_is_a_cylinder_and_two_halves_of_a_ball():
    """Halves of a ball at their exact places: what is left of the whole one after the other half, mirrored."""
    r, h = 0.3, 0.8
    half = zm.bodies.Solid(
        np.pi * 2 / 3 * r**3, np.array([0, 0, 3 / 8 * r]), np.pi * 2 / 3 * r**5 * np.diag([83 / 320, 83 / 320, 2 / 5])
    )
    both = half.moved((0, 0, h / 2)) + half.turned((1, 0, 0), np.pi).moved((0, 0, -h / 2))
    whole, same = both + zm.bodies.Solid.cylinder(r, h, density=1.0), zm.bodies.Solid.capsule(r, h, density=1.0)
    assert abs(whole.mass - same.mass) < 1e-15
    np.testing.assert_allclose(whole.inertia, same.inertia, atol=1e-15)


@pytest.mark.parametrize("negative", [True, False])
def test_a_box_as_obj_file(tmp_path, negative):
    """Faces of four corners, with numbers of textures and normals, counted from the first or from the last corner."""
    number = (lambda k: k - 8) if negative else (lambda k: k + 1)
    faces = "\n".join("f " + " ".join(f"{number(k)}/1/{number(k)}" for k in q) for q in QUADS)
    corners = "\n".join("v " + " ".join(map(str, c)) for c in CORNERS)
    (tmp_path / "box.obj").write_text(f"# a box\n{corners}\nvn 0 0 1\n{faces}\n")
    mesh = zm.bodies.Solid.mesh(tmp_path / "box.obj", density=4.0)
    box = zm.bodies.Solid.box((2, 1, 3), density=4.0).moved((1, 0.5, 1.5))
    assert abs(mesh.mass - box.mass) < 1e-12
    np.testing.assert_allclose(mesh.inertia, box.inertia, atol=1e-11)


def test_a_mesh_is_drawn_as_it_is_with_sharp_edges(tmp_path):
    """From its mass centre; each of the eight corners once for each of the three faces at it."""
    (look,) = zm.bodies.Solid.mesh(cube(tmp_path / "cube.stl", binary=True), density=4.0).looks
    assert look.shape.corners.shape == (24, 3)
    np.testing.assert_allclose(np.unique(look.shape.corners, axis=0), CORNERS - (1, 0.5, 1.5))
    round_ = [(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 13)[:-1]]
    sides = [((x, y, 0), (u, v, 0), (x, y, 1)) for (x, y), (u, v) in zip(round_, round_[1:] + round_[:1], strict=True)]
    sides += [((u, v, 0), (u, v, 1), (x, y, 1)) for (x, y), (u, v) in zip(round_, round_[1:] + round_[:1], strict=True)]
    corners, triangles = shared_corners(np.array(sides, dtype=float))
    assert corners.shape == (24, 3)  # a barrel of twelve staves is round
    assert triangles.shape == (24, 3)


@pytest.mark.parametrize("way", [1, -1])
def test_a_plate_is_what_its_outline_says(way):
    """An L of two boxes, either way round; a star of area n r R sin(π/n); a crossed one is refused."""
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)][::way]
    plate = zm.bodies.Solid.plate(outline, 0.2, density=5.0)
    boxes = zm.bodies.Solid.box((3, 1, 0.2), density=5.0).moved((1.5, 0.5, 0)) + zm.bodies.Solid.box(
        (1, 1, 0.2), density=5.0
    ).moved((0.5, 1.5, 0))
    assert abs(plate.mass - boxes.mass) < 1e-12
    np.testing.assert_allclose(plate.center, boxes.center, atol=1e-12)
    np.testing.assert_allclose(plate.inertia, boxes.inertia, atol=1e-12)
    star = [(r * np.cos(k * np.pi / 7), r * np.sin(k * np.pi / 7)) for k in range(14) for r in [1.0 if k % 2 else 0.3]]
    assert abs(zm.bodies.Solid.plate(star, 2.0, density=1.0).mass - 2 * 7 * 0.3 * np.sin(np.pi / 7)) < 1e-12
    with pytest.raises(zm.errors.ModelError, match="crosses itself"):
        zm.bodies.Solid.plate([(0, 0), (1, 1), (1, 0), (0, 1)], 0.1, density=1.0)


def test_an_open_mesh_is_refused(tmp_path):
    with pytest.raises(zm.errors.ModelError, match="is not closed: 3 edges"):
        zm.bodies.Solid.mesh(cube(tmp_path / "open.stl", binary=True, holes=1), density=1.0)


def test_a_body_of_a_solid_is_drawn_where_the_solid_is():
    solid = zm.bodies.Solid.box((1, 2, 3), mass=2.0).moved((4, 0, 0)) + zm.bodies.Solid.sphere(0.5, mass=2.0)
    body = solid.body("both")
    np.testing.assert_allclose([e.value for e in body.at], (2, 0, 0))
    system = zm.System([body])
    start = system.start()
    places = [start[drawn.position + body.rotate(drawn.middle)] for drawn in system.drawing.bodies]
    np.testing.assert_allclose(places, [(4, 0, 0), (0, 0, 0)], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: zm.bodies.Solid.box((1, 2, 0), density=1.0), "a side of a box is 0.0"),
        (lambda: zm.bodies.Solid.sphere(1.0), "give one of density=… and mass=…"),
        (lambda: zm.bodies.Solid.sphere(1.0, density=-1.0), "zero or positive"),
        (lambda: zm.bodies.Solid.tube(1.0, 1.0, 1.0, mass=1.0), "less than the outer one"),
        (lambda: zm.bodies.Solid.mesh("nowhere.stl", mass=1.0), "can not be read"),
        (lambda: zm.bodies.Solid.mesh("some.dae", mass=1.0), ".stl and .obj can"),
    ],
)
def test_bad_solids(make, words):
    with pytest.raises(zm.errors.ModelError, match=words):
        make()
