"""Wheels of vehicles on surfaces: against bodies that roll alone, closed forms, and second derivations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81


# one wheel -----------------------------------------------------------------------------------------------------------
def waves() -> zm.Surface:
    """Hills that are shaken and turned."""
    shift = (0.1 * np.sin(2 * zm.t), 0, 0.05 * np.cos(zm.t))
    return zm.Surface(lambda X, Y: 0.1 * np.sin(X) * np.cos(1.3 * Y), shift=shift, rotation=((0, 0, 1), 0.3 * zm.t))


RIMS = {
    "knife edge": (0.0, {"radius": 0.3}),
    "tyre": (0.08, {"radius": 0.38, "tube": 0.08}),
    "profile": (0.08, {"profile": lambda y: 0.3 + np.sqrt(0.08**2 - y**2)}),
}


@pytest.mark.parametrize("rim", RIMS)
def test_a_wheel_alone_rolls_as_the_body_of_its_shape(rim):
    """The same motion as that of zm.Rolling, from other rows: along and across the wheel instead of three of no slip."""
    tube, given = RIMS[rim]
    hills = waves()
    solid = zm.bodies.torus(0.3, tube, 2.0) if tube else zm.bodies.disc(0.3, 2.0)
    rolling = zm.Rolling(solid, on=hills, gravity=9.81, two_sided=True)
    u = np.array([np.cos(np.pi / 4 - 0.1), np.sin(np.pi / 4 - 0.1), 0.1, 0.05])
    u, ω = u / np.linalg.norm(u), (0.3, 5.0, 0.2)
    body = rolling.body
    start = rolling.start([(rolling.contact[:2], (0.2, 0.1)), (body.quaternion, u), (body.angular_velocity, ω)])
    wheel = zm.RigidBody("wheel", mass=2.0, inertia=solid.inertia)
    rolls = zm.joints.WheelOnSurface(GROUND, wheel, hills, axis=(0, 0, 1), two_sided=True, **given)
    system = zm.System([wheel], gravity=9.81, joints=[rolls])
    guess = [(wheel.position, start[body.position]), (rolls.contact, start[rolling.contact])]
    same = system.start(
        [(rolls.contact[:2], (0.2, 0.1)), (wheel.quaternion, u), (wheel.angular_velocity, ω)], guess=guess
    )
    np.testing.assert_allclose(same[zm.rate(wheel.velocity)], start[zm.rate(body.velocity)], atol=1e-12)
    np.testing.assert_allclose(same[rolls.force], start[rolling.reaction_force], atol=1e-11)
    np.testing.assert_allclose(same[rolls.torque], 0.0, atol=1e-11)
    if rim == "tyre":
        one, other = (
            zm.simulate(s, x, until=1.0, rtol=1e-12, atol=1e-14) for s, x in ((rolling, start), (system, same))
        )
        assert np.abs(one[rolling.contact][-1] - other[rolls.contact][-1]).max() < 1e-10


def test_a_wheel_on_a_body_that_gives_way():
    """A hoop on a wedge that slides without friction: with a = ẍ of the wedge, the hoop's along the slope s̈ follows from

    (M + m) a + m s̈ cos α = 0,    2 m s̈ + m a cos α = m g sin α
    """
    M, m, r, α, g = 3.0, 2.0, 0.2, 0.4, 9.81
    wedge = zm.RigidBody("wedge", mass=M, inertia=(1, 1, 1))
    hoop = zm.RigidBody("hoop", mass=m, inertia=m * r**2 * np.array([0.5, 1, 0.5]), at=(0, 0, r / np.cos(α)))
    slope = zm.Surface(lambda X, Y: -np.tan(α) * X)
    rolls = zm.joints.WheelOnSurface(wedge, hoop, slope, radius=r, axis=Y)
    slides = zm.joints.Prismatic(GROUND, wedge, axis=(1, 0, 0))
    system = zm.System([wedge, hoop], gravity=g, joints=[slides, rolls])
    start = system.start([(hoop.rotation[2, 1], 0.0), (hoop.rotation[0, 1], 0.0)])
    a, s = np.linalg.solve([[M + m, m * np.cos(α)], [np.cos(α), 2]], [0, g * np.sin(α)])
    assert start[zm.rate(wedge.velocity)][0] == pytest.approx(a, abs=1e-12)
    expected = (a + s * np.cos(α), 0, -s * np.sin(α))
    np.testing.assert_allclose(start[zm.rate(hoop.velocity)], expected, atol=1e-12)


def test_it_lifts_where_a_hill_falls_away():
    """m v²/ρ exceeds the weight: ρ of the path of the centre, on the crest of −c X² it is 1/(2 c) + r."""
    c, r, g = 0.4, 0.2, 9.81
    for factor, lifts in ((0.98, False), (1.02, True)):
        hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, r))
        rolls = zm.joints.WheelOnSurface(
            GROUND, hoop, zm.Surface(lambda X, Y: -c * X**2), radius=r, axis=Y, name="hoop"
        )
        system = zm.System([hoop], gravity=g, joints=[rolls])
        speed = factor * np.sqrt(g * (1 / (2 * c) + r))
        start = system.start([(hoop.angular_velocity, (0, speed / r, 0)), (rolls.contact[0], 0.0)])
        assert (start[rolls.normal_force] < 0) == lifts
    assert "'hoop lifts' already at the start" in str(zm.simulate(system, start, until=0.1).outcome)


def test_a_hollow_too_tight_is_told():
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    rolls = zm.joints.WheelOnSurface(GROUND, hoop, zm.Surface(lambda X, Y: 3.0 * X**2), radius=0.2, axis=Y)
    system = zm.System([hoop], gravity=9.81, joints=[rolls])
    start = system.start([(hoop.position, (0, 0, 0.2)), (rolls.contact, (0, 0, 0))])
    assert start[rolls.clearance] == pytest.approx(1 - 6 * 0.2)
    assert "hollow too tight' already at the start" in str(zm.simulate(system, start, until=0.1).outcome)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "radius= or by its profile="),
        ({"radius": 0.3, "profile": lambda y: 0.3}, "radius= or by its profile="),
        ({"radius": 0.1, "tube": 0.2}, "more than its radius"),
        ({"radius": 0.1, "tube": -0.2}, "zero or positive"),
        ({"profile": lambda y: "round"}, "does not give a radius"),
    ],
)
def test_bad_input(given, words):
    with pytest.raises(zm.errors.ModelError, match=words):
        zm.joints.WheelOnSurface(GROUND, zm.RigidBody("hoop", 1.0, (1, 1, 1)), zm.surfaces.plane(), axis=Y, **given)


def test_it_needs_a_surface_and_bodies():
    hoop = zm.RigidBody("hoop", 1.0, (1, 1, 1))
    with pytest.raises(zm.errors.ModelError, match=r"give a zm\.Surface"):
        zm.joints.WheelOnSurface(GROUND, hoop, lambda X, Y: 0.0, radius=0.3, axis=Y)  # type: ignore[arg-type]
    with pytest.raises(zm.errors.ModelError, match="rigid body"):
        zm.joints.WheelOnSurface(zm.Particle("p", 1.0), hoop, zm.surfaces.plane(), radius=0.3, axis=Y)  # type: ignore[arg-type]


# vehicles ------------------------------------------------------------------------------------------------------------
def cart(two_sided: bool) -> tuple[zm.System, zm.RigidBody, list[zm.joints.WheelOnSurface], np.ndarray]:
    """Of 10 kg on four tyres of 1 kg, on a slope of 0.1 rad, and the way down."""
    r, J, α = 0.2, 0.02, 0.1
    slope, down = zm.surfaces.plane(slope=α), np.array([np.cos(α), 0, -np.sin(α)])
    turn, R = (np.cos(α / 2), 0, np.sin(α / 2), 0), np.stack([down, Y, (np.sin(α), 0, np.cos(α))], axis=1)
    body = zm.RigidBody("cart", 10.0, (1, 1, 1), at=tuple(R @ (0, 0, 0.5)), orientation=turn)
    wheels, axles, tyres = [], [], []
    for k, (x, y) in enumerate([(1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5)]):
        wheel = zm.RigidBody(f"wheel {k}", 1.0, (J / 2, J, J / 2), at=tuple(R @ (x, y, r)), orientation=turn)
        tyres.append(zm.joints.WheelOnSurface(GROUND, wheel, slope, radius=r, tube=0.05, axis=Y, two_sided=two_sided))
        axles.append(zm.joints.Revolute(body, wheel, axis=Y))
        wheels.append(wheel)
    return zm.System([body, *wheels], gravity=g, joints=[*axles, *tyres]), body, tyres, down


def test_a_cart_of_four_wheels_on_a_slope():
    """ẍ = (M + 4 m) g sin α/(M + 4 m + 4 J/r²); the wheels' forces are shared, their friction along the slope is not."""
    system, body, tyres, down = cart(two_sided=True)
    start = system.start()
    a = 14.0 * g * np.sin(0.1) / (14.0 + 4 * 0.02 / 0.2**2)
    np.testing.assert_allclose(start[zm.rate(body.velocity)], a * down, atol=1e-11)
    along = sum(start[tyre.force] @ down for tyre in tyres)
    assert along == pytest.approx(14.0 * (a - g * np.sin(0.1)), abs=1e-9)


@pytest.mark.slow
def test_a_load_that_is_shared_is_told():
    """Of four wheels on a plane the motion does not tell what each carries."""
    system, _, _, _ = cart(two_sided=False)
    assert "share the load in any way that gives the same motion" in str(
        zm.simulate(system, system.start(), until=0.1).outcome
    )


def bicycle(
    surface: zm.Surface,
) -> tuple[zm.System, zm.joints.Revolute, zm.joints.Revolute, zm.RigidBody, list[zm.joints.WheelOnSurface]]:
    """The benchmark bicycle [MP2007, table 1], its wheels on a surface."""
    w, c, tilt, rR, rF = 1.02, 0.08, np.pi / 10, 0.3, 0.35
    R = zm.RigidBody("rear wheel", 2.0, (0.0603, 0.12, 0.0603), at=(0, 0, rR))
    F = zm.RigidBody("front wheel", 3.0, (0.1405, 0.28, 0.1405), at=(w, 0, rF))
    B = zm.RigidBody("frame", 85.0, [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]], at=(0.3, 0, 0.9))
    H = zm.RigidBody("fork", 4.0, [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]], at=(0.9, 0, 0.7))
    rear, front = zm.joints.Revolute(B, R, axis=Y), zm.joints.Revolute(H, F, axis=Y)
    steer = zm.joints.Revolute(B, H, at=(w + c, 0, 0), axis=(-np.sin(tilt), 0, np.cos(tilt)), name="steer")
    rolls = [zm.joints.WheelOnSurface(GROUND, b, surface, radius=r, axis=Y) for b, r in ((R, rR), (F, rF))]
    return zm.System([B, H, R, F], gravity=9.81, joints=[rear, front, steer, *rolls]), steer, rear, R, rolls


def test_a_bicycle_on_level_ground_has_the_published_eigenvalues():
    """At 5 m/s [MP2007, table 2]."""
    system, steer, rear, R, _ = bicycle(zm.surfaces.plane())
    lean = R.rotate(Y)[2]
    kept = {"lean": lean, "steer": steer.angle, "lean rate": zm.rate(lean), "steer rate": steer.rate}
    found = zm.analysis.linearize(system, system.start({rear.rate: 5.0 / 0.3}), states=kept).eigenvalues
    weave = -0.775341882195845 + 4.464867713788229j
    published = [-14.07838969279822, weave, weave.conjugate(), -0.322866429004087]
    assert np.abs(np.sort_complex(found) - np.sort_complex(published)).max() < 1e-12


@pytest.mark.slow
def test_a_bicycle_over_a_bump_keeps_its_energy():
    """Slopes that vanish at first must not become pivots: the steps are as long as on level ground."""
    bump = zm.Surface(lambda X, Y: 0.1 * np.exp(-((X - 4) ** 2) - (Y - 0.3) ** 2))
    system, steer, rear, R, rolls = bicycle(bump)
    start = system.start({rear.rate: 5.0 / 0.3, zm.rate(R.rotate(Y)[2]): 0.1})
    run = zm.simulate(system, start, until=1.4, rtol=1e-11)
    energy = run[system.energy]
    assert run.t[-1] == 1.4
    assert run.statistics.steps < 200
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert run[rolls[1].contact[2]].max() > 0.05
    assert np.ptp(run[steer.angle]) > 0.05


# a wheelset on rails -------------------------------------------------------------------------------------------------
r, s, γ, ρ, mass, J = 0.5, 0.75, 0.05, 0.3, 1200.0, (600.0, 100.0, 600.0)
α = np.arctan(γ)
S = s + ρ * np.sin(α)
"""Half the distance between the middles of the rail heads."""


@pytest.fixture(scope="module")
def wheelset() -> tuple[zm.System, zm.RigidBody]:
    """Conical wheels, smaller outside, on round rails."""
    axle = zm.RigidBody("wheelset", mass, J, at=(0, 0, r))
    wheels = []
    for side, name in ((1, "left"), (-1, "right")):
        shift = (0, side * S, -ρ * np.cos(α))
        rail = zm.Surface(lambda X, Y, Z: (Y**2 + Z**2 - ρ**2) / (2 * ρ), shift=shift)
        cone = lambda y, side=side: r - γ * side * y  # noqa: E731
        given = {"profile": cone, "center": (0, side * s, 0), "axis": Y, "name": name, "two_sided": True}
        wheels.append(zm.joints.WheelOnSurface(GROUND, axle, rail, **given))
    return zm.System([axle], gravity=9.81, joints=wheels), axle


def begun(wheelset: tuple[zm.System, zm.RigidBody], aside: float) -> zm.State:
    system, axle = wheelset
    return system.start({axle.position[0]: 0, axle.position[1]: aside, axle.rotation[0, 1]: 0, axle.velocity[0]: 10.0})


def test_one_row_of_a_wheelset_follows_from_the_others(wheelset):
    """Two contacts of a rigid body that does not slip: it turns about the line through them, whatever it is like."""
    diagnosis = wheelset[0].check(begun(wheelset, 0.02))
    assert diagnosis.unique
    assert diagnosis.degrees_of_freedom == 1


def test_small_motions_of_a_wheelset_have_klingels_wavelength(wheelset):
    """ẏ s/(S − γ h) = V ψ,  ψ̇ = −V γ S y/((S − γ h) s r): the length is 2π s √(r/(γ S)), Klingel's 2π √(r s/γ) for S = s."""
    system, axle = wheelset
    length = 2 * np.pi * s * np.sqrt(r / (γ * S))
    crossing = zm.Event("middle", axle.position[1], terminal=False)
    run = zm.simulate(system, begun(wheelset, 1e-4), until=1.1 * length / 10, events=crossing, rtol=1e-12, atol=1e-15)
    places = run.at([event.t for event in run.events])[axle.position[0]]
    assert 2 * (places[1] - places[0]) == pytest.approx(length, rel=1e-7)
    assert abs(length / (2 * np.pi * np.sqrt(r * s / γ)) - 1) < 0.01


def test_large_motions_of_a_wheelset(wheelset):
    """Against a second formulation: cones grown by ρ touch lines, and the body turns about the line through both contacts.

    A line x = c + t e touches the cone |x − (x·k) k| = R − γ x·k where its quadratic in t has a double root.
    """

    def touches(c: np.ndarray, Q: np.ndarray, side: int) -> np.ndarray:
        k, apex = side * Q[:, 1], c + (s + r / γ + ρ / np.sin(α)) * side * Q[:, 1]
        e, x = np.array([1.0, 0, 0]), np.array([0, side * S, -ρ * np.cos(α)]) - apex
        # (x·k)² (1 + γ²) = x·x on the cone, x from its apex
        t = -((e @ k) * (x @ k) * (1 + γ**2) - e @ x) / ((e @ k) ** 2 * (1 + γ**2) - 1)
        on = x + t * e
        normal = on - (1 + γ**2) * (on @ k) * k
        return apex + on - ρ * normal / np.linalg.norm(normal)

    energy = None

    def motion(_: float, y: np.ndarray) -> np.ndarray:
        nonlocal energy
        c, Q = y[:3], y[3:].reshape(3, 3)
        left, right = (touches(c, Q, side) for side in (1, -1))
        axis = (left - right) / np.linalg.norm(left - right)
        turn = np.cross(axis, c - right)
        inertia = mass * turn @ turn + (Q.T @ axis) ** 2 @ J
        if energy is None:
            energy = inertia * (10.0 / turn[0]) ** 2 / 2 + mass * 9.81 * c[2]
        rate = np.sqrt(2 * (energy - mass * 9.81 * c[2]) / inertia)
        return np.concatenate([rate * turn, rate * np.cross(axis, Q.T).T.ravel()])

    system, axle = wheelset
    start = begun(wheelset, 0.03)
    run = zm.simulate(system, start, until=2.0, rtol=1e-12, atol=1e-14)
    first = np.concatenate([start[axle.position], start[axle.rotation].ravel()])
    reference = solve_ivp(motion, (0, 2.0), first, method="DOP853", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run[axle.position][-1], reference.y[:3, -1], atol=1e-9)
    assert run[axle.position[1]].min() < -0.02


def test_a_wheel_is_drawn_on_its_surface(wheelset):
    drawing = wheelset[0].drawing
    assert drawing.ground is not None
    assert {"rim of left", "rim of right"} <= {body.name for body in drawing.bodies}
    assert {"contact of left", "contact of right"} <= {trail.name for trail in drawing.trails}
