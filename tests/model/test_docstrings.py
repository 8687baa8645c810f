"""Every public name of `zeromass.model` has an example in its docstring, and the examples are true."""

from __future__ import annotations

import pytest

from docstrings import examples, failures, public

PACKAGE = "zeromass.model"
EXAMPLES = examples(PACKAGE)
PUBLIC = public(PACKAGE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    assert not failures(EXAMPLES[name])


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name):
    assert PUBLIC[name].__doc__
    assert name in EXAMPLES
