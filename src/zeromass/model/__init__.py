"""Mechanical systems written down as parts, energies, forces and constraints."""

from zeromass.lazy import attach as _attach

_attach(__name__)
