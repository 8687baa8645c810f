"""The contacts of bodies along a run: the friction that they need, and where what carries them would have to pull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zeromass.analysis.extrema import bounds, maximum
from zeromass.analysis.steep import NONE
from zeromass.analysis.stepwise import Approximation, approximation
from zeromass.integrate import Course, Ending, Segment
from zeromass.integrate.course import Sampled
from zeromass.integrate.search import maxima, zeros
from zeromass.model import ContactPoint, ModelError
from zeromass.model.collisions import Colliders

SAMPLES = 4
"""Parts of a step at whose ends a normal force is looked at first."""


@dataclass(frozen=True)
class ContactHistory:
    """A contact along a run, at the times of its steps; see `Run.contacts`.

    mode            "open", "closed" (without friction), "sticks" or "slips"
    normal_force    N, N
    friction_force  inertial components, N, (times, 3)
    force           of both together, N, (times, 3)
    point           where bodies touch, or would, m, (times, 3); NaN where contacts of `zm.Collisions` are open
    """

    mode: np.ndarray
    normal_force: np.ndarray
    friction_force: np.ndarray
    force: np.ndarray
    point: np.ndarray


def histories(run: Course) -> dict[str, ContactHistory]:
    """What happens at each contact of a run, by its name."""
    if run.system.colliders is not None:
        return _of_shapes(run, run.system.colliders)
    found: dict[str, ContactHistory] = {}
    for contact in run.system.contacts:
        modes = [np.full(len(segment.t), segment.contact_mode(contact.name)) for segment in run.segments]
        N, T, n, place = (run[e] for e in (contact.normal_force, contact.friction_force, contact.normal, contact.point))
        found[contact.name] = ContactHistory(np.concatenate(modes), N, T, N[:, None] * n + T, place)
    return found


def _of_shapes(run: Course, colliders: Colliders) -> dict[str, ContactHistory]:
    """What happens where shapes touch, of all pairs that ever do.

    Where a pair touches at several points their forces are added, and the point is the mean with these as weights.
    """
    found: dict[str, ContactHistory] = {}
    count = sum(len(segment.t) for segment in run.segments)
    place = 0
    for segment in run.segments:
        times = slice(place, place + len(segment.t))
        place = times.stop
        contacts = None if segment.piece is None else segment.piece.contacts
        read = segment.steps.touching
        if contacts is None or read is None:
            continue
        pairs = [(int(row[0]), int(row[1])) for row in contacts.closed]
        for pair, mode in contacts.modes.items():
            name = colliders.name(*pair)
            if name not in found:
                vector = np.zeros((3, count, 3))
                vector[2] = np.nan
                found[name] = ContactHistory(np.full(count, "open", dtype="<U6"), np.zeros(count), *vector)
            one = found[name]
            own = read[1][:, [k for k, other in enumerate(pairs) if other == pair]]
            point, normal, force = own[..., :3], own[..., 3:6], own[..., 6:]
            N = np.einsum("tki,tki->tk", normal, force)
            total = np.maximum(N, 0.0) + np.finfo(float).tiny
            one.mode[times], one.normal_force[times], one.force[times] = mode, N.sum(axis=1), force.sum(axis=1)
            one.friction_force[times] = (force - N[..., None] * normal).sum(axis=1)
            one.point[times] = np.einsum("tk,tki->ti", total / total.sum(axis=1, keepdims=True), point)
    return found


@dataclass(frozen=True)
class RequiredFriction:
    """Required coefficient of friction: the largest |F_t|/F_n of a run, and its time, s.

    Where the surface has to pull, no coefficient is enough: the value is infinite, at the time when the pull begins.

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3))
    >>> run = zm.simulate(ball, ball.start(contact=(0, 0)), until=1.0)
    >>> round(run.required_friction().value, 6)
    0.088382
    """

    value: float
    time: float

    def __str__(self) -> str:
        if np.isinf(self.value):
            return f"no friction is enough: the surface has to pull at t = {self.time:.6g} s"
        return f"μ = {self.value:.6g}, needed at t = {self.time:.6g} s"


@dataclass(frozen=True)
class Interval:
    """Time interval of a run, s.

    >>> from zeromass.analysis import Interval
    >>> Interval(begin=0.5, end=0.75)
    Interval(begin=0.5, end=0.75)
    """

    begin: float
    end: float


def required_friction(run: Course) -> RequiredFriction:
    """The largest friction ratio of a run, between its steps too; of several contacts that which needs most.

    A ball that rolls down an incline needs 2/7 of its slope:

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3))
    >>> run = zm.simulate(ball, ball.start(contact=(0, 0)), until=1.0)
    >>> bool(np.isclose(run.required_friction().value, 2 / 7 * np.tan(0.3)))
    True
    """
    parts = [(part, _approximation(part)) for part in _in_contact(run)]
    pulling = tuple(
        interval
        for part, found in parts
        if _may_pull(part, found)
        for interval in _pulls(part, part.at(_between(part.t)))
    )
    lost = [segment.t[-1] for segment in run.segments if _lost(segment)]
    flies = len({len(segment.system.contacts) for segment in run.segments}) > 1  # to leave needs no friction
    if pulling or (lost and not flies):
        return RequiredFriction(float("inf"), min(interval.begin for interval in pulling) if pulling else min(lost))
    needed = [
        RequiredFriction(*maximum(part, contact.friction_ratio, found and found.of(2 * k + 1)))
        for part, found in parts
        for k, contact in enumerate(part.system.contacts)
        if _touches(part.segments[0], contact)
    ]
    return max(needed, key=lambda friction: friction.value, default=RequiredFriction(0.0, float(run.t[0])))


def _approximation(part: Course) -> Approximation | None:
    """Normal force and friction ratio of each contact, one after the other."""
    contacts = part.system.contacts
    return approximation(part, [e for contact in contacts for e in (contact.normal_force, contact.friction_ratio)])


def _may_pull(part: Course, found: Approximation | None) -> bool:
    """Whether a normal force may be negative, as far as an approximation tells."""
    if found is None:
        return True
    zero = np.zeros(found.nodes.shape[2])
    forces = [-found.of(2 * k).nodes for k in range(len(part.system.contacts))]
    return any((bounds(force, NONE.kinds, zero, found.off) >= 0).any() for force in forces)


def _lost(segment: Segment) -> bool:
    """Whether a segment ends where a contact is lost, and another kind of motion goes on, or none."""
    if segment.outcome.ending is not Ending.EVENT:
        return False
    lost = {contact.lost for contact in segment.system.contacts}
    return any(event.name in lost for event in segment.events)


def _in_contact(run: Course) -> list[Course]:
    """A run as far as there is contact: as a whole, or its segments without those in flight.

    By segments too where contacts come and go one by one.
    """
    if not any(segment.system.contacts for segment in run.segments):
        raise ModelError("friction and pull belong to a contact, and the run's system has none, as zm.Rolling has")
    touching = [tuple(one.name for one in s.system.contacts if _touches(s, one)) for s in run.segments]
    if all(touching) and len({*touching}) == 1:
        return [run]
    return [Course((segment,)) for segment, names in zip(run.segments, touching, strict=True) if names]


def _touches(segment: Segment, contact: ContactPoint) -> bool:
    """Whether a contact is closed: where it is open no force acts, and no friction is needed."""
    return segment.contact_mode(contact.name) != "open"


def pulling_intervals(run: Course) -> tuple[Interval, ...]:
    """The parts of a run in which the normal force of a contact is negative, in order of time, contact by contact.

    Their ends are zeros of the normal force on the dense output. Visits to the other sign between two samples are looked
    for where they allow for one, as in `maximum`.

    A ball that rolls down a sphere would leave it at 10/17 of its height:

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True)
    >>> run = zm.simulate(ball, ball.start(contact=(0.3, 0.0), guess=1.0), until=1.5)
    >>> (span,) = run.pulling()
    >>> heights = run.at([0.0, span.begin])[ball.center[2]]
    >>> bool(np.isclose(heights[1] / heights[0], 10 / 17))
    True
    """
    parts = [part for part in _in_contact(run) if _may_pull(part, _approximation(part))]
    return tuple(interval for part in parts for interval in _pulls(part, part.at(_between(part.t))))


def _pulls(part: Course, sampled: Sampled) -> tuple[Interval, ...]:
    opening = {one.forces[0] for one in part.system.unilaterals if one.opens}  # these never pull
    pressed = [contact for contact in part.system.contacts if contact.normal_force not in opening]
    return tuple(interval for contact in pressed for interval in _pulling(part, contact, sampled))


def _pulling(run: Course, contact: ContactPoint, sampled: Sampled) -> tuple[Interval, ...]:
    t, force = sampled.t, sampled[contact.normal_force]
    if any(event.name == contact.lost and event.t == run.t[-1] for event in run.events):
        force[-1] = 0.0  # the run was cut there, up to rounding
    t, force = _ordered(t, force)

    def normal(at: np.ndarray) -> np.ndarray:
        return run.at(at)[contact.normal_force]

    for sign in (1.0, -1.0):
        hidden = np.flatnonzero((sign * force < 0) & (sign * force + _reach(sign * force) > 0))
        times, values = maxima(lambda at, sign=sign: sign * normal(at), *_around(t, hidden))
        t, places = np.unique(np.append(t, times), return_index=True)
        force = np.append(force, sign * values)[places]
    negative = force < 0
    changes = np.flatnonzero(negative[1:] != negative[:-1])
    crossings = zeros(normal, t[changes], t[changes + 1], force[changes], force[changes + 1])
    ends = [*([t[0]] if negative[0] else []), *crossings, *([t[-1]] if negative[-1] else [])]
    return tuple(Interval(float(a), float(b)) for a, b in zip(ends[::2], ends[1::2], strict=True))


def _between(t: np.ndarray) -> np.ndarray:
    """The ends of steps, and `SAMPLES` − 1 times inside each of them."""
    inside = t[:-1, None] + np.diff(t)[:, None] * np.arange(SAMPLES) / SAMPLES
    return np.append(inside.ravel(), t[-1])


def _ordered(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Samples in order of time, for runs backwards too."""
    return (t, values) if t[-1] >= t[0] else (t[::-1], values[::-1])


def _reach(values: np.ndarray) -> np.ndarray:
    """How far a function may rise above each local maximum of its samples: the larger drop to its neighbours.

    Elsewhere −∞: the rise is counted at the neighbour.
    """
    padded = np.concatenate([values[1:2], values, values[-2:-1]])
    drops = values - padded[:-2], values - padded[2:]
    return np.where(np.minimum(*drops) >= 0, np.maximum(*drops), -np.inf)


def _around(t: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of some samples."""
    return t[np.maximum(candidates - 1, 0)], t[np.minimum(candidates + 1, len(t) - 1)]
