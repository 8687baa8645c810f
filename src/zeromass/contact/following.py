"""What follows where a contact comes or goes, slips or ceases to: the next case of several contacts, and strokes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.contact.braked import at_rest
from zeromass.contact.complementarity import AGREES, Case, Meeting, Mode, decided
from zeromass.contact.flying import RESTS
from zeromass.contact.friction import friction_at, restitution_at
from zeromass.contact.gripping import grips_at
from zeromass.contact.here import Here, here_at, inputs_of
from zeromass.contact.pair import BEGINS, LANDS, LOST, PARTED, RESTED, SLIPS, STOPS
from zeromass.contact.redundant import shares
from zeromass.contact.strokes import AT_ONCE, strokes
from zeromass.equation import solve
from zeromass.equation.solution import clearly_unique
from zeromass.expression import Evaluator, Symbol, expressions, rate
from zeromass.model import Onward, State, System
from zeromass.model.given import given_kind
from zeromass.model.nearest import least_change
from zeromass.model.quaternion import inertial_rates
from zeromass.model.requirement import number_at
from zeromass.model.start import admitted_start, equations_of
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts

TOUCHES = 1e-12
"""Gap, as a part of places and sizes, below which a contact touches, and rate of it, as a part of speeds, below which it
neither approaches nor leaves."""

ALIKE = 4.0
"""Bounces up to so many times as high as one that ends, of the same stroke, end with it."""

SHAKEN = 10.0
"""Speeds of a stroke below which a slip that it leaves dies out with the last bounce."""

CLOSED: tuple[Mode, ...] = ("rolling", "slipping")

REGULAR, ROUNDED = 1e-10, 1e-14
"""Part of their terms that may be left of equations that were solved as they stand, and of the largest of the unknowns."""

STEPS, EXACT = 8, 1e-16
"""Newton's steps onto constraints, and what may be left of them beside places and speeds."""

STOPPED = 10.0 * (1 + 1e-6)
"""Creeps below which a slip has died out, where that was located."""


def drift_at(contacts: Contacts, state: State) -> np.ndarray:
    """Accelerations of the bodies' points against the surfaces if nothing acted between them, (k, 3).

    d(n·w)/dt along the normals, dw/dt along the surfaces, of the flight from this state.
    """
    whole = contacts.whole
    if "drift" not in whole.memory:
        found = []
        for pair in whole.pairs:
            turned = expressions(rate(pair.slip_velocity))
            along = turned - (pair.normal @ turned) * pair.normal
            found += [*(along + rate(pair.approach) * pair.normal)]
        names = [*whole.inputs, *whole.accelerations]
        whole.memory["drift"] = Evaluator(expressions(found), names)
    inputs = inputs_of(whole, state)
    return whole.memory["drift"](np.concatenate([inputs, _flight(whole, inputs)])).reshape(-1, 3)


def _flight(whole: Contacts, inputs: np.ndarray) -> np.ndarray:
    """q̈ of bodies and centres in flight, where nothing acts at the contacts; zero for the other coordinates.

    M q̈ = Q + Aᵀλ,   A q̈ = b         of the rows that hold centres in their bodies, and unit quaternions
    """
    if "flight" not in whole.memory:
        moving = [whole.index(x) for part in (*whole.bodies, *whole.centers) for x in part.coordinates]
        inside = {name for body in whole.bodies for name in body.constraints}
        rows = [i for i, row in enumerate(whole.rows) if row.group in inside or row.group.endswith("mass center")]
        whole.memory["flight"] = moving, rows
    moving, rows = whole.memory["flight"]
    M, Q, A, b, _ = whole.matrices(inputs)
    found = np.zeros(len(Q))
    found[moving] = kinetic_solution(M[np.ix_(moving, moving)], Q[moving], A[np.ix_(rows, moving)], b[rows])
    return found


def kinetic_solution(M: np.ndarray, Q: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with M x = Q + Aᵀλ and A x = b, of least change where M sees nothing.

    Solved as it stands where it is regular, which is quick, else by ranks.
    """
    n, m = len(Q), len(b)
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = M, -A.T, A
    used = np.flatnonzero(np.any(K != 0.0, axis=0))
    right = np.concatenate([Q, b])
    x = np.zeros(n + m)
    try:
        x[used] = np.linalg.solve(K[np.ix_(used, used)], right[used])
    except np.linalg.LinAlgError:
        x[:] = np.nan
    size = np.abs(A) @ np.abs(x[:n]) + np.abs(b)
    rounding = ROUNDED * np.abs(A).sum(axis=1) * np.abs(x[:n]).max(initial=0.0)
    if np.all(np.isfinite(x)) and np.all(np.abs(A @ x[:n] - b) <= REGULAR * np.where(size > 0.0, size, 1.0) + rounding):
        return x[:n]
    return np.asarray(solve(M, Q, A, b).acceleration) if np.any(Q) else least_change(M, A, b)


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


def case_at(
    contacts: Contacts,
    state: State,
    which: Sequence[int],
    excluded: Collection[tuple[int, Mode]] = (),
    still: Collection[int] = (),
) -> tuple[tuple[Mode, ...], np.ndarray]:
    """What each contact is, from those that touch, and the normal accelerations of all, (k,).

    excluded  what contacts, by their numbers, are known not to be
    still     contacts whose slip counts as none
    """
    whole, k = contacts.whole, len(contacts.pairs)
    drift, here = drift_at(contacts, state), here_at(contacts, state)
    modes: list[Mode] = ["open"] * k
    F = np.zeros((k, 3))
    if len(which):
        found = _decided(whole, state, here, drift, which, excluded, still)
        for j, mode, force in zip(which, found.modes, found.F, strict=True):
            modes[j], F[j] = mode, force
    a = drift + (here.metric(range(k)) @ F.ravel()).reshape(k, 3)
    return tuple(modes), np.einsum("ki,ki->k", here.n, a)


def _decided(
    whole: Contacts,
    state: State,
    here: Here,
    drift: np.ndarray,
    which: Sequence[int],
    excluded: Collection[tuple[int, Mode]],
    still: Collection[int],
) -> Case:
    which = list(which)
    along = here.w - here.leaving[:, None] * here.n
    speed = np.linalg.norm(along, axis=1)
    c = float(number_at(whole.creep, state.known))
    slips = speed > STOPPED * c
    slips[list(still)] = False
    s = np.where(slips[:, None], along / np.where(slips, speed, 1.0)[:, None], 0.0)
    μ = frictions(whole, state)
    s[μ == np.inf] = 0.0
    at = Meeting(here.metric(which), here.n[which], s[which], μ[which])
    known: set[tuple[int, Mode]] = {(which.index(j), mode) for j, mode in excluded if j in which}
    return decided(at, drift[which], excluded=known)


def frictions(whole: Contacts, state: State) -> np.ndarray:
    """Coefficients of friction, infinite where there is always enough, shape (k,)."""
    known = state.known
    μ = [np.inf if p.friction is None else float(number_at(p.friction, known)) for p in whole.pairs]
    return np.array(μ)


def coefficients(whole: Contacts, state: State, which: Collection[int]) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of friction and of restitution where some of the contacts strike, shape (k,) each."""
    known, μ, e = state.known, frictions(whole, state), np.zeros(len(whole.pairs))
    for j in which:
        pair = whole.pairs[j]
        μ[j] = np.inf if pair.friction is None else friction_at(pair.friction, known, f"friction of '{pair.name}'")
        e[j] = restitution_at(pair.restitution, known, f" of '{pair.name}'")
    return μ, e


# beginnings and changes ---------------------------------------------------------------------------------------------------
def beginning(contacts: Contacts, state: State) -> System:
    """The case that a motion begins as: of what touches and does not leave, what is decided; else as the state is."""
    whole = contacts.whole
    given_kind(state, State, "the state", "one that contacts.start(…) makes")
    if state.system is not whole:  # a state of a run, perhaps of one that was read from a file
        alike = [x for system in (state.system, whole) for x in system.coordinates]
        known = hasattr(state.system, "whole") and len(alike) == 2 * len(set(alike))
        return state.system if known else contacts
    scales, here = scales_at(contacts, admitted_start(state)), here_at(contacts, state)
    gaps = np.array([state.q[whole.index(pair.gap)] for pair in whole.pairs])
    rest = np.abs(here.leaving) <= TOUCHES * max(scales.speed, np.finfo(float).tiny)
    which = np.flatnonzero((gaps <= TOUCHES * scales.extent) & rest).tolist()
    return case_of(contacts, state, case_at(contacts, state, which)[0]) if which else whole


def following(contacts: Contacts, event: str, state: State) -> Onward | None:
    """How a motion goes on after an event at one of its contacts; None after others."""
    given_kind(event, str, "event", "the name of an event")
    belonging(state, contacts)
    for k, pair in enumerate(contacts.pairs):
        if event == pair.says(LANDS):
            return landed(contacts, state, k)
        if event == pair.says(PARTED):
            return _parted(contacts, state)
        if event in (pair.says(LOST), pair.says(SLIPS), pair.says(STOPS)) or event.startswith(pair.says(BEGINS)):
            return _changed(contacts, state, k, event.removeprefix(f"{pair.name}: "))
    return None


def _changed(contacts: Contacts, state: State, k: int, what: str) -> Onward:
    """The next case where no rate jumps; contacts that are as far as this one to rounding go with it."""
    which = [j for j, mode in enumerate(contacts.modes) if mode != "open"]
    excluded: set[tuple[int, Mode]] = set()
    if what == STOPS and state.held:
        rolling: list[Mode] = ["rolling" if j == k else mode for j, mode in enumerate(contacts.modes)]
        there = at_rest(state, case_of(contacts, state, rolling))
        if there is not None:
            return Onward(there, (), np.empty(0), np.zeros(len(state.v)), 0.0)
    if what in (LOST, SLIPS):
        drift, D = drift_at(contacts, state), here_at(contacts, state).metric(which)
        size = AGREES * float(np.abs(drift[which]).max() / np.abs(D).max())
        for j in which:
            pair, mode = contacts.pairs[j], contacts.modes[j]
            if what == LOST and (j == k or state[pair.normal_force] <= size):
                excluded |= {(j, "rolling"), (j, "slipping")}
            limited = what == SLIPS and mode == "rolling" and pair.friction is not None
            if limited and (j == k or state[pair.lack_of_friction] >= -size):
                excluded.add((j, "rolling"))
    taken = settled(contacts, state, which, case_at(contacts, state, which, excluded)[0], excluded)
    return Onward(taken, (), np.empty(0), np.zeros(len(state.v)), 0.0)


def _parted(contacts: Contacts, state: State) -> Onward:
    """The next case where contacts that shared their forces are not all closed any more: those with a gap are open."""
    gaps = [state.q[contacts.index(pair.gap)] for pair in contacts.pairs]
    sharing = {j for r, parts in contacts.shares for j in (r, *[i for i, _ in parts])}
    closed = [j for j, mode in enumerate(contacts.modes) if mode != "open"]
    which = [j for j in closed if j not in sharing or gaps[j] <= 0.0]
    taken = settled(contacts, state, which, case_at(contacts, state, which)[0], ())
    return Onward(taken, (), np.empty(0), np.zeros(len(state.v)), 0.0)


# strokes ------------------------------------------------------------------------------------------------------------------
def landed(contacts: Contacts, state: State, k: int) -> Onward:
    """The state after a stroke at a contact that lands, and at all others that touch, and the stroke."""
    whole, scales = contacts.whole, scales_at(contacts, state)
    gaps = np.array([state.q[whole.index(pair.gap)] for pair in whole.pairs])
    which = [
        j for j, mode in enumerate(contacts.modes) if mode != "open" or j == k or gaps[j] <= TOUCHES * scales.extent
    ]
    here, (μ, e) = here_at(contacts, state), coefficients(whole, state, which)
    w = here.w.copy()
    closed = [j for j in which if contacts.modes[j] != "open"]
    w[closed] -= here.leaving[closed, None] * here.n[closed]  # rounding
    which = _coupled(here, which, k)
    D = here.metric(which)
    found = strokes(D, here.n[which], w[which], μ[which], e[which], at_once=whole.strokes == AT_ONCE)
    struck = replace(state, v=state.v + _change(contacts, state, here, which, found.impulses))
    after = onto(struck, whole)  # what has no mass follows
    leaves = np.einsum("ki,ki->k", here.n[which], found.velocities)
    still = [j for j, v in zip(which, leaves, strict=True) if v <= TOUCHES * scales.speed]
    still += [j for j, mode in enumerate(contacts.modes) if mode != "open" and j not in which]
    said: list[tuple[str, float]] = []
    shaken = _shaken(contacts, after, max(0.0, *-here.leaving[which]))
    while True:
        modes, a = case_at(contacts, after, sorted(still), still=shaken if said else ())
        heights = {
            j: (v, v**2 / (-2 * a[j])) for j, v in zip(which, leaves, strict=True) if j not in still and a[j] < 0.0
        }
        if not any(height <= RESTS * scales.extent for _, height in heights.values()):
            break
        for j, (v, height) in heights.items():
            if height > ALIKE * RESTS * scales.extent:
                continue
            still.append(j)
            if e[j] < 1.0:  # else bounces do not become shorter
                said.append((whole.pairs[j].says(RESTED), state.t + 2 * v / (-a[j] * (1 - e[j]))))
    away: set[tuple[int, Mode]] = {(j, mode) for j in which if j not in still for mode in CLOSED}
    taken = settled(contacts, after, sorted({*which, *still}), modes, away, shaken if said else ())
    names = [f"{whole.pairs[j].name} {what}" for j in which for what in ("normal", "friction")]
    N = np.einsum("ki,ki->k", here.n[which], found.impulses)
    T = np.linalg.norm(found.impulses - N[:, None] * here.n[which], axis=1)
    kinetic = whole.kinetic
    energy = float(taken[kinetic] - state[kinetic])
    impulses = np.stack([N, T], axis=1).ravel()
    return Onward(taken, tuple(names), impulses, taken.v - state.v, energy, tuple(said))


def _shaken(contacts: Contacts, after: State, speed: float) -> list[int]:
    """Contacts that rolled, and slip after a stroke no faster than ten times the speed of the stroke.

    Where bounces end they roll on: what is left of the stroke is less than can be told.
    """
    here = here_at(contacts, after)
    slip = np.linalg.norm(here.w - here.leaving[:, None] * here.n, axis=1)
    return [j for j, mode in enumerate(contacts.modes) if mode == "rolling" and slip[j] <= SHAKEN * speed]


def _coupled(here: Here, which: Sequence[int], k: int) -> list[int]:
    """Of contacts those that a stroke at one of them reaches, this one first: through bodies that touch, or striking too."""
    bodies = {*here.of[k]}.union(*[here.of[j] for j in which if here.leaving[j] < 0.0])
    for _ in which:
        bodies = bodies.union(*[here.of[j] for j in which if bodies & here.of[j].keys()])
    return sorted((j for j in which if bodies & here.of[j].keys()), key=lambda j: (j != k, j))


def _change(contacts: Contacts, state: State, here: Here, which: Sequence[int], impulses: np.ndarray) -> np.ndarray:
    """Change of the rates of the bodies by impulses at contacts."""
    change = np.zeros(len(state.v))
    for j, p in zip(which, impulses, strict=True):
        for number, sign in here.of[j].items():
            body = contacts.bodies[number]
            u = state[body.quaternion]
            turned = here.inverse[number] @ np.cross(here.point[j] - here.center[number], sign * p)
            change[[contacts.index(x) for x in body.position]] += sign * p / here.m[number]
            change[[contacts.index(x) for x in body.quaternion]] += inertial_rates(u).T @ turned / 2
    return change


def case_of(contacts: Contacts, state: State, modes: Sequence[Mode]) -> Contacts:
    """The case with some modes, with rows that are independent at a state, and a warning where forces are redundant."""
    from zeromass.contact.cases import case

    here, closed = here_at(contacts, state), [j for j, mode in enumerate(modes) if mode != "open"]
    shared = shares(closed, [contacts.pairs[j].name for j in closed], here.metric(closed), here.n[closed])
    axes = np.argmin(np.abs(here.n), axis=1).tolist()
    return case(contacts.whole, tuple(modes), axes, shared, grips_at(here, modes, shared))


def settled(
    contacts: Contacts,
    state: State,
    which: Sequence[int],
    modes: Sequence[Mode],
    excluded: Collection[tuple[int, Mode]],
    still: Collection[int] = (),
) -> State:
    """The state of the case that was decided; decided again where rows that are added take the slip of another contact."""
    taken = state
    for _ in range(max(len(which), 1)):
        taken = carried(contacts, state, modes, [j for j in which if modes[j] == "open"])
        again, _ = case_at(contacts, taken, which, excluded, still)
        if again == tuple(modes) or "slipping" not in modes:
            break
        state, modes = taken, again
    return taken


def carried(contacts: Contacts, state: State, modes: Sequence[Mode], opened: Sequence[int]) -> State:
    """The state of the case with some modes; contacts that open do so by a gap above rounding, so that they can land."""
    found = onto(state, case_of(contacts, state, modes))
    if not opened:
        return found
    return parted(found, [contacts.pairs[j].gap for j in opened], scales_at(contacts, state).extent)


def parted(found: State, opened: Sequence[Symbol], extent: float) -> State:
    """A state with gaps that are open, by a little more than the rounding of places, m, so that they can close."""
    system = found.system
    gaps = [system.index(gap) for gap in opened]
    rounding = 4 * np.finfo(float).eps * extent
    rows, equations = system.told(0), equations_of(system, 0)
    known = [found.t, *found.parameters.values()]
    for aim in (rounding, 2 * rounding, 8 * rounding, 64 * rounding):
        q = found.q.copy()
        for _ in range(2):
            φ = equations.values(np.concatenate([q, known]))
            A = np.concatenate([found.matrices.A[rows], np.eye(len(q))[gaps]])
            missing = np.concatenate([-φ, np.maximum(aim - q[gaps], 0.0)])
            q = q + np.linalg.lstsq(A, missing, rcond=None)[0]
        found = replace(found, q=q)
        if np.all(q[gaps] > 0.0):
            return found
    return found


def onto(state: State, system: Contacts) -> State:
    """The state of another case, on its constraints by the least change in the metric of the kinetic energy.

    As `State.carried_to`, with gaps that are closed and slips that are none made so exactly: what is left of them by a
    step would be rounding of nothing.
    """
    none = {"q": [], "v": []}
    for pair, mode in zip(system.pairs, system.modes, strict=True):
        if mode != "open":
            for level in none.values():
                level.append(system.index(pair.gap))
        if mode == "rolling":
            none["v"] += [system.index(x) for x in pair.slip]
    found = State(system, state.t, state.q.copy(), state.v.copy(), {p: state.parameters[p] for p in system.parameters})
    for level, name in enumerate("qv"):
        rows, equations = system.told(level), equations_of(system, level)
        known = [found.t, *found.parameters.values(), *(found.q if level else ())]
        for _ in range(STEPS):
            x = getattr(found, name).copy()
            x[none[name]] = 0.0
            found = replace(found, **{name: x})
            φ = equations.values(np.concatenate([x, known]))
            if np.abs(φ).max(initial=0.0) <= EXACT * (1.0 + np.abs(x).max()):
                break
            M, _, A, _, _ = system.matrices(found.inputs)
            if clearly_unique(M, A[rows]):
                δ = kinetic_solution(M, np.zeros(len(x)), A[rows], -φ)
            else:  # rows follow from others, and elimination divides by rounding
                δ = least_change(M, A[rows], -φ)
            found = replace(found, **{name: x + δ})
    return found
