"""Starts of rolling bodies: contact, velocity, spin and orientation as one would say them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.expression import Evaluator, Expression
from zeromass.expression import symbols as leaves
from zeromass.expression import t as time
from zeromass.model import StartError, State

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling


def rolling_start(
    rolling: Rolling,
    start: Callable[..., State],
    *,
    contact: Any,
    velocity: Any = (0.0, 0.0),
    spin: float | None = None,
    orientation: Any = (1.0, 0.0, 0.0, 0.0),
    relative: bool = False,
    t: float = 0.0,
    parameters: Mapping[Expression, float] | None = None,
    guess: float = 0.0,
) -> State:
    """A state that rolls, from what one would say of it.

    contact      contact point, (X, Y) or (X, Y, Z); with two, Z is found on the surface near `guess`
    velocity     of the centre, (X, Y) or (X, Y, Z); with `relative`, against the surface's material at the contact
    spin         n·ω̄, rad/s; not with spin="none"; zero by default
    orientation  quaternion, rotation vector (three components, rad), or "x-axis along the normal"
    """
    contact = _numbers(contact, "contact", (2, 3))
    velocity = _numbers(velocity, "velocity", (2, 3))
    if spin is not None and not (np.ndim(spin) == 0 and np.isfinite(spin)):
        raise StartError(f"spin = {spin!r}: give a finite number")
    _check_inside(rolling, contact, t, parameters)
    given = {time: t, **{p: p.default for p in rolling.parameters}, **(parameters or {})}

    def at(point: np.ndarray) -> SurfaceAt:
        return rolling.surface_at(point, [given[s] for s in (time, *rolling.parameters)])

    place = _on_surface(rolling, contact, at, guess)
    prescribed: list[tuple[Any, Any]] = list(zip(rolling.contact, place, strict=True))
    known = {**dict(zip(rolling.contact, place, strict=True)), **given}
    _, _, n, K = at(place)
    if not np.all(np.isfinite(n)):
        raise StartError(
            f"the normal of '{rolling.surface.name}' is not defined at {tuple(place.tolist())}: its gradient vanishes"
        )
    _check_room(rolling, K, place)
    moving = rolling.center_particle.velocity
    if relative:
        moving = moving - rolling.surface.velocity(rolling.contact)
    if len(velocity) == 3:
        surface = 0.0 if relative else _value(rolling.surface.velocity(rolling.contact), known)
        off = float(n @ (velocity - surface))
        if abs(off) > 1e-9 * max(1.0, float(np.linalg.norm(velocity))):
            raise StartError(
                f"velocity {tuple(velocity.tolist())} contradicts contact: it has a part {off:.3g} m/s along the normal "
                "against the surface; give two components and the third follows"
            )
    axes = _independent(n, len(velocity))
    prescribed += [(moving[i], velocity[i]) for i in axes]
    if any(row.group == "no spin" for row in rolling.rows):
        if spin:
            raise StartError(f"spin = {spin:g}, but the model has spin='none'; leave it out")
    else:
        prescribed.append((rolling.spin, 0.0 if spin is None else float(spin)))
    u = _quaternion(orientation, n)
    prescribed += list(zip(rolling.body.quaternion, u, strict=True))
    guesses = [
        (rolling.center, place + rolling.sphere.radius * n),
        (rolling.body.position, place + rolling.sphere.radius * n),
    ]
    return start(prescribed, t=t, parameters=parameters, guess=guesses)


def _independent(n: np.ndarray, count: int) -> list[int]:
    """Two components of a velocity that, with contact, determine the third: X and Y, or those least along the normal."""
    if count == 2:
        return [0, 1]
    return sorted(np.argsort(np.abs(n))[:2].tolist())


class SurfaceAt(NamedTuple):
    """What a surface is like at a point: f and its gradient, unit normal, and curvature, shape (3, 3)."""

    f: float
    slope: np.ndarray
    normal: np.ndarray
    curvature: np.ndarray


def _on_surface(
    rolling: Rolling, contact: np.ndarray, surface_at: Callable[[np.ndarray], SurfaceAt], guess: float
) -> np.ndarray:
    """The contact point on the surface: Z found by Newton's method, or three coordinates checked."""

    def at(point: np.ndarray) -> tuple[float, np.ndarray]:
        f, slope, _, _ = surface_at(point)
        if not (np.isfinite(f) and np.all(np.isfinite(slope))):
            raise StartError(f"'{rolling.surface.name}' has no finite value or slope at {tuple(point.tolist())}")
        return f, slope

    if len(contact) == 3:
        f, slope = at(contact)
        steep = float(np.linalg.norm(slope))
        if steep == 0.0:
            raise StartError(
                f"the gradient of '{rolling.surface.name}' vanishes at {tuple(contact.tolist())}: it has no normal there"
            )
        distance = abs(f) / steep
        if distance > 1e-9 * max(1.0, float(np.abs(contact).max())):
            raise StartError(
                f"contact {tuple(contact.tolist())} lies {distance:.3g} m off '{rolling.surface.name}'; give (X, Y) and Z "
                "follows"
            )
        return contact - f * slope / steep**2
    point, step = np.array([*contact, guess]), np.inf
    for _ in range(100):
        f, slope = at(point)
        steep = float(np.linalg.norm(slope))
        if steep == 0.0:
            raise StartError(
                f"the gradient of '{rolling.surface.name}' vanishes at {tuple(point.tolist())}: it has no normal there; "
                "give another guess"
            )
        if abs(slope[2]) < 1e-12 * steep:
            raise StartError(
                f"'{rolling.surface.name}' is vertical over ({contact[0]:g}, {contact[1]:g}) near Z = {point[2]:g}; give "
                "three coordinates, or another guess"
            )
        step = f / slope[2]
        point[2] -= step
        if abs(step) <= 4e-16 * max(1.0, abs(point[2])):
            return point
    if abs(step) < 1e-12 * max(1.0, abs(point[2])):
        return point
    raise StartError(
        f"no point of '{rolling.surface.name}' was found over ({contact[0]:g}, {contact[1]:g}) from Z = {guess:g}; give "
        "three coordinates, or guess=Z near one"
    )


def _check_inside(rolling: Rolling, contact: np.ndarray, t: float, parameters: Any) -> None:
    """Contact where the surface is known; a surface that turns out of the vertical says so only in three coordinates."""
    surface, P = rolling.surface, rolling.contact
    inside, area = surface.inside(P), surface.area
    if area is None or (len(contact) == 2 and any(P[2] in leaves(e) for e in surface.local(P)[:2])):
        return
    known = dict(zip(P, [*contact, 0.0], strict=False))
    known.update({time: t, **{p: p.default for p in rolling.parameters}, **(parameters or {})})
    if _value(inside, known) < 0.0:
        X, Y = _value(surface.local(P)[:2], known)
        (x0, y0), (x1, y1) = area
        raise StartError(
            f"contact {tuple(contact.tolist())} lies outside '{surface.name}', at ({X:g}, {Y:g}) in its axes: its data go "
            f"from {x0:g} to {x1:g} in X and from {y0:g} to {y1:g} in Y"
        )


def _check_room(rolling: Rolling, K: np.ndarray, place: np.ndarray) -> None:
    """Single-point contact: no hollow tighter than the body, from the curvature K of the surface."""
    bends = np.real(np.linalg.eigvals(K))
    tightest = bends.min()
    if 1.0 + rolling.sphere.radius * tightest <= 0.0:
        raise StartError(
            f"the radius of '{rolling.sphere.name}', {rolling.sphere.radius:g} m, is larger than the radius of curvature "
            f"of '{rolling.surface.name}' at {tuple(float(x) for x in place)}, {-1.0 / tightest:g} m: it would touch in "
            "more than one point"
        )


def _quaternion(orientation: Any, n: np.ndarray) -> np.ndarray:
    if isinstance(orientation, str):
        if orientation != "x-axis along the normal":
            raise StartError(f"orientation {orientation!r} is not known; there is 'x-axis along the normal'")
        if n[0] <= -1.0 + 1e-12:
            return np.array([0.0, 0.0, 0.0, 1.0])
        return np.array([1 + n[0], 0.0, -n[2], n[1]]) / np.sqrt(2 * (1 + n[0]))  # [UM2022, Table 1, case D]
    values = _numbers(orientation, "orientation", (3, 4))
    if len(values) == 3:
        angle = float(np.linalg.norm(values))
        axis = values / angle if angle else values
        return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    length = float(np.linalg.norm(values))
    if not 0.9 < length < 1.1:
        raise StartError(f"orientation {tuple(values.tolist())} is a quaternion of length {length:g}, not 1")
    return values / length


def _numbers(value: Any, what: str, sizes: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim != 1 or len(array) not in sizes or not np.all(np.isfinite(array)):
        raise StartError(f"{what} = {value!r}: give {' or '.join(map(str, sizes))} finite numbers")
    return array


def _value(e: Any, known: dict[Any, Any]) -> np.ndarray:
    return Evaluator(e, list(known))(np.array(list(known.values()), dtype=float))
