"""Every public object of the package shows its use, and what is shown is what happens."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import zeromass as zm
from zeromass import errors, expression

MODULES = [
    errors.__name__,
    *[info.name for info in pkgutil.walk_packages(expression.__path__, f"{expression.__name__}.")],
]
PUBLIC = {name: getattr(expression, name) for name in expression.__all__ if name != "t"}  # time is a symbol
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"np": np, "zm": zm}, optionflags=FLAGS)
    assert result.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_object_shows_its_use(name):
    assert ">>>" in PUBLIC[name].__doc__
