"""States of rest and of steady motion: forces balance there, runs stay there, and what can not be is named."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm

G = 9.81


def test_rest_is_where_the_potential_does_not_change():
    """∂V/∂q along the constraints is zero, and a run from there does not move; a chain of rods with a massless marker."""
    p = [zm.Particle(f"p{i}", 0.5 + i) for i in range(3)]
    mark = zm.Particle("mark", 0.0)
    places = [np.zeros(3), *[one.position for one in p], np.array([1.5, 0.0, 0.2])]
    rods = {f"rod {i}": (b - a) @ (b - a) - 0.64 for i, (a, b) in enumerate(pairwise(places))}
    constraints = {**rods, "twice": 2 * rods["rod 1"], "mark": mark.position - (p[0].position + p[1].position) / 2}
    system = zm.System([*p, mark], gravity=G, constraints=constraints)
    deep = [(0.3, 0.0, -0.75), (0.75, 0.0, -1.3), (1.3, 0.0, -0.6)]
    guess = [(one.position, place) for one, place in zip(p, deep, strict=True)]
    rest = system.equilibrium(guess=guess)
    assert max(abs(x) for x in rest.residuals.values()) < 1e-14
    _, Q, A, _, _ = rest.matrices
    assert np.abs(Q - A.T @ np.linalg.lstsq(A.T, Q, rcond=None)[0]).max() < 1e-12
    run = zm.simulate(system, rest, until=1.0)
    assert np.abs(run.y - run.y[0]).max() < 1e-9
    assert zm.analysis.linearize(system, rest).stability() == "marginal"


def test_what_is_prescribed_is_held_by_what_may_change():
    """A slider on a curved rail, y(x): the force that holds it at x, or at y, is V′(x)."""
    x, y = zm.coordinates("x y")
    F = zm.parameter("F", 0.0)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=3 * y,
        forces={x: F},
        constraints={"rail": y - x**3 + x},
    )
    rest = system.equilibrium({x: 0.8}, by=[F])
    assert abs(rest.parameters[F] - 3 * (3 * 0.64 - 1)) < 1e-13
    rest = system.equilibrium({y: -0.3}, by=[F], guess={x: 0.4})
    assert abs(rest[y] + 0.3) < 1e-14
    assert abs(rest.parameters[F] - 3 * (3 * rest[x] ** 2 - 1)) < 1e-12


def test_conical_pendulum():
    """ω² = g/(L cos α): height and speed stay constant, and so they do in a run of one turn."""
    L, α = 1.2, 0.6
    bob = zm.Particle("bob", 2.0)
    x, y, z = bob.position
    vx, vy, _ = bob.velocity
    system = zm.System([bob], gravity=G, constraints={"string": bob.position @ bob.position - L**2})
    turn = (x * vy - y * vx) / (x**2 + y**2)
    steady = system.equilibrium(
        {z: -L * np.cos(α)}, constant={"height": z, "turn": turn}, guess={x: 0.7, y: 0.0, zm.rate(y): 2.0}
    )
    assert abs(steady[turn] ** 2 - G / (L * np.cos(α))) < 1e-9
    run = zm.simulate(system, steady, until=2 * np.pi / abs(steady[turn]), rtol=1e-12, atol=1e-14)
    assert np.abs(run.y[-1] - run.y[0]).max() < 1e-8


def test_steady_precession_of_a_top():
    """(C ω₃ − A Ω cos α) Ω = m g l, ω₃ the spin about the axis [Goldstein, sec. 5.7]."""
    m, l, A, C, Ω = 0.5, 0.1, 0.008, 0.0025, 2.0
    top = zm.RigidBody("top", m, (A - m * l**2, A - m * l**2, C))
    system = zm.System([top], gravity=G, constraints={"tip": top.point((0.0, 0.0, -l))})
    axis = top.rotate((0.0, 0.0, 1.0))
    e1, e2, e3 = axis
    turn = (e1 * zm.rate(e2) - e2 * zm.rate(e1)) / (e1**2 + e2**2)
    spin = top.angular_velocity @ axis
    α = 0.7
    steady = system.equilibrium(
        {e3: np.cos(α), turn: Ω},
        constant={"tilt": e3, "turn": turn, "spin": spin},
        guess=[(top.quaternion, (np.cos(α / 2), 0.0, np.sin(α / 2), 0.0)), (top.position, (0.06, 0, 0.08))],
    )
    assert abs((C * steady[spin] - A * Ω * np.cos(α)) * Ω - m * G * l) < 1e-10


def test_a_rolling_hoop_in_a_circle():
    """A hoop that leans in a circle: in the run of it lean, turn and spin stay constant."""
    R, m = 0.4, 3.0
    hoop = zm.RigidBody("hoop", m, (m * R**2 / 2, m * R**2, m * R**2 / 2))
    axle = hoop.rotate((0.0, 1.0, 0.0))
    down = np.array([0.0, 0.0, 1.0]) - axle[2] * axle
    lowest = -R * down / np.sqrt(down @ down)
    system = zm.System(
        [hoop],
        gravity=G,
        constraints={
            "contact": hoop.position[2] + lowest[2],
            "rolling": (hoop.velocity + np.cross(hoop.angular_velocity, lowest))[:2],
        },
    )
    lean, spin = np.arcsin(axle[2]), hoop.angular_velocity @ axle
    turn = (axle[0] * zm.rate(axle[1]) - axle[1] * zm.rate(axle[0])) / (axle[0] ** 2 + axle[1] ** 2)
    α = 0.3
    steady = system.equilibrium(
        {lean: α, spin: 8.0},
        constant={"lean": lean, "turn": turn, "spin": spin},
        guess=[(hoop.quaternion, (np.cos(α / 2), np.sin(α / 2), 0, 0)), (hoop.position[2], R * np.cos(α))],
    )
    assert abs(steady[turn]) > 0.1
    run = zm.simulate(system, steady, until=3.0, rtol=1e-12, atol=1e-14)
    for e in (lean, turn, spin):
        assert np.ptp(run[e]) < 1e-9


def test_an_equilibrium_that_can_not_be_reached():
    x, y = zm.coordinates("x y")
    slope = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=2 * y, constraints={"incline": y - x})
    with pytest.raises(zm.errors.StartError, match=r"no such rest: no state satisfies .*balance of forces on"):
        slope.equilibrium()
    moved = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2, constraints={"moved": x - zm.t})
    with pytest.raises(zm.errors.StartError, match=r"rate of moved.*name what stays constant"):
        moved.equilibrium()
    with pytest.raises(zm.errors.StartError, match=r"'rate\(x\)' is prescribed, and at rest nothing moves"):
        slope.equilibrium({zm.rate(x): 1.0})
    with pytest.raises(zm.errors.ModelError, match="'k' is no parameter of the system"):
        slope.equilibrium(by=[zm.parameter("k", 1.0)])


def test_what_rests_for_a_moment_only_is_no_equilibrium():
    x, y = zm.coordinates("x y")
    pushed = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2, forces={x: zm.t})
    with pytest.raises(zm.errors.StartError, match="rests for a moment only: the force on 'x' changes"):
        pushed.equilibrium()
    two = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=x * y)
    with pytest.raises(zm.errors.StartError, match="does not stay constant"):
        two.equilibrium({y: 0.0, zm.rate(y): 1.0}, constant=[x])
    with pytest.raises(zm.errors.ModelError, match="contains neither"):
        two.equilibrium(constant=[zm.t])


def test_one_mechanism_in_three_kinds_of_coordinates():
    """A four-bar that hangs, in pins, in angles and in three rods: the same places, and the same eigenvalues."""
    from integrate.mechanisms import closed, four_bar_angles, four_bar_rods, four_bar_tips, u

    bars = (0.5, 1.1, 0.8, 1.0)
    angle = -1.4
    coupler, rocker = closed(bars, angle, -1.0)
    A = bars[0] * u(angle)
    B = A + bars[1] * u(coupler)
    found = []
    for make in (four_bar_tips, four_bar_angles, four_bar_rods):
        system, pins, *parts = make(bars)
        if make is four_bar_tips:
            guess = [(system.coordinates, [*A, *B])]
        elif make is four_bar_angles:
            guess = [(system.coordinates, [angle, coupler, rocker])]
        else:
            middle = [A / 2, (A + B) / 2, np.array([bars[3], 0.0]) / 2 + B / 2]
            angles = [angle, coupler, rocker]
            guess = [(part, [*place, s]) for part, place, s in zip(parts[0], middle, angles, strict=True)]
        rest = system.equilibrium(guess=guess)
        found.append((rest[pins], zm.analysis.linearize(system, rest).eigenvalues))
    for places, λ in found[1:]:
        assert np.abs(places - found[0][0]).max() < 1e-13
        assert np.abs(λ - found[0][1]).max() < 1e-11
    assert np.abs(found[0][1].imag).max() > 1.0


def test_a_mechanism_whose_rows_depend_on_one_another_on_the_constraints_only():
    """A parallelogram of bodies in space, with too many hinges: ω² = g (m₁/2 + m₂ + m₃/2)/(l (m₁/3 + m₂ + m₃/3))."""
    from integrate.mechanisms import hinged_in_space

    l, masses = 0.6, np.array([1.0, 2.0, 1.5])
    system, start, _ = hinged_in_space(l, 1.0, masses, -np.pi / 2, 0.0)
    rest = system.equilibrium(guess=[(system.coordinates, start.q)])
    λ = zm.analysis.linearize(system, rest).eigenvalues
    ω = np.sqrt(G * (masses @ [0.5, 1.0, 0.5]) / (l * (masses @ [1 / 3, 1.0, 1 / 3])))
    assert np.abs(np.sort_complex(λ) - [-1j * ω, 1j * ω]).max() < 1e-11
