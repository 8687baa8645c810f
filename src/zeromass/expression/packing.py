"""Whatever holds many expressions, for pickling: each node they share is laid out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression.grid import Grid
from zeromass.expression.node import Expression
from zeromass.expression.record import Reader, Writer


class Packed(NamedTuple):
    """Something with places instead of expressions, and the nodes and grids that stand there."""

    value: Any
    nodes: list[list[Any]]
    grids: list[Grid]


class _Place(NamedTuple):
    at: int


class _Places(NamedTuple):
    at: np.ndarray


class _Fields(NamedTuple):
    kind: type
    values: dict[str, Any]


def packed(value: Any) -> Packed:
    """Dictionaries, lists, tuples, named tuples, sets, dataclasses and object arrays, in one another, for pickling.

    Every expression in them, keys too, is replaced by its place in one table of nodes. What holds no expressions, and
    objects of other classes, stay as they are. `unpacked` gives it all back, with the same expressions.

    >>> from zeromass.expression.packing import packed, unpacked
    >>> x, y = zm.coordinates("x y")
    >>> data = packed({"sum": x + y, "all": [x + y, np.array([x, y])]})
    >>> len(data.nodes)
    3
    >>> unpacked(data)["all"][0] is x + y
    True
    """
    writer = Writer()

    def place(value: Any) -> Any:
        if isinstance(value, Expression):
            return _Place(writer.place(value))
        if isinstance(value, np.ndarray) and value.dtype == object and value.size:
            items = value.ravel()
            if all(isinstance(item, Expression) for item in items):
                return _Places(np.array([writer.place(item) for item in items]).reshape(value.shape))
        return None

    walked = _Walk(place)(value)
    return Packed(walked, writer.nodes, writer.grids)


def unpacked(data: Packed) -> Any:
    """What was packed.

    >>> from zeromass.expression.packing import packed, unpacked
    >>> x = zm.coordinate("x")
    >>> unpacked(packed([x, {x: 1.0}])) == [x, {x: 1.0}]
    True
    """
    nodes = Reader(data.nodes, data.grids).nodes

    def found(value: Any) -> Any:
        if isinstance(value, _Place):
            return nodes[value.at]
        if isinstance(value, _Places):
            array = np.empty(value.at.size, dtype=object)
            array[:] = [nodes[i] for i in value.at.ravel()]
            return array.reshape(value.at.shape)
        return None

    return _Walk(found)(data.value)


class _Walk:
    """Containers with some of what they hold replaced; one that is met twice stays one."""

    def __init__(self, replaced: Callable[[Any], Any]) -> None:
        self._replaced = replaced
        self._done: dict[int, Any] = {}
        self._held: list[Any] = []  # what `_done` names by its id must not be freed

    def __call__(self, value: Any) -> Any:
        kind = type(value)
        if kind in (float, int, str, bool, type(None)):
            return value
        key = id(value)
        if key in self._done:
            if self._done[key] is _OPEN:
                raise ExpressionError(f"a {kind.__name__} that contains itself can not be packed")
            return self._done[key]
        self._done[key] = _OPEN
        self._held.append(value)
        new = self._replaced(value)
        result = self._done[key] = self._inside(kind, value) if new is None else new
        return result

    def _inside(self, kind: type, value: Any) -> Any:
        if kind is dict:
            items = [(self(k), self(v)) for k, v in value.items()]
            same = all(k is a and v is b for (k, v), (a, b) in zip(items, value.items(), strict=True))
            return value if same else dict(items)
        if kind is _Fields:
            new = object.__new__(value.kind)
            for name, item in value.values.items():
                object.__setattr__(new, name, self(item))
            return new
        if kind in (list, tuple, set, frozenset) or (issubclass(kind, tuple) and hasattr(kind, "_make")):
            items = [self(item) for item in value]
            same = all(a is b for a, b in zip(items, value, strict=True))
            make: Any = getattr(kind, "_make", kind)
            return value if same else make(items)
        if kind is np.ndarray and value.dtype == object:
            items = [self(item) for item in value.ravel()]
            if all(a is b for a, b in zip(items, value.ravel(), strict=True)):
                return value
            array = np.empty(len(items), dtype=object)
            for i, item in enumerate(items):
                array[i] = item
            return array.reshape(value.shape)
        if hasattr(kind, "__dataclass_fields__") and _plain(kind):
            own = {name: getattr(value, name) for name in _names(kind) if hasattr(value, name)}
            own.update(getattr(value, "__dict__", {}))
            values = {name: self(item) for name, item in own.items()}
            return value if all(values[name] is own[name] for name in own) else _Fields(kind, values)
        return value


def _names(kind: type) -> list[str]:
    from dataclasses import fields

    return [field.name for field in fields(kind)]


def _plain(kind: type) -> bool:
    """Whether a dataclass is pickled by its fields, and not in a way of its own."""
    state = kind.__getstate__
    return kind.__reduce__ is object.__reduce__ and (
        state is object.__getstate__ or state.__name__ == "_dataclass_getstate"
    )


_OPEN = object()
