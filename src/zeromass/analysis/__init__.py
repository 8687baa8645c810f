"""Analysis of systems and runs: linear systems, periodic orbits, branches, inverse dynamics, fits.

What concerns one run alone is a method of the run: `run.certificate()`, `run.work()`, `run.sensitivity()`.
"""

from zeromass.lazy import attach as _attach

_attach(__name__)
