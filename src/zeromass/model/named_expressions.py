"""Several expressions that are asked for together, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.errors import ExpressionError, ModelError
from zeromass.expression import Expression, expressions
from zeromass.expression.text import heading
from zeromass.model.given import shown


def named_expressions(given: Any, role: str) -> dict[str, np.ndarray]:
    """{name: expression, or array of them} from such a mapping, from several in a list, or from one.

    role  the argument that it was given as, for errors

    >>> from zeromass.model.named_expressions import named_expressions
    >>> x, y = zm.coordinates("x y")
    >>> list(named_expressions([x, zm.rate(y) ** 2], "of"))
    ['x', 'rate(y)**2']
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        pairs = [(None, one) for one in given]
    else:
        pairs = [(None, given)]
    found: dict[str, np.ndarray] = {}
    for name, one in pairs:
        try:
            e = expressions(one)
        except ExpressionError as error:
            raise ModelError(f"{role}: {shown(one)} is no expression, nor an array of them") from error
        if not e.size:
            raise ModelError(f"{role}: {shown(one)} has no expression in it")
        word = name_of(one) if name is None else name
        if not isinstance(word, str):
            raise ModelError(f"{role}: {shown(name)} is no name; give {{name: expression}}")
        if word in found:
            raise ModelError(f"{role}: two have the name '{word}'; give {{name: expression}}")
        found[word] = e
    return found


def name_of(e: Any) -> str:
    """What an expression, or an array of them, is called that has been given no name: its formula, in a line at most."""
    if isinstance(e, Expression):
        return heading(e)
    return ", ".join(heading(one) for one in expressions(e).ravel()[:3]) + (", …" if expressions(e).size > 3 else "")
