"""Particles that slide, leave, fly and land: bouncing balls, beads and billiards against exact solutions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import zeromass as zm

g = 10.0


def particle() -> zm.Particle:
    return zm.Particle("ball", mass=0.2)


def about(run: zm.Run, ball: zm.Particle, x: float) -> np.ndarray:
    """Angular momentum about (x, 0), by mass."""
    (X, Y, _), (U, V, _) = run[ball.position].T, run[ball.velocity].T
    return (X - x) * V - Y * U


# bounces -----------------------------------------------------------------------------------------------------------
def test_a_ball_bounces_at_its_times_and_comes_to_rest():
    """Dropped from 5 m it lands after 1 s; each flight is e times as long as the one before: all end 2 e/(1 − e) s later.

    Those that are lower than 1e-12 m are left out.
    """
    e, ball = 0.5, particle()
    table = zm.Sliding(ball, on=zm.surfaces.plane(), gravity=g, restitution=e)
    run = zm.simulate(table, table.start(position=(0.0, 0.0, 5.0)), until=4.0, rtol=1e-12)
    expected = 1.0 + np.concatenate([[0.0], np.cumsum(2 * e ** np.arange(1, 18))])
    assert np.abs(np.array(run.changes[:18]) - expected).max() <= 1e-12
    (end,) = [event.t for event in run.events if event.name == "bounces end"]
    assert end == run.changes[-1] == pytest.approx(3.0 - 4 * e**22, abs=1e-12)
    assert run.modes == ("flying",) * 22 + ("sliding",)
    assert np.array([p.impulses[0] for p in run.impulses[:8]]) == pytest.approx(3.0 * e ** np.arange(8), rel=1e-11)
    assert np.array([p.energy for p in run.impulses[:8]]) == pytest.approx(-7.5 * e ** (2 * np.arange(8)), rel=1e-11)
    assert run.certificate().digits > 12


def test_on_a_plate_that_is_shaken():
    """z = a sin ωt: times and velocities of the bouncing-ball map, each zero found by bisection."""
    a, ω, e, ball = 0.01, 30.0, 0.8, particle()
    plate = zm.Surface(lambda X, Y: 0.0 * X, shift=(0.0, 0.0, a * np.sin(ω * zm.t)), name="plate")
    shaken = zm.Sliding(ball, on=plate, gravity=g, restitution=e)
    run = zm.simulate(shaken, shaken.start(position=(0.0, 0.0, 0.1)), until=1.0, rtol=1e-12)
    t, z, v = 0.0, 0.1, 0.0
    for k in range(6):
        after = np.linspace(1e-4, 1.0, 20_001)
        height = z + v * after - g * after**2 / 2 - a * np.sin(ω * (t + after))
        low, high = after[np.argmax(height < 0.0) - 1], after[np.argmax(height < 0.0)]
        for _ in range(60):
            middle = (low + high) / 2
            above = z + v * middle - g * middle**2 / 2 - a * np.sin(ω * (t + middle)) > 0.0
            low, high = (middle, high) if above else (low, middle)
        t, v = t + low, v - g * low
        z, v = a * np.sin(ω * t), v - (1 + e) * (v - a * ω * np.cos(ω * t))
        assert run.changes[k] == pytest.approx(t, abs=1e-12)
        assert run.segments[k + 1].start[ball.velocity[2]] == pytest.approx(v, abs=1e-11)


@pytest.mark.parametrize("μ", [0.1, 0.6])
def test_a_stroke_with_friction(μ):
    """It takes μ (1 + e) v_n of the speed along the surface, at most all of it."""
    ball = particle()
    table = zm.Sliding(ball, on=zm.surfaces.plane(), gravity=g, friction=μ, restitution=0.5)
    run = zm.simulate(table, table.start(position=(0.0, 0.0, 0.2), velocity=(1.2, 0.9, 0.0)), until=0.3)
    left = max(1.5 - μ * 1.5 * 2.0, 0.0) / 1.5
    assert run.state(0.3)[ball.velocity] == pytest.approx([1.2 * left, 0.9 * left, 1.0 - g * 0.1], abs=1e-11)


# beads -------------------------------------------------------------------------------------------------------------
def test_a_bead_leaves_a_sphere():
    """From rest at θ₀ it leaves where cos θ = 2/3 cos θ₀, after ∫ dθ/√(2 g/R (cos θ₀ − cos θ)), and flies on a parabola."""
    R, θ0, bead = 1.5, 0.1, particle()
    globe = zm.Sliding(bead, on=zm.surfaces.sphere(R), gravity=g)
    start = globe.start(contact=(R * np.sin(θ0), 0.0, R * np.cos(θ0)))
    run = zm.simulate(globe, start, until=1.3, rtol=1e-12)
    assert run.modes == ("sliding", "flying")
    (t,) = run.changes
    leaves = run.state(t)
    assert leaves[bead.position[2]] == pytest.approx(2 / 3 * R * np.cos(θ0), abs=1e-12)
    θ = np.arccos(2 / 3 * np.cos(θ0))
    falls = quad(lambda u: 2 * u / np.sqrt(2 * g / R * (np.cos(θ0) - np.cos(θ0 + u**2))), 0.0, np.sqrt(θ - θ0))[0]
    assert t == pytest.approx(falls, abs=1e-9)
    z, w, τ = leaves[bead.position[2]], leaves[bead.velocity[2]], 1.3 - t
    assert run.state(1.3)[bead.position[2]] == pytest.approx(z + w * τ - g * τ**2 / 2, abs=1e-11)


def test_a_bead_leaves_a_wire_and_lands_on_it():
    """Energy is lost at strokes only, and nothing is ever below the wire."""
    bead = particle()
    wire = zm.Surface(lambda X, Y: 0.5 * np.exp(-4 * X**2), name="wire")
    sliding = zm.Sliding(bead, on=wire, gravity=g, restitution=0.4)
    run = zm.simulate(sliding, sliding.start(contact=(-1.5, 0.0), velocity=(3.8, 0.0)), until=2.0, rtol=1e-11)
    assert run.modes[:3] == ("sliding", "flying", "flying")
    assert run.modes[-1] == "sliding"
    assert run.at(np.linspace(0.0, 2.0, 2001))[sliding.walls[0].gap].min() >= -1e-12
    lost = run[sliding.energy][0] - run[sliding.energy][-1]
    assert -sum(p.energy for p in run.impulses) == pytest.approx(lost, abs=1e-10)
    assert run.work().imbalance < 1e-10


@pytest.mark.parametrize("kinetic", [0.2, lambda v: 0.2 + 0.1 * np.exp(-v)])
def test_friction_stops_a_particle(kinetic):
    """After ∫ dv/(μ(v) g); it stays."""
    ball = particle()
    table = zm.Sliding(ball, on=zm.surfaces.plane(), gravity=g, friction=zm.Friction(static=0.4, kinetic=kinetic))
    run = zm.simulate(table, table.start(contact=(0.0, 0.0), velocity=(0.6, 0.8)), until=2.0, rtol=1e-11)
    law = kinetic if callable(kinetic) else lambda v: kinetic
    assert run.modes == ("sliding", "resting")
    assert run.changes[0] == pytest.approx(quad(lambda v: 1 / (law(v) * g), 0.0, 1.0)[0], abs=1e-8)
    way = quad(lambda v: v / (law(v) * g), 0.0, 1.0)[0]
    assert run.state(2.0)[ball.position] == pytest.approx([0.6 * way, 0.8 * way, 0.0], abs=1e-10)


def test_a_turntable_throws_it_off():
    """At R from the axis, Ω = αt: it is held until R √(Ω⁴ + α²) = μ g."""
    α, μ, ball = 0.4, 0.3, particle()
    table = zm.Surface(lambda X, Y: 0.0 * X, rotation=((0, 0, 1), α * zm.t**2 / 2), name="turntable")
    carried = zm.Sliding(ball, on=table, gravity=g, friction=μ)
    run = zm.simulate(carried, carried.start(contact=(1.0, 0.0), velocity=(0.0, 0.0)), until=5.0)
    assert run.modes == ("resting", "sliding")
    assert run.changes[0] == pytest.approx(((μ * g) ** 2 - α**2) ** 0.25 / α, abs=1e-9)


# billiards ---------------------------------------------------------------------------------------------------------
def test_an_elliptic_billiard_keeps_the_product_of_angular_momenta():
    """About the foci, at every bounce."""
    a, b, ball = 2.0, 1.0, particle()
    ellipse = zm.Surface(lambda X, Y, Z: X**2 / a**2 + Y**2 / b**2 - 1, side=-1, name="ellipse")
    table = zm.Sliding(ball, on=ellipse, gravity=None, restitution=1.0)
    run = zm.simulate(table, table.start(position=(0.3, 0.2, 0.0), velocity=(1.0, 0.7, 0.0)), until=60.0, rtol=1e-12)
    c = np.sqrt(a**2 - b**2)
    product = about(run, ball, c) * about(run, ball, -c)
    assert len(run.impulses) > 30
    assert np.abs(product / product[0] - 1.0).max() <= 1e-12
    assert np.ptp(run[table.energy]) <= 1e-14


def test_a_circular_billiard_keeps_its_angular_momentum_and_its_chord():
    ball = particle()
    circle = zm.Surface(lambda X, Y, Z: X**2 + Y**2 - 1, side=-1, name="circle")
    table = zm.Sliding(ball, on=circle, gravity=None, restitution=1.0)
    run = zm.simulate(table, table.start(position=(0.3, 0.2, 0.0), velocity=(1.0, 0.7, 0.0)), until=50.0, rtol=1e-12)
    assert np.ptp(about(run, ball, 0.0)) <= 1e-12
    L, v = 0.3 * 0.7 - 0.2 * 1.0, np.hypot(1.0, 0.7)
    assert np.diff(run.changes) == pytest.approx(2 * np.sqrt(1 - (L / v) ** 2) / v, abs=1e-11)


def sinai(x: np.ndarray, v: np.ndarray, until: float) -> list[float]:
    """Times of the strokes of a point between the walls x, y = ±1 and about a disc of radius ½, ray by ray."""
    t, times = 0.0, []
    while True:
        ways = [((np.sign(v[k]) - x[k]) / v[k], np.eye(2)[k]) for k in range(2) if v[k]]
        B, C = x @ v, x @ x - 0.25
        root = B**2 - (v @ v) * C
        if B < 0 and root > 0:
            dt = (-B - np.sqrt(root)) / (v @ v)
            ways.append((dt, 2 * (x + dt * v)))
        dt, n = min(ways, key=lambda way: way[0])
        t, x, v = t + dt, x + dt * v, v - 2 * (n @ v) * n
        if t > until:
            return times
        times.append(t)


@pytest.fixture(scope="module")
def dispersing() -> zm.Sliding:
    return zm.Sliding(
        particle(),
        on=[
            zm.Surface(lambda X, Y, Z: 1.0 - X, name="right"),
            zm.Surface(lambda X, Y, Z: 1.0 + X, name="left"),
            zm.Surface(lambda X, Y, Z: 1.0 - Y, name="top"),
            zm.Surface(lambda X, Y, Z: 1.0 + Y, name="bottom"),
            zm.Surface(lambda X, Y, Z: X**2 + Y**2 - 0.25, name="disc"),
        ],
        gravity=None,
        restitution=1.0,
    )


def test_a_dispersing_billiard(dispersing):
    """Against rays drawn one by one, until errors of rounding have grown by 1e5 at four strokes on the disc or five."""
    start = dispersing.start(position=(0.7, 0.2, 0.0), velocity=(1.0, 0.37, 0.0))
    run = zm.simulate(dispersing, start, until=14.0, rtol=1e-12)
    times = sinai(np.array([0.7, 0.2]), np.array([1.0, 0.37]), 14.0)
    assert run.changes == pytest.approx(times, abs=1e-10)
    at = run.at(np.linspace(0.0, 14.0, 2001))
    assert min(at[wall.gap].min() for wall in dispersing.walls) >= -1e-12


def test_a_corner_sends_it_back(dispersing):
    """Both walls strike at one moment, one after the other: the velocity is turned round."""
    ball = dispersing.particle
    start = dispersing.start(position=(0.5, 0.5, 0.0), velocity=(1.0, 1.0, 0.0))
    run = zm.simulate(dispersing, start, until=0.7)
    (stroke,) = run.impulses
    assert {*stroke.constraints} == {"right normal", "right friction", "top normal", "top friction"}
    assert run.state(0.7)[ball.velocity] == pytest.approx([-1.0, -1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("at", [1.0, 0.0])
def test_a_wall_strikes_what_slides_on_a_floor(at):
    """Where places are all zero too, and no rounding tells which surfaces it touches."""
    ball = particle()
    wall = zm.Surface(lambda X, Y, Z: at - X, name="wall")
    room = zm.Sliding(ball, on=[zm.surfaces.plane(), wall], gravity=g, restitution=0.5)
    run = zm.simulate(room, room.start(contact=(at - 1.0, 0.0), velocity=(1.0, 0.0)), until=3.0)
    assert run.modes == ("sliding", "sliding")
    assert run.state(3.0)[ball.position] == pytest.approx([at - 1.0, 0.0, 0.0], abs=1e-12)


def test_a_loop_that_is_too_slow():
    """With v² between 2 g R and 5 g R at the bottom it leaves (v² − 2 g R)/(3 g) above the middle, and lands again."""
    ball = particle()
    loop = zm.Surface(lambda X, Y, Z: X**2 + Z**2 - 1, side=-1, name="loop")
    track = zm.Sliding(ball, on=loop, gravity=g, restitution=0.3)
    start = track.start(contact=(0.0, 0.0, -1.0), velocity=(np.sqrt(3.6 * g), 0.0, 0.0))
    run = zm.simulate(track, start, until=3.0, rtol=1e-12)
    assert run.modes[:3] == ("sliding", "flying", "flying")
    assert run.state(run.changes[0])[ball.position[2]] == pytest.approx(1.6 / 3, abs=1e-12)
    assert run.at(np.linspace(0.0, 3.0, 1001))[track.walls[0].gap].min() >= -1e-12


# what is given -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"restitution": 1.5}, "restitution is 1.5"),
        ({"friction": -1.0}, "friction is -1"),
        ({"creep": 0.0}, "creep is 0"),
        ({"least_bounce": 0.0}, "least_bounce is 0"),
        ({"on": []}, "one surface, or on several"),
        ({"on": [zm.surfaces.plane(), zm.surfaces.plane(0.1)]}, "different names"),
        ({"on": ["wall"]}, "each is a zm.Surface"),
        ({"particle": zm.Particle("mark", mass=0)}, "with a mass"),
    ],
)
def test_what_can_not_be_is_refused(words, said):
    with pytest.raises(zm.errors.ModelError, match=said):
        zm.Sliding(**{"particle": particle(), "on": zm.surfaces.plane(), **words})


def test_a_start_inside_a_surface_is_refused():
    table = zm.Sliding(particle(), on=zm.surfaces.plane(), gravity=g)
    with pytest.raises(zm.errors.StartError, match="1 m inside 'plane'"):
        zm.simulate(table, table.start(position=(0.0, 0.0, -1.0)), until=1.0)


def test_a_start_that_approaches_what_it_touches_begins_with_the_impact():
    table = zm.Sliding(particle(), on=zm.surfaces.plane(), gravity=g, restitution=0.5)
    run = zm.simulate(table, table.start(position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, -2.0)), until=0.1)
    (impulse,) = run.impulses
    assert (impulse.t, impulse.constraints[0]) == (0.0, "normal")
    assert impulse.impulses[0] == pytest.approx(0.2 * 1.5 * 2.0, rel=1e-12)
    assert run.state(0.1)[table.particle.velocity[2]] == pytest.approx(1.0 - 0.1 * g, abs=1e-12)


@pytest.mark.parametrize("friction", [None, np.inf])
def test_a_rough_surface_holds_whatever_is_asked_for(friction):
    table = zm.Sliding(particle(), on=zm.surfaces.plane(1.2), gravity=g, friction=friction)
    run = zm.simulate(table, table.start(contact=(0.0, 0.0)), until=1.0)
    assert run.modes == ("resting",)
    thrown = zm.simulate(table, table.start(position=(0.0, 0.0, 1.0)), until=2.0)
    assert thrown.modes == ("flying", "resting")


@pytest.mark.slow
def test_a_run_that_is_kept_and_continued(tmp_path):
    e = zm.parameter("e", 0.5)
    table = zm.Sliding(particle(), on=zm.surfaces.paraboloid(0.5), gravity=g, friction=0.1, restitution=e)
    start = table.start(position=(0.5, 0.0, 1.0), velocity=(0.3, 0.2, 0.0), parameters={e: 0.6})
    run = zm.simulate(table, start, until=6.0)
    assert run.modes[-2:] == ("sliding", "resting")
    assert run.work().imbalance < 1e-9
    run.save(tmp_path / "ball.nc")
    loaded = zm.load(tmp_path / "ball.nc")
    assert loaded.modes == run.modes
    assert [p.energy for p in loaded.impulses] == [p.energy for p in run.impulses]
    state = loaded.state(0.5)
    again = zm.simulate(state.system, state, until=6.0)
    assert again.modes[-1] == "resting"
    assert again.changes[-1] == pytest.approx(run.changes[-1], abs=1e-6)
    assert run.required_friction().value == pytest.approx(0.1, rel=1e-3)
