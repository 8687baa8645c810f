"""Figures of several runs, of studies and of eigenvalues. Those of one run are `run.plot`."""

from zeromass.report.axes import axes as axes
from zeromass.report.axes import legend as legend
from zeromass.report.palette import color as color
from zeromass.report.plots import save_figure as save_figure
from zeromass.report.roots import roots as roots
from zeromass.report.study_plots import study as study
