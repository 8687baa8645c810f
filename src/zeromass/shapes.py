"""Shapes on bodies: for contacts and for pictures."""

from zeromass.contact.collisions import collision_contacts as collision_contacts
from zeromass.contact.shapes import box as box
from zeromass.contact.shapes import capsule as capsule
from zeromass.contact.shapes import cylinder as cylinder
from zeromass.contact.shapes import disc as disc
from zeromass.contact.shapes import ellipsoid as ellipsoid
from zeromass.contact.shapes import hull as hull
from zeromass.contact.shapes import mesh as mesh
from zeromass.contact.shapes import point as point
from zeromass.contact.shapes import ring as ring
from zeromass.contact.shapes import sphere as sphere
from zeromass.contact.shapes import wheel as wheel
