"""Linear systems of implicit methods for large systems, sparse: (μ I − ∂f/∂y) x = r with f = (q̇, q̈).

    K z = r,  K δz = G δq + H δq̇,   q̈ = s(z, q, q̇),  δq̈ = S δz + S_q δq + S_v δq̇

With x_v = μ x_q − r_q what is left has as many entries as the kinds of parts, constraints and forces bring into it:

    (μ² − S_q − μ S_v) x_q − S w = r_v + (μ − S_v) r_q
    −(G + μ H) x_q         + K w = −H r_q

∂q̈/∂(q, q̇) itself would have all its entries, as every part pulls at every other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.compile.rolled.equations import ROWS, Unknown
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.signature import fresh
from zeromass.compile.rolled.structure import Structure
from zeromass.expression import Evaluator, Expression, Symbol, expressions, substitute, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.derivative import sparse_jacobian

PATTERNS = 4
"""Patterns of signs of forces from which the largest accelerations are found."""


class Shifted:
    """The systems at one state after another, and for shifts μ that are asked for."""

    def __init__(self, structure: Structure) -> None:
        self.structure: Structure = structure
        self._motion = structure.machine("motion", 1)
        self._kinds = [_Slopes(structure, kind) for kind in structure.kinds]
        self._kept: np.ndarray = structure.masks != 0
        self._factors: dict[complex, Any] = {}
        self._inverse: Any = None
        self._n = len(structure.system.coordinates)

    def at(self, t: float, y: np.ndarray, parameters: np.ndarray) -> bool:
        """Takes the derivatives at a state; whether they are numbers."""
        from scipy.sparse import coo_array

        s, n, m = self.structure, self._n, self.structure.count
        self._motion(t, y, parameters, 2 * n)
        values = self._motion.values[:, 0]
        x = values[self._motion.unknowns : self._motion.unknowns + m].copy()
        i, j, place = s.entries
        both = i != j
        K = np.concatenate([values[place], values[place[both]]])
        rows, columns = np.concatenate([i, j[both]]), np.concatenate([j, i[both]])
        kept = self._kept[rows] & self._kept[columns]
        gone = np.flatnonzero(~self._kept)
        K, rows, columns = (np.append(a[kept], b) for a, b in ((K, np.ones(len(gone))), (rows, gone), (columns, gone)))
        self._K = coo_array((K, (rows, columns)), shape=(m, m)).tocsc()
        found = [kind.at(t, y, parameters, x) for kind in self._kinds]
        parts: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {name: [] for name in _SHAPES}
        for one in found:
            for name, entries in one.items():
                parts[name].append(entries)
        sizes = {"m": m, "n": n}
        self._parts: dict[str, Any] = {}
        for name, (a, b) in _SHAPES.items():
            some = [np.concatenate(x) for x in zip(*parts[name], strict=True)] or [np.empty(0)] * 3
            value, row, column = some[0], some[1].astype(int), some[2].astype(int)
            if a == "m":
                value = np.where(self._kept[row], value, 0.0)
            self._parts[name] = coo_array((value, (row, column)), shape=(sizes[a], sizes[b])).tocsc()
        self._factors.clear()
        self._inverse = None
        return all(np.isfinite(matrix.data).all() for matrix in (self._K, *self._parts.values()))

    def magnified(self, y: np.ndarray) -> np.ndarray:
        """|∂q̈/∂y| |y|, about: forces of elements that their coordinates make, each as large as it may be, of any signs.

        The largest accelerations of some patterns of signs, always the same.
        """
        G, H, S, S_q, S_v = (abs(self._parts[name]) for name in _SHAPES)
        q, v = np.abs(y[: self._n]), np.abs(y[self._n :])
        if self._inverse is None:
            from scipy.sparse.linalg import splu

            self._inverse = splu(self._K)
        signs = np.where(np.random.default_rng(0).random((self.structure.count, PATTERNS)) < 0.5, -1.0, 1.0)
        signs[:, 0] = 1.0
        z = np.abs(self._inverse.solve(signs * (G @ q + H @ v)[:, None])).max(axis=1)
        return S @ z + S_q @ q + S_v @ v

    def factor(self, key: complex, μ: complex) -> bool:
        """Makes the factors for a shift, which are found by a key; whether there are any."""
        from scipy.sparse import block_array, eye_array
        from scipy.sparse.linalg import splu

        G, H, S, S_q, S_v = (self._parts[name] for name in _SHAPES)
        shift = μ if key.imag else μ.real
        one = eye_array(self._n, format="csc")
        matrix = block_array([[shift**2 * one - S_q - shift * S_v, -S], [-(G + shift * H), self._K]], format="csc")
        try:
            self._factors[key] = shift, splu(matrix)
        except RuntimeError:  # exactly singular
            return False
        return True

    def solve(self, key: complex, r: np.ndarray) -> np.ndarray:
        """x = (x_q, x_v) of r = (r_q, r_v)."""
        μ, factors = self._factors[key]
        n, H, S_v = self._n, self._parts["H"], self._parts["S_v"]
        r_q, r_v = r[:n], r[n:]
        x_q = factors.solve(np.concatenate([r_v + μ * r_q - S_v @ r_q, -(H @ r_q)]))[:n]
        return np.concatenate([x_q, μ * x_q - r_q])


_SHAPES = {"G": "mn", "H": "mn", "S": "nm", "S_q": "nn", "S_v": "nn"}
"""Rows and columns: unknowns of the elimination, m, or coordinates, n."""

Entries = dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
"""By the name of a matrix: values, rows and columns."""


class _Slopes:
    """The derivatives of the equations of a kind, its unknowns held fixed, and of what these tell of coordinates."""

    def __init__(self, structure: Structure, kind: Kind) -> None:
        motion, blocks = kind.equations("motion"), structure.blocks
        z: dict[Unknown, Symbol] = {}
        for g in range(len(kind.groups)):
            count = blocks.coordinates[kind.blocks[0, g]]
            z |= {(g, i): fresh(f"x{g} {i}", 0.0) for i in range(count)}
        z |= {(ROWS, i): fresh(f"λ{i}", 0.0) for i in range(kind.rows.shape[1])}
        left = motion.left(z)
        n = len(structure.system.coordinates)
        firsts = structure.firsts[kind.blocks]
        variables = [x for group in kind.groups for x in group]
        self._columns = [
            firsts[:, g] + i % (len(group) // 2) for g, group in enumerate(kind.groups) for i in range(len(group))
        ]
        rates = [i >= len(group) // 2 for group in kind.groups for i in range(len(group))]
        unknown = {u: structure.layout.unknown(kind, u, blocks, structure.at) for u in z}
        formulas: list[Expression] = []
        self._entries: list[tuple[str, np.ndarray, np.ndarray]] = []

        def take(row: dict[int, Expression], at: np.ndarray, names: Sequence[str]) -> None:
            for c, e in row.items():
                if e is not ZERO:
                    formulas.append(e)
                    self._entries.append((names[rates[c]], at, self._columns[c]))

        for u, row in zip(left, sparse_jacobian(list(left.values()), variables).rows, strict=True) if left else ():
            take(row, unknown[u], ("G", "H"))
        if motion.unknown:
            x = {s: z[0, i] for i, s in enumerate(motion.unknown)}
            spread = expressions(substitute(expressions(list(motion.spread)), x))
            at = [firsts[:, 0] + i for i in range(len(spread))]
            for i, row in enumerate(sparse_jacobian(list(spread), variables).rows):
                take(row, at[i], ("S_q", "S_v"))
            for i, row in enumerate(sparse_jacobian(list(spread), list(x.values())).rows):
                for k, e in row.items():
                    if e is not ZERO:
                        formulas.append(e)
                        self._entries.append(("S", at[i], unknown[0, k]))
        told = set(symbols(formulas)) - {*kind.own}
        self._others = [j for j, leaf in enumerate(structure.others) if leaf in told]
        others = [structure.others[j] for j in self._others]
        names = [*variables, *kind.constants, *others, *kind.own, *z.values()]
        self._evaluator = Evaluator(formulas, names) if formulas else None
        self._kind, self._unknown = kind, [unknown[u] for u in z]
        self._places = [column + n * rate for column, rate in zip(self._columns, rates, strict=True)]

    def at(self, t: float, y: np.ndarray, parameters: np.ndarray, x: np.ndarray) -> Entries:
        """Entries at a state with its unknowns x."""
        if self._evaluator is None:
            return {}
        count = len(self._kind)
        given = [y[place] for place in self._places]
        given += list(self._kind.values.T)
        given += [np.full(count, parameters[j - 1] if j else t) for j in self._others]
        given += list(parameters[self._kind.picks].T)
        given += [x[place] for place in self._unknown]
        values = self._evaluator(np.column_stack(given))
        found: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
        for k, (name, row, column) in enumerate(self._entries):
            found.setdefault(name, []).append((values[:, k], row, column))
        return {name: tuple(np.concatenate(x) for x in zip(*some, strict=True)) for name, some in found.items()}  # type: ignore[misc]
