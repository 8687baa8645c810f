"""Mechanical systems written down as parts, energies, forces and constraints."""

import typing as _typing

from zeromass.later import later as _later
from zeromass.model.contact import ContactPoint
from zeromass.model.errors import ModelError, StartError
from zeromass.model.event import Event
from zeromass.model.forces import Damper, Force, GeneralizedForce, Spring, Torque
from zeromass.model.joining import join
from zeromass.model.parts import Part, Particle, RigidBody
from zeromass.model.quantity import Quantity
from zeromass.model.reactions import Reactions
from zeromass.model.shared import SharedForce
from zeromass.model.state import Matrices, State
from zeromass.model.system import System

if _typing.TYPE_CHECKING:
    from zeromass.model.check import Dependence, Diagnosis, Undetermined
    from zeromass.model.control import Control
    from zeromass.model.drawing import Arrow, Chart, Drawing, DrawnBody, Floor, Ground, Joint, Link, Trail
    from zeromass.model.feedback import with_feedback
    from zeromass.model.shapes import Box, Disc, Dot, Ellipsoid, Hull, Look, Ring, Rod, Shape, Shell, Wheel

__all__ = [
    "Arrow",
    "Box",
    "Chart",
    "ContactPoint",
    "Control",
    "Damper",
    "Dependence",
    "Diagnosis",
    "Disc",
    "Dot",
    "Drawing",
    "DrawnBody",
    "Ellipsoid",
    "Event",
    "Floor",
    "Force",
    "GeneralizedForce",
    "Ground",
    "Hull",
    "Joint",
    "Link",
    "Look",
    "Matrices",
    "ModelError",
    "Part",
    "Particle",
    "Quantity",
    "Reactions",
    "RigidBody",
    "Ring",
    "Rod",
    "Shape",
    "SharedForce",
    "Shell",
    "Spring",
    "StartError",
    "State",
    "System",
    "Torque",
    "Trail",
    "Undetermined",
    "Wheel",
    "join",
    "with_feedback",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names
    __getattr__ = _later(
        __name__,
        {
            "zeromass.model.check": ["Dependence", "Diagnosis", "Undetermined"],
            "zeromass.model.control": ["Control"],
            "zeromass.model.drawing": [
                "Arrow",
                "Chart",
                "Drawing",
                "DrawnBody",
                "Floor",
                "Ground",
                "Joint",
                "Link",
                "Trail",
            ],
            "zeromass.model.feedback": ["with_feedback"],
            "zeromass.model.shapes": [
                "Box",
                "Disc",
                "Dot",
                "Ellipsoid",
                "Hull",
                "Look",
                "Ring",
                "Rod",
                "Shape",
                "Shell",
                "Wheel",
            ],
        },
    )
