"""The equation of motion on plain arrays: M q̈ = Q + C + Aᵀλ, A q̈ = b, with M ≥ 0 that may be singular.

`solve` gives the `Motion` and says whether it exists and is unique. `acceleration` (the papers' formula),
`kkt` and `udwadia_kalaba` are three other routes to the same acceleration. Every rank is decided by
`numerical_rank`. All functions take stacks of problems along leading axes.
"""

import typing as _typing

from zeromass.later import later as _later

from .arrays import EquationError
from .inverse import IndependentRows, independent_rows, pseudoinverse
from .motion import Motion, Verdict
from .rank import CONSISTENCY_TOLERANCE, MASS_TOLERANCE, RANK_TOLERANCE, Rank, numerical_rank
from .solution import solve

if _typing.TYPE_CHECKING:
    from .elimination import kkt
    from .fundamental import acceleration, udwadia_kalaba

__all__ = [
    "solve",
    "Motion",
    "Verdict",
    "EquationError",
    "acceleration",
    "udwadia_kalaba",
    "kkt",
    "Rank",
    "numerical_rank",
    "pseudoinverse",
    "IndependentRows",
    "independent_rows",
    "RANK_TOLERANCE",
    "CONSISTENCY_TOLERANCE",
    "MASS_TOLERANCE",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names
    __getattr__ = _later(
        __name__,
        {
            "zeromass.equation.elimination": ["kkt"],
            "zeromass.equation.fundamental": ["acceleration", "udwadia_kalaba"],
        },
    )
