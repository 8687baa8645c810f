"""Lazy imports: the names of a package are imported at first access, so that a program pays only for what it uses."""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from typing import Any


def attach(package: str, missing: Callable[[str], str | None] = lambda name: None) -> None:
    """Gives a package the names that its type stub, `__init__.pyi`, lists; each is imported at first access.

    missing  what to say of a name that is not listed, if anything

    The stub is the only list: type checkers and editors read it, and so does this function (Scientific Python's SPEC 1).
    Its `__all__`, if it has one, names what is public. A function with the name of a submodule, such as `compile`, is
    imported at once: the import system would otherwise put the submodule in its place.
    """
    module = sys.modules[package]
    text = pkgutil.get_data(package, "__init__.pyi")
    assert text is not None
    home: dict[str, str] = {}
    public: list[str] | None = None
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            home |= {alias.asname or alias.name: str(node.module) for alias in node.names}
        elif isinstance(node, ast.Assign):
            public = ast.literal_eval(node.value)
    names = [name for name in (home if public is None else public) if name[0] != "_"]

    def found(name: str) -> Any:
        if name not in home:
            is_module = importlib.util.find_spec(f"{package}.{name}") is not None  # from package import module
            advice = None if is_module or name[0] == "_" else missing(name)
            message = f"module {package!r} has no attribute {name!r}" if advice is None else advice
            raise AttributeError(message, name=name, obj=module)
        if home[name] == package:
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(home[name]), name)
        setattr(module, name, value)
        return value

    module.__dict__.update(__getattr__=found, __dir__=lambda: [*names], __all__=names)
    for name in home:
        if f"{home[name]}.".startswith(f"{package}.{name}."):
            found(name)


def later(module: str, name: str) -> Any:
    """A name of a module that is imported only where it is needed."""
    return getattr(importlib.import_module(module), name)
