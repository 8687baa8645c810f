"""Spherical bodies that roll and slip on surfaces that move as they like."""

from zeromass.contact import surfaces
from zeromass.contact.bodies import SphericalBody, ball, shell, two_material_shell
from zeromass.contact.rolling import Rolling
from zeromass.contact.slipping import Slipping
from zeromass.contact.surface import Surface

__all__ = ["Rolling", "Slipping", "SphericalBody", "Surface", "ball", "shell", "surfaces", "two_material_shell"]
