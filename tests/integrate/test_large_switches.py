"""Large systems whose forces switch: dry friction that holds, end stops, what is let go; one rolled code for all pieces."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from zeromass.model import system as model_system

COUNT = 43
"""Point masses with 129 coordinates: as many as make a large system."""


def on_rails(masses: list[zm.Particle]) -> dict[str, Any]:
    return {f"rail {p.name}": p.position[1:] for p in masses}


def rubbed(p: zm.Particle, level: Any, pull: Any = 0.0) -> zm.Force:
    return zm.Force([pull - level * np.sign(p.velocity[0]), 0, 0], at=p.position)


def hinged(count: int, level: float) -> tuple[zm.System, list[zm.joints.Revolute], list[Any]]:
    """Rods of 1 kg and 1 m in a row, hinges with friction between them, the first at the ground."""
    bodies = [zm.RigidBody(f"rod {k}", 1.0, [0.02, 0.09, 0.08], at=(float(k), 0, 0)) for k in range(count)]
    hinges = [
        zm.joints.Revolute(bodies[k - 1] if k else zm.Ground(), rod, at=(float(k) - 0.5, 0, 0), axis=(0, 0, 1))
        for k, rod in enumerate(bodies)
    ]
    friction = [hinge.friction(level) for hinge in hinges]
    return zm.System(bodies, joints=hinges, gravity=(0, -9.81, 0), forces=friction), hinges, friction


@pytest.fixture
def rolled(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Systems of parts are large however few these are."""
    monkeypatch.setattr(model_system, "LARGE", 1)
    return monkeypatch


def test_masses_that_rub_stop_where_the_law_says():
    """x = v²/(2 μ g) after v/(μ g), each by itself, and then nothing moves."""
    masses = [zm.Particle(f"m{k}", 1.0 + 0.1 * k) for k in range(COUNT)]
    μ, g = 0.2 + 0.01 * np.arange(COUNT), 9.81
    friction = [rubbed(p, float(c) * p.mass * g) for c, p in zip(μ, masses, strict=True)]
    system = zm.System(masses, constraints=on_rails(masses), forces=friction)
    v = 1.0 + 0.02 * np.cos(np.arange(COUNT))
    start = system.start({p.velocity[0]: x for p, x in zip(masses, v, strict=True)})
    run = zm.simulate(system, start, until=1.0)
    assert run.program.code == "rolled"
    assert run.outcome.complete
    stops = sorted(switch.t for switch in run.switches)
    assert [switch.direction for switch in run.switches] == [0] * COUNT
    np.testing.assert_allclose(stops, np.sort(v / (μ * g)), rtol=1e-13)
    x = run.at(1.0)[[p.position[0] for p in masses]][0]
    np.testing.assert_allclose(x, v**2 / (2 * μ * g), rtol=1e-13)
    assert np.abs(run.at(1.0)[[p.velocity[0] for p in masses]]).max() < 1e-30
    assert np.abs(run.at([0.9])[[f.force[0] for f in friction]]).max() < 1e-12  # nothing pulls: nothing holds


def test_friction_holds_up_to_its_bound_and_no_further(rolled: pytest.MonkeyPatch):
    """A pull of a t, against friction up to F, moves a mass from t = F/a on."""
    count = 10
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(count)]
    bounds = 0.5 + 0.04 * np.arange(count)
    friction = [rubbed(p, float(F), 2 * zm.t) for F, p in zip(bounds, masses, strict=True)]
    system = zm.System(masses, constraints=on_rails(masses), forces=friction)
    run = zm.simulate(system, system.start(), until=0.6)
    np.testing.assert_allclose([switch.t for switch in run.switches], bounds / 2, rtol=1e-12)
    assert [switch.direction for switch in run.switches] == [1] * count
    held = np.array([-F.force[0] + 2 * zm.t for F in friction])  # what friction gives
    np.testing.assert_allclose(run.at(0.1)[held][0], 0.2, rtol=1e-12)
    late = 0.6 - bounds / 2
    x = run.at(0.6)[[p.position[0] for p in masses]][0]
    np.testing.assert_allclose(x, late**3 / 3, rtol=1e-9, atol=1e-12)  # ẍ = 2 (t − F/2)


def test_hinges_at_rest_carry_what_statics_says(rolled: pytest.MonkeyPatch):
    """The moment of all weights beyond a hinge, where its friction can give it."""
    count = 8
    system, hinges, friction = hinged(count, 3000.0)
    start = system.start()
    run = zm.simulate(system, start, until=0.05)
    assert run.program.code == "rolled"
    assert run.outcome.complete
    assert not run.switches
    assert np.abs(run.at(0.05)[[hinge.rate for hinge in hinges]]).max() < 1e-13
    torques = [acting.torque for acting in friction]
    beyond = [sum(9.81 * (j - (k - 0.5)) for j in range(k, count)) for k in range(count)]
    np.testing.assert_allclose(run.at(0.05)[torques][0], beyond, rtol=1e-9)


def test_a_chain_that_rubs_loses_what_its_friction_takes(rolled: pytest.MonkeyPatch):
    """E(t) − E(0) = −∫ F |ω| dt."""
    system, hinges, _ = hinged(7, 20.0)
    rates = {hinge.rate: 2.0 * np.cos(3.0 * k) for k, hinge in enumerate(hinges)}
    run = zm.simulate(system, system.start(rates), until=0.06, rtol=1e-9)
    assert run.program.code == "rolled"
    assert run.outcome.complete
    assert {switch.direction for switch in run.switches} == {-1, 0, 1}
    work = run.work()
    change = float(np.diff(run.at([0.0, 0.06])[system.energy])[0])
    lost = 0.0
    for segment in run.segments:  # ω is smooth between switches: Gauss–Legendre within each step
        x, w = np.polynomial.legendre.leggauss(8)
        for a, b in zip(segment.t[:-1], segment.t[1:], strict=True):
            times = (a + b) / 2 + (b - a) / 2 * x
            ω = segment.at(times)[np.array([hinge.rate for hinge in hinges])]
            lost += (b - a) / 2 * w @ (20.0 * np.abs(ω)).sum(axis=1)
    assert change == pytest.approx(-lost, rel=1e-8)
    assert work.applied[-1] == pytest.approx(change, rel=1e-8)


@pytest.mark.parametrize("count", [5])
def test_rolled_code_moves_as_formulas_do(count: int, rolled: pytest.MonkeyPatch):
    """Masses with springs and friction: the same switches, at the same times."""

    def run() -> tuple[zm.Run, list[zm.Particle]]:
        masses = [zm.Particle(f"m{k}", 1.0 + 0.1 * k) for k in range(count)]
        forces: list[Any] = [rubbed(p, 0.5 + 0.05 * k) for k, p in enumerate(masses)]
        forces += [zm.Spring(20.0, a.position, b.position, length=1.0) for a, b in itertools.pairwise(masses)]
        system = zm.System(masses, constraints=on_rails(masses), forces=forces)
        start = system.start(
            {p.position[0]: 1.1 * k + 0.2 * np.sin(k) for k, p in enumerate(masses)}
            | {p.velocity[0]: np.cos(2 * k) for k, p in enumerate(masses)}
        )
        return zm.simulate(system, start, until=4.0, rtol=1e-11), masses

    one, masses = run()
    rolled.setattr(model_system, "LARGE", 10**6)
    two, others = run()
    assert one.program.code == "rolled"
    assert two.program.code == "straight-line"
    assert [(s.direction, repr(s.expression)) for s in one.switches] == [
        (s.direction, repr(s.expression)) for s in two.switches
    ]
    assert 0 in [s.direction for s in one.switches]
    np.testing.assert_allclose([s.t for s in one.switches], [s.t for s in two.switches], rtol=1e-9)
    ends = [run.at(4.0)[[p.position[0] for p in some]][0] for run, some in ((one, masses), (two, others))]
    np.testing.assert_allclose(*ends, rtol=1e-9)


def test_end_stops_and_releases_by_time(rolled: pytest.MonkeyPatch):
    """Forces with where and t < T, nested ones among them, as formulas have them; and an energy with a kink is kept."""

    def run() -> tuple[zm.Run, zm.System, list[zm.Particle]]:
        masses = [zm.Particle(f"m{k}", 1.0) for k in range(3)]
        forces, potential = [], 0.0
        for k, p in enumerate(masses):
            d, v = p.position[0] - 2.0 * k, p.velocity[0]
            stop = zm.where(d > 0.3, -40 * (d - 0.3) - zm.where(v > 0, 2.0 * v, 0.0), 0.0)
            forces.append(zm.Force([stop + zm.where(zm.t < 0.2 + 0.05 * k, 0.5, 0.0), 0, 0], at=p.position))
            potential += zm.where(d < -0.3, 20 * (d + 0.3) ** 2, 0.0)
        forces += [zm.Spring(5.0, a.position, b.position, length=2.0) for a, b in itertools.pairwise(masses)]
        system = zm.System(masses, constraints=on_rails(masses), forces=forces, potential=potential)
        start = system.start(
            {p.position[0]: 2.0 * k for k, p in enumerate(masses)}
            | {p.velocity[0]: np.cos(2 * k) for k, p in enumerate(masses)}
        )
        return zm.simulate(system, start, until=3.0, rtol=1e-11), system, masses

    one, _system, masses = run()
    rolled.setattr(model_system, "LARGE", 10**6)
    two, _, others = run()
    assert one.program.code == "rolled"
    assert one.outcome.complete
    assert len(one.switches) == len(two.switches) > 10
    np.testing.assert_allclose([s.t for s in one.switches], [s.t for s in two.switches], rtol=1e-9)
    ends = [run.at(3.0)[[p.position[0] for p in some]][0] for run, some in ((one, masses), (two, others))]
    np.testing.assert_allclose(*ends, rtol=1e-9)
    assert one.work().imbalance < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_what_begins_to_move_is_found_as_by_trying_everything(seed: int, rolled: pytest.MonkeyPatch):
    """From rest, under random pulls: as enumeration of all sides finds it, in masses that a bar couples."""
    random = np.random.default_rng(seed)
    pulls, levels = 1.5 * random.normal(size=4), random.uniform(0.2, 1.0, 4)

    def moved() -> np.ndarray:
        masses = [zm.Particle(f"m{k}", 1.0 + 0.3 * k) for k in range(4)]
        x = [p.position[0] for p in masses]
        forces = [rubbed(p, float(F), float(f)) for p, F, f in zip(masses, levels, pulls, strict=True)]
        bar = {"bar": x[0] + 2 * x[1] - x[2]}
        system = zm.System(masses, constraints=on_rails(masses) | bar, forces=forces)
        assert system.pieces is not None
        assert system.pieces.in_forces == system.large
        run = zm.simulate(system, system.start(), until=0.5)
        assert run.outcome.complete
        return run.at(0.5)[x][0]

    one = moved()
    rolled.setattr(model_system, "LARGE", 10**6)
    np.testing.assert_allclose(one, moved(), rtol=1e-12, atol=1e-15)


def test_rows_that_hold_the_same_motion_hold_it(rolled: pytest.MonkeyPatch):
    """Friction on both of two masses that one bar moves alike: who gives what is open, but not their sum."""
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(2)]
    bar = {"bar": masses[0].position[0] - masses[1].position[0] - 1.0}
    friction = [rubbed(p, 1.0) for p in masses]
    pulls = [zm.Force([0.3, 0, 0], at=p.position) for p in masses]
    system = zm.System(masses, constraints=on_rails(masses) | bar, forces=[*friction, *pulls])
    run = zm.simulate(system, system.start({masses[0].position[0]: 1.0}), until=1.0)
    assert run.outcome.complete
    assert not run.switches
    held = run.at([0.2, 0.9])[[acting.force[0] for acting in friction]]
    np.testing.assert_allclose(held.sum(axis=1), -0.6, rtol=1e-12)
    assert np.abs(held).max() <= 1.0


def test_a_switch_whose_force_acts_elsewhere_is_left_to_formulas(rolled: pytest.MonkeyPatch):
    """A brake that one mass's speed puts on another is no multiplier of a row: such systems are not rolled."""
    a, b = zm.Particle("a", 1.0), zm.Particle("b", 1.0)
    force = zm.Force([-np.sign(a.velocity[0]), 0, 0], at=b.position)
    system = zm.System([a, b], forces=force)
    run = zm.simulate(system, system.start({a.velocity[0]: 1.0}), until=1.0)
    assert run.program.code == "straight-line"
    assert run.at(1.0)[b.velocity[0]][0] == pytest.approx(-1.0, abs=1e-12)


def test_a_run_that_holds_is_read_again(tmp_path: Any, rolled: pytest.MonkeyPatch):
    p = zm.Particle("p", 1.0)
    friction = rubbed(p, 1.0, zm.t)
    system = zm.System([p], constraints=on_rails([p]), forces=friction)
    run = zm.simulate(system, system.start(), until=2.0)
    run.save(tmp_path / "held.nc")
    again = zm.load(tmp_path / "held.nc")
    np.testing.assert_allclose(again.at([0.5, 1.5])[friction.force[0]], [0.0, 0.5], atol=1e-12)
    np.testing.assert_array_equal(again.y, run.y)


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
def test_forces_that_switch_at_a_time_and_nowhere_else(rolled, method):
    """3 N for 0.15 s and then −1 N: x = 3 T₁²/2 + 3 T₁ (t − T₁) − (t − T₁)²/2. No function tells of such a switch."""
    p = zm.Particle("p", 1.0)
    system = zm.System([p], forces=[zm.Force((zm.where(zm.t < 0.15, 3.0, -1.0), 0, 0), at=p.position)])
    run = zm.simulate(system, system.start(), until=0.4, method=method)
    assert run.program.code == "rolled"
    assert [switch.t for switch in run.switches] == [0.15]
    left = 0.4 - 0.15
    exact = 3 * 0.15**2 / 2 + 3 * 0.15 * left - left**2 / 2
    assert abs(run.at(0.4)[p.position[0]][0] - exact) < 1e-12


def test_what_is_asked_for_may_have_kinks_and_accelerations(rolled):
    """A mass in the air: m ẍ = −c |ẋ| ẋ, and the drag and the inertia that it is asked for are one."""
    p = zm.Particle("p", 2.0)
    v, a = p.velocity[0], zm.acceleration(p.position[0])
    drag = 0.3 * abs(v) * v
    system = zm.System([p], forces=[zm.Force((-drag, 0, 0), at=p.position)])
    run = zm.simulate(system, system.start({v: 4.0}), until=1.0)
    assert run.program.code == "rolled"
    both = run.at([0.0, 0.4, 1.0])[np.array([drag + 2.0 * a, drag * a])]
    exact = 4.0 / (1 + 4.0 * 0.3 / 2.0 * np.array([0.0, 0.4, 1.0]))
    assert np.abs(both[:, 0]).max() < 1e-12
    assert np.abs(both[:, 1] + (0.3 * exact**2) ** 2 / 2.0).max() < 1e-9
