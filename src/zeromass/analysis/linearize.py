"""Linear systems of constrained ones: small motions along the constraints, in coordinates that are named.

    δẏ = F δy,  J δy = 0      y = (q, q̇), F = ∂(q̇, q̈)/∂y, J = ∂/∂y of what must vanish at positions and rates
    δy = N x,   ẋ = S F N x   x = S y some coordinates and rates that determine the others

F is exact, and M may be singular. J N = 0 removes what leaves the constraints: these directions have eigenvalues too, of the
formulas and not of the motion. Since x are coordinates and rates themselves, ẋ holds about a motion as well as about rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.analysis.inputs import Input, inputs_of
from zeromass.analysis.linear import LinearSystem
from zeromass.analysis.manifold import tangents
from zeromass.analysis.slopes import Slope, slopes_of
from zeromass.compile.program import Program, compile
from zeromass.equation import numerical_rank
from zeromass.equation.arrays import single_thread
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Expression, expressions, rate, symbols
from zeromass.integrate import Course
from zeromass.model import ModelError, State, System
from zeromass.model.collisions import without_collisions
from zeromass.model.naming import meant
from zeromass.model.state import ROUNDING

if TYPE_CHECKING:
    from zeromass.model.pieces import SystemPieces

Formulas = Mapping[str, Any] | Sequence[Any] | np.ndarray | Expression | None
"""Expressions, or arrays of them, as {name: expression} or as a list."""


@single_thread
def linearize(
    system: System | Program | Course,
    at: State | float,
    *,
    inputs: Sequence[Input] | Input | None = None,
    outputs: Formulas = None,
    states: Formulas = None,
) -> LinearSystem:
    """Linearization about a state on the constraint manifold, with exact derivatives: A, B, C, D.

    system   what moves; or a run, and then `at` is a time of it
    at       a state, such as `system.equilibrium(…)`; about a motion A belongs to that moment
    inputs   parameters that stand in forces, or forces of unit size such as {x: 1.0} or zm.Force((1, 0, 0), at=point)
    outputs  any expressions, accelerations and reactions among them, a list or {name: expression}
    states   likewise, expressions that the linear system is to be in. By default coordinates and rates, as many as are
             independent. In a steady motion some of them move on, as the place of a vehicle and the turns of its wheels do:
             name those that stay, such as lean, steer, their rates and the speed, if their rates depend on nothing else

    A pendulum in Cartesian coordinates, one of them too many:

    >>> bob = zm.Particle("bob", mass=2.0)
    >>> x, y, z = bob.position
    >>> rod = zm.System([bob], gravity=9.81, constraints={"rod": x**2 + y**2 + z**2 - 0.25})
    >>> small = zm.analysis.linearize(rod, rod.start({x: 0, y: 0}, guess={z: -1.0}), outputs=[rod.reaction["rod"][2]])
    >>> small.states, small.removed
    (('bob.x', 'bob.y', 'rate(bob.x)', 'rate(bob.y)'), 2)
    >>> (small.eigenvalues.imag ** 2).round(9)  # g/L, twice a pair
    array([19.62, 19.62, 19.62, 19.62])
    """
    program, state, given = _placed(system, at)
    system = program.system
    without_collisions(given.system, "a linearization")
    u = inputs_of(given.system, inputs)
    y, wanted = _named(meant(system, outputs)), _named(meant(system, states))
    rates = _rates(tuple(wanted.values()))
    formulas = _on_piece(given.system, [*y.values(), *wanted.values(), *rates])
    slope = slopes_of(program, formulas, u.parameters, u.acting).at(state)
    N, chosen = tangents(system, slope.constraints[0])
    names = [[*system.coordinates, *system.rates][j] for j in chosen]
    about: dict[str, Any] = {
        "inputs": u.names,
        "outputs": tuple(y),
        "at": given,
        "removed": len(N) - N.shape[1],
        "acting": tuple((p, u.acting.get(p)) for p in u.parameters),
    }
    if wanted:
        return _in_states(slope, N, len(y), wanted, [*[f"output '{name}'" for name in y], *wanted], names, about)
    F, F_u = _motion(slope, state)
    drift = np.concatenate([state.v, slope.motion])[chosen]
    about.update(drift=drift, ignored=0, directions=N, named=False, formulas=tuple(names))
    C, D = slope.outputs[0] @ N, slope.outputs[1]
    return LinearSystem((F @ N)[chosen], F_u[chosen], C, D, tuple(repr(x) for x in names), **about)


def _in_states(
    slope: Slope,
    N: np.ndarray,
    m: int,
    wanted: Mapping[str, Expression],
    words: list[str],
    names: Sequence[Expression],
    about: dict[str, Any],
) -> LinearSystem:
    """The linear system in states c that were asked for, of m outputs: ċ = (ċ_y N)(c_y N)⁺ c, if nothing else matters.

    words  what messages call outputs and states; `names` are the coordinates and rates of the columns of N
    """
    k = len(wanted)
    along, sizes = slope.outputs[0] @ N, slope.sizes @ np.abs(N)
    c = along[m : m + k]
    unit = 1.0 / np.maximum(np.abs(c).max(axis=1, initial=0.0), np.finfo(float).tiny)
    # columns stay as they are: one of rounding alone, of what the states do not depend on, would be scaled up
    decision = numerical_rank(unit[:, None] * c, equilibrate=False)
    if decision.rank < k:
        raise ModelError(
            f"the states are not independent: {k} were given, and on the constraints they are {decision.rank}"
        )
    X = decision.inverse * unit
    pace = (np.abs(along[m + k :]).max(axis=1, initial=0.0) * unit).max()  # of what is fastest, 1/s
    sizes[m + k :] += (pace / unit)[:, None]
    words = [*words, *[f"rate of '{name}'" for name in wanted]]
    _check_closed(along, c, X, sizes, words, [repr(x) for x in names])
    about.update(drift=slope.values[m + k :], ignored=N.shape[1] - k, directions=N @ X, named=True)
    about["formulas"] = tuple(wanted.values())
    by_u = slope.outputs[1]
    return LinearSystem(along[m + k :] @ X, by_u[m + k :], along[:m] @ X, by_u[:m], tuple(wanted), **about)


@lru_cache(maxsize=64)
def _rates(formulas: tuple[Expression, ...]) -> tuple[Expression, ...]:
    return tuple(rate(expressions(list(formulas)))) if formulas else ()


def _motion(slope: Slope, state: State) -> tuple[np.ndarray, np.ndarray]:
    """∂(q̇, q̈)/∂y and by the inputs."""
    n = len(state.q)
    a_y, a_u = slope.acceleration
    return np.block([[np.zeros((n, n)), np.eye(n)], [a_y]]), np.concatenate([np.zeros((n, a_u.shape[1])), a_u])


def _check_closed(
    f: np.ndarray, c: np.ndarray, X: np.ndarray, sizes: np.ndarray, words: list[str], names: list[str]
) -> None:
    """That formulas depend on the states c alone: f = (f c⁺) c along the constraints."""
    left = f - f @ X @ c
    largest = sizes + np.abs(f @ X) @ np.abs(c)
    depends = ~negligible(left, largest.max(axis=1, initial=0.0)[:, None], CONSISTENCY_TOLERANCE).all(axis=1)
    if depends.any():
        i = int(depends.argmax())
        more = names[int(np.argmax(np.abs(left[i])))]
        raise ModelError(
            f"the {words[i]} depends on more than the states given, on '{more}' for one; add that, or a formula of it"
        )


def _placed(system: System | Program | Course, at: State | float) -> tuple[Program, State, State]:
    """The program, the state, and the state as it was given: of formulas with kinks, on the piece that it lies on."""
    if isinstance(system, Course):
        state = at if isinstance(at, State) else system.state(at)
    elif isinstance(at, State):
        state = at
        if state.system is not (system.system if isinstance(system, Program) else system):
            raise ModelError("the state belongs to another system; make it with system.start(…)")
    else:
        words = "give system.start(…), system.equilibrium(…) or run.state(t)"
        raise ModelError(f"the state to linearise at is {at!r}; {words}")
    if isinstance(system, Program):
        return system.at(state), state, state
    if state.sliding:
        raise ModelError(f"at t = {state.t:g} s the motion slides along {state.sliding}: there are no derivatives")
    here = state if state.system.pieces is None else _inside(state, state.system.pieces)
    return compile(here.system, here), here, state


def _inside(state: State, pieces: SystemPieces) -> State:
    """A state on its piece, if it is not on the edge of it."""
    here = pieces.here(state)
    g, sizes = pieces.functions.with_values(here.inputs)
    for switch, value, size in zip(pieces.switches, g, sizes, strict=True):
        if switch.kind != "turn" and abs(value) <= ROUNDING * size:
            raise ModelError(f"'{switch.said!r}' switches at this state: it has no derivatives; linearise beside it")
    return here


def _on_piece(system: System, formulas: list[Expression]) -> tuple[Expression, ...]:
    """Formulas as they are on the pieces of a system, where it has any."""
    if system.pieces is None or not formulas:
        return tuple(formulas)
    return tuple(system.pieces.smooth(formulas).ravel())


def _named(given: Formulas) -> dict[str, Expression]:
    """Expressions by the names that results call them: those given, or what they read."""
    if given is None:
        return {}
    if isinstance(given, Expression):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [(None, one) for one in expressions(given).ravel()]
    found: dict[str, Expression] = {}
    for name, one in pairs:
        array = expressions(one)
        for i, e in enumerate(array.ravel()):
            word = repr(e) if name is None else name if array.ndim == 0 else f"{name}[{i}]"
            later = [leaf for leaf in symbols(e) if leaf.order > 2]
            if later:
                raise ModelError(f"'{word}' contains '{later[0]!r}', which is no part of a state")
            if word in found:
                raise ModelError(f"'{word}' is given twice")
            found[word] = e
    return found
