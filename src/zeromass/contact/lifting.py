"""Wheels that leave their surface and land on it again: gaps of a vehicle, and strokes at all wheels that touch.

A wheel has three coordinates without mass, its gap g and how far it has slipped along and across, s. What acts on them is
what the surface does: nothing while the wheel is lifted. So the kinetic metric at the wheels,

    D = change of (ġ, ṡ) by impulses on (g, s)         of the vehicle with all its wheels lifted, its joints as they are

is all that strokes, `zeromass.contact.strokes`, and the decision what each wheel does after them,
`zeromass.contact.complementarity`, have to know of the vehicle.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.bouncing import RESTS, TOUCHES
from zeromass.contact.complementarity import AGREES, Meeting, Mode, decided
from zeromass.contact.friction import friction_at, restitution_at
from zeromass.contact.lifting_gaps import ALIKE, kinetic_solution, parted
from zeromass.contact.slow import STOPPED
from zeromass.contact.strokes import strokes
from zeromass.contact.watched import RESTED
from zeromass.expression import Array, Expression, Symbol, rate
from zeromass.frozen import frozen
from zeromass.model import Event, Onward, StartError, State, System
from zeromass.model.given import Number
from zeromass.model.grip import Grip
from zeromass.model.landing import Landing
from zeromass.model.one_sided import CLOSED, sibling, without
from zeromass.model.requirement import number_at

if TYPE_CHECKING:
    from zeromass.model.constraint import Row

SHARED = 1e-6
"""Part of the forces in a vehicle that a wheel which would lift may still seem to carry: rounding."""

NORMAL = np.array([1.0, 0.0, 0.0])
"""Of a wheel in its own axes: away from the surface, along and across."""


@frozen()
class Tread:
    """A wheel that may lift: the gap between it and its surface.

    wheel        its name
    gap, slid    massless coordinates, m: the gap, and how far it has slipped along and across
    pull         the normal force, N
    held         names of the rows that hold only while it touches
    friction_coefficient, restitution, creep, size  of the wheel; None where there is always friction enough
    watched      events while it touches
    """

    wheel: str
    gap: Symbol
    slid: Array
    pull: Expression
    held: tuple[str, ...]
    friction_coefficient: Number | None
    restitution: Number
    creep: Number
    size: Number
    watched: tuple[Event, ...]

    @property
    def name(self) -> str:
        return f"{self.wheel} touching"

    @property
    def at_first(self) -> bool:
        """A system as it is made has its wheels on the ground."""
        return True

    @property
    def rows(self) -> tuple[Row, ...]:
        return ()

    @property
    def friction(self) -> Mapping[Symbol, Any]:
        return {}

    @property
    def coefficients(self) -> tuple[Any, ...]:
        given = (self.friction_coefficient, self.restitution, self.creep, self.size)
        return tuple(x for x in given if x is not None)

    @property
    def touches(self) -> str:
        return self.wheel

    @property
    def landing(self) -> Landing:
        said = (f"{self.wheel}: {RESTED}", *(event.name for event in self.watched))
        return Landing(self.gap, self.slid, self.friction_coefficient, self.restitution, self.creep, self.size, said)

    @property
    def opens(self) -> str:
        return f"{self.wheel} lifts"

    @property
    def closes(self) -> str:
        return f"{self.wheel} lands"

    def told(self, closed: frozenset[str]) -> str:
        """Lifted or rolling; with friction its grip says whether it rolls or slips."""
        if self.name not in closed:
            return f"{self.wheel} lifted"
        return f"{self.wheel} rolling" if self.friction_coefficient is None else ""

    def opening(self, *, alone: bool) -> list[Event]:
        words = "the surface would have to pull the wheel"
        lifts = Event(self.opens, self.pull, direction=-1, guard=True, message=words, detail=self.stays)
        return [lifts, *self.watched]

    def closing(self, *, others: bool) -> list[Event]:
        return [Event(self.closes, self.gap, direction=-1, message="the wheel strikes its surface")]

    def closed_in(self, state: State) -> bool:
        """Whether it touches at a state: of a system in which it does, or where it has no gap and does not rise."""
        if self.name in state.system._closed:
            return True
        size, slow = (CLOSED * max(1.0, float(np.abs(x).max())) for x in (state.q, state.v))
        gap, rises = state[self.gap], state[rate(self.gap)]
        if gap < -size:
            raise StartError(f"'{self.wheel}' is {-gap:.3g} m inside its surface at the start")
        if gap <= size and rises < -slow:
            raise StartError(
                f"the motion of '{self.wheel}' begins with a stroke; begin a little before it, or after it"
            )
        return gap <= size and rises <= slow

    def opened(self, system: System, state: State) -> Onward | None:
        """The motion with it lifted, by a gap above rounding; none where it does not lift, or the motion does not tell."""
        if self.stays(state):
            return None
        found = self._lifted(state)
        return Onward(_parted(found, [self]), (), np.empty(0), np.zeros(len(state.v)), 0.0)

    def stays(self, state: State) -> str:
        """Why it does not lift at a state though it would have to be pulled, in words; none where it does.

        With endless friction, what holds it along its surface may press it against that: without, it would go into it.
        """
        if (shared := load_is_shared(self.pull, state)) or self.friction_coefficient is not None:
            return shared
        a = self._lifted(state).motion.acceleration
        if not a[state.system.index(self.gap)] < -AGREES * float(np.abs(a).max()):
            return ""
        return (
            "it can not leave either: the friction that keeps it from slipping lifts it, endless as it is, and without "
            "that it goes into the surface; give friction=μ, with which it slips before"
        )

    def _lifted(self, state: State) -> State:
        return state.carried_to(sibling(state.system, without(state.system, self.name)))

    def closed_up(self, system: System, state: State) -> Onward:
        """What follows the stroke."""
        return landed(system, state, self)


def load_is_shared(normal_force: Expression, state: State) -> str:
    """That wheels share their load in ways that the motion does not tell, in words, where one of these presses the wheel.

    normal_force  of the wheel, N
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = float(state[normal_force])
    if share <= SHARED * float(np.abs(state.motion.multipliers).max()):
        return ""
    return (
        f"wheels share the load in any way that gives the same motion, and with the smallest multipliers this one "
        f"carries {share:.3g} N; where they are to touch whatever it is, give two_sided=True"
    )


def landed(system: System, state: State, tread: Tread) -> Onward:
    """The state after a stroke at a wheel that lands, and at all others that touch, and the stroke."""
    treads = [side for side in system.one_sided if isinstance(side, Tread)]
    grips = {side.on: side.name for side in system.one_sided if isinstance(side, Grip)}
    extent, speed = _extent(treads, state), float(np.abs(state.v).max())
    which = [one for one in treads if one is tread or one.name in system._closed or state[one.gap] <= TOUCHES * extent]
    others = system._closed - {one.name for one in treads} - {grips.get(one.name, "") for one in treads}
    lifted = sibling(system, others)
    of = np.array([[lifted.index(x) for x in (one.gap, *one.slid)] for one in which])
    response = _response(lifted, state, of.ravel())
    D = response[of.ravel()]
    D = (D + D.T) / 2
    w = state.v[of]
    for j, one in enumerate(which):
        if one.name in system._closed:  # what is left is rounding
            w[j, 0] = 0.0
            w[j, 1:] *= one.friction_coefficient is not None and grips[one.name] not in system._closed
    known = state.known
    μ = np.array([_coefficient(one, known) for one in which])
    e = np.array([restitution_at(one.restitution, known, f" of '{one.name}'") for one in which])
    found = strokes(D, np.tile(NORMAL, (len(which), 1)), w, μ, e)
    v = state.v + response @ found.impulses.ravel()
    after = State(lifted, state.t, state.q, v, {p: state.parameters[p] for p in lifted.parameters})
    creep = np.array([number_at(one.creep, known) for one in which])
    modes, said = _modes(after, D, of, found.velocities, μ, e, creep, TOUCHES * speed, RESTS * extent)
    closed = {one.name for one, mode in zip(which, modes, strict=True) if mode != "open"}
    closed |= {
        grips[one.name] for one, mode in zip(which, modes, strict=True) if mode == "rolling" and one.name in grips
    }
    q, v = state.q.copy(), v.copy()
    for mode, (g, *s) in zip(modes, of.tolist(), strict=True):
        if mode != "open":
            q[g] = v[g] = 0.0
        if mode == "rolling":
            v[s] = 0.0
    taken = replace(after, q=q, v=v).carried_to(sibling(system, others | closed))
    taken = _parted(taken, [one for one, mode in zip(which, modes, strict=True) if mode == "open"])
    names = tuple(f"{one.wheel} {what}" for one in which for what in ("normal", "friction"))
    impulses = np.stack([found.impulses[:, 0], np.linalg.norm(found.impulses[:, 1:], axis=1)], axis=1).ravel()
    energy = float(taken[system.kinetic] - state[system.kinetic])
    told = tuple((f"{which[j].wheel}: {RESTED}", state.t + later) for j, later in said)
    return Onward(taken, names, impulses, taken.v - state.v, energy, told)


def _modes(
    after: State,
    D: np.ndarray,
    of: np.ndarray,
    w: np.ndarray,
    μ: np.ndarray,
    e: np.ndarray,
    creep: np.ndarray,
    slow: float,
    least: float,
) -> tuple[list[Mode], list[tuple[int, float]]]:
    """What each wheel does after a stroke that leaves the velocities w; of bounces that end, by wheels, how long they last.

    slow   speed, m/s, below which a wheel does not leave
    least  height of a bounce, m, below which bounces end
    """
    k, drift = len(of), after.motion.acceleration[of]
    along = w * (1.0 - NORMAL)
    speeds = np.linalg.norm(along, axis=1)
    slips = (speeds > STOPPED * creep) & (μ < np.inf)
    s = np.where(slips[:, None], along / np.where(slips, speeds, 1.0)[:, None], 0.0)
    still = [j for j in range(k) if w[j, 0] <= slow]
    said: list[tuple[int, float]] = []
    while True:
        modes: list[Mode] = ["open"] * k
        F = np.zeros((k, 3))
        if still:
            rows = (3 * np.array(still)[:, None] + np.arange(3)).ravel()
            at = Meeting(D[np.ix_(rows, rows)], np.tile(NORMAL, (len(still), 1)), s[still], μ[still])
            case = decided(at, drift[still])
            for j, mode, force in zip(still, case.modes, case.F, strict=True):
                modes[j], F[j] = mode, force
        a = (drift + (D @ F.ravel()).reshape(k, 3))[:, 0]
        heights = {j: w[j, 0] ** 2 / (-2 * a[j]) for j in range(k) if j not in still and a[j] < 0.0}
        if not any(height <= least for height in heights.values()):
            return modes, said
        for j, height in heights.items():
            if height <= ALIKE * least:
                still.append(j)
                if e[j] < 1.0:
                    said.append((j, float(2 * w[j, 0] / (-a[j] * (1 - e[j])))))


def _response(lifted: System, state: State, columns: np.ndarray) -> np.ndarray:
    """Change of all rates by impulses on some coordinates of a system, (n, columns)."""
    own = State(lifted, state.t, state.q, state.v, {p: state.parameters[p] for p in lifted.parameters})
    M, _, A, _, _ = lifted.matrices(own.inputs)
    found = [kinetic_solution(M, np.eye(len(M))[k], A, np.zeros(len(A))) for k in columns]
    return np.stack(found, axis=1)


def _coefficient(tread: Tread, known: Mapping[Symbol, float]) -> float:
    μ = tread.friction_coefficient
    return np.inf if μ is None else friction_at(μ, known, f"friction of '{tread.name}'")


def _extent(treads: Sequence[Tread], state: State) -> float:
    """Size of wheels and of the places that coordinates tell, m."""
    return max(number_at(one.size, state.known) for one in treads) + float(np.abs(state.q).max())


def _parted(state: State, treads: Sequence[Tread]) -> State:
    """The state with gaps that are open."""
    return parted(state, [one.gap for one in treads], _extent(treads, state)) if treads else state
