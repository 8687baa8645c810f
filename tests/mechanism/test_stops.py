"""Rigid stops and static friction of joints, against motions in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import zeromass as zm

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81
m, L, J = 2.0, 1.2, 0.3
LENGTH = L + J / (m * L)
"""Of the mathematical pendulum with the same period, m."""


def pendulum(**given) -> tuple[zm.System, zm.joints.Revolute]:
    """An arm that hangs down from its pin in the reference pose."""
    arm = zm.RigidBody("arm", m, (0.1, J, 0.25), at=(0, 0, -L))
    pin = zm.joints.Revolute(GROUND, arm, at=(0, 0, 0), axis=Y, name="pin", **given)
    return zm.System([arm], gravity=g, joints=[pin]), pin


def slider(*, gravity: float = 0.0, **given) -> tuple[zm.System, zm.joints.Prismatic]:
    sledge = zm.RigidBody("sledge", m, (1, 1, 1))
    rail = zm.joints.Prismatic(GROUND, sledge, axis=(0, 0, 1), name="rail", **given)
    return zm.System([sledge], gravity=gravity, joints=[rail]), rail


@pytest.mark.parametrize("e", [0.8, 0.5])
def test_a_pendulum_falls_on_its_stop_and_rebounds(e):
    """It swings to sin(φₙ/2) = eⁿ sin(φ₀/2), and falls in a quarter of a period, √(l/g) K(sin² φₙ/2)."""
    φ = 2.0
    system, pin = pendulum(limits=(0.0, None), restitution=e)
    run = zm.simulate(system, system.start({pin.angle: φ, pin.rate: 0.0}), until=4.0, rtol=1e-12, atol=1e-14)
    quarters = np.sqrt(LENGTH / g) * ellipk((e ** np.arange(8) * np.sin(φ / 2)) ** 2)
    times = quarters[0] + np.concatenate([[0.0], np.cumsum(2 * quarters[1:])])
    times = times[times < 4.0]
    assert len(times) >= 2
    np.testing.assert_allclose([impulse.t for impulse in run.impulses[: len(times)]], times, rtol=1e-10)
    ω = 2 * np.sqrt(g / LENGTH) * np.sin(φ / 2)  # at the first impact
    J_pin = m * L * LENGTH
    first = run.impulses[0]
    assert first.constraints == ("pin lower limit",)
    assert first.impulses[0] == pytest.approx((1 + e) * J_pin * ω, rel=1e-9)
    assert first.energy == pytest.approx(-(1 - e**2) * J_pin * ω**2 / 2, rel=1e-9)
    assert run.minimum(pin.angle).value > -1e-12
    assert run.events[0].name == "pin lower limit at its stop"


def test_a_pendulum_leans_on_its_stop():
    """The torque of the stop balances gravity, m g L sin φ, and the pin carries the weight."""
    φ = 0.7
    system, pin = pendulum(limits=(φ, None))
    start = system.start({pin.angle: φ, pin.rate: 0.0})
    assert start[pin.stop_force] == pytest.approx(m * g * L * np.sin(φ), rel=1e-12)
    np.testing.assert_allclose(start[pin.force], (0, 0, m * g), atol=1e-12)
    run = zm.simulate(system, start, until=1.0)
    assert run.modes == ("pin lower limit at its stop",)
    np.testing.assert_allclose(run[pin.angle], φ, atol=1e-14)


def test_a_pendulum_that_is_lifted_leaves_its_stop():
    """Where the torque that grows, k t, is that of gravity."""
    φ, k = 0.4, 20.0
    arm = zm.RigidBody("arm", m, (0.1, J, 0.25), at=(0, 0, -L))
    pin = zm.joints.Revolute(GROUND, arm, at=(0, 0, 0), axis=Y, name="pin", limits=(φ, None))
    system = zm.System([arm], gravity=g, joints=[pin], forces=[pin.motor(k * zm.t)])
    run = zm.simulate(system, system.start({pin.angle: φ, pin.rate: 0.0}), until=1.0)
    assert run.modes == ("pin lower limit at its stop", "pin lower limit free")
    assert run.changes[0] == pytest.approx(m * g * L * np.sin(φ) / k, rel=1e-10)
    assert run[pin.angle][-1] > φ


def test_a_slider_bounces_between_two_stops():
    """The n-th passage takes (b − a)/(v eⁿ), and the impulse there is m (1 + e) v eⁿ."""
    a, b, v, e = -1.0, 2.0, 4.0, 0.5
    system, rail = slider(limits=(a, b), restitution=e)
    run = zm.simulate(system, system.start({rail.displacement: 0.0, rail.rate: v}), until=10.0)
    n = np.arange(3)
    times = b / v + np.concatenate([[0.0], np.cumsum((b - a) / (v * e ** (n[:2] + 1)))])
    np.testing.assert_allclose([impulse.t for impulse in run.impulses], times, rtol=1e-12)
    np.testing.assert_allclose([impulse.impulses[0] for impulse in run.impulses], m * (1 + e) * v * e**n, rtol=1e-12)
    names = [impulse.constraints[0] for impulse in run.impulses]
    assert names == ["rail upper limit", "rail lower limit", "rail upper limit"]
    assert run[rail.rate][-1] == pytest.approx(-v * e**3, rel=1e-12)


def test_a_slider_comes_to_rest_on_its_stop():
    """It bounces for √(2 h/g) (1 + e)/(1 − e) in all, and the stop carries it then."""
    h, e = 0.5, 0.6
    system, rail = slider(gravity=g, limits=(0.0, None), restitution=e)
    run = zm.simulate(system, system.start({rail.displacement: h, rail.rate: 0.0}), until=3.0)
    assert run.modes[-1] == "rail lower limit at its stop"
    assert run.changes[-1] == pytest.approx(np.sqrt(2 * h / g) * (1 + e) / (1 - e), abs=1e-5)  # the last are not seen
    assert run[rail.stop_force][-1] == pytest.approx(m * g, rel=1e-12)


def test_static_friction_holds_a_load_and_lets_go_above_its_limit():
    """Up to F the joint does not move; from F on it accelerates with (F(t) − F)/m, to a displacement of k τ³/6 m."""
    F, k = 30.0, 20.0
    sledge = zm.RigidBody("sledge", m, (1, 1, 1))
    rail = zm.joints.Prismatic(GROUND, sledge, axis=(0, 0, -1), name="rail", friction=F)
    system = zm.System([sledge], gravity=g, joints=[rail], forces=[rail.motor(k * zm.t)])
    start = system.start({rail.displacement: 0.0, rail.rate: 0.0})
    assert start[rail.friction_force] == pytest.approx(-m * g, rel=1e-12)
    run = zm.simulate(system, start, until=1.5, rtol=1e-12, atol=1e-14)
    assert run.modes == ("rail friction sticks", "rail friction slips")
    held = (F - m * g) / k
    assert run.changes[0] == pytest.approx(held, rel=1e-12)
    assert run[rail.displacement][-1] == pytest.approx(k * (1.5 - held) ** 3 / (6 * m), rel=1e-9)
    assert run.at(0.5 * held)[rail.displacement][0] == 0.0


def test_a_slider_with_friction_slides_to_rest_and_stays():
    """v/(F/m) s and v²/(2 F/m) m, on a level rail; pushed on to its stop it would have struck that."""
    F, v = 5.0, 3.0
    system, rail = slider(friction=F, limits=(None, 10.0))
    run = zm.simulate(system, system.start({rail.displacement: 0.0, rail.rate: v}), until=3.0)
    assert run.modes == ("rail upper limit free, rail friction slips", "rail upper limit free, rail friction sticks")
    assert run.changes[0] == pytest.approx(v * m / F, rel=1e-9)
    assert run[rail.displacement][-1] == pytest.approx(v**2 * m / (2 * F), rel=1e-9)
    assert run.work().imbalance < 1e-9


def test_members_of_a_study_have_stops_and_friction_of_their_own():
    high, F, e = zm.parameter("high", 1.0), zm.parameter("F", 0.0), zm.parameter("e", 1.0)
    system, rail = slider(limits=(None, high), friction=F, restitution=e)
    start = system.start({rail.displacement: 0.0, rail.rate: 2.0})
    given = {"high": [1.0, 0.5, 1.0, 5.0], "F": [0.5, 0.5, 1.0, 4.0], "e": [1.0, 0.5, 0.0, 1.0]}
    for place, friction, restores in zip(*given.values(), strict=True):
        values = {high: place, F: friction, e: restores}
        study = zm.sweep(
            system, start, over={p: [x] for p, x in values.items()}, until=1.2, keep={"x": rail.displacement}
        )
        a = friction / m
        reached = (2.0 - np.sqrt(max(4.0 - 2 * a * place, 0.0))) / a if a * place <= 2.0 else np.inf
        if reached < 1.2:
            back, left = restores * np.sqrt(4.0 - 2 * a * place), 1.2 - reached
            left = min(left, back / a)
            expected = place - back * left + a * left**2 / 2
        else:
            still = min(2.0 / a, 1.2)
            expected = 2.0 * still - a * still**2 / 2
        assert float(study["x"].values.ravel()[0]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"limits": (1.0, 0.0)}, "the limits of 'pin' are 1 and 0"),
        ({"limits": 3.0}, "give \\(low, high\\)"),
        ({"limits": (0.0, 1.0), "restitution": 1.5}, "restitution of 'pin' is 1.5"),
        ({"friction": -1.0}, "the friction of 'pin' is -1"),
    ],
)
def test_bad_input(given, words):
    with pytest.raises(zm.errors.ModelError, match=words):
        pendulum(**given)


def test_a_start_beyond_a_limit_is_refused():
    system, pin = pendulum(limits=(0.0, 1.0))
    with pytest.raises(zm.errors.StartError, match=r"the angle of 'pin' is 0\.5 beyond its upper limit"):
        zm.simulate(system, system.start({pin.angle: 1.5}), until=1.0)


URDF = """<robot name="lift"><link name="base"/><link name="car"><inertial><mass value="2"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="car"/><axis xyz="0 0 1"/>
<limit lower="0" upper="3"/></joint></robot>"""

MJCF = """<mujoco model="lift"><worldbody><body name="car"><joint name="rail" type="slide" axis="0 0 1" range="0 3"/>
<geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("coordinates", ["joints", "bodies"])
@pytest.mark.parametrize(("read", "text"), [(zm.from_urdf, URDF), (zm.from_mjcf, MJCF)])
def test_limits_of_a_description_are_stops_on_request(tmp_path, read, text, coordinates):
    """It is lifted with 3 m/s² from its lower limit to the upper one, at √(2 h/a), and pressed against that."""
    (tmp_path / "lift.xml").write_text(text)
    robot = read(tmp_path / "lift.xml", limits=True, coordinates=coordinates)
    rail = robot.joints["rail"]
    system = robot.system(gravity=10.0, forces=[rail.motor(26.0)])
    run = zm.simulate(system, system.start({rail.displacement: 0.0}), until=3.0)
    assert run.impulses[0].t == pytest.approx(np.sqrt(2.0), rel=1e-9)
    assert run[rail.displacement][-1] == pytest.approx(3.0, abs=1e-12)
    assert run[robot.stops["rail"].force][-1] == pytest.approx(-6.0, rel=1e-9)
    assert not read(tmp_path / "lift.xml").stops
