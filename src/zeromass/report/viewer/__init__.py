"""The viewer: a run as one HTML file that plays the motion, without a network."""

from zeromass.report.viewer.page import view
from zeromass.report.viewer.shapes import Box, Dot, Rod, Shape, Wheel

__all__ = ["Box", "Dot", "Rod", "Shape", "Wheel", "view"]
