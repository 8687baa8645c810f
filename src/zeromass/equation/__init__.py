"""The equation of motion on plain arrays: M q̈ = Q + C + Aᵀλ, A q̈ = b, with M ≥ 0 that may be singular.

`solve` gives the `Motion` and says whether it exists and is unique. `acceleration` (the papers' formula),
`kkt`, `udwadia_kalaba` and `auxiliary_system` are four other routes to the same acceleration. Every rank is decided by
`numerical_rank`. All functions take stacks of problems along leading axes.
"""

from zeromass.lazy import attach as _attach

_attach(__name__)
