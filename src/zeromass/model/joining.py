"""Several systems as one, and one under further constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, as_expression
from zeromass.expression.evaluate import Sparse
from zeromass.model.constraint import rows_of
from zeromass.model.errors import ModelError
from zeromass.model.given import given_all
from zeromass.model.one_sided import sibling
from zeromass.model.system import System
from zeromass.model.unconstrained import Unconstrained


def join(*systems: System, constraints: Mapping[str, Any] | None = None) -> System:
    """One system of several, connected by constraints between their coordinates [UP2006, example 3].

    >>> x, y = zm.coordinates("x y")
    >>> a, b = (zm.System(kinetic=zm.rate(q)**2 / 2, potential=q**2 / 2) for q in (x, y))
    >>> zm.join(a, b, constraints={"together": x - y})
    System(2 coordinates, 1 holonomic constraint rows)
    """
    if not systems:
        raise ModelError("zm.join needs at least one system")
    given_all(systems, System, "what zm.join joins", "a zm.System")
    return assembled(systems, {} if constraints is None else constraints)


def assembled(systems: Sequence[System], constraints: Mapping[str, Any]) -> System:
    """The parts, forces and constraints of all of them, and constraints beside; each in its mode."""
    wholes = [system.mode_of if system.one_sided else system for system in systems]
    if any(whole is not system for whole, system in zip(wholes, systems, strict=True)):
        return sibling(assembled(wholes, constraints), frozenset().union(*(system._closed for system in systems)))
    free = [system._free for system in systems]
    q = np.concatenate([part.q for part in free])
    masses: list[dict[int, Expression]] = []
    for part in free:
        first = len(masses)
        masses += [{first + j: e for j, e in row.items()} for row in part.masses.rows]

    def total(kind: str) -> Expression | None:
        values = [getattr(part, kind) for part in free]
        return None if any(value is None for value in values) else as_expression(sum(values))

    rows = [row for system in systems for row in system.rows]
    added = rows_of(constraints)
    taken = {row.group for row in rows} & {row.group for row in added}
    if taken:
        raise ModelError(f"a constraint named '{min(taken)}' is there already; choose another name")
    joined = object.__new__(System)
    joined.joints = tuple(joint for system in systems for joint in system.joints)
    joined._complete(
        Unconstrained(
            q,
            Sparse(masses, len(q)),
            np.concatenate([part.Q for part in free]),
            total("kinetic"),
            total("potential"),
            total("energy"),
            tuple(p for part in free for p in part.parts),
            tuple(load for part in free for load in part.loads),
        ),
        rows + added,
        np.concatenate([system.C for system in systems]),
    )
    if joined.one_sided:
        joined._complete_modes(tuple(load for system in systems for load in system._limited))
    return joined
