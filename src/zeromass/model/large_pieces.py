"""Large systems whose forces have kinks or jumps: forces on their pieces, and rows that hold a motion to a switch.

A force on its pieces is a load as it was given, with modes in its formulas. Where a motion slides along a switch g = 0, as
dry friction holds a joint at rest, what holds it acts as the multiplier of a constraint does,

    Q(high) − Q(low) = c ∂g/∂q̇,   λ = β c,   0 ≤ β ≤ 1

so that one row ġ = 0 more in the equations holds it, wherever a parameter says so. Code and order of elimination are the
same for all pieces and for everything that holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.expression import (
    Evaluator,
    Expression,
    Symbol,
    as_expression,
    expressions,
    gradient,
    jacobian,
    rate,
    substitute,
    symbols,
)
from zeromass.expression.build import ZERO
from zeromass.expression.leaves import multiplier
from zeromass.expression.node import ordered, symbol
from zeromass.expression.pieces import SWITCHING, Pieces, Switch
from zeromass.model.constraint import Row
from zeromass.model.forces import Load
from zeromass.model.large import Given, formulas_in, with_formulas
from zeromass.model.sliding import Held, guards
from zeromass.model.state import Magnitude
from zeromass.model.unconstrained import Unconstrained
from zeromass.model.unknown import unknown_in

if TYPE_CHECKING:
    from zeromass.model.system import System

TRIED, OFF = 3, 1e-9
"""Places at which a force is compared with the direction of what holds, and the part by which it may point elsewhere."""


class ForcePieces:
    """The loads of a large system on their pieces.

    free      the same with smooth loads
    switches  of all of them
    holds     {place of a switch: (parameter that is 1 where the motion is held to it, c)}, of those that depend on rates
    """

    def __init__(self, free: Given, pieces: Pieces) -> None:
        def smooth(value: Any) -> Any:
            old = formulas_in(vars(value)) if hasattr(value, "generalized") else formulas_in(value)
            return with_formulas(value, iter(pieces.found(old).tolist()))

        loads: list[Load] = [smooth(load) for load in free.loads]
        kinetic, potential = free.extra
        potential = None if potential is None else pieces.found(potential).item()
        self.free: Given = Given(list(free.parts), loads, free.q, kinetic, potential, free.gravity)
        self.switches: tuple[Switch, ...] = tuple(pieces.switches)
        self.holds: dict[int, tuple[Symbol, Expression]] = {}

    def find_holds(self) -> bool:
        """Finds what holds the motion to switches; whether each of them can be held by a row."""
        acting: dict[Symbol, list[Load | Expression]] = {}
        extra = self.free.extra[1]
        for load in [*self.free.loads, *([] if extra is None else [extra])]:
            formulas = [load] if isinstance(load, Expression) else formulas_in(vars(load))
            for leaf in symbols(formulas):
                acting.setdefault(leaf, []).append(load)
        modes, q = {switch.mode for switch in self.switches}, {x.token: x for x in self.free.q}
        for k, switch in enumerate(self.switches):
            found = symbols(switch.g)
            if not any(leaf.order == 1 for leaf in found):
                continue
            c = None if switch.kind != "side" or not modes.isdisjoint(found) else strength(switch, acting, q)
            if c is None:
                return False
            hold = symbol(f"hold{k}", "parameter", default=0.0, token=f"zeromass hold {k}")
            self.holds[k] = hold, c
        return True


def in_forces_alone(free: Any, rows: Sequence[Row]) -> bool:
    """Whether kinks and jumps of a system are all in its forces, and cuts of angles nowhere."""
    if not isinstance(free, Given):
        return False
    others = [row.zero for row in rows] + [e for part in free.parts for e in part.formulas] + formulas_in(free.gravity)
    others += formulas_in(free.extra[0])
    if any(node.op in SWITCHING for node in ordered(others)):
        return False
    return not any(node.op == "arctan2" for node in ordered(free.formulas()))


def strength(
    switch: Switch, acting: dict[Symbol, list[Load | Expression]], coordinates: dict[str, Symbol]
) -> Expression | None:
    """c of a switch; None where its force does not act along ∂g/∂q̇."""
    loads = acting.get(switch.mode, [])
    formulas = [e for load in loads for e in ([load] if isinstance(load, Expression) else formulas_in(vars(load)))]
    if not loads:
        return ZERO
    tokens = dict.fromkeys(leaf.token for leaf in symbols([switch.g, *formulas]) if leaf.kind == "coordinate")
    q = expressions([coordinates[token] for token in tokens])
    a = jacobian([switch.g], rate(q))[0]
    F = sum((_force(load, q) for load in loads), expressions(np.zeros(len(q))))
    ΔQ = expressions(substitute(F, {switch.mode: 1.0})) - expressions(substitute(F, {switch.mode: -1.0}))
    plain = [j for j, e in enumerate(a) if e.value is not None and e.value != 0.0]
    c = as_expression(ΔQ[plain[0]] / a[plain[0]] if plain else (ΔQ @ a) / (a @ a))
    inputs = symbols([*ΔQ, *a])
    values = np.random.default_rng(0).normal(size=(TRIED, len(inputs)))
    with np.errstate(all="ignore"):
        forces, along = (Evaluator(list(e), inputs)(values) for e in (ΔQ, c * a))
    return c if np.all(np.abs(forces - along) <= OFF * np.abs(forces).max(axis=1, keepdims=True)) else None


def _force(load: Load | Expression, q: np.ndarray) -> np.ndarray:
    return -gradient(load, q) if isinstance(load, Expression) else expressions(load.generalized(q))


def with_holds(system: System) -> System:
    """A system on its pieces with a row for each switch that may hold the motion; others as they are."""
    return system.memory.get("with holds", system)


def complete_holds(smooth: System, pieces: ForcePieces) -> dict[Symbol, Held]:
    """Makes the system with these rows, after its own, and what is watched; by the mode of each switch that may hold."""
    from zeromass.model.system import System

    first, free = len(smooth.rows), pieces.free
    whole = Given(list(free.parts), list(free.loads), free.q, *free.extra, free.gravity)
    rows = [Row(f"held {k}", f"held {k}", 1, pieces.switches[k].g) for k in pieces.holds]
    whole.holding = {first + i: hold for i, (hold, _) in enumerate(pieces.holds.values())}
    λ = [multiplier(f"λ {row.name}") for row in rows]
    made = object.__new__(System)
    made._complete(cast(Unconstrained, whole), [*smooth.rows, *rows], smooth.C, expressions([*smooth.multipliers, *λ]))
    made.parameters = smooth.parameters
    vars(made)["pieces"] = None
    smooth.memory["with holds"] = made
    functions = [_functions(switch) for switch in pieces.switches]
    held: dict[Symbol, Held] = {}
    for (k, (hold, c)), force in zip(pieces.holds.items(), λ, strict=True):
        switch = pieces.switches[k]
        if c is not ZERO:
            one = held[switch.mode] = Held(switch, hold, as_expression(force / c), c)
            functions[k] += [*one.leaving, *([c] if c.value is None else [])]
            functions[k] += [e for guard in guards(switch, one) for e in (guard.zero, guard.rate) if e is not None]
    smooth.memory["functions of switches"] = [some for some in functions if some]
    smooth.memory["held functions"] = {
        s.mode: (held[s.mode].leaving[0], s.margin) for s in pieces.switches if s.mode in held
    }
    return held


def _functions(switch: Switch) -> list[Expression]:
    """What is watched of a switch that does not hold the motion: what falls through zero where its piece ends, and rates."""
    if {"time", "parameter"}.issuperset(leaf.kind for leaf in symbols(switch.plain)):
        return []
    found = [switch.g, *[as_expression(zero) for zero in switch.leaving]]
    return [e for zero in found for e in (zero, as_expression(rate(zero)))]


class OneByOne:
    """Switching functions of a large system one by one, each from the few numbers that it depends on.

    inputs  the order of numbers
    """

    def __init__(self, functions: Sequence[Expression], inputs: Sequence[Expression], coordinates: int) -> None:
        self._functions, self._count = list(functions), 1 + 2 * coordinates
        self._places = {leaf: j for j, leaf in enumerate(inputs)}
        self._known: dict[int, tuple[np.ndarray, Magnitude]] = {}
        self._slopes: dict[tuple[int, int], tuple[np.ndarray, np.ndarray, Evaluator]] = {}

    def size(self, k: int, inputs: np.ndarray, sizes: np.ndarray) -> float:
        """Of what size the rounding of a function is."""
        if k not in self._known:
            leaves = symbols(self._functions[k])
            places = np.array([self._places[leaf] for leaf in leaves], dtype=int)
            self._known[k] = places, Magnitude([self._functions[k]], leaves)
        places, magnitude = self._known[k]
        return float(magnitude(inputs[places], sizes[places])[0])

    def slopes(self, k: int, inputs: np.ndarray, order: int = 1) -> np.ndarray:
        """Of a function, or of its rate if that is of order 2, by time, positions and rates: shape (1 + 2n,)."""
        if (k, order) not in self._slopes:
            along = self._functions[k] if order == 1 else as_expression(rate(self._functions[k]))
            leaves = [leaf for leaf in symbols(along) if self._places.get(leaf, self._count) < self._count]
            by = jacobian([along], leaves)[0] if leaves else expressions([])
            names = symbols([*by])
            columns, places = (np.array([self._places[leaf] for leaf in some], dtype=int) for some in (leaves, names))
            self._slopes[k, order] = columns, places, Evaluator(by, names)
        columns, places, evaluator = self._slopes[k, order]
        found = np.zeros(self._count)
        found[columns] = evaluator(inputs[places])
        return found


def smooth_forces(given: Any) -> tuple[ForcePieces, Pieces] | None:
    """The forces of a large system on their pieces; None where other formulas switch too, or no row would hold a motion."""
    if not in_forces_alone(given._free, given.rows):
        return None
    pieces = Pieces()
    forces = ForcePieces(given._free, pieces)
    if any(unknown_in(switch.g) for switch in forces.switches) or not forces.find_holds():
        return None
    return forces, pieces
