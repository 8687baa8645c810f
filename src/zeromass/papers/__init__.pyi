"""The names of `zeromass.papers`: `zeromass.lazy.attach` reads them from here."""

from zeromass.papers.comparison import Case as Case
from zeromass.papers.comparison import Comparison as Comparison
from zeromass.papers.document import page as page
from zeromass.papers.document import report as report
from zeromass.papers.results import Results as Results
from zeromass.papers.results import results as results
from zeromass.papers.table import HEADINGS as HEADINGS
from zeromass.papers.table import Row as Row
from zeromass.papers.table import Section as Section
