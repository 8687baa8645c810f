"""The named leaves."""

import numpy as np
import pytest

from zeromass.expression import coordinate, coordinates, multiplier, parameter, rate, t


def test_what_each_leaf_says_of_itself():
    x, m, tension = coordinate("x", latex=r"\xi"), parameter("m", 2), multiplier("tension")
    assert (x.name, x.kind, x.order, x.default, x.latex) == ("x", "coordinate", 0, None, r"\xi")
    assert (m.name, m.kind, m.default) == ("m", "parameter", 2.0)
    assert (tension.name, tension.kind) == ("tension", "multiplier")
    assert (t.name, t.kind) == ("t", "time")
    assert rate(x).latex == x.latex


@pytest.mark.parametrize("names", ["x y z", "x, y, z", "x,y,z", "  x  y ,z "])
def test_coordinates_are_separated_by_blanks_or_commas(names):
    q = coordinates(names)
    assert isinstance(q, np.ndarray)
    assert [entry.name for entry in q] == ["x", "y", "z"]


@pytest.mark.parametrize("name", ["x", "theta", "φ", "contact.x", "x_1", "m1", "q'", "q[3]", "left wheel"])
def test_names(name):
    assert repr(coordinate(name)) == name
    assert repr(rate(coordinate(name))) == f"rate({name})"
