"""The fingerprint of a study: what its results follow from, so that a store is never filled with those of another one.

Formulas are known by what they say, not by when and where they were built: the same program gives the same fingerprint in
every process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, expressions
from zeromass.expression.node import Gridded, ordered
from zeromass.expression.record import Writer
from zeromass.model import Event, State
from zeromass.model.prescription import has_formulas
from zeromass.model.record import written
from zeromass.study.chunk import Study
from zeromass.study.faults import is_fault
from zeromass.study.keep import AtTimes, Extreme, FirstTime, Integral, Kept
from zeromass.study.members import Axes, StartOf

FORMAT = 1
"""Of stores."""


def fingerprint(axes: Axes, start: StartOf, study: Study) -> dict[str, Any]:
    """All that decides about the results of a study: numbers and words as they are, formulas by a checksum."""
    work, members = study.work, study.members
    formulas = _Formulas({*axes.values})
    settings = {name: value for name, value in work.settings.as_dict().items() if name != "memory"}
    return {
        "format": FORMAT,
        "system": _sum(written(work.program.system, formulas)),
        "program": _sum([formulas.array(work.program.acceleration), list(work.program.elimination.kept)]),
        "start": _sum(_start(start, study, formulas)),
        "over": {p.name: [*dimensions, _numbers(values)] for p, (dimensions, values) in axes.values.items()},
        "members": len(members),
        "keep": {name: _sum(_kept(what, formulas)) for name, what in work.keep.items()},
        "events": {event.name: _sum(_event(event, formulas)) for event in work.watched},
        "until": work.until,
        **({"states": "least"} if work.least else {}),
        "settings": {name: repr(value) for name, value in sorted(settings.items())},
    }


def differences(there: Mapping[str, Any], here: Mapping[str, Any], inside: str = "") -> list[str]:
    """In words what differs between two fingerprints."""
    found = []
    for name in sorted({*there, *here}):
        label, a, b = f"{inside}'{name}'" if inside else name, there.get(name), here.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            found += differences(a, b, f"{name} ")
        elif a != b:
            if a is None or b is None:
                found.append(f"{label} is only in {'this study' if a is None else 'the store'}")
            elif all((isinstance(x, str) and len(x) < 32) or isinstance(x, float | int) for x in (a, b)):
                found.append(f"{label} is {a} there and {b} here")
            else:
                found.append(f"{label} is another")
    return found


class _Formulas(Writer):
    """Writes a formula as a checksum of what it says; the defaults of parameters that vary do not count."""

    def __init__(self, varied: set[Symbol]) -> None:
        super().__init__()
        self._varied, self._sums, self._named = varied, dict[Expression, str](), dict[tuple[str, str], list[str]]()

    def array(self, e: Any) -> dict[str, Any]:
        e = expressions(e)
        return {"shape": list(e.shape), "at": [self.of(item) for item in e.ravel()]}

    def place(self, root: Expression) -> Any:
        return self.of(root)

    def of(self, root: Expression) -> str:
        for node in ordered([root]):
            if node not in self._sums:
                self._sums[node] = _sum(self._said(node))
        return self._sums[root]

    def _said(self, node: Expression) -> list[Any]:
        if isinstance(node, Symbol):
            same = self._named.setdefault((node.name, node.kind), [])
            if node.token not in same:  # two may have one name
                same.append(node.token)
            default = None if node in self._varied else node.default
            return ["symbol", node.name, node.kind, node.order, default, same.index(node.token)]
        if node.value is not None:
            return ["constant", float(node.value).hex()]
        operands = [self._sums[a] for a in node.args]
        if isinstance(node, Gridded):
            return ["grid", node.grid.key, *node.orders, *operands]
        return [node.op, *(sorted(operands) if node.op in ("add", "multiply") else operands)]


def _start(start: StartOf, study: Study, formulas: _Formulas) -> list[Any]:
    """What the starts of members follow from; a function is known by the first of them and the last."""
    members = study.members
    fixed = [[p.name, value] for p, value in members.first.parameters.items() if p not in members.parameters]
    if not isinstance(start, State):
        return [fixed, *[_state(state) for state in _ends(members.start, len(members))]]
    if start.made_of is None:
        return [fixed, _state(start)]
    made = start.made_of
    values = [formulas.array(value) if has_formulas(value) else _numbers(np.asarray(value)) for _, value in made.pairs]
    own = [
        [p.name, start.parameters.get(p, made.values.get(p, p.default))]
        for p in made.parameters
        if p not in members.parameters
    ]
    keys = [formulas.array(key) for key, _ in made.pairs]
    decided = [] if made.again is None else [_state(state) for state in _ends(members.start, len(members))]
    return [fixed, own, keys, values, made.t, [[formulas.of(x), float(value)] for x, value in made.guess], *decided]


def _ends(start: Callable[[int], State], count: int) -> Iterable[State | None]:
    for k in (0, count - 1):
        try:
            yield start(k)
        except Exception as error:
            if is_fault(error):
                raise
            yield None


def _state(state: State | None) -> Any:
    return None if state is None else [state.t, _numbers(state.q), _numbers(state.v)]


def _kept(what: Kept, formulas: _Formulas) -> list[Any]:
    said: list[Any] = [type(what).__name__]
    if isinstance(what, FirstTime):
        return [*said, _event(what.event, formulas)]
    if isinstance(what, AtTimes):
        said.append(_numbers(what.times))
    if isinstance(what, Extreme):
        said.append(what.sign)
    if isinstance(what, Integral):
        said.append(what.mean)
    return [*said, formulas.array(what.array)]


def _event(event: Event, formulas: _Formulas) -> list[Any]:
    return [event.name, formulas.of(event.zero), event.direction, event.terminal, event.guard]


def _numbers(values: np.ndarray) -> str:
    values = np.ascontiguousarray(values, dtype="<f8")
    return hashlib.sha256(repr(values.shape).encode() + values.tobytes()).hexdigest()


def _sum(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=repr).encode()).hexdigest()
