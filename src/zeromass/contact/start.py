"""Starts of rolling bodies: contact, velocity, spin and orientation as one would say them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.height import VERTICAL, heights
from zeromass.contact.penetration import POINTS
from zeromass.contact.roller import Roller
from zeromass.contact.watched import UPRIGHT
from zeromass.errors import shown
from zeromass.expression import Evaluator, Symbol, expressions
from zeromass.expression import symbols as leaves
from zeromass.expression import t as time
from zeromass.model import StartError, State
from zeromass.model.given import Number, Parameters, given_finite, given_parameters, length
from zeromass.model.prescription import Prescription, has_formulas, numbers, parameters_in, values_of
from zeromass.model.quaternion import rotation
from zeromass.model.requirement import number_at
from zeromass.model.state import parameter_values
from zeromass.model.unilateral import beginning

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

Orientation = Sequence[Number] | np.ndarray | Literal["x-axis along the normal"]
"""A quaternion, a rotation vector, or words."""

UNTURNED = (1.0, 0.0, 0.0, 0.0)

GIVEN = 1e-9
"""Part of its size by which what was given may be off, as numbers that were typed or read from a table are: a contact point
off the surface, as part of the larger of place and radius; a velocity off the tangent plane, as part of the speeds."""

PLACEMENTS = 20
"""Steps to a first guess of a contact at most: Newton's steps onto a surface, and steps to a centre that is given."""

UNIT = 0.1
"""How far a quaternion's length may be off 1 for it to be meant as a rotation; it is made 1 then."""

FLAT = 1e-15
"""Clearance that is zero but for rounding."""

OPPOSITE = 1e-12
"""1 + n_x below which the normal points along −x, and the turn that takes x onto it is no longer the shortest one's."""


def rolling_start(
    rolling: Rolling,
    start: Callable[..., State],
    *,
    contact: ArrayLike | Sequence[Number],
    velocity: ArrayLike | Sequence[Number] = (0.0, 0.0),
    spin: Number | None = None,
    orientation: Orientation = UNTURNED,
    touching: ArrayLike | None = None,
    relative: bool = False,
    t: float = 0.0,
    parameters: Parameters | None = None,
    guess: Number = 0.0,
) -> State:
    """A state that rolls, from what one would say of it; see `Rolling.start`."""
    t = given_finite(t, "the start time", StartError)
    formulas = Formulas(contact, velocity, spin, orientation, guess)
    symbols = [*formulas.parameters, *rolling.parameters]
    values = given_parameters({} if parameters is None else parameters, "parameters", symbols)
    contact, velocity, turning, orientation, height = formulas.numbers(rolling.parameters, values)
    own_values = values_of(formulas.parameters, values)
    parameters = {p: x for p, x in values.items() if p not in formulas.alone(rolling.parameters)}
    contact = _numbers(contact, "contact", (2, 3))
    velocity = _numbers(velocity, "velocity", (2, 3))
    turning = None if turning is None else given_finite(turning, "spin", StartError)
    height = given_finite(height, "guess", StartError)
    _check_inside(rolling, contact, t, parameters)
    given = {time: t, **{p: p.default for p in rolling.parameters}, **parameters}
    parameter_values(rolling, parameters)  # are they possible?
    size = number_at(rolling.solid.size, given)

    def at(point: np.ndarray) -> SurfaceAt:
        return rolling.surface_at(point, [given[s] for s in (time, *rolling.parameters)])

    place = _on_surface(rolling, contact, at, height, size)
    prescribed: list[tuple[Any, Any]] = list(zip(rolling.contact, place, strict=True))
    known = {**dict(zip(rolling.contact, place, strict=True)), **given}
    _, _, n, K = at(place)
    if not np.all(np.isfinite(n)):
        raise StartError(
            f"the normal of '{rolling.surface.name}' is not defined at {tuple(place.tolist())}: its gradient vanishes"
        )
    if touching is not None:
        if formulas.orientation is not UNTURNED:
            raise StartError("a start is given by touching=, the point of the body that touches, or by orientation=")
        orientation = _laid_on(rolling.solid, _numbers(touching, "touching", (3,)), n, given)
    u = quaternion_of(orientation, n)
    laid = rolling.solid.laid(n, u, {p: given[p] for p in rolling.parameters})
    moving = rolling.center_particle.velocity
    if relative:
        moving = moving - rolling.surface.velocity(rolling.contact)
    if len(velocity) == 3:
        surface = np.zeros(3) if relative else _value(rolling.surface.velocity(rolling.contact), known)
        off = float(laid.still @ (velocity - surface))
        if abs(off) > GIVEN * (float(np.linalg.norm(velocity)) + float(np.linalg.norm(surface))):
            raise StartError(
                f"velocity {tuple(velocity.tolist())} contradicts contact: it has a part {off:.3g} m/s along "
                f"{laid.way} against the surface; give two components and the third follows"
            )
    axes = _independent(laid.still, len(velocity))
    prescribed += [(moving[i], velocity[i]) for i in axes]
    again: list[tuple[Any, Any]] = list(zip(rolling.contact, formulas.contact, strict=False))  # Z follows, or is given
    again += [(moving[i], formulas.velocity[i]) for i in axes]
    again += beginning(rolling.unilaterals, {})
    if any(row.group == "no spin" for row in rolling.rows):
        if turning:
            raise StartError(f"spin = {turning:g}, but the model has no_spin=True; leave it out")
    else:
        own = rolling.spin - (rolling.normal @ rolling.surface.angular_velocity if relative else 0.0)
        prescribed.append((own, 0.0 if turning is None else float(turning)))
        again.append((own, 0.0 if formulas.spin is None else formulas.spin))
    prescribed += list(zip(rolling.body.quaternion, u, strict=True))
    if isinstance(orientation, str):
        again += [(e - f, 0.0) for e, f in zip(rolling.body.quaternion, _upright(rolling.normal), strict=True)]
    else:
        turned = turn_of(formulas.orientation) if touching is None and has_formulas(formulas.orientation) else u
        again += list(zip(rolling.body.quaternion, turned, strict=True))
    center, unknowns = place + laid.lever, list(zip(rolling.unknowns, laid.unknowns, strict=True))
    _check_room(rolling, {**known, **dict(zip(rolling.body.quaternion, u, strict=True)), **dict(unknowns)}, K, place)
    guesses = [(rolling.center, center), (rolling.body.position, center), *unknowns]
    state = start(prescribed, t=t, parameters=parameters, guess=guesses)
    near = [(x, float(value)) for x, value in zip(rolling.coordinates, state.q, strict=True)]
    return replace(state, made_of=Prescription(tuple(again), t, tuple(near), formulas.parameters, own_values))


class Formulas:
    """What was given for a start, as numbers or as formulas of parameters."""

    contact: Any
    velocity: Any
    spin: Any
    orientation: Any
    guess: Any

    def __init__(self, contact: Any, velocity: Any, spin: Any, orientation: Any, guess: Any) -> None:
        self.contact, self.velocity, self.spin = contact, velocity, spin
        self.orientation, self.guess = orientation, guess
        self.parameters: tuple[Symbol, ...] = parameters_in([contact, velocity, spin, orientation, guess])

    def numbers(self, known: Sequence[Symbol], given: Mapping[Any, float]) -> tuple[Any, Any, Any, Any, Any]:
        """The numbers of all of them at values of the parameters."""
        values = values_of({*known, *self.parameters}, given)
        contact, velocity, spin, orientation, guess = (
            numbers(x, values) for x in (self.contact, self.velocity, self.spin, self.orientation, self.guess)
        )
        return contact, velocity, spin, orientation, guess

    def alone(self, known: Sequence[Symbol]) -> set[Symbol]:
        """Parameters that only the start has."""
        return {*self.parameters} - {*known}


def _independent(n: np.ndarray, count: int) -> list[int]:
    """Two components of a velocity that, with contact, determine the third: X and Y, or those least along what has none."""
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
    rolling: Rolling, contact: np.ndarray, surface_at: Callable[[np.ndarray], SurfaceAt], guess: float, radius: float
) -> np.ndarray:
    """The contact point on the surface: Z found over (X, Y), or three coordinates checked."""
    name = rolling.surface.name

    def at(point: np.ndarray, remedy: str = "") -> tuple[float, np.ndarray, float]:
        f, slope, _, _ = surface_at(point)
        if not (np.isfinite(f) and np.all(np.isfinite(slope))):
            raise StartError(f"'{name}' has no finite value or slope at {tuple(point.tolist())}")
        steep = float(np.linalg.norm(slope))
        if steep == 0.0:
            raise StartError(
                f"the gradient of '{name}' vanishes at {tuple(point.tolist())}: it has no normal there{remedy}"
            )
        return f, slope, steep

    if len(contact) == 3:
        f, slope, steep = at(contact)
        distance = abs(f) / steep
        if distance > GIVEN * max(radius, float(np.abs(contact).max())):
            raise StartError(
                f"contact {tuple(contact.tolist())} lies {distance:.3g} m off '{name}'; give (X, Y) and Z follows"
            )
        return contact - f * slope / steep**2

    def values(points: np.ndarray) -> np.ndarray:
        return np.array([[here.f, *here.slope] for here in map(surface_at, points)])

    x, y = contact
    z, last = (float(a[0]) for a in heights(values, contact[:1], contact[1:], guess, size=radius))
    if np.isfinite(z):
        return np.array([x, y, z])
    _, slope, steep = at(np.array([x, y, last]), "; give another guess")
    if abs(slope[2]) < VERTICAL * steep:
        raise StartError(
            f"'{name}' is vertical over ({x:g}, {y:g}) near Z = {last:g}; give three coordinates, or another guess"
        )
    raise StartError(
        f"no point of '{name}' was found over ({x:g}, {y:g}) from Z = {guess:g}; give three coordinates, or guess=Z near "
        "one"
    )


def _check_inside(rolling: Rolling, contact: np.ndarray, t: float, parameters: Mapping[Any, float]) -> None:
    """Contact where the surface is known; a surface that turns out of the vertical says so only in three coordinates."""
    surface, P = rolling.surface, rolling.contact
    inside, area = surface.inside(P), surface.area
    if area is None or (len(contact) == 2 and any(P[2] in leaves(e) for e in surface.local(P)[:2])):
        return
    known = dict(zip(P, [*contact, 0.0], strict=False))
    known.update({time: t, **{p: p.default for p in rolling.parameters}, **parameters})
    if _value(inside, known) < 0.0:
        X, Y = _value(surface.local(P)[:2], known)
        (x0, y0), (x1, y1) = area
        raise StartError(
            f"contact {tuple(contact.tolist())} lies outside '{surface.name}', at ({X:g}, {Y:g}) in its axes: its data go "
            f"from {x0:g} to {x1:g} in X and from {y0:g} to {y1:g} in Y"
        )


def _check_room(rolling: Rolling, known: dict[Any, Any], K: np.ndarray, place: np.ndarray) -> None:
    """Single-point contact: no hollow tighter than the body, from the curvature K of the surface, and no face on it."""
    solid, name, at = rolling.solid, rolling.surface.name, tuple(float(x) for x in place)
    upright = solid.upright(rolling.body, rolling.normal)
    if upright is not None and _value(upright, known) <= UPRIGHT:
        raise StartError(
            f"'{solid.name}' lies on a face on '{name}' at {at}: it touches in more than one point; tilt it"
        )
    tilted = solid.tilted(rolling.body, rolling.normal)
    if tilted is not None and abs(_value(tilted, known)) <= UPRIGHT:
        raise StartError(f"'{solid.name}' lies on its side on '{name}' at {at}: it touches in a line; tilt it")
    if isinstance(solid, SphericalBody):
        radius, bend = number_at(solid.radius, known), np.real(np.linalg.eigvals(K)).min()
        if 1.0 + radius * bend <= 0.0:
            raise StartError(
                f"the radius of '{solid.name}', {radius:g} m, is larger than the radius of curvature of '{name}' at {at}, "
                f"{-1.0 / bend:g} m: it would touch in more than one point"
            )
    elif abs(clearance := _value(rolling.clearance, known)) <= FLAT:
        raise StartError(
            f"'{solid.name}' is flat where it would touch '{name}' at {at}: its contact point has no finite rate there; "
            "tilt it a little"
        )
    elif not clearance > 0.0:
        raise StartError(f"'{solid.name}' is not as round as '{name}' at {at}: it would touch in more than one point")


def _laid_on(solid: Roller, point: np.ndarray, n: np.ndarray, given: Mapping[Any, float]) -> np.ndarray:
    """The quaternion of the shortest turn that lays a body on a surface of normal n with one of its points."""
    known = {p: x for p, x in given.items() if isinstance(p, Symbol) and p.kind == "parameter"}
    outward = solid.normal_at(point, known)
    if 1.0 - outward @ n <= OPPOSITE:  # half a turn, about any axis across
        axis = np.cross(outward, np.eye(3)[np.argmin(np.abs(outward))])
        return np.array([0.0, *(axis / np.linalg.norm(axis))])
    u = np.array([1.0 - outward @ n, *np.cross(outward, -n)])
    return u / np.linalg.norm(u)


def placement(
    rolling: Rolling, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
) -> dict[Symbol, float]:
    """Contact, centre, mass centre and unknowns of a body that lies on its surface near coordinates that are known roughly.

    The contact is moved until what is known of contact, centre or mass centre is met: it is projected onto the surface, and
    the lever follows from the support of the body against the normal there. Empty where there is no such place.
    """
    solid, P, O, C = rolling.solid, rolling.contact, rolling.center, rolling.body.position
    u = np.array([near.get(x, float(i == 0)) for i, x in enumerate(rolling.body.quaternion)])
    size = float(np.linalg.norm(u))
    if not np.isfinite(size) or size == 0.0:
        return {}
    u, others = u / size, [t, *[parameters[p] for p in rolling.parameters]]
    com = rotation(u) @ np.array([number_at(x, parameters) for x in expressions(solid.center_of_mass)])
    wanted = [np.array([near.get(x, np.nan) for x in place]) for place in (P, O, C)]
    reach = float(number_at(solid.size, parameters))

    def at(point: np.ndarray) -> SurfaceAt:
        with np.errstate(all="ignore"):
            return rolling.surface_at(point, others)

    place = np.zeros(3)
    for there in reversed(wanted):
        place = np.where(np.isfinite(there), there, place)
    known = [np.isfinite(there) for there in wanted]
    over = bool(np.all(known[0][:2]) or (np.all(np.any(known, axis=0)[:2]) and not np.any(known, axis=0)[2]))
    lever = unknowns = np.zeros(3)
    for _ in range(PLACEMENTS):
        place = _projected(at, place, over, reach)
        _, _, n, _ = at(place)
        if not (np.all(np.isfinite(place)) and np.all(np.isfinite(n))):
            return {}
        laid = solid.laid(n, u, {p: parameters[p] for p in rolling.parameters})
        lever, unknowns = laid.lever, laid.unknowns
        if not (np.all(np.isfinite(lever)) and np.all(np.isfinite(unknowns))):
            return {}
        off = np.zeros(3)
        for there, arm in zip(wanted, (np.zeros(3), lever, lever + com), strict=True):
            off = np.where(np.isfinite(there) & (off == 0.0), there - place - arm, off)
        if np.linalg.norm(off) <= GIVEN * reach:
            break
        place = place + off
    found = [(P, place), (O, place + lever), (C, place + lever + com), (rolling.unknowns, unknowns)]
    return {x: float(value) for keys, values in found for x, value in zip(keys, values, strict=True)}


def _projected(at: Callable[[np.ndarray], SurfaceAt], place: np.ndarray, over: bool, size: float) -> np.ndarray:
    """The point of a surface over the X and Y of a place, else one that is reached along the gradient.

    Where the search along Z does not succeed from the place itself, a point is preferred that bears a body from below.
    """

    def values(points: np.ndarray) -> np.ndarray:
        return np.array([[here.f, *here.slope] for here in map(at, points)])

    if over:
        guesses = place[2] + size * np.array([0.0, 1.0, -1.0])
        x, y = (np.full(3, place[i]) for i in range(2))
        with np.errstate(all="ignore"):
            z = heights(values, x, y, guesses, size=size).z
        found = [np.array([place[0], place[1], float(height)]) for height in z if np.isfinite(height)]
        bearing = found if np.isfinite(z[0]) else [point for point in found if at(point).normal[2] > 0.0] or found
        return bearing[0] if found else place
    for _ in range(PLACEMENTS):
        f, slope, _, _ = at(place)
        steep = float(slope @ slope)
        if not (np.isfinite(f) and np.isfinite(steep) and steep > 0.0):
            return place
        step = f * slope / steep
        place = place - step
        if np.linalg.norm(step) <= GIVEN * size:
            break
    return place


def outside_surface(rolling: Rolling, state: State) -> State:
    """The same state, or an error where the body lies inside the surface, away from its contact."""
    outside = rolling.outside
    if outside.flat:
        return state
    parameters = np.array([state.parameters[p] for p in rolling.parameters])
    found = outside.deepest(np.array([state.t]), outside.poses(state.q[None, outside.columns]), parameters, POINTS)
    if found is not None:
        contact, place = (", ".join(f"{x:.4g}" for x in point) for point in (state[rolling.contact], found.place))
        raise StartError(
            f"'{rolling.solid.name}' touches '{rolling.surface.name}' at ({contact}) m and lies {found.depth:.3g} m inside "
            f"it at ({place}) m; start at another place, or with a {outside.measure} less than "
            f"{float(outside.size(parameters)):g} m"
        )
    return state


def quaternion_of(orientation: Any, n: np.ndarray | None = None) -> np.ndarray:
    """The unit quaternion of one, of a rotation vector, or of words, which a body has that touches a surface of normal n."""
    if isinstance(orientation, str) and n is not None:
        if orientation != "x-axis along the normal":
            raise StartError(f"orientation {orientation!r} is not known; there is 'x-axis along the normal'")
        if 1.0 + n[0] <= OPPOSITE:
            return np.array([0.0, 0.0, 0.0, 1.0])
        return _upright(n)
    values = _numbers(orientation, "orientation", (3, 4))
    if len(values) == 3:
        angle = float(np.linalg.norm(values))
        axis = values / angle if angle else values
        return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    size = float(np.linalg.norm(values))
    if abs(size - 1.0) >= UNIT:
        raise StartError(f"orientation {tuple(values.tolist())} is a quaternion of length {size:g}, not 1")
    return values / size


def turn_of(orientation: Any) -> np.ndarray:
    """The unit quaternion of a quaternion or a rotation vector that are formulas."""
    given = expressions(orientation)
    if len(given) == 4:
        return given / length(given)
    angle = np.sqrt(given @ given + np.finfo(float).tiny)  # sin(angle/2)/angle is ½ where there is no turn
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) / angle * given)])


def _upright(n: np.ndarray) -> np.ndarray:
    """The turn that takes x onto the normal [UM2022, Table 1, case D]."""
    return np.array([1 + n[0], 0.0, -n[2], n[1]]) / np.sqrt(2 * (1 + n[0]))


def _numbers(value: Any, what: str, sizes: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.ndim != 1 or len(array) not in sizes or not np.all(np.isfinite(array)):
        raise StartError(f"{what} = {shown(value)}: give {' or '.join(map(str, sizes))} finite numbers")
    return array


def _value(e: Any, known: dict[Any, Any]) -> np.ndarray:
    return Evaluator(e, list(known))(np.array(list(known.values()), dtype=float))
