"""The examples in docstrings: found by package, and run with `np` and `zm` at hand."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

import zeromass as zm


def modules(package: str) -> Iterator[ModuleType]:
    """The modules of a package, itself included."""
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        yield importlib.import_module(found.name)


def examples(package: str) -> dict[str, doctest.DocTest]:
    """The examples of a package, by the names of the objects whose docstrings they are in."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {}
    for module in modules(package):
        for test in finder.find(module, module.__name__, module=module, extraglobs={"np": np, "zm": zm}):
            if test.examples:
                found[test.name] = test
    return found


def failures(test: doctest.DocTest) -> str:
    """What goes wrong with the examples of a docstring; "" if nothing does."""
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


def public(package: str) -> dict[str, Any]:
    """The classes and functions that a package offers and defines, by the names of where it does."""
    module = importlib.import_module(package)
    objects = [getattr(module, name) for name in module.__all__]
    kept = [x for x in objects if inspect.isclass(x) or inspect.isfunction(x)]
    named = {f"{x.__module__}.{x.__qualname__}": x for x in kept}
    return {name: x for name, x in named.items() if name.startswith(package)}
