"""Systems whose formulas switch: the problems that every engine of zeromass must solve alike.

Each is a system, a start and an end. What happens in it is recorded in `data/switches.json` by `record.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import zeromass as zm

G = 9.81


class Problem(NamedTuple):
    """A motion over switches."""

    system: zm.System
    start: zm.State
    until: float


SWITCHES: dict[str, Callable[[], Problem]] = {}
"""Problems by name."""


def problem(build: Callable[[], Problem]) -> Callable[[], Problem]:
    SWITCHES[build.__name__] = build
    return build


def mass(force: Callable[[Any, Any], Any], place: float, speed: float, until: float, **more: Any) -> Problem:
    """A mass of 1 kg with a force of its place and speed."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    system = zm.System(kinetic=v**2 / 2, forces={x: force(x, v)}, **more)
    return Problem(system, system.start({x: place, v: speed}), until)


def blocks(pulls: Any, limits: Any, stiffness: float, until: float, speeds: Any = 0.0) -> Problem:
    """Masses of 1 kg in a row, pulled, with dry friction below them and springs between neighbours."""
    n = len(pulls)
    x = np.array(zm.coordinates(" ".join(f"x{k}" for k in range(n))))
    v, D = zm.rate(x), np.diff(np.eye(n), axis=0)
    friction = [-f * np.sign(each) for f, each in zip(limits, v, strict=True)]
    forces = {each: pull + rub for each, pull, rub in zip(x, pulls, friction, strict=True)}
    system = zm.System(kinetic=v @ v / 2, potential=stiffness * (D @ x) @ (D @ x) / 2, forces=forces)
    rates = dict(zip(v, np.broadcast_to(speeds, n).tolist(), strict=True))
    return Problem(system, system.start({**dict.fromkeys(x, 0.0), **rates}), until)


# dry friction ---------------------------------------------------------------------------------------------------------
@problem
def coulomb_oscillator() -> Problem:
    return mass(lambda x, v: -10 * x - 0.5 * np.sign(v), 1.0, 0.0, 6.0)


@problem
def coulomb_oscillator_of_many_swings() -> Problem:
    return mass(lambda x, v: -100 * x - 0.5 * np.sign(v), 1.0, 0.0, 40.0)


@problem
def block_that_never_moves() -> Problem:
    return mass(lambda x, v: 0.8 * np.sin(3 * zm.t) - np.sign(v), 0.0, 0.0, 5.0)


@problem
def block_that_is_pulled_until_it_slips() -> Problem:
    return mass(lambda x, v: zm.t - 1.5 * np.sign(v), 0.0, 0.0, 3.0)


@problem
def block_pulled_by_exactly_the_friction() -> Problem:
    return mass(lambda x, v: np.sin(zm.t) - np.sign(v), 0.0, 0.2, 10.0)


@problem
def block_on_an_incline_thrown_upwards() -> Problem:
    return mass(lambda x, v: -G * np.sin(0.3) - 0.5 * G * np.cos(0.3) * np.sign(v), 0.0, 3.0, 2.0)


@problem
def block_on_a_steep_incline_that_slides_back() -> Problem:
    return mass(lambda x, v: -G * np.sin(0.8) - 0.3 * G * np.cos(0.8) * np.sign(v), 0.0, 3.0, 2.0)


@problem
def stick_slip_on_a_belt() -> Problem:
    def force(x: Any, v: Any) -> Any:
        return -4 * x - np.sign(v - 0.5) * 1.5 / (1 + 0.4 * np.abs(v - 0.5))

    return mass(force, 0.0, 0.5, 12.0)


@problem
def belt_that_goes_to_and_fro() -> Problem:
    return mass(lambda x, v: -3 * x - 1.2 * np.sign(v - np.cos(zm.t)), 1.0, 0.0, 10.0)


@problem
def friction_that_pulsates() -> Problem:
    return mass(lambda x, v: 0.55 - (1 + 0.5 * np.sin(40 * zm.t)) * np.sign(v), 0.0, 0.0, 2.0)


@problem
def rack_of_two_blocks() -> Problem:
    return blocks([1.5, -0.4], [1.0, 1.0], 2.0, 3.0)


@problem
def rack_of_six_blocks() -> Problem:
    return blocks(np.linspace(-2.0, 2.0, 6), np.ones(6), 0.0, 2.0)


@problem
def rack_of_eight_blocks() -> Problem:
    return blocks(np.linspace(-2.0, 2.0, 8), np.ones(8), 0.0, 2.0)


@problem
def chain_of_six_blocks() -> Problem:
    return blocks([1.4, -0.2, 0.9, -1.8, 0.3, 2.2], np.ones(6), 3.0, 3.0)


@problem
def chain_of_three_blocks_struck_at_its_end() -> Problem:
    return blocks([0.0, 0.0, 0.0], [0.3, 0.3, 0.3], 20.0, 4.0, speeds=(3.0, 0.0, 0.0))


@problem
def stack_of_four_blocks() -> Problem:
    """Friction between each block and the one below it; the uppermost is pulled."""
    n = 4
    x = np.array(zm.coordinates(" ".join(f"x{k}" for k in range(n))))
    v, A, f = zm.rate(x), np.eye(n) - np.eye(n, k=-1), np.arange(n, 0.0, -1.0)
    F = 4.2 * np.sin(zm.t) * np.eye(n)[-1] - A.T @ np.array([a * np.sign(b) for a, b in zip(f, A @ v, strict=True)])
    system = zm.System(kinetic=v @ v / 2, forces=dict(zip(x, F, strict=True)))
    return Problem(system, system.start(dict.fromkeys(x, 0.0)), 8.0)


@problem
def four_pendula_with_dry_hinges() -> Problem:
    n = 4
    φ = np.array(zm.coordinates(" ".join(f"phi{k}" for k in range(n))))
    X, Y = np.cumsum(np.sin(φ)), -np.cumsum(np.cos(φ))
    kinetic = sum(zm.rate(a) ** 2 + zm.rate(b) ** 2 for a, b in zip(X, Y, strict=True)) / 2
    turns = zm.rate(φ) - np.array([0.0, *zm.rate(φ)[:-1]])
    torques = np.array([-0.4 * np.sign(turn) for turn in turns])
    forces = dict(zip(φ, torques - np.array([*torques[1:], 0.0]), strict=True))
    system = zm.System(kinetic=kinetic, potential=G * sum(Y), forces=forces)
    return Problem(system, system.start(dict(zip(φ, (0.4, 0.5, 0.2, -0.3), strict=True))), 4.0)


@problem
def friction_below_blocks_that_are_tied() -> Problem:
    """Two blocks on one rod: the motion is unique, the share of each friction is not."""
    x, y = zm.coordinates("x y")
    u, v = zm.rate(x), zm.rate(y)
    forces = {x: 3 * np.sin(zm.t) - np.sign(u), y: -np.sign(v)}
    system = zm.System(kinetic=(u**2 + v**2) / 2, constraints={"rod": y - x - 1}, forces=forces)
    return Problem(system, system.start({x: 0.0, u: 0.0}), 10.0)


# friction of unknown forces -------------------------------------------------------------------------------------------
def _rubbed(
    constraints: Callable[[Any], dict[str, Any]], along: Any, p: zm.Particle, μ: float, **given: Any
) -> zm.System:
    ideal = zm.System([p], constraints=constraints(p.position), **given)
    N = ideal.multipliers[0]
    force = zm.Force(-μ * abs(N) * np.sign(along @ p.velocity) * along, at=p.position)
    return zm.System([p], constraints=constraints(p.position), nonideal=force, **given)


@problem
def bead_on_a_bent_wire_with_friction() -> Problem:
    p = zm.Particle("bead", mass=0.7)
    X, _, _ = p.position
    along = np.array([1, 0, 0.4 * X]) / (1 + 0.16 * X**2) ** 0.5
    system = _rubbed(lambda q: {"wire": q[2] - 0.2 * q[0] ** 2, "plane": q[1]}, along, p, 0.15, gravity=G)
    return Problem(system, system.start({X: 1.0, zm.rate(X): 0.0}), 4.0)


@problem
def bead_on_a_rotating_rod_with_friction() -> Problem:
    p, Ω = zm.Particle("bead", mass=0.7), 1.5
    along = np.array([np.cos(Ω * zm.t), np.sin(Ω * zm.t), 0])
    normal = np.array([-np.sin(Ω * zm.t), np.cos(Ω * zm.t), 0])
    system = _rubbed(lambda q: {"wire": normal @ q, "plane": q[2]}, along, p, 0.3)
    return Problem(system, system.start([(p.position, (1.0, 0, 0)), (along @ p.velocity, -0.8)]), 1.6)


@problem
def block_pressed_to_a_wall() -> Problem:
    p = zm.Particle("block", mass=2.0)
    push = zm.Force((90 * np.cos(zm.t), 0, 0), at=p.position)
    system = _rubbed(lambda q: {"wall": q[0], "guide": q[1]}, np.array([0, 0, 1]), p, 0.5, gravity=G, forces=push)
    z = p.position[2]
    return Problem(system, system.start({z: 0.0, zm.rate(z): 0.0}), 3.2)


# kinks, backlash, stops that are springs ------------------------------------------------------------------------------
@problem
def bang_bang() -> Problem:
    return mass(lambda x, v: -2.3 * np.sign(x), 1.1, 0.0, 9.0)


@problem
def backlash() -> Problem:
    return mass(lambda x, v: -49 * (np.maximum(x - 0.4, 0.0) + np.minimum(x + 0.4, 0.0)), 0.0, 1.5, 6.0)


@problem
def floor_that_only_pushes() -> Problem:
    return mass(lambda z, v: -G + zm.where(z < 0, -225 * z, 0.0), 1.0, 0.0, 4.0)


@problem
def damper_that_only_brakes() -> Problem:
    return mass(lambda x, v: -4 * x - np.maximum(v, 0.0), 1.0, 0.0, 10.0)


@problem
def spring_that_yields() -> Problem:
    return mass(lambda x, v: np.maximum(np.minimum(-4 * x, 1.0), -1.0) - 0.1 * v, 1.0, 0.0, 12.0)


@problem
def friction_beyond_a_gap() -> Problem:
    def force(x: Any, v: Any) -> Any:
        return -x - 0.8 * np.maximum(np.abs(x) - 0.3, 0.0) * np.sign(v)

    return mass(force, 1.0, 0.0, 9.0)


@problem
def wall_and_friction() -> Problem:
    return mass(lambda x, v: -50 * np.maximum(x - 0.5, 0.0) - x - 0.2 * np.sign(v), 0.0, 3.0, 8.0)


@problem
def van_der_pol_that_is_piecewise_linear() -> Problem:
    return mass(lambda x, v: -x - zm.where(np.abs(x) < 1, -1.0, 2.0) * v, 0.1, 0.0, 15.0)


@problem
def stairs_in_space() -> Problem:
    return mass(lambda x, v: 0.1 * np.floor(3 * x) - x, 0.0, 2.0, 6.0)


@problem
def pulses_in_space() -> Problem:
    return mass(lambda x, v: zm.where(np.sin(60 * x) > 0.95, 1.0, 0.0), 0.0, 1.0, 1.0)


@problem
def relay_with_a_sliding_mode() -> Problem:
    """u = −sgn(x + v): the motion reaches x + v = 0 and slides along it, x = e^{−t}."""
    return mass(lambda x, v: -2 * np.sign(x + v), 1.0, 0.0, 5.0)


@problem
def relay_that_is_too_weak_to_slide() -> Problem:
    return mass(lambda x, v: 0.5 * np.sin(3 * zm.t) - 0.3 * np.sign(x + v), 1.0, 0.0, 6.0)


@problem
def two_sliding_modes_at_once() -> Problem:
    x, y = zm.coordinates("x y")
    u, v = zm.rate(x), zm.rate(y)
    forces = {x: -2 * np.sign(x + u) + 0.3 * y, y: -3 * np.sign(y + 2 * v)}
    system = zm.System(kinetic=(u**2 + v**2) / 2, forces=forces)
    return Problem(system, system.start({x: 1.0, y: -0.7}), 5.0)


@problem
def grazing_a_wall() -> Problem:
    """A swing to within 1e-3 of a wall, which it does not touch, and one that does."""
    return mass(lambda x, v: -x - 1e3 * np.maximum(x - 1.001, 0.0) + 0.01 * zm.where(zm.t > 7, v, 0.0), 1.0, 0.0, 25.0)


# functions of time ----------------------------------------------------------------------------------------------------
@problem
def push_that_ends() -> Problem:
    return mass(lambda x, v: zm.where(zm.t < 1.2, 2.0, 0.0) - x, 0.0, 0.0, 4.0)


@problem
def pulse_of_a_microsecond() -> Problem:
    return mass(lambda x, v: zm.where((zm.t > 5) & (zm.t < 5 + 1e-6), 1e6, 0.0), 0.0, 0.0, 10.0)


@problem
def saw_tooth() -> Problem:
    return mass(lambda x, v: zm.t % 0.05 - 0.1 * x, 0.0, 0.0, 3.0)


@problem
def square_wave_and_stairs() -> Problem:
    push = np.sign(np.cos(1.9 * zm.t + 0.3)) + 0.1 * np.floor(1.7 * zm.t)
    return mass(lambda x, v: push - x - 0.3 * v, 0.0, 0.0, 6.0)


@problem
def friction_that_begins() -> Problem:
    return mass(lambda x, v: -x - zm.where(zm.t > 2.0, 0.5, 0.0) * np.sign(v), 1.0, 0.0, 9.0)


# constraints and masses that switch -----------------------------------------------------------------------------------
def plane_particle(
    constraint: Callable[[Any, Any], Any], potential: Callable[[Any, Any], Any]
) -> tuple[Any, Any, zm.System]:
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    return x, y, zm.System(kinetic=kinetic, potential=potential(x, y), constraints={"wire": constraint(x, y)})


@problem
def bead_on_a_wire_with_a_corner() -> Problem:
    x, y, system = plane_particle(lambda x, y: y - 0.2 * np.abs(x) - 0.1 * x**2, lambda x, y: 2 * y)
    return Problem(system, system.start({x: -0.6, zm.rate(x): 0.3}, guess={y: 0.3}), 3.0)


@problem
def bead_that_meets_a_ramp() -> Problem:
    x, _, system = plane_particle(lambda x, y: y - np.maximum(0.5 * x, 0.0), lambda x, y: G * y)
    return Problem(system, system.start({x: -1.0, zm.rate(x): 3.0}), 1.0)


@problem
def bead_on_a_wire_like_an_l() -> Problem:
    x, y, system = plane_particle(lambda x, y: np.minimum(x, y), lambda x, y: y - 1.5 * x)
    return Problem(system, system.start({y: 0.4, zm.rate(y): 0.0}, guess={x: 0.0}), 2.0)


@problem
def drive_that_turns_at_once() -> Problem:
    _, y, system = plane_particle(lambda x, y: x - np.abs(zm.t - 1), lambda x, y: 50 * (y - x) ** 2)
    return Problem(system, system.start({y: 1.0, zm.rate(y): -1.0}), 2.0)


@problem
def mass_that_grows() -> Problem:
    x, y = zm.coordinates("x y")
    late: Any = zm.t - 0.5
    M = np.array([[1 + 3 * np.maximum(late, 0), 0], [0, zm.where(zm.t < 1.2, 2.0, 3.0)]])
    system = zm.System(M=M, Q=[-4 * x, 1.0 - y], coordinates=[x, y])
    return Problem(system, system.start({x: 1.0, y: 0.5, zm.rate(y): 1.0}), 2.5)


@problem
def gear_over_the_cut_of_an_angle() -> Problem:
    x, y, φ = zm.coordinates("x y phi")
    v = zm.rate
    kinetic = (v(x) ** 2 + v(y) ** 2) / 2 + v(φ) ** 2
    constraints = {"circle": (x**2 + y**2 - 1) / 2, "gear": φ - np.arctan2(y, x)}  # type: ignore
    system = zm.System(kinetic=kinetic, potential=2.0 * y, constraints=constraints)
    return Problem(system, system.start({x: 1.0, φ: 0.0, v(φ): 5.0}, guess={x: 1.0}), 6.0)


# joints ---------------------------------------------------------------------------------------------------------------
@problem
def hinge_with_dry_friction() -> Problem:
    rod = zm.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), at=(0, 0, -0.5))
    hinge = zm.joints.Revolute(zm.Ground(), rod, at=(0, 0, 0), axis=(0, 1, 0))
    system = zm.System([rod], joints=[hinge], gravity=G, forces=[hinge.friction(0.6)])
    return Problem(system, system.start({hinge.angle: 1.2, hinge.rate: 0.0}), 5.0)


# endings other than the end -------------------------------------------------------------------------------------------
@problem
def energy_that_jumps() -> Problem:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=zm.where(x > 0, 1.0, 0.0), forces={x: 0.5})
    return Problem(system, system.start({x: -1.0}), 9.0)


@problem
def two_motions_from_one_state() -> Problem:
    return mass(lambda x, v: np.sign(x), 0.0, 0.0, 3.0)


@problem
def constraint_that_jumps() -> Problem:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, constraints={"drive": x - zm.where(zm.t < 1, 0.0, 0.25)})
    return Problem(system, system.start(), 2.0)


@problem
def bead_that_comes_to_rest_in_a_corner() -> Problem:
    x, y, system = plane_particle(lambda x, y: y - 0.8 * np.abs(x) - 0.1 * x**2, lambda x, y: 2 * y)
    return Problem(system, system.start({x: 0.7, zm.rate(x): 0.3}, guess={y: 0.3}), 3.0)
