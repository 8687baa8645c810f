"""Dataclasses whose values are fixed, made in a third of the time: a run imports thirty of them.

`dataclasses` writes six functions of each frozen class and compiles them. Here only `__init__` is one of its own; to compare
and print values, and to refuse others, is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


def _setattr(self: Any, name: str, value: Any) -> None:
    """Sets a field that has no value yet, as `__init__` does."""
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    self.__dict__[name] = value


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, f.name) for f in fields(self) if f.compare)


def _eq(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool = False, repr: bool = True) -> Callable[[Class], Class]:
    """A class as a dataclass whose values can not be changed: `@dataclass(frozen=True)`, sooner.

    eq    whether two of equal values are equal, and have one hash; otherwise each is itself
    repr  whether its values are printed

    >>> from zeromass.frozen import frozen
    >>> @frozen(eq=True)
    ... class Place:
    ...     x: float
    ...     y: float = 0.0
    >>> Place(1.0) == Place(1.0, 0.0), Place(2.0)
    (True, Place(x=2.0, y=0.0))
    """

    def made(cls: Class) -> Class:
        shared: dict[str, Any] = {"__setattr__": _setattr, "__delattr__": _delattr}
        shared |= {"__repr__": _repr} if repr else {}
        shared |= {"__eq__": _eq, "__hash__": _hash} if eq else {}
        for name, function in shared.items():
            if name not in vars(cls) or (name == "__hash__" and vars(cls)[name] is None):
                setattr(cls, name, function)
        return dataclass(repr=False, eq=False)(cls)

    return made
