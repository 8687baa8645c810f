"""Systems with contacts, ropes, stops, static friction and wheels: problems that every engine of zeromass must solve alike.

What happens in them is recorded in `data/contacts.json` by `record.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import zeromass as zm
from hybrid.corpus import G, Problem

CONTACTS: dict[str, Callable[[], Problem]] = {}
"""Problems by name."""

FLOOR = zm.surfaces.plane()
WALL = zm.Surface(lambda X, Y, Z: 1.0 - X, name="wall")


def problem(build: Callable[[], Problem]) -> Callable[[], Problem]:
    CONTACTS[build.__name__] = build
    return build


def bead(
    force: Any = (0.0, 0.0, 0.0),
    place: Any = (0.0, 0.0, 0.0),
    speed: Any = (0.0, 0.0, 0.0),
    until: float = 2.0,
    **law: Any,
) -> Problem:
    """A particle of 1 kg that may touch a floor, with a force on it."""
    body = zm.Particle("bead", mass=1.0)
    floor = zm.Contact(body, zm.shapes.point(), law.pop("on", FLOOR), name="floor", **law)
    given: Any = force(body) if callable(force) else force
    pushed = zm.Force(given, at=body.position)
    system = zm.System([body], gravity=G, forces=[pushed], contacts=[floor])
    return Problem(system, system.start([(body.position, place), (body.velocity, speed)]), until)


def ball(on: Any, center: Any, velocity: Any, until: float, spin: Any = None, **law: Any) -> Problem:
    """A ball of 0.1 m and 0.5 kg in a room."""
    room = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=on, gravity=G, **law)
    return Problem(room, room.start(center=center, velocity=velocity, angular_velocity=spin), until)


def sledge(force: Any = 0.0, **given: Any) -> tuple[zm.System, zm.joints.Prismatic]:
    """A body of 2 kg on a level rail, with a force along it."""
    body = zm.RigidBody("sledge", 2.0, (1, 1, 1))
    rail = zm.joints.Prismatic(zm.Ground(), body, axis=(1, 0, 0), name="rail", **given)
    return zm.System([body], gravity=0, joints=[rail], forces=[rail.motor(force)]), rail


def cradle(count: int, *, simultaneous: bool) -> Problem:
    """Balls on a line, pressed on one another by a force on the last one, which are struck by the first."""
    balls = [zm.Particle(f"b{k}", mass=1.0) for k in range(count)]
    ball = zm.shapes.sphere(0.05)
    touch = [
        zm.Contact(b, ball, a, ball, friction=0.0, name=f"{a.name} {b.name}", restitution=1.0)
        for a, b in pairwise(balls)
    ]
    lines = {f"line {b.name}": b.position[1:] for b in balls}
    press = zm.Force((-2.0, 0.0, 0.0), at=balls[-1].position)
    system = zm.System(balls, gravity=0, contacts=touch, constraints=lines, forces=[press])
    system.simultaneous_impacts = simultaneous
    given = {b.position[0]: 0.1 * k for k, b in enumerate(balls)} | {b.velocity[0]: 0.0 for b in balls}
    given |= {balls[0].position[0]: -0.1, balls[0].velocity[0]: 1.0}
    return Problem(system, system.start(given), 0.5)


# one contact ------------------------------------------------------------------------------------------------------------
@problem
def bead_that_bounces() -> Problem:
    return bead(place=(0.0, 0.0, 1.0), restitution=0.7, friction=0.0, until=1.5)


@problem
def bead_whose_bounces_come_to_rest() -> Problem:
    return bead(place=(0.0, 0.0, 0.3), speed=(0.2, 0.1, 0.0), restitution=0.4, friction=0.2, until=1.5)


@problem
def block_that_slips_to_rest() -> Problem:
    return bead(speed=(1.0, 0.5, 0.0), friction=0.3, until=1.0)


@problem
def block_that_sticks_until_it_is_pulled() -> Problem:
    return bead(force=(5.0 * np.sin(2 * zm.t), 0.0, 0.0), friction=0.4, until=3.0)


@problem
def block_under_friction_that_fades() -> Problem:
    return bead(force=(2.0, 0.0, 0.0), friction=0.5 * np.exp(-zm.t), until=2.0)


@problem
def block_that_is_lifted() -> Problem:
    return bead(force=(0.5, 0.0, 12.0 * np.sin(3 * zm.t)), friction=0.3, until=2.5)


@problem
def bead_in_a_bowl() -> Problem:
    bowl = zm.Surface(lambda X, Y: 0.5 * (X**2 + Y**2))
    return bead(place=(0.5, 0.0, 0.4), speed=(0.0, 0.6, 0.0), on=bowl, friction=0.2, restitution=0.3, until=1.5)


@problem
def bead_on_a_floor_that_shakes() -> Problem:
    floor = zm.Surface(lambda X, Y: 0.0 * X, shift=(0.0, 0.0, 0.05 * np.sin(20 * zm.t)))
    return bead(place=(0.0, 0.0, 0.02), on=floor, friction=0.0, restitution=0.3, until=0.8)


# balls ------------------------------------------------------------------------------------------------------------------
@problem
def ball_that_slips_and_rolls() -> Problem:
    return ball({"floor": FLOOR}, (0, 0, 0.1), (2.0, 0.5, 0.0), 1.0, (0.0, -5.0, 3.0), friction=0.2)


@problem
def ball_that_rolls_to_a_wall() -> Problem:
    return ball({"floor": FLOOR, "wall": WALL}, (0, 0, 0.1), (1.8, 0.3, 0), 0.8, friction=0.2, restitution=0.5)


@problem
def ball_with_backspin() -> Problem:
    return ball({"floor": FLOOR}, (0, 0, 0.3), (1.0, 0, 0), 1.0, (0.0, -60.0, 0.0), friction=0.3, restitution=0.6)


@problem
def ball_that_falls_into_a_corner() -> Problem:
    sides = {"left": zm.Surface(lambda X, Y: Y + 0.1 * X), "right": zm.Surface(lambda X, Y: -Y + 0.1 * X)}
    return ball(sides, (0, 0, 0.2), (0.5, 0.2, 0), 0.5, (1.0, 0.0, 2.0), friction=0.3)


@problem
def ball_between_walls() -> Problem:
    walls = {"near": zm.Surface(lambda X, Y, Z: X), "far": zm.Surface(lambda X, Y, Z: 0.5 - X)}
    return ball(walls, (0.2, 0, 0.0), (3.0, 0, 0), 0.6, (0.0, 4.0, 1.0), friction=0.1, restitution=0.8)


@problem
def ball_on_waves() -> Problem:
    waves = zm.Surface(lambda X, Y: 0.05 * np.sin(3 * X) * np.cos(2 * Y))
    return ball({"waves": waves}, (0, 0, 0.4), (1.0, 0.4, 0), 0.9, (0.0, 3.0, 2.0), friction=0.4, restitution=0.5)


@problem
def ball_on_a_belt_that_starts() -> Problem:
    belt = zm.Surface(lambda X, Y: 0.0 * X, shift=(0.5 * zm.t**2, 0.0, 0.0))
    return ball({"belt": belt}, (0, 0, 0.1), (0.2, 0.0, 0.0), 1.0, (0.0, 0.0, 1.0), friction=0.05)


# several bodies ---------------------------------------------------------------------------------------------------------
@problem
def two_balls_that_meet_on_a_table() -> Problem:
    balls = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.08, 0.3, name="blue")]
    table = zm.Contacts(balls, on=FLOOR, between=True, gravity=G, friction=0.2, restitution=0.5)
    centers, speeds = {"red": (-0.5, 0, 0.1), "blue": (0, 0.05, 0.08)}, {"red": (1.5, 0, 0), "blue": (0.3, 0, 0)}
    return Problem(table, table.start(center=centers, velocity=speeds), 0.6)


@problem
def cradle_struck_at_once() -> Problem:
    return cradle(4, simultaneous=True)


@problem
def cradle_struck_in_turn() -> Problem:
    return cradle(4, simultaneous=False)


@problem
def box_that_falls_on_a_corner() -> Problem:
    box = zm.RigidBody("box", mass=1.0, inertia=(0.02, 0.03, 0.04))
    floor = zm.Contact(
        box, zm.shapes.hull(np.vstack([np.eye(3), [[-1, -1, -1]]]) * 0.2), FLOOR, friction=0.4, name="floor"
    )
    system = zm.System([box], gravity=G, contacts=[floor])
    given = [(box.position, (0, 0, 0.5)), (box.velocity, (0.5, 0, 0)), (box.angular_velocity, (0.3, 0.2, 0.1))]
    return Problem(system, system.start([*given, (box.quaternion, (1, 0, 0, 0))]), 0.6)


# with joints and switches -----------------------------------------------------------------------------------------------
@problem
def pendulum_that_strikes_a_wall() -> Problem:
    rod = zm.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), at=(0, 0, -0.5))
    hinge = zm.joints.Revolute(zm.Ground(), rod, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    wall = zm.Surface(lambda X, Y, Z: X + 0.3, name="wall")
    tip = zm.Contact(rod, zm.shapes.sphere(0.02), wall, at=(0, 0, -0.5), friction=0.2, restitution=0.5, name="tip")
    system = zm.System([rod], joints=[hinge], gravity=G, contacts=[tip])
    return Problem(system, system.start({hinge.angle: -0.8, hinge.rate: 0.0}), 3.0)


@problem
def bob_on_a_rope() -> Problem:
    bob = zm.Particle("bob", mass=1.0)
    rope = zm.joints.Rope(zm.Ground(), bob, length=1.0, name="rope")
    system = zm.System([bob], gravity=G, joints=[rope])
    return Problem(system, system.start([(bob.position, (0.6, 0.1, 0.2)), (bob.velocity, (0.3, 0, 1.5))]), 2.0)


@problem
def block_between_a_spring_with_play_and_a_floor() -> Problem:
    """A contact with friction, and a formula that switches: a spring beyond a gap."""

    def spring(body: Any) -> Any:
        x = body.position[0]
        return (-40.0 * (np.maximum(x - 0.2, 0.0) + np.minimum(x + 0.2, 0.0)), 0.0, 0.0)

    return bead(force=spring, speed=(2.0, 0, 0), friction=0.1, until=2.0)


@problem
def block_on_a_floor_with_wind() -> Problem:
    """Friction of a contact, and a push that changes its direction with the velocity."""
    return bead(
        force=lambda body: (3.0 - 1.5 * np.sign(body.velocity[0]), 0.0, 5.0 * np.sign(np.sin(4 * zm.t))),
        speed=(-1.0, 0, 0),
        friction=0.2,
        until=2.0,
    )


# ends of bodies ---------------------------------------------------------------------------------------------------------
@problem
def can_that_tumbles_at_a_wall() -> Problem:
    """The points of floor and wall below it leap from one end to the other."""
    room = zm.Contacts(
        zm.bodies.cylinder(0.05, 0.2, 0.5), on={"floor": FLOOR, "wall": WALL}, friction=0.3, restitution=0.4
    )
    thrown: dict[str, Any] = {"velocity": (2.2, 0.1, 1.0), "angular_velocity": (7.0, 3.0, 1.0)}
    thrown["orientation"] = (0.3, 0.2, 0.0)
    return Problem(room, room.start(center=(0.5, 0.0, 0.6), **thrown), 0.45)


@problem
def capsule_that_tumbles_into_a_bowl() -> Problem:
    rod, bowl = (
        zm.RigidBody("rod", mass=0.5, inertia=(0.002, 0.002, 0.0005)),
        zm.Surface(lambda X, Y: 0.2 * (X**2 + Y**2)),
    )
    touch = zm.Contact(rod, zm.shapes.capsule(0.05, 0.2), bowl, friction=0.3, restitution=0.4, name="bowl")
    system = zm.System([rod], gravity=G, contacts=[touch])
    given = [(rod.position, (0.1, 0, 0.5)), (rod.velocity, (0.3, 0.1, 0.5)), (rod.angular_velocity, (8.0, 2.0, 1.0))]
    return Problem(system, system.start([*given, (rod.quaternion, (np.cos(0.15), np.sin(0.15), 0, 0))]), 0.5)


# ropes, stops, static friction and wheels -------------------------------------------------------------------------------
@problem
def beads_on_two_ropes() -> Problem:
    """One hangs below the other; both ropes are slack at first."""
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=0.5)
    ropes = [zm.joints.Rope(zm.Ground(), a, length=1.0, name="upper"), zm.joints.Rope(a, b, length=0.5, name="lower")]
    system = zm.System([a, b], gravity=G, joints=ropes)
    places = [(a.position, (0.3, 0, -0.5)), (b.position, (0.5, 0, -0.6))]
    return Problem(system, system.start([*places, (a.velocity, (1.5, 0, 0)), (b.velocity, (0, 0.3, 0))]), 1.2)


@problem
def sledge_between_stops() -> Problem:
    """Dry friction takes its speed between impacts, and holds it in the end."""
    system, rail = sledge(limits=(-0.3, 0.5), restitution=0.7, friction=1.5)
    return Problem(system, system.start({rail.displacement: 0.0, rail.rate: 2.5}), 3.0)


@problem
def sledge_that_is_pulled_to_and_fro() -> Problem:
    """Static friction holds it until the pull is larger, again and again."""
    system, rail = sledge(friction=4.0, force=5.0 * np.sin(3 * zm.t) + np.sin(7 * zm.t))
    return Problem(system, system.start({rail.displacement: 0.0, rail.rate: 0.0}), 4.0)


@problem
def pendulum_between_stops_with_friction() -> Problem:
    """Two links; each pin has a stop and a friction of its own."""
    upper = zm.RigidBody("upper", 2.0, (0.1, 0.3, 0.25), at=(0, 0, -0.5))
    lower = zm.RigidBody("lower", 1.0, (0.02, 0.03, 0.02), at=(0, 0, -1.3))
    axis = (0, 1, 0)
    hip = zm.joints.Revolute(zm.Ground(), upper, at=(0, 0, 0), axis=axis, name="hip", friction=1.2, limits=(None, 0.9))
    knee = zm.joints.Revolute(
        upper, lower, at=(0, 0, -1.0), axis=axis, name="knee", friction=0.4, limits=(0.0, 2.0), restitution=0.3
    )
    system = zm.System([upper, lower], gravity=G, joints=[hip, knee])
    return Problem(system, system.start({hip.angle: -1.2, hip.rate: 0.0, knee.angle: 0.8, knee.rate: 0.0}), 1.9)


@problem
def hoop_that_spins_until_it_rolls() -> Problem:
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(
        zm.Ground(), hoop, FLOOR, radius=0.2, axis=(0, 1, 0), friction=0.3, restitution=0.2, name="tyre"
    )
    system = zm.System([hoop], gravity=G, joints=[tyre])
    given = [(hoop.velocity[:2], (0.3, 0.1)), (hoop.angular_velocity, (0, 12, 0.5))]
    return Problem(system, tyre.slipping(system).start(given), 0.8)


@problem
def wheel_on_a_floor_that_heaves() -> Problem:
    """It is thrown up, flies, lands and rolls."""
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 0.2))
    floor = zm.Surface(lambda X, Y: 0.02 * np.sin(30 * zm.t), name="floor")
    tyre = zm.joints.WheelOnSurface(zm.Ground(), hoop, floor, radius=0.2, axis=(0, 1, 0), restitution=0.0, name="tyre")
    system = zm.System([hoop], gravity=G, joints=[tyre])
    given = [(tyre.contact[:2], (0, 0)), (hoop.velocity[0], 0.5), (hoop.angular_velocity[0::2], 0)]
    return Problem(system, system.start([*given, (hoop.quaternion[1:], 0)]), 0.22)


@problem
def wheel_that_leaves_a_hill() -> Problem:
    """It slips over the top, flies, and lands."""
    hill = zm.Surface(lambda X, Y: 0.4 * np.exp(-((X / 0.6) ** 2)), name="hill")
    wheel = zm.RigidBody("wheel", 1.0, zm.bodies.torus(0.15, 0.05, 1.0).inertia, at=(-0.3, 0, 0.5))
    given = {"axis": (0, 0, 1), "radius": 0.2, "tube": 0.05, "friction": 0.5, "restitution": 0.0, "name": "tyre"}
    tyre = zm.joints.WheelOnSurface(zm.Ground(), wheel, hill, **given)
    system = zm.System([wheel], gravity=G, joints=[tyre])
    u = np.array([np.cos(np.pi / 4 - 0.1), np.sin(np.pi / 4 - 0.1), 0.05, 0.02])
    asked = [(tyre.contact[:2], (-0.3, 0.0)), (wheel.quaternion, u / np.linalg.norm(u))]
    asked += [(wheel.velocity[:2], (2.7, 0.2)), (wheel.angular_velocity, (0.3, 6.0, 0.2))]
    return Problem(system, tyre.slipping(system).start(asked, guess=[(tyre.contact, (-0.3, 0.0, 0.31))]), 0.5)


@problem
def bar_that_falls_on_its_front_foot() -> Problem:
    """The impact drives its other foot up; both feet are smooth wheels that are fixed to it."""
    height, turn = 0.4, 0.2
    bar = zm.RigidBody("bar", 2.0, (0.7, 0.7, 0.7), at=(0, 0, height))
    feet = {"axis": (0, 1, 0), "radius": 0.1, "friction": 0.0, "restitution": 0.5}
    rear, front = (
        zm.joints.WheelOnSurface(zm.Ground(), bar, FLOOR, center=(x, 0, 0.1 - height), name=name, **feet)
        for name, x in (("rear", -0.5), ("front", 0.5))
    )
    system = zm.System([bar], gravity=G, joints=[rear, front])
    c, s = np.cos(turn), np.sin(turn)
    place = (-0.5 + 0.5 * c - 0.3 * s, 0.0, 0.1 + 0.5 * s + 0.3 * c)
    turned = (np.cos(turn / 2), 0.0, -np.sin(turn / 2), 0.0)
    given = [(bar.position, place), (bar.quaternion, turned), (bar.velocity, 0.0), (bar.angular_velocity, 0.0)]
    return Problem(system, rear.slipping(front.lifted(system)).start(given), 0.4)
