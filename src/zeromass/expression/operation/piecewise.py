"""Rows of the table: what has kinks and jumps, and division with a remainder."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.expression.node import Expression, operation
from zeromass.expression.operation import enclosure as i
from zeromass.expression.operation import writing as w
from zeromass.expression.operation.algebra import ONE, ZERO
from zeromass.expression.operation.row import Emitter, Intrinsic, Library, Modes, Operation

_REMAINDER = """
static double zeromass_remainder(double a, double b)
{
    const double r = fmod(a, b);
    if (r == 0.0) return copysign(0.0, b);
    return (r < 0.0 && b > 0.0) || (r > 0.0 && b < 0.0) ? r + b : r;
}
"""
_FLOOR_DIVIDE = """
static double zeromass_floor_divide(double a, double b)
{
    const double r = fmod(a, b);
    const double q = (a - r) / b - ((r < 0.0 && b > 0.0) || (r > 0.0 && b < 0.0) ? 1.0 : 0.0);
    const double whole = floor(q);
    if (b == 0.0) return a / b;
    if (q == 0.0) return copysign(0.0, a / b);
    return q - whole > 0.5 ? whole + 1.0 : whole;
}
"""


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _llvm_sign(e: Emitter, node: Expression, x: str) -> str:
    zero = e.number(0.0)
    above, below = e.compare("ogt", x, zero), e.compare("olt", x, zero)
    rest = e.instruction("fadd", x, zero)  # 0 of both zeros, and not a number of none
    return e.select(above, e.number(1.0), e.select(below, e.number(-1.0), rest))


def _compared(
    code: int, ufunc: np.ufunc, relation: str, sign: str, latex: str, sympy: str, interval: Callable[..., i.Bounds]
) -> Operation:
    """A condition is the number 1 or 0."""
    return Operation(
        code,
        arity=2,
        number=lambda a, b: ufunc(a, b) * 1.0,
        slope=lambda f, a, b: (ZERO, ZERO),
        text=w.comparison(sign),
        latex=w.latex_comparison(latex),
        c=f"{{0}} {sign} {{1}}",
        sympy=sympy,
        llvm=lambda e, node, a, b: e.select(e.compare(relation, a, b), e.number(1.0), e.number(0.0)),
        smooth=lambda modes, a, b: _truth(modes, b - a),
        interval=interval,
        jumps=i.undecided(interval),
    )


def _truth(modes: Modes, g: Expression) -> Expression:
    """1 where g > 0, else 0."""
    return 0.5 * (modes.side(g) + 1)


def _sympy_where(sympy: Any, condition: Any, a: Any, b: Any) -> Any:
    return sympy.Piecewise((a, condition), (b, True))


def _either(condition: Expression, a: Expression, b: Expression) -> Expression:
    return operation("where", condition, a, b)


def _extreme(code: int, name: str, below: bool) -> Operation:
    """The larger or smaller of two numbers; not a number where one is none; of two zeros the second.

    NumPy leaves the sign of a zero to the machine, which may choose another one in lanes.
    """
    sign, relation = ("<", "olt") if below else (">", "ogt")

    def number(a: Any, b: Any) -> Any:
        return np.where(((a < b) if below else (a > b)) | (a != a), a, b)[()]

    def llvm(e: Emitter, node: Expression, a: str, b: str) -> str:
        return e.select(e.compare("uno", a, a), a, e.select(e.compare(relation, a, b), a, b))

    def choice(a: Expression, b: Expression) -> tuple[Expression, Expression, Expression]:
        return (b < a) if below else (a < b), b, a

    def slope(f: Expression, a: Expression, b: Expression) -> tuple[Expression, ...]:
        second = choice(a, b)[0]
        return _either(second, ZERO, ONE), _either(second, ONE, ZERO)

    return Operation(
        code,
        arity=2,
        number=number,
        slope=slope,
        latex=rf"\{name}",
        c=f"isnan({{0}}) || {{0}} {sign} {{1}} ? {{0}} : {{1}}",
        sympy=lambda sympy, a, b: _sympy_where(sympy, (b < a) if below else (a < b), b, a),
        llvm=llvm,
        interval=i.smaller if below else i.larger,
        choice=choice,
        smooth=lambda modes, a, b: modes.choice(_truth(modes, a - b if below else b - a), b, a),
    )


PIECEWISE: dict[str, Operation] = {
    "abs": Operation(
        code=1000,
        arity=1,
        number=np.abs,
        slope=lambda f, x: (x.sign(),),
        latex=w.latex_between(r"\left|", r"\right|"),
        c="fabs",
        sympy="Abs",
        llvm=Intrinsic("fabs"),
        interval=i.magnitude,
        fold=math.fabs,
        parity="even",
        smooth=lambda modes, x: modes.side(x) * x,
    ),
    "sign": Operation(
        code=1022,
        arity=1,
        number=np.sign,
        slope=lambda f, x: (ZERO,),
        latex=r"\operatorname{sgn}",
        c="isnan({0}) ? {0} : ({0} > 0) - ({0} < 0)",
        sympy="sign",
        llvm=_llvm_sign,
        interval=i.sign,
        jumps=i.undecided(i.sign),
        fold=_sign,
        parity="odd",
        smooth=lambda modes, x: modes.side(x),
    ),
    "floor": Operation(
        code=1014,
        arity=1,
        number=np.floor,
        slope=lambda f, x: (ZERO,),
        latex=w.latex_between(r"\left\lfloor ", r" \right\rfloor"),
        c="floor",
        sympy="floor",
        llvm=Library("floor"),  # not the intrinsic, which is a call to a library on machines without the instruction
        interval=i.floor,
        jumps=i.undecided(i.floor),
        fold=math.floor,
        smooth=lambda modes, x: modes.whole(x),
    ),
    "remainder": Operation(
        code=1031,
        arity=2,
        number=np.remainder,
        slope=lambda f, a, b: (ONE, -(a // b)),
        text=w.quotient(" % "),
        latex=w.latex_modulo,
        c="zeromass_remainder",
        sympy=lambda sympy, a, b: a - b * sympy.floor(a / b),
        llvm=Library("remainder"),
        interval=i.remainder,
        jumps=i.undecided(i.whole_quotient),
        source=_REMAINDER,
        smooth=lambda modes, a, b: a - b * modes.whole(a / b),
    ),
    "floor_divide": Operation(
        code=1032,
        arity=2,
        number=np.floor_divide,
        slope=lambda f, a, b: (ZERO, ZERO),
        text=w.quotient(" // "),
        latex=w.latex_whole_quotient,
        c="zeromass_floor_divide",
        sympy=lambda sympy, a, b: sympy.floor(a / b),
        llvm=Library("quotient"),
        interval=i.whole_quotient,
        jumps=i.undecided(i.whole_quotient),
        source=_FLOOR_DIVIDE,
        smooth=lambda modes, a, b: modes.whole(a / b),
    ),
    "maximum": _extreme(1033, "max", below=False),
    "minimum": _extreme(1034, "min", below=True),
    "less": _compared(1015, np.less, "olt", "<", "<", "StrictLessThan", i.less),
    "less_equal": _compared(1016, np.less_equal, "ole", "<=", r"\le", "LessThan", i.less_equal),
    "where": Operation(
        code=1029,
        arity=3,
        number=lambda condition, a, b: np.where(condition, a, b)[()],
        slope=lambda f, condition, a, b: (ZERO, _either(condition, ONE, ZERO), _either(condition, ZERO, ONE)),
        latex=w.latex_cases,
        c="{0} ? {1} : {2}",
        sympy=_sympy_where,
        llvm=lambda e, node, condition, a, b: e.select(e.compare("une", condition, e.number(0.0)), a, b),
        interval=i.either,
        jumps=i.undecided_choice,
        choice=lambda condition, a, b: (condition, a, b),
        smooth=lambda modes, condition, a, b: modes.choice(condition, a, b),
    ),
}
