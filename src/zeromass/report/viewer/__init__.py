"""The viewer: a run as one HTML file that plays the motion, without a network."""

from zeromass.model import Box, Disc, Dot, Ellipsoid, Ring, Rod, Wheel
from zeromass.report.viewer.page import view

__all__ = ["Box", "Disc", "Dot", "Ellipsoid", "Ring", "Rod", "Wheel", "view"]
