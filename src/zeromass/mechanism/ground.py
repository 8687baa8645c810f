"""The ground: a body that stays where it is."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Array, expressions
from zeromass.model.given import Vector, given_name, given_vector


class Ground:
    """The inertial frame, as the fixed body of joints.

    >>> ground, door = zm.Ground(), zm.RigidBody("door", mass=10.0, inertia=(1.0, 1.0, 1.5), at=(0.5, 0, 0))
    >>> hinge = zm.joints.Revolute(ground, door, at=(0, 0, 0), axis=(0, 0, 1))
    >>> zm.System([door], gravity=0, joints=[hinge]).check().degrees_of_freedom
    1
    """

    orientation: np.ndarray = np.array([1.0, 0.0, 0.0, 0.0])
    at: Array = expressions(np.zeros(3))
    position: Array = expressions(np.zeros(3))
    velocity: Array = expressions(np.zeros(3))
    rotation: Array = expressions(np.eye(3))
    quaternion: Array = expressions([1.0, 0.0, 0.0, 0.0])
    angular_velocity: Array = expressions(np.zeros(3))

    def __init__(self, name: str = "ground") -> None:
        self.name: str = given_name(name, "the ground")

    def __repr__(self) -> str:
        return f"Ground({self.name!r})"

    def rotate(self, vector: Vector) -> Array:
        """The vector itself: its axes are the inertial ones."""
        return given_vector(vector, f"a vector of '{self.name}'")

    def point(self, place: Vector) -> Array:
        """The place itself."""
        return given_vector(place, f"a point of '{self.name}'")
