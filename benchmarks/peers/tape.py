"""Explicit accelerations as a list of operations that other expression systems can replay.

A step is ["input", place], ["constant", number] or [operation, places of its operands…], with NumPy's names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Tape(NamedTuple):
    """Steps, and the places of the outputs among them."""

    steps: list[list]
    outputs: list[int]


def recorded(outputs: Sequence[Any], inputs: Sequence[Any]) -> Tape:
    """The tape of zeromass expressions."""
    from zeromass.expression.node import ordered

    given = {symbol: j for j, symbol in enumerate(inputs)}
    place: dict[Any, int] = {}
    steps: list[list] = []
    for node in ordered(outputs):
        place[node] = len(steps)
        if node in given:
            steps.append(["input", given[node]])
        elif node.value is not None:
            steps.append(["constant", node.value])
        else:
            steps.append([node.op, *[place[a] for a in node.args]])
    return Tape(steps, [place[e] for e in outputs])


def written(tape: Tape, path: Path) -> None:
    path.write_text(json.dumps(tape))


def read(path: Path) -> Tape:
    return Tape(*json.loads(path.read_text()))


def replayed(tape: Tape, inputs: Sequence[Any], functions: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """The outputs, computed with arithmetic operators and the functions given by NumPy's names."""
    values: list[Any] = []
    for op, *rest in tape.steps:
        if op == "input":
            values.append(inputs[rest[0]])
        elif op == "constant":
            values.append(rest[0])
        elif op == "power":
            values.append(_power(values[rest[0]], values[rest[1]]))
        else:
            rule = _OPERATORS.get(op) or functions[op]
            values.append(rule(*[values[i] for i in rest]))
    return [values[i] for i in tape.outputs]


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negative": lambda a: -a,
}


def _power(x: Any, n: float) -> Any:
    """xⁿ as products; the shell has whole powers only."""
    result, square, k = None, x, abs(round(n))
    while k:
        if k & 1:
            result = square if result is None else result * square
        k >>= 1
        if k:
            square = square * square
    return result if n > 0 else 1.0 / result
