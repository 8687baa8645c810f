"""Bodies that are no spheres roll as they must: against Newton and Euler, against spheres, and against one another."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.lumps import lumpy
from contact.newton_euler import Body
from contact.test_second_formulation import FAMILIES, disagreement
from zeromass.contact import Roller

FEW = ("wave",)
"""Surfaces that are tried every time."""

SOON = np.linspace(0.0, 0.3, 4)
"""Before wheels have fallen over."""


def ellipsoid(random: np.random.Generator, size: float) -> tuple[Body, Roller]:
    """Semi-axes between 0.7 and 1 of a size, with masses anywhere in the smallest sphere inside."""
    axes = size * random.uniform(0.7, 1.0, 3)
    lump = lumpy(random, axes.min())
    D = np.diag(axes**2)

    def outside(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        reach = np.sqrt(np.einsum("i...,ij,j...->...", d, D, d))
        s = np.einsum("ij,j...->i...", D, d) / reach
        return s, D[:, :, None] / reach - s[:, None] * s[None, :] / reach

    solid = zm.bodies.ellipsoid(axes, lump.mass, inertia=lump.J, center_of_mass=lump.rho, name="lump")
    return lump._replace(outside=outside), solid


def torus(random: np.random.Generator, size: float) -> tuple[Body, Roller]:
    """A wheel as large as a size, its tyre a third of it or so."""
    tube = size * random.uniform(0.25, 0.4)
    rim = size - tube
    lump = lumpy(random, tube)

    def outside(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        across = np.sqrt(d[0] ** 2 + d[1] ** 2)
        e = np.array([d[0] / across, d[1] / across, 0 * across])
        f = np.array([-e[1], e[0], 0 * across])
        return rim * e + tube * d, rim / across * f[:, None] * f[None, :] + tube * np.eye(3)[:, :, None]

    solid = zm.bodies.torus(rim, tube, lump.mass, inertia=lump.J, center_of_mass=lump.rho, name="lump")
    return lump._replace(outside=outside), solid


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in FAMILIES]
)
def test_ellipsoids_move_as_newton_and_euler_say(name):
    """On surfaces of every kind, moving as they like, motion and reactions until t = 5 s."""
    errors, growth = disagreement(name, 4, ellipsoid)
    assert np.all(errors <= 1e-10 * np.maximum(1.0, growth)), (errors, growth)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("shaken hills", marks=pytest.mark.slow), "carpet on hills"])
def test_wheels_move_as_newton_and_euler_say(name):
    errors, growth = disagreement(name, 5, torus, SOON)
    assert np.all(errors <= 1e-10 * np.maximum(1.0, growth)), (errors, growth)


def test_a_flat_point_of_one_of_several_contacts_is_named():
    """A superquadric has no curvature across its planes of symmetry, and a plane is no hollow."""
    stone = zm.bodies.superquadric((0.1, 0.09, 0.08), exponent=4, mass=0.5, name="stone")
    room = zm.Contacts(stone, on={"floor": zm.surfaces.plane()})
    names = [event.name for event in room.events]
    assert "floor: lies flat" in names
    assert "floor: hollow too tight" not in names
