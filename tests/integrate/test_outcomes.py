"""Every way in which a run can end, provoked; what was computed is kept, and the message has the user's own names."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import oscillator, pendulum
from zeromass.integrate import Ending

METHODS = pytest.mark.parametrize("options", [{}, {"method": "fixed", "step": 0.01}], ids=["controlled", "fixed"])


def stopped(system: zm.System, start: zm.State, ending: Ending, until: float = 10.0, **options) -> zm.Run:
    """A run that ends in this way, with a warning that says what the outcome says."""
    with pytest.warns(zm.errors.RunStopped) as caught:
        run = zm.simulate(system, start, until=until, **options)
    assert [str(warning.message) for warning in caught] == [str(run.outcome)]
    assert run.outcome.ending is ending
    assert not run.outcome.complete
    assert str(run.outcome).startswith(f"{ending.value} at t = ")
    assert run.t[-1] == run.outcome.t
    assert np.all(np.isfinite(run.y))
    return run


def quietly(system: zm.System, start: zm.State, **options) -> zm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return zm.simulate(system, start, **options)


@METHODS
def test_finished(options):
    p = oscillator()
    run = quietly(p.system, p.start, until=1.0, **options)
    assert run.outcome.ending is Ending.FINISHED
    assert run.outcome.complete
    assert str(run.outcome) == "finished at t = 1 s"


def test_event():
    p = oscillator()
    (x,) = p.system.coordinates
    run = quietly(p.system, p.start, until=10.0, events={"passage of x": x})
    assert run.outcome.ending is Ending.EVENT
    assert run.outcome.complete
    assert str(run.outcome) == "event at t = 1.57079633 s: 'passage of x'"


@METHODS
def test_non_unique(options):
    """A particle of mass zero that nothing holds: the message names it and says what to do."""
    bob, ghost = zm.Particle("bob", mass=1.0), zm.Particle("ghost", mass=0)
    system = zm.System([bob, ghost], gravity=9.81)
    run = stopped(system, system.start(), Ending.NON_UNIQUE, **options)
    assert len(run) == 1
    assert "undetermined: acceleration of ghost.x; give ghost.x a mass, or add a constraint" in run.outcome.message
    assert "bob" not in run.outcome.message
    # the start can be looked at, accelerations can not
    assert run[bob.position].shape == (1, 3)
    assert run.at(0.0)[system.energy].shape == (1,)
    with pytest.raises(zm.errors.ModelError, match=r"could not begin: non-unique.*ghost\.x"):
        run[zm.acceleration(bob.position)]


def test_non_unique_becomes_unique_with_what_is_asked_for():
    bob, ghost = zm.Particle("bob", mass=1.0), zm.Particle("ghost", mass=0)
    system = zm.System([bob, ghost], gravity=9.81, constraints={"tied": ghost.position - bob.position})
    run = quietly(system, system.start(), until=1.0)
    assert np.array_equal(run[ghost.position], run[bob.position])


@METHODS
def test_inconsistent_constraints(options):
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        coordinates=[x, y],
        constraints={"slow": dx - zm.t, "fast": dx - 2 * zm.t},  # both hold at t = 0, and then no more
    )
    run = stopped(system, system.start(), Ending.INCONSISTENT, **options)
    assert "'fast' contradicts 'slow'" in run.outcome.message


def test_impossible_force():
    """A force on a coordinate without inertia: it must vanish, and the message says so."""
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2 + 3 * y**2, coordinates=[x, y])
    run = stopped(system, system.start({x: 1.0, y: 0.2}), Ending.INCONSISTENT)
    assert "impossible force" in run.outcome.message
    assert "along (y)" in run.outcome.message


def parallelogram() -> tuple[zm.Particle, zm.System, zm.State]:
    """Two equal cranks and a coupler as long as the base: stretched out in a line they can also turn oppositely.

    Without forces it turns uniformly: from 0.3 rad above the line at −1 rad/s it gets there at t = 0.3.
    """
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=1.0)
    base = np.array([1.0, 0.0, 0.0])
    ends = {"left": a.position, "right": b.position - base, "coupler": b.position - a.position}
    rods = {name: (d @ d - 1) / 2 for name, d in ends.items()}
    system = zm.System([a, b], constraints={**rods, "plane": [a.position[2], b.position[2]]})
    place = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    motion = np.array([np.sin(0.3), -np.cos(0.3), 0.0])
    return a, system, system.start([(a.position, place), (b.position, place + base), (a.velocity, motion)])


@pytest.mark.parametrize("steps", [1, 2, 3, 10])
def test_singular_branch(steps):
    """Steps that end just where the constraints depend on one another: which way to go on is not determined."""
    a, system, start = parallelogram()
    run = stopped(system, start, Ending.SINGULAR_BRANCH, method="fixed", step=0.3 / steps)
    assert "the constraints left, right, coupler are about to lose independence" in run.outcome.message
    # it ends at the last good state
    assert len(run) == steps
    angle = 0.3 - run.t
    exact = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    np.testing.assert_allclose(run[a.position], exact, rtol=0, atol=1e-9 if steps == 2 else 1e-8)


@METHODS
def test_not_a_number(options):
    """The force √(1 − x) has no value beyond x = 1, and the motion gets there.

    ẍ = √(1 − x) gives ẋ² = 1 + 4/3 − 4/3 (1 − x)^(3/2); the time to x = 1 is ∫₀¹ dx/ẋ = 0.76131.
    """
    from scipy.integrate import quad

    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.sqrt(1 - x)})
    run = stopped(system, system.start({zm.rate(x): 1.0}), Ending.NOT_A_NUMBER, **options)
    assert "the force of x has no finite value" in run.outcome.message
    end = quad(lambda x: 1 / np.sqrt(1 + 4 / 3 * (1 - (1 - x) ** 1.5)), 0, 1)[0]
    assert end - 0.01 <= run.t[-1] <= end + 1e-9
    assert run[x][-1] <= 1
    # what was computed is good: the energy integral holds
    integral = run[zm.rate(x) ** 2 - 4 / 3 * (1 - (1 - x) ** 1.5)]
    np.testing.assert_allclose(integral, 1.0, rtol=0, atol=1e-6)


@METHODS
def test_not_a_number_in_one_coordinate_of_many(options):
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    system = zm.System(kinetic=(dx**2 + dy**2) / 2, forces={y: np.sqrt(1 - y)}, coordinates=[x, y])
    run = stopped(system, system.start({dx: 0.1, dy: 1.0}), Ending.NOT_A_NUMBER, **options)
    assert "the force of y" in run.outcome.message
    assert "of x" not in run.outcome.message


@pytest.mark.parametrize("force", [lambda x: np.sqrt(x - 1), lambda x: 1 / x, np.log])
def test_not_a_number_at_the_start(force):
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: force(x)})
    run = stopped(system, system.start({x: 0.0}), Ending.NOT_A_NUMBER)
    assert len(run) == 1
    assert "at the start the force of x has no finite value" in run.outcome.message


def test_not_a_number_in_a_constraint():
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2, constraints={"half circle": y - np.sqrt(1 - x**2)}, coordinates=[x, y]
    )
    start = system.start({x: 0.0, dx: 1.0})
    run = stopped(system, start, Ending.NOT_A_NUMBER)
    assert "constraint 'half circle' has no finite value" in run.outcome.message
    # uniform motion on the circle until its end, a quarter turn
    assert abs(run.t[-1] - np.pi / 2) <= 1e-3


def test_step_too_small_in_an_explosion():
    """ẍ = x² with ẋ² = 2x³/3 is x = 6/(√6 − t)², which is infinite at t = √6."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: x**2})
    run = stopped(system, system.start({x: 1.0, zm.rate(x): np.sqrt(2 / 3)}), Ending.STEP_TOO_SMALL)
    assert "(x changes fastest)" in run.outcome.message
    assert abs(run.t[-1] - np.sqrt(6)) <= 1e-9
    exact = 6 / (np.sqrt(6) - run.t) ** 2
    early = run.t < 2.4
    np.testing.assert_allclose(run[x][early], exact[early], rtol=1e-7)  # rtol 1e-10, magnified by 1/(√6 − t)


def test_step_too_small_in_a_collision():
    """Released at rest at 1 from a centre −1/x it falls into it in π/√8."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-1 / x)
    run = stopped(system, system.start({x: 1.0}), Ending.STEP_TOO_SMALL)
    assert abs(run.t[-1] - np.pi / np.sqrt(8)) <= 1e-8
    assert "radau" in run.outcome.message


def test_interrupted():
    """Ctrl-C, here from the function that is told of progress: the run so far is returned, and can be gone on from."""
    _, system, start = pendulum()
    told: list[float] = []

    def progress(t: float) -> None:
        told.append(t)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.warns(zm.errors.RunStopped, match="interrupted at t = .*what was computed so far is kept"):
        run = zm.simulate(system, start, until=1e6, progress=progress)
    assert run.outcome.ending is Ending.INTERRUPTED
    assert run.t[-1] == told[-1] < 1e6
    assert np.all(np.diff(told) > 0)
    assert len(run) - 1 == run.statistics.steps > 1000
    whole = quietly(system, start, until=run.t[100])
    assert np.array_equal(whole.t[:-1], run.t[:100])
    assert np.array_equal(whole.y[:-1], run.y[:100])
    more = quietly(system, run.state(run.t[-1]), until=run.t[-1] + 1.0)
    assert more.outcome.complete
    assert abs(more[system.energy][-1] - start[system.energy]) <= 1e-4


def test_progress_is_told_in_order_and_to_the_end():
    told: list[float] = []
    p = oscillator()
    p.run(until=12000.0, progress=told.append)
    assert told[-1] == 12000.0
    assert len(told) > 1
    assert np.all(np.diff(told) >= 0)


def test_other_errors_of_the_progress_function_are_not_hidden():
    def progress(t: float) -> None:
        raise RuntimeError("no more room")

    with pytest.raises(RuntimeError, match="no more room"):
        oscillator().run(progress=progress)
