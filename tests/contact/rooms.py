"""Rooms with walls, corners and bumps whose shapes are parameters: one model, many random motions."""

from __future__ import annotations

import numpy as np

import zeromass as zm

r, m = 0.1, 0.5


def room(kind: str) -> tuple[zm.Contacts, dict[str, zm.expression.Expression]]:
    """A ball in a room: a corner of three planes that lean, a groove of two, or a floor with bumps between two walls."""
    names = {
        "corner": ["a", "b", "c", "d", "f", "h"],
        "groove": ["a", "b"],
        "bumps": ["a", "b", "c", "d"],
    }[kind]
    p = {name: zm.parameter(name, 0.0) for name in names}
    μ, e = zm.parameter("mu", 0.3), zm.parameter("e", 0.5)
    if kind == "corner":
        surfaces = {
            "floor": zm.Surface(lambda X, Y: p["a"] * X + p["b"] * Y),
            "wall": zm.Surface(lambda X, Y, Z: 1.0 - X + p["c"] * Y + p["d"] * Z),
            "side": zm.Surface(lambda X, Y, Z: 1.0 - Y + p["f"] * X + p["h"] * Z),
        }
    elif kind == "groove":
        surfaces = {
            "left": zm.Surface(lambda X, Y: (0.6 + p["a"]) * Y + 0.1 * X),
            "right": zm.Surface(lambda X, Y: -(0.6 + p["b"]) * Y + 0.1 * X),
            "end": zm.Surface(lambda X, Y, Z: 1.0 - X),
        }
    else:
        surfaces = {
            "floor": zm.Surface(lambda X, Y: 0.05 * p["a"] * np.sin(3 * X + p["b"]) * np.cos(2 * Y + p["c"])),
            "wall": zm.Surface(lambda X, Y, Z: 1.0 - X + 0.2 * p["d"] * Y),
            "back": zm.Surface(lambda X, Y, Z: 1.0 + X),
        }
    return zm.Contacts(zm.bodies.ball(r, m), on=surfaces, gravity=9.81, friction=μ, restitution=e), {
        **p,
        "mu": μ,
        "e": e,
    }


def thrown(ball: zm.Contacts, parameters: dict[str, zm.expression.Expression], rng: np.random.Generator) -> zm.State:
    """A random start in the air."""
    values = {p: float(rng.uniform(-0.3, 0.3)) for name, p in parameters.items() if name not in ("mu", "e")}
    values[parameters["mu"]], values[parameters["e"]] = float(rng.uniform(0.0, 0.8)), float(rng.uniform(0.0, 0.7))
    return ball.start(
        center=(*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.5, 0.7)),
        velocity=rng.normal(scale=1.5, size=3),
        angular_velocity=rng.normal(scale=10.0, size=3),
        orientation=rng.normal(size=3),
        parameters=values,
    )


def depth(ball: zm.Contacts, run: zm.Run, times: np.ndarray) -> float:
    """How deep the ball has been inside any surface, m: distances from the centre by Newton's method on |x − c|²."""
    centers = run.at(times)[ball.center]
    deepest = 0.0
    for pair in ball.pairs:
        deepest = max(deepest, r - float(_distances(pair.surface, centers, run).min()))
    return deepest


def _distances(surface: zm.Surface, centers: np.ndarray, run: zm.Run) -> np.ndarray:
    """Signed distances of points from a surface, positive on the side of the bodies, (k,)."""
    from zeromass.contact.traced import PLACE
    from zeromass.expression import Evaluator, as_expression, gradient, jacobian

    f = as_expression(surface.side * surface(PLACE))
    k = gradient(f, PLACE)
    known = run.parameters
    numbers = Evaluator([f, *k, *jacobian(k, PLACE).ravel()], [*PLACE, *known])
    rest = np.broadcast_to(np.array(list(known.values())), (len(centers), len(known)))

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = numbers(np.concatenate([x, rest], axis=1))
        return found[:, 0], found[:, 1:4], found[:, 4:].reshape(-1, 3, 3)

    x = centers.copy()
    for _ in range(60):
        value, slope, _ = at(x)
        x = x - (value / np.einsum("ki,ki->k", slope, slope))[:, None] * slope
    value, slope, _ = at(x)
    λ = np.einsum("ki,ki->k", slope, centers - x) / np.einsum("ki,ki->k", slope, slope)
    for _ in range(30):
        value, slope, H = at(x)
        J = np.zeros((len(x), 4, 4))
        J[:, :3, :3] = np.eye(3) + λ[:, None, None] * H
        J[:, :3, 3], J[:, 3, :3] = slope, slope
        change = -np.linalg.solve(
            J, np.concatenate([x - centers + λ[:, None] * slope, value[:, None]], axis=1)[..., None]
        )
        x, λ = x + change[:, :3, 0], λ + change[:, 3, 0]
    _, slope, _ = at(x)
    n = slope / np.linalg.norm(slope, axis=1)[:, None]
    return np.einsum("ki,ki->k", centers - x, n)
