"""Surfaces with names: plane, sphere, bowl. `zm.Surface` makes any other one of a formula."""

from zeromass.contact.surfaces import cone as cone
from zeromass.contact.surfaces import cylinder as cylinder
from zeromass.contact.surfaces import dimpled_bowl as dimpled_bowl
from zeromass.contact.surfaces import paraboloid as paraboloid
from zeromass.contact.surfaces import plane as plane
from zeromass.contact.surfaces import sphere as sphere
from zeromass.contact.surfaces import torus as torus
