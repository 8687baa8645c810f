"""Motions over switches outside Python: the driver of pages, in Node, beside `simulate` and beside theory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.node import MISSING, node, over_switches, said
from integrate.references.random_systems import case
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT = {"rtol": 1e-13, "atol": 1e-16}

F, T, ω = zm.parameter("F", 0.5), zm.parameter("T", 1.2), zm.parameter("omega", 1.0)
x, y = zm.coordinates("x y")
v, w = zm.rate(x), zm.rate(y)

Case = tuple[zm.System, zm.State, float, tuple[Any, ...], list[dict[str, float]]]


def pieced(system: zm.System, start: zm.State, until: float, sliders: Any = (), **settings: float) -> Pieced:
    outputs = (*system.coordinates, *system.rates)
    told = Settings(**{**TIGHT, **settings}, method="dop853")
    return Pieced(start, tuple(system.events), outputs, until, told, tuple(sliders))


def friction() -> Case:
    """A block on a spring with dry friction; it may not even begin to move."""
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -F * np.sign(v)})
    return system, system.start({x: 1.0}), 6.0, (F,), [{}, {"F": 2.1}, {"F": 12.0}]


def timed() -> Case:
    """A wall that only pushes, a push that ends, waves of a sign, and stairs of time: their times are on sliders."""
    push = zm.where(zm.t < T, 2.0, 0.0) + np.sign(np.cos(ω * zm.t + 0.3)) + 0.1 * np.floor(1.7 * ω * zm.t)
    system = zm.System(kinetic=v**2 / 2, potential=20 * np.maximum(x - 1, 0) ** 2, forces={x: push - x - 0.3 * v})
    return system, system.start({x: 0.0}), 6.0, (T, ω), [{}, {"T": 2.3, "omega": 1.9}]


def belts() -> Case:
    """Two blocks that stick to a belt and to the floor, both, one or none at a time."""
    system = zm.System(
        kinetic=v**2 / 2 + w**2,
        potential=5 * x**2 + 3 * (x - y) ** 2,
        forces={x: -F * np.sign(v - ω * np.cos(zm.t)), y: -0.3 * np.sign(w)},
    )
    return system, system.start({x: 1.0, y: 0.2}), 6.0, (F, ω), [{}, {"F": 2.1}, {"omega": 0.0}]


def nested() -> Case:
    """Friction that grows with a deflection beyond a gap, and a spring that yields: switches inside others."""
    beyond = np.maximum(np.abs(x) - 0.3, 0)
    yields = np.maximum(np.minimum(-4 * x, 1.0), -1.0)
    system = zm.System(kinetic=v**2 / 2, forces={x: yields - F * beyond * np.sign(v)})
    return system, system.start({x: 1.0}), 8.0, (F,), [{}, {"F": 0.1}]


def rubbed() -> Case:
    """A bead on a bent wire with friction μ |N|: N is unknown beforehand."""
    bead = zm.Particle("bead", mass=0.7)
    X, Y, Z = bead.position
    given: dict[str, Any] = {"gravity": 9.81, "constraints": {"wire": Z - 0.2 * X**2, "plane": Y}}
    along = np.array([1, 0, 0.4 * X]) / (1 + 0.16 * X**2) ** 0.5
    N = zm.System([bead], **given).multipliers[0]
    force = zm.Force(-0.3 * F * abs(N) * np.sign(along @ bead.velocity) * along, at=bead.position)
    system = zm.System([bead], nonideal=force, **given)
    return system, system.start({X: 1.0, zm.rate(X): 0.0}), 4.0, (F,), [{}, {"F": 0.05}]


def touching() -> Case:
    """A block that comes to rest, and is pulled by as much as friction gives, by less, and by a little more."""
    system = zm.System(kinetic=v**2 / 2, forces={x: 2 * F * np.sin(ω * zm.t) - np.sign(v)})
    return system, system.start({x: 0.0, v: 0.2}), 10.0, (F, ω), [{}, {"F": 0.49}, {"F": 0.5 + 1e-6}, {"omega": 40.0}]


CASES = {"friction": friction, "touching": touching, "timed": timed, "belts": belts, "nested": nested, "rubbed": rubbed}


Answer = tuple[Case, np.ndarray, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[[str], Answer]:
    """What the driver makes of a case, once."""

    @cache
    def answers(name: str) -> Answer:
        system, start, until, sliders, tries = each = CASES[name]()
        times = np.linspace(0.0, until, 101)
        tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
        found = over_switches(pieced(system, start, until, sliders), tasks, tmp_path_factory.mktemp(name))
        return each, times, found

    return answers


@pytest.mark.parametrize("name", few(CASES, 2))
def test_motions_and_switches_are_those_of_python(name, made):
    """States within 1e-9 and switches within 1e-12 s, at rtol 1e-13: the same steps but for rounding in the control."""
    (system, start, until, _, tries), times, found = made(name)
    for values, there in zip(tries, found, strict=True):
        run = zm.simulate(system, start.again(values), until=until, method="dop853", **TIGHT)
        assert there["ending"] == run.outcome.ending.name == "FINISHED"
        assert np.abs(there["samples"].reshape(len(times), -1) - run.at(times).y).max() <= 1e-9
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
        expected = [(said(run, s), s.direction) for s in run.switches]
        assert [(said, way) for _, said, way in there["switches"]] == expected
        off = np.array([t for t, _, _ in there["switches"]]) - [s.t for s in run.switches]
        assert np.abs(off).max(initial=0.0) <= 1e-12


def test_a_block_comes_to_rest_as_theory_says(made):
    """Half swings of π/√(k/m) from x to −x ∓ 2F/k, until the spring is weaker than the friction."""
    (_, _, until, _, _), _, found = made("friction")
    for f, there in zip((0.5, 2.1, 12.0), found, strict=True):
        place, times = 1.0, []
        while 10 * abs(place) > f and (len(times) + 1) * np.pi / np.sqrt(10) < until:
            place = -place + 2 * f / 10 * np.sign(place)
            times.append((len(times) + 1) * np.pi / np.sqrt(10))
        assert np.abs(np.array([t for t, _, _ in there["switches"]]) - times).max(initial=0.0) < 1e-12
        if 10 * abs(place) <= f:
            assert there["end"] == pytest.approx([place, 0.0], abs=1e-12)
            assert all(way == 0 for _, _, way in there["switches"][-1:])  # it holds


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2, 3, 6, 12, 15, 26, 32, 36])
def test_random_systems_are_as_in_python(seed, tmp_path):
    """Chains, drives, frames with switches of all kinds: the same switches, and states within 1e-10 of their size."""
    each = case(seed)
    start, times = each.start(), np.linspace(0.0, each.until, 101)
    task = {"values": {}, "until": each.until, **TIGHT, "times": times.tolist()}
    (there,) = over_switches(pieced(each.system, start, each.until), [task], tmp_path)
    run = zm.simulate(each.system, start, until=each.until, method="dop853", **TIGHT)
    assert there["ending"] == run.outcome.ending.name == "FINISHED"
    assert [way for _, _, way in there["switches"]] == [s.direction for s in run.switches]
    size = max(1.0, np.abs(run.y).max())
    assert np.abs(there["samples"].reshape(len(times), -1) - run.at(times).y).max() <= 1e-10 * size


def test_outcomes_are_those_of_python(tmp_path):
    """A jump of energy, and two motions from one state, each in the words of Python."""
    system = zm.System(
        kinetic=v**2 / 2 + w**2 / 2,
        potential=zm.where(x > 0, 1.0, 0.0),
        forces={x: F, y: np.sign(y)},
    )
    place = zm.parameter("place", 0.5)
    start, tries = system.start({x: -1.0, y: place}), [{}, {"place": 0.0}]
    tasks = [{"values": values, "until": 9.0, **TIGHT} for values in tries]
    found = over_switches(pieced(system, start, 9.0, (place,)), tasks, tmp_path)
    for values, there, ending in zip(tries, found, ("JUMP", "AMBIGUOUS"), strict=True):
        with pytest.warns(zm.errors.RunStopped):
            run = zm.simulate(system, start.again(values), until=9.0, method="dop853", **TIGHT)
        assert there["ending"] == ending
        assert there["ending"] == run.outcome.ending.name
        assert there["message"] == run.outcome.message
        assert there["t"] == pytest.approx(run.outcome.t, abs=1e-12)


def test_steps_of_a_rate_hold_the_motion_on_one_of_them(tmp_path):
    system = zm.System(kinetic=v**2 / 2, forces={x: -0.5 - np.floor(v)})
    start = system.start({v: 0.9})
    run = zm.simulate(system, start, until=3.0, method="dop853", **TIGHT)
    assert [(round(s.t, 12), s.direction) for s in run.switches] == [(1.8, 0)]
    (there,) = over_switches(pieced(system, start, 3.0), [{"values": {}, "until": 3.0, **TIGHT}], tmp_path)
    assert there["ending"] == "FINISHED"
    np.testing.assert_allclose(there["end"], run.y[-1], rtol=0, atol=1e-12)


def test_what_a_page_can_not_do_is_known_ahead():
    """A slider in a switch of time that is no line, nor a wave of one."""
    pushed = zm.System(kinetic=v**2 / 2, forces={x: zm.where(zm.t**2 < T, 1.0, 0.0)})
    with pytest.raises(zm.errors.ModelError, match=r"T stands in .* a switch of time alone"):
        pieced(pushed, pushed.start({x: 0.0}), 2.0, (T,)).check()
    pieced(pushed, pushed.start({x: 0.0}), 2.0, (F,)).check()


def test_a_long_motion_finds_room(tmp_path):
    """More steps than there is room for at first: the record grows, and nothing of it is lost."""
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -0.05 * np.sign(v)})
    start, times = system.start({x: 1.0}), np.linspace(0.0, 10.0, 101)
    task = {"values": {}, "until": 10.0, **TIGHT, "longest": 1e-3, "times": times.tolist()}
    motion = pieced(system, start, 10.0, longest_step=1e-3)
    (there,) = over_switches(motion, [task], tmp_path)
    run = zm.simulate(system, start, until=10.0, method="dop853", longest_step=1e-3, **TIGHT)
    assert there["steps"] > 10_000
    assert np.abs(there["samples"].reshape(len(times), -1) - run.at(times).y).max() <= 1e-11
    assert len(there["switches"]) == len(run.switches) == 10


def test_events_happen_on_the_way_and_end_motions(tmp_path):
    """A swing about x = −0.001: x − centre falls as cos √10 t, to where x = 0 is passed and to −0.7, where it ends."""
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2 - 0.01 * np.abs(x - 5))
    events = (zm.Event("middle", x, terminal=False), zm.Event("low", x + 0.7, direction=-1))
    settings = Settings(**TIGHT, method="dop853")
    start = system.start({x: 1.0})
    (there,) = over_switches(
        Pieced(start, events, (x,), 5.0, settings), [{"values": {}, "until": 5.0, **TIGHT}], tmp_path
    )
    centre = -0.001  # of the swing, which the constant force moves
    phases = [(0.0 - centre) / (1 - centre), (-0.7 - centre) / (1 - centre)]
    assert there["ending"] == "EVENT"
    assert there["event"]["name"] == "low"
    assert [name for name, _ in there["happened"]] == ["middle", "low"]
    expected = np.arccos(phases) / np.sqrt(10)
    assert [t for _, t in there["happened"]] == pytest.approx(expected.tolist(), abs=1e-12)
    assert there["t"] == there["happened"][-1][1]
