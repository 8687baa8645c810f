"""The stroke of a body at several points at once: Coulomb friction, and Poisson's restitution at each of them.

The impulses p of the contacts grow together, as in Routh's method for one point, `contact.reference_impacts.one_point`:

    dw = D dF,   dF = (n − μ s) dp where a point slips along s, or with the friction that keeps it from slipping

Compression   all contacts that approach take the same dp, those that neither approach nor leave as much as keeps them so,
              and those that leave none, until none approaches; p_c is what each has taken
Restitution   each takes e p_c more, all in the same time
Again         if any approaches now, as in a wedge that throws a ball from side to side

The energy changes by F·(w + w′)/2 with the velocities w before and w′ after. Restitution ends early where it would have come
back to what it was: with several contacts and friction, or different e, impulses of Poisson's kind can ask for more.

Friction can press contacts against one another so that they approach however much they push, or give energy. Such a stroke
is `Unlawful`, and `contact.reference_impacts.strokes` says what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from contact.reference_impacts.balance import Meeting, balance
from contact.reference_impacts.complementarity import AGREES, Case, decided
from contact.reference_impacts.one_point import Strokes
from zeromass.equation import numerical_rank
from zeromass.errors import ZeromassError

STOPPED = 1e-12
"""Part of the speeds of a stroke below which a slip has died out."""

NEAR = 1e-12
"""Part of the speeds of a stroke below which a contact neither approaches nor leaves."""

EXACT = 1e-13
"""Relative tolerance of what is integrated, where a slip turns."""

LONGEST, HELD = 200.0, 1e-6
"""Length of an integration, in the variable in which slips die out exponentially, and the part of the speeds below which a
slip that is there after it counts as none."""

MOST = 5000
"""Evaluations of an integration at most: where friction grows without bounds, steps become ever shorter."""

TINY = np.finfo(float).tiny

ROUNDS = 60
"""Compressions and restitutions at most; the last ones are without restitution."""

ROUNDED = 1e-12
"""Part of the energies of a stroke by which a compression may seem to give some."""

PIECES = 400
"""Parts of a compression or restitution, between changes of what slips and sticks, at most."""


class Unlawful(ZeromassError, ValueError):
    """Impulses that grow together do not end the stroke, or only with energy or friction that there is not."""


def together(D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray, e: np.ndarray) -> Strokes:
    """The stroke of several points, or one, at once; arguments as of `strokes`. Raises `Unlawful`.

    Computed in axes of each contact with its normal as the third.
    """
    axes = np.concatenate([_tangents(n), n[:, None]], axis=1)  # (k, 3, 3)
    k = len(n)
    turned = np.einsum("kab,kblc,ldc->kald", axes, D.reshape(k, 3, k, 3), axes).reshape(3 * k, 3 * k)
    third = np.tile([0.0, 0.0, 1.0], (k, 1))
    try:
        found = _Struck(turned, third, np.einsum("kab,kb->ka", axes, w), μ).after(e)
    except np.linalg.LinAlgError:
        raise Unlawful("the friction of a stroke grows without bounds") from None
    return Strokes(*[np.einsum("kab,ka->kb", axes, x) for x in found])


def _tangents(n: np.ndarray) -> np.ndarray:
    """Two unit vectors across each normal, (k, 2, 3)."""
    first = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
    first = first / np.linalg.norm(first, axis=1)[:, None]
    return np.stack([first, np.cross(n, first)], axis=1)


class _Struck:
    """A stroke on its way: velocities w and impulses P so far, (k, 3) each."""

    def __init__(self, D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray) -> None:
        self.D, self.n, self.μ, self.before = D, n, μ, w.copy()
        self.w, self.P = w.copy(), np.zeros_like(w)
        self.speed = float(np.abs(w).max())

    def after(self, e: np.ndarray) -> Strokes:
        """The whole stroke."""
        for round_ in range(ROUNDS):
            if not np.any(self.normal < -NEAR * self.speed):
                break
            begun = self.P.copy()
            self.grow(np.zeros(len(e)))
            p = e * np.einsum("ki,ki->k", self.n, self.P - begun)
            if round_ < ROUNDS - 10 and np.any(p > 0.0):
                self.grow(p)
        held = self.before + (self.D @ self.P.ravel()).reshape(self.w.shape)  # slips that are held count
        return Strokes(self.P, held)

    @property
    def normal(self) -> np.ndarray:
        """Normal velocities, (k,)."""
        return np.einsum("ki,ki->k", self.n, self.w)

    def slips(self, w: np.ndarray) -> np.ndarray:
        """Directions of slip, zero where it has died out, (k, 3)."""
        along = w - np.einsum("ki,ki->k", w, self.n)[:, None] * self.n
        size = np.linalg.norm(along, axis=1)
        moving = size > STOPPED * self.speed
        return np.where(moving[:, None], along / np.where(moving, size, 1.0)[:, None], 0.0)

    @property
    def gained(self) -> float:
        """Energy since the beginning, J."""
        return float(np.sum(self.P * (self.before + self.w)) / 2)

    def grow(self, back: np.ndarray) -> None:
        """Compression, or restitution by impulses `back`."""
        left = 1.0
        restores = bool(np.any(back > 0.0))
        for _ in range(PIECES):
            normal = self.normal
            strikes = back > 0.0 if restores else normal < -NEAR * self.speed
            if not np.any(strikes) or left <= 0.0:
                return
            near = strikes | (np.abs(normal) <= NEAR * self.speed)
            which = np.flatnonzero(near)
            given = [float(back[k] if restores else 1.0) if strikes[k] else None for k in which]
            case, at = self._case(which, given)
            if case.misses > AGREES:
                raise Unlawful("the contacts of a stroke can neither slip nor roll nor leave")
            if self._seized(which[[mode == "rolling" for mode in case.modes]]):
                continue
            by, ended = self._advance(which, given, case, at, left if restores else np.inf, restores)
            if not restores and self.gained > ROUNDED * self.speed**2 / np.abs(self.D).max():
                raise Unlawful("a stroke would give energy while its contacts approach")
            left -= by if restores else 0.0
            if ended:
                return

    def _seized(self, pressed: np.ndarray) -> bool:
        """Takes the slip at once of contacts that are pressed where there is always friction enough, if there is any."""
        which = pressed[self.μ[pressed] == np.inf]
        slips = [k for k in which if np.any(self.slips(self.w)[k])]
        if not slips:
            return False
        rows = np.array([3 * k + i for k in which for i in range(2)])
        F = np.zeros(self.D.shape[0])
        F[rows] = numerical_rank(self.D[np.ix_(rows, rows)]).inverse @ -self.w.ravel()[rows]
        w = self.w + (self.D @ F).reshape(self.w.shape)
        self._to(w, self.P + F.reshape(self.P.shape), which.tolist())
        return True

    def _case(self, which: np.ndarray, given: list[float | None]) -> tuple[Case, Meeting]:
        """How the impulses of some contacts grow."""
        at = self._meeting(which, self.slips(self.w)[which])
        return decided(at, np.zeros((len(which), 3)), given=given), at

    def _meeting(self, which: np.ndarray, s: np.ndarray) -> Meeting:
        rows = (3 * which[:, None] + np.arange(3)).ravel()
        return Meeting(self.D[np.ix_(rows, rows)], self.n[which], s, self.μ[which])

    def _rates(self, which: np.ndarray, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of all impulses and velocities, from those of the impulses of some."""
        whole = np.zeros_like(self.w)
        whole[which] = F
        return whole, (self.D @ whole.ravel()).reshape(self.w.shape)

    def _advance(
        self, which: np.ndarray, given: list[float | None], case: Case, at: Meeting, left: float, restores: bool
    ) -> tuple[float, bool]:
        """Goes on until something changes; by how much, and whether that was the end."""
        F, dw = self._rates(which, case.F)
        s = self.slips(self.w)
        along = dw - np.einsum("ki,ki->k", dw, self.n)[:, None] * self.n
        pushed = [k for j, k in enumerate(which) if case.modes[j] == "slipping" and np.any(at.s[j])]
        rough = [k for k in pushed if self.μ[k] > 0.0]
        turning = [k for k in rough if np.linalg.norm(np.cross(s[k], along[k])) > STOPPED * np.linalg.norm(dw[k])]
        if turning:
            return self._turned(which, given, case, left, restores)
        speeds = np.einsum("ki,ki->k", s, self.w)
        brakes = np.einsum("ki,ki->k", s, along)
        falls, normal = np.einsum("ki,ki->k", self.n, dw), self.normal
        steps = [left]
        for k in range(len(self.w)):
            if k in pushed and brakes[k] < 0.0:
                steps.append(-speeds[k] / brakes[k])
            strikes = k in which and given[list(which).index(k)] is not None
            if not restores and strikes and falls[k] > 0.0:
                steps.append(-normal[k] / falls[k])
            if not strikes and normal[k] > NEAR * self.speed and falls[k] < 0.0:
                steps.append(-normal[k] / falls[k])
        stops = {k: -speeds[k] / brakes[k] for k in pushed if brakes[k] < 0.0}
        by = float(min(steps))
        if not np.isfinite(by):
            raise Unlawful("a stroke does not end: its contacts approach whatever their impulses are")
        by, full = self._within(F, dw, by) if restores else (by, False)
        self._to(self.w + by * dw, self.P + by * F, [k for k, step in stops.items() if step <= by])
        return by, full or (restores and by >= left)

    def _within(self, F: np.ndarray, dw: np.ndarray, by: float) -> tuple[float, bool]:
        """As far as the energy does not come back to what it was, and whether that is the end.

        E(x) = (P + x F)·(w₀ + w + x w′)/2
        """
        a, b = float(np.sum(F * dw)) / 2, float(np.sum(F * (self.before + self.w)) + np.sum(self.P * dw)) / 2
        if self.gained + by * b + by**2 * a <= 0.0:
            return by, False
        low, high = 0.0, by
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if self.gained + middle * b + middle**2 * a <= 0.0 else (low, middle)
        return low, True

    def _to(self, w: np.ndarray, P: np.ndarray, stopped: Sequence[int] = ()) -> None:
        """Velocities and impulses, those velocities that are rounding made zero.

        stopped  contacts whose slip has died out
        """
        normal = np.einsum("ki,ki->k", self.n, w)
        rest = np.abs(normal) <= NEAR * self.speed
        along = w - normal[:, None] * self.n
        along = np.where((np.linalg.norm(along, axis=1) <= STOPPED * self.speed)[:, None], 0.0, along)
        along[list(stopped)] = 0.0
        self.w, self.P = along + np.where(rest, 0.0, normal)[:, None] * self.n, P

    def _turned(
        self, which: np.ndarray, given: list[float | None], case: Case, left: float, restores: bool
    ) -> tuple[float, bool]:
        """The same where slips turn: integrated, with steps in proportion to the smallest slip, which is regular there."""
        from scipy.integrate import solve_ivp  # few strokes are oblique to what they turn

        k = len(self.w)
        slow = [int(which[j]) for j, mode in enumerate(case.modes) if mode == "slipping"]
        moving = [i for i in slow if np.any(self.slips(self.w)[i])]
        struck = [int(i) for i, N in zip(which, given, strict=True) if N is not None]
        rows = (3 * which[:, None] + np.arange(3)).ravel()
        at = self._meeting(which, case.s.copy())
        change, places = self.D[:, rows], [list(which).index(i) for i in moving]
        forces = balance(at, case.modes, at.s, given)

        def slip(w: np.ndarray, i: int) -> float:
            return float(np.hypot(w[i, 0], w[i, 1]))

        asked = count(1)

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            if next(asked) > MOST:
                raise Unlawful("the friction of a stroke grows without bounds")
            w = y[: 3 * k].reshape(k, 3)
            sizes = [max(slip(w, i), TINY) for i in moving]
            for j, i, size in zip(places, moving, sizes, strict=True):
                at.s[j, :2] = w[i, :2] / size
            F = forces(at.s)
            found = np.zeros(6 * k + 1)
            found[: 3 * k] = change @ F.ravel()
            found[3 * k + rows] = F.ravel()
            found[-1] = 1.0
            return min(sizes) * found

        def event(function: Callable[[np.ndarray], float], direction: float) -> Callable[[float, np.ndarray], float]:
            found = lambda _, y: function(y)  # noqa: E731
            found.terminal, found.direction = True, direction  # type: ignore[attr-defined]
            return found

        def normal(i: int) -> Callable[[np.ndarray], float]:
            return lambda y: float(self.n[i] @ y[3 * i : 3 * i + 3])

        small = STOPPED * self.speed
        events = [event(lambda y, i=i: slip(y[: 3 * k].reshape(k, 3), i) - small, -1.0) for i in moving]
        if restores:
            events.append(event(lambda y: y[-1] - left, 1.0))
            events.append(event(self._energy_of, 1.0))
        else:
            events += [event(normal(i), 1.0) for i in struck]
        events += [event(normal(i), -1.0) for i in range(k) if i not in struck and self.normal[i] > NEAR * self.speed]
        size = float(np.abs(self.D).max())
        pace = max(given_ for given_ in given if given_ is not None)
        start = np.concatenate([self.w.ravel(), self.P.ravel(), [0.0]])
        scale = np.concatenate(
            [np.full(3 * k, self.speed), np.full(3 * k, self.speed / size), [self.speed / size / pace]]
        )
        done = solve_ivp(
            slope, (0.0, LONGEST / size / pace), start, method="DOP853", rtol=EXACT, atol=EXACT * scale, events=events
        )
        if not done.success:
            raise Unlawful("the friction of a stroke grows without bounds")
        y = done.y[:, -1]
        stopped = [i for i, found in zip(moving, done.t_events, strict=False) if len(found)]
        if not any(len(found) for found in done.t_events):  # a slip that neither dies out nor grows is held there
            w = y[: 3 * k].reshape(k, 3)
            stopped = [i for i in moving if slip(w, i) <= HELD * self.speed]
        self._to(y[: 3 * k].reshape(k, 3), y[3 * k : 6 * k].reshape(k, 3), stopped)
        ended = restores and bool(len(done.t_events[len(moving)]) or len(done.t_events[len(moving) + 1]))
        return float(y[-1]), ended

    def _energy_of(self, y: np.ndarray) -> float:
        """Energy since the beginning, at velocities and impulses of an integration."""
        k = 3 * len(self.w)
        return float(np.sum(y[k : 2 * k] * (self.before.ravel() + y[:k])) / 2)
