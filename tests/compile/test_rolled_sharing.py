"""Forces that rows share in large systems: what is told is that of formulas, what is shared is said to be."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from compile.large import four_bars
from compile.test_rolled import Pair
from zeromass.model import ModelError
from zeromass.model.shared import SharedForce


@pytest.fixture(scope="module")
def pair() -> Pair:
    """A plane mechanism whose weight leans out of its plane, so that hinges share a force across it."""
    bodies, joints, _, guess = four_bars(1)
    return Pair((bodies, joints, {"gravity": (0, -9.81, -3.0)}, guess))


def _asked(run: zm.Run, e: zm.Expression) -> tuple[float, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return float(run.at(0.02)[e][0]), told


def test_forces_that_are_told_are_those_of_formulas_and_others_are_said_to_be_shared(pair: Pair) -> None:
    run = zm.simulate(pair.rolled, pair.start, until=0.02)
    other = zm.simulate(pair.plain, pair.written(), until=0.02)
    by_name = {x.name: x for x in pair.plain.multipliers}
    shared, λ, exact = [], [], []
    for x in pair.rolled.multipliers:
        if "unit quaternion" in x.name:
            continue
        value, told = _asked(run, x)
        known, said = _asked(other, by_name[x.name])
        λ.append(value)
        exact.append(known)
        assert [w.category for w in told] == [w.category for w in said]
        shared.append(bool(told))
        if told:
            assert told[0].category is SharedForce
        else:
            assert abs(value - known) < 1e-9
    assert any(shared)
    assert not all(shared)
    rows = [i for i, row in enumerate(pair.plain.rows) if "unit quaternion" not in row.name]
    places = [k for k, x in enumerate(pair.plain.coordinates) if x.name[-2:] in (".x", ".y", ".z")]
    A = other.state(0.02).matrices.A[np.ix_(rows, places)]
    assert np.abs(A.T @ (np.array(λ) - exact)).max() < 1e-9  # the same force on every body
    assert np.linalg.norm(λ) <= np.linalg.norm(exact) + 1e-9
    assert np.linalg.norm(np.array(λ)[shared]) > 0.1


def test_sums_that_sharing_does_not_change_are_told(pair: Pair) -> None:
    """The weight across the plane, which all hinges to the ground carry together."""
    run = zm.simulate(pair.rolled, pair.start, until=0.02)
    across = [x for x in pair.rolled.multipliers if "ground" in x.name and x.name.endswith("place[2]")]
    value, told = _asked(run, sum(across[1:], across[0]))
    assert not told
    assert abs(abs(value) - 3.0 * len(pair.rolled.parts)) < 1e-9


def test_forces_that_are_shared_can_not_be_watched_and_others_can(pair: Pair) -> None:
    names = {x.name: x for x in pair.rolled.multipliers if "unit quaternion" not in x.name}
    run = zm.simulate(pair.rolled, pair.start, until=0.02)
    shared, own = ([x for x in names.values() if bool(_asked(run, x)[1]) is some] for some in (True, False))
    with pytest.raises(ModelError, match="shared by constraints"):
        zm.simulate(pair.rolled, pair.start, until=0.1, events={"hard": shared[0] - 1e3})
    level, _ = _asked(run, own[0])
    watched = zm.simulate(
        pair.rolled, pair.start, until=0.03, events=zm.Event("passed", own[0] - level, terminal=False)
    )
    assert np.allclose([event.t for event in watched.events], 0.02, rtol=0, atol=1e-8)
    assert len(watched.events) == 1
