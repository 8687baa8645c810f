"""Members in lanes end with the bits of `simulate`, whatever their number, order and neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import zeromass as zm
from cases import few, spread
from integrate.mechanisms import parallelogram
from zeromass.compile.program import Program
from zeromass.integrate import Settings
from zeromass.study.lanes import Lanes
from zeromass.study.motions import Motions, motions
from zeromass.study.starts import Starts

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped", "ignore::zeromass.errors.RunDoubtful")

Case = tuple[zm.System, list[zm.State], float, Sequence[zm.Event]]


def balls(count: int) -> Case:
    """Eleven constraint rows of rank ten, and two particles of mass zero."""
    random = np.random.default_rng(1)
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2))
    ball = zm.Rolling(zm.bodies.ball(0.09, 1.0), on=bowl)
    start = [
        ball.start(contact=random.uniform(-1, 1, 2), velocity=random.uniform(-1, 1, 2), spin=random.normal())
        for _ in range(count)
    ]
    return ball, start, 4.0, ()


def shells(count: int) -> Case:
    """A surface that moves."""
    random = np.random.default_rng(2)
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    shell = zm.Rolling(zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490)), on=bowl)
    start = [shell.start(contact=random.uniform(-1, 1, 2), velocity=random.uniform(-1, 1, 2)) for _ in range(count)]
    return shell, start, 2.0, ()


def pendula(count: int) -> Case:
    """Rods with a parameter in the model, and an event that does not end the motion."""
    x, y = zm.coordinates("x y")
    length = zm.parameter("length", 1.0)
    rod = zm.System(M=np.eye(2), Q=[0, -9.81], coordinates=[x, y], constraints={"rod": x**2 + y**2 - length**2})
    random = np.random.default_rng(3)
    start = []
    for _ in range(count):
        L, angle = random.uniform(0.5, 2.0), random.uniform(-1.5, 1.5)
        guess = {x: L * np.sin(angle), y: -L * np.cos(angle)}
        start.append(rod.start({x: guess[x]}, parameters={length: L}, guess=guess))
    lowest = zm.Event("lowest", x, terminal=False)
    return rod, start, 5.0, [lowest]


def wheels(count: int) -> Case:
    """A constraint written twice, one coordinate too many, and an event that ends the motion of some of them."""
    theta, y = zm.coordinates("theta y")
    wheel = zm.System(
        kinetic=1.5 * zm.rate(theta) ** 2,
        potential=-9.81 * y,
        constraints={"rolling": y - np.sin(0.3) * theta, "again": 2 * y - 2 * np.sin(0.3) * theta},
    )
    speeds = np.random.default_rng(4).uniform(-3, 3, count)
    start = [wheel.start({theta: 0.0, zm.rate(theta): float(v)}) for v in speeds]
    return wheel, start, 2.0, [zm.Event("end of the incline", theta - 2.0)]


def cranks(count: int) -> Case:
    """A slider-crank: angles of crank and rod, and the slider's place; massless but for crank and slider."""
    a, b, s = zm.coordinates("a b s")
    crank = zm.System(
        kinetic=0.01 * zm.rate(a) ** 2 + 0.2 * zm.rate(s) ** 2,
        constraints={"x": 0.1 * np.cos(a) + 0.3 * np.cos(b) - s, "y": 0.1 * np.sin(a) - 0.3 * np.sin(b)},
    )
    random = np.random.default_rng(5)
    start = []
    for _ in range(count):
        angle, speed = random.uniform(0, 2 * np.pi), random.uniform(5, 30)
        other = float(np.arcsin(np.sin(angle) / 3))
        start.append(crank.start({a: angle, zm.rate(a): speed}, guess={b: other, s: 0.3}))
    return crank, start, 3.0, ()


def cusps(count: int) -> Case:
    """Motions that end in a point without a slope, or do not begin."""
    x = zm.coordinate("x")
    falling = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x))
    places = np.random.default_rng(6).uniform(0.5, 5.0, count)
    return falling, [falling.start({x: float(place)}) for place in places], 4.0, ()


def slipping(count: int) -> Case:
    """Balls on a plane too steep for their friction, some of which roll at first: several segments."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.5), friction=0.12)
    random = np.random.default_rng(7)
    start = [ball.start(contact=random.uniform(-0.6, 0.6, 2)) for _ in range(count)]
    return ball, start, 0.7, ()


def four_bars(count: int) -> Case:
    """Parallelograms: those that are fast enough cross positions where all their rods are in line."""
    system, a, b, c = parallelogram(1.0, 1.0)
    speeds = np.random.default_rng(8).uniform(0.0, 3.0, count)
    start = [system.start({a: 1.0, b: 1.0, c: 0.0, zm.rate(a): -float(v)}) for v in speeds]
    return system, start, 1.5, ()


def pushed(count: int) -> Case:
    """A pulse of time alone, as narrow as its parameter says: it limits the steps of some."""
    x, width = zm.coordinate("x"), zm.parameter("width", 1.0)
    system = zm.System(M=[[1.0]], Q=[np.exp(-(((zm.t - 5.0) / width) ** 2)) - x], coordinates=[x])
    start = [system.start({x: 0.1}, parameters={width: w}) for w in np.geomspace(1e-3, 20.0, count).tolist()]
    return system, start, 10.0, ()


def stopped(count: int) -> Case:
    """Blocks under dry friction: a formula that switches."""
    x = zm.coordinate("x")
    system = zm.System(M=[[1.0]], Q=[-4.0 * x - np.sign(zm.rate(x))], coordinates=[x])
    return system, [system.start({x: float(place)}) for place in np.linspace(0.1, 3.0, count)], 3.0, ()


CASES = {
    case.__name__: case
    for case in (balls, shells, pendula, wheels, cranks, cusps, slipping, four_bars, pushed, stopped)
}
COUNTS = {"balls": 100, "shells": 40, "pendula": 150, "wheels": 150, "cranks": 100, "cusps": 30, "slipping": 12}
COUNTS |= {"four_bars": 16, "pushed": 24, "stopped": 6}


def moved(case: Case, program: Program, width: int | None = None, recording: bool = False) -> Motions:
    system, start, until, watched = case
    settings = Settings(rtol=1e-9, atol=1e-11, method="dop853")
    lanes = Lanes(program, settings, [*system.events, *watched], width)
    return motions(lanes, Starts.of(start), until, watched=watched, recording=recording)


def bits(found: Motions) -> list[tuple[object, ...]]:
    """All that a member ends with."""
    return [
        (
            found.t[k],
            found.y[k].tobytes(),
            str(found.outcome(k)),
            found.steps[k],
            found.rejected[k],
            found.evaluations[k],
            found.growth[k],
            [(event.name, event.t, event.y.tobytes()) for event in found.happened(k)],
        )
        for k in range(len(found))
    ]


@pytest.mark.parametrize("name", spread(CASES, 4))
@pytest.mark.parametrize("recording", few([True, False]))
def test_members_have_the_bits_of_runs_alone(name: str, recording: bool) -> None:
    case = CASES[name](COUNTS[name])
    system, start, until, watched = case
    program = zm.compile(system, start[0])
    found = moved(case, program, recording=recording)
    for k, state in enumerate(start):
        run = zm.simulate(program, state, until=until, rtol=1e-9, atol=1e-11, method="dop853", events=watched)
        cost = run.statistics
        assert found.t[k] == run.t[-1]
        assert np.array_equal(found.y[k], run.y[-1], equal_nan=True)
        assert str(found.outcome(k)) == str(run.outcome)
        assert (found.steps[k], found.rejected[k], found.evaluations[k]) == (
            cost.steps,
            cost.rejected,
            cost.evaluations,
        )
        assert found.growth[k] == cost.growth
        assert [(e.name, e.t, *e.y) for e in found.happened(k)] == [(e.name, e.t, *e.y) for e in run.events]
        if recording:
            whole = found.course(k)
            assert np.array_equal(whole.t, run.t)
            assert np.array_equal(whole.y, run.y)


@pytest.mark.parametrize("name", ["balls", "shells"])
def test_ordinary_members_stay_in_their_lanes(name: str) -> None:
    case = CASES[name](COUNTS[name])
    assert not moved(case, zm.compile(case[0], case[1][0])).courses


def test_members_whose_steps_are_limited_move_alone() -> None:
    """A pulse that is wider than the run bends as much in every step; one that is narrow could be stepped over."""
    case = pushed(24)
    widths = np.array([state.parameters[case[0].parameters[0]] for state in case[1]])
    alone = {*moved(case, zm.compile(case[0], case[1][0])).courses}
    assert {*np.flatnonzero(widths < 0.1).tolist()} <= alone
    assert not alone & {*np.flatnonzero(widths > 10.0).tolist()}


@pytest.mark.parametrize("recording", [False, True])
def test_singular_positions_are_crossed_by_those_that_come_to_them(recording: bool) -> None:
    """As fast as they start, they come to lie flat where their energy lets them: 5 v²/6 + 2 G sin 1 > 0, all of them."""
    case = four_bars(16)
    found = moved(case, zm.compile(case[0], case[1][0]), recording=recording)
    assert all(found.courses[k].passages for k in range(16))


def test_dead_centres_are_no_singular_positions() -> None:
    """The rod's mass vanishes at every half turn, its constraints do not: nobody leaves a lane for it."""
    system, start, until, _ = cranks(40)
    lanes = Lanes(zm.compile(system, start[0]), Settings(method="dop853", rtol=1e-9, atol=1e-12))
    assert lanes.run(*Starts.of(start).arrays, until).ended.all()


@pytest.mark.parametrize("name", ["pendula", "wheels", "cranks"])
def test_lanes_order_and_neighbours_change_nothing(name: str) -> None:
    system, start, until, watched = case = CASES[name](40)
    program = zm.compile(system, start[0])
    expected = bits(moved(case, program))
    for width in (1, 2, 4, 8):
        assert bits(moved(case, program, width)) == expected
    order = np.random.default_rng(0).permutation(len(start))
    mixed = bits(moved((system, [start[k] for k in order], until, watched), program))
    assert [mixed[int(np.flatnonzero(order == k)[0])] for k in range(len(start))] == expected
    for k in (0, 7, 39):
        assert bits(moved((system, [start[k]], until, watched), program)) == [expected[k]]


@pytest.mark.parametrize(
    "options",
    [
        {"project": False},
        {"longest_step": 0.03},
        {"until": -2.0},
        {"limits": zm.Limits(growth=3.0)},
        {"limits": zm.Limits(correction=1e-6)},
        {"rtol": 1e-4, "atol": 1e-4},
        {"rtol": 1e-13, "atol": 1e-15},
        {"transitions": False},
        {"longest_step": 2e-4, "limits": zm.Limits(stalled=0.9)},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", few(["pendula", "cranks", "balls"]))
def test_every_setting_is_that_of_simulate(name: str, options: dict) -> None:
    system, start, until, watched = CASES[name](8)
    program = zm.compile(system, start[0])
    options = {"rtol": 1e-9, "atol": 1e-11, "until": until / 2, **options}
    until = options.pop("until")
    settings = Settings(method="dop853", **options)
    lanes = Lanes(program, settings, [*system.events, *watched])
    found = motions(lanes, Starts.of(start), until, watched=watched)
    for k, state in enumerate(start):
        run = zm.simulate(program, state, until=until, events=watched, **settings)
        cost = run.statistics
        assert np.array_equal(found.y[k], run.y[-1])
        assert str(found.outcome(k)) == str(run.outcome)
        assert (found.steps[k], found.rejected[k], found.evaluations[k]) == (
            cost.steps,
            cost.rejected,
            cost.evaluations,
        )
        assert [(e.name, e.t, *e.y) for e in found.happened(k)] == [(e.name, e.t, *e.y) for e in run.events]


@pytest.mark.parametrize("first", [0.0, 1.0])
@pytest.mark.parametrize("project", [True, False])
@pytest.mark.parametrize("power", [1, 3])
def test_a_member_of_another_rank_has_its_own_program(first: float, project: bool, power: int) -> None:
    """x = 0 and x + p y = 0 say the same at p = 0 alone, but at rest every acceleration of t = 0 satisfies both.

    Cubed rates make the second row one that is not linear in them.
    """
    x, y = zm.coordinates("x y")
    p = zm.parameter("p", first)
    second = x + p * y if power == 1 else zm.rate(x) + p * (zm.rate(y) + zm.rate(y) ** 3)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        forces={y: np.sin(zm.t)},
        constraints={"first": x, "second": second},
    )
    values = [first, 0.0, 1.0, 1e-3, 1e-6, 1e-9, -1.0]
    start = [system.start({x: 0.0, y: 0.0, zm.rate(x): 0.0, zm.rate(y): 0.0}, parameters={p: v}) for v in values]
    settings = Settings(method="dop853", rtol=1e-9, atol=1e-12, project=project)
    found = motions(Lanes(zm.compile(system, start[0]), settings), Starts.of(start), 1.0)
    for k, state in enumerate(start):
        alone = zm.simulate(system, state, until=1.0, **settings)
        assert str(found.outcome(k)) == str(alone.outcome)
        assert np.array_equal(found.y[k], alone.y[-1])
        assert np.isclose(found.y[k, 1], 0.0 if values[k] else 1 - np.sin(1.0), rtol=0, atol=1e-9)


def test_starts_that_simulate_refuses_are_refused() -> None:
    """Redundant rows that contradict one another by more than 1e-9 of their terms, and a coordinate that nothing holds."""
    x, y = zm.coordinates("x y")
    q = zm.parameter("q", 0.0)
    contradicting = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        constraints={"once": x - 0.1 * zm.t**2, "again": 2 * x - (0.2 + q) * zm.t**2},
    )
    let_go = zm.System(kinetic=zm.rate(x) ** 2 / 2, constraints={"held": (1 - q) * (y - x)}, coordinates=[x, y])
    for system, ending in ((contradicting, "inconsistent"), (let_go, "non-unique")):
        good = system.start({x: 0.0, y: 0.0})
        values = (0.0, 1.0, 0.0, 1.0)
        start = [zm.State(system, 0.0, good.q, good.v, {q: value}) for value in values]
        found = motions(Lanes(zm.compile(system, good), Settings(method="dop853")), Starts.of(start), 1.0)
        assert [found.outcome(k).ending.value for k in range(4)] == ["finished", ending, "finished", ending]
