"""Wheels whose brakes lock: they slide to rest as blocks do, and stay there, held by two frictions at once."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.model.at_once import at_once

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81
r, m, J = 0.3, 1.0, 0.045

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.errors.SharedForce")  # across its way the wheel is held twice


def braked(torque: float, friction: float, slope: float = 0.0):
    """A wheel that stays upright on an incline, downhill along x, with a brake from the ground."""
    α = np.arctan(slope)
    wheel = zm.RigidBody("wheel", m, (0.03, J, 0.03), at=(0, 0, r / np.cos(α)))
    hill = zm.Surface(lambda X, Y: -slope * X)
    tyre = zm.joints.WheelOnSurface(GROUND, wheel, hill, radius=r, axis=Y, friction=friction, name="tyre")
    upright = zm.joints.Planar(GROUND, wheel, axis=Y, name="upright")
    return zm.System([wheel], gravity=g, joints=[tyre, upright], forces=[upright.friction(torque)]), wheel, tyre


@pytest.mark.parametrize(("torque", "friction"), few([(20.0, 0.8), (20.0, 0.3), (3.0, 0.3)]))
@pytest.mark.parametrize("method", few(["dop853", "collocation"]))
def test_a_wheel_that_locks_slides_to_rest(torque, friction, method):
    """From rolling at 1 m/s: v = 1 − μ g t all the way, the wheel locks after ω₀ J/(T − μ m g r); the run never ended."""
    system, wheel, _ = braked(torque, friction)
    run = zm.simulate(system, system.start([(wheel.velocity[0], 1.0)]), until=1.0, method=method)
    stop, lock = 1 / (friction * g), J / r / (torque - friction * m * g * r)
    assert run.outcome.complete
    assert run.modes == ("tyre slipping", "tyre rolling")
    assert run.changes[0] == pytest.approx(stop, abs=1e-7)
    assert run.switches[0].t == pytest.approx(lock, abs=1e-7)
    v, ω = run[wheel.velocity[0]], run[wheel.angular_velocity[1]]
    np.testing.assert_allclose(v, np.maximum(1 - friction * g * run.t, 0.0), atol=1e-7)
    np.testing.assert_allclose(ω, np.maximum(1 - run.t / lock, 0.0) / r, atol=1e-6)
    assert run[wheel.position[0]][-1] == pytest.approx(stop / 2, abs=1e-7)


@pytest.mark.parametrize("way", few([1.0, -1.0]))
def test_on_an_incline_it_slides_to_rest_and_is_held(way):
    """|v| falls at g (μ cos α ∓ sin α), downhill and uphill; at rest it takes a friction of tan α."""
    μ, slope = 0.8, 0.3
    α = np.arctan(slope)
    system, wheel, tyre = braked(20.0, μ, slope)
    run = zm.simulate(system, system.start([(wheel.velocity[0], way * np.cos(α))]), until=1.0)
    assert run.modes == ("tyre slipping", "tyre rolling")
    assert run.changes[0] == pytest.approx(1 / (g * (μ * np.cos(α) - way * np.sin(α))), abs=1e-7)
    assert np.abs(run.y[-1][len(system.coordinates) :]).max() <= 1e-15
    assert run[tyre.friction_ratio][-1] == pytest.approx(slope, abs=1e-9)


@pytest.mark.slow
def test_a_carriage_on_a_braked_wheel():
    """The brake is between the wheel and what it carries; both slide as one."""
    cart = zm.RigidBody("cart", 2.0, (0.1, 0.1, 0.1), at=(0, 0, r))
    wheel = zm.RigidBody("wheel", m, (0.03, J, 0.03), at=(0, 0, r))
    tyre = zm.joints.WheelOnSurface(GROUND, wheel, zm.surfaces.plane(), radius=r, axis=Y, friction=0.8, name="tyre")
    hinge = zm.joints.Revolute(cart, wheel, axis=Y, name="hinge")
    upright = zm.joints.Planar(GROUND, cart, axis=Y, name="upright")
    system = zm.System(
        [cart, wheel],
        gravity=g,
        joints=[hinge, tyre, upright],
        constraints={"level": cart.quaternion[2]},
        forces=[hinge.friction(20.0)],
    )
    run = zm.simulate(system, system.start([(wheel.velocity[0], 1.0)]), until=1.0)
    assert run.modes == ("tyre slipping", "tyre rolling")
    assert run.changes[0] == pytest.approx(1 / (0.8 * g), abs=1e-7)
    assert run[cart.position[0]][-1] == pytest.approx(0.5 / (0.8 * g), abs=1e-7)


def test_bodies_with_a_brake_from_outside():
    """The same of a ball as zm.Rolling and as zm.Contacts, which decide in ways of their own when it rolls again."""
    ball, plane = zm.bodies.ball(r, m, name="ball"), zm.surfaces.plane()

    def brake(body: zm.RigidBody) -> list[zm.Torque]:
        return [zm.Torque((0, -20.0 * np.sign(body.angular_velocity[1]), 0), on=body)]

    rolling = zm.Rolling(ball, on=plane, gravity=g, friction=0.8, forces=lambda one: brake(one.body))
    contacts = zm.Contacts(
        [ball], on={"floor": plane}, gravity=g, friction=0.8, forces=lambda all_: brake(all_.bodies[0])
    )
    starts = {
        rolling: rolling.start(contact=(0, 0), velocity=(1.0, 0.0)),
        contacts: contacts.start(center=(0, 0, r), velocity=(1.0, 0, 0), angular_velocity=(0, 1 / r, 0)),
    }
    for system, start in starts.items():
        run = zm.simulate(system, start, until=1.0)
        center = system.center_particle if system is rolling else system.centers[0]
        assert [kind.removeprefix("floor ") for kind in run.modes] == ["slipping", "rolling"]
        assert run.changes[0] == pytest.approx(1 / (0.8 * g), abs=1e-7)
        assert run[center.position[0]][-1] == pytest.approx(0.5 / (0.8 * g), abs=1e-7)


def test_what_a_brake_holds_with_at_rest():
    """A brake at rest holds, so that the motion that begins there needs a friction of tan α, as the start tells."""
    system, wheel, tyre = braked(20.0, 0.8, 0.3)
    start = system.start([(wheel.velocity[0], 0.0)])
    assert start[tyre.friction_ratio] == pytest.approx(0.3, abs=1e-9)
    assert at_once(start, tyre.friction_ratio) == pytest.approx(0.3, abs=1e-9)
