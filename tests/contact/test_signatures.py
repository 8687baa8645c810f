"""Surfaces and bodies say what they take."""

from __future__ import annotations

import inspect

import pytest

from zeromass.contact import bodies, surfaces
from zeromass.contact.surface import Surface


def public(module):
    return [
        thing
        for name, thing in vars(module).items()
        if name[0] != "_" and getattr(thing, "__module__", "") == module.__name__
    ]


THINGS = [thing for module in (surfaces, bodies) for thing in public(module) if callable(thing)]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.__name__)
def test_every_argument_has_a_type(thing):
    """And a misspelt keyword is refused: nothing is passed on unseen."""
    for argument in inspect.signature(thing).parameters.values():
        assert argument.annotation not in (argument.empty, "Any"), argument
        assert argument.kind not in (argument.VAR_KEYWORD, argument.VAR_POSITIONAL), argument


@pytest.mark.parametrize("surface", public(surfaces), ids=lambda thing: thing.__name__)
def test_every_surface_can_move(surface):
    """As every Surface does, by the same keywords with the same defaults in effect."""
    own, general = (inspect.signature(make).parameters for make in (surface, Surface))
    for name in ("shift", "rotation", "velocity"):
        assert own[name].kind is own[name].KEYWORD_ONLY
        assert own[name].default == general[name].default
