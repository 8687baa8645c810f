"""The viewer: a run as one HTML file that plays the motion, without a network."""

from zeromass.report.viewer.page import view

__all__ = ["view"]
