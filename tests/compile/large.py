"""Large systems of some shapes, each with a guess near its constraints: chains, trees, nets, mechanisms, balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import zeromass as zm
from compile import mixed

Made = tuple[list[Any], dict[str, Any], dict[str, Any], dict[Any, float]]
"""Parts, constraints, further arguments, and a guess."""


def rotated(u: np.ndarray, place: Any) -> np.ndarray:
    a, v = u[0], u[1:]
    return np.array(place) + 2 * np.cross(v, np.cross(v, place) + a * np.array(place))


def unit(random: np.random.Generator, spread: float) -> np.ndarray:
    u = np.array([1.0, 0.0, 0.0, 0.0]) + spread * random.normal(size=4)
    return u / np.linalg.norm(u)


def tree(
    count: int, parent: Callable[[int], int] = lambda k: (k - 1) // 2, *, alike: bool = True, spread: float = 0.4
) -> Made:
    """Rods with ball joints, each at the end of its parent; `spread`: how far they point elsewhere than along x."""
    random, bodies, joints, guess, ends = np.random.default_rng(count), [], {}, {}, []
    for k in range(count):
        length = 1.0 if alike else 1.0 + 0.3 * random.random()
        mass = 1.0 if alike else 0.7 + random.random()
        body = zm.RigidBody(f"rod {k}", mass, [0.02 * mass, 0.1 * mass, 0.11 * mass])
        up = parent(k) if k else -1
        joints[f"joint {k}"] = body.point([-length / 2, 0, 0]) - (bodies[up][0].point(bodies[up][1]) if k else 0.0)
        u, begin = unit(random, spread), ends[up] if k else np.zeros(3)
        half = rotated(u, [length / 2, 0, 0])
        guess.update(zip(body.coordinates, [*(begin + half), *u], strict=True))
        guess.update(zip(zm.rate(body.quaternion), 0.5 * random.normal(size=4), strict=True))
        bodies.append((body, [length / 2, 0, 0]))
        ends.append(begin + 2 * half)
    return [body for body, _ in bodies], joints, {"gravity": 9.81}, guess


def chain(count: int, *, spread: float = 0.4) -> Made:
    return tree(count, lambda k: k - 1, spread=spread)


def uneven(count: int) -> Made:
    return tree(count, lambda k: k - 1, alike=False)


def hinges(count: int) -> Made:
    """Bodies in a row, joined by hinges whose axes differ."""
    random, bodies, joints, guess = np.random.default_rng(1), [], {}, {}
    for k in range(count):
        body = zm.RigidBody(f"body {k}", 1.0, [0.02, 0.09, 0.08])
        axis = np.array([0.0, np.sin(0.5 * k), np.cos(0.5 * k)])
        fixed = bodies[-1].rotate(axis) if k else axis
        end = bodies[-1].point([0.5, 0, 0]) if k else 0.0
        across = [fixed @ body.rotate([1.0, 0, 0]), fixed @ body.rotate(np.cross(axis, [1.0, 0, 0]))]
        joints |= {f"place {k}": body.point([-0.5, 0, 0]) - end, f"axis {k}": across}
        guess.update(zip(body.coordinates, [k + 0.5, 0, 0, 1, 0, 0, 0], strict=True))
        guess.update(zip(zm.rate(body.quaternion), [0, 0, *0.3 * random.normal(size=2)], strict=True))
        bodies.append(body)
    return bodies, joints, {"gravity": 9.81}, guess


def net(count: int) -> Made:
    """Point masses and rods, hung up at two corners, with springs across and drag."""
    random = np.random.default_rng(0)
    points = {(i, j): zm.Particle(f"p {i} {j}", 0.5 + 0.1 * i) for i in range(count) for j in range(count)}
    rods, forces, guess = {}, [], {}
    for (i, j), point in points.items():
        place = np.array([0.7 * i, 0.7 * j, 0.71 * (-1) ** (i + j)]) + 0.02 * random.normal(size=3)
        guess.update(zip(point.position, place, strict=True))
        for other in ((i + 1, j), (i, j + 1)):
            if other in points:
                d = point.position - points[other].position
                rods[f"rod {i} {j} {other}"] = (d @ d - (1.7 + 0.01 * i)) / 2
        if (i + 1, j + 1) in points:
            forces.append(zm.Spring(3.0 + j, point.position, points[i + 1, j + 1].position, length=1.1))
        forces.append(zm.Force(-0.1 * point.velocity, at=point.position))
    rods["corner"] = points[0, 0].position - np.array([0.0, 0.0, 0.7])
    return list(points.values()), rods, {"gravity": 9.81, "forces": forces}, guess


def map_folded(side: int) -> Made:
    """Equal point masses and rods in a square, folded like a map and hung up at a corner."""
    points = {(i, j): zm.Particle(f"p {i} {j}", 1.0) for i in range(side) for j in range(side)}
    rods, guess = {}, {}
    for (i, j), point in points.items():
        place = [0.7 * i, 0.7 * j, 0.35 * (-1) ** i + 0.35 * (-1) ** j + 0.02 * np.sin(i * i + 3 * j)]
        guess.update(zip(point.position, place, strict=True))
        for other in ((i + 1, j), (i, j + 1)):
            if other in points:
                d = point.position - points[other].position
                rods[f"rod {i} {j} {other}"] = (d @ d - 0.98) / 2
    rods["corner"] = points[0, 0].position - np.array([0.0, 0.0, 0.7])
    return list(points.values()), rods, {"gravity": 9.81}, guess


def four_bars(count: int) -> Made:
    """Rockers and couplers of hinges in a row: a plane mechanism in space, with rows that repeat others."""
    bodies, joints, guess = [], {}, {}

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
        half = -np.pi / 4
        rates = [0.5, 0, 0, -0.5 * np.sin(half), 0, 0, 0.5 * np.cos(half)]
        guess.update(zip(zm.rate(rocker.coordinates), rates, strict=True))
    for k in range(count):
        coupler = bar(f"coupler {k}", k + 0.5, -1.0, 0.0)
        guess[zm.rate(coupler.coordinates[0])] = 1.0
        for side, rocker in ((-0.5, rockers[k]), (0.5, rockers[k + 1])):
            pin(f"{k} {side}", rocker.point([0.5, 0, 0]), rocker.rotate([0, 0, 1.0]), coupler, side)
    return bodies, joints, {"gravity": (0, -9.81, 0)}, guess


def balls(count: int) -> Made:
    """Balls that roll in one bowl, with contacts and centres without mass, as in the paper of the shell."""
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
        guess.update(zip(ball.quaternion, [1.0, 0, 0, 0], strict=True))
        guess.update(zip(zm.rate(ball.quaternion), [0, 0.3, -0.2, 0.1], strict=True))
    return parts, rows, {"gravity": 9.81}, guess


def free_bodies(count: int) -> Made:
    """Bodies of different masses and inertias, each with a force and a torque that are parameters, six of its own."""
    random, bodies, forces = np.random.default_rng(0), [], []
    for k in range(count):
        body = zm.RigidBody(f"body {k}", random.uniform(0.5, 2.0), random.uniform(0.05, 0.1, 3))
        force, torque = (
            [zm.parameter(f"{name} {k} {x}", random.normal()) for x in "xyz"] for name in ("force", "torque")
        )
        forces += [zm.Force(force, at=body.position), zm.Torque(torque, on=body)]
        bodies.append(body)
    return bodies, {}, {"forces": forces, "gravity": 9.81}, {}


SHAPES = {
    "mixed chain": (lambda count: mixed.made(mixed.links(count)), 8),
    "uneven chain": (uneven, 3),
    "tree": (tree, 4),
    "hinges": (hinges, 3),
    "net": (net, 3),
    "four bars": (four_bars, 2),
    "balls": (balls, 2),
    "mixed tree": (lambda count: mixed.made(mixed.links(count, mixed.tree, seed=1)), 9),
}
"""Shapes, and how large a small one is."""
