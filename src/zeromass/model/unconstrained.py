"""The unconstrained system: coordinates taken as independent, with mass matrix M and impressed force Q."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, Symbol, expressions, gradient, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import Sparse
from zeromass.expression.node import symbol
from zeromass.model.forces import Load
from zeromass.model.given import given_array, given_scalar
from zeromass.model.lagrange import motion_of
from zeromass.model.parts import Part


class Unconstrained(NamedTuple):
    """M q̈ = Q [UP2006, eq. 2.1], and the energies, parts and loads it came from (None where M and Q were given directly).

    masses  M by its rows, without what is zero
    names   what results call the coordinates, where that is not the names of these
    """

    q: np.ndarray
    masses: Sparse
    Q: np.ndarray
    kinetic: Expression | None
    potential: Expression | None
    energy: Expression | None
    parts: tuple[Part, ...] = ()
    loads: tuple[Load, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def M(self) -> np.ndarray:
        """Mass matrix, shape (n, n)."""
        return self.masses.array


def from_energies(
    parts: Sequence[Part],
    loads: Sequence[Load],
    q: np.ndarray,
    *,
    kinetic: Expression | None,
    potential: Expression | None,
    lagrangian: Expression | None,
    gravity: Any,
    matrices: bool = True,
) -> Unconstrained:
    """From parts and energies: L = T − V, and the virtual work of the loads; without matrices, the energies alone."""
    T = sum((part.kinetic for part in parts), kinetic if kinetic is not None else ZERO)
    V = potential if potential is not None else ZERO
    if gravity is not None:
        V = V + weight(parts, gravity)
    stored = sum((load.potential for load in loads), ZERO)
    given = lagrangian if lagrangian is not None else ZERO
    M, Q = motion_of(T - V + given, q) if matrices else (Sparse([], 0), np.empty(0))
    for load in loads if matrices else ():
        Q = Q + load.generalized(q)
    energy = T + V + stored
    if lagrangian is not None:
        v = rate(q)
        energy = energy + gradient(given, v) @ v - given
        return Unconstrained(q, M, Q, None, None, energy, tuple(parts), tuple(loads))
    return Unconstrained(q, M, Q, T, V + stored, energy, tuple(parts), tuple(loads))


def from_matrices(q: np.ndarray, M: Any, Q: Any, loads: Sequence[Load]) -> Unconstrained:
    """From M and Q written down directly."""
    M, Q = given_array(M, "M"), given_array(Q, "Q")
    n = len(q)
    if M.shape != (n, n):
        raise ModelError(f"M has shape {M.shape}; {n} coordinates ({_names(q)}) need ({n}, {n})")
    if Q.shape != (n,):
        raise ModelError(f"Q has shape {Q.shape}; {n} coordinates ({_names(q)}) need ({n},)")
    for load in loads:
        Q = Q + load.generalized(q)
    return Unconstrained(q, Sparse.of(M), Q, None, None, None, (), tuple(loads))


def weight(parts: Sequence[Part], gravity: Any) -> Expression:
    """Potential energy of the parts in a uniform field; a number g means (0, 0, −g), m/s²."""
    if not parts:
        raise ModelError("gravity acts on parts, and the system has none; write the potential yourself")
    field = given_field(gravity)
    return sum((-part.mass * (field @ part.position) for part in parts), ZERO)


def given_field(gravity: Any) -> np.ndarray:
    """Gravity as a vector of three."""
    field = given_array(gravity, "gravity")
    if field.ndim == 0:
        field = expressions([0.0, 0.0, -field.item()])
    if field.shape != (3,):
        raise ModelError(f"gravity is a number g for (0, 0, −g) or a vector of three, not shape {field.shape}")
    return field


def given_energy(value: Any, what: str, *, order: int) -> Expression | None:
    """An energy as an expression. `order` is the highest time derivative that may be in it."""
    if value is None:
        return None
    e = given_scalar(value, what)
    for leaf in symbols(e):
        if leaf.kind == "multiplier" or leaf.order > order:
            remedy = "; give T − V as lagrangian=…" if leaf.order == 1 else ""
            raise ModelError(f"{what} contains '{leaf!r}', and may depend on {_ALLOWED[order]} only{remedy}")
    return e


def check_rates(kinetic: Expression) -> None:
    """Raises where a kinetic energy contains coordinates without their rates: rate was forgotten."""
    leaves = [leaf for leaf in symbols(kinetic) if leaf.kind == "coordinate"]
    if leaves and not any(leaf.order == 1 for leaf in leaves):
        name = leaves[0].name
        raise ModelError(f"the kinetic energy contains '{name}' and no rate: its rate of change is zm.rate({name})")


_ALLOWED = ("positions, time and parameters", "positions, rates, time and parameters")


def coordinates_in(*sources: Any) -> list[Symbol]:
    """The coordinates that appear, themselves or through their rates, oldest first."""
    found: set[Symbol] = set()
    for leaf in symbols(*sources):
        if leaf.kind == "coordinate":
            found.add(symbol(leaf.name, leaf.kind, latex=leaf.latex, token=leaf.token))
    return sorted(found, key=lambda leaf: leaf.serial)


def _names(q: np.ndarray) -> str:
    return ", ".join(x.name for x in q)
