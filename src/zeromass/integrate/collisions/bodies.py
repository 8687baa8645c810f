"""Bodies that carry collision shapes, in kernels: where they are, how they move, and the Jacobian of their twists.

    (v, ω) = T q̇ + τ,   (v̇, ω̇) = T q̈ + bias

A rigid body or particle whose position and quaternion are coordinates needs no code of its own; that of others is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.collisions.vectors import copy
from zeromass.kernel.language import Ints, Ints2, Reals, Reals2, Struct, function, kernel

RIGID, PARTICLE, FORMULA = range(3)
"""Kinds of bodies: with position and quaternion among the coordinates, with a position, and others."""

TWIST = 6
"""Numbers of a twist, and of a wrench."""

HEAD = 24
"""Numbers before the entries of T that code of a body gives: x, R, v, ω and the bias."""


class Bodies(Struct):
    """Bodies, and memory for their motion at a state.

    kind       of each
    place      coordinates of position and quaternion, (count, 7)
    evaluate   found ← of all others x, R, v, ω, bias and the entries of T
    found, first   these numbers, and where those of each body begin
    position, rotation, velocity, spin   m, matrices row by row, m/s and rad/s, inertial components
    bias       accelerations without those of coordinates, (count, 6)
    T, ends, columns   entries of T that may not be zero, row after row, six rows a body; where each row begins and ends
    begins, own    where the coordinates that move each body begin, and which; local: of each entry of T its place there
    reach      largest distance of a vertex of a shape of the body from its origin, m
    """

    count: int
    kind: Ints
    place: Ints2
    evaluate: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    formulas: bool
    found: Reals
    first: Ints
    position: Reals2
    rotation: Reals2
    velocity: Reals2
    spin: Reals2
    bias: Reals2
    T: Reals
    ends: Ints
    columns: Ints
    begins: Ints
    own: Ints
    local: Ints
    reach: Reals


@kernel
def set_rotation(u0: float, u1: float, u2: float, u3: float, R: Reals) -> None:
    """R ← the rotation matrix of a unit quaternion."""
    R[0], R[4], R[8] = (
        u0 * u0 + u1 * u1 - u2 * u2 - u3 * u3,
        u0 * u0 - u1 * u1 + u2 * u2 - u3 * u3,
        u0 * u0 - u1 * u1 - u2 * u2 + u3 * u3,
    )
    R[1], R[3] = 2.0 * (u1 * u2 - u0 * u3), 2.0 * (u1 * u2 + u0 * u3)
    R[2], R[6] = 2.0 * (u1 * u3 + u0 * u2), 2.0 * (u1 * u3 - u0 * u2)
    R[5], R[7] = 2.0 * (u2 * u3 - u0 * u1), 2.0 * (u2 * u3 + u0 * u1)


@kernel
def place_body(b: Bodies, y: Reals, k: int) -> None:
    """Position and rotation of a body at a state, of other bodies as `evaluate` gave them."""
    if b.kind[k] == FORMULA:
        at = b.first[k]
        copy(b.found[at : at + 3], b.position[k])
        b.rotation[k][:] = b.found[at + 3 : at + 12]
        return
    for i in range(3):
        b.position[k, i] = y[b.place[k, i]]
    if b.kind[k] == RIGID:
        p = b.place[k]
        set_rotation(y[p[3]], y[p[4]], y[p[5]], y[p[6]], b.rotation[k])


@kernel
def evaluate_formulas(b: Bodies, clock: Reals, y: Reals, values: Reals) -> None:
    """Evaluates the code of all bodies that have some."""
    if b.formulas:
        b.evaluate(clock, y, values, b.found)


@kernel
def place_bodies(b: Bodies, clock: Reals, y: Reals, values: Reals) -> None:
    """Positions and rotations of all bodies at a state."""
    evaluate_formulas(b, clock, y, values)
    for k in range(b.count):
        place_body(b, y, k)


@kernel
def move_bodies(b: Bodies, clock: Reals, y: Reals, values: Reals) -> None:
    """Positions, rotations, velocities, biases and T of all bodies at a state."""
    place_bodies(b, clock, y, values)
    for k in range(b.count):
        move_body(b, y, k)


@kernel
def move_body(b: Bodies, y: Reals, k: int) -> None:
    """Velocities, bias and T of a body that has its place."""
    n, at = len(y) // 2, b.first[k]
    if b.kind[k] == FORMULA:
        for i in range(3):
            b.velocity[k, i], b.spin[k, i] = b.found[at + 12 + i], b.found[at + 15 + i]
        b.bias[k][:] = b.found[at + 18 : at + HEAD]
        first = b.ends[TWIST * k]
        for e in range(first, b.ends[TWIST * (k + 1)]):
            b.T[e] = b.found[at + HEAD + e - first]
        return
    for i in range(3):
        b.velocity[k, i] = y[n + b.place[k, i]]
    if b.kind[k] == RIGID:
        p, e = b.place[k], b.ends[TWIST * k] + 3
        u0, u1, u2, u3 = 2.0 * y[p[3]], 2.0 * y[p[4]], 2.0 * y[p[5]], 2.0 * y[p[6]]
        b.T[e], b.T[e + 1], b.T[e + 2], b.T[e + 3] = -u1, u0, -u3, u2
        b.T[e + 4], b.T[e + 5], b.T[e + 6], b.T[e + 7] = -u2, u3, u0, -u1
        b.T[e + 8], b.T[e + 9], b.T[e + 10], b.T[e + 11] = -u3, -u2, u1, u0
        for i in range(3):
            total = 0.0
            for j in range(4):
                total += b.T[e + 4 * i + j] * y[n + p[3 + j]]
            b.spin[k, i] = total


@kernel
def twist_of(b: Bodies, a: Reals, k: int, z: Reals) -> None:
    """z ← T a of a body, for numbers of all coordinates."""
    for r in range(TWIST):
        total = 0.0
        for e in range(b.ends[TWIST * k + r], b.ends[TWIST * k + r + 1]):
            total += b.T[e] * a[b.columns[e]]
        z[r] = total
