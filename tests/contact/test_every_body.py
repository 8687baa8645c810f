"""Everything that a ball can do, for every kind of body: a table of bodies and of what holds for each.

The laws are those of Newton and Euler at a start, with the forces and powers that the system tells; nothing is compiled.
Runs of all bodies are below, and slow.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import parse_scenario

g = 9.81
R = 0.1

BODIES = {
    "ball": (zm.bodies.ball(R, 0.5), 'kind = "ball", radius = 0.1, mass = 0.5'),
    "shell": (zm.bodies.shell(outer=R, inner=0.09, mass=0.5), 'kind = "shell", outer = 0.1, inner = 0.09, mass = 0.5'),
    "two-material shell": (
        zm.bodies.two_material_shell(outer=R, inner=0.08, densities=(800, 1600)),
        'kind = "two-material shell", outer = 0.1, inner = 0.08, densities = [800, 1600]',
    ),
    "ellipsoid": (
        zm.bodies.ellipsoid((R, 0.08, 0.06), 0.5),
        'kind = "ellipsoid", axes = [0.1, 0.08, 0.06], mass = 0.5',
    ),
    "disc": (zm.bodies.disc(R, 0.5), 'kind = "disc", radius = 0.1, mass = 0.5'),
    "round disc": (zm.bodies.disc(R, 0.5, edge=0.01), 'kind = "disc", radius = 0.1, mass = 0.5, edge = 0.01'),
    "torus": (zm.bodies.torus(0.08, 0.02, 0.5), 'kind = "torus", radius = 0.08, tube = 0.02, mass = 0.5'),
    "cylinder": (
        zm.bodies.cylinder(R, 0.1, 0.5, edge=0.02),
        'kind = "cylinder", radius = 0.1, length = 0.1, mass = 0.5, edge = 0.02',
    ),
    "capsule": (zm.bodies.capsule(0.05, 0.1, 0.5), 'kind = "capsule", radius = 0.05, length = 0.1, mass = 0.5'),
    "cone": (zm.bodies.cone(R, 0.15, 0.5), 'kind = "cone", radius = 0.1, height = 0.15, mass = 0.5'),
    "superquadric": (
        zm.bodies.superquadric((R, 0.09, 0.08), exponent=3, mass=0.5),
        'kind = "superquadric", axes = [0.1, 0.09, 0.08], exponent = 3, mass = 0.5',
    ),
    "support": (
        zm.bodies.convex(support=lambda x, y, z: 0.1 + 0.01 * z + 0.005 * x**2, mass=0.5),
        'kind = "convex", support = "0.1 + 0.01*Z + 0.005*X**2", mass = 0.5',
    ),
    "implicit": (
        zm.bodies.convex(
            implicit=lambda x, y, z: (x / 0.1) ** 2 + (y / 0.09) ** 2 + (z / 0.08) ** 2 + z / 0.8 - 1, mass=0.5
        ),
        'kind = "convex", implicit = "(X/0.1)**2 + (Y/0.09)**2 + (Z/0.08)**2 + Z/0.8 - 1", mass = 0.5',
    ),
}
QUICK = ("ball", "torus", "implicit")
"""Those of the ordinary run: a sphere, a formula of the farthest point, a function that vanishes."""

EVERY = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in BODIES]
TURN = (0.7, 0.4, 0.2)
"""An orientation in which none of them lies on a face or a line of its side."""


def hills(X, Y):
    return 0.1 * np.sin(X) * np.cos(1.3 * Y)


def measured(**motion) -> zm.Surface:
    x, y = np.linspace(-1, 1, 21), np.linspace(-1, 1, 17)
    return zm.Surface.from_heights(x, y, hills(*np.meshgrid(x, y, indexing="ij")), **motion)


SURFACES = {
    "at rest": lambda: zm.Surface(hills),
    "moving": lambda: zm.Surface(hills, shift=(0.1 * np.sin(2 * zm.t), 0.02 * zm.t, 0.05 * np.cos(zm.t))),
    "turning": lambda: zm.Surface(hills, rotation=((0.1, 0.2, 1.0), 0.4 * zm.t)),
    "deforming": lambda: zm.Surface(lambda X, Y: (1 + 0.3 * np.sin(zm.t)) * hills(X, Y)),
    "measured": measured,
    "measured, moving": lambda: measured(shift=(0.05 * np.sin(zm.t), 0, 0.02 * zm.t)),
    "belt": lambda: zm.Surface(
        hills, velocity=lambda p: (0.5, 0.1 * p[0], 0.5 * 0.1 * np.cos(p[0]) * np.cos(1.3 * p[1]))
    ),
    "slope": lambda: zm.surfaces.plane(slope=0.2),
}


def begun(name: str, on: zm.Surface, t: float = 0.3, **given) -> tuple[zm.Rolling, zm.State]:
    rolling = zm.Rolling(BODIES[name][0], on=on, gravity=g, **given)
    spin = {} if given.get("no_spin") else {"spin": 1.5}
    return rolling, rolling.start(contact=(0.3, 0.2), velocity=(0.4, -0.3), orientation=TURN, t=t, **spin)


def newton_and_euler(rolling: zm.Rolling, start: zm.State, torque: np.ndarray | float = 0.0) -> None:
    """m a = F + m g, and d(Jω)/dt = (P − C) × F and a torque of the contact."""
    body, F = rolling.body, start[rolling.reaction_force]
    m = float(rolling.solid.mass)
    np.testing.assert_allclose(m * start[zm.rate(body.velocity)], F + m * np.array([0, 0, -g]), atol=1e-10)
    L = body.rotate(body.inertia @ body.angular_velocity_body)
    turned = np.cross(start[rolling.contact - body.position], F) + torque
    np.testing.assert_allclose(start[zm.rate(L)], turned, atol=1e-10)


# starts ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EVERY)
def test_starts(name):
    """By contact, velocity, spin and orientation; or by the point of the body that touches."""
    rolling, start = begun(name, SURFACES["at rest"]())
    np.testing.assert_allclose(start[rolling.contact], (0.3, 0.2, hills(0.3, 0.2)), atol=1e-12)
    np.testing.assert_allclose(start[rolling.center_particle.velocity][:2], (0.4, -0.3), atol=1e-12)
    assert start[rolling.spin] == pytest.approx(1.5, abs=1e-12)
    assert start[rolling.spin] == pytest.approx(start[rolling.normal] @ start[rolling.body.angular_velocity], abs=1e-12)
    np.testing.assert_allclose(start[rolling.slip_velocity], 0.0, atol=1e-12)
    S = start[rolling.body.rotation]
    point = S.T @ (start[rolling.contact] - start[rolling.center])  # where it touches, in its axes
    again = rolling.start(contact=(0.1, -0.2), touching=point)
    there = again[rolling.body.rotation].T @ (again[rolling.contact] - again[rolling.center])
    np.testing.assert_allclose(there, point, atol=1e-9)  # as exactly as a given point must lie on the outside
    farthest = rolling.solid.farthest(-(start[rolling.normal] @ S)[None], {})[0]
    np.testing.assert_allclose(farthest, point, atol=1e-10)


# forces ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", EVERY)
def test_forces_and_the_power_of_the_surface(name, surface):
    """On surfaces of all kinds; the energy changes by what the surface gives."""
    rolling, start = begun(name, SURFACES[surface]())
    newton_and_euler(rolling, start)
    F, n = start[rolling.reaction_force], start[rolling.normal]
    assert start[rolling.normal_force] == pytest.approx(n @ F, abs=1e-12)
    np.testing.assert_allclose(start[rolling.friction_force], F - (n @ F) * n, atol=1e-12)
    needed = np.linalg.norm(F - (n @ F) * n) / (n @ F)
    assert start[rolling.friction_ratio] == pytest.approx(needed, rel=1e-10)
    assert start[zm.rate(rolling.energy)] == pytest.approx(start[rolling.surface_power], abs=1e-10)


@pytest.mark.parametrize("name", EVERY)
def test_rubber(name):
    """It does not turn about the normal, and the torque of the contact that this takes is along it."""
    rolling, start = begun(name, SURFACES["turning"](), no_spin=True)
    assert start[rolling.normal] @ start[rolling.turning] == pytest.approx(0.0, abs=1e-12)
    τ = start[rolling.torque_at_contact]
    np.testing.assert_allclose(np.cross(start[rolling.normal], τ), 0.0, atol=1e-10)
    newton_and_euler(rolling, start, τ)


@pytest.mark.parametrize("name", EVERY)
def test_resistance_to_rolling_and_to_turning(name):
    """−l N ω_t/|ω_t| − d N sign(ω_n) n, and the power of it."""
    l, d = 1e-3, 5e-4
    rolling, start = begun(name, SURFACES["at rest"](), rolling_resistance=l, torsional_friction=d)
    n, N, ω = start[rolling.normal], start[rolling.normal_force], start[rolling.body.angular_velocity]
    along = ω - (n @ ω) * n
    τ = -l * N * along / np.linalg.norm(along) - d * N * np.sign(n @ ω) * n
    newton_and_euler(rolling, start, τ)
    assert start[zm.rate(rolling.energy)] == pytest.approx(τ @ ω, abs=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_it_slips_and_flies(name):
    """Friction μ N against the slip; nothing but gravity in the air, and what the stroke of landing takes."""
    μ, e = 0.2, 0.4
    rolling, rolls = begun(name, SURFACES["moving"](), friction=zm.Friction(static=0.3, kinetic=μ), restitution=e)
    body, slipping = rolling.body, rolling.slipping
    places = list(zip(rolling.coordinates, rolls.q, strict=True))
    center = rolls[rolling.center_particle.velocity]
    given = [(rolling.center_particle.velocity[:2], center[:2]), (body.angular_velocity, (1.0, -2.0, 3.0))]
    start = slipping.start([*places, *given], t=0.3)
    slip, n, N = start[rolling.slip_velocity], start[rolling.normal], start[rolling.normal_force]
    assert n @ slip == pytest.approx(0.0, abs=1e-12)
    friction = -μ * N * slip / np.linalg.norm(slip)
    np.testing.assert_allclose(start[rolling.friction_force], friction, rtol=1e-12, atol=1e-10)
    newton_and_euler(rolling, start)
    air = rolling.flying.start(
        center=start[rolling.center] + 0.5 * n, velocity=(0.3, 0.2, -1.0), angular_velocity=(1, 2, 3), orientation=TURN
    )
    np.testing.assert_allclose(air[zm.rate(body.velocity)], (0, 0, -g), atol=1e-10)
    assert air[rolling.gap] > 0.1
    stroke = zm.simulate(rolling, air, until=1.0).impulses[0]
    assert stroke.constraints == ("normal", "friction")
    assert 0.0 <= stroke.impulses[1] <= 0.3 * stroke.impulses[0] * (1 + 1e-9)


# guards ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EVERY)
def test_guards(name):
    """A hollow that is too tight, a wall that it lies in, a ground that falls away, the border of the data."""
    body = BODIES[name][0]
    with pytest.raises(zm.errors.StartError, match=r"as round as|more than one point"):
        zm.Rolling(body, on=zm.Surface(lambda X, Y: 50.0 * (X**2 + Y**2))).start(contact=(0, 0), orientation=TURN)
    corner = zm.Surface(lambda X, Y, Z: Z * (0.3 - X), name="corner")
    with pytest.raises(zm.errors.StartError, match="m inside it at"):
        zm.Rolling(body, on=corner).start(contact=(0.299, 0.0, 0.0), orientation=TURN)
    falling = {"on": zm.Surface(hills, shift=(0, 0, -g * zm.t**2)), "gravity": g}  # by 2 g
    for two_sided in (False, True):
        rolling = zm.Rolling(body, **falling, two_sided=two_sided)
        start = rolling.start(contact=(0.3, 0.2), orientation=TURN)
        (lost,) = (event for event in rolling.events if event.name == "contact lost")
        assert start[rolling.normal_force] < 0.0
        assert lost.terminal is not two_sided
    names = {event.name for event in zm.Rolling(body, on=measured()).events}
    assert {"contact lost", "contact left the measured terrain"} <= names
    assert any("tight" in event for event in names)


# what is seen and said ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EVERY)
def test_it_is_drawn_and_said_in_a_file(name):
    rolling, start = begun(name, SURFACES["at rest"]())
    drawn = rolling.drawing
    assert drawn.ground is not None
    assert len(drawn.bodies) == 1
    assert len(drawn.trails) >= 2  # contact and centre
    scenario = parse_scenario(f"""
        [rolling]
        body = {{ {BODIES[name][1]} }}
        surface = {{ height = "0.1*sin(X)*cos(1.3*Y)" }}
        start = {{ contact = [0.3, 0.2], velocity = [0.4, -0.3], spin = 1.5, orientation = {list(TURN)} }}
        [run]
        until = 1
    """)
    same = scenario.start
    np.testing.assert_allclose(same.q, start.q, atol=1e-12)
    np.testing.assert_allclose(same[scenario.system.reaction_force], start[rolling.reaction_force], atol=1e-9)


# runs -----------------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
@pytest.mark.parametrize("surface", ["moving", "turning", "deforming", "measured", "belt"])
@pytest.mark.parametrize("name", BODIES)
def test_runs(name, surface):
    """Rolls, and where friction does not hold it slips, leaves and lands, and never lies inside its surface.

    What has straight sides may come to lie on one, where a single point no longer tells: that is said by name.
    """
    rolling, start = begun(name, SURFACES[surface](), t=0.0, friction=0.5, restitution=0.3)
    run = zm.simulate(rolling, start, until=0.5, rtol=1e-10)
    if name in ("cylinder", "capsule", "cone"):
        assert run.outcome.ending.value == "finished" or "comes to lie on a side" in run.outcome.message
    else:
        assert run.outcome.ending.value == "finished"
    assert run.required_friction().value > 0.0
    assert run.remarks == ()
