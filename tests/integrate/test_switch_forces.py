"""Friction from the force of the constraint that it goes with, μ |N| against the motion: N is unknown beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import zeromass as zm
from cases import few
from zeromass.model import System

G = 9.81
TIGHT = {"rtol": 1e-12, "atol": 1e-14}
METHODS = ["collocation", "dop853", "radau"]


def rubbed(
    p: zm.Particle, normal, along, μ: float, *, by: str = "reaction", **given
) -> tuple[System, zm.expression.Expression]:
    """A particle under constraints, with friction μ |N| against its speed along them, and N.

    by  how N is written: with the accelerations, or with the multiplier of "wire", whose gradient is the normal
    """
    ideal = System([p], **given)
    N = normal @ ideal.reaction.on(p.position) if by == "reaction" else ideal.multipliers[0]
    force = -μ * abs(N) * np.sign(along @ p.velocity) * along
    return System([p], nonideal=zm.Force(force, at=p.position), **given), N


def plane(p: zm.Particle) -> dict:
    return {"plane": p.position[2]}


@pytest.mark.parametrize("by", ["reaction", "multiplier"])
@pytest.mark.parametrize("method", METHODS)
def test_a_bead_on_a_rotating_rod(method, by):
    """r¨ = Ω² r ∓ 2 μ Ω r˙, N = 2 m Ω r˙: thrown inwards it turns where the speed and N vanish together.

    r = a e^{pt} + b e^{qt},   p, q = Ω(∓μ ± √(1 + μ²)) on the ways in and out
    """
    Ω, μ, r0, v0 = 1.5, 0.3, 1.0, -0.8
    p = zm.Particle("bead", mass=0.7)
    along, normal = (
        np.array([np.cos(Ω * zm.t), np.sin(Ω * zm.t), 0]),
        np.array([-np.sin(Ω * zm.t), np.cos(Ω * zm.t), 0]),
    )
    constraints = {"wire": normal @ p.position, **plane(p)}
    system, N = rubbed(p, normal, along, μ, by=by, constraints=constraints)
    rate = along @ p.velocity
    start = system.start([(p.position, (r0, 0, 0)), (rate, v0)])

    def way(r, v, sign):
        """Position and rate after a time, from r and v, with friction against `sign`."""
        roots = Ω * (-sign * μ + np.array([1, -1]) * np.hypot(1, μ))
        a, b = np.linalg.solve([[1, 1], roots], [r, v])
        return lambda t: (
            a * np.exp(roots[0] * t) + b * np.exp(roots[1] * t),
            roots[0] * a * np.exp(roots[0] * t) + roots[1] * b * np.exp(roots[1] * t),
        )

    # 2 μ Ω |r˙| against r˙: −2 μ Ω r˙ on both ways
    inwards = way(r0, v0, 1.0)
    turn = brentq(lambda t: inwards(t)[1], 0.0, 2.0, xtol=1e-15)
    outwards = way(inwards(turn)[0], 0.0, 1.0)
    run = zm.simulate(system, start, until=turn + 1.0, method=method, **TIGHT)
    assert run.outcome.ending == "finished"
    assert {round(switch.t, 9) for switch in run.switches} == {round(turn, 9)}
    for t in (0.5 * turn, turn + 0.3, turn + 1.0):
        r, v = inwards(t) if t < turn else outwards(t - turn)
        sampled = run.at([t])
        assert sampled[along @ p.position][0] == pytest.approx(r, abs=1e-10)
        assert sampled[N][0] == pytest.approx(2 * 0.7 * Ω * v, abs=1e-9)


def test_a_bead_that_starts_at_rest_where_the_force_is_zero_too():
    Ω, μ = 2.0, 0.4
    p = zm.Particle("bead", mass=1.0)
    along, normal = (
        np.array([np.cos(Ω * zm.t), np.sin(Ω * zm.t), 0]),
        np.array([-np.sin(Ω * zm.t), np.cos(Ω * zm.t), 0]),
    )
    system, _ = rubbed(p, normal, along, μ, constraints={"wire": normal @ p.position, **plane(p)})
    run = zm.simulate(system, system.start([(p.position, (1, 0, 0)), (along @ p.velocity, 0.0)]), until=1.0, **TIGHT)
    roots = Ω * (-μ + np.array([1, -1]) * np.hypot(1, μ))
    a, b = np.linalg.solve([[1, 1], roots], [1, 0])
    assert run.at([1.0])[along @ p.position][0] == pytest.approx(a * np.exp(roots[0]) + b * np.exp(roots[1]), abs=1e-10)


@pytest.mark.parametrize("by", few(["reaction", "multiplier"]))
@pytest.mark.parametrize("method", METHODS)
def test_a_block_that_is_pressed_to_a_wall_more_and_less(method, by):
    """P cos t: it sticks while μ |P cos t| > m g, slips, the wall's force changes its sign, and it sticks again.

    z˙ = −g (t − t₁) + (μ P/m) ∫ |cos|
    """
    m, μ, P = 2.0, 0.5, 90.0
    block = zm.Particle("block", mass=m)
    x, y, z = block.position
    given = {
        "constraints": {"wire": x, "guide": y},
        "gravity": G,
        "forces": zm.Force((P * np.cos(zm.t), 0, 0), at=block.position),
    }
    system, N = rubbed(block, np.array([1, 0, 0]), np.array([0, 0, 1]), μ, by=by, **given)
    t1 = np.arccos(m * G / (μ * P))

    def speed(t):
        up = np.sin(t) - np.sin(t1) if t < np.pi / 2 else 2 - np.sin(t) - np.sin(t1)
        return -G * (t - t1) + μ * P / m * up

    def height(t):
        def whole(t):
            return -np.cos(t) if t < np.pi / 2 else 2 * (t - np.pi / 2) + np.cos(t)

        return -G * (t - t1) ** 2 / 2 + μ * P / m * (whole(t) - whole(t1) - np.sin(t1) * (t - t1))

    t2 = brentq(speed, np.pi / 2 + 0.1, np.pi, xtol=1e-15)
    run = zm.simulate(system, system.start({z: 0.0, zm.rate(z): 0.0}), until=3.2, method=method, **TIGHT)
    assert run.outcome.ending == "finished"
    times = sorted({round(switch.t, 9) for switch in run.switches})
    assert times == [round(t, 9) for t in (t1, np.pi / 2, t2)]
    sampled = run.at([0.5, 1.5, 1.8, 3.2])
    assert sampled[z] == pytest.approx([0.0, height(1.5), height(1.8), height(t2)], abs=1e-11)
    assert sampled[N] == pytest.approx(-P * np.cos(sampled.t), abs=1e-9)
    friction = sampled[zm.acceleration(z)] * m + m * G
    assert friction[[0, 3]] == pytest.approx(m * G, abs=1e-9)  # it holds
    assert friction[[1, 2]] == pytest.approx(μ * P * np.abs(np.cos([1.5, 1.8])), abs=1e-9)


def around_a_circle(θ: float, u: float, μ: float, R: float, until: float) -> tuple[float, float, list[float]]:
    """Angle and its rate after some time, and when N or the rate changes its sign, by another program that starts anew.

    θ¨ = −(g/R) sin θ − μ |θ˙² + (g/R) cos θ| sgn θ˙
    """
    t, y, times = 0.0, np.array([θ, u]), []

    def force(t, y):
        return y[1] ** 2 + G / R * np.cos(y[0])

    def turns(t, y):
        return y[1]

    force.terminal = turns.terminal = True
    while t < until:
        way, push = np.sign(y[1]), np.sign(force(t, y))

        def slope(t, y, way=way, push=push):
            return [y[1], -G / R * np.sin(y[0]) - μ * push * force(t, y) * way]

        if not way:
            if abs(np.tan(y[0])) < μ:
                break
            y = y - [0.0, 1e-13 * np.sin(y[0])]
            continue
        found = solve_ivp(slope, (t, until), y, "DOP853", rtol=1e-13, atol=1e-15, events=[force, turns])
        t, y = found.t[-1], found.y[:, -1].copy()
        if t < until:
            times.append(t)
            if len(found.t_events[1]):
                y[1] = 0.0
            else:
                y = y + 1e-13 * np.array(slope(t, y))
                t += 1e-13
    return float(y[0]), float(y[1]), times


@pytest.mark.parametrize("by", few(["reaction", "multiplier"]))
@pytest.mark.parametrize("speed", [4.0, 7.2])
def test_a_bead_on_a_vertical_circle(by, speed):
    """Over the top once, slowly, where the wire pushes outwards; to and fro, and it sticks."""
    R, μ, until = 0.8, 0.12, 4.0
    bead = zm.Particle("bead", mass=0.3)
    x, y, z = bead.position
    toward, along = np.array([-x, 0, -z]) / R, np.array([-z, 0, x]) / R
    constraints = {"wire": (R**2 - x**2 - z**2) / (2 * R), "plane": y}
    system, N = rubbed(bead, toward, along, μ, by=by, gravity=G, constraints=constraints)
    start = system.start([(bead.position, (0, 0, -R)), (along @ bead.velocity, speed)])
    run = zm.simulate(system, start, until=until, **TIGHT)
    assert run.outcome.ending == "finished"
    θ, u, times = around_a_circle(0.0, speed / R, μ, R, until)
    assert sorted({round(switch.t, 7) for switch in run.switches}) == [round(t, 7) for t in times]
    assert run.at([until])[bead.position][0] == pytest.approx([R * np.sin(θ), 0, -R * np.cos(θ)], abs=1e-8)
    assert run.at([until])[along @ bead.velocity][0] == pytest.approx(R * u, abs=1e-8)
    work = run.work()
    assert work.change[-1] < 0
    assert work.imbalance < 1e-9
    assert np.all((run[N] > 0).any() and ((run[N] < 0).any() or speed < 5))


def rod(μ: float) -> tuple[System, zm.expression.Expression, zm.expression.Expression]:
    """Painlevé's: a thin rod of length 2 and mass 1, one end of which slides on a table and can not leave it."""
    x, y, θ = q = zm.coordinates("x y theta")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2 + zm.rate(θ) ** 2 / 6
    tip, height = x - np.cos(θ), y - np.sin(θ)
    given = {"kinetic": kinetic, "potential": G * y, "constraints": {"table": height}, "coordinates": [*q]}
    N = System(**given).multipliers[0]
    force = -μ * abs(N) * np.sign(zm.rate(tip))
    return System(**given, nonideal={x: force, θ: force * np.sin(θ)}), N, zm.rate(tip)


def signs_that_are_right(μ: float, θ: float, ω: float, way: float) -> list[float]:
    """N = s |N| of the equation of the tip: 0 = y¨ − (sin θ)¨ with F = −μ |N| `way` along the table.

    y¨ = N − g,   θ¨ = 3 (−N cos θ + F sin θ),   0 = y¨ − θ¨ cos θ + ω² sin θ
    """
    found = []
    for s in (1.0, -1.0):
        c = 1 + 3 * np.cos(θ) ** 2 + 3 * μ * s * way * np.sin(θ) * np.cos(θ)
        N = (G - ω**2 * np.sin(θ)) / c
        if N * s > 0:
            found.append(N)
    return found


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("ω", [0.0, 5.0])
@pytest.mark.parametrize("μ", [0.4, 1.2, 2.5])
def test_painleves_rod_has_one_motion_several_or_none(μ, ω, way):
    θ = 1.1
    system, N, tip = rod(μ)
    x, _, angle = system.coordinates
    start = system.start({x: 0.0, angle: θ, zm.rate(angle): ω, tip: way * 2.0})
    right = signs_that_are_right(μ, θ, ω, way)
    if len(right) == 1:
        assert start[N] == pytest.approx(right[0], rel=1e-12)
        run = zm.simulate(system, start, until=0.01)
        assert run.outcome.ending == "finished"
        return
    assert μ == 2.5
    with pytest.raises(zm.errors.ModelError, match="Painlevé"):
        _ = start[N]
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, start, until=0.01)
    assert run.outcome.ending == "ambiguous"
    assert ("no sign" if not right else "2 signs") in run.outcome.message


def test_a_rod_that_comes_to_where_friction_and_constraint_contradict_one_another():
    """A named outcome, and a motion that keeps its energy's balance up to there."""
    system, _N, tip = rod(2.5)
    x, _, θ = system.coordinates
    start = system.start({x: 0.0, θ: 0.5, zm.rate(θ): 1.5, tip: -6.0})
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, start, until=3.0)
    assert not run.outcome.complete
    assert run.outcome.ending in ("ambiguous", "singular branch", "step too small")
    assert run.work().imbalance < 1e-6


def test_a_force_that_is_no_line_in_the_unknown_force_on_any_piece_is_refused():
    x, y = q = zm.coordinates("x y")
    given = {"kinetic": zm.rate(x) ** 2 + zm.rate(y) ** 2, "constraints": {"line": y}, "coordinates": [*q]}
    N = System(**given).multipliers[0]
    with pytest.raises(zm.errors.ModelError, match="not linear"):
        System(**given, nonideal={x: -(abs(N) ** 1.5)})
    stepped = System(**given, nonideal={x: -np.floor(N)})
    with pytest.raises(zm.errors.ModelError, match="steps of an unknown force"):
        _ = stepped.pieces


def test_redundant_constraints_do_not_tell_their_multipliers():
    p = zm.Particle("p", mass=1.0)
    given = {"gravity": G, "constraints": {"wire": p.position[2], "again": 2 * p.position[2]}}
    system, _ = rubbed(p, np.array([0, 0, 1]), np.array([1, 0, 0]), 0.3, by="multiplier", **given)
    start = system.start([(p.velocity, (1.0, 0, 0))])
    with pytest.raises(zm.errors.ModelError, match="share their forces"):
        zm.simulate(system, start, until=1.0)


def test_a_start_on_a_kink_of_time_with_dry_friction_beside_it():
    """A drive that turns at once at t = 0, and a block that rubs: rates are those with which it goes on."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    drive = {"drive": x - np.abs(zm.t)}
    system = zm.System(kinetic=kinetic, constraints=drive, forces={y: 2.0 - np.sign(zm.rate(y))})
    start = system.start({y: 0.0, zm.rate(y): 0.0})
    assert start[zm.rate(x)] == 1.0
    run = zm.simulate(system, start, until=2.0)
    assert run.at(2.0)[np.array([x, y])][0] == pytest.approx([2.0, 2.0], abs=1e-9)
