"""Named quantities of a system: what plots and files show without being asked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.expression import Expression


class Quantity(NamedTuple):
    """An expression, or array of them, with its unit and the words for an axis.

    >>> x = zm.coordinate("x")
    >>> system = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> system.quantities["potential"]
    Quantity(expression=0.5*x**2, unit='J', label='potential energy')
    """

    expression: Expression | np.ndarray
    unit: str
    label: str
