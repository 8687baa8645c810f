"""The scalar expression: an immutable, hash-consed node of a graph.

Equal expressions are the same object, so identity is structural equality, a subexpression is stored once, and
an expression can be a dictionary key. Children are always older than their parents: sorting nodes by `serial`
is a topological order, and no algorithm on the graph needs recursion.
"""

from __future__ import annotations

import gc
import itertools
import math
import operator
import os
import sys
import threading
import weakref
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import ContextDecorator
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from zeromass.errors import ExpressionError, shown

if TYPE_CHECKING:
    from zeromass.expression.grid import Grid
    from zeromass.expression.signatures import Formulas, Operators, Scalar
else:
    Operators = object

Array: TypeAlias = NDArray[np.object_]
"""An array of expressions. Type checkers let what NumPy makes of it be anything, since v @ v is a scalar."""


_serials = itertools.count()
_next_serial = _serials.__next__
_SERIAL = operator.attrgetter("serial")


class _Table(dict[tuple, "weakref.ref[Any]"]):
    """The nodes that there are, by what they are made of; it keeps none of them alive.

    Reading needs no lock, and adding is one step that no other thread can come into (`setdefault`): of two that build one
    formula, the second finds what the first has made. Who replaces or removes the entry of a node that is gone holds
    `_lock`. Such entries are swept out whenever the table has doubled since the last time.
    """

    FEWEST = 40_000
    largest = FEWEST

    def swept(self) -> int:
        """Sweeps; returns how many nodes there are."""
        with _lock:
            for key, entry in self.copy().items():
                if entry() is None and self.get(key) is entry:
                    del self[key]
            self.largest = max(self.FEWEST, 2 * len(self))
            return len(self)


_nodes = _Table()
_lock = threading.RLock()  # a garbage collection under it may end in code that builds formulas


def _locked_serial() -> int:
    with _lock:
        return next(_serials)


def _unlocked() -> None:
    """In a child process: the thread that held the lock is not in it."""
    global _lock
    _lock = threading.RLock()
    undisturbed.ended()


if not getattr(sys, "_is_gil_enabled", lambda: True)():  # a counter alone may give a number twice
    _next_serial = _locked_serial
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)


class Expression(Operators):
    """Scalar formula in coordinates, rates, time and parameters.

    op     what the node is: "constant", "symbol", or the name of an operation
    args   the operands, a tuple of expressions
    value  the number of a constant, otherwise None

    Equal formulas are one object, and NumPy works on them:

    >>> x, y = zm.coordinates("x y")
    >>> np.sin(x * y) is np.sin(y * x)
    True
    >>> np.sqrt(x**2 + y**2).args
    (x**2 + y**2,)
    """

    __slots__ = ("__weakref__", "args", "op", "serial", "value")

    op: str
    args: tuple[Expression, ...]
    value: float | None
    serial: int

    def __repr__(self) -> str:
        from zeromass.expression.text import text

        return text(self)

    def _repr_latex_(self) -> str | None:
        """The formula in a notebook; None of one that is too long to read, of which `repr` tells."""
        from zeromass.expression.typeset import in_notebook

        return in_notebook(self)

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...
    else:
        __hash__ = object.__hash__  # by identity, and not through a function in Python

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expression):
            return self is other
        if isinstance(other, int | float):
            _no_comparison(self, "==")
        return NotImplemented

    def __bool__(self) -> NoReturn:
        raise ExpressionError(
            f"the truth of '{_shortened(self)}' is not known while equations are derived; "
            "write zm.where(condition, value_if_true, value_if_false) instead of branching on it"
        )

    def __float__(self) -> float:
        if self.value is not None:
            return self.value
        if not symbols(self):  # constants that are kept apart, since together they overflow or vanish
            from zeromass.expression.evaluate import evaluate

            return evaluate(self, {})
        raise ExpressionError(
            f"'{_shortened(self)}' is a formula, not a number. Evaluate it with zm.expression.evaluate(expression, values) "
            "or state[expression]; for the length of a vector v write np.sqrt(v @ v)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        from zeromass.expression.record import flat, restored

        return restored, flat(self)

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expression:
        return self


class Symbol(Expression):
    """Named symbol: a coordinate or its time derivative, a parameter, time, or a multiplier.

    kind   "coordinate", "parameter", "time" or "multiplier"
    order  how many time derivatives were taken of a coordinate: 0 position, 1 rate, 2 acceleration

    >>> v = zm.rate(zm.coordinate("x"))
    >>> v.name, v.kind, v.order
    ('x', 'coordinate', 1)
    """

    __slots__ = ("default", "kind", "latex", "name", "order", "token")

    name: str
    kind: str
    order: int
    default: float | None
    latex: str | None
    token: str


class Gridded(Expression):
    """A function given on a grid, or one of its derivatives, at a point (x, y).

    orders  how many derivatives were taken in x and in y
    """

    __slots__ = ("grid", "orders")

    grid: Grid
    orders: tuple[int, int]


def constant(value: float) -> Expression:
    """The expression of a number."""
    value = float(value)
    if value != value:
        raise ExpressionError("not a number (NaN) can not be part of a formula")
    value += 0.0  # −0 becomes 0: the two are one constant
    key = ("constant", value)
    entry = _nodes.get(key)
    node = entry() if entry is not None else None
    return _new(Expression(), key, "constant", (), value) if node is None else node


def operation(op: str, *args: Expression) -> Expression:
    """The node for an operation on expressions, without any simplification."""
    key = (op, args[0].serial, args[1].serial) if len(args) == 2 else (op, *[a.serial for a in args])
    entry = _nodes.get(key)
    node = entry() if entry is not None else None
    return _new(Expression(), key, op, args) if node is None else node


def pair(op: str, a: Expression, b: Expression) -> Expression:
    """The same for two operands: most nodes are made of two."""
    key = (op, a.serial, b.serial)
    entry = _nodes.get(key)
    node = entry() if entry is not None else None
    return _new(Expression(), key, op, (a, b)) if node is None else node


def commuted(op: str, a: Expression, b: Expression) -> Expression:
    """The node of a sum or product, whose operands have one order: a constant last in a sum and first in a product,
    others by age."""
    if (a.value is None) != (b.value is None):
        swapped = (a.value is None) == (op == "multiply")
    else:
        swapped = b.serial < a.serial
    return pair(op, b, a) if swapped else pair(op, a, b)


def symbol(
    name: str,
    kind: str,
    *,
    order: int = 0,
    default: float | None = None,
    latex: str | None = None,
    token: str | None = None,
) -> Symbol:
    """A leaf. Without `token` it is new; with it, the one leaf that has this token and order."""
    token = token or os.urandom(8).hex()
    key = ("symbol", token, order)
    node = _nodes.get(key, _nothing)()
    if node is not None:
        return node
    new = Symbol()
    new.name, new.kind, new.order, new.default = name, kind, order, default
    new.latex, new.token = latex, token
    return _new(new, key, "symbol", ())


def gridded(grid: Grid, orders: tuple[int, int], x: Expression, y: Expression) -> Gridded:
    """The node for a function on a grid, without any simplification."""
    key = ("grid", grid.key, orders, x.serial, y.serial)
    node = _nodes.get(key, _nothing)()
    if node is not None:
        return node
    new = Gridded()
    new.grid, new.orders = grid, orders
    return _new(new, key, "grid", (x, y))


def _nothing() -> None:
    """Stands for the reference to a node that there is none of."""


def _new(node: Any, key: tuple, op: str, args: tuple[Expression, ...], value: float | None = None) -> Any:
    """The node, complete, in the table; or the one that another thread has put there in the meantime."""
    node.op, node.args, node.value, node.serial = op, args, value, _next_serial()
    entry = weakref.ref(node)
    found = _nodes.setdefault(key, entry)
    if found is not entry:
        with _lock:
            other = _nodes.get(key, _nothing)()
            if other is not None:
                return other
            _nodes[key] = entry
    if len(_nodes) > _nodes.largest:
        _nodes.swept()
    return node


def as_expression(value: Any) -> Expression:
    """The expression of a number or expression; anything else is refused.

    >>> from zeromass.expression import as_expression
    >>> as_expression(2).value
    2.0
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | float | np.integer | np.floating | np.bool_):
        return constant(as_float(value))
    if isinstance(value, np.ndarray) and value.shape == ():
        return as_expression(value.item())
    raise ExpressionError(
        f"a formula can not contain {type(value).__name__} {shown(value)}; use numbers and expressions"
    )


def as_float(value: Any) -> float:
    """A number as a float; a whole number beyond the largest float is refused, and what is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"{shown(value)} is no number up to 1.8e308") from error


def expressions(values: Any) -> Array:
    """An object array of expressions from numbers, expressions, or nested sequences or arrays of them.

    >>> from zeromass.expression import expressions
    >>> x = zm.coordinate("x")
    >>> expressions([[x, 1], [0, x]]).shape
    (2, 2)
    """
    try:
        array = np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"{shown(values)} is no formula and no array of formulas: {error}") from error
    result = np.empty(array.shape, dtype=object)
    result.ravel()[:] = [as_expression(v) for v in array.ravel()]
    return result


def given_formulas(given: Any, what: str, such: str) -> Mapping[Any, Any]:
    """A mapping whose keys are expressions, such as of symbols to their values."""
    if not isinstance(given, Mapping):
        raise ExpressionError(f"{what} is {shown(given)}; give {such}")
    for key in given:
        if not isinstance(key, Expression):
            raise ExpressionError(f"{what} has the key {shown(key)}, which is no symbol; give {such}")
    return given


class Undisturbed(ContextDecorator):
    """`with undisturbed:` many formulas are built without the garbage collector, which would look at all of them again and
    again. Formulas are never in cycles: those that nobody has any more are freed without it. `@undisturbed` is for a whole
    function.

    It is off for the whole process while any thread is inside, and on again where it was on before.
    """

    def __init__(self) -> None:
        self._inside, self._on = 0, False

    def __enter__(self) -> None:
        with _lock:
            self._inside += 1
            if self._inside == 1:
                self._on = gc.isenabled()
                gc.disable()

    def __exit__(self, *_: object) -> None:
        with _lock:
            self._inside = max(0, self._inside - 1)
            if self._inside == 0 and self._on:
                gc.enable()

    def ended(self) -> None:
        """In a child process: the threads that were inside are not in it."""
        if self._inside and self._on:
            gc.enable()
        self._inside = 0


undisturbed: Undisturbed = Undisturbed()


def ordered(roots: Iterable[Expression], known: Container[Expression] = ()) -> list[Expression]:
    """All nodes under the roots, children before parents; without those known already and what is under them alone."""
    found = list(dict.fromkeys(roots))
    if known:
        return _unknown(found, known)
    seen = set(found)
    for node in found:  # which grows on the way
        for a in node.args:
            if a not in seen:
                seen.add(a)
                found.append(a)
    found.sort(key=_SERIAL)
    return found


def _unknown(roots: list[Expression], known: Container[Expression]) -> list[Expression]:
    found = [node for node in roots if node not in known]
    seen = set(found)
    for node in found:  # which grows on the way
        for a in node.args:
            if a not in seen and a not in known:
                seen.add(a)
                found.append(a)
    found.sort(key=_SERIAL)
    return found


def depending(roots: Iterable[Expression], on: Callable[[Symbol], bool]) -> set[Expression]:
    """The nodes under the roots that depend on some of the leaves with a name, in one walk."""
    found: set[Expression] = set()
    for node in ordered(roots):
        if not found.isdisjoint(node.args) or (isinstance(node, Symbol) and on(node)):
            found.add(node)
    return found


def symbols(*roots: Scalar | Formulas) -> list[Symbol]:
    """All leaves with a name under the given expressions or arrays of them, oldest first.

    >>> from zeromass.expression import symbols
    >>> x, y = zm.coordinates("x y")
    >>> symbols(np.sin(y) + 2 * x, zm.rate(x))
    [x, y, rate(x)]
    """
    stack: list[Any] = []
    for root in roots:
        stack += (root,) if isinstance(root, Expression) else expressions(root).ravel().tolist()
    return contents(stack)[0]


def contents(roots: Iterable[Expression]) -> tuple[list[Symbol], set[str]]:
    """The leaves with a name under some formulas, oldest first, and the operations in them."""
    nodes = list(dict.fromkeys(roots))
    seen = set(nodes)
    found: list[Any] = []
    operations: set[str] = set()
    for node in nodes:  # which grows on the way
        args = node.args
        if args:
            operations.add(node.op)
            for a in args:
                if a not in seen:
                    seen.add(a)
                    nodes.append(a)
        elif node.value is None:
            found.append(node)
    found.sort(key=_SERIAL)
    return found, operations


def _no_comparison(a: Expression, sign: str) -> NoReturn:
    raise ExpressionError(
        f"'{_shortened(a)}' has no value while equations are derived, so '{sign}' can not be decided; "
        "write zm.where(condition, value_if_true, value_if_false) with a condition such as x > 0"
    )


def _shortened(e: Expression, limit: int = 60) -> str:
    words = repr(e)
    return words if len(words) <= limit else words[: limit - 1] + "…"


def is_integer(value: float) -> bool:
    return math.isfinite(value) and value == math.floor(value)
