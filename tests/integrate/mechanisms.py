"""Mechanisms through positions in which their constraints lose independence, in coordinates of several kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import zeromass as zm

G = 9.81


def u(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def four_bar_tips(bars: Sequence[float]) -> tuple[zm.System, np.ndarray]:
    """A four-bar in the coordinates of its two moving pins A and B, and these.

    bars  lengths of crank, coupler, rocker and ground; their masses are as large
    """
    crank, coupler, rocker, ground = bars
    A, B = zm.coordinates("ax ay"), zm.coordinates("bx by")
    a, b, arm, rod = zm.rate(A), zm.rate(B), B - np.array([ground, 0.0]), B - A
    kinetic = crank * a @ a / 6 + rocker * b @ b / 6 + coupler * (a @ a + a @ b + b @ b) / 6
    potential = G * (crank * A[1] + rocker * B[1] + coupler * (A[1] + B[1])) / 2
    constraints = {
        "crank": (A @ A - crank**2) / 2,
        "rocker": (arm @ arm - rocker**2) / 2,
        "coupler": (rod @ rod - coupler**2) / 2,
    }
    return zm.System(kinetic=kinetic, potential=potential, constraints=constraints), np.concatenate([A, B])


def four_bar_angles(bars: Sequence[float]) -> tuple[zm.System, np.ndarray]:
    """The same four-bar in the angles of its bars."""
    crank, coupler, rocker, ground = bars
    a, c, b = zm.coordinates("a c b")
    A, B = crank * u(a), np.array([ground, 0.0]) + rocker * u(b)
    center = A + coupler * u(c) / 2
    v, turn = zm.rate(center), zm.rate(c)
    kinetic = (crank * zm.rate(A) @ zm.rate(A) + rocker * zm.rate(B) @ zm.rate(B)) / 6
    kinetic = kinetic + coupler * v @ v / 2 + coupler**3 * turn**2 / 24
    potential = G * (crank * A[1] / 2 + rocker * B[1] / 2 + coupler * center[1])
    system = zm.System(kinetic=kinetic, potential=potential, constraints={"loop": A + coupler * u(c) - B})
    return system, np.concatenate([A, B])


def rods(lengths: Sequence[float], pins: dict[str, tuple[int, float, int, float] | tuple[int, float, np.ndarray]]):
    """Uniform rods of mass 1 a metre, each with (x, y, angle), pinned to one another or to places; and their ends.

    pins  name: (rod, ±1/2, rod, ±1/2), or (rod, ±1/2, place)
    """
    parts = [zm.coordinates(f"x{k} y{k} s{k}") for k in range(len(lengths))]

    def end(k, side):
        return parts[k][:2] + side * lengths[k] * u(parts[k][2])

    constraints = {
        name: end(pin[0], pin[1]) - (end(pin[2], pin[3]) if len(pin) == 4 else pin[2]) for name, pin in pins.items()
    }
    kinetic = sum(
        m * (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2 + m**3 * zm.rate(s) ** 2 / 24
        for m, (x, y, s) in zip(lengths, parts, strict=True)
    )
    potential = sum(G * m * part[1] for m, part in zip(lengths, parts, strict=True))
    return zm.System(kinetic=kinetic, potential=potential, constraints=constraints), parts, end


def four_bar_rods(bars: Sequence[float]) -> tuple[zm.System, np.ndarray, list]:
    """The same four-bar of three rods."""
    system, parts, end = rods(
        bars[:3],
        {
            "foot": (0, -0.5, np.zeros(2)),
            "left": (0, 0.5, 1, -0.5),
            "right": (1, 0.5, 2, 0.5),
            "pivot": (2, -0.5, np.array([bars[3], 0.0])),
        },
    )
    return system, np.concatenate([end(0, 0.5), end(2, 0.5)]), parts


def closed(bars: Sequence[float], angle: float, side: float) -> tuple[float, float]:
    """Angles of coupler and rocker for one of the crank; `side` chooses between the two."""
    crank, coupler, rocker, ground = bars
    d = np.array([ground, 0.0]) - crank * u(angle)
    distance, direction = np.linalg.norm(d), np.arctan2(d[1], d[0])
    bend = np.arccos((coupler**2 + distance**2 - rocker**2) / (2 * coupler * distance))
    c = direction + side * bend
    B = crank * u(angle) + coupler * u(c)
    return c, np.arctan2(B[1], B[0] - ground)


def slider_crank_angles() -> tuple[zm.System, np.ndarray]:
    """Two arms of length 1 and a block of mass 1: the block passes the crank's foot; the tip of the crank."""
    a, b, x = zm.coordinates("a b x")
    center = u(a) + u(b) / 2
    v = zm.rate(center)
    kinetic = zm.rate(a) ** 2 / 6 + v @ v / 2 + zm.rate(b) ** 2 / 24 + zm.rate(x) ** 2 / 2
    potential = G * (np.sin(a) / 2 + center[1])
    system = zm.System(kinetic=kinetic, potential=potential, constraints={"slider": u(a) + u(b) - np.array([x, 0])})
    return system, u(a)


def slider_crank_tips() -> tuple[zm.System, np.ndarray]:
    """The same in the tip of the crank and the block; the bars' ends tell their kinetic energies."""
    A, x = zm.coordinates("ax ay"), zm.coordinate("x")
    a, b, rod = zm.rate(A), zm.rate(np.array([x, 0.0])), np.array([x, 0.0]) - A
    kinetic = a @ a / 6 + (a @ a + a @ b + b @ b) / 6 + zm.rate(x) ** 2 / 2
    constraints = {"crank": (A @ A - 1) / 2, "rod": (rod @ rod - 1) / 2}
    return zm.System(kinetic=kinetic, potential=G * A[1], constraints=constraints), A


def parallelogram(crank: float, base: float, *, friction: float = 0.0, drive: zm.expression.Expression | None = None):
    """A four-bar of equal pairs in the angles a, b of its cranks and c of its coupler, and these."""
    a, b, c = zm.coordinates("a b c")
    A, B = crank * u(a), np.array([base, 0.0]) + crank * u(b)
    center = A + base * u(c) / 2
    v = zm.rate(center)
    kinetic = crank * (zm.rate(A) @ zm.rate(A) + zm.rate(B) @ zm.rate(B)) / 6
    kinetic = kinetic + base * v @ v / 2 + base**3 * zm.rate(c) ** 2 / 24
    potential = G * (crank * (A[1] + B[1]) / 2 + base * center[1])
    constraints: dict = {"loop": A + base * u(c) - B}
    if drive is not None:
        constraints["drive"] = a - drive
    forces = {a: -friction * zm.rate(a)} if friction else None
    return zm.System(kinetic=kinetic, potential=potential, forces=forces, constraints=constraints), a, b, c


def rod_chain(N: int, angle: float, speed: float) -> tuple[zm.System, zm.State, np.ndarray]:
    """N four-bars in a row, of rods of length 1, its start with parallel cranks, and the tip of the first."""
    pins: dict = {f"foot {k}": (k, -0.5, np.array([float(k), 0.0])) for k in range(N + 1)}
    for k in range(N):
        pins[f"left {k}"] = (k, 0.5, N + 1 + k, -0.5)
        pins[f"right {k}"] = (k + 1, 0.5, N + 1 + k, 0.5)
    system, parts, end = rods([1.0] * (2 * N + 1), pins)
    tip = u(angle)
    given = [(parts[k], (k + tip[0] / 2, tip[1] / 2, angle)) for k in range(N + 1)]
    given += [(parts[N + 1 + k], (k + 0.5 + tip[0], tip[1], 0.0)) for k in range(N)]
    return system, system.start([*given, (zm.rate(parts[0][2]), speed)]), end(0, 0.5)


def scissors(N: int, length: float) -> tuple[zm.System, list]:
    """N stages of two crossed arms each, one on a pin and one on a slide; the arms as (x, y, angle)."""
    pins: dict = {"pin": (0, -0.5, np.zeros(2))}
    for k in range(N - 1):
        pins[f"right {k}"] = (2 * k, 0.5, 2 * k + 3, -0.5)
        pins[f"left {k}"] = (2 * k + 1, 0.5, 2 * k + 2, -0.5)
    for k in range(N):
        pins[f"middle {k}"] = (2 * k, 0.0, 2 * k + 1, 0.0)
    plain, parts, end = rods([length] * (2 * N), pins)
    constraints = {name: end(*pin[:2]) - (end(*pin[2:]) if len(pin) == 4 else pin[2]) for name, pin in pins.items()}
    constraints["slide"] = end(1, -0.5)[1]
    return zm.System(kinetic=plain.kinetic, potential=plain.potential, constraints=constraints), parts


def hinged_in_space(crank: float, base: float, masses: np.ndarray, angle: float, speed: float):
    """A parallelogram of three bodies in space, each with a position and a quaternion; its start, and the crank's tip."""
    lengths, Z = np.array([crank, base, crank]), np.array([0.0, 0.0, 1.0])
    bodies = [
        zm.RigidBody(name, mass=m, inertia=(m * l**2 / 1000, m * l**2 / 12, m * l**2 / 12))
        for name, l, m in zip(("crank", "coupler", "rocker"), lengths, masses, strict=True)
    ]
    first, second, third = bodies
    half = [np.array([l / 2, 0.0, 0.0]) for l in lengths]

    def axes(one: zm.RigidBody, other: zm.RigidBody) -> list[zm.expression.Expression]:
        return [one.rotate(x) @ other.rotate(Z) for x in ((1, 0, 0), (0, 1, 0))]

    system = zm.System(
        bodies,
        gravity=(0.0, -G, 0.0),
        constraints={
            "O": first.point(-half[0]),
            "O axis": first.rotate(Z)[:2],
            "A": second.point(-half[1]) - first.point(half[0]),
            "A axis": axes(first, second),
            "C": third.point(half[2]) - second.point(half[1]),
            "C axis": axes(second, third),
            "B": third.point(-half[2]) - [base, 0.0, 0.0],
            "B axis": third.rotate(Z)[:2],
        },
    )
    tip = crank * u(angle)
    centers = (*tip / 2, 0.0), (tip[0] + base / 2, tip[1], 0.0), (base + tip[0] / 2, tip[1] / 2, 0.0)
    given: list = [(first.angular_velocity[2], speed)]
    for body, center, turn in zip(bodies, centers, (angle, 0.0, angle), strict=True):
        given += [(body.position, center), (body.quaternion, (np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)))]
    return system, system.start(given), first.point(half[0])[:2]
