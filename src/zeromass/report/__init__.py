"""Plots, tables, files, films and the HTML viewer of runs."""

from zeromass.report.files import save, to_dataset
from zeromass.report.film import movie
from zeromass.report.origin import Origin
from zeromass.report.plots import save_figure
from zeromass.report.reading import read
from zeromass.report.run_plots import Plots
from zeromass.report.study_files import save_study
from zeromass.report.study_plots import plot_study
from zeromass.report.tables import to_csv, to_parquet
from zeromass.report.viewer import view
from zeromass.report.writing import FileError

__all__ = [
    "FileError",
    "Origin",
    "Plots",
    "movie",
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
