"""What a run needs to know of a program besides its machine code, kept for later processes beside that code.

A program follows from the formulas of a system, from the numbers of one state and from the programs that derive it: by a
digest of these it is found again, and a process that finds it derives nothing. Formulas that are asked for afterwards are
derived then.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen import cache
from zeromass.codegen.target import host
from zeromass.compile.straight import canonical
from zeromass.expression import Expression, as_expression
from zeromass.expression.node import Gridded, contents
from zeromass.model import RigidBody, System

WRITTEN_BY = ("codegen", "expression", "equation", "model", "compile")
"""Packages that a program follows from."""


class Outline(NamedTuple):
    """A program without its formulas.

    operations   of one right-hand side
    rank         of A
    pivots       how many tell of singular positions
    corrections  their names
    followed     whether motions that are projected follow formulas of their own
    """

    operations: int
    rank: int
    pivots: int
    corrections: tuple[str, ...]
    followed: bool


class Entry:
    """A program among what is kept, by its name there: its outline, and what each piece of its machine code follows from."""

    def __init__(self, name: str, outline: Outline, origins: Mapping[str, str] | None = None) -> None:
        self.name: str = name
        self.outline: Outline = outline
        self._origins = dict(origins or {})

    @staticmethod
    def read(name: str) -> Entry | None:
        """What was kept under a name; None where there is nothing, or nothing that can be understood."""
        data = cache.read(name)
        if data is None:
            return None
        try:
            numbers, names, *origins = data.decode().split("\n")
            operations, rank, pivots, followed = map(int, numbers.split())
            known = dict(line.rsplit(" ", 1) for line in origins)
        except ValueError:
            return None
        return Entry(name, Outline(operations, rank, pivots, tuple(names.split()), bool(followed)), known)

    def origin(self, key: str) -> str | None:
        """What a piece of its machine code follows from, see `Code`; None where that is not known yet."""
        return self._origins.get(key)

    def keep(self, key: str, origin: str) -> None:
        """Keeps it for later processes."""
        if self._origins.get(key) != origin:
            self._origins[key] = origin
            o = self.outline
            lines = [f"{o.operations} {o.rank} {o.pivots} {o.followed:d}", " ".join(o.corrections)]
            lines += [" ".join(item) for item in self._origins.items()]
            cache.write(self.name, "\n".join(lines).encode())


class Promised(Mapping[str, Any]):
    """Values by names that are known before them."""

    def __init__(self, names: Sequence[str], made: Callable[[], Mapping[str, Any]]) -> None:
        self._names, self._made = names, made

    def __getitem__(self, name: str) -> Any:
        return self._made()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def name_of(system: System, values: np.ndarray, rank: int | None) -> str | None:
    """Under which the program of a system at one state, t, q, q̇ and parameters, is kept; None where it can not be."""
    sources = cache.sources(*WRITTEN_BY) if cache.kept() else None
    if sources is None:
        return None
    if "digest" not in system.memory:
        system.memory["digest"] = _system(system)
    formulas = system.memory["digest"]
    if formulas is None:
        return None
    by = f"{sys.version} {np.__version__} {host()!r}"
    return cache.digest("program", formulas, values.tobytes(), repr(rank), sources, by)


def _system(system: System) -> str | None:
    """A digest of all that a program is derived from; None where parts of a system may say what nobody knows of here."""
    bodies = [part for part in system.parts if isinstance(part, RigidBody)]
    if type(system).__module__.split(".")[0] != "zeromass" or any(type(body) is not RigidBody for body in bodies):
        return None
    M, A = system.sparse_M, system.sparse_A
    shape: list[Any] = [len(system.coordinates), len(system.parameters), [row.level for row in system.rows]]
    shape += [[list(row) for row in matrix.rows] for matrix in (M, A)]
    roots: list[Expression] = [*M.entries, *system.Q, *system.C, *A.entries, *system.b]
    roots += [*[row.zero for row in system.rows], *system.velocity_constraints]
    roots += [e for held in system.sliding_modes.values() for e in (held.flag, held.switch.mode, held.switch.g)]
    for one in system.contact_modes:
        law = () if one.rough or one.smooth else (one.friction, one.slipping)
        own = [*one.velocities, *one.direction, *one.hidden, *map(as_expression, law)]
        own += [] if one.gap is None else [one.gap]
        shape += [one.rough, one.smooth, one.has_normal, len(own), None if one.carrier is None else one.carrier.name]
        roots += own
    for body in bodies:
        own = [*body.coordinates, *body.inertia.ravel(), body.kinetic, *body.constraints.values()]
        shape.append(len(own))
        roots += own
    known = [*system.inputs, *system.accelerations, *system.multipliers]
    formulas = digest_of(roots, known)
    return None if formulas is None else cache.digest(repr(shape), formulas)


def digest_of(roots: Iterable[Expression], known: Iterable[Expression]) -> str | None:
    """A digest of formulas whose symbols are known by their places, whatever their history; None where they read arrays.

    Of other symbols, parameters of events, say, the default counts.
    """
    roots, known = list(roots), list(known)
    places = {symbol: k for k, symbol in enumerate(known)}
    others = [leaf for leaf in contents(roots)[0] if leaf not in places]
    nodes, operands = canonical([known, others], roots)
    at = {node: k for k, node in enumerate(nodes)}
    written: list[Any] = []
    for node in nodes:
        args = operands[node]
        if args:
            if isinstance(node, Gridded):
                return None
            written.append((node.op, *[at[a] for a in args]))
        elif node in places:
            written.append(places[node])
        else:
            written.append(node.op if node.value is None else struct.pack("<d", node.value))
    return cache.digest(repr(written), repr([at[e] for e in roots]), repr([leaf.default for leaf in others]))
