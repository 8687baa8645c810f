"""Starts of bodies that may touch several surfaces: centre, velocity and what is touched, as one would say it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.contact.start import GIVEN, turn_of
from zeromass.contact.traced import PLACE
from zeromass.contact.watched import UPRIGHT
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, expressions, gradient, rate
from zeromass.expression import t as time
from zeromass.model import RigidBody, StartError, State
from zeromass.model.given import Parameters, given_all, given_finite, given_numbers, given_parameters
from zeromass.model.prescription import Prescription, has_formulas, numbers, parameters_in, values_of
from zeromass.model.quaternion import rotation
from zeromass.model.requirement import number_at
from zeromass.model.start import admitted_start, consistent_start
from zeromass.model.state import parameter_values

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts
    from zeromass.contact.pair import Pair

FEET = 50
"""Steps to the point of a surface that is beside a centre."""


class Scales(NamedTuple):
    """Sizes of places, m, and speeds, m/s, that rounding is a part of."""

    extent: float
    speed: float


def scales_at(contacts: Contacts, state: State) -> Scales:
    """Those of a state."""
    sizes = [float(number_at(solid.size, state.parameters)) for solid in contacts.solids]
    places = [state.q[contacts.index(x)] for body in contacts.bodies for x in body.position]
    rates = [state.v[contacts.index(x)] for body in contacts.bodies for x in body.position]
    turns = [state.v[contacts.index(x)] for body in contacts.bodies for x in body.quaternion]
    return Scales(
        max(sizes) + float(np.abs(places).max()), float(np.abs(rates).max() + max(sizes) * np.abs(turns).max())
    )


def placed(
    whole: Contacts,
    words: Mapping[str, Any],
    touching: Iterable[str] | None,
    t: float,
    parameters: Parameters | None,
) -> State:
    """A state of the bodies; see `Contacts.start`."""
    t = given_finite(t, "the start time", StartError)
    if touching is not None:
        several = [touching] if isinstance(touching, str) else touching
        touching = given_all(several, str, "touching", "the name of a contact")
    said = [_of_body(whole, words, k) for k in range(len(whole.bodies))]
    formulas = parameters_in(value for own in said for value in own.values())
    values = given_parameters({} if parameters is None else parameters, "parameters", [*formulas, *whole.parameters])
    own_values = values_of(formulas, values)
    parameters = {p: x for p, x in values.items() if p in whole.parameters or p not in formulas}
    at = {**values_of(whole.parameters, parameters), **own_values}
    by_body = [{word: numbers(value, at) for word, value in own.items()} for own in said]
    places: list[tuple[Any, Any]] = []
    near: list[tuple[Any, Any]] = []
    for body, O, own in zip(whole.bodies, whole.centers, by_body, strict=True):
        u = _quaternion(own["orientation"])
        places += [(O.position, own["center"]), (body.quaternion, u)]
        near += [(body.position, own["center"]), (body.quaternion, u)]
    known = parameter_values(whole, parameters)
    for pair in whole.pairs:
        own = by_body[whole.bodies.index(pair.body)]
        near += _foot(pair, own, {time: t, **known, **_place_of(whole, pair, by_body)})
    rates = [(body.angular_velocity, (0.0, 0.0, 0.0)) for body in whole.bodies]
    rates += [(O.velocity, (0.0, 0.0, 0.0)) for O in whole.centers]
    apart = consistent_start(whole, [*places, *rates], t=t, parameters=parameters, guess=near, admitted=False)
    touched = _touched(whole, apart, touching)
    rolling = [j for j in touched if _rolls(whole, j, touched, by_body)]
    given: list[tuple[Any, Any]] = (
        [] if touching is not None else [(O, x) for O, x in places if O[0] in _centers(whole)]
    )
    given += [(u, x) for u, x in places if u[0] not in _centers(whole)]
    first = np.where(np.abs(apart.q) <= np.finfo(float).eps * np.abs(apart.q).max(), 0.0, apart.q)  # rounding
    near = [(x, float(value)) for x, value in zip(whole.coordinates, first, strict=True)]
    for body, O, own in zip(whole.bodies, whole.centers, by_body, strict=True):
        given.append((O.velocity, own["velocity"]))
        rolls = any(_roller(whole, whole.pairs[j]) is body for j in rolling)
        if own["angular_velocity"] is not None or not rolls:
            ω = own["angular_velocity"]
            given.append((body.angular_velocity, (0.0, 0.0, 0.0) if ω is None else ω))
    if any(not whole.pairs[j].parts for j in touched):
        spins = [(ω, (0.0, 0.0, 0.0)) for ω, _ in rates[: len(whole.bodies)]]
        moving = [(O.velocity, own["velocity"]) for O, own in zip(whole.centers, by_body, strict=True)]
        thrown = consistent_start(
            whole, [*places, *moving, *spins], t=t, parameters=parameters, guess=near, admitted=False
        )
        _above(whole, thrown, [j for j in touched if not whole.pairs[j].parts])
    given += [(whole.pairs[j].gap, 0.0) for j in touched]
    given += [(rate(whole.pairs[j].gap), 0.0) for j in touched if j not in rolling]
    given += [(whole.pairs[j].slip_velocity, (0.0, 0.0, 0.0)) for j in rolling]
    found = consistent_start(whole, given, t=t, parameters=parameters, guess=near, admitted=False)
    q, v = found.q.copy(), found.v.copy()
    for gap in [whole.index(x) for j in touched for x in whole.pairs[j].coordinates]:
        q[gap] = v[gap] = 0.0  # exactly, so that the modes that are selected have nothing to mend
    made_of = _prescription(whole, said, rolling, q, t, formulas, own_values)
    if touched:  # what touches is decided anew with other values
        again, conditions = partial(placed, whole, words, touching, t), _conditions(whole, touched)
        known = conditions if touching is None else ()
        made_of = replace(made_of, again=again, conditions=known) if formulas else None
    state = replace(found, system=whole, q=q, v=v, made_of=made_of, free=())
    admitted_start(state)
    return _above(whole, state, touched)


def placement(
    whole: Contacts, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
) -> dict[Symbol, float]:
    """Mass centres and contacts, with their unknowns, of bodies whose centres and orientations are known roughly."""
    by_body: list[dict[str, Any]] = []
    found: list[tuple[Any, Any]] = []
    for solid, body, O in zip(whole.solids, whole.bodies, whole.centers, strict=True):
        u = np.array([near.get(x, float(i == 0)) for i, x in enumerate(body.quaternion)])
        size = float(np.linalg.norm(u))
        u = u / size if 0.0 < size < np.inf else np.array([1.0, 0.0, 0.0, 0.0])
        arm = rotation(u) @ np.array([number_at(x, parameters) for x in expressions(solid.center_of_mass)])
        center = np.array(
            [near.get(x, near.get(c, 0.0) - a) for x, c, a in zip(O.position, body.position, arm, strict=True)]
        )
        by_body.append({"center": center, "orientation": u})
        found += [(O.position, center), (body.position, center + arm)]
    for pair in whole.pairs:
        own = by_body[whole.bodies.index(pair.body)]
        with contextlib.suppress(StartError):  # a face along a surface: no point of it is the nearest
            found += _foot(pair, own, {time: t, **parameters, **_place_of(whole, pair, by_body)})
    pairs = [zip(np.atleast_1d(keys), np.atleast_1d(values), strict=True) for keys, values in found]
    return {x: float(value) for pair in pairs for x, value in pair}


def inside(whole: Contacts, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
    """Which of some states, see `System.refused`, have a body inside what it may touch, and how deep."""
    sizes = Evaluator(expressions([as_expression(solid.size) for solid in whole.solids]), list(whole.parameters))
    places = [whole.index(x) for body in whole.bodies for x in body.position]
    extent = sizes(parameters).max(axis=1) + np.abs(y[:, places]).max(axis=1)
    found: dict[int, str] = {}
    inputs = np.concatenate([t[:, None], y, parameters], axis=1)
    gaps = Evaluator(expressions([pair.gap for pair in whole.pairs]), list(whole.inputs))(inputs)
    for pair, gap in zip(whole.pairs, gaps.T, strict=True):
        for k in np.flatnonzero(gap < -GIVEN * extent).tolist():
            found.setdefault(k, pair.unilateral.inside.format(depth=-float(gap[k])))
    return found


def _prescription(
    whole: Contacts,
    said: list[dict[str, Any]],
    rolling: Sequence[int],
    q: np.ndarray,
    t: float,
    formulas: tuple[Symbol, ...],
    values: Mapping[Symbol, float],
) -> Prescription:
    """What a start is made of, so that it can be made again with other values while the same contacts touch."""
    pairs: list[tuple[Any, Any]] = [(whole.pairs[j].slip_velocity, (0.0, 0.0, 0.0)) for j in rolling]
    rollers = [_roller(whole, whole.pairs[j]) for j in rolling]
    for body, O, own in zip(whole.bodies, whole.centers, said, strict=True):
        turned, ω = own["orientation"], own["angular_velocity"]
        pairs += [(O.position, own["center"]), (O.velocity, own["velocity"])]
        pairs.append((body.quaternion, turn_of(turned) if has_formulas(turned) else _quaternion(turned)))
        if ω is not None or not any(body is one for one in rollers):
            pairs.append((body.angular_velocity, (0.0, 0.0, 0.0) if ω is None else ω))
    near = [(x, float(value)) for x, value in zip(whole.coordinates, q, strict=True)]
    return Prescription(tuple(pairs), t, tuple(near), formulas, values)


def _conditions(whole: Contacts, touched: Sequence[int]) -> tuple[tuple[Expression, str], ...]:
    """Not negative where the same contacts touch, and neither close nor open; see `scales_at`."""
    sizes = [as_expression(solid.size) for solid in whole.solids]
    places = [x for body in whole.bodies for x in body.position]
    size, place = (np.sum(expressions(some) ** 2) for some in (sizes, places))
    moved, turned = (
        np.sum([np.sum(expressions([rate(x) for x in some]) ** 2) for some in parts])
        for parts in ([body.position for body in whole.bodies], [body.quaternion for body in whole.bodies])
    )
    extent, speed, found = size + place, moved + size * turned, list[tuple[Expression, str]]()
    for j, pair in enumerate(whole.pairs):
        words = f"contact '{pair.name}' {'does not touch' if j in touched else 'touches, or is inside,'} at the start"
        if j in touched:
            found.append((as_expression(GIVEN**2 * extent - pair.gap**2), words))
            words = f"contact '{pair.name}' opens or closes at the start"
            found.append((as_expression(GIVEN**2 * speed - rate(pair.gap) ** 2), words))
        else:
            found.append((as_expression(pair.gap - GIVEN * extent**0.5), words))
    return tuple(found)


def _centers(whole: Contacts) -> set[Any]:
    return {O.position[0] for O in whole.centers}


def _rolls(whole: Contacts, j: int, touched: Sequence[int], by_body: list[dict[str, Any]]) -> bool:
    """Of a contact that touches: whether its body rolls, or is said to turn as it likes.

    On another body rolls what touches no surface.
    """
    pair = whole.pairs[j]
    body = _roller(whole, pair)
    free = by_body[whole.bodies.index(body)]["angular_velocity"] is not None
    if pair.other is not None:
        free = free or any(whole.pairs[i].body is body and whole.pairs[i].other is None for i in touched)
    return not free or pair.friction is None


def _roller(whole: Contacts, pair: Pair) -> RigidBody:
    """The body that rolls on the other: of two that which comes later."""
    return max((body for body, _ in pair.sides), key=whole.bodies.index)


def _of_body(whole: Contacts, words: Mapping[str, Any], k: int) -> dict[str, Any]:
    """What is said of one body."""
    if len(whole.bodies) == 1:
        return dict(words)
    found: dict[str, Any] = {}
    usual = {"velocity": (0.0, 0.0, 0.0), "angular_velocity": None, "orientation": (1.0, 0.0, 0.0, 0.0)}
    name = whole.solids[k].name
    for word, value in words.items():
        if isinstance(value, Mapping):
            strange = [x for x in value if x not in [solid.name for solid in whole.solids]]
            if strange:
                raise StartError(f"{word} is given for '{strange[0]}', and there is no such body")
            if name not in value and word not in usual:
                raise StartError(f"{word} is not given for '{name}'")
            found[word] = value.get(name, usual.get(word))
        elif word == "center":
            raise StartError("of several bodies each has its centre: center={name: (X, Y, Z), …}")
        else:
            found[word] = value
    return found


def _quaternion(orientation: Any) -> np.ndarray:
    u = given_numbers(orientation, "orientation")
    if u.shape == (3,):
        angle = float(np.linalg.norm(u))
        return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * u / (angle or 1.0))])
    if u.shape != (4,) or not abs(np.linalg.norm(u) - 1.0) < 0.1:
        raise StartError(f"orientation = {orientation!r}: give a unit quaternion, or a rotation vector")
    return u / np.linalg.norm(u)


def _place_of(whole: Contacts, pair: Pair, by_body: list[dict[str, Any]]) -> dict[Any, float]:
    """Where the body is whose outside is touched, of a contact between bodies."""
    if pair.other is None:
        return {}
    k = whole.bodies.index(pair.other)
    values = [*_center(by_body[k]), *_quaternion(by_body[k]["orientation"])]
    return dict(zip([*whole.centers[k].position, *pair.other.quaternion], values, strict=True))


def _center(own: Mapping[str, Any]) -> np.ndarray:
    return given_numbers(own["center"], "center", (3,))


def _foot(pair: Pair, own: Mapping[str, Any], known: Mapping[Any, float]) -> list[tuple[Any, Any]]:
    """A first guess of the contact: the point of the surface that is reached from the centre along the gradient.

    known  time, parameters, and the place of the body whose outside the surface is
    """
    surface, P = pair.surface, PLACE
    f = as_expression(surface(P))
    inputs = [*P, *known]
    numbers = Evaluator([f, *gradient(f, P)], inputs)
    x = _center(own)
    for _ in range(FEET):
        value, *slope = numbers(np.array([*x, *known.values()], dtype=float))
        k = np.array(slope)
        if not (np.all(np.isfinite(k)) and k @ k > 0.0):
            break
        step = -value * k / (k @ k)
        x = x + step
        if np.linalg.norm(step) <= 1e-12 * (1.0 + np.linalg.norm(x)):
            break
    _tilted(pair, [*x, *_quaternion(own["orientation"]), *known.values()], [*known])
    found: list[tuple[Any, Any]] = [(pair.point, x)] if pair.parts else []
    if pair.unknowns:
        n = surface.side * np.array(numbers(np.array([*x, *known.values()], dtype=float))[1:])
        parameters = {p: value for p, value in known.items() if p.kind == "parameter"}
        laid = pair.solid.laid(n / np.linalg.norm(n), _quaternion(own["orientation"]), parameters)
        found += list(zip(pair.unknowns, laid.unknowns, strict=True))
    return found


def _tilted(pair: Pair, values: Sequence[float], known: Sequence[Any]) -> None:
    """Raises where a face of a body is along a surface, from the values of foot, quaternion, and what else is known."""
    upright = pair.solid.upright(pair.body, pair.normal)
    if upright is None:
        return
    found = Evaluator(upright, [*pair.point, *pair.body.quaternion, *known])(np.array(values, dtype=float))
    if float(found) <= UPRIGHT:
        raise StartError(
            f"a face of '{pair.solid.name}' is along '{pair.surface.name}', and no single point of it is the nearest; tilt "
            "it a little, such as by orientation=(0.01, 0, 0)"
        )


def _touched(whole: Contacts, apart: State, touching: Iterable[str] | None) -> list[int]:
    """Numbers of the contacts that touch: those that are said to, or whose gap is rounding."""
    if touching is not None:
        return [whole.pairs.index(whole[name]) for name in touching]
    extent = scales_at(whole, apart).extent
    found = []
    for j, pair in enumerate(whole.pairs):
        gap = float(apart[pair.gap])
        if gap < -GIVEN * extent:
            raise StartError(
                f"'{pair.solid.name}' lies {-gap:.3g} m inside '{pair.surface.name}'; give another center, or "
                f'touching=["{pair.name}"] to put it where it touches'
            )
        if gap <= GIVEN * extent:
            found.append(j)
    return found


def _above(whole: Contacts, state: State, touched: list[int]) -> State:
    """The same state; an error where a body is inside a surface, or moves into one that it touches."""
    scales = scales_at(whole, state)
    for j in touched:
        pair = whole.pairs[j]
        leaving = float(state[pair.approach])
        if leaving < -GIVEN * scales.speed:
            raise StartError(
                f"'{pair.solid.name}' touches '{pair.surface.name}' and moves into it with {-leaving:.3g} m/s; give "
                "another velocity, or a center above it"
            )
    return state
