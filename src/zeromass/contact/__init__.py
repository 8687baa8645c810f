"""Convex bodies that roll and slip on surfaces that move as they like."""

from zeromass.lazy import attach as _attach

_attach(__name__)
