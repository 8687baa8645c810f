"""Generalised forces of constraints, as expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from zeromass.errors import ModelError, shown
from zeromass.expression import Array, Expression, expressions
from zeromass.model.remembering import Remembering

if TYPE_CHECKING:
    from zeromass.model.system import System


class Reactions(Remembering, Mapping[str, Array]):
    """Generalised constraint forces, N or N m by coordinate, as expressions.

    reaction[name]      Aᵀλ of one constraint, shape (n,)
    reaction.total      Qᶜ = M q̈ − Q of all constraints, non-ideal part included [UP2006, eq. 2.5]
    reaction.on(q)      the components of `total` on some coordinates, such as particle.position

    >>> p = zm.Particle("p", mass=2.0)
    >>> table = zm.System([p], gravity=9.81, constraints={"table": p.position[2]})
    >>> table.start()[table.reaction.on(p.position)]
    array([ 0.  ,  0.  , 19.62])
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._names = list(dict.fromkeys(row.group for row in system.rows))

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise ModelError(
                f"a constraint has a name, and {shown(name)} is none; there are: {', '.join(self._names) or 'none'}"
            )
        picked = [i for i, row in enumerate(self._system.rows) if row.group == name]
        if not picked:
            picked = [i for i, row in enumerate(self._system.rows) if row.name == name]
        if not picked:
            raise ModelError(f"no constraint is named '{name}'; there are: {', '.join(self._names) or 'none'}")
        return self._system.multipliers[picked] @ self._system.A[picked]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def total(self) -> Array:
        """Forces of all constraints on the coordinates, shape (n,)."""
        return self._system.M @ self._system.accelerations - self._system.Q

    def on(self, coordinates: Expression | Array | Sequence[Expression]) -> Array:
        """Constraint forces on some coordinates, in their shape, one after the other."""
        system = self._system
        rows = [system.index(x) for x in expressions(coordinates).ravel()]
        return system.M[rows] @ system.accelerations - system.Q[rows]
