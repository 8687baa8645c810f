"""A state of a system: time, positions, rates and parameter values, and everything that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from zeromass.equation import Motion, Verdict, solve
from zeromass.equation.arrays import single_thread
from zeromass.equation.massless import in_massless_units
from zeromass.equation.solution import clearly_unique
from zeromass.errors import ModelError, quoted, shown
from zeromass.expression import Evaluator, Expression, Symbol, expressions, jacobian, symbols
from zeromass.expression import t as time
from zeromass.expression.derivative import partials
from zeromass.expression.evaluate import Tape
from zeromass.expression.leaves import namesake
from zeromass.expression.node import ordered
from zeromass.expression.pieces import switches
from zeromass.frozen import frozen
from zeromass.lazy import later
from zeromass.model.by_expression import ByExpression
from zeromass.model.collisions import without_collisions
from zeromass.model.given import by_parameter, given_mapping, given_real
from zeromass.model.interface import Interface
from zeromass.model.naming import meant
from zeromass.model.remembering import Remembering
from zeromass.model.requirement import possible
from zeromass.model.shared import undetermined_groups, warn_of_shared
from zeromass.model.unilateral import hidden_parameters

if TYPE_CHECKING:
    from zeromass.model.prescription import Prescription
    from zeromass.model.system import System

ROUNDING = 4 * np.finfo(float).eps
"""Part of its magnitude by which a value may be wrong: ½ ε from the operations, and the rest for what it is made of,
a state that solves its equations to a few units of rounding."""


class Magnitude:
    """Sum of the sizes of all that an expression is computed from, each times its effect on the value.

        |f| of a leaf, and |f| + Σ |∂f/∂a| magnitude(a) of an operation f on operands a

    Half a unit of round-off in each leaf and each operation disturbs the value by at most ½ ε magnitude. It does not
    vanish with the value: for x² − 1 at x = 1 it is 5. `Magnitude(functions, inputs)(values)` takes the values of the
    inputs, shape (n,), and returns one number for each function, shape (m,). Where inputs are less exact than their
    own rounding, `sizes`, shape (n,), says of what size they count.
    """

    def __init__(self, functions: Any, inputs: Sequence[Expression] | np.ndarray) -> None:
        functions = expressions(functions)
        effects = {node: partials(node) if node.args else () for node in ordered(functions.ravel())}
        self._tape = Tape([*effects, *[slope for slopes in effects.values() for slope in slopes]], inputs)
        place = self._tape.place
        self._operations = [
            (place[node], [(place[slope], place[a]) for slope, a in zip(slopes, node.args, strict=True)])
            for node, slopes in effects.items()
            if slopes
        ]
        self._inputs = [(place[x], j) for j, x in enumerate(inputs) if x in place]
        self._outputs = [place[f] for f in functions.ravel()]

    def __call__(self, values: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        return self.with_values(values, sizes)[1]

    def with_values(self, values: np.ndarray, sizes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The values of the functions, and their magnitudes."""
        tape = np.fromiter(self._tape(values), dtype=float)
        numbers = np.abs(tape).tolist()
        result = numbers.copy()
        if sizes is not None:
            for i, j in self._inputs:
                result[i] = float(sizes[j])
        for i, operands in self._operations:
            for slope, operand in operands:
                # what is not chosen has no effect, and perhaps no value; what is exactly 0 has none on √0 either
                if numbers[slope] and result[operand]:
                    result[i] += numbers[slope] * result[operand]
        return tape[self._outputs], np.array([result[i] for i in self._outputs])


MANY = 150
"""Coordinates from which it is looked whether a verdict is clear before a motion is solved for."""

SQUARED = 1e-140
"""Smallest slope of a constraint, and inverse of the largest, whose square float64 holds with room for masses."""

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


@frozen()
class State(Interface, Remembering, ByExpression):
    """State (t, q, q̇); `state[expression]` is the value of any expression, also of accelerations and reactions.

    t           time, s
    q, v        positions and rates, in the order of `system.coordinates`
    parameters  the value of each parameter of the system
    free        coordinates and rates that neither constraints nor prescribed values determined
    turns       of a state in a run: references of angles that continue over the cut of arctan2
    sliding     of a state in a run: the switches of its sliding mode, such as dry friction at rest
    beyond      of a state in a run at a mode change, as at an impact: the state after it
    made_of     the prescribed values, from which the state can be made with other values of the parameters

    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x)**2 / 2, potential=9.81 * x).start({x: 2.0})
    >>> falling[x**2], falling[zm.acceleration(x)]
    (4.0, -9.81)
    """

    _interface = (
        "t", "q", "v", "parameters", "system", "matrices", "motion", "verdict", "residuals", "free", "after_event",
    )  # fmt: skip

    _how = "state[x] is the value of an expression x"
    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    parameters: Mapping[Symbol, float] = field(default_factory=dict)
    free: tuple[str, ...] = ()
    turns: Mapping[Symbol, float] = field(default_factory=dict)
    sliding: str = ""
    beyond: State | None = field(default=None, repr=False)
    made_of: Prescription | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "made_of": None, "beyond": None}

    def __repr__(self) -> str:
        lines = [f"State at t = {self.t:g} s"]
        names = self.system.names
        width = max(map(len, names))
        lines += [
            f"  {name.ljust(width)}  {q: .9g}   rate {v: .9g}" for name, q, v in zip(names, self.q, self.v, strict=True)
        ]
        if self.free:
            lines.append("  left free: " + ", ".join(self.free))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from zeromass.model.cards import state_card

        return state_card(self)

    @property
    def known(self) -> dict[Symbol, float]:
        """Time and parameters, which coefficients may depend on."""
        return {time: self.t, **self.parameters}

    @cached_property
    def inputs(self) -> np.ndarray:
        """Numbers in the order of `system.inputs`."""
        values = [self.parameters[p] for p in self.system.parameters]
        return np.concatenate([[self.t], self.q, self.v, values])

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What later stages have derived from this state, for when they come by it again; no part of its value."""
        return {}

    @cached_property
    def matrices(self) -> Matrices:
        """Numbers of M, Q, A, b, C; entries of M and A that are mere round-off are zero."""
        numbers, errors = self._matrices_and_roundoff
        M, A = (
            np.where((np.abs(x) <= e) & np.isfinite(e), 0.0, x)
            for x, e in ((numbers.M, errors.M), (numbers.A, errors.A))
        )
        return numbers._replace(M=M, A=A)

    @property
    def overflowing(self) -> str:
        """The forces and constraints that are too large or too small to be computed with, in words; empty where none is."""
        _, errors = self._matrices_and_roundoff
        names = [f"force on {self.system.names[j]}" for j in np.flatnonzero(~np.isfinite(errors.Q + errors.C))]
        names += [f"constraint '{self.system.rows[i].name}'" for i in np.flatnonzero(~np.isfinite(errors.b))]
        if names:
            return f"the {', the '.join(names)} has terms too large to be added; use other units, or smaller numbers"
        return self._unsquared

    @property
    def _unsquared(self) -> str:
        """The first constraint whose slopes a, or masses m/a² beside them, have no squares in float64, in words."""
        M, _, A, _, _ = self.matrices
        if not A.size:
            return ""
        slopes, mass, massless = np.abs(A).max(axis=1), np.abs(M).max(initial=0.0), not np.diag(M).all()
        slopes[slopes == 0] = 1.0
        with np.errstate(all="ignore"):
            beside = np.sqrt(mass) / slopes if mass else np.ones(len(slopes))
        bad = np.flatnonzero(~(_squared(slopes) & _squared(beside)))
        if bad.size:
            row, slope = self.system.rows[bad[0]], slopes[bad[0]]
            return (
                f"the constraint '{row.name}' changes by {slope:.0e} with its coordinates, and the square of that is no "
                f"number beside masses of {mass:.0e}: multiply it by {10.0 ** -np.round(np.log10(slope)):.0e}, or use other "
                "units"
            )
        if massless and mass and not _squared(np.array(mass)):
            return f"masses of {mass:.0e} stand beside none at all, and their square is no number: use other units"
        return ""

    @cached_property
    def motion(self) -> Motion:
        """The acceleration, reactions and verdict of the fundamental equation, by pseudo-inverses."""
        if self.overflowing:
            raise ModelError(f"there is no motion at t = {self.t:g} s: {self.overflowing}")
        if self.system.nonideal.switched:
            return self._on_pieces.motion
        M, Q, A, b, C = self.matrices
        _, errors = self._matrices_and_roundoff

        def motion_for(C: np.ndarray) -> Motion:
            with single_thread:
                found = solve(M, Q, A, b, C, b_error=errors.b, Q_error=errors.Q + errors.C)
                return found if found.unique else in_massless_units(found, errors.Q + errors.C, errors.b)

        motion = motion_for(C)
        places = list(self.system.nonideal.places)
        if not places or not motion.unique:
            return motion
        D = Evaluator(self.system.nonideal.slopes, self.system.inputs)(self.inputs)
        moved = [_unknowns(motion_for(C + column)) for column in D.T]
        z0 = _unknowns(motion)[places]
        G = np.stack([z[places] for z in moved], axis=1) - z0[:, None]
        z = np.linalg.solve(np.eye(len(places)) - G, z0)
        return motion_for(C + D @ z)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the motion is unique, as `motion` says; of many coordinates it is often clear sooner."""
        plain = not (self.system.nonideal.places or self.system.nonideal.switched)
        if plain and len(self.q) >= MANY and not self.overflowing and clearly_unique(self.matrices.M, self.matrices.A):
            return Verdict.UNIQUE
        return self.motion.verdict

    @cached_property
    def _on_pieces(self) -> State:
        """The state on the pieces that it lies on, of a system whose constraint forces have kinks in themselves."""
        assert self.system.pieces is not None
        return self.system.pieces.here(self)

    @cached_property
    def residuals(self) -> dict[str, float]:
        """Residual of each constraint row at position and velocity level, by name; rounding on a consistent state."""
        names, zeros = self.system.residuals
        return dict(zip(names, zeros(self.inputs).tolist(), strict=True))

    @cached_property
    def _matrices_and_roundoff(self) -> tuple[Matrices, Matrices]:
        return self.system.matrices_and_roundoff(self.inputs)

    @overload
    def __getitem__(self, e: Expression) -> float: ...
    @overload
    def __getitem__(self, e: str) -> Any: ...
    @overload
    def __getitem__(self, e: np.ndarray | Sequence[Any]) -> np.ndarray: ...
    def __getitem__(self, e: Expression | str | np.ndarray | Sequence[Any]) -> float | np.ndarray:
        """The value of an expression, or of an array of them, accelerations and constraint forces among them.

        A name may stand for an expression: "theta", "rate(theta)", "bob.position", "pin.angle".
        """
        e = expressions(meant(self.system, e))
        unsolved = [leaf for leaf in symbols(e) if leaf.order == 2 or leaf.kind == "multiplier"]
        names, values = list(self.system.inputs), self.inputs
        if self.sliding and (unsolved or switches(e.ravel())):
            raise ModelError(
                f"at t = {self.t:g} s the motion slides along {self.sliding}, and a state alone does not tell what holds it "
                "there; ask the run, run.at(t)[…]"
            )
        if unsolved:
            without_collisions(self.system, "accelerations and forces of a state", "ask the run, run.at(t)[…]")
        if self.system.unilaterals and (unsolved or not self._hidden.isdisjoint(symbols(e))):
            return later("zeromass.integrate.hybrid.initial_value", "initial_value")(self, e)
        if unsolved:
            names += [*self.system.accelerations, *self.system.multipliers]
            values = np.concatenate([values, *self._solution(e)])
        result = Evaluator(e, names)(values)
        return result if result.ndim else float(result)

    @property
    def _hidden(self) -> set[Symbol]:
        """Modes and forces of unilateral constraints, which follow from the motion that begins at the state."""
        return set(hidden_parameters(self.system.unilaterals))

    def _solution(self, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers, which expressions ask for."""
        if self.system.large:
            found = later("zeromass.compile.rolled.program", "solution_at")(self, e)
            if found is not None:
                return found
        self._check_solved(e)
        if any(leaf.kind == "multiplier" for leaf in symbols(e)) and len(self.motion.redundant):
            known = np.concatenate([self.inputs, self.motion.acceleration, self.motion.multipliers])
            groups = undetermined_groups(self.system, self.matrices.A, e, known)
            if groups:
                warn_of_shared(groups)
        return self.motion.acceleration, self.motion.multipliers

    def again(self, values: Mapping[Any, float]) -> State:
        """The start made again with other values, {parameter, its name, or what was prescribed: number}.

        >>> x, y, height = *zm.coordinates("x y"), zm.parameter("height", 0.6)
        >>> rod = zm.System(kinetic=zm.rate(x)**2 + zm.rate(y)**2, constraints={"rod": x**2 + y**2 - 1})
        >>> start = rod.start({y: height, zm.rate(x): 0.0}, guess={x: 1.0})
        >>> round(start.again({height: 0.8})[x], 9), start.again({"height": 0.6, zm.rate(x): 2.0})[zm.rate(x)]
        (0.6, 2.0)
        """
        from zeromass.model.prescription import made_again

        return made_again(self, values)

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

    @property
    def after_event(self) -> State:
        """The state with which the motion goes on after the event that this one is at; itself, at none.

        A ball at the moment at which it strikes the floor is about to rebound:

        >>> ball = zm.Particle("ball", mass=1.0)
        >>> floor = zm.Sliding(ball, on=zm.surfaces.plane(), gravity=10.0, restitution=0.5)
        >>> run = zm.simulate(floor, floor.start(position=(0.0, 0.0, 5.0)), until=1.5)
        >>> struck = run.state(run.changes[0])
        >>> round(struck[ball.velocity[2]], 9), round(struck.after_event[ball.velocity[2]], 9)
        (-10.0, 5.0)
        """
        return self if self.beyond is None else self.beyond

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


def _squared(sizes: np.ndarray) -> np.ndarray:
    """Whether the squares of numbers are numbers."""
    return (sizes >= SQUARED) & (sizes <= 1 / SQUARED)


def _unknowns(motion: Motion) -> np.ndarray:
    """Accelerations and multipliers."""
    return np.concatenate([motion.acceleration, motion.multipliers])


def belonging(state: Any, system: System) -> State:
    """A state of a system; anything else is refused."""
    if not isinstance(state, State):
        raise ModelError(f"{shown(state)} is no state; make one with system.start(…)")
    if state.system is not system and not _fits(state, system):
        raise ModelError("the state belongs to another system; make it with system.start(…)")
    return state


def _fits(state: State, system: System) -> bool:
    """Whether a state has the coordinates and parameters of a system, by their names: a file makes symbols of its own."""
    coordinates = [[x.name for x in one.coordinates] for one in (state.system, system)]
    return coordinates[0] == coordinates[1] and {p.name for p in system.parameters} <= {
        p.name for p in state.parameters
    }


def parameter_values(system: System, given: Mapping[Any, float] | None) -> dict[Symbol, float]:
    """The value of every parameter of a system: as given, or its default; a StartError where they make it impossible."""
    given = {} if given is None else given_mapping(given, "parameters", "{parameter: number}")
    given = by_parameter(given, system.parameters)
    for key in given:
        if not isinstance(key, Symbol) or key not in system.parameters:
            known = ", ".join(p.name for p in system.parameters) or "none"
            raise ModelError(
                f"{quoted(key)} is no parameter of the system; its parameters are: {known}"
                f"{namesake(key, system.parameters)}"
            )
    asked = {p: given.get(p, np.nan if p.default is None else p.default) for p in system.parameters}
    result = {p: float(x) if isinstance(x, float) else given_real(x, f"parameter '{p.name}'") for p, x in asked.items()}
    for p, value in result.items():
        if not np.isfinite(value):
            raise ModelError(f"parameter '{p.name}' is {value}")
    possible(system, result)
    return result
