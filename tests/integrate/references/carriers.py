"""Mechanisms that carry forces with switches, each given twice.

For zeromass with whatever coordinates and constraints: too many, without mass, tied at the level of rates; for the reference
in as few coordinates as there are freedoms, with M(q) q̈ = Q + h written out by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import zeromass as zm
from integrate.references.pieces import Switch
from integrate.references.terms import Rng, one_of

G = 9.81


@dataclass(frozen=True)
class Place:
    """A length along which forces act: expressions l, its rate s and ∂l/∂q; l, s and ∂l/∂q of the reference as functions.

    kind      "length", "angle" (of arctan2, without its jump in the reference) or "turn" (only its speed is used)
    twin      a name that places share whose lengths are the same
    parallel  a name that places share whose speeds are multiples of one another: they are zero together
    """

    kind: str
    l: Any
    s: Any
    along: Mapping[Any, Any]
    length: Callable[[Any, Any], Any]
    row: Callable[[Any, Any], Any]
    drift: Callable[[Any], Any] = lambda t: 0.0
    twin: str = ""
    parallel: str = ""

    def speed(self, t: Any, q: Any, v: Any) -> Any:
        return sum(r * each for r, each in zip(self.row(t, q), v, strict=True)) + self.drift(t)


def place(l: Any, coordinates: Any, length: Callable, row: Callable, **more: Any) -> Place:
    """A place whose speed and direction zeromass derives from its length."""
    along = {x: zm.expression.derivative(l, x) for x in coordinates}
    return Place(more.pop("kind", "length"), l, zm.rate(l), along, length, row, **more)


@dataclass(frozen=True)
class Carrier:
    """A mechanism without its forces.

    given     energies and constraints for zm.System
    freedoms  of the reference
    accelerated   q̈ of the reference from t, q, v, Q and the pieces of its own switches
    start     prescribed coordinates and rates from q, v of the reference
    observed  expressions and what they are in the reference, of t, q, v
    jumps     what happens to the rates of the reference at times
    springs   the first lengths that need one to keep it together
    switches  of its own
    """

    words: str
    given: Mapping[str, Any]
    freedoms: int
    places: tuple[Place, ...]
    accelerated: Callable[[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    start: Callable[[np.ndarray, np.ndarray], dict]
    observed: tuple[Any, Callable]
    jumps: Mapping[float, Callable] = field(default_factory=dict)
    springs: int = 0
    switches: tuple[Switch, ...] = ()


def line(rng: Rng, until: float) -> Carrier:
    """One to three masses on a line, in coordinates of their own, relative ones, doubled ones, massless or rolling ones."""
    n = int(rng.integers(1, 4))
    m = rng.uniform(0.5, 2, n)
    kind = one_of(rng, "plain", "plain", "relative", "doubled", "massless", "rolling")
    x = zm.coordinates(" ".join(f"x{i}" for i in range(n)))
    x = np.atleast_1d(np.array(x, dtype=object))
    more: list[Any] = []
    constraints: dict[str, Any] = {}
    masses, extra = m.copy(), np.zeros(n)
    where_ = x
    if kind == "relative":
        where_ = np.cumsum(x)
    T = sum(mi * zm.rate(xi) ** 2 / 2 for mi, xi in zip(masses, where_, strict=True))
    if kind == "doubled":
        z = zm.coordinate("z")
        T, more = T - 0.4 * m[0] * (zm.rate(x[0]) ** 2 - zm.rate(z) ** 2) / 2, [z]
        constraints["same"] = z - x[0]
    elif kind == "massless":
        z = zm.coordinate("z")
        more, constraints["stretch"] = [z], z - (x[0] if n == 1 else x[1] - x[0])
    elif kind == "rolling":
        z, R = zm.coordinate("z"), rng.uniform(0.2, 0.5)
        T, more, extra[0] = T + 0.5 * m[0] * R**2 * zm.rate(z) ** 2 / 2, [z], 0.5 * m[0]
        constraints["rolling"] = zm.rate(x[0]) - R * zm.rate(z)
    coordinates = [*x, *more]
    own = []
    for i in range(n):
        unit = np.eye(n)[i]
        own.append(place(where_[i], coordinates, lambda t, q, i=i: q[i], lambda t, q, unit=unit: unit, twin=f"x{i}"))
        if i:
            unit = unit - np.eye(n)[i - 1]
            between = where_[i] - where_[i - 1]
            own.append(
                place(
                    between,
                    coordinates,
                    lambda t, q, i=i: q[i] - q[i - 1],
                    lambda t, q, unit=unit: unit,
                    twin=f"between {i}",
                )
            )
    places = [own[0], *own[2::2], *own[1::2]]  # the first hold it together
    if kind == "massless":
        unit = np.eye(n)[0] if n == 1 else np.eye(n)[1] - np.eye(n)[0]

        def stretch(t: Any, q: Any, unit: np.ndarray = unit) -> Any:
            return sum(u * each for u, each in zip(unit, q, strict=True))

        twin = "x0" if n == 1 else "between 1"
        places.append(place(more[0], coordinates, stretch, lambda t, q, unit=unit: unit, twin=twin))

    def start(q: np.ndarray, v: np.ndarray) -> dict:
        if kind == "relative":
            q, v = np.diff(q, prepend=0.0), np.diff(v, prepend=0.0)
        given = {**dict(zip(x, q, strict=True)), **dict(zip(zm.rate(x), v, strict=True))}
        return {**given, more[0]: 0.0} if kind == "rolling" else given

    inertia = m + extra
    return Carrier(
        f"{n} masses on a line, {kind}",
        {"kinetic": T, "constraints": constraints, "coordinates": coordinates},
        n,
        tuple(places),
        lambda t, q, v, Q, p: Q / inertia,
        start,
        (np.array([*where_, *zm.rate(where_)]), lambda t, q, v: np.array([*q, *v])),
        springs=n,
    )


def pendulum(rng: Rng, until: float) -> Carrier:
    """A bob in x and y on a rod: x = L sin θ, y = −L cos θ."""
    m, L = rng.uniform(0.5, 2), rng.uniform(0.5, 1.5)
    x, y = q = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    rod = one_of(rng, (x**2 + y**2 - L**2) / 2, np.sqrt(x**2 + y**2) - L)
    places = (
        place(x, q, lambda t, q: L * np.sin(q[0]), lambda t, q: [L * np.cos(q[0])]),
        place(y, q, lambda t, q: -L * np.cos(q[0]), lambda t, q: [L * np.sin(q[0])]),
        Place(
            "turn",
            None,
            (x * dy - y * dx) / L**2,
            {x: -y / L**2, y: x / L**2},
            lambda t, q: q[0],
            lambda t, q: [1.0],
            twin="θ",
        ),
        place(np.arctan2(x, -y), q, lambda t, q: q[0], lambda t, q: [1.0], kind="angle", twin="θ"),  # type: ignore
    )
    return Carrier(
        "a pendulum in x, y",
        {
            "kinetic": m * (dx**2 + dy**2) / 2,
            "potential": m * G * y,
            "constraints": {"rod": rod},
            "coordinates": [*q],
        },
        1,
        places,
        lambda t, q, v, Q, p: (Q - m * G * L * np.sin(q)) / (m * L**2),
        lambda q, v: {
            x: L * np.sin(q[0]),
            y: -L * np.cos(q[0]),
            **_along(v[0], (dx, L * np.cos(q[0])), (dy, L * np.sin(q[0]))),
        },
        (np.array([x, y, dx, dy]), lambda t, q, v: _bob(0.0, 0.0, L, q[0], v[0])),
    )


def _along(v: float, *ways: tuple[Any, float]) -> dict:
    return {rate: v * way for rate, way in ways}


def _bob(p: Any, dp: Any, L: float, θ: Any, dθ: Any) -> np.ndarray:
    return np.array([p + L * np.sin(θ), -L * np.cos(θ), dp + L * np.cos(θ) * dθ, L * np.sin(θ) * dθ])


def driven(rng: Rng, until: float) -> Carrier:
    """A pendulum whose pivot goes to and fro at constant speeds: where it turns the rod strikes, L Δθ̇ = −cos θ Δṗ."""
    m, L, A, T = rng.uniform(0.5, 2), rng.uniform(0.5, 1.5), rng.uniform(0.1, 0.4), rng.uniform(0.7, 3)
    x, y = q = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    phase: Any = (zm.t / T) % 2.0
    way, p = one_of(rng, ("abs", A * np.abs(phase - 1.0)), ("maximum", A * np.maximum(phase - 1.0, 1.0 - phase)))

    def pivot(t: Any) -> Any:
        return A * np.abs((t / T) % 2.0 - 1.0)

    def speed(t: Any) -> Any:
        return A / T * np.sign((t / T) % 2.0 - 1.0)

    def struck(t: float) -> Callable:
        Δ = speed(t + T / 2) - speed(t - T / 2)
        return lambda y: np.array([y[0], y[1] - np.cos(y[0]) * Δ / L])

    jumps = {n * T: struck(n * T) for n in range(1, int(until / T) + 1) if n * T < until}
    places = (
        place(x, q, lambda t, q: pivot(t) + L * np.sin(q[0]), lambda t, q: [L * np.cos(q[0])], drift=speed),
        place(y, q, lambda t, q: -L * np.cos(q[0]), lambda t, q: [L * np.sin(q[0])]),
    )
    return Carrier(
        f"a pendulum with a driven pivot, by {way}",
        {
            "kinetic": m * (dx**2 + dy**2) / 2,
            "potential": m * G * y,
            "constraints": {"rod": ((x - p) ** 2 + y**2 - L**2) / 2},
            "coordinates": [*q],
        },
        1,
        places[1:],  # a switch of x would be passed by a jump of its speed
        lambda t, q, v, Q, p: (Q - m * G * L * np.sin(q)) / (m * L**2),
        lambda q, v: dict(zip((x, y, dx, dy), _bob(A, -A / T, L, q[0], v[0]), strict=True)),
        (np.array([x, y, dx, dy]), lambda t, q, v: _bob(pivot(t), speed(t), L, q[0], v[0])),
        jumps,
    )


def cart(rng: Rng, until: float) -> Carrier:
    """A cart and a bob that hangs from it: X, and x, y of the bob."""
    M, m, L = *rng.uniform(0.5, 2, 2), rng.uniform(0.5, 1.5)
    X, x, y = q = zm.coordinates("X x y")
    dX, dx, dy = zm.rate(q)

    def accelerated(t: float, q: np.ndarray, v: np.ndarray, Q: np.ndarray, p: np.ndarray) -> np.ndarray:
        c, s = np.cos(q[1]), np.sin(q[1])
        a, b = Q[0] + m * L * v[1] ** 2 * s, Q[1] - m * G * L * s
        det = (M + m * s**2) * m * L**2
        return np.array([m * L**2 * a - m * L * c * b, (M + m) * b - m * L * c * a]) / det

    places = (
        place(X, q, lambda t, q: q[0], lambda t, q: [1.0, 0.0]),
        place(x, q, lambda t, q: q[0] + L * np.sin(q[1]), lambda t, q: [1.0, L * np.cos(q[1])]),
        place(x - X, q, lambda t, q: L * np.sin(q[1]), lambda t, q: [0.0, L * np.cos(q[1])]),
        place(np.arctan2(x - X, -y), q, lambda t, q: q[1], lambda t, q: [0.0, 1.0], kind="angle"),  # type: ignore
    )

    def bob(t: Any, q: Any, v: Any) -> np.ndarray:
        return np.array([q[0], v[0], *_bob(q[0], v[0], L, q[1], v[1])])

    return Carrier(
        "a cart with a bob",
        {
            "kinetic": M * dX**2 / 2 + m * (dx**2 + dy**2) / 2,
            "potential": m * G * y,
            "constraints": {"rod": ((x - X) ** 2 + y**2 - L**2) / 2},
            "coordinates": [*q],
        },
        2,
        places,
        accelerated,
        lambda q, v: dict(zip((X, dX, x, y, dx, dy), bob(0.0, q, v), strict=True)),
        (np.array([X, dX, x, y, dx, dy]), bob),
        springs=1,
    )


def incline(rng: Rng, until: float) -> Carrier:
    """A particle on a line in the plane: x = s cos α, y = s sin α."""
    m, α = rng.uniform(0.5, 2), rng.uniform(0.2, 1.2)
    c, s = np.cos(α), np.sin(α)
    x, y = q = zm.coordinates("x y")
    return Carrier(
        "a particle on an incline",
        {
            "kinetic": m * (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
            "potential": m * G * y,
            "constraints": {"incline": y * c - x * s},
            "coordinates": [*q],
        },
        1,
        (
            place(x, q, lambda t, q: q[0] * c, lambda t, q: [c], parallel="s"),
            place(y, q, lambda t, q: q[0] * s, lambda t, q: [s], parallel="s"),
            place(x * c + y * s, q, lambda t, q: q[0], lambda t, q: [1.0], parallel="s"),
        ),
        lambda t, q, v, Q, p: (Q - m * G * s) / m,
        lambda q, v: {x: q[0] * c, y: q[0] * s, zm.rate(x): v[0] * c, zm.rate(y): v[0] * s},
        (np.array([*q, *zm.rate(q)]), lambda t, q, v: np.array([q[0] * c, q[0] * s, v[0] * c, v[0] * s])),
        springs=1,
    )


def profile(rng: Rng, until: float) -> Carrier:
    """A bead on a wire y = f(x) that bends beyond a: smoothly, y = c (x − a)²/2 more, or at once, y = c (x − a) more.

        (1 + f′²) ẍ = Q_x + f′ Q_y − g f′ − f′ f″ ẋ²  with m = 1

    At a corner what of the velocity is along the wire stays: ẋ⁺ = ẋ⁻ (1 + f′⁻f′⁺)/(1 + f′⁺²).
    """
    a, b, c, bent = rng.uniform(-0.3, 0.3), rng.uniform(-0.4, 0.4), rng.uniform(0.3, 1.2), bool(rng.integers(2))
    x, y = q = zm.coordinates("x y")
    way, beyond = one_of(
        rng,
        ("maximum", np.maximum(x - a, 0.0)),  # type: ignore
        ("where", zm.where(x > a, x - a, 0.0)),
        ("abs", (np.abs(x - a) + x - a) / 2),
    )
    wire = b * x + (c * beyond if bent else c * beyond**2 / 2)

    def height(x: Any) -> Any:
        return b * x + np.where(np.real(x) > a, c * (x - a) if bent else c * (x - a) ** 2 / 2, 0.0)

    def slope(x: Any, p: Any) -> Any:
        return b + p * (c if bent else c * (x - a))

    def accelerated(t: float, q: np.ndarray, v: np.ndarray, Q: np.ndarray, p: np.ndarray) -> np.ndarray:
        f1, f2 = slope(q, p[0]), 0.0 if bent else c * p[0]
        return (Q - G * f1 - f1 * f2 * v**2) / (1 + f1**2)

    def blow(y: np.ndarray, before: float, after: float) -> np.ndarray:
        old, new = slope(a, before), slope(a, after)
        return np.array([y[0], y[1] * (1 + old * new) / (1 + new**2)])

    def observed(t: Any, q: Any, v: Any) -> np.ndarray:
        return np.array([q[0], height(q[0]), v[0], slope(q[0], np.real(q[0]) > a) * v[0]])

    return Carrier(
        f"a bead on a wire that bends {'at once' if bent else 'smoothly'} at {a:.3g}, by {way}",
        {
            "kinetic": (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
            "potential": G * y,
            "constraints": {"wire": y - wire},
            "coordinates": [*q],
        },
        1,
        (place(x, q, lambda t, q: q[0], lambda t, q: [1.0]),),
        accelerated,
        lambda q, v: dict(zip((x, y, zm.rate(x), zm.rate(y)), observed(0.0, q, v), strict=True)),
        (np.array([x, y, zm.rate(x), zm.rate(y)]), observed),
        springs=1,
        switches=(Switch("wire", lambda t, y: y[0] - a, blow=blow if bent else None),),
    )


CARRIERS = line, line, line, pendulum, driven, cart, incline, profile
