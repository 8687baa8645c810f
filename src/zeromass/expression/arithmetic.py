"""NumPy on expressions: operators, the methods that NumPy calls on object arrays, and ufuncs on scalars.

    np.sin(x), x**2 + 1, np.arctan2(0.5, x), matrix @ vector, np.cross(a, b)

all work on expressions and on object arrays of them, mixed with floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression import build
from zeromass.expression.node import Expression, as_expression, as_float, constant, expressions
from zeromass.expression.operation import OPERATIONS, functions

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar

_LN2, _LN10 = constant(np.log(2.0)), constant(np.log(10.0))


def _not_equal(a: Expression, b: Expression) -> Any:
    raise ExpressionError(f"'{a!r}' and '{b!r}' can not be compared for equality while equations are derived")


def _logical_not(a: Expression) -> Expression:
    return build.where(a, build.ZERO, build.ONE)


_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": build.add,
    "subtract": build.subtract,
    "multiply": build.multiply,
    "divide": build.divide,
    "power": build.power,
    "float_power": build.power,
    "negative": build.negative,
    "positive": lambda a: a,
    "conjugate": lambda a: a,
    "square": lambda a: build.power(a, build.TWO),
    "reciprocal": lambda a: build.divide(build.ONE, a),
    "cbrt": lambda a: build.multiply(build.function("sign", a), build.power(build.function("abs", a), constant(1 / 3))),
    "absolute": lambda a: build.function("abs", a),
    "fabs": lambda a: build.function("abs", a),
    "exp2": lambda a: build.function("exp", build.multiply(_LN2, a)),
    "log2": lambda a: build.divide(build.function("log", a), _LN2),
    "log10": lambda a: build.divide(build.function("log", a), _LN10),
    "deg2rad": lambda a: build.multiply(constant(np.pi / 180), a),
    "radians": lambda a: build.multiply(constant(np.pi / 180), a),
    "rad2deg": lambda a: build.multiply(constant(180 / np.pi), a),
    "degrees": lambda a: build.multiply(constant(180 / np.pi), a),
    "floor_divide": build.floor_divide,
    "remainder": build.remainder,
    "ceil": lambda a: build.negative(build.function("floor", build.negative(a))),
    "less": lambda a, b: build.compare("less", a, b),
    "less_equal": lambda a, b: build.compare("less_equal", a, b),
    "greater": lambda a, b: build.compare("less", b, a),
    "greater_equal": lambda a, b: build.compare("less_equal", b, a),
    "equal": _not_equal,
    "not_equal": _not_equal,
    "logical_and": lambda a, b: build.where(a, b, build.ZERO),
    "logical_or": lambda a, b: build.where(a, build.ONE, b),
    "logical_not": _logical_not,
    **{name: partial(build.function, name) for name in functions() if name != "abs"},
}


_NUMBERS = (int, float, np.integer, np.floating)


def _operand(value: Any) -> Expression | None:
    """The expression of a number; None of what is none."""
    return constant(as_float(value)) if type(value) is float or isinstance(value, _NUMBERS) else None


def _binary(rule: Callable[[Expression, Expression], Expression]) -> Callable[[Expression, Any], Any]:
    def operator(self: Expression, other: Any) -> Any:
        b = other if isinstance(other, Expression) else _operand(other)
        return NotImplemented if b is None else rule(self, b)

    return operator


def _reflected(rule: Callable[[Expression, Expression], Expression]) -> Callable[[Expression, Any], Any]:
    def operator(self: Expression, other: Any) -> Any:
        a = _operand(other)
        return NotImplemented if a is None else rule(a, self)

    return operator


def _array_ufunc(self: Expression, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """np.f(expression, …): scalars go straight to the graph, arrays through NumPy's object loop."""
    if any(isinstance(value, np.ndarray) and value.ndim for value in inputs) or method != "__call__" or kwargs:
        arrays = [expressions(value) for value in inputs]
        try:
            return getattr(ufunc, method)(*arrays, **kwargs)
        except ValueError as error:
            raise ExpressionError(
                f"np.{ufunc.__name__} of shapes {', '.join(str(a.shape) for a in arrays)}: {error}"
            ) from error
    rule = _UFUNCS.get(ufunc.__name__)
    if rule is None and ufunc.__name__ in OPERATIONS:
        rule = partial(build.rebuilt, ufunc.__name__)
    if rule is None:
        raise ExpressionError(
            f"np.{ufunc.__name__} of an expression is not known; known are: {', '.join(sorted(_UFUNCS))}"
        )
    return rule(*[as_expression(value) for value in inputs])


def _method(name: str) -> Callable[..., Any]:
    rule = _UFUNCS[name]

    def method(self: Expression, *others: Any) -> Any:
        return rule(self, *[as_expression(other) for other in others])

    method.__name__ = name
    return method


for _name in _UFUNCS:  # NumPy calls x.sin() for each element of an object array
    setattr(Expression, _name, _method(_name))

for _operator, _rule in {
    "add": build.add,
    "sub": build.subtract,
    "mul": build.multiply,
    "truediv": build.divide,
    "pow": build.power,
    "floordiv": build.floor_divide,
    "mod": build.remainder,
}.items():
    setattr(Expression, f"__{_operator}__", _binary(_rule))
    setattr(Expression, f"__r{_operator}__", _reflected(_rule))

for _operator, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
    setattr(Expression, f"__{_operator}__", _binary(_UFUNCS[_name]))

for _operator, _name in {"and": "logical_and", "or": "logical_or"}.items():
    setattr(Expression, f"__{_operator}__", _binary(_UFUNCS[_name]))

Expression.__neg__ = lambda self: build.negative(self)  # type: ignore[attr-defined]
Expression.__pos__ = lambda self: self  # type: ignore[attr-defined]
Expression.__abs__ = lambda self: build.function("abs", self)  # type: ignore[attr-defined]
Expression.__floor__ = _method("floor")  # type: ignore[attr-defined]
Expression.__ceil__ = _method("ceil")  # type: ignore[attr-defined]
Expression.__invert__ = _logical_not  # type: ignore[attr-defined]
Expression.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]


@overload
def where(condition: Expression, a: Scalar, b: Scalar) -> Expression: ...
@overload
def where(condition: float, a: Expression, b: Scalar) -> Expression: ...
@overload
def where(condition: float, a: float, b: Expression) -> Expression: ...
@overload
def where(condition: float, a: float, b: float) -> np.ndarray: ...
@overload
def where(condition: Formulas, a: Any, b: Any) -> np.ndarray: ...
@overload
def where(condition: Any, a: Formulas, b: Any) -> np.ndarray: ...
@overload
def where(condition: Any, a: Any, b: Formulas) -> np.ndarray: ...
def where(condition: Any, a: Any, b: Any) -> Expression | np.ndarray:
    """a where the condition holds, else b; on numbers it is np.where.

    `simulate` locates the time at which the condition changes and begins a new step there; see `run.switches`.

    >>> x = zm.coordinate("x")
    >>> zm.expression.derivative(zm.where(x > 0, x**2, 0), x)
    where((0 < x), 2*x, 0)
    """
    parts = (condition, a, b)
    try:
        if not any(_holds_expression(part) for part in parts):
            return np.where(*parts)
        if all(np.ndim(part) == 0 for part in parts):
            return build.where(*[as_expression(part) for part in parts])
        arrays = np.broadcast_arrays(*[expressions(part) for part in parts])
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError(f"zm.where: {error}") from error
    result = np.empty(arrays[0].shape, dtype=object)
    result.ravel()[:] = [build.where(*values) for values in zip(*[x.ravel() for x in arrays], strict=True)]
    return result


def _holds_expression(value: Any) -> bool:
    return any(isinstance(item, Expression) for item in np.asarray(value, dtype=object).ravel())
