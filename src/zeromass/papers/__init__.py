"""The worked examples of the source papers, as data; nothing else may know them."""

from zeromass.papers.comparison import Case, Comparison
from zeromass.papers.document import page, report
from zeromass.papers.results import Results, results
from zeromass.papers.table import HEADINGS, Row, Section

__all__ = ["HEADINGS", "Case", "Comparison", "Results", "Row", "Section", "page", "report", "results"]
