"""Plots, tables, files, films and the HTML viewer of runs."""

from typing import Any, cast

from zeromass.integrate import Course
from zeromass.model import Box as Box  # shapes to be drawn; they are described with the model
from zeromass.model import Dot as Dot
from zeromass.model import Rod as Rod
from zeromass.model import Wheel as Wheel
from zeromass.report.files import FileError, load, save, to_dataset
from zeromass.report.movie import movie
from zeromass.report.origin import from_scenario
from zeromass.report.plots import save_figure
from zeromass.report.run_plots import Plots
from zeromass.report.tables import to_csv, to_parquet
from zeromass.report.viewer import view

_run = cast(Any, Course)  # a run shows and saves itself: the verbs of this package are its methods
_run.view, _run.movie, _run.save, _run.plot = view, movie, save, property(Plots)
_run.to_csv, _run.to_parquet, _run.to_xarray = to_csv, to_parquet, to_dataset

__all__ = [
    "FileError",
    "Plots",
    "from_scenario",
    "load",
    "movie",
    "save",
    "save_figure",
    "to_csv",
    "to_dataset",
    "to_parquet",
    "view",
]
