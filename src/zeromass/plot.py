"""Figures of several runs, of studies and of eigenvalues. Those of one run are `run.plot`."""

from zeromass.report.axes import axes as axes
from zeromass.report.axes import legend as legend
from zeromass.report.palette import color as color
from zeromass.report.paths import path as path
from zeromass.report.paths import path3d as path3d
from zeromass.report.plots import coordinates as coordinates
from zeromass.report.plots import energies as energies
from zeromass.report.plots import forces as forces
from zeromass.report.plots import friction_ratio as friction_ratio
from zeromass.report.plots import quantity as quantity
from zeromass.report.plots import save_figure as save_figure
from zeromass.report.plots import spin as spin
from zeromass.report.plots import torque as torque
from zeromass.report.portraits import phase as phase
from zeromass.report.roots import roots as roots
from zeromass.report.study_plots import study as study
from zeromass.report.surfaces import surface as surface
