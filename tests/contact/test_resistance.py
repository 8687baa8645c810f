"""Rolling resistance and torsional friction: bodies that come to rest and stay there, against exact solutions."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.rolling_disc import a as A
from contact.rolling_disc import m as M
from contact.rolling_disc import spun

g, r, m = 9.81, 0.1, 0.5


def ball_on_plane(tilt: float = 0.0, **words) -> zm.Rolling:
    """A tilted plane is a tilted gravity."""
    gravity = (g * np.sin(tilt), 0.0, -g * np.cos(tilt))
    return zm.Rolling(zm.bodies.ball(r, m), on=zm.surfaces.plane(), gravity=gravity, **words)


def thrown(ball: zm.Rolling, velocity, omega=(0.0, 0.0, 0.0)) -> zm.State:
    return ball.slipping.start(
        [
            (ball.contact, 0.0),
            (ball.body.quaternion, (1.0, 0.0, 0.0, 0.0)),
            (ball.center_particle.velocity, velocity),
            (ball.body.angular_velocity, omega),
        ]
    )


# rolling -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("no_spin", [False, True])
def test_a_ball_rolls_until_it_stops_and_stays(no_spin):
    """m v̇ = −F, J v̇/r = F r − ρ m g: v̇ = −(5/7) ρ g/r, so it comes as far as v²/(2 |v̇|). Rolling counts as died out at ten
    creeps of 1e-9 √(g r), by which the time is off, and the way by the square of that."""
    ρ, v = 0.002, 0.5
    ball = ball_on_plane(rolling_resistance=ρ, no_spin=no_spin)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), velocity=(0.4, 0.3)), until=6.0, rtol=1e-12)
    slows = 5 / 7 * ρ * g / r
    assert run.modes == ("rolling", "resting")
    assert [event.name for event in run.events] == ["rolling dies out"]
    assert run.changes[0] == pytest.approx(v / slows, abs=10 * 1e-9 * np.sqrt(g * r) / slows * 1.01)
    end = run.state(6.0)
    assert end[ball.center] == pytest.approx([*(v / (2 * slows) * np.array([0.4, 0.3])), r], abs=1e-12)
    assert np.abs(end.v).max() <= 1e-15
    assert run.work().imbalance < 1e-12


def test_a_viscous_resistance_never_stops_it():
    """ρ = k ω gives v̇ = −(5/7) k g/r² v."""
    k, v = 1e-3, 0.3
    ball = ball_on_plane(rolling_resistance=lambda w: k * w)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), velocity=(v, 0.0)), until=3.0, rtol=1e-12)
    assert run.modes == ("rolling",)
    dies = 5 / 7 * k * g / r**2
    assert run.state(3.0)[ball.center_particle.velocity[0]] == pytest.approx(v * np.exp(-3.0 * dies), abs=1e-11)


def test_an_incline_holds_it_up_to_a_slope():
    """r tan α ≤ ρ; steeper, it rolls with 5/7 (g sin α − ρ/r g cos α) from rest on."""
    ρ = 0.002
    steep = np.arctan(ρ / r)
    held = ball_on_plane(0.99 * steep, rolling_resistance=ρ)
    assert zm.simulate(held, held.start(contact=(0.0, 0.0)), until=1.0).modes == ("resting",)
    rolls = ball_on_plane(3 * steep, rolling_resistance=ρ)
    run = zm.simulate(rolls, rolls.start(contact=(0.0, 0.0)), until=1.0)
    assert run.modes == ("rolling",)
    a = 5 / 7 * g * (np.sin(3 * steep) - ρ / r * np.cos(3 * steep))
    assert run.state(1.0)[rolls.center_particle.velocity[0]] == pytest.approx(a, rel=1e-8)


def test_it_rolls_up_and_down_again():
    """Up with 5/7 g (sin α + ρ/r cos α) against it, down with 5/7 g (sin α − ρ/r cos α)."""
    ρ, α, v = 0.002, 0.1, 0.3
    ball = ball_on_plane(α, rolling_resistance=ρ)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), velocity=(-v, 0.0)), until=2.0, rtol=1e-11)
    up, down = (5 / 7 * g * (np.sin(α) + sign * ρ / r * np.cos(α)) for sign in (1, -1))
    assert run.state(2.0)[ball.center_particle.velocity[0]] == pytest.approx(down * (2.0 - v / up), rel=1e-8)
    assert run.state(2.0)[ball.center[0]] == pytest.approx(down * (2.0 - v / up) ** 2 / 2 - v**2 / (2 * up), rel=1e-7)


def test_gravity_that_turns_sets_it_going():
    """It is held until tan α(t) = ρ/r."""
    ρ, turning = 0.002, 0.05
    α = turning * zm.t
    ball = zm.Rolling(
        zm.bodies.ball(r, m),
        on=zm.surfaces.plane(),
        gravity=(g * np.sin(α), 0.0, -g * np.cos(α)),
        rolling_resistance=ρ,
        friction=0.5,
    )
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0)), until=1.0)
    assert run.modes == ("resting", "rolling")
    assert [event.name for event in run.events] == ["would roll"]
    assert run.changes[0] == pytest.approx(np.arctan(ρ / r) / turning, abs=1e-12)
    begins, ends = np.arctan(ρ / r), turning
    v = 5 / 7 * g / turning * (np.cos(begins) - np.cos(ends) - ρ / r * (np.sin(ends) - np.sin(begins)))
    creeps = r * np.cbrt(1.5 * 5 / 7 * ρ * g / r**2 * (1e-9 * np.sqrt(g / r)) ** 2)  # from ω̇ = α c²/2ω², in a second
    assert run.state(1.0)[ball.center_particle.velocity[0]] == pytest.approx(v, abs=creeps)


@pytest.mark.parametrize(("ρ", "kinds"), [(0.05, ("sliding", "resting")), (0.005, ("slipping", "rolling", "resting"))])
def test_a_pushed_ball_slides_or_begins_to_roll(ρ, kinds):
    """Friction turns it where μ r > ρ; else it slides all its way, v²/(2 μ g)."""
    μ, v = 0.3, 1.0
    ball = ball_on_plane(rolling_resistance=ρ, friction=μ)
    run = zm.simulate(ball, thrown(ball, (v, 0.0, 0.0)), until=3.0, rtol=1e-11)
    assert run.modes == kinds
    if ρ > μ * r:
        assert run.changes[0] == pytest.approx(v / (μ * g), abs=1e-7)
        assert run.state(3.0)[ball.center[0]] == pytest.approx(v**2 / (2 * μ * g), abs=1e-9)
        return
    turns = (μ * r - ρ) * g / (0.4 * r**2)  # angular acceleration
    rolls = v / (μ * g + r * turns)
    slows = 5 / 7 * ρ * g / r
    assert run.changes == pytest.approx([rolls, rolls + (v - μ * g * rolls) / slows], abs=1e-6)


# about the normal --------------------------------------------------------------------------------------------------
def test_a_spinning_ball_stops_at_its_time():
    """J ω̇ = −δ m g: it stops after J ω/(δ m g), and stays."""
    δ, ω = 0.003, 5.0
    ball = ball_on_plane(torsional_friction=δ)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), spin=ω), until=2.0, rtol=1e-12)
    (stops,) = run.events
    assert stops.name == "turning dies out"
    assert stops.t == pytest.approx(0.4 * r**2 * ω / (δ * g), abs=1e-12)
    assert run.state(2.0)[ball.spin] == pytest.approx(0.0, abs=1e-30)
    assert run.at(0.3)[ball.spin] == pytest.approx(ω - 0.3 * δ * g / (0.4 * r**2), abs=1e-12)


def test_dry_and_viscous_torsional_friction():
    """ω̇ = −(c + k ω) g/(0.4 r²): it stops after ln(1 + k ω/c)/(k g/(0.4 r²))."""
    c, k, ω = 1e-3, 5e-4, 8.0
    ball = ball_on_plane(torsional_friction=lambda w: c + k * w, rolling_resistance=0.001)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), spin=-ω), until=4.0, rtol=1e-12)
    assert run.modes == ("resting",)  # it turns on its place
    assert [event.name for event in run.events] == ["turning dies out"]
    assert run.events[0].t == pytest.approx(np.log(1 + k * ω / c) / (k * g / (0.4 * r**2)), abs=1e-11)


def test_a_ball_in_a_bowl_comes_to_rest_off_the_bottom():
    """All losses are the work of friction; at rest the slope is no steeper than ρ over the radius."""
    ρ = 0.005
    bowl = zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2), name="bowl")
    ball = zm.Rolling(
        zm.bodies.ball(0.05, 0.3),
        on=bowl,
        gravity=g,
        rolling_resistance=ρ,
        torsional_friction=0.001,
        friction=zm.Friction(static=0.2, kinetic=0.1),
    )
    run = zm.simulate(ball, ball.start(contact=(0.5, 0.0), velocity=(0.0, 0.5), spin=4.0), until=6.0)
    assert run.modes[-1] == "resting"
    x, y, _ = run.state(6.0)[ball.contact]
    assert 0.0 < 0.6 * np.hypot(x, y) <= ρ / 0.05
    assert run.work().imbalance < 1e-8


# Euler's disc ------------------------------------------------------------------------------------------------------
def disc_on_plane(ρ: float) -> zm.Rolling:
    return zm.Rolling(zm.bodies.disc(A, M), on=zm.surfaces.plane(), gravity=g, rolling_resistance=ρ)


def inclined(coin: zm.Rolling, α: float, ω: np.ndarray) -> zm.State:
    """With ω in the axes along the rim, to the centre, and along the disc's own, which lean by α about x."""
    S = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(α), -np.sin(α)], [0.0, np.sin(α), np.cos(α)]])
    lies = coin.start(contact=(0.0, 0.0), orientation=(α, 0.0, 0.0))
    places = list(zip(coin.coordinates, lies.q, strict=True))
    return coin.start([*places, (coin.body.angular_velocity, S @ ω)])


def inclination(run: zm.Run, coin: zm.Rolling, times: np.ndarray) -> np.ndarray:
    return np.arccos(run.at(times)[coin.body.rotation[2, 2]])


def test_a_coin_is_that_of_newton_and_euler():
    """A coin that nutates against resistance, by an independent integration."""
    ρ, α = 1e-3, 0.5
    ω = np.array([0.4, 9.0, -2.0])
    times = np.linspace(0.02, 0.6, 12)
    coin = disc_on_plane(ρ)
    run = zm.simulate(coin, inclined(coin, α, ω), until=0.6, rtol=1e-12)
    expected = spun(np.array([α, *ω]), ρ, times)
    assert inclination(run, coin, times) == pytest.approx(expected[:, 0], abs=1e-9)
    turned = np.einsum("tji,tj->ti", run.at(times)[coin.body.rotation], run.at(times)[coin.body.angular_velocity])
    assert turned[:, 2] == pytest.approx(expected[:, 3], abs=1e-8)
    assert run.work().imbalance < 1e-11


def test_a_coin_that_spins_down_follows_the_law_of_its_energy():
    """Slowly, Ω² sin α = 4 g/a and E = 3/2 m g a sin α; resistance takes ρ m g Ω sin α cos α. So √α falls at a steady rate,

        d√α/dt = −(2 ρ/3a) √(g/a),

    and α as the square of the time that is left: up to parts of α², and of the rate of the fall against that of Ω.
    """
    ρ, α = 1e-5, 0.06
    Ω = np.sqrt(4 * g / (A * np.sin(α)))
    coin = disc_on_plane(ρ)
    run = zm.simulate(coin, inclined(coin, α, np.array([0.0, Ω * np.sin(α), 0.0])), until=5.0, rtol=1e-9)
    times = np.linspace(0.5, 5.0, 10)
    falls = np.polyfit(times, np.sqrt(inclination(run, coin, times)), 1)[0]
    assert falls == pytest.approx(-2 * ρ / (3 * A) * np.sqrt(g / A), rel=α**2)


# what is given -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rolling_resistance": -0.1}, "rolling_resistance is -0.1"),
        ({"torsional_friction": -0.1}, "torsional_friction is -0.1"),
        ({"rolling_resistance": 0.1, "two_sided": True}, "two_sided"),
        ({"torsional_friction": 0.1, "no_spin": True}, "no_spin"),
        ({"torsional_friction": 0.1, "conserve_energy": True}, "conserve_energy"),
        ({"rolling_resistance": lambda w: "much"}, "formula of the speed"),
    ],
)
def test_what_can_not_be_is_refused(words, said):
    with pytest.raises(zm.errors.ModelError, match=said):
        ball_on_plane(**words)


def test_parameters_in_arms_and_a_run_that_is_kept(tmp_path):
    ρ = zm.parameter("resistance", 0.002)
    ball = ball_on_plane(rolling_resistance=lambda w: ρ + 1e-4 * w, friction=0.3)
    start = ball.start(contact=(0.0, 0.0), velocity=(0.5, 0.0), parameters={ρ: 0.004})
    run = zm.simulate(ball, start, until=3.0)
    assert run.modes == ("rolling", "resting")
    dies, slows = 5 / 7 * 1e-4 * g / r**2, 5 / 7 * 0.004 * g / r
    assert run.changes[0] == pytest.approx(np.log(1 + 0.5 * dies / slows) / dies, abs=1e-7)
    run.save(tmp_path / "ball.nc")
    loaded = zm.load(tmp_path / "ball.nc")
    assert loaded.modes == run.modes
    state = loaded.state(1.0)
    again = zm.simulate(state.system, state, until=3.0)
    assert again.modes[-1] == "resting"
    assert again.state(3.0)[ball.center[0]] == pytest.approx(run.state(3.0)[ball.center[0]], abs=1e-9)
