"""The names of `zeromass.contact`: `zeromass.lazy.attach` reads them from here."""

from zeromass.contact import shapes as shapes
from zeromass.contact import surfaces as surfaces
from zeromass.contact.bodies import SphericalBody as SphericalBody
from zeromass.contact.bodies import ball as ball
from zeromass.contact.bodies import shell as shell
from zeromass.contact.bodies import two_material_shell as two_material_shell
from zeromass.contact.by_function import convex as convex
from zeromass.contact.collisions import collision_contacts as collision_contacts
from zeromass.contact.contacts import Contacts as Contacts
from zeromass.contact.element import Contact as Contact
from zeromass.contact.friction import Friction as Friction
from zeromass.contact.pair import Pair as Pair
from zeromass.contact.roller import Roller as Roller
from zeromass.contact.rolling import Rolling as Rolling
from zeromass.contact.shaped import ConvexBody as ConvexBody
from zeromass.contact.shaped import ImplicitBody as ImplicitBody
from zeromass.contact.sliding import Sliding as Sliding
from zeromass.contact.solids import capsule as capsule
from zeromass.contact.solids import cone as cone
from zeromass.contact.solids import cylinder as cylinder
from zeromass.contact.solids import disc as disc
from zeromass.contact.solids import ellipsoid as ellipsoid
from zeromass.contact.solids import superquadric as superquadric
from zeromass.contact.solids import torus as torus
from zeromass.contact.surface import Surface as Surface
from zeromass.contact.wheels import WheelOnSurface as WheelOnSurface
