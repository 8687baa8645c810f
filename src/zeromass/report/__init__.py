"""Plots, tables, files, films and the HTML viewer of runs."""

from zeromass.report.axes import axes, legend
from zeromass.report.files import save, to_dataset
from zeromass.report.film import movie
from zeromass.report.inline import View
from zeromass.report.origin import Origin
from zeromass.report.palette import color
from zeromass.report.plots import save_figure
from zeromass.report.reading import read
from zeromass.report.run_plots import Plots
from zeromass.report.tables import to_csv, to_parquet
from zeromass.report.widget import Widget

__all__ = [
    "Origin",
    "Plots",
    "View",
    "Widget",
    "axes",
    "color",
    "legend",
    "movie",
    "read",
    "save",
    "save_figure",
    "to_csv",
    "to_dataset",
    "to_parquet",
]
