"""Large systems of some shapes, each with a state near its constraints: trees, nets, mechanisms with repeating rows, balls.

shapes.SHAPES["tree"](1000) → (system, guess)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import zeromass as zm

Made = tuple[zm.System, dict[Any, float]]


def rotated(u: np.ndarray, place: Any) -> np.ndarray:
    """A vector of a body with the unit quaternion u."""
    a, v = u[0], u[1:]
    return np.array(place) + 2 * np.cross(v, np.cross(v, place) + a * np.array(place))


def rods(count: int, parent: Callable[[int], int], spread: float = 0.05) -> Made:
    """Rods with ball joints, each at the end of its parent, the first at the ground."""
    random, bodies, joints, guess, ends = np.random.default_rng(0), [], {}, {}, []
    for k in range(count):
        body = zm.RigidBody(f"rod {k}", 1.0, [0.00125, 0.084, 0.084])
        end: Any = bodies[parent(k)].point([0.5, 0, 0]) if k else np.zeros(3)
        joints[f"joint {k}"] = body.point([-0.5, 0, 0]) - end
        u = np.array([1.0, 0.0, 0.0, 0.0]) + spread * random.normal(size=4)
        u /= np.linalg.norm(u)
        half = rotated(u, [0.5, 0, 0])
        begin = ends[parent(k)] if k else np.zeros(3)
        guess.update(zip(body.coordinates, [*(begin + half), *u], strict=True))
        guess.update(zip(zm.rate(body.quaternion), 0.5 * random.normal(size=4), strict=True))
        bodies.append(body)
        ends.append(begin + 2 * half)
    return zm.System(bodies, gravity=9.81, constraints=joints), guess


def net(count: int) -> Made:
    """About so many point masses in a square net of rods, folded like a map and hung up at a corner."""
    side, rods, guess = round(count**0.5), {}, {}
    points = {(i, j): zm.Particle(f"p {i} {j}", 1.0) for i in range(side) for j in range(side)}
    for (i, j), point in points.items():
        place = [0.7 * i, 0.7 * j, 0.35 * (-1) ** i + 0.35 * (-1) ** j + 0.02 * np.sin(i * i + 3 * j)]
        guess.update(zip(point.position, place, strict=True))
        for other in ((i + 1, j), (i, j + 1)):
            if other in points:
                d = point.position - points[other].position
                rods[f"rod {i} {j} {other}"] = (d @ d - 0.98) / 2
    rods["corner"] = points[0, 0].position - np.array([0.0, 0.0, 0.7])
    return zm.System(list(points.values()), gravity=9.81, constraints=rods), guess


def four_bars(count: int) -> Made:
    """Four-bar mechanisms of hinges in a row: plane in space, so that rows repeat others."""
    bodies: list[zm.RigidBody] = []
    joints: dict[str, Any] = {}
    guess: dict[Any, float] = {}

    def bar(name: str, x: float, y: float, angle: float) -> zm.RigidBody:
        body = zm.RigidBody(name, 1.0, [0.01, 0.083, 0.083])
        u = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
        guess.update(zip(body.coordinates, [x, y, 0, *u], strict=True))
        bodies.append(body)
        return body

    def pin(name: str, point: Any, axis: Any, body: zm.RigidBody, place: float) -> None:
        joints[f"{name} place"] = point - body.point([place, 0, 0])
        joints[f"{name} axis"] = [axis @ body.rotate([1.0, 0, 0]), axis @ body.rotate([0, 1.0, 0])]

    rockers = [bar(f"rocker {k}", float(k), -0.5, -np.pi / 2) for k in range(count + 1)]
    for k, rocker in enumerate(rockers):
        pin(f"ground {k}", np.array([float(k), 0, 0]), np.array([0, 0, 1.0]), rocker, -0.5)
        rates = [0.5, 0, 0, 0.5 * np.sin(np.pi / 4), 0, 0, 0.5 * np.cos(np.pi / 4)]
        guess.update(zip(zm.rate(rocker.coordinates), rates, strict=True))
    for k in range(count):
        coupler = bar(f"coupler {k}", k + 0.5, -1.0, 0.0)
        guess[zm.rate(coupler.coordinates[0])] = 1.0
        for side, rocker in ((-0.5, rockers[k]), (0.5, rockers[k + 1])):
            pin(f"{k} {side}", rocker.point([0.5, 0, 0]), rocker.rotate([0, 0, 1.0]), coupler, side)
    return zm.System(bodies, gravity=(0, -9.81, 0), constraints=joints), guess


def balls(count: int) -> Made:
    """Balls that roll in one bowl, with contacts and centres without mass."""
    random, parts, rows, guess, r = np.random.default_rng(0), [], {}, {}, 0.1
    for k in range(count):
        ball = zm.RigidBody(f"ball {k}", 1.0, [0.004] * 3)
        contact, center = zm.Particle(f"contact {k}", 0.0), zm.Particle(f"center {k}", 0.0)
        X, Y, Z = contact.position
        g = np.array([-0.1 * X, -0.1 * Y, 1.0])
        n = g / np.sqrt(g @ g)
        parts += [ball, contact, center]
        ω: Any = ball.angular_velocity
        rows |= {
            f"surface {k}": Z - 0.05 * (X**2 + Y**2),
            f"tangency {k}": center.position - contact.position - r * n,
            f"mass center {k}": center.position - ball.position,
            f"no slip {k}": center.velocity + r * np.cross(n, ω),
        }
        x, y = random.uniform(-2, 2, 2)
        normal = np.array([-0.1 * x, -0.1 * y, 1]) / np.sqrt(1 + 0.01 * (x * x + y * y))
        place = np.array([x, y, 0.05 * (x * x + y * y)])
        guess.update(zip(contact.position, place, strict=True))
        for part in (center, ball):
            guess.update(zip(part.position, place + r * normal, strict=True))
        guess[ball.quaternion[0]] = 1.0
        guess.update(zip(zm.rate(ball.quaternion), [0, 0.3, -0.2, 0.1], strict=True))
    return zm.System(parts, gravity=9.81, constraints=rows), guess


SHAPES: dict[str, Callable[[int], Made]] = {
    "chain": lambda count: rods(count, lambda k: k - 1),
    "tree": lambda count: rods(count, lambda k: (k - 1) // 2, 0.4),
    "net": net,
    "four bars": four_bars,
    "balls": balls,
}
