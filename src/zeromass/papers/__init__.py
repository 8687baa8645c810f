"""The worked examples of the source papers, as data; nothing else may know them."""

from typing import TYPE_CHECKING

from zeromass.later import later
from zeromass.papers.comparison import Case, Comparison
from zeromass.papers.results import Results, results
from zeromass.papers.table import HEADINGS, Row, Section

if TYPE_CHECKING:
    from zeromass.papers.document import page, report
else:
    __getattr__ = later(__name__, {"zeromass.papers.document": ["page", "report"]})  # with all of plotting

__all__ = ["HEADINGS", "Case", "Comparison", "Results", "Row", "Section", "page", "report", "results"]
