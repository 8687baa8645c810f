"""Spherical bodies rolling on surfaces that move as they like."""

from zeromass.rolling import surfaces
from zeromass.rolling.bodies import SphericalBody, ball, shell, two_material_shell
from zeromass.rolling.rolling import Rolling
from zeromass.rolling.surface import Surface

__all__ = ["Rolling", "SphericalBody", "Surface", "ball", "shell", "surfaces", "two_material_shell"]
