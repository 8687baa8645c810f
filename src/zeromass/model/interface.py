"""Objects that list what their users call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class Interface:
    """An object whose class lists what its users call: `dir` shows these names, and the documentation in their order.

    `_interface` of a class has its own names; those of the classes that it derives from come after them.
    """

    _interface: ClassVar[tuple[str, ...]] = ()

    def __dir__(self) -> Iterable[str]:
        return [*interface_of(type(self)), *(name for name in super().__dir__() if name[0] == "_")]


def interface_of(cls: type) -> list[str]:
    """The names that the users of a class call, its own first."""
    return list(dict.fromkeys(name for base in cls.__mro__ for name in vars(base).get("_interface", ())))
