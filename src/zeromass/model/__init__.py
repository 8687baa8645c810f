"""Mechanical systems written down as parts, energies, forces and constraints."""

from zeromass.model.check import Dependence, Diagnosis, Undetermined
from zeromass.model.errors import ModelError, StartError
from zeromass.model.event import Event
from zeromass.model.forces import Damper, Force, GeneralizedForce, Spring, Torque
from zeromass.model.parts import Part, Particle, RigidBody
from zeromass.model.quantity import Quantity
from zeromass.model.state import Matrices, State
from zeromass.model.system import Reactions, System, join

__all__ = [
    "Damper",
    "Dependence",
    "Diagnosis",
    "Event",
    "Force",
    "GeneralizedForce",
    "Matrices",
    "ModelError",
    "Part",
    "Particle",
    "Quantity",
    "Reactions",
    "RigidBody",
    "Spring",
    "StartError",
    "State",
    "System",
    "Torque",
    "Undetermined",
    "join",
]
