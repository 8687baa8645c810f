"""Wheels that leave their surface and land: against bodies that do so alone, and a bar on two of them by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81


@pytest.mark.slow
@pytest.mark.parametrize(("μ", "e"), [(0.6, 0.1), (0.6, 0.4), (0.2, 0.3)])
def test_a_wheel_flies_and_lands_as_the_body_of_its_shape(μ, e):
    """The same motion as that of zm.Contacts, through flights, impacts, slipping and rolling: other rows, one law."""
    hill = zm.Surface(lambda X, Y: 0.4 * np.exp(-((X / 0.6) ** 2)), name="hill")
    solid = zm.bodies.torus(0.15, 0.05, 1.0)
    rolling = zm.Rolling(solid, on=hill, gravity=g)
    u, ω = np.array([np.cos(np.pi / 4 - 0.1), np.sin(np.pi / 4 - 0.1), 0.05, 0.02]), (0.3, 15.0, 0.2)
    u, body = u / np.linalg.norm(u), rolling.body
    near = rolling.start([(rolling.contact[:2], (-0.3, 0.0)), (body.quaternion, u), (body.angular_velocity, ω)])
    wheel = zm.RigidBody("wheel", 1.0, solid.inertia)
    given = {"axis": (0, 0, 1), "radius": 0.2, "tube": 0.05, "friction": μ, "restitution": e, "name": "tyre"}
    tyre = zm.joints.WheelOnSurface(GROUND, wheel, hill, **given)
    system = zm.System([wheel], gravity=g, joints=[tyre])
    guess = [(wheel.position, near[body.position]), (tyre.contact, near[rolling.contact])]
    asked = [(tyre.contact[:2], (-0.3, 0.0)), (wheel.quaternion, u), (wheel.angular_velocity, ω)]
    start = system.start(asked, guess=guess)
    alone = zm.Contacts(solid, on={"hill": hill}, gravity=g, friction=μ, restitution=e)
    body = alone.body
    same = [(getattr(body, what), start[getattr(wheel, what)]) for what in ("position", "quaternion", "velocity")]
    begun = alone.start([*same, (body.angular_velocity, ω)], guess=[(alone["hill"].point, start[tyre.contact])])
    one, other = (zm.simulate(s, x, until=0.4, rtol=1e-11, atol=1e-14) for s, x in ((alone, begun), (system, start)))
    words = {"hill rolling": "tyre rolling", "hill slipping": "tyre slipping", "hill open": "tyre lifted"}
    assert "hill open" in one.modes
    assert other.modes == tuple(words[kind] for kind in one.modes)
    np.testing.assert_allclose(other.changes, one.changes, atol=1e-9)
    assert len(one.impulses) == len(other.impulses) > 0
    np.testing.assert_allclose(other.impulses[0].impulses, one.impulses[0].impulses, rtol=1e-9)
    np.testing.assert_allclose(other[wheel.position][-1], one[body.position][-1], atol=1e-9)
    np.testing.assert_allclose(other[wheel.angular_velocity][-1], one[body.angular_velocity][-1], atol=1e-7)
    assert other.required_friction().value == pytest.approx(μ, rel=1e-6)
    assert not other.pulling()


m, L, h, r, θ0 = 2.0, 0.5, 0.4, 0.1, 0.2
CORNERS = ((-0.6, -0.4), (-0.6, 0.4), (0.6, -0.4), (0.6, 0.4))
RESTORES, SPEED = zm.parameter("e", 0.2), zm.parameter("v", 3.0)
PARAMETERS = (zm.parameter("J", 0.5), zm.parameter("e", 0.0))


@pytest.fixture(scope="module")
def tilted() -> tuple[Any, ...]:
    """A bar on two smooth round feet, let go with the front one lifted."""
    J, e = PARAMETERS
    bar = zm.RigidBody("bar", m, (J, J, J), at=(0, 0, h))
    rear, front = (
        zm.joints.WheelOnSurface(
            GROUND,
            bar,
            zm.surfaces.plane(),
            radius=r,
            axis=Y,
            center=(x, 0, r - h),
            friction=0.0,
            restitution=e,
            name=name,
        )
        for name, x in (("rear", -L), ("front", L))
    )
    system = zm.System([bar], gravity=g, joints=[rear, front])
    c, s = np.cos(θ0), np.sin(θ0)
    place = (-L + L * c - (h - r) * s, 0.0, r + L * s + (h - r) * c)
    turned = (np.cos(θ0 / 2), 0.0, -np.sin(θ0 / 2), 0.0)
    given = [(bar.position, place), (bar.quaternion, turned), (bar.velocity, 0.0), (bar.angular_velocity, 0.0)]
    return system, rear.slipping(front.lifted(system)).start(given), rear, front


def fallen(J: float) -> tuple[float, float]:
    """When the front foot comes down, and how fast the bar turns then: (J + m z'²) θ̈ = −m z' (g + z'' θ̇²)."""

    def turns(t, y):
        θ, ω = y
        slope, bends = L * np.cos(θ) - (h - r) * np.sin(θ), -L * np.sin(θ) - (h - r) * np.cos(θ)
        return [ω, -m * slope * (g + bends * ω**2) / (J + m * slope**2)]

    def lands(t, y):
        return y[0]

    lands.terminal = True
    found = solve_ivp(turns, (0.0, 2.0), (θ0, 0.0), method="DOP853", rtol=1e-13, atol=1e-15, events=lands)
    return float(found.t[-1]), float(found.y[1, -1])


@pytest.mark.parametrize(("J", "e"), [(0.3, 0.0), (0.7, 0.0), (0.7, 0.5)])
def test_a_bar_rocks_on_two_feet(tilted, J, e):
    """The other foot lifts where the stroke drives it up, J > m L², and takes a part of the stroke where it does not.

    ġ = D p with D = [1/m + L²/J, 1/m − L²/J] of the foot that is struck and of the other.
    """
    system, start, rear, front = tilted
    run = zm.simulate(
        system, start, until=0.4, rtol=1e-11, atol=1e-14, parameters=dict(zip(PARAMETERS, (J, e), strict=True))
    )
    t, ω = fallen(J)
    assert run.modes[0] == "rear slipping, front lifted"
    assert run.impulses[0].t == pytest.approx(t, abs=1e-11)
    own, across, falls = 1 / m + L**2 / J, 1 / m - L**2 / J, -2 * L * ω
    if across > 0.0:
        p, other = (1 + e) * falls / own, 0.0
        assert run.modes[1] == ("rear lifted, front slipping" if e == 0.0 else "rear lifted, front lifted")
        after = run.state(run.impulses[0].t + 1e-9)
        assert after[zm.rate(rear.gap)] == pytest.approx(across * p, rel=1e-7)
    else:
        p = falls * own / (own**2 - across**2)
        other = -across / own * p
        assert run.modes[1] == "rear slipping, front slipping"
    first = run.impulses[0]
    taken = {"rear normal": 0.0, **dict(zip(first.constraints, first.impulses, strict=True))}
    assert taken == pytest.approx(
        {"rear normal": other, "front normal": p} | dict.fromkeys({*taken} - {"rear normal", "front normal"}, 0.0),
        abs=1e-9,
    )
    assert all(impulse.energy < 0.0 for impulse in run.impulses)
    assert run.minimum(rear.gap).value > -1e-12
    assert run.minimum(front.gap).value > -1e-12
    assert run.work().imbalance < 1e-9
    if e == 0.0:  # it has come to rest
        assert run[front.normal_force][-1] == pytest.approx(m * g / 2, rel=1e-6)


def test_a_wheel_in_the_air_is_held_by_nothing():
    """A wind along it, F = k t, takes it as far as any body, k t³/6 m."""
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 5.2))
    tyre = zm.joints.WheelOnSurface(
        GROUND, hoop, zm.surfaces.plane(), radius=0.2, axis=Y, friction=0.4, restitution=0.5, name="tyre"
    )
    system = zm.System([hoop], gravity=g, joints=[tyre], forces={hoop.position[0]: 6.0 * zm.t})
    start = tyre.lifted(system).start([(hoop.position, (0, 0, 5.2)), (hoop.velocity, 0), (hoop.angular_velocity, 0)])
    run = zm.simulate(system, start, until=0.5)
    assert run[hoop.position[0]][-1] == pytest.approx(0.5**3, rel=1e-9)
    assert run[hoop.angular_velocity[1]][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_massless_wheel_in_the_air_is_not_determined():
    """Nothing resists its spin there, and the run says so."""
    hub, wheel = zm.RigidBody("hub", 1.0, (1, 1, 1), at=(0, 0, 1)), zm.RigidBody("wheel", 0.0, (0, 0, 0), at=(0, 0, 1))
    tyre = zm.joints.WheelOnSurface(
        GROUND, wheel, zm.surfaces.plane(), radius=0.3, axis=Y, restitution=0.0, near=(0, 0, 0), name="tyre"
    )
    system = zm.System([hub, wheel], gravity=g, joints=[zm.joints.Revolute(hub, wheel, axis=Y), tyre])
    start = tyre.lifted(system).start([(hub.position, (0, 0, 1.0)), (hub.velocity, 0.0), (hub.angular_velocity, 0.0)])
    with pytest.warns(zm.errors.RunStopped, match="no inertia resists its spin"):
        zm.simulate(system, start, until=0.1)


@pytest.mark.slow
def test_wheels_that_share_their_load_do_not_lift():
    """Of four on level ground none is lifted by a choice of forces that the motion does not tell."""
    cart = zm.RigidBody("cart", 10.0, (1, 2, 2), at=(0, 0, 0.6))
    wheels = [zm.RigidBody(f"wheel {k}", 1.0, (0.01, 0.02, 0.01), at=(x, y, 0.2)) for k, (x, y) in enumerate(CORNERS)]
    axles = [zm.joints.Revolute(cart, wheel, axis=Y, name=f"axle {k}") for k, wheel in enumerate(wheels)]
    given = {"radius": 0.2, "axis": Y, "restitution": 0.0}
    tyres = [
        zm.joints.WheelOnSurface(GROUND, wheel, zm.surfaces.plane(), name=f"tyre {k}", **given)
        for k, wheel in enumerate(wheels)
    ]
    system = zm.System([cart, *wheels], gravity=g, joints=[*axles, *tyres])
    start = system.start({cart.velocity[0]: 1.0, tyres[0].contact[0]: -0.6, tyres[0].contact[1]: -0.4})
    run = zm.simulate(system, start, until=0.1)
    assert len(run.modes) == 1
    assert not run.impulses
    load = 14.0 * g
    assert sum(run[tyre.normal_force] for tyre in tyres) == pytest.approx(load, rel=1e-9)
    assert all(run[tyre.normal_force].min() > 0.2 * load for tyre in tyres)


def bicycle(μ: Any) -> tuple[Any, ...]:
    """A frame on two wheels before a hill, which it leaves upright; its system, start, bodies and tyres."""
    hill = zm.Surface(lambda X, Y: 0.15 * np.exp(-(((X - 1.0) / 0.35) ** 2)), name="hill")
    frame = zm.RigidBody("frame", 4.0, (0.1, 0.4, 0.4), at=(0, 0, 0.4))
    wheels = [zm.RigidBody(f"wheel {k}", 0.5, (0.01, 0.02, 0.01), at=(x, 0, 0.2)) for k, x in enumerate((-L, L))]
    axles = [zm.joints.Revolute(frame, wheel, axis=Y, name=f"axle {k}") for k, wheel in enumerate(wheels)]
    tyres = [
        zm.joints.WheelOnSurface(GROUND, wheel, hill, radius=0.2, axis=Y, restitution=RESTORES, friction=μ, name=name)
        for name, wheel in zip(("rear", "front"), wheels, strict=True)
    ]
    upright = {"upright": frame.rotation[2, 1]}
    system = zm.System([frame, *wheels], gravity=g, joints=[*axles, *tyres], constraints=upright)
    given = [
        (tyres[0].contact[0], -0.7),
        (tyres[0].contact[1], 0.0),
        (frame.velocity[0], SPEED),
        (frame.quaternion[3], 0.0),
    ]
    return system, system.start([*given, *((axle.angle, 0.0) for axle in axles)]), [frame, *wheels], tyres


@pytest.mark.slow
def test_strokes_of_a_vehicle_are_those_of_its_wheels_alone():
    """Its momentum and its angular momentum jump by what the ground gives: N n + T t at each wheel, 0 ≤ |T| ≤ μ N.

    Of inner impulses, at the axles, nothing is seen; three equations of a plane for one sign of friction at each wheel.
    """
    μ = 0.8
    system, start, bodies, tyres = bicycle(μ)
    run = zm.simulate(system, start.again({SPEED: 4.0}), until=0.455, rtol=1e-11, atol=1e-14)
    assert len(run.impulses) == 3
    masses, turning = [4.0, 0.5, 0.5], [0.4, 0.02, 0.02]
    for impulse in run.impulses:
        before = run.segments[[s.t[-1] for s in run.segments].index(impulse.t)].state(impulse.t)
        after = replace(before, v=before.v + impulse.change)
        jump = np.zeros(3)
        for body, m, J in zip(bodies, masses, turning, strict=True):
            x, Δv = before[body.position], after[body.velocity] - before[body.velocity]
            spin = J * (after[body.angular_velocity[1]] - before[body.angular_velocity[1]])
            jump += [m * Δv[0], m * Δv[2], spin + m * (x[2] * Δv[0] - x[0] * Δv[2])]
        given: list[np.ndarray] = [np.zeros(3)]
        struck = dict(zip(impulse.constraints, impulse.impulses, strict=True))
        for tyre in tyres:
            N, T = (struck.get(f"{tyre.name} {what}", 0.0) for what in ("normal", "friction"))
            assert 0.0 <= T <= μ * N * (1 + 1e-9)
            n, p = before[tyre.normal], before[tyre.contact]
            ways = [N * n + s * T * np.array([n[2], 0.0, -n[0]]) for s in (-1, 1)]
            given = [x + np.array([P[0], P[2], p[2] * P[0] - p[0] * P[2]]) for x in given for P in ways]
        assert min(np.abs(x - jump).max() for x in given) <= 1e-9 * np.abs(jump).max()
        assert impulse.energy < 0.0


def test_endless_friction_that_lifts_a_wheel_has_its_name():
    """It can be pulled by nothing and goes into the hill without its friction; with a coefficient it slips before."""
    system, start, _, _ = bicycle(None)
    run = zm.simulate(system, start, until=0.8)
    assert re.search(r"'front'.*can not leave either.*give friction=μ", str(run.outcome))
    assert run.modes == ("rear rolling, front rolling",)


def test_what_can_not_lift_is_refused():
    hoop = zm.RigidBody("hoop", 1.0, (1, 1, 1), at=(0, 0, 0.5))
    given = {"radius": 0.5, "axis": Y}
    with pytest.raises(zm.errors.ModelError, match="may lift"):
        zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), restitution=0.5, two_sided=True, **given)
    with pytest.raises(zm.errors.ModelError, match=r"restitution of 'ground to hoop' is 1.5"):
        zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), restitution=1.5, **given)
    held = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), **given)
    with pytest.raises(zm.errors.ModelError, match="restitution=e"):
        held.lifted(zm.System([hoop], gravity=0, joints=[held]))
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), restitution=0.5, **given, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    inside = tyre.lifted(system).start([(hoop.position, (0, 0, 0.4)), (hoop.velocity, 0), (hoop.angular_velocity, 0)])
    with pytest.raises(zm.errors.StartError, match=r"'tyre' is 0.1 m inside"):
        zm.simulate(system, inside, until=0.1)
