"""Radau's methods: their coefficients, orders, linear systems, step control, and what every stepping method offers."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import Problem, kepler, oscillator, pendulum, sleigh, top, wire
from model.mechanisms import relative
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.native import Native
from zeromass.compile.program import program_at
from zeromass.expression import jacobian
from zeromass.integrate.exact import inverse
from zeromass.integrate.methods.radau.coefficients import coefficients
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.methods.radau.stepper import Radau
from zeromass.integrate.stepping import loop
from zeromass.integrate.stepping.dense import DenseOutput
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event

ORDERS = 5, 9, 13


def stepper(p: Problem, *, project: bool = True, orders: tuple[int, ...] = ORDERS, **tolerances: float) -> Radau:
    """The method at the start of a problem."""
    native = program_at(p.system, p.start).native
    y = np.concatenate([p.start.q, p.start.v])
    allowed = Tolerances(**{"rtol": 1e-10, "atol": 1e-12, **tolerances})
    work = Workspace(native, p.start.t, y, np.zeros(0), allowed, 1e-3)
    work.use(native, project=project)
    return Radau(work, orders)


def dense(p: Problem, radau: Radau) -> DenseOutput:
    work, y0 = radau.work, np.concatenate([p.start.q, p.start.v])
    return DenseOutput(np.append(p.start.t, work.times), np.concatenate([y0[None], work.states]), radau.polynomials)


def errors(p: Problem, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Largest error in what is compared, at each of some times and states."""
    values = LaneFunction(p.quantity, [zm.t, *p.system.coordinates, *p.system.rates])
    wrong = np.abs(values(np.concatenate([t[:, None], y], axis=1)) - p.solution(t))
    return wrong.reshape(len(t), -1).max(axis=1)


def slope(sizes: np.ndarray, values: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


# coefficients and linear systems ---------------------------------------------------------------------------------


def test_the_method_of_order_5():
    """Radau IIA with three stages [HW1996, table IV.5.6]."""
    w = np.sqrt(6)
    A = [
        [(88 - 7 * w) / 360, (296 - 169 * w) / 1800, (-2 + 3 * w) / 225],
        [(296 + 169 * w) / 1800, (88 + 7 * w) / 360, (-2 - 3 * w) / 225],
        [(16 - w) / 36, (16 + w) / 36, 1 / 9],
    ]
    method = coefficients(5)
    assert np.allclose(method.c, [(4 - w) / 10, (4 + w) / 10, 1], rtol=0, atol=1e-15)
    assert np.allclose(np.linalg.inv(method.slope[1:]), A, rtol=0, atol=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_order_conditions(order):
    """B(2s − 1) and C(s) [HW1996, §IV.5]: quadrature is exact to degree 2s − 2, stages to degree s − 1."""
    method = coefficients(order)
    A, c = inverse(method.slope[1:]), method.c  # whose own rounding is none
    for k in range(1, order + 1):
        assert abs(A[-1] @ c ** (k - 1) - 1 / k) <= 2.5e-16
    for k in range(1, method.stages + 1):
        assert np.max(np.abs(A @ c ** (k - 1) - c**k / k)) <= 2.5e-16
        assert np.max(np.abs(method.slope[1:] @ c**k - k * c ** (k - 1))) <= 1e-12  # entries of up to 60
    assert abs(A[-1] @ c**order - 1 / (order + 1)) > 1e-9  # and no further


@pytest.mark.parametrize("order", ORDERS)
def test_the_basis_continues_polynomials(order):
    method = coefficients(order)
    θ = np.linspace(-0.5, 2.0, 11)
    for k in range(1, method.stages + 1):
        assert relative(method.basis(θ) @ method.c**k, θ**k) <= 1e-11  # of basis functions of up to 2·10⁴


def rod_with_friction() -> tuple[zm.System, zm.State]:
    """A bob on a rod whose force does work, and a row too many."""
    bob = zm.Particle("bob", mass=1.3)
    x, y, z = bob.position
    rows = {"rod": (x**2 + y**2 - 1) / 2, "plane": z, "rod again": x * zm.rate(x) + y * zm.rate(y)}
    system = zm.System([bob], gravity=(0, -9.81, 0), constraints=rows, nonideal={x: -0.3 * zm.rate(x) * zm.rate(y)})
    return system, system.start([(bob.position, (0.6, -0.8, 0)), (bob.velocity, (0.4, 0.3, 0))])


@pytest.mark.parametrize("case", ["kepler", "wire", "top", "sleigh", "rod"])
def test_the_jacobian_is_the_derivative_of_the_acceleration(case):
    """Against the derivative of the solved acceleration, and against central differences off the constraints."""
    if case == "rod":
        system, start = rod_with_friction()
    else:
        p = {"kepler": kepler, "wire": wire, "top": top, "sleigh": sleigh}[case]()
        system, start = p.system, p.start
    program = program_at(system, start)
    random = np.random.default_rng(0)
    inputs = start.inputs + np.where(np.arange(len(start.inputs)), 0.01 * random.normal(size=len(start.inputs)), 0.0)
    J = program.native.jacobian(inputs)
    solved = LaneFunction(jacobian(program.acceleration, [*system.coordinates, *system.rates]), list(system.inputs))(
        inputs
    )
    size = max(np.abs(solved).max(), 1.0)
    assert np.max(np.abs(J - solved)) <= 1e-12 * size
    m = 2 * len(system.coordinates)
    step = 1e-5 * np.eye(m)
    ahead, behind = (inputs + sign * np.pad(step, ((0, 0), (1, len(inputs) - m - 1))) for sign in (1, -1))
    differences = (program.native.accelerations(ahead) - program.native.accelerations(behind)).T / 2e-5
    assert np.max(np.abs(J - differences)) <= 1e-7 * size  # step² times third derivatives


def test_slopes_are_those_of_the_machine_code():
    p = top()
    radau = stepper(p)
    radau.work.growth_limit = 0.5  # it stops before the first step
    assert radau.advance(p.until, 1) is Status.PIVOTS
    y, slope = np.concatenate([p.start.q, p.start.v]), radau.memory.array(Slot.slope)
    assert np.array_equal(slope[:7], y[7:])
    assert np.array_equal(slope[7:14], program_at(p.system, p.start).native.accelerations(p.start.inputs))
    assert radau.work.evaluations == 1


# order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "project", "counts"),
    [
        (oscillator, False, (80, 120, 160, 200)),
        (wire, True, (30, 40, 60, 80)),
        (wire, False, (30, 40, 60, 80)),
        (top, True, (120, 160, 200, 240)),
        (top, False, (120, 160, 200, 240)),
        (sleigh, True, (160, 240, 320, 400)),
    ],
)
def test_order_of_fixed_steps(problem, project, counts):
    """Order 5 at the ends of steps, to 0.1, whatever the tolerances: they say only when an iteration has converged."""
    p = problem()
    h = p.until / np.array(counts)
    tight = {"rtol": 1e-13, "atol": 1e-15}
    found = [p.errors(p.run(method="radau", step=step, project=project, **tight))[-1] for step in h]
    assert min(found) > 1e-12
    assert abs(slope(h, found) - 5) <= 0.1


@pytest.mark.parametrize(("order", "counts"), [(9, (16, 20, 24, 32)), (13, (6, 7, 8, 10, 12))])
def test_higher_orders(order, counts):
    """Half an orbit; of order 13 the steps are long, for the errors are within a thousand of rounding at once."""
    p = kepler()
    found = []
    h = np.pi / np.array(counts)
    for step in h:
        radau = stepper(p, orders=(order,), rtol=1e-14, atol=1e-15, step=step)
        assert radau.advance(np.pi, 1000) is Status.FINISHED
        found.append(errors(p, radau.work.times[-1:], radau.work.states[-1:])[0])
    assert abs(slope(h, found) - order) <= (0.1 if order == 9 else 0.2)


@pytest.mark.parametrize(("problem", "order"), [(kepler, 5), (kepler, 9), (top, 5), (top, 9), (top, 13)])
def test_order_between_steps(problem, order):
    """Within one step from an exact state the error falls as h^(s + 1) [HNW1993, theorem II.7.9]."""
    p, s = problem(), (order + 1) // 2
    h = np.array([0.06, 0.07, 0.08, 0.1]) if order < 13 else np.array([0.12, 0.15, 0.18])
    inside = []
    for step in h:
        radau = stepper(p, orders=(order,), rtol=1e-14, atol=1e-15, step=step)
        assert radau.advance(step, 10) is Status.FINISHED
        assert radau.work.steps == 1
        θ = np.linspace(0.05, 0.95, 19)
        inside.append(errors(p, θ * step, dense(p, radau)(θ * step)).max())
    assert abs(slope(h, inside) - (s + 1)) <= 0.15


# step control ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "factor"), [(oscillator, 2), (kepler, 4), (top, 8), (wire, 60), (sleigh, 3)])
def test_errors_follow_the_tolerance(problem, factor):
    """At the ends of steps and between them; `factor` is three times what was measured, mostly at the loosest."""
    p = problem()
    times = np.linspace(0.0, p.until, 501)
    for rtol in 10.0 ** -np.arange(4, 13, 2):
        run = p.run(method="radau", rtol=rtol, atol=rtol)
        assert max(p.errors(run).max(), p.errors(run, times).max()) <= factor * rtol


def test_the_order_follows_the_tolerance():
    """Ten times the accuracy costs 10^(1/8) = 1.33 times the steps of order 13, whose error estimate is of order 7."""
    p = top()
    tolerances = 10.0 ** -np.arange(9, 13)
    steps = [p.run(method="radau", rtol=rtol, atol=rtol).statistics.steps for rtol in tolerances]
    assert abs(slope(tolerances, steps) + 1 / 8) <= 0.05
    radau = stepper(p, rtol=1e-12, atol=1e-12)
    radau.advance(p.until, 1000)
    orders = radau.orders.tolist()
    assert orders == sorted(orders)
    assert orders[-1] == 13


def test_jacobians_are_used_again():
    p = oscillator()
    radau = stepper(p, rtol=1e-9, atol=1e-9)
    radau.advance(p.until, 1000)
    assert radau.jacobians == 1  # of a linear system one is enough
    assert radau.work.evaluations < 20 * radau.work.steps


def test_steps_follow_the_motion():
    p = kepler(e=0.9)
    run = p.run(method="radau", rtol=1e-10, atol=1e-12)
    h, middle = np.diff(run.t), (run.t[1:] + run.t[:-1]) / 2
    assert abs(middle[np.argmax(h)] / p.until - 0.5) < 0.15
    assert h[middle > 0.99 * p.until][:-1].max() < 0.05 * h.max()


@pytest.mark.parametrize("longest", [0.05, 0.2])
def test_the_longest_step(longest):
    run = oscillator().run(method="radau", until=3.0, longest_step=longest)
    assert np.diff(run.t).max() <= longest * (1 + 1e-6)


def test_there_and_back():
    """Backward from the end of an orbit to its start; errors of both ways add up."""
    p = kepler()
    run = p.run(method="radau", rtol=1e-11, atol=1e-13)
    back = zm.simulate(p.system, run.state(p.until), until=0.0, method="radau", rtol=1e-11, atol=1e-13)
    assert back.t[-1] == 0
    assert np.max(np.abs(back.y[-1] - run.y[0])) <= 1e-9  # an orbit magnifies errors by 6π or so
    t = np.linspace(0.1, 6.0, 50)
    assert np.max(np.abs(back.at(t).y - run.at(t).y)) <= 1e-9


# constraints -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [wire, top, sleigh])
def test_projection(problem):
    """At the ends of steps the constraints hold to rounding; without projection they drift by about the tolerance."""
    p = problem()
    position = np.array([row.zero for row in p.system.rows if row.level == 0] or [zm.t * 0])
    kept, loose = (p.run(method="radau", rtol=1e-8, atol=1e-8, project=project) for project in (True, False))
    size = max(1.0, np.abs(kept.y).max())
    for zeros in (position, p.system.velocity_constraints):
        assert np.max(np.abs(kept[zeros])) <= 1e-14 * size**2
    drift = np.max(np.abs(loose[p.system.velocity_constraints]))
    assert 1e-13 < drift < 1e-5 * size


def test_a_row_too_many():
    system, start = rod_with_friction()
    both = [zm.simulate(system, start, until=2.0, method=method, rtol=1e-11) for method in ("dop853", "radau")]
    assert both[1].outcome.complete
    assert np.max(np.abs(both[0].y[-1] - both[1].y[-1])) <= 1e-8


# events, pauses, pivots ------------------------------------------------------------------------------------------


def test_events():
    """x = cos t: zeros at π/2 + kπ, falling at the even ones."""
    p = oscillator()
    x = p.system.coordinates[0]
    watched = [Event("either", x, 0, False), Event("falling", x, -1, False), Event("rising", x, 1, False)]
    run = p.run(method="radau", rtol=1e-12, atol=1e-13, events=watched)
    expected = np.pi / 2 + np.pi * np.arange(6)
    for name, times in (("either", expected), ("falling", expected[::2]), ("rising", expected[1::2])):
        found = np.array([event.t for event in run.events if event.name == name])
        assert np.allclose(found, times, rtol=0, atol=1e-10)
    back = zm.simulate(p.system, run.state(20.0), until=0.0, method="radau", events=Event("rising", x, 1, False))
    # backward in time it rises where it falls forward
    assert np.allclose([event.t for event in back.events], expected[::2][::-1], rtol=0, atol=1e-8)


def test_two_zeros_in_one_step():
    """x = cos t is above 0.99 for 0.28 s in every turn, within a step: zeros at 2πk ± arccos 0.99 are all found."""
    p = oscillator()
    x = p.system.coordinates[0]
    run = p.run(method="radau", rtol=1e-10, atol=1e-10, events=Event("high", x - 0.99, 0, False))
    expected = np.sort([2 * np.pi * k + side * np.arccos(0.99) for k in range(4) for side in (-1, 1)])
    expected = expected[(expected > 0) & (expected < p.until)]
    assert any(np.sum((a < expected) & (expected < b)) == 2 for a, b in zip(run.t[:-1], run.t[1:], strict=True))
    assert np.allclose([event.t for event in run.events], expected, rtol=0, atol=1e-8)


def test_many_steps():
    """More than a run has room for at first; x = cos t to what 30,000 roundings of times up to 30 s add up to."""
    p = oscillator()
    run = p.run(method="radau", step=1e-3, until=30.0, rtol=1e-13, atol=1e-15)
    assert run.statistics.steps == 30_000
    times = np.linspace(0.0, 30.0, 1001) + 3e-4
    times = times[times < 30.0]
    assert max(p.errors(run).max(), p.errors(run, times).max()) <= 30_000 * np.spacing(30.0) / 2


def test_the_last_step_is_cut_at_a_terminal_event():
    """What is left of the step is the same polynomial as before."""
    bob, system, start = pendulum(θ=1.2)
    options = {"until": 3.0, "method": "radau", "rtol": 1e-10, "atol": 1e-12}
    free = zm.simulate(system, start, **options)
    run = zm.simulate(system, start, events={"below": bob.position[0]}, **options)
    assert run.outcome.ending.value == "event"
    assert abs(run[bob.position[0]][-1]) <= 1e-13
    t = np.linspace(run.t[-2], run.t[-1], 7)
    assert np.max(np.abs(run.at(t).y - free.at(t).y)) <= 1e-15 * 10  # places in a step are rounded differently
    assert np.array_equal(run.t[:-1], free.t[: len(run.t) - 1])


def test_a_run_goes_on_after_an_event_and_after_a_cut():
    p = kepler()
    x = p.system.coordinates[0]
    radau = stepper(p)
    radau.work.watch([Event("x", x, -1)])
    assert radau.advance(p.until, 1000) is Status.EVENT
    steps = radau.work.steps
    assert (
        radau.work.event_values(radau.work.times[-1], radau.work.states[-1])[0]
        <= 0
        < radau.work.event_values(radau.work.times[-2], radau.work.states[-2])[0]
    )
    middle = np.array([(radau.work.times[-2] + radau.work.times[-1]) / 2])
    there = dense(p, radau)(middle)[0]
    radau.work.cut(middle[0], there)
    assert radau.work.steps == steps
    assert radau.work.t == middle[0]
    assert np.array_equal(radau.work.y, there)
    radau.work.watch([])
    assert radau.advance(p.until, 1000) is Status.FINISHED
    assert errors(p, radau.work.times[-1:], radau.work.states[-1:])[0] <= 1e-8


def test_pauses():
    """A run in pieces is the same run."""
    p = kepler()
    whole, pieces = stepper(p), stepper(p)
    assert whole.advance(p.until, 1000) is Status.FINISHED
    count = 0
    while (status := pieces.advance(p.until, 7)) is Status.PAUSED:
        count += 1
        assert pieces.work.steps == 7 * count
    assert status is Status.FINISHED
    assert np.array_equal(whole.work.states, pieces.work.states)


def test_pivots_after_events():
    """Growth above the limit stops a run, after the events of the same step and without losing a step."""
    p = top()
    radau = stepper(p)
    radau.work.watch([Event("t", zm.t - 2.0)])
    radau.work.growth_limit = 0.5
    assert radau.advance(p.until, 1000) is Status.PIVOTS
    assert radau.work.steps == 0
    radau.work.growth_limit = np.inf
    assert radau.advance(p.until, 1000) is Status.EVENT
    radau.work.growth_limit = 0.5
    assert radau.advance(p.until, 1000) is Status.PIVOTS
    assert radau.work.growth[-1] >= 1
    steps, t = radau.work.steps, radau.work.t
    radau.work.use(Native(program_at(p.system, p.start)), project=True)  # as if the pivots were new
    radau.work.growth_limit = np.inf
    assert radau.advance(p.until, 1000) is Status.FINISHED
    assert radau.work.steps > steps
    assert np.all(np.diff(radau.work.times) > 0)
    assert t in radau.work.times
    assert errors(p, radau.work.times[-1:], radau.work.states[-1:])[0] <= 1e-9


# how runs end ----------------------------------------------------------------------------------------------------


def test_not_a_number():
    """The force √x ends with x = 0; x falls there from 1."""
    x = zm.coordinate("x")
    system = zm.System(M=[[1.0]], Q=[-1 + 0.1 * np.sqrt(x)], coordinates=[x])
    with pytest.warns(zm.errors.RunStopped, match="not a number"):
        run = zm.simulate(system, system.start({x: 1.0}), until=5.0, method="radau")
    assert run.outcome.ending.value == "not a number"
    assert 0 <= run[x][-1] <= 1e-6


def test_step_too_small():
    """ẍ = 2xẋ with x = 1/(1 − t) explodes at t = 1."""
    x = zm.coordinate("x")
    system = zm.System(M=[[1.0]], Q=[2 * x * zm.rate(x)], coordinates=[x])
    start = system.start({x: 1.0, zm.rate(x): 1.0})
    with pytest.warns(zm.errors.RunStopped, match="step too small"):
        run = zm.simulate(system, start, until=5.0, method="radau")
    assert abs(run.t[-1] - 1) <= 1e-9
    with pytest.warns(zm.errors.RunStopped, match="step too small"):
        fixed = zm.simulate(system, start, until=5.0, method="radau", step=0.25)
    assert fixed.t[-1] <= 1
    assert len(fixed) > 1


@pytest.mark.parametrize("steps", [1, 2, 7, 20])
def test_interrupted(steps, monkeypatch):
    """Whenever it happens, what was recorded is a run of its own, as far as it goes."""
    p = kepler()
    whole = p.run(method="radau")
    monkeypatch.setattr(loop, "CHUNK_OF_STEPS", steps)  # machine code looks at the keyboard so often
    told = []

    def interrupting(t: float) -> None:
        told.append(t)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.warns(zm.errors.RunStopped, match="interrupted"):
        run = p.run(method="radau", progress=interrupting)
    assert len(run) == 2 * steps + 1
    assert len(run.t) == len(run.y) == run.statistics.steps + 1
    assert np.array_equal(run.t, whole.t[: len(run)])
    assert np.array_equal(run.y, whole.y[: len(run)])
    times = np.linspace(run.t[0], run.t[-1], 11)
    assert np.array_equal(run.at(times).y, whole.at(times).y)


def test_steps_need_a_length():
    p = oscillator()
    run = p.run(method="radau", step=0.3, until=2.0)
    assert np.allclose(np.diff(run.t)[:-1], 0.3)
    assert run.statistics.rejected == 0
    with pytest.raises(zm.errors.ModelError, match="'radau'"):
        p.run(method="dop853", step=0.3)
    with pytest.raises(zm.errors.ModelError, match="must be positive"):
        p.run(method="radau", step=-0.3)
