"""What a run gives back: values at steps and between them, states to go on from, and nothing that can be changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import kepler, oscillator, pendulum, top, wire
from model.mechanisms import relative

TIGHT = {"rtol": 1e-13, "atol": 1e-15}


def test_at_the_steps_it_is_what_was_recorded():
    """To the bit, in any order and number."""
    bob, system, start = pendulum()
    run = zm.simulate(system, start, until=3.0)
    assert np.array_equal(run.at(run.t).y, run.y)
    backwards = run.t[::-1]
    assert np.array_equal(run.at(backwards).y, run.y[::-1])
    assert np.array_equal(run.at(run.t)[bob.position], run[bob.position])
    assert np.array_equal(run.at(run.t)[system.multipliers], run[system.multipliers])
    assert np.array_equal(run.at(run.t[5]).y[0], run.y[5])


def test_between_the_steps_it_is_continuous():
    """The dense output of a step begins and ends at its ends: a nudge of 1e-9 moves it by 1e-9 of the rates."""
    bob, system, start = pendulum()
    run = zm.simulate(system, start, until=3.0, **TIGHT)
    inner = run.t[1:-1]
    for nudge in (-1e-9, 1e-9):
        moved = run.at(inner + nudge)[bob.position] - run[bob.position][1:-1]
        slope = nudge * run[bob.velocity][1:-1]
        assert np.max(np.abs(moved - slope)) <= 1e-13  # the acceleration moves it by 1e-17, rounding by 1e-15


def test_order_of_the_times_does_not_matter():
    p = kepler()
    run = p.run(until=5.0)
    times = np.random.default_rng(0).uniform(0.0, 5.0, 200)
    together = run.at(times).y
    assert np.array_equal(together, np.concatenate([run.at(t).y for t in times]))
    order = np.argsort(times)
    assert np.array_equal(run.at(times[order]).y, together[order])


@pytest.mark.parametrize("problem", [oscillator, kepler, wire, top])
def test_dense_output_is_as_good_as_the_steps(problem):
    p = problem()
    run = p.run(**TIGHT)
    between = p.errors(run, np.linspace(0.0, p.until, 777)).max()
    assert between <= 1e-12 + 10 * p.errors(run).max()


def test_shapes():
    body = zm.RigidBody("body", mass=1.0, inertia=(1, 2, 2.5))
    system = zm.System([body], gravity=9.81)
    run = zm.simulate(system, system.start([(body.angular_velocity, (1, 2, 3))]), until=1.0)
    k = len(run)
    assert run.t.shape == (k,)
    assert run.y.shape == (k, 14)
    assert run[system.energy].shape == (k,)
    assert run[body.position].shape == (k, 3)
    assert run[body.rotation].shape == (k, 3, 3)
    assert run[system.reaction["body unit quaternion"]].shape == (k, 7)
    sampled = run.at([0.25, 0.5])
    assert len(sampled) == 2
    assert sampled[body.rotation].shape == (2, 3, 3)
    assert run.at(0.3)[body.position].shape == (1, 3)
    assert run.at([])[body.position].shape == (0, 3)


def test_accelerations_and_reactions_along_a_run():
    """They are those of the states, which the fundamental equation gives: M q̈ = Q + Aᵀλ, to 1e-12 of its terms."""
    bob, system, start = pendulum(rate=2.0)
    run = zm.simulate(system, start, until=2.0)
    for k in range(0, len(run), 7):
        state = run.state(run.t[k])
        qdd = state.motion.acceleration
        assert relative(run[system.accelerations][k], qdd) <= 1e-12
        assert relative(run[system.multipliers][k], state.motion.multipliers) <= 1e-12
        assert relative(run[system.reaction.total][k], state.motion.reaction) <= 1e-12
    # time derivatives of anything, by the chain rule: of the energy it is the power, 0
    assert np.max(np.abs(run[zm.rate(system.energy)])) <= 1e-12 * start[system.kinetic]
    x, v, a = run[bob.position], run[bob.velocity], run[zm.acceleration(bob.position)]
    assert np.max(np.abs(np.sum(x * a + v * v, axis=1))) <= 1e-12 * np.max(np.sum(v * v, axis=1))


def test_redundant_constraints_share_their_force():
    """The same rod twice: each takes half, the shortest multipliers, and together what one takes alone."""
    bob = zm.Particle("bob", mass=1.3)
    x, y, z = bob.position
    rod = (x**2 + y**2 - 1) / 2
    given = {"gravity": (0.0, -9.81, 0.0)}
    once = zm.System([bob], **given, constraints={"rod": rod, "plane": z})
    twice = zm.System([bob], **given, constraints={"rod": rod, "again": rod, "plane": z})
    place = [(bob.position, (0.6, -0.8, 0.0))]
    single = zm.simulate(once, once.start(place), until=1.0)
    double = zm.simulate(twice, twice.start(place), until=1.0)
    assert relative(double[twice.reaction["rod"]], single[once.reaction["rod"]] / 2) <= 1e-12
    assert relative(double[twice.reaction["again"]], single[once.reaction["rod"]] / 2) <= 1e-12


def test_nothing_can_be_changed():
    bob, system, start = pendulum()
    run = zm.simulate(system, start, until=1.0, events=zm.Event("x", bob.position[0], 0, False))
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.t = np.zeros(3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.outcome = None
    for array in (run.t, run.y, run.events[0].y, run.at(0.5).t, run.at(0.5).y):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.statistics.steps = 0


def test_a_run_keeps_no_hold_on_what_it_was_given():
    _, system, start = pendulum()
    run = zm.simulate(system, start, until=1.0)
    before = run.y.copy()
    times = np.array([0.1, 0.2])
    sampled = run.at(times)
    times[:] = 5.0
    assert np.array_equal(sampled.t, [0.1, 0.2])
    start.q[:] = 7.0
    assert np.array_equal(run.y, before)


def test_state_and_restart():
    """A run that goes on from a state in the middle ends where the whole one does, to the tolerance."""
    p = kepler(e=0.6)
    whole = p.run(**TIGHT)
    for t in (whole.t[10], 2.345):
        state = whole.state(t)
        assert state.t == t
        assert state.system is p.system
        rest = zm.simulate(p.system, state, until=p.until, **TIGHT)
        assert rest.t[0] == t
        assert p.errors(rest).max() <= 1e-11  # of the whole: 3e-12 measured, see exact/test_kepler.py


def test_backwards_it_returns():
    """There and back again: the distance from the start is that of the errors of both ways."""
    for p in (oscillator(), kepler(), top(), wire()):
        there = p.run(**TIGHT)
        back = zm.simulate(p.system, there.state(there.t[-1]), until=0.0, **TIGHT)
        assert back.t[-1] == 0.0
        assert np.all(np.diff(back.t) < 0)
        assert relative(back.y[-1], there.y[0]) <= 5e-10  # the wire: e^(2Ωt) = 1e5 on the way back; others 1e-12
        # and the dense output of a backward run runs backwards, too
        times = np.linspace(0.0, p.until, 50)
        assert relative(back.at(times)[p.quantity], there.at(times)[p.quantity]) <= 5e-10


def test_statistics_and_text():
    run = kepler(0.6).run()
    words = repr(run)
    assert words.startswith("Run(0 … 6.28319 s, finished; ")
    assert f"{run.statistics.steps} steps, {run.statistics.rejected} rejected" in words
    assert run.statistics.growth >= 1
    assert run.settings["method"] == "collocation"


def test_to_xarray():
    length = zm.parameter("length", 0.7)
    bob, system, start = pendulum(length)
    run = zm.simulate(system, start, until=1.0)
    data = run.to_xarray()
    assert np.array_equal(data["position"].sel(coordinate="bob.x"), run[bob.position[0]])
    assert np.array_equal(data["rate"].sel(coordinate="bob.y"), run[bob.velocity[1]])
    assert np.array_equal(data["acceleration"], run[system.accelerations])
    assert data["t"].attrs["units"] == "s"
    assert float(data.attrs["parameter length"]) == 0.7
    assert data.attrs["outcome"] == "finished at t = 1 s"
    grid = run.to_xarray(np.linspace(0, 1, 11))
    assert grid.sizes == {"t": 11, "coordinate": 3}
