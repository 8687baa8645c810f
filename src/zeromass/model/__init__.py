"""Mechanical systems written down as parts, energies, forces and constraints."""

from zeromass.model.check import Dependence, Diagnosis, Undetermined
from zeromass.model.contact import Contact
from zeromass.model.drawing import Arrow, Chart, Drawing, DrawnBody, Ground, Trail
from zeromass.model.errors import ModelError, StartError
from zeromass.model.event import Event
from zeromass.model.forces import Damper, Force, GeneralizedForce, Spring, Torque
from zeromass.model.parts import Part, Particle, RigidBody
from zeromass.model.quantity import Quantity
from zeromass.model.shapes import Box, Dot, Rod, Shape, Shell, Wheel
from zeromass.model.state import Matrices, State
from zeromass.model.system import Reactions, System, join

__all__ = [
    "Arrow",
    "Box",
    "Chart",
    "Contact",
    "Damper",
    "Dependence",
    "Diagnosis",
    "Dot",
    "Drawing",
    "DrawnBody",
    "Event",
    "Force",
    "GeneralizedForce",
    "Ground",
    "Matrices",
    "ModelError",
    "Part",
    "Particle",
    "Quantity",
    "Reactions",
    "RigidBody",
    "Rod",
    "Shape",
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
]
