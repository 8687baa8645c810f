"""Motions outside Python over switches of masses and constraints: impulses, other pivots, and what is no motion."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.node import MISSING, node, over_switches
from zeromass.compile.program import Program
from zeromass.expression import Symbol
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.settings import Settings

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}

Case = tuple[zm.System, zm.State, float, tuple[Symbol, ...], list[dict[str, float]]]

bend, end, place = zm.parameter("bend", 0.5), zm.parameter("end", 0.8), zm.parameter("place", -0.6)


def wire() -> Case:
    """A bead on a wire that is bent at x = 0: it takes an impulse there; its start is on either side."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=2 * y, constraints={"wire": y - bend * np.abs(x) - 0.1 * x**2})
    start = system.start({x: place, zm.rate(x): 0.3}, guess={y: 0.3})
    return system, start, 3.0, (bend, place), [{}, {"bend": 0.2}, {"place": 0.7, "bend": 0.2}]


def drive() -> Case:
    """A spring on a carriage that turns at a time on a slider, by an impulse of its drive."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=8 * (y - x) ** 2, constraints={"drive": x - np.abs(zm.t - end)})
    return system, system.start({y: 1.0, zm.rate(y): -1.0}), 2.0, (end,), [{}, {"end": 0.3}, {"end": 1.7}]


def corner() -> Case:
    """A bead on a wire like an L, min(x, y) = 0: what is constrained before the corner is free behind it."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=y - bend * x, constraints={"wire": np.minimum(x, y)})
    start = system.start({y: 0.4, zm.rate(y): 0.0}, guess={x: 0.0})
    return system, start, 2.0, (bend,), [{}, {"bend": 1.5}]


def growing() -> Case:
    """A mass that grows from a moment on, without a jump, and a pull of a mass matrix that switches as it is given."""
    x, y = zm.coordinates("x y")
    M = np.array([[1 + end * np.maximum(zm.t - 0.5, 0), 0], [0, zm.where(zm.t < 1.2, 2.0, 3.0)]])
    system = zm.System(M=M, Q=[-4 * x, 1.0 - y], coordinates=[x, y])
    return system, system.start({x: 1.0, y: 0.5, zm.rate(y): 1.0}), 2.5, (end,), [{}, {"end": 3.0}]


def ground() -> Case:
    """A ball on ground that is bent more strongly behind a line."""
    hill = zm.Surface(lambda X, Y, Z: Z - zm.where(X < 0, 0.02 * X**3, 0.05 * X**3) - 0.01 * Y**2)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=hill)
    return ball, ball.start(contact=(-0.5, 0.1), velocity=(end, 0.2)), 1.0, (end,), [{}, {"end": 1.2}]


CASES: dict[str, Callable[[], Case]] = {
    "corner": corner,
    "drive": drive,
    "wire": wire,
    "growing": growing,
    "ground": ground,
}


def pieced(system: zm.System, start: zm.State, until: float, sliders: tuple[Symbol, ...]) -> Pieced:
    outputs = (*system.coordinates, *system.rates)
    return Pieced(start, tuple(system.events), outputs, until, Settings(method="dop853", **TIGHT), sliders)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[[str], tuple[Case, np.ndarray, list[dict[str, Any]]]]:
    @cache
    def answers(name: str) -> tuple[Case, np.ndarray, list[dict[str, Any]]]:
        system, start, until, sliders, tries = each = CASES[name]()
        times = np.linspace(0.0, until, 101)
        tasks = [{"values": x, "until": until, **TIGHT, "times": times.tolist()} for x in tries]
        return each, times, over_switches(pieced(system, start, until, sliders), tasks, tmp_path_factory.mktemp(name))

    return answers


@pytest.mark.parametrize("name", few(CASES))
def test_motions_and_impulses_are_those_of_python(name, made):
    """States within 1e-9, before impulses and after them, and switches within 1e-11 s."""
    (system, start, until, _, tries), times, found = made(name)
    for values, there in zip(tries, found, strict=True):
        run = zm.simulate(system, start.again(values), until=until, method="dop853", **TIGHT)
        assert there["ending"] == run.outcome.ending.name == "FINISHED", there
        apart = np.abs(times[:, None] - [s.t for s in run.switches]).min(axis=1, initial=1.0) > 1e-9
        off = there["samples"].reshape(len(times), -1) - run.at(times).y
        assert np.abs(off[apart]).max() <= 1e-9
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
        assert [(said, way) for _, said, way in there["switches"]] == [
            (f"'{s.expression!r}'", s.direction) for s in run.switches
        ]
        late = np.array([t for t, _, _ in there["switches"]]) - [s.t for s in run.switches]
        assert np.abs(late).max(initial=0.0) <= 1e-11
    assert run.switches


JUMPS: dict[str, Callable[[Symbol], dict[str, Any]]] = {
    "constraint": lambda x: {
        "kinetic": zm.rate(x) ** 2 / 2,
        "constraints": {"drive": x - zm.where(zm.t < 1, 0.0, 0.25)},
    },
    "mass": lambda x: {"kinetic": zm.where(x < 0.5, 1.0, 2.0) * zm.rate(x) ** 2 / 2, "potential": -x},
}


@pytest.mark.parametrize("name", few(JUMPS, 0))
def test_what_is_no_motion_ends_with_the_words_of_python(name, tmp_path):
    x = zm.coordinate("x")
    system = zm.System(coordinates=[x], **JUMPS[name](x))
    start = system.start()
    (there,) = over_switches(pieced(system, start, 2.0, ()), [{"values": {}, "until": 2.0, **TIGHT}], tmp_path)
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        run = zm.simulate(system, start, until=2.0, method="dop853", **TIGHT)
    assert there["ending"] == run.outcome.ending.name == "JUMP"
    assert there["t"] == pytest.approx(run.outcome.t, abs=1e-11)
    assert there["message"] == run.outcome.message


@pytest.mark.slow
def test_a_bead_that_comes_to_rest_in_a_bend_does_not_fall_through(tmp_path):
    """Its impulses come faster and faster, until rounding hides the last of them: both say so, and keep the wire."""
    system, start, _, sliders, _ = wire()
    values = {"place": 0.7, "bend": 0.8}
    (there,) = over_switches(pieced(system, start, 3.0, sliders), [{"values": values, "until": 3.0, **TIGHT}], tmp_path)
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        run = zm.simulate(system, start.again(values), until=3.0, method="dop853", **TIGHT)
    assert there["ending"] == run.outcome.ending.name == "CHATTERING"
    assert there["t"] == pytest.approx(run.outcome.t, abs=1e-9)
    for y in (there["end"], run.y[-1]):
        assert np.abs(y[:2]).max() < 1e-12


class OneModuleForEachSide(Pieced):
    """A motion whose modules are good for one side of its constraints each, as where pivots are others."""

    def variants(self) -> list[tuple[Program, list[list[float]]]]:
        ((program, sides),) = super().variants()
        return [(program, [side]) for side in sides]


def test_a_motion_goes_from_one_module_to_another(tmp_path):
    """What is held fixed changes three times, with impulses: end, switches and samples are those of one module."""
    x, y = zm.coordinates("x y")
    v, w = zm.rate(x), zm.rate(y)
    held = {"one of both": zm.where(np.sin(3 * zm.t) > 0, v, w)}
    system = zm.System(kinetic=(v**2 + w**2) / 2, potential=5 * x**2 + 3 * y**2 + x * y, constraints=held)
    start, settings = system.start({x: 1.0, y: 0.5, w: 0.3}), Settings(method="dop853", **TIGHT)
    task = {"values": {}, "until": 4.0, **TIGHT, "times": np.linspace(0.0, 4.0, 41).tolist()}
    found = []
    for kind in (Pieced, OneModuleForEachSide):
        motion = kind(start, (), (x, y, v, w), 4.0, settings)
        found.append(over_switches(motion, [task], tmp_path)[0])
    one, several = found
    assert len(motion.variants()) == 2
    assert one["ending"] == several["ending"] == "FINISHED"
    assert len(one["switches"]) == 3
    assert one["switches"] == several["switches"]
    np.testing.assert_array_equal(one["end"], several["end"])
    np.testing.assert_array_equal(one["samples"], several["samples"])


def test_all_constraints_that_jump_are_named(tmp_path):
    """Two drives that jump at the same moment, by different lengths: a page says so in the words of Python."""
    x, y = zm.coordinates("x y")
    jump = zm.where(zm.t < 1.0, 0.0, 1.0)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        constraints={"first": x - 0.25 * jump, "second": y + 0.5 * jump},
    )
    motion = pieced(system, system.start(), 2.0, ())
    (found,) = over_switches(motion, [{"values": {}, "until": 2.0, **TIGHT}], tmp_path)
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(), until=2.0, method="dop853", **TIGHT)
    assert found["ending"] == "JUMP"
    assert "'first' by -0.25, 'second' by 0.5 jumps" in run.outcome.message
    assert found["message"] == run.outcome.message


def test_impulses_need_no_projection(tmp_path):
    """The bead on the bent wire, whose steps are not projected onto it: the impulse at the bend is found all the same."""
    system, start, until, _, _ = wire()
    settings = Settings(method="dop853", project=False, **TIGHT)
    motion = Pieced(start, tuple(system.events), (*system.coordinates, *system.rates), until, settings, ())
    (found,) = over_switches(motion, [{"values": {}, "until": until, **TIGHT}], tmp_path)
    run = zm.simulate(system, start, until=until, method="dop853", project=False, **TIGHT)
    assert run.impulses
    np.testing.assert_allclose(found["end"], run.y[-1], rtol=0, atol=1e-9)
