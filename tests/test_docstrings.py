"""Every public object shows its use in its docstring, and what is shown is what happens."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import zeromass as zm

PACKAGES = [
    "expression",
    "equation",
    "model",
    "mechanism",
    "contact",
    "integrate",
    "analysis",
    "report",
    "study",
    "scenario",
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> Iterator[ModuleType]:
    """The modules of zeromass, itself included."""
    yield zm
    for found in pkgutil.walk_packages(zm.__path__, "zeromass."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def examples() -> dict[str, doctest.DocTest]:
    """The docstrings with examples, by the names of the objects that they belong to."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for module in modules() for test in finder.find(module, module.__name__, globs={})]
    return {test.name: test for test in found if test.examples}


def public() -> dict[str, object]:
    """The functions and classes that zeromass and its packages offer, by the names of where they are defined."""
    offering = [zm, *[importlib.import_module(f"zeromass.{name}") for name in PACKAGES]]
    objects = [getattr(module, name) for module in offering for name in module.__all__]
    objects += [x for name, x in vars(zm.surfaces).items() if name[0] != "_"]
    kept = [
        x for x in objects if (inspect.isclass(x) or inspect.isfunction(x)) and x.__module__.startswith("zeromass.")
    ]
    return {f"{x.__module__}.{x.__qualname__}": x for x in kept}


EXAMPLES = examples()
PUBLIC = public()
ASKED = [name for cls in (zm.Run, zm.Run.__base__) for name, x in vars(cls).items() if name[0] != "_" and x is not None]
"""What a run can be asked: methods and properties."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path, monkeypatch):
    """It runs with `zm`, `np` and a `folder` at hand, leaves no file elsewhere, and no figure open."""
    here, folder = tmp_path / "here", tmp_path / "folder"
    for place in (here, folder):
        place.mkdir()
    monkeypatch.chdir(here)
    test, said = EXAMPLES[name], []
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")  # what others left
    test.globs = {"zm": zm, "np": np, "folder": folder}
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=said.append)
    assert not said, "".join(said)
    assert not list(here.iterdir())
    if "matplotlib.pyplot" in sys.modules:
        assert not sys.modules["matplotlib.pyplot"].get_fignums()


def test_every_public_object_shows_its_use():
    assert [name for name in PUBLIC if name not in EXAMPLES] == []


@pytest.mark.parametrize("name", ASKED)
def test_everything_a_run_can_be_asked_is_shown(name):
    """In its own docstring, or in the examples of the class and of what it builds on."""
    shown = [EXAMPLES[f"{cls.__module__}.{cls.__qualname__}"] for cls in (zm.Run, zm.Run.__base__)]
    own = [test for key, test in EXAMPLES.items() if key.endswith((f".Run.{name}", f".Course.{name}"))]
    sources = [example.source for test in shown + own for example in test.examples]
    assert any(re.search(rf"\brun\.{name}\b", source) for source in sources)


def test_every_example_is_found():
    """None is hidden from doctest, as those of decorated functions would be."""
    source = Path(zm.__path__[0])
    written = sum(file.read_text(encoding="utf-8").count(">>> ") for file in source.rglob("*.py"))
    assert written == sum(len(test.examples) for test in EXAMPLES.values())
