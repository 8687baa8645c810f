"""Bodies that roll and touch, with mass, inertia and outside, and the mass properties of solids."""

from zeromass.contact.bodies import SphericalBody as SphericalBody
from zeromass.contact.bodies import ball as ball
from zeromass.contact.bodies import shell as shell
from zeromass.contact.bodies import two_material_shell as two_material_shell
from zeromass.contact.by_function import convex as convex
from zeromass.contact.solids import capsule as capsule
from zeromass.contact.solids import cone as cone
from zeromass.contact.solids import cylinder as cylinder
from zeromass.contact.solids import disc as disc
from zeromass.contact.solids import ellipsoid as ellipsoid
from zeromass.contact.solids import superquadric as superquadric
from zeromass.contact.solids import torus as torus
from zeromass.mechanism.solid import Solid as Solid
