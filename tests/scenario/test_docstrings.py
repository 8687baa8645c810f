"""The examples in the docstrings of zeromass.scenario run, and each public object has one."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import zeromass as zm
from zeromass import scenario


@pytest.mark.parametrize("name", scenario.__all__)
def test_example_runs(name):
    globs = {"np": np, "zm": zm, **{public: getattr(scenario, public) for public in scenario.__all__}}
    (test, *_) = doctest.DocTestFinder(recurse=False).find(getattr(scenario, name), name, globs=globs)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
