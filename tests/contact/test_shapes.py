"""Shapes on bodies: where they touch and how they are drawn follow from one description."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.contact.pictures import picture_of
from zeromass.model import shapes as drawn

TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""The third axis of a shape onto the first of its body."""


def gap(shape, **where):
    """Of a body over a plane, with its mass centre 1 m above it."""
    body = zm.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    contact = zm.Contact(body, shape, zm.surfaces.plane(), **where)
    system = zm.System([body], gravity=9.81, contacts=[contact])
    start = system.start({body.position[2]: 1.0, **dict(zip(body.quaternion, (0.8, 0.2, 0.4, 0.4), strict=True))})
    return start[contact.gap]


@pytest.mark.parametrize(
    "make", [lambda **a: zm.shapes.cylinder(0.3, 0.4, **a), lambda **a: zm.shapes.capsule(0.1, 0.4, **a),
             lambda **a: zm.shapes.disc(0.3, **a)]
)  # fmt: skip
def test_an_axis_is_a_rotation_of_the_shape(make):
    """A round shape about the first axis is one about the third, turned; so is one that is turned beside."""
    assert gap(make(axis=(2, 0, 0))) == pytest.approx(gap(make(), turned=TURNED), abs=1e-14)
    assert gap(make(axis=(0, 0, 1))) == gap(make())
    other = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert gap(make(axis=(1, 0, 0)), turned=other) == pytest.approx(gap(make(axis=(0, 1, 0))), abs=1e-14)
    assert gap(make(axis=(0, 0, -1))) == pytest.approx(gap(make()), abs=1e-14)  # they are symmetric


def test_shapes_are_drawn_as_they_are():
    m = zm.parameter("m", 0.2)
    assert picture_of(zm.shapes.sphere(m), {m: 0.3}) == drawn.Dot(0.3)
    assert picture_of(zm.shapes.box((1, 2, 3)), {}) == drawn.Box((1.0, 2.0, 3.0))
    assert picture_of(zm.shapes.ellipsoid((1, 2, 3)), {}) == drawn.Ellipsoid((1.0, 2.0, 3.0))
    assert picture_of(zm.shapes.cylinder(0.1, 2.0, axis=(0, 3, 0)), {}) == drawn.Rod(2.0, 0.1, (0.0, 1.0, 0.0))
    assert picture_of(zm.shapes.disc(0.3, edge=0.01), {}) == drawn.Disc(0.31, 0.02, (0.0, 0.0, 1.0))
    assert picture_of(zm.shapes.wheel(0.3, 0.05), {}) == drawn.Wheel(0.3, 0.05)


def test_a_mesh_of_a_capsule_has_its_length_along_its_axis():
    mesh = picture_of(zm.shapes.capsule(0.1, 2.0, axis=(0, 1, 0)), {})
    assert np.abs(mesh.corners).max(axis=0) == pytest.approx([0.1, 1.1, 0.1], rel=1e-3)


def test_triangles_of_a_hull_face_outwards():
    mesh = picture_of(zm.shapes.hull(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) - 0.2), {})
    a, b, c = (mesh.corners[mesh.triangles[:, k]] for k in range(3))
    assert np.all(np.sum(np.cross(b - a, c - a) * (a + b + c), axis=1) > 0)


def test_an_axis_has_three_components():
    with pytest.raises(zm.errors.ModelError, match="axis of a disc is"):
        zm.shapes.disc(0.3, axis=(0, 0, 0))
