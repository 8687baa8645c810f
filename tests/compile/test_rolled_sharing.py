"""Forces that rows share in large systems: what is told is that of formulas, what is shared is said to be."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from compile.large import four_bars
from compile.test_rolled import Pair
from zeromass.errors import SharedForce
from zeromass.model import ModelError
from zeromass.model import system as model


@pytest.fixture(scope="module")
def pair() -> Pair:
    """A plane mechanism whose weight leans out of its plane, so that hinges share a force across it."""
    bodies, joints, _, guess = four_bars(1)
    return Pair((bodies, joints, {"gravity": (0, -9.81, -3.0)}, guess))


def _asked(run: zm.Run, e: zm.expression.Expression) -> tuple[float, list[warnings.WarningMessage]]:
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


@pytest.fixture(params=[1, 10**9], ids=["rolled", "written"])
def beam(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[zm.Run, list[zm.joints.PointOnPlane]]:
    """A beam of 3 kg that rests on three pins in a row."""
    monkeypatch.setattr(model, "LARGE", request.param)
    body = zm.RigidBody("beam", mass=3.0, inertia=(1.0, 1.1, 1.3))
    pins = [
        zm.joints.PointOnPlane(zm.Ground(), body, at=(x, 0, 0), normal=(0, 0, 1), name=f"pin {x}") for x in (-1, 0, 1)
    ]
    system = zm.System([body], gravity=9.81, joints=pins)
    run = zm.simulate(system, system.start(), until=0.1)
    assert (run.program.code == "rolled") == (request.param == 1)
    return run, pins


def test_what_rests_on_more_than_it_needs_is_no_contradiction(
    beam: tuple[zm.Run, list[zm.joints.PointOnPlane]],
) -> None:
    """Nothing accelerates, and all that rows add up to is rounding of the weight; each pin carries a third of it."""
    run, pins = beam
    assert run.outcome.complete
    assert np.abs(run.y[-1] - run.y[0]).max() < 1e-14
    for pin in pins:
        assert abs(_asked(run, pin.force[2])[0] - 9.81) < 1e-12
    forces = sum(pin.force[2] for pin in pins)
    assert abs(_asked(run, forces)[0] - 3 * 9.81) < 1e-12


def test_sizes_of_shared_forces_are_said_to_be_shared(beam: tuple[zm.Run, list[zm.joints.PointOnPlane]]) -> None:
    """Of a run and of a state, although their slopes vanish where the force does; the size of what is told is told."""
    run, (first, *others) = beam
    F = first.force
    for e in (F[2], F @ F, np.sqrt(F @ F), abs(F[2])):
        for asked in (run, run.start):
            with pytest.warns(SharedForce, match="'pin -1', 'pin 0', 'pin 1' share it"):
                asked[e]
    whole = F[2] + sum(pin.force[2] for pin in others)
    for e in (whole**2, abs(whole), zm.acceleration(run.system.coordinates[2])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _ = run[e], run.start[e]


def test_accelerations_are_watched_where_rows_repeat_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with a leg too many, pushed by a force that grows: 2 t = 1 at half a second."""
    monkeypatch.setattr(model, "LARGE", 1)
    box = zm.RigidBody("box", mass=1.0, inertia=(1.0, 1.1, 1.3))
    feet = [(x, y, 0) for x in (-1, 1) for y in (-1, 1)]
    pins = [zm.joints.PointOnPlane(zm.Ground(), box, at=at, normal=(0, 0, 1), name=f"foot {at}") for at in feet]
    push = zm.Force((2 * zm.t, 0, 0), at=box.position)
    system = zm.System([box], gravity=9.81, joints=pins, forces=[push])
    events = zm.Event("hard", zm.acceleration(box.position[0]) - 1.0)
    run = zm.simulate(system, system.start(), until=1.0, events=events)
    assert run.program.code == "rolled"
    assert len(run.program.elimination.dropped) == 1
    assert run.t[-1] == pytest.approx(0.5, abs=1e-12)


def test_who_watches_a_shared_force_is_told() -> None:
    """Of a beam that grows heavier, 9.81 (1 + t) a pin; what pins carry together is seen when it is half as much more."""
    body = zm.RigidBody("beam", mass=3.0, inertia=(1.0, 1.1, 1.3))
    pins = [
        zm.joints.PointOnPlane(zm.Ground(), body, at=(x, 0, 0), normal=(0, 0, 1), name=f"pin {x}") for x in (-1, 0, 1)
    ]
    system = zm.System([body], gravity=9.81 * (1 + zm.t), joints=pins)
    hard = zm.Event("hard", pins[0].force[2] - 1.5 * 9.81, terminal=False)
    with pytest.warns(
        zm.errors.RunDoubtful, match="'hard' watches a force that the motion does not determine: 'pin -1', 'pin 0'"
    ):
        zm.simulate(system, system.start(), until=1.0, events=hard)
    together = zm.Event("half", sum(pin.force[2] for pin in pins) - 4.5 * 9.81)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = zm.simulate(system, system.start(), until=1.0, events=together)
    assert run.t[-1] == pytest.approx(0.5, abs=1e-12)
