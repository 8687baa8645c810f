"""Spherical bodies rolling on surfaces that move as they like."""

from zeromass.contact import surfaces
from zeromass.contact.bodies import SphericalBody, ball, shell, two_material_shell
from zeromass.contact.rolling import Rolling
from zeromass.contact.surface import Surface

__all__ = ["Rolling", "SphericalBody", "Surface", "ball", "shell", "surfaces", "two_material_shell"]
