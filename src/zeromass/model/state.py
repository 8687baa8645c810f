"""A state of a system: time, positions, rates and parameter values, and everything that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from zeromass.equation import Motion, solve
from zeromass.expression import Evaluator, Expression, Symbol, expressions, jacobian, symbols
from zeromass.model.errors import ModelError
from zeromass.model.remembering import Remembering

if TYPE_CHECKING:
    from zeromass.model.system import System


LOOSE = 1e-9
"""Change of an expression along an undetermined acceleration, as part of its slopes in comparable units, that counts:
well above rounding."""


class Matrices(NamedTuple):
    """Numbers of M q̈ = Q + C + Aᵀλ, A q̈ = b at one or many states.

    >>> x = zm.coordinate("x")
    >>> zm.System(kinetic=zm.rate(x)**2, potential=3 * x).start({x: 1.0}).matrices.Q
    array([-3.])
    """

    M: np.ndarray
    Q: np.ndarray
    A: np.ndarray
    b: np.ndarray
    C: np.ndarray


@dataclass(frozen=True, eq=False)
class State(Remembering):
    """A state; `state[expression]` is the value of any expression, accelerations and reactions included.

    t           time, s
    q, v        positions and rates, in the order of `system.coordinates`
    parameters  the value of each parameter of the system
    free        what the prescriptions and constraints left open when the state was made

    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x)**2 / 2, potential=9.81 * x).start({x: 2.0})
    >>> falling[x**2], falling[zm.acceleration(x)]
    (4.0, -9.81)
    """

    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    parameters: Mapping[Symbol, float] = field(default_factory=dict)
    free: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"State at t = {self.t:g} s"]
        names = [x.name for x in self.system.coordinates]
        width = max(map(len, names))
        lines += [
            f"  {name.ljust(width)}  {q: .9g}   rate {v: .9g}" for name, q, v in zip(names, self.q, self.v, strict=True)
        ]
        if self.free:
            lines.append("  left free: " + ", ".join(self.free))
        return "\n".join(lines)

    @cached_property
    def inputs(self) -> np.ndarray:
        """Numbers in the order of `system.inputs`."""
        values = [self.parameters[p] for p in self.system.parameters]
        return np.concatenate([[self.t], self.q, self.v, values])

    @cached_property
    def matrices(self) -> Matrices:
        """Numbers of M, Q, A, b, C; entries of M and A that are mere round-off are zero."""
        numbers, errors = self._matrices_and_roundoff
        M, A = (np.where(np.abs(x) <= e, 0.0, x) for x, e in ((numbers.M, errors.M), (numbers.A, errors.A)))
        return numbers._replace(M=M, A=A)

    @cached_property
    def motion(self) -> Motion:
        """The acceleration, reactions and verdict of the fundamental equation, by pseudo-inverses."""
        M, Q, A, b, C = self.matrices
        _, errors = self._matrices_and_roundoff

        def motion_for(C: np.ndarray) -> Motion:
            return solve(M, Q, A, b, C, b_error=errors.b, Q_error=errors.Q + errors.C)

        motion = motion_for(C)
        places = list(self.system.nonideal.places)
        if not places or not motion.unique:
            return motion
        D = Evaluator(self.system.nonideal.slopes, self.system.inputs)(self.inputs)
        moved = [motion_for(C + column).acceleration for column in D.T]
        z0 = motion.acceleration[places]
        G = np.stack([a[places] for a in moved], axis=1) - z0[:, None]
        z = np.linalg.solve(np.eye(len(places)) - G, z0)
        return motion_for(C + D @ z)

    @cached_property
    def residuals(self) -> dict[str, float]:
        """What is left of each constraint row at position and velocity level, by name; rounding on a consistent state."""
        names, zeros = self.system.residuals
        return dict(zip(names, zeros(self.inputs).tolist(), strict=True))

    @cached_property
    def _matrices_and_roundoff(self) -> tuple[Matrices, Matrices]:
        return self.system.matrices_and_roundoff(self.inputs)

    @overload
    def __getitem__(self, e: Expression) -> float: ...
    @overload
    def __getitem__(self, e: np.ndarray | Sequence[Any]) -> np.ndarray: ...
    def __getitem__(self, e: Expression | np.ndarray | Sequence[Any]) -> float | np.ndarray:
        """The value of an expression, or of an array of them, accelerations and constraint forces among them."""
        e = expressions(e)
        unsolved = [leaf for leaf in symbols(e) if leaf.order == 2 or leaf.kind == "multiplier"]
        names, values = list(self.system.inputs), self.inputs
        if unsolved:
            self._check_solved(e)
            names += [*self.system.accelerations, *self.system.multipliers]
            values = np.concatenate([values, self.motion.acceleration, self.motion.multipliers])
        result = Evaluator(e, names)(values)
        return result if result.ndim else float(result)

    def carried_to(self, system: System) -> State:
        """The same state of another system of the same coordinates, brought onto its constraints by the least change.

            min δᵀ M δ   with   A δ = −φ      of positions, then of velocities

        A body that meets a constraint loses the velocity that an impulse of the constraint takes:

        >>> p = zm.Particle("p", mass=2.0)
        >>> free, rail = zm.System([p]), zm.System([p], constraints={"rail": p.position[1] - p.position[0]})
        >>> free.start([(p.velocity, (1.0, 0.0, 3.0))]).carried_to(rail).v
        array([0.5, 0.5, 3. ])
        """
        from zeromass.model.carrying import carried_over

        return carried_over(self, system)

    def _check_solved(self, e: np.ndarray) -> None:
        """That expressions of the accelerations do not change along those that the model leaves open."""
        if not np.all(np.isfinite(self.motion.acceleration)):
            raise ModelError(
                f"the motion is {self.motion.verdict.value} at t = {self.t:g} s; system.check(state) says why"
            )
        rank, a = self.motion.rank, self.system.accelerations
        W = rank.right[:, rank.rank :]
        if not W.size:
            return
        # slopes at some other of the possible accelerations: at the shortest one, those of a square would vanish
        sizes = rank.column_scale
        other = sizes * (W @ np.random.default_rng(0).normal(size=W.shape[1]))
        other = self.motion.acceleration + other * max(1.0, float(np.abs(self.motion.acceleration / sizes).max()))
        inputs = [*self.system.inputs, *a, *self.system.multipliers]
        slopes = Evaluator(jacobian(e.ravel(), a), inputs)(
            np.concatenate([self.inputs, other, self.motion.multipliers])
        )
        slopes = slopes * sizes
        change = np.abs(slopes @ W).max(axis=1, initial=0.0)
        open_ = ~(change <= LOOSE * np.abs(slopes).max(axis=1, initial=0.0))
        if open_.any():
            moving = np.abs(slopes[open_.argmax()]) * np.abs(W).max(axis=1)
            raise ModelError(
                f"the acceleration of '{a[np.argmax(moving > LOOSE * moving.max())].name}' is not determined by the "
                "model; system.check(state) says what is missing"
            )


def parameter_values(system: System, given: Mapping[Any, float] | None) -> dict[Symbol, float]:
    """The value of every parameter of a system: as given, or its default."""
    given = dict(given or {})
    for key in given:
        if key not in system.parameters:
            known = ", ".join(p.name for p in system.parameters) or "none"
            raise ModelError(f"'{key!r}' is no parameter of the system; its parameters are: {known}")
    result = {p: float(given.get(p, np.nan if p.default is None else p.default)) for p in system.parameters}
    for p, value in result.items():
        if not np.isfinite(value):
            raise ModelError(f"parameter '{p.name}' is {value}")
    return result
