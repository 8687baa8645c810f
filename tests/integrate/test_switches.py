"""Formulas with kinks and jumps against exact motions: smooth from one switch to the next, by every method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

METHODS = ("collocation", "dop853", "radau")
TIGHT = {"rtol": 1e-12, "atol": 1e-14}

pytestmark = pytest.mark.parametrize("method", METHODS)


def mass(force, **more):
    """A mass of 1 kg with a force of its place and speed."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    return zm.System(kinetic=v**2 / 2, forces={x: force(x, v)}, **more), x, v


def test_dry_friction_takes_the_same_from_every_swing_and_holds_in_the_end(method):
    """ẍ = −x − F sgn ẋ: cosines about ±F, each half-swing π long and 2F shorter; at rest where |x| < F."""
    F, x0 = 0.35, 2.3
    system, x, v = mass(lambda x, v: -x - F * np.sign(v))
    run = zm.simulate(system, system.start({x: x0}), until=12.0, method=method, **TIGHT)
    turns = [switch.t for switch in run.switches]
    np.testing.assert_allclose(turns, np.pi * np.arange(1, len(turns) + 1), rtol=0, atol=1e-10)
    assert [switch.direction for switch in run.switches] == [1, -1, 0]
    for k, switch in enumerate(run.switches):
        assert abs(abs(run.at(switch.t)[x].item()) - (x0 - 2 * F * (k + 1))) < 1e-10
    assert np.abs(run.at(np.linspace(turns[-1], 12.0, 7))[v]).max() < 1e-15
    assert np.allclose(run.at(11.0)[-F * np.sign(v)], run.at(11.0)[x], rtol=0, atol=1e-12)  # what acts at rest
    assert run.at(11.0)[zm.acceleration(x)] == 0.0


def test_a_drive_that_turns_at_once_gives_an_impulse(method):
    """x = |t − 1| draws a mass on a spring: y = 1 − t until 1 s, then t − 1 + …, exact by superposition."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=50 * (y - x) ** 2,
        constraints={"drive": x - np.abs(zm.t - 1)},
    )
    run = zm.simulate(system, system.start({y: 1.0, zm.rate(y): -1.0}), until=2.0, method=method, **TIGHT)
    assert abs(run.at(2.0)[y] - (1 - 0.2 * np.sin(10.0))) < 1e-11
    (impulse,) = run.impulses
    assert impulse.t == 1.0
    assert impulse.constraints == ("drive",)
    assert abs(impulse.energy) < 1e-12
    np.testing.assert_allclose(impulse.change, [2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(impulse.impulses, [2.0], atol=1e-12)
    assert run.work().imbalance < 1e-10


def test_an_impulse_of_a_bent_wire_keeps_the_speed_along_it(method):
    """A bead at 3 m/s meets a ramp of slope ½: the part of its velocity along the ramp stays, the rest is lost."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=9.81 * y,
        constraints={"wire": y - np.maximum(0.5 * x, 0.0)},
    )
    run = zm.simulate(system, system.start({x: -1.0, zm.rate(x): 3.0}), until=1.0, method=method, **TIGHT)
    (impulse,) = run.impulses
    assert abs(impulse.t - 1 / 3) < 1e-13
    np.testing.assert_allclose(impulse.change, [-0.6, 1.2], atol=1e-12)  # 3 (1, ½)/(1 + ¼) − (3, 0)
    assert abs(impulse.energy + 9 / 2 * 0.2) < 1e-12  # sin² of the bend
    a, τ = -9.81 * 0.5 / 1.25, 1.0 - 1 / 3
    assert abs(run.at(1.0)[x] - (2.4 * τ + a * τ**2 / 2)) < 1e-11


def test_no_pulse_is_missed(method):
    """1 N s in 0.01 s and in 1e-6 s, in runs of 10 s."""
    for width in (1e-2, 1e-6):
        system, x, v = mass(lambda x, v, w=width: zm.where((zm.t > 5) & (zm.t < 5 + w), 1 / w, 0.0))
        run = zm.simulate(system, system.start({x: 0.0}), until=10.0, method=method, **TIGHT)
        assert abs(run.at(10.0)[v] - 1.0) < 1e-9  # 5 + 1e-6 as float64 has it is 4e-10 of the width off
        assert len(run.switches) == 2


def test_a_saw_tooth_of_a_thousand_teeth(method):
    """∫ (t mod T) dt over whole teeth: v = k T²/2 after k of them."""
    T = 0.01
    system, x, v = mass(lambda x, v: zm.t % T)
    run = zm.simulate(system, system.start({x: 0.0}), until=3.0, method=method, **TIGHT)
    assert len(run.switches) == 299
    assert run.modes == ("motion",)
    assert run.changes == ()
    assert abs(run.at(3.0)[v] - 300 * T**2 / 2) < 1e-13


def test_backlash(method):
    """A spring that is slack between −b and b: half-swings of π/ω in it and ways of 2b at the speed v."""
    b, ω = 0.4, 7.0
    system, x, v = mass(lambda x, v: -(ω**2) * (np.maximum(x - b, 0.0) + np.minimum(x + b, 0.0)))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.5}), until=6.0, method=method, **TIGHT)
    way, swing = 2 * b / 1.5, np.pi / ω
    expected = [b / 1.5 + k * (way + swing) for k in range(8)]
    entered = [s.t for s in run.switches][::2]
    np.testing.assert_allclose(entered, expected[: len(entered)], rtol=0, atol=1e-10)


def test_bouncing_on_a_spring_that_only_pushes(method):
    """Falls of √(2h/g) each way and half-swings in the spring, whose time follows from the energy; none of it is lost."""
    g, k, h = 9.81, 225.0, 1.0
    system, z, _v = mass(lambda z, v: -g + zm.where(z < 0, -k * z, 0.0))
    run = zm.simulate(system, system.start({z: h}), until=4.0, method=method, **TIGHT)
    fall, ω, speed = np.sqrt(2 * h / g), np.sqrt(k), np.sqrt(2 * g * h)
    push = (
        2 * (np.pi / 2 + np.arctan(g / (ω * speed))) / ω
    )  # from touching to touching, about the place where it is carried
    times = [fall, fall + push, 3 * fall + push, 3 * fall + 2 * push]
    np.testing.assert_allclose([s.t for s in run.switches][:4], times, rtol=0, atol=1e-10)


def test_bang_bang(method):
    """ẍ = −a sgn x: parabolas of 4 √(2 x/a) a swing."""
    a, x0 = 2.3, 1.1
    system, x, _v = mass(lambda x, v: -a * np.sign(x))
    run = zm.simulate(system, system.start({x: x0}), until=9.0, method=method, **TIGHT)
    quarter = np.sqrt(2 * x0 / a)
    times = [s.t for s in run.switches]
    np.testing.assert_allclose(times, quarter * (1 + 2 * np.arange(len(times))), rtol=0, atol=1e-11)


def test_stick_and_slip_on_a_belt(method):
    """A mass on a spring on a belt, whose friction falls with the slip, against SciPy begun anew at every change."""
    u, k, F, c = 0.5, 4.0, 1.5, 0.4
    system, x, v = mass(lambda x, v: -k * x - np.sign(v - u) * F / (1 + c * np.abs(v - u)))
    run = zm.simulate(system, system.start({x: 0.0, v: u}), until=12.0, method=method, **TIGHT)
    times, states = _belt(u, k, F, c, 12.0)
    np.testing.assert_allclose([s.t for s in run.switches], times, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], states, rtol=0, atol=1e-9)
    stuck = run.at(times[0] / 2)
    assert abs(stuck[-np.sign(v - u) * F / (1 + c * np.abs(v - u))] - k * stuck[x]) < 1e-11


def _belt(u, k, F, c, until):
    """Times and states at which the mass lets go of the belt, or sticks to it."""
    t, y, times, states = 0.0, np.array([0.0, u]), [], []
    while True:
        let_go = t + (F / k - y[0]) / u  # where the spring pulls as much as the friction holds
        if let_go > until:
            return times, states
        t, y = let_go, np.array([F / k, u])
        times.append(t)
        states.append(y)

        def slope(_, y):
            return [y[1], -k * y[0] + F / (1 + c * (u - y[1]))]

        def reached(_, y):
            return y[1] - u

        reached.terminal, reached.direction = True, 1
        found = solve_ivp(slope, (t, t + 50), y, "DOP853", rtol=1e-13, atol=1e-14, events=reached, first_step=1e-3)
        t, y = found.t[-1], found.y[:, -1]
        if t > until:
            return times, states
        times.append(t)
        states.append(y)


def test_an_angle_goes_on_over_the_cut_of_arctan2(method):
    """A flywheel geared to a point on a circle: the energy stays over many turns, and so does the ratio of the gear."""
    x, y, φ = zm.coordinates("x y phi")
    v = zm.rate
    system = zm.System(
        kinetic=(v(x) ** 2 + v(y) ** 2) / 2 + v(φ) ** 2,
        potential=2.0 * y,
        constraints={"circle": (x**2 + y**2 - 1) / 2, "gear": φ - np.arctan2(y, x)},
    )
    start = system.start({x: 1.0, φ: 0.0, v(φ): 5.0}, guess={x: 1.0})
    run = zm.simulate(system, start, until=6.0, method=method, **TIGHT)
    assert run.at(6.0)[φ] > 8 * np.pi / 2
    assert np.ptp(run[system.energy]) < 1e-9
    on = zm.simulate(system, run.state(5.0), until=6.0, method=method, **TIGHT)
    assert abs(on.at(6.0)[φ] - run.at(6.0)[φ]) < 1e-9


def test_two_contacts_hold_and_let_go_by_themselves(method):
    """Two masses on a line, each with friction, the second pulled more and more: it goes at F₂, and both from F₁ on."""
    x, y = zm.coordinates("x y")
    u, v = zm.rate(x), zm.rate(y)
    system = zm.System(
        kinetic=(u**2 + v**2) / 2,
        potential=2.0 * (y - x) ** 2,
        forces={x: -0.7 * np.sign(u), y: zm.t - 0.5 * np.sign(v)},
    )
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0}), until=2.0, method=method, **TIGHT)
    first, second = run.switches[:2]
    assert abs(first.t - 0.5) < 1e-12
    assert first.direction == 1
    τ = second.t - 0.5  # ÿ = τ − 4 y, so y = (τ − sin(2τ)/2)/4, until 4 y = 0.7
    assert abs(τ - np.sin(2 * τ) / 2 - 0.7) < 1e-10
    held = run.at(0.3)[np.array([-0.7 * np.sign(u), -0.5 * np.sign(v)])]
    np.testing.assert_allclose(held, [[0.0, -0.3]], atol=1e-13)


def test_friction_that_pulsates_faster_than_the_motion_is_felt(method):
    """At rest no step feels the limit 1 + sin(40 t)/2 of the friction; where it is below 0.55 N the mass goes, each time."""
    system, x, _v = mass(lambda x, v: 0.55 - (1 + 0.5 * np.sin(40 * zm.t)) * np.sign(v))
    run = zm.simulate(system, system.start({x: 0.0}), until=5.0, method=method, **TIGHT)
    goes = [s.t for s in run.switches if s.direction == 1]
    phase = np.arcsin(-0.9)
    expected = (np.pi - phase + 2 * np.pi * np.arange(len(goes))) / 40
    assert len(goes) == 32
    np.testing.assert_allclose(goes, expected, rtol=0, atol=1e-11)


def test_pulses_in_space_are_met_however_long_a_step_could_be(method):
    """A force over 0.09 of every period of sin(300 x), on a mass that else is free: its work is that of the way."""
    system, x, v = mass(lambda x, v: zm.where(np.sin(300 * x) > 0.99, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.0}), until=1.0, method=method, **TIGHT)
    place = run.at(1.0)[x].item()
    periods, wide = 300 * place / (2 * np.pi), 2 * np.arccos(0.99) / 300
    assert periods % 1 > 0.3  # beyond the last of them
    work = (np.floor(periods) + 1) * wide
    assert abs(run.at(1.0)[v] ** 2 / 2 - 0.5 - work) < 1e-10
