"""The formula language of scenario files: precedence climbing, straight into expressions.

    0.04*sin(1.2*sqrt(2)*pi*X)/(1 + X**2)      where(x > 0 and not y > 1, x', -x')      m*rate(x)**2/2

Numbers, + − * / ** (or ^), brackets, the elementary functions, the constants pi and e, and the names that are declared.
30 deg, or 30°, is an angle in radians. x' is the rate of x and x'' its acceleration. Conditions, which only where(…) takes,
are comparisons joined by and, or and not. Nothing is executed: a formula can only become an expression. Its length, nesting
and exponents are bounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zeromass.errors import ExpressionError, listed, nearest, shown
from zeromass.expression import Expression, Symbol, as_expression, rate, where
from zeromass.expression.build import function
from zeromass.expression.operation import functions
from zeromass.scenario.errors import FormulaError
from zeromass.scenario.tokens import WORDS, Token, tokens

DEEPEST = 100
"""Brackets, functions, signs and powers inside one another."""

LARGEST_EXPONENT = 1000
MOST_RATES = 2
"""Rates inside one another: rate(rate(x)) is an acceleration, and there is nothing beyond."""

CONSTANTS = {"pi": math.pi, "e": math.e, "deg": math.pi / 180}
DEGREES = ("deg", "°")
"""What may follow a number without a sign between: 30 deg is 30*deg."""

_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_RULES: dict[str, Callable[..., Any]] = {
    **_COMPARISONS, "or": np.logical_or, "and": np.logical_and, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv, "**": operator.pow, "^": operator.pow,
}  # fmt: skip
_NOT, _SIGN, _POWER = 3, 7, 8
_BINARY = {
    "or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6, "**": _POWER, "^": _POWER,
}  # fmt: skip
"""How strongly operators bind, as in Python: `not` between `and` and comparisons, a sign between * and **."""

_OTHER_FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "radians": (np.radians, 1),
    "degrees": (np.degrees, 1),
}
_SPELLINGS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "ln": "log", "min": "minimum", "max": "maximum",
}  # fmt: skip
FUNCTIONS = functions()
FUNCTION_NAMES = (*FUNCTIONS, *_OTHER_FUNCTIONS, *_SPELLINGS, "where", "rate")
RESERVED = frozenset((*FUNCTION_NAMES, *CONSTANTS, *WORDS, "t"))
"""Names that a scenario can not give to something else."""


def formula(source: str, names: Mapping[str, Expression]) -> Expression:
    """The expression of a formula in the declared names; a FormulaError says what is wrong and where.

    >>> from zeromass.scenario import formula
    >>> x = zm.coordinate("x")
    >>> formula("2*x' + sin(pi/2)", {"x": x}) is 2 * zm.rate(x) + 1
    True
    """
    if not isinstance(source, str):
        raise FormulaError(f"a formula is text, and {shown(source)} is none", 0)
    if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names):
        raise FormulaError(f"the names of a formula are {{name: expression}}, not {shown(names)}", 0)
    return _Parser(source, names).whole()


@dataclass(frozen=True)
class _Condition:
    """What holds or does not, 1 or 0, and the word or sign that makes it a condition."""

    truth: Expression
    sign: Token


class _Parser:
    """One formula being read."""

    def __init__(self, source: str, names: Mapping[str, Expression]) -> None:
        self.source, self.names = source, names
        self.tokens = tokens(source)
        self.place = self.depth = self.rates = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def whole(self) -> Expression:
        result = self.value(0)
        token = self.token
        if token.kind != "end":
            words = "a closing bracket without an opening one" if token.text == ")" else f"'{token.text[:30]}'"
            raise self.error(f"{words} is not expected here: an operator is missing, or this is too much", token)
        return result

    def error(self, message: str, token: Token, unknown: str = "") -> FormulaError:
        return FormulaError(message, token.position, self.source, unknown)

    def taken(self, *texts: str) -> bool:
        """Whether the next sign is one of these; then it is passed."""
        if self.token.kind == "sign" and self.token.text in texts:
            self.place += 1
            return True
        return False

    def expect(self, text: str, words: str) -> None:
        if not self.taken(text):
            found = f"not '{self.token.text[:30]}'" if self.token.text else "but the formula ends"
            hint = nearest(self.token.text, WORDS) if self.token.kind == "name" else ""
            raise self.error(f"'{text}' {words}, {found}{hint}", self.token)

    def value(self, least: int) -> Expression:
        """A number or a formula, of operators that bind at least as strongly as `least`."""
        return self.amount(self.expression(least))

    def expression(self, least: int) -> Expression | _Condition:
        """A value or a condition, of operators that bind at least as strongly as `least`."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"the formula is nested more than {DEEPEST} deep", self.token)
        left = self.operand()
        while self.token.kind == "sign" and _BINARY.get(self.token.text, -1) >= least:
            sign = self.token
            self.place += 1
            strength = _BINARY[sign.text]
            right = self.expression(_SIGN if strength == _POWER else strength + 1)
            left = self.applied(sign, left, right)
        self.depth -= 1
        return left

    def amount(self, found: Expression | _Condition) -> Expression:
        """What is no condition."""
        if isinstance(found, _Condition):
            raise self.error("a condition stands only in where(condition, value, other value)", found.sign)
        return found

    def truth(self, found: Expression | _Condition, sign: Token) -> Any:
        """Of a condition that `and`, `or` or `not` takes."""
        if not isinstance(found, _Condition):
            raise self.error(f"'{sign.text}' takes conditions, such as x > 0", sign)
        return found.truth

    def applied(self, sign: Token, left: Any, right: Any) -> Expression | _Condition:
        rule = _RULES[sign.text]
        if sign.text in WORDS:
            left, right = self.truth(left, sign), self.truth(right, sign)
            return _Condition(self.checked(lambda: rule(left, right), sign), sign)
        if sign.text in _COMPARISONS:
            if isinstance(left, _Condition):
                raise self.error("comparisons are joined by words: write 0 < x and x < 1", sign)
            right = self.amount(right)
            return _Condition(self.checked(lambda: rule(left, right), sign), sign)
        left, right = self.amount(left), self.amount(right)
        if _BINARY[sign.text] == _POWER and right.value is not None and abs(right.value) > LARGEST_EXPONENT:
            raise self.error(f"the exponent is {right.value:g}; at most {LARGEST_EXPONENT} is read", sign)
        return self.checked(lambda: rule(left, right), sign)

    def checked(self, rule: Callable[[], Any], token: Token) -> Expression:
        """What a rule gives, if it is a finite number or a formula."""
        try:
            result = as_expression(rule())
        except (ExpressionError, OverflowError, ValueError, ZeroDivisionError) as error:
            raise self.error(str(error), token) from error
        known = result.value is not None or (result.args and all(a.value is not None for a in result.args))
        if known and not math.isfinite(float(result)):
            raise self.error("the value is too large for a number", token)
        return result

    def operand(self) -> Expression | _Condition:
        token = self.token
        self.place += 1
        if token.kind == "number":
            return self.measured(float(token.text))
        if token.kind == "name":
            return self.call(token) if self.taken("(") else self.primed(self.named(token), token)
        if token.text == "-":
            value = self.value(_SIGN)
            return self.checked(lambda: -value, token)
        if token.text == "+":
            return self.value(_SIGN)
        if token.text == "not":
            truth = self.truth(self.expression(_NOT), token)
            return _Condition(self.checked(lambda: np.logical_not(truth), token), token)
        if token.text == "(":
            inner = self.expression(0)
            self.expect(")", "is expected to close the bracket")
            return inner
        found = f"'{token.text}' stands" if token.text else "the formula ends"
        raise self.error(f"{found} where a number, a name or a bracket is expected", token)

    def measured(self, number: float) -> Expression:
        """A number, and degrees behind it."""
        if self.token.text in DEGREES:
            self.place += 1
            return as_expression(number * CONSTANTS["deg"])
        return as_expression(number)

    def named(self, token: Token) -> Expression:
        name = token.text
        if name in self.names:
            declared = self.names[name]  # found when it is asked for, as by `let` of a scenario
            if not isinstance(declared, Expression):
                raise self.error(f"'{name}' is declared as {shown(declared)}, which is no expression", token)
            return declared
        if name in CONSTANTS:
            return as_expression(CONSTANTS[name])
        if name in FUNCTION_NAMES:
            raise self.error(f"'{name}' is a function: write {name}(…)", token)
        hint = nearest(name, [*self.names, *CONSTANTS])
        known = listed([*self.names, *CONSTANTS])
        words = f"'{name}' is not declared{hint}" + ("" if hint else f"; known here are: {known}")
        raise self.error(words, token, unknown=name)

    def primed(self, value: Expression, token: Token) -> Expression:
        """x' and x''."""
        count = 0
        while self.taken("'"):
            count += 1
            if count > MOST_RATES:
                raise self.error("there are rates x' and accelerations x'', nothing beyond", token)
            value = self.rate_of(value, token)
        return value

    def rate_of(self, value: Expression, token: Token) -> Expression:
        if isinstance(value, Symbol) and value.kind == "coordinate" and value.order >= MOST_RATES:
            raise self.error("there are rates x' and accelerations x'', nothing beyond", token)
        return self.checked(lambda: rate(value), token)

    def call(self, token: Token) -> Expression:
        name = _SPELLINGS.get(token.text, token.text)
        if name == "where":
            condition = self.condition()
            self.expect(",", "is expected between the arguments of where(condition, value, other value)")
            a, b = self.arguments(token, 2)
            return self.checked(lambda: where(condition, a, b), token)
        if name == "rate":
            self.rates += 1
            if self.rates > MOST_RATES:
                raise self.error(f"rates are nested more than {MOST_RATES} deep", token)
            (value,) = self.arguments(token, 1)
            self.rates -= 1
            return self.rate_of(value, token)
        if name in _OTHER_FUNCTIONS:
            rule, count = _OTHER_FUNCTIONS[name]
        elif name in FUNCTIONS:
            rule, count = partial(function, name), FUNCTIONS[name].arity
        else:
            hint = nearest(name, FUNCTION_NAMES)
            if name in self.names or name in CONSTANTS:
                hint = f"; '{name}' is a name, a product is written {name}*(…)"
            raise self.error(
                f"there is no function '{name}'{hint or f'; there are: {listed(FUNCTION_NAMES, 99)}'}", token
            )
        arguments = self.arguments(token, count)
        return self.checked(lambda: rule(*arguments), token)

    def condition(self) -> Expression:
        """The first argument of where(…)."""
        found = self.expression(0)
        if not isinstance(found, _Condition):
            raise self.error("where(…) begins with a comparison, such as x > 0", self.token)
        return found.truth

    def arguments(self, token: Token, count: int) -> list[Expression]:
        words = f"in {token.text}(…), which takes {count} argument{'s' if count > 1 else ''}"
        if self.token.text == ")":
            raise self.error(f"an argument is missing {words}", self.token)
        found = [self.value(0)]
        while self.taken(","):
            found.append(self.value(0))
        self.expect(")", f"is expected to close {token.text}(")
        if len(found) != count:
            where = "where takes three arguments: where(condition, value, other value)"
            raise self.error(where if token.text == "where" else f"{len(found)} arguments are given {words}", token)
        return found
