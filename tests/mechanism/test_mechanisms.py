"""Mechanisms with exact or independent answers, built from joints."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

GROUND = zm.Ground()


def rod(name: str, a, b, mass: float = 1.0) -> zm.RigidBody:
    """A slender rod from a to b, in the reference pose."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    d = b - a
    solid = zm.bodies.Solid.cylinder(0.01, float(np.linalg.norm(d)), axis=d, mass=mass)
    return solid.moved((a + b) / 2).body(name)


def test_the_slider_crank_of_the_design():
    """Program 5 of the design, as it is written there; the slider is at r cos θ + √(l² − r² sin² θ)."""
    r, length = 0.1, 0.4
    crank, con, slider = rod("crank", (0, 0, 0), (r, 0, 0)), rod("rod", (r, 0, 0), (r + length, 0, 0)), None
    slider = zm.RigidBody("slider", mass=0.5, inertia=(0.01, 0.01, 0.01), at=(r + length, 0, 0))
    pin = zm.joints.Revolute(GROUND, crank, at=(0, 0, 0), axis=(0, 1, 0))
    joints = [
        pin,
        zm.joints.Spherical(crank, con, at=(r, 0, 0)),
        zm.joints.Universal(con, slider, at=(r + length, 0, 0), axes=((0, 1, 0), (0, 0, 1))),
        zm.joints.Prismatic(GROUND, slider, axis=(1, 0, 0)),
    ]
    system = zm.System([crank, con, slider], gravity=9.81, joints=joints)
    start = system.start({pin.angle: 0.3, pin.rate: 40.0})
    assert system.check(start).degrees_of_freedom == 1
    run = zm.simulate(system, start, until=0.5)
    θ = run[pin.angle]
    assert θ[-1] > 2 * np.pi
    x = r * np.cos(θ) + np.sqrt(length**2 - r**2 * np.sin(θ) ** 2)
    np.testing.assert_allclose(run[slider.position[0]], x, atol=1e-8)
    assert np.ptp(run[system.energy]) < 1e-8
    assert run[pin.force].shape == (len(run.t), 3)


def test_a_four_bar_of_hinges_in_space_is_redundant_and_moves():
    """Freudenstein: the loop of four parallel hinges closes as in the plane; of its rows three follow from others."""
    a, b, c, d = 0.2, 0.5, 0.4, 0.6  # crank, coupler, rocker, ground
    θ = 1.0
    A = a * np.array([np.cos(θ), 0, np.sin(θ)])
    D = np.array([d, 0, 0])
    s = np.linalg.norm(D - A)
    β = np.arctan2((D - A)[2], (D - A)[0]) + np.arccos((b**2 + s**2 - c**2) / (2 * b * s))
    B = A + b * np.array([np.cos(β), 0, np.sin(β)])
    crank, coupler, rocker = rod("crank", (0, 0, 0), A), rod("coupler", A, B), rod("rocker", B, D)
    pin = zm.joints.Revolute(GROUND, crank, at=(0, 0, 0), axis=(0, -1, 0), name="pin")
    out = zm.joints.Revolute(GROUND, rocker, at=D, axis=(0, -1, 0), name="out")
    hinges = [
        pin,
        zm.joints.Revolute(crank, coupler, at=A, axis=(0, 1, 0), name="first"),
        zm.joints.Revolute(coupler, rocker, at=B, axis=(0, 1, 0), name="second"),
        out,
    ]
    system = zm.System([crank, coupler, rocker], gravity=9.81, joints=hinges)
    start = system.start({pin.rate: 8.0})
    diagnosis = system.check(start)
    assert diagnosis.degrees_of_freedom == 1
    assert len(diagnosis.redundant) == 3
    run = zm.simulate(system, start, until=2.0)
    φ, ψ = θ + run[pin.angle], np.arctan2(*(B - D)[[2, 0]]) + run[out.angle]
    K1, K2, K3 = d / a, d / c, (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    np.testing.assert_allclose(K1 * np.cos(ψ) - K2 * np.cos(φ) + K3 - np.cos(φ - ψ), 0.0, atol=1e-8)
    assert np.ptp(run[system.energy]) < 1e-9
    assert np.ptp(run[pin.angle]) > 2 * np.pi


@pytest.mark.slow
def test_bennetts_loop_moves_against_the_count():
    """Four skew hinges: 18 − 20 degrees by count, one in truth; tan ½θ tan ½φ is constant [B1903]."""
    α, β = 0.6, 1.1
    a = 1.0
    b = a * np.sin(β) / np.sin(α)

    def screwed(T, θ, length, twist):
        c, s, ct, st = np.cos(θ), np.sin(θ), np.cos(twist), np.sin(twist)
        D = [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1]]
        return T @ np.array(D)

    θ = 1.2
    ratio = np.sin((β + α) / 2) / np.sin((β - α) / 2)
    for φ in (2 * np.arctan(sign * ratio / np.tan(θ / 2)) for sign in (1, -1)):  # signs differ among books
        frames = [np.eye(4)]
        for angle, length, twist in ((θ, a, α), (φ, b, β), (-θ, a, α), (-φ, b, β)):
            frames.append(screwed(frames[-1], angle, length, twist))
        if np.abs(frames[-1] - np.eye(4)).max() < 1e-9:
            break
    np.testing.assert_allclose(frames[-1], np.eye(4), atol=1e-12)  # the loop closes in the reference pose
    points, axes = [T[:3, 3] for T in frames[:4]], [T[:3, 2] for T in frames[:4]]
    links = [rod(f"link{k}", points[k], points[k + 1]) for k in range(3)]
    hinges = [
        zm.joints.Revolute(GROUND, links[0], at=points[0], axis=axes[0], name="h0"),
        zm.joints.Revolute(links[0], links[1], at=points[1], axis=axes[1], name="h1"),
        zm.joints.Revolute(links[1], links[2], at=points[2], axis=axes[2], name="h2"),
        zm.joints.Revolute(links[2], GROUND, at=points[3], axis=axes[3], name="h3"),
    ]
    system = zm.System(links, gravity=0, joints=hinges)
    start = system.start({hinges[0].rate: 1.0})
    diagnosis = system.check(start)
    assert diagnosis.degrees_of_freedom == 1
    assert len(diagnosis.redundant) == 3
    run = zm.simulate(system, start, until=1.0)
    energy = run[system.energy]
    assert np.ptp(energy) < 1e-9 * energy[0]
    first, second = θ + run[hinges[0].angle], φ + run[hinges[1].angle]
    product = np.tan(first / 2) * np.tan(second / 2)
    np.testing.assert_allclose(product, product[0], rtol=1e-7)
    assert np.ptp(first) > 0.3


def test_sarrus_rises_straight():
    """Two pairs of hinges across one another: the plate moves along a line and does not turn."""
    parts, joints = [], []
    plate = zm.bodies.Solid.box((0.2, 0.2, 0.02), mass=1.0).moved((0, 0, 0.2)).body("plate")
    for name, side in (("x", np.array([1.0, 0, 0])), ("y", np.array([0, 1.0, 0]))):
        axis = np.cross(side, (0, 0, 1))
        low, knee, high = 0.1 * side, 0.1 * side + 0.1 * side + (0, 0, 0.1), 0.1 * side + np.array([0, 0, 0.2])
        lower, upper = rod(f"lower {name}", low, knee, 0.2), rod(f"upper {name}", knee, high, 0.2)
        parts += [lower, upper]
        joints += [
            zm.joints.Revolute(GROUND, lower, at=low, axis=axis, name=f"{name} low"),
            zm.joints.Revolute(lower, upper, at=knee, axis=axis, name=f"{name} knee"),
            zm.joints.Revolute(upper, plate, at=high, axis=axis, name=f"{name} high"),
        ]
    system = zm.System([*parts, plate], gravity=9.81, joints=joints)
    start = system.start()
    diagnosis = system.check(start)
    assert diagnosis.degrees_of_freedom == 1
    assert diagnosis.redundant
    run = zm.simulate(system, start, until=0.1)
    np.testing.assert_allclose(run[plate.rotation], np.broadcast_to(np.eye(3), (len(run.t), 3, 3)), atol=1e-9)
    np.testing.assert_allclose(run[plate.position[:2]], 0.0, atol=1e-9)
    assert run[plate.position[2]][-1] < 0.19
    assert np.ptp(run[system.energy]) < 1e-9


def test_the_legs_of_a_stewart_platform_carry_what_statics_says():
    """Six legs of time-dependent length: at rest their tensions solve Jᵀf = w; moving, the platform goes where it should."""
    angles = np.deg2rad([10, 110, 130, 230, 250, 350])
    base = np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=1)
    near = np.deg2rad([50, 70, 170, 190, 290, 310])
    top = 0.6 * np.stack([np.cos(near), np.sin(near), np.zeros(6)], axis=1)
    plate = zm.bodies.Solid.cylinder(0.6, 0.05, mass=12.0).moved((0, 0, 1.0)).body("plate")
    ways = 0.1 * np.sin(zm.t) * np.array([0.3, -0.2, 1.0])
    legs = []
    for k in range(6):
        d = np.array([0, 0, 1.0]) + ways + top[k] - base[k]
        legs.append(zm.joints.Distance(GROUND, plate, at=(base[k], top[k]), length=np.sqrt(d @ d), name=f"leg {k}"))
    system = zm.System([plate], gravity=9.81, joints=legs)
    start = system.start()
    assert system.check(start).degrees_of_freedom == 0
    run = zm.simulate(system, start, until=2.0)
    shift = np.sin(run.t)[:, None] * 0.1 * np.array([0.3, -0.2, 1.0])
    np.testing.assert_allclose(run[plate.position] - (0, 0, 1.0), shift, atol=1e-9)
    here = run.at(1.2)
    x = here[plate.position][0]
    points = x + top  # it does not turn
    u = (points - base) / np.linalg.norm(points - base, axis=1)[:, None]
    J = np.concatenate([u, np.cross(top, u)], axis=1)
    a = -np.sin(1.2) * 0.1 * np.array([0.3, -0.2, 1.0])
    wrench = np.concatenate([12.0 * (a + np.array([0, 0, 9.81])), np.zeros(3)])
    pressed = np.linalg.solve(J.T, wrench)
    np.testing.assert_allclose([-here[leg.tension][0] for leg in legs], pressed, atol=1e-7)


def test_a_delta_robot_keeps_its_plate_level():
    """Three arms, six rods: three degrees of freedom, all of them shifts; the place is where three spheres meet."""
    R, r, arm, fore = 0.2, 0.05, 0.25, 0.5
    plate_at = np.array([0, 0, -0.45])
    plate = zm.RigidBody("plate", mass=0.3, inertia=(1e-3, 1e-3, 2e-3), at=plate_at)
    arms, pins, rods = [], [], []
    for k, angle in enumerate(np.deg2rad([0, 120, 240])):
        out, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        hip, wrist = R * out, plate_at + r * out
        # the elbow lies in the plane of `out` and Z, `arm` from the hip and `fore` from the wrist
        d = wrist - hip
        s = np.linalg.norm(d)
        e = d / s
        n = np.cross(across, e)
        n = n if n @ out > 0 else -n
        h = (arm**2 - fore**2 + s**2) / (2 * s)
        elbow = hip + h * e + np.sqrt(arm**2 - h**2) * n
        body = rod(f"arm {k}", hip, elbow, 0.2)
        arms.append((body, hip, out, across))
        pins.append(zm.joints.Revolute(GROUND, body, at=hip, axis=across, name=f"pin {k}"))
        for sign in (-1, 1):
            ends = (elbow + sign * 0.04 * across - (hip + elbow) / 2, wrist + sign * 0.04 * across - plate_at)
            rods.append(zm.joints.Distance(body, plate, at=ends, length=fore, name=f"rod {k}{'-+'[sign > 0]}"))
    system = zm.System([*[body for body, *_ in arms], plate], gravity=9.81, joints=[*pins, *rods])
    start = system.start({pins[0].angle: 0.15, pins[1].angle: -0.05, pins[2].angle: 0.1})
    assert system.check(start).degrees_of_freedom == 3
    np.testing.assert_allclose(start[plate.rotation], np.eye(3), atol=1e-12)
    elbows = [start[2 * body.position] - hip for body, hip, *_ in arms]
    centers = [elbow - r * out for elbow, (_, _, out, _) in zip(elbows, arms, strict=True)]
    distances = [np.linalg.norm(start[plate.position] - center) for center in centers]
    np.testing.assert_allclose(distances, fore, atol=1e-12)
    run = zm.simulate(system, start, until=0.3)
    np.testing.assert_allclose(run[plate.rotation], np.broadcast_to(np.eye(3), (len(run.t), 3, 3)), atol=1e-8)
    assert np.ptp(run[system.energy]) < 1e-9


def disc(name: str, at=(0, 0, 0)) -> zm.RigidBody:
    return zm.RigidBody(name, mass=1.0, inertia=(0.01, 0.01, 0.015), at=at)


def test_a_planetary_gear_obeys_willis():
    """(ω_s − ω_c)/(ω_r − ω_c) = −z_r/z_s, and with a fixed ring ω_s = (1 + z_r/z_s) ω_c."""
    zs, zp = 24.0, 18.0
    zr = zs + 2 * zp
    sun, planet, carrier, ring = (disc(name) for name in ("sun", "planet", "carrier", "ring"))
    z = (0, 0, 1)
    held = [zm.joints.Revolute(GROUND, body, axis=z) for body in (sun, carrier, ring)]
    on = {body.name: zm.joints.Revolute(carrier, body, axis=z) for body in (sun, planet, ring)}
    gears = [
        zm.joints.Gear(on["sun"], on["planet"], ratio=-zs / zp, name="outside"),
        zm.joints.Gear(on["planet"], on["ring"], ratio=zp / zr, name="inside"),
    ]
    system = zm.System([sun, planet, carrier, ring], gravity=0, joints=[*held, *on.values(), *gears])
    start = system.start({held[0].rate: 3.0, held[1].rate: 1.0})
    ωs, ωc, ωr = (start[joint.rate] for joint in held)
    assert abs((ωs - ωc) / (ωr - ωc) + zr / zs) < 1e-12
    assert system.check(start).degrees_of_freedom == 2
    fixed = zm.System(
        [sun, planet, carrier, ring],
        gravity=0,
        joints=[*held, *on.values(), *gears, held[2].drive(0.0)],
        forces=[held[0].motor(1.0)],
    )
    begun = fixed.start({held[1].rate: 1.0})
    assert abs(begun[held[0].rate] - (1 + zr / zs)) < 1e-12
    # all the torque on the ring and carrier's side follows from power: the reduced inertia at the sun
    i = 1 + zr / zs
    Js = Jc = Jp = 0.015
    planet_spin = (1 - (i - 1) * zs / zp) / i  # ω_p/ω_s = (ω_c − (ω_s − ω_c) z_s/z_p)/ω_s
    J = Js + Jc / i**2 + Jp * planet_spin**2
    assert abs(begun[zm.rate(held[0].rate)] - 1.0 / J) < 1e-8


def test_a_differential_halves_the_torque():
    """ω_left + ω_right = 2 ω_case, and both sides get the same torque."""
    case, left, right = (disc(name) for name in ("case", "left", "right"))
    spider = zm.RigidBody("spider", mass=0.5, inertia=(0.001, 0.001, 0.001))
    z, x = (0, 0, 1), (1, 0, 0)
    axles = [zm.joints.Revolute(GROUND, body, axis=z) for body in (case, left, right)]
    inside = [zm.joints.Revolute(case, body, axis=z) for body in (left, right)]
    pin = zm.joints.Revolute(case, spider, axis=x)
    gears = [zm.joints.Gear(inside[0], pin, ratio=1.0), zm.joints.Gear(inside[1], pin, ratio=-1.0)]
    loads = [axles[1].motor(-0.3), axles[2].motor(-0.3)]
    system = zm.System(
        [case, left, right, spider],
        gravity=0,
        joints=[*axles, *inside, pin, *gears],
        forces=[*loads, axles[0].motor(0.6)],
    )
    start = system.start({axles[0].rate: 10.0, axles[1].rate: 12.0})
    assert abs(start[axles[2].rate] - 8.0) < 1e-12
    assert abs(start[zm.rate(axles[1].rate) + zm.rate(axles[2].rate) - 2 * zm.rate(axles[0].rate)]) < 1e-9
    assert abs(start[zm.rate(axles[0].rate)]) < 1e-9  # 0.6 in, twice 0.3 out


def test_a_long_train_and_a_belt_keep_their_ratios_over_many_turns():
    wheels = [disc(f"wheel {k}", (k, 0, 0)) for k in range(4)]
    pins = [zm.joints.Revolute(GROUND, wheel, at=(k, 0, 0), axis=(0, 0, 1)) for k, wheel in enumerate(wheels)]
    chain = [
        zm.joints.Gear(pins[0], pins[1], ratio=-2.0),
        zm.joints.Belt(pins[1], pins[2], radii=(0.3, 0.1)),
        zm.joints.Belt(pins[2], pins[3], radii=(0.1, 0.2), crossed=True),
    ]
    system = zm.System(wheels, gravity=0, joints=[*pins, *chain], forces=[pins[0].motor(0.5)])
    run = zm.simulate(system, system.start({pins[0].angle: 0.2}), until=8.0)
    angles = run[np.array([pin.angle for pin in pins])]
    assert angles[-1, 0] > 2 * np.pi
    for k, ratio in enumerate((-2.0, -6.0, 3.0), 1):
        np.testing.assert_allclose(angles[:, k], ratio * angles[:, 0], atol=1e-6)
    J = 0.015 * (1 + 4 + 36 + 9)
    assert abs(run.at(8.0)[pins[0].rate][0] - 0.5 / J * 8.0) < 1e-6
    pull = run.at(3.0)[chain[1].pull][0]  # what accelerates wheels 2 and 3, at its radius
    assert abs(abs(pull) - 0.015 * (6 + 3 * 3 / 6) * 0.5 / J / 0.1) < 1e-8


def test_a_cam_lifts_as_its_profile_says():
    cam, follower = disc("cam"), zm.RigidBody("follower", mass=0.4, inertia=(1, 1, 1))
    axle = zm.joints.Revolute(GROUND, cam, axis=(0, 1, 0))
    guide = zm.joints.Prismatic(GROUND, follower, axis=(0, 0, 1))
    lift = zm.joints.Cam(axle, guide, lambda angle: 0.01 * (1 - np.cos(2 * angle)))
    drive = axle.drive(30 * zm.t)
    system = zm.System([cam, follower], gravity=9.81, joints=[axle, guide, lift, drive])
    run = zm.simulate(system, system.start(), until=1.0)
    θ = 30 * run.t
    np.testing.assert_allclose(run[follower.position[2]], 0.01 * (1 - np.cos(2 * θ)), atol=1e-9)
    a = 0.01 * 4 * 30**2 * np.cos(2 * θ)
    np.testing.assert_allclose(run[lift.force], 0.4 * (a + 9.81), atol=1e-6)
    np.testing.assert_allclose(run[drive.torque], 0.4 * (a + 9.81) * 0.02 * np.sin(2 * θ), atol=1e-6)


def test_a_follower_on_the_curve_of_a_cam():
    """A knife edge on an eccentric disc: its height is e sin θ + √(R² − e² cos² θ)."""
    R, e = 0.05, 0.02
    cam = zm.RigidBody("cam", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    tip = zm.RigidBody("tip", mass=0.2, inertia=(1e-4, 1e-4, 1e-4), at=(0, 0, R + e))
    axle = zm.joints.Revolute(GROUND, cam, axis=(0, -1, 0))
    guide = zm.joints.Prismatic(GROUND, tip, axis=(0, 0, 1))
    touch = zm.joints.PointOnCurve(cam, tip, lambda s: (e + R * np.cos(s), 0 * s, R * np.sin(s)), near=np.pi / 2)
    system = zm.System([cam, tip], gravity=9.81, joints=[axle, guide, touch])
    run = zm.simulate(system, system.start({axle.rate: 20.0}), until=0.5)
    θ = run[axle.angle]
    np.testing.assert_allclose(run[tip.position[2]], e * np.sin(θ) + np.sqrt(R**2 - e**2 * np.cos(θ) ** 2), atol=1e-9)
    assert θ[-1] > 2 * np.pi


@pytest.mark.parametrize("slots", [3, 4, 6])
def test_a_geneva_wheel_steps(slots):
    """Pin in slot, held, pin in the next slot, in one run: angles, rates, pin force and the drive's torque are exact."""
    c, Ω, J = 0.1, 5.0, 3e-4
    a, step = c * np.sin(np.pi / slots), np.pi / slots
    arm, star = disc("arm"), zm.RigidBody("star", mass=0.5, inertia=(1e-3, 1e-3, J), at=(c, 0, 0))
    crank, wheel = (zm.joints.Revolute(GROUND, body, axis=(0, 0, 1)) for body in (arm, star))
    geneva = zm.joints.Geneva(crank, wheel, slots=slots, distance=c)
    drive = crank.drive(Ω * zm.t - np.pi)
    system = zm.System([arm, star], gravity=0, joints=[crank, wheel, geneva, drive])
    run = zm.simulate(system, system.start(), until=2.5 * 2 * np.pi / Ω)
    half = np.pi / 2 - step
    told = [(2 * np.pi * k + np.pi + way * half) / Ω for k in range(3) for way in (-1, 1)][:5]
    np.testing.assert_allclose([event.t for event in run.events], told, atol=1e-10)
    t = np.linspace(0, run.t[-1], 401)
    t = t[np.min(np.abs(t[:, None] - told), axis=1) > 1e-6]
    at, θ = run.at(t), np.mod(Ω * t, 2 * np.pi) - np.pi
    turns, inside = np.floor(Ω * t / (2 * np.pi)), np.abs(θ) < half
    φ = np.where(inside, np.arctan2(a * np.sin(θ), c - a * np.cos(θ)), step * np.sign(θ)) + 2 * step * turns
    np.testing.assert_allclose(at[wheel.angle], -φ, atol=1e-9)
    # P − O₂ and its slot: (P − O₂) × e_r = 0, by the bodies' own places
    pin = at[arm.point((a, 0, 0))][inside] - (c, 0, 0)
    slot = at[star.rotate((-np.cos(0.0), 0, 0))][inside]  # one of its slots points to the crank in the reference pose
    turned = np.mod(np.arctan2(np.cross(slot, pin)[:, 2], np.sum(slot * pin, axis=1)) + step, 2 * step) - step
    np.testing.assert_allclose(turned, 0.0, atol=1e-8)
    λ, D = a / c, 1 + (a / c) ** 2 - 2 * a / c * np.cos(θ)
    ω = np.where(inside, -Ω * λ * (np.cos(θ) - λ) / D, 0.0)
    α = np.where(inside, Ω**2 * λ * (1 - λ**2) * np.sin(θ) / D**2, 0.0)
    np.testing.assert_allclose(at[wheel.rate], ω, atol=1e-8)
    np.testing.assert_allclose(at[geneva.torque], J * α, atol=1e-6 * J * Ω**2)
    np.testing.assert_allclose(at[geneva.pin], J * α / (c * np.sqrt(D)), atol=1e-6 * J * Ω**2 / c)
    np.testing.assert_allclose(at[drive.power], J * α * ω, atol=1e-6 * J * Ω**3)


@pytest.mark.parametrize("kind", ["cardan", "homokinetic"])
def test_shafts_at_an_angle(kind):
    """Through one cross tan θ₂ = tan θ₁/cos β; through a homokinetic joint θ₂ = θ₁."""
    β = 0.5
    one, other = disc("one"), disc("other")
    direction = np.array([np.sin(β), 0, np.cos(β)])
    first = zm.joints.Revolute(GROUND, one, axis=(0, 0, 1), name="first")
    second = zm.joints.Revolute(GROUND, other, axis=direction, name="second")
    if kind == "cardan":
        link = zm.joints.Universal(one, other, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    else:
        link = zm.joints.ConstantVelocity(one, other, at=((0, 0, 0), (0, 0, 0)), axis=((0, 0, 1), direction))
    system = zm.System([one, other], gravity=0, joints=[first, second, link])
    start = system.start({first.rate: 3.0})
    run = zm.simulate(system, start, until=2.0)
    ω1, ω2, θ = run[first.rate], run[second.rate], run[first.angle]
    if kind == "homokinetic":
        np.testing.assert_allclose(ω2, ω1, atol=1e-8)
    else:
        np.testing.assert_allclose(ω2 / ω1, np.cos(β) / (1 - np.sin(β) ** 2 * np.cos(θ) ** 2), atol=1e-7)
    assert θ[-1] > np.pi


def test_switches_of_joints_are_told_by_the_names_of_the_joints():
    """Of a hinge between two bodies sign(rate) is a formula of eight lines; a heading has its name."""
    links = [zm.RigidBody(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k + 0.5, 0, 0)) for k in range(2)]
    hinges = [
        zm.joints.Revolute(a, b, at=(k, 0, 0), axis=(0, 1, 0), name=f"hinge {k}")
        for k, (a, b) in enumerate(zip([zm.Ground(), *links], links, strict=False))
    ]
    system = zm.System(links, joints=hinges, gravity=9.81, forces=[hinge.friction(2.0) for hinge in hinges])
    run = zm.simulate(system, system.start(dict.fromkeys([h.angle for h in hinges], 0.1)), until=3.0)
    said = [segment.outcome.message for segment in run.segments if segment.outcome.ending == "switch"]
    assert said
    assert set(said) <= {"'sign(rate of hinge 0)'", "'sign(rate of hinge 1)'"}
