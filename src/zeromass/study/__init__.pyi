"""The names of `zm.study`: `zeromass.lazy.attach` reads them from here."""

from zeromass.report.study_files import save as save
from zeromass.study.cluster import Ray as Ray
from zeromass.study.keep import first_time as first_time
from zeromass.study.keep import integral as integral
from zeromass.study.keep import largest as largest
from zeromass.study.keep import mean as mean
from zeromass.study.keep import smallest as smallest
from zeromass.study.keep import values_at as values_at
from zeromass.study.samples import samples as samples
from zeromass.study.sweep import sweep as sweep

__all__ = [
    "Ray",
    "first_time",
    "integral",
    "largest",
    "mean",
    "samples",
    "save",
    "smallest",
    "values_at",
]
