"""Plots, tables and the HTML viewer of runs."""

from typing import Any, cast

from zeromass.integrate import Trajectory
from zeromass.report.viewer import Box, Dot, Rod, Wheel, view

Trajectory.view = cast(Any, view)  # its declaration there leaves the options open

__all__ = ["Box", "Dot", "Rod", "Wheel", "view"]
