"""Random formulas, written down once as trees and read in any language: NumPy, SymPy, mpmath.

A tree is a variable ("x", j), a number ("number", c) or an operation (name, tree, …). Where a function asks
for a domain, the tree contains what keeps its argument inside: values are real at every real point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import where

Tree = tuple
Language = Mapping[str, Callable[..., Any]]

# What each function needs of its argument to be real, and not so large that nothing is left of it. The
# derivative of tanh is 1 − tanh², which loses digits as tanh comes near 1: its argument is bounded as well.
_OF_ANY = ("sin", "cos", "arctan", "arcsinh", "abs", "negative", "square", "sign", "floor")
_OF_BOUNDED = ("exp", "sinh", "cosh", "tanh", "expm1", "tan", "exp2")
_OF_POSITIVE = ("sqrt", "log", "cbrt", "log2", "log10", "reciprocal", "log1p")
_OF_BELOW_ONE = ("arcsin", "arccos", "arctanh", "log1p")
_OF_ABOVE_ONE = ("arccosh",)
_OF_TWO = ("arctan2", "hypot", "maximum", "minimum")

NUMPY: Language = {
    "number": float,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    "less": lambda a, b, c, d: where(a < b, c, d),
    "less_equal": lambda a, b, c, d: where(a <= b, c, d),
    **{
        name: getattr(np, name)
        for names in (_OF_ANY, _OF_BOUNDED, _OF_POSITIVE, _OF_BELOW_ONE, _OF_ABOVE_ONE, _OF_TWO)
        for name in names
    },
}
"""The same NumPy code serves numbers and expressions."""

_PIECEWISE = {"abs", "sign", "floor", "maximum", "minimum", "less", "less_equal"}
VARIABLES = 3


def random_tree(rng: np.random.Generator, depth: int, *, smooth: bool = False) -> Tree:
    """A formula in three variables, at most `depth` functions deep; if `smooth`, without kinks and jumps."""
    if depth == 0:
        if rng.random() < 0.8:
            return ("x", int(rng.integers(VARIABLES)))
        return ("number", float(rng.integers(-22, 23)) / 8)  # a binary fraction: exact in every language

    def one(names: Sequence[str]) -> str:
        return str(rng.choice([name for name in names if not (smooth and name in _PIECEWISE)]))

    def number(*values: float) -> Tree:
        return ("number", float(rng.choice(values)))

    def part() -> Tree:
        return random_tree(rng, int(rng.integers(max(depth - 3, 0), depth)), smooth=smooth)

    def bounded() -> Tree:
        return (one(("sin", "cos")), part())

    def above(*least: float) -> Tree:
        return ("add", ("power", part(), ("number", 2.0)), number(*least))

    shapes: list[Callable[[], Tree]] = [
        lambda: (one(("add", "subtract", "multiply")), part(), part()),
        lambda: (one(("add", "subtract", "multiply")), part(), part()),
        lambda: ("divide", part(), above(0.75, 1.5)),
        lambda: (one(_OF_ANY), part()),
        lambda: (one(_OF_ANY), part()),
        lambda: (one(_OF_BOUNDED), bounded()),
        lambda: (one(_OF_POSITIVE), above(0.75, 1.5)),
        lambda: (one(_OF_BELOW_ONE), ("multiply", ("number", 0.875), bounded())),
        lambda: (one(_OF_ABOVE_ONE), above(1.25)),
        lambda: (one(_OF_TWO), part(), above(0.75, 1.5)),
        lambda: ("power", part(), number(0, 1, 2, 3, 4)),
        lambda: ("power", above(0.75, 1.5), number(-3, -2, -1, -0.75, 0.5, 1.5, 2.25)),
        lambda: ("power", above(0.75, 1.5), bounded()),
        lambda: ("power", ("number", 2.5), bounded()),
    ]
    if not smooth:
        shapes.append(lambda: (one(("less", "less_equal")), part(), part(), part(), part()))
    return shapes[rng.integers(len(shapes))]()


def random_trees(seed: int, count: int, *, depths: range = range(3, 7), smooth: bool = False) -> list[Tree]:
    """Formulas in which at least one variable occurs."""
    rng = np.random.default_rng(seed)
    trees: list[Tree] = []
    while len(trees) < count:
        tree = random_tree(rng, int(rng.choice(depths)), smooth=smooth)
        if "x" in operations(tree):
            trees.append(tree)
    return trees


def operations(tree: Tree) -> Iterator[str]:
    """Names of all operations and leaves in a formula."""
    op, *args = tree
    yield op
    if op not in ("x", "number"):
        for arg in args:
            yield from operations(arg)


def value(tree: Tree, variables: Sequence[Any], language: Language = NUMPY) -> Any:
    """The formula at the variables, in a language."""
    op, *args = tree
    if op == "x":
        return variables[args[0]]
    if op == "number":
        return language["number"](args[0])
    return language[op](*[value(arg, variables, language) for arg in args])
