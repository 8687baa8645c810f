"""Plots, tables, files, films and the HTML viewer of runs."""

from zeromass.report.axes import axes, legend
from zeromass.report.files import save, to_dataset
from zeromass.report.film import movie
from zeromass.report.inline import View
from zeromass.report.origin import Origin
from zeromass.report.palette import color
from zeromass.report.plots import save_figure
from zeromass.report.reading import read
from zeromass.report.roots import plot_roots
from zeromass.report.run_plots import Plots
from zeromass.report.study_files import save_study
from zeromass.report.study_plots import plot_study
from zeromass.report.tables import to_csv, to_parquet
from zeromass.report.viewer import view
from zeromass.report.widget import Widget
from zeromass.report.writing import FileError

__all__ = [
    "FileError",
    "Origin",
    "Plots",
    "View",
    "Widget",
    "axes",
    "color",
    "legend",
    "movie",
    "plot_roots",
    "plot_study",
    "read",
    "save",
    "save_figure",
    "save_study",
    "to_csv",
    "to_dataset",
    "to_parquet",
    "view",
]
