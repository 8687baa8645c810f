"""The viewer: a run as one HTML file that plays the motion, without a network."""

from zeromass.model import Box, Dot, Rod, Wheel
from zeromass.report.viewer.page import view

__all__ = ["Box", "Dot", "Rod", "Wheel", "view"]
