"""Starts in singular positions go on where their rates tell the branch, or are refused by name, as constraints without a
gradient are; redundant ones are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from integrate.mechanisms import G, four_bar_rods, four_bar_tips, u
from integrate.test_campaign import pendulum
from zeromass.integrate.outcome import at_start


def refused(system: zm.System, start: zm.State, *words: str) -> None:
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, start, until=5.0)
    assert run.outcome.ending == "singular branch"
    assert len(run) == 1
    for word in words:
        assert word in run.outcome.message


SQUARES = {
    "x**2": lambda x, y: x**2,
    "x*x": lambda x, y: x * x - 0,
    "(x-y)**2": lambda x, y: (x - y) ** 2,
    "of two": lambda x, y: x**2 + y**2,
    "minus": lambda x, y: -(x**2),
}


@pytest.mark.parametrize("name", SQUARES)
@pytest.mark.parametrize("place", [0.0, 1e-17, 1e-9])
def test_a_constraint_without_a_gradient(name, place):
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=9.81 * (x + 2 * y), constraints={"wall": SQUARES[name](x, y)})
    start = zm.State(system, 0.0, np.array([place, 0.0]), np.zeros(2), {})
    refused(system, start, "wall", "x instead of x**2")


def test_a_row_that_says_nothing_is_none():
    """(x + y)² = x² + 2xy + y² holds as it is."""
    x, y = zm.coordinates("x y")
    nothing = (x + y) ** 2 - x**2 - 2 * x * y - y**2
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"nothing": nothing, "wall": x - zm.t})
    run = zm.simulate(system, system.start({}), until=1.0)
    assert run.outcome.complete
    assert abs(run[x][-1] - 1) < 1e-12


def test_a_row_that_rests_is_none():
    """An energy that is kept has no gradient at rest, and a pendulum can begin there: it says nothing new."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    rod = {"rod": (x**2 + y**2 - 1) / 2}
    plain = zm.System(kinetic=kinetic, potential=9.81 * y, constraints=rod)
    both = zm.System(kinetic=kinetic, potential=9.81 * y, constraints={**rod, "energy": kinetic + 9.81 * y})
    ends = [zm.simulate(s, s.start({x: 1.0, y: 0.0}), until=0.5).y[-1] for s in (plain, both)]
    assert np.abs(ends[0] - ends[1]).max() <= 1e-8


def flat(speed: float, at: float = 0.0) -> tuple[zm.System, zm.State]:
    a, b, c = zm.coordinates("a b c")
    kinetic = (zm.rate(a) ** 2 + zm.rate(b) ** 2 + zm.rate(c) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"loop": u(a) + u(c) - np.array([1.0, 0.0]) - u(b)})
    q, v = np.array([at, at, 0.0]), np.array([speed, speed, 0.0])
    return system, zm.State(system, 0.0, q, v, {})


METHODS = "collocation", "dop853", "radau"


@pytest.mark.parametrize("rtol", [1e-6, 1e-10, 1e-12])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("at", [0.0, np.pi, 1e-12])
def test_a_parallelogram_that_lies_flat_and_moves(at, method, rtol):
    """Its rates ȧ = ḃ, ċ = 0 tell the branch: without weight the cranks turn at a constant rate, through flat again at π."""
    system, start = flat(-1.0, at)
    run = zm.simulate(system, start, until=5.0, rtol=rtol, atol=rtol / 100, method=method)
    assert run.outcome.complete
    times = np.linspace(0, 5, 501)
    exact = np.stack([at - times, at - times, 0 * times], axis=1)
    assert np.abs(run.at(times)[system.coordinates] - exact).max() <= 10 * rtol
    assert run.passages[0].t == 0.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("speeds", [(-1.0, -1.0, 0.0), (0.0, 1.0, 1.0)])
def test_digits_out_of_a_singular_start_are_earned(speeds, method):
    """The constraints tell no distance in the singular position itself; all that is claimed is there, and most of it."""
    system, start = flat(0.0)
    start = zm.State(system, 0.0, start.q, np.array(speeds), {})
    run = zm.simulate(system, start, until=2.0, rtol=1e-10, atol=1e-11, method=method)
    times = np.linspace(0, 2, 201)
    off = np.abs(run.at(times)[system.coordinates] - np.outer(times, speeds)).max() / 2.0
    assert 7.0 < run.certificate().digits <= -np.log10(off + 1e-16) + 0.5


def test_the_other_branch_by_its_own_rates():
    """One crank stays, and the other turns with the coupler: b = c."""
    system, start = flat(0.0)
    start = zm.State(system, 0.0, start.q, np.array([0.0, 1.0, 1.0]), {})
    run = zm.simulate(system, start, until=2.0)
    times = np.linspace(0, 2, 201)
    assert np.abs(run.at(times)[system.coordinates] - np.outer(times, [0.0, 1.0, 1.0])).max() <= 1e-9


def test_rates_of_no_branch():
    """A v = 0 holds, but both cranks and the coupler can not turn at once."""
    system, start = flat(0.0)
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, zm.State(system, 0.0, start.q, np.array([1.0, 2.0, 1.0]), {}), until=2.0)
    assert run.outcome.ending == "inconsistent"
    assert len(run) == 1


def test_a_parallelogram_that_lies_flat_and_rests():
    refused(*flat(0.0), "loop", "not determined which")


def test_a_parallelogram_of_rods_that_lies_flat():
    """It falls as one pendulum, (2/3 + 1) ä = −2 g cos a."""
    system, _, _ = four_bar_rods((1.0, 1.0, 1.0, 1.0))
    q = np.array([0.5, 0.0, 0.0, 1.5, 0.0, 0.0, 1.5, 0.0, 0.0])
    v = np.array([0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0])
    run = zm.simulate(system, zm.State(system, 0.0, q, v, {}), until=2.0)
    exact = pendulum(5 / 3, 2 * G, [0.0, 1.0], 2.0)
    times = np.linspace(0, 2, 201)
    turns = run.at(times)[system.coordinates[[2, 8]]]
    assert np.abs(turns - exact(times)[0][:, None]).max() <= 1e-8
    refused(system, zm.State(system, 0.0, q, 0 * v, {}), "singular position", "not determined which")


@pytest.mark.parametrize("angle", [0.3, 1e-3])
def test_one_beside_it_begins(angle):
    system, start = flat(1.0, angle)
    run = zm.simulate(system, start, until=0.1)
    assert run.outcome.complete
    assert abs(run.y[-1][0] - angle - 0.1) <= 1e-9


def test_doubled_constraints_begin():
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    rod = (x**2 + y**2 - 1) / 2
    single = zm.System(kinetic=kinetic, potential=9.81 * y, constraints={"rod": rod})
    double = zm.System(kinetic=kinetic, potential=9.81 * y, constraints={"rod": rod, "again": rod * (2 + x)})
    ends = [zm.simulate(s, s.start({x: 1.0, y: 0.0}), until=1.0).y[-1] for s in (single, double)]
    assert np.abs(ends[0] - ends[1]).max() <= 1e-8


def test_a_file_keeps_the_motion_out_of_a_singular_start(tmp_path):
    """Its equations are those beside the start: in it the loop has one row less."""
    system, start = flat(-1.0)
    run = zm.simulate(system, start, until=2.0, rtol=1e-8)
    with warnings.catch_warnings(
        action="ignore", category=zm.errors.FewDigits
    ):  # c is 0 but for rounding, and has no digits
        run.save(tmp_path / "flat.nc")
    again = zm.load(tmp_path / "flat.nc")
    assert again.segments[0].program.rank == run.segments[0].program.rank == 2
    times = np.linspace(0.01, 2, 301)
    for expressions in (np.array(system.coordinates), np.array(system.accelerations), np.array(system.multipliers)):
        assert np.abs(again.at(times)[expressions] - run.at(times)[expressions]).max() <= 1e-9


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("flat", [False, True])
def test_in_units_of_any_size(unit, flat):
    """A parallelogram in its pins, and of rods, is singular where it lies flat, and nowhere else, however long its bars."""
    bars = unit * np.ones(4)
    turn = 0.0 if flat else 1.0
    A, B = unit * u(turn), unit * (u(turn) + np.array([1.0, 0.0]))
    tips, _ = four_bar_tips(bars)
    rods, _, _ = four_bar_rods(bars)
    ground = np.array([unit, 0.0])
    centers = [*(A / 2), turn, *((A + B) / 2), 0.0, *((B + ground) / 2), turn]
    for system, q in ((tips, np.concatenate([A, B])), (rods, np.array(centers))):
        state = zm.State(system, 0.0, q, np.zeros(len(q)), {})
        outcome = at_start(state, 1e-6 * min(unit, 1.0))
        assert (outcome is not None and outcome.ending == "singular branch") if flat else outcome is None


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_out_of_a_singular_start_in_units_of_any_size(unit):
    """A parallelogram that lies flat and moves, of any size: a pendulum that turns faster the smaller it is."""
    system, pins = four_bar_tips(unit * np.ones(4))
    speed = 1 / np.sqrt(unit)
    q, v = unit * np.array([1.0, 0.0, 2.0, 0.0]), unit * speed * np.array([0.0, 1.0, 0.0, 1.0])
    run = zm.simulate(system, zm.State(system, 0.0, q, v, {}), until=2.0 / speed, rtol=1e-9, atol=1e-11 * unit)
    exact = pendulum(5 / 3, 2 * G, [0.0, 1.0], 2.0)
    times = np.linspace(0, 2, 201)
    assert run.outcome.complete
    tip = u(exact(times)[0]).T
    assert len(run.passages) == 1 + np.count_nonzero(np.diff(np.sign(tip[1:, 1])))
    assert np.abs(run.at(times / speed)[pins[:2]] / unit - tip).max() <= 1e-7


@pytest.mark.parametrize("axes", [(0.2, 0.2, 0.2001), (0.2, 0.2, 0.2 + 1e-8)])
@pytest.mark.parametrize("surface", [zm.surfaces.plane(), zm.Surface(lambda X, Y, Z: 2 * Z * (1 + 0.05 * np.sin(X)))])
def test_a_coordinate_that_hardly_matters_makes_no_singular_position(axes, surface):
    """An upright egg that is almost a ball: its rows hardly depend on its turn about the vertical.

    They repeat one another at every state, so that it may begin anywhere.
    """
    egg = zm.Rolling(zm.bodies.ellipsoid(axes, 1.0), on=surface)
    start = egg.start(contact=(0.1, 0.0), velocity=(0.2, 0.1))
    assert at_start(start, 1e-6) is None
