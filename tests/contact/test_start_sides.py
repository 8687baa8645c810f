"""Starts by expressions: the body is on the outer side of its surface, whatever is prescribed.

Tangency has two solutions, with outward normals opposite and parallel. The references are the support mapping of the body,
and points of its outside put into the function of the surface.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.test_every_body import hills, measured
from zeromass.contact import Roller
from zeromass.contact.directions import scattered
from zeromass.contact.traced import PLACE
from zeromass.expression import Evaluator

SURFACES = {
    "plane": lambda: zm.surfaces.plane(),
    "slope": lambda: zm.surfaces.plane(slope=0.5),
    "bowl": lambda: zm.surfaces.paraboloid(0.5),
    "hills": lambda: zm.Surface(hills),
    "saddle": lambda: zm.Surface(lambda X, Y: 0.4 * (X**2 - Y**2)),
    "globe": lambda: zm.surfaces.sphere(2.0),
    "hollow": lambda: zm.surfaces.sphere(2.0, inside=True),
    "tunnel": lambda: zm.surfaces.cylinder(1.5, inside=True, rotation=((1.0, 0.2, 0.0), 1.5)),
    "scaled": lambda: zm.Surface(lambda X, Y, Z: 2 * Z * (1 + 0.05 * np.sin(X))),
    "measured": measured,
    "moving": lambda: zm.Surface(hills, rotation=((0.1, 0.2, 1.0), 0.4 * zm.t), shift=(0, 0, 0.1 * zm.t)),
}
BODIES = ("ellipsoid", "superquadric", "implicit", "support", "shell", "torus", "cylinder", "cone")
SHARES = (0.25, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05)
"""Mostly bodies whose tangency has two solutions."""

GIVEN = ("contact", "slips", "centre", "mass centre", "nothing turned")


def body(kind: str, random: np.random.Generator) -> Roller:
    a, b, c = 0.06 + 0.06 * random.random(3)
    p, k = float(random.choice([2.0, 2.5, 3.0, 4.0, 6.0])), random.uniform(-0.3, 0.3)
    made = {
        "ellipsoid": lambda: zm.bodies.ellipsoid(
            (a, b, c), 0.5, center_of_mass=random.uniform(-0.02, 0.02, 3), inertia=(2e-3, 1.7e-3, 1.4e-3)
        ),
        "superquadric": lambda: zm.bodies.superquadric((a, b, c), exponent=p, mass=0.5),
        "implicit": lambda: zm.bodies.convex(
            implicit=lambda x, y, z: (x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2 + k * z / c - 1, mass=0.5
        ),
        "support": lambda: zm.bodies.convex(support=lambda x, y, z: 0.1 + 0.03 * k * z + 0.02 * k * x**2, mass=0.5),
        "shell": lambda: zm.bodies.two_material_shell(outer=0.1, inner=0.08, densities=(800, 1600)),
        "torus": lambda: zm.bodies.torus(0.08, 0.02, 0.5),
        "cylinder": lambda: zm.bodies.cylinder(0.1, 0.1, 0.5, edge=0.02),
        "cone": lambda: zm.bodies.cone(0.1, 0.15, 0.5),
    }
    return made[kind]()


def begun(kind: str, surface: str, given: str, random: np.random.Generator) -> tuple[zm.Rolling, zm.State | None]:
    """A random start of a body on a surface, by expressions; none where body and surface have no single contact."""
    rolling = zm.Rolling(body(kind, random), on=SURFACES[surface](), friction=0.4)
    u = random.normal(size=4)
    place, ω, v = random.uniform(-0.7, 0.7, 2), 3 * random.normal(size=3), random.normal(size=2)
    own, center = rolling.body, rolling.center_particle
    turned = [] if given == "nothing turned" else [(own.quaternion, u / np.linalg.norm(u))]
    where = {"centre": rolling.center, "mass centre": own.position}.get(given, rolling.contact)[:2]
    pairs = [(where, place), *turned, (own.angular_velocity, ω)]
    try:
        if given == "slips":
            return rolling, rolling.slipping.start([*pairs, (center.velocity[:2], v)])
        return rolling, rolling.start(pairs)
    except zm.errors.StartError:
        if where[0] is not rolling.contact[0]:
            raise
        orientation = u / np.linalg.norm(u) if turned else (1, 0, 0, 0)
        with pytest.raises(zm.errors.StartError, match="touch"):  # in more than one point: it is not regular
            rolling.start(contact=place, orientation=orientation)
        return rolling, None


def outside(rolling: zm.Rolling, state: zm.State) -> None:
    """The contact is the support of the body against the normal, and nothing of the body is in the material."""
    n, S, P, O = (state[e] for e in (rolling.normal, rolling.body.rotation, rolling.contact, rolling.center))
    support = rolling.solid.farthest(-(n @ S)[None], {})[0]
    np.testing.assert_allclose(O + S @ support, P, atol=1e-8)  # Newton's steps to a nearly flat support end at √ε
    f = Evaluator(rolling.surface.side * rolling.surface(PLACE), [*PLACE, zm.t])
    points = O + rolling.solid.farthest(scattered(500), {}) @ S.T
    values = f(np.concatenate([points, np.full((500, 1), state.t)], axis=1))
    assert values.min() >= -1e-9  # f has slopes of about one; 1e-9 m is what contacts may be off by


def at_random(seed: int, count: int) -> None:
    found = 0
    for k in range(count):
        random = np.random.default_rng([seed, k])
        kind = str(random.choice(BODIES, p=SHARES))
        surface, given = list(SURFACES)[k % len(SURFACES)], GIVEN[k // len(SURFACES) % len(GIVEN)]
        try:
            rolling, state = begun(kind, surface, given, random)
            if state is not None:
                outside(rolling, state)
                found += 1
        except (zm.errors.StartError, AssertionError) as error:
            raise AssertionError(f"start {k}: {kind} on {surface}, by {given}: {error}") from error
    assert found >= 0.98 * count  # a few are flat where they touch a plane, or lie in a hollow with two points


def test_bodies_begin_outside_their_surfaces():
    at_random(1, 11)


@pytest.mark.slow
def test_many_bodies_begin_outside_their_surfaces():
    """Five hundred starts on eleven surfaces: none inside, and none refused."""
    at_random(2, 550)


TURN = zm.parameter("turn", 0.1)
TURNED = [np.cos(TURN / 2), 0.6 * np.sin(TURN / 2), 0.8 * np.sin(TURN / 2), 0.0]


@pytest.mark.slow
def test_members_of_a_study_begin_outside():
    """Newton's steps in lanes begin at the first member, and may end inside for others: these are solved once more."""
    stone = zm.bodies.superquadric((0.1, 0.08, 0.09), exponent=3, mass=0.5)
    rolling = zm.Rolling(stone, on=zm.surfaces.paraboloid(0.3), friction=0.4)
    given = [(rolling.contact[:2], (0.1, 0.2)), (rolling.body.quaternion, TURNED)]
    given += [(rolling.body.angular_velocity, (1.0, 0.5, 0.2)), (rolling.center_particle.velocity[:2], (0.3, 0.1))]
    start = rolling.slipping.start(given)
    distance = rolling.normal @ (rolling.center - rolling.contact)
    over = {TURN: np.linspace(0.1, 6.2, 12)}
    study = zm.sweep(rolling, start, until=1e-3, over=over, keep={"distance": distance})
    assert set(study.outcome.values.tolist()) == {"finished"}
    assert float(study.distance.min()) > 0.07
    for value in over[TURN][::4]:
        again = start.again({TURN: value})
        assert again[distance] > 0.07


def test_a_body_of_several_contacts_begins_with_its_near_side():
    """By centre and orientation as expressions, as by the words of `Contacts.start`."""
    for k, surface in enumerate(("plane", "bowl", "globe", "hollow")):
        random = np.random.default_rng([3, k])
        for kind in ("superquadric", "shell"):
            room = zm.Contacts(body(kind, random), on={"floor": SURFACES[surface]()}, friction=0.3)
            center = (*random.uniform(-0.7, 0.7, 2), {"globe": 2.3, "hollow": 0.1}.get(surface, 0.8))
            u = random.normal(size=4)
            u /= np.linalg.norm(u)
            pairs = [(room.center, center), (room.body.quaternion, u), (room.body.angular_velocity, (0, 0, 0))]
            state = room.start([*pairs, (room.centers[0].velocity, (0, 0, 0))])
            words = room.start(center=center, orientation=u)
            gap = room["floor"].gap
            assert state[gap] == pytest.approx(words[gap], abs=1e-10)


@pytest.mark.parametrize("system", ["contacts", "flying"])
def test_members_that_begin_below_the_floor_are_refused(system):
    height = zm.parameter("height", 1.0)
    given = {"friction": 0.3, "restitution": 0.5}
    if system == "contacts":
        moving = zm.Contacts(zm.bodies.ball(0.1, 0.5), on={"floor": zm.surfaces.plane()}, **given)
        start = moving.start(center=(0, 0, height))
    else:
        rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), **given)
        moving = rolling
        pairs = [(rolling.center, (0, 0, height)), (rolling.body.quaternion, (1, 0, 0, 0))]
        start = rolling.flying.start(
            [*pairs, (rolling.center_particle.velocity, 0), (rolling.body.angular_velocity, 0)]
        )
    study = zm.sweep(moving, start, until=0.01, over={height: [1.0, 0.05, -0.3]}, keep={"energy": moving.energy})
    assert study.outcome.values.tolist() == ["finished", "no start", "no start"]
    assert "0.05 m inside 'plane'" in study.message.values[1]
    with pytest.raises(zm.errors.StartError, match=r"0\.4 m inside 'plane'"):
        start.again({height: -0.3})
