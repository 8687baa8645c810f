"""Convex bodies that roll and slip on surfaces that move as they like."""

import typing as _typing

from zeromass.contact import shapes, surfaces
from zeromass.contact.bodies import SphericalBody, ball, shell, two_material_shell
from zeromass.contact.friction import Friction
from zeromass.contact.roller import Roller
from zeromass.contact.rolling import Rolling
from zeromass.contact.surface import Surface
from zeromass.later import later as _later

if _typing.TYPE_CHECKING:
    from zeromass.contact.by_function import convex
    from zeromass.contact.collisions import collision_contacts
    from zeromass.contact.contacts import Contacts
    from zeromass.contact.element import Contact
    from zeromass.contact.pair import Pair
    from zeromass.contact.redundant import RedundantContacts
    from zeromass.contact.shaped import ConvexBody, ImplicitBody
    from zeromass.contact.sliding import Sliding
    from zeromass.contact.solids import capsule, cone, cylinder, disc, ellipsoid, superquadric, torus
    from zeromass.contact.wheels import WheelOnSurface

__all__ = [
    "Contact",
    "Contacts",
    "ConvexBody",
    "Friction",
    "ImplicitBody",
    "Pair",
    "RedundantContacts",
    "Rolling",
    "Sliding",
    "Roller",
    "SphericalBody",
    "Surface",
    "WheelOnSurface",
    "ball",
    "capsule",
    "cone",
    "collision_contacts",
    "convex",
    "cylinder",
    "disc",
    "ellipsoid",
    "shell",
    "superquadric",
    "shapes",
    "surfaces",
    "torus",
    "two_material_shell",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names
    __getattr__ = _later(
        __name__,
        {
            "zeromass.contact.by_function": ["convex"],
            "zeromass.contact.contacts": ["Contacts"],
            "zeromass.contact.collisions": ["collision_contacts"],
            "zeromass.contact.element": ["Contact"],
            "zeromass.contact.pair": ["Pair"],
            "zeromass.contact.redundant": ["RedundantContacts"],
            "zeromass.contact.shaped": ["ConvexBody", "ImplicitBody"],
            "zeromass.contact.sliding": ["Sliding"],
            "zeromass.contact.solids": [
                "capsule",
                "cone",
                "cylinder",
                "disc",
                "ellipsoid",
                "superquadric",
                "torus",
            ],
            "zeromass.contact.wheels": ["WheelOnSurface"],
        },
    )
