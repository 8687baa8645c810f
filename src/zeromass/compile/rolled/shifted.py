"""Linear systems of implicit methods for large systems, sparse: (μ I − ∂f/∂y) x = r with f = (q̇, q̈).

    K z = r,  K δz = G δq + H δq̇,   q̈ = s(z, q, q̇),  δq̈ = S δz + S_q δq + S_v δq̇

With x_v = μ x_q − r_q what is left has as many entries as the kinds of parts, constraints and forces bring into it:

    (μ² − S_q − μ S_v) x_q − S w = r_v + (μ − S_v) r_q
    −(G + μ H) x_q         + K w = −H r_q

∂q̈/∂(q, q̇) itself would have all its entries, as every part pulls at every other.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.compile.rolled.equations import ROWS, Unknown
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.template import fresh
from zeromass.expression import Evaluator, Expression, Symbol, expressions, substitute
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.expression.derivative import sparse_jacobian

if TYPE_CHECKING:
    from zeromass.compile.rolled.machine import Machine

PATTERNS = 4
"""Patterns of signs of forces from which the largest accelerations are found."""


class Derivatives:
    """The matrices K, G, H, S, S_q and S_v of a structure, whose entries have fixed places; one for all its motions.

    matrices  where the entries of each of them are
    shifted   where those of the matrix of a shift are
    signs     patterns of signs of forces, always the same
    """

    def __init__(self, structure: Structure, motion: Machine, lock: Lock) -> None:
        self.structure: Structure = structure
        self.n: int = len(structure.system.coordinates)
        self._motion, self._lock = motion, lock
        self._kinds = [_Slopes(structure, kind) for kind in structure.kinds]
        i, j, place = structure.entries
        both, kept = i != j, structure.masks != 0
        rows, columns = np.concatenate([i, j[both]]), np.concatenate([j, i[both]])
        found = kept[rows] & kept[columns]
        self._K_values: np.ndarray = np.concatenate([place, place[both]])[found]
        gone, n, m = np.flatnonzero(~kept), self.n, structure.count
        places = {"K": (np.append(rows[found], gone), np.append(columns[found], gone))}
        for name in _SHAPES:
            some = [kind.places[name] for kind in self._kinds if name in kind.places]
            r, c = (np.concatenate([pair[k] for pair in some] or [np.empty(0, dtype=int)]) for k in range(2))
            places[name] = r, c
        self._gone: int = len(gone)
        self._kept = {name: kept[places[name][0]] for name, (rows, _) in _SHAPES.items() if rows == "m"}
        sizes = {"m": m, "n": n}
        self.matrices: dict[str, Places] = {"K": Places(*places["K"], (m, m))}
        self.matrices |= {name: Places(*places[name], (sizes[a], sizes[b])) for name, (a, b) in _SHAPES.items()}
        blocks = [(np.arange(n), np.arange(n))]
        blocks += [
            (places[name][0] + n * down, places[name][1] + n * right) for name, (down, right, _) in _BLOCKS.items()
        ]
        r, c = (np.concatenate(x) for x in zip(*blocks, strict=True))
        self.shifted: Places = Places(r, c, (n + m, n + m))
        random = np.random.default_rng(0).random((m, PATTERNS))
        self.signs: np.ndarray = np.where((random < 0.5) & (np.arange(PATTERNS) > 0), -1.0, 1.0)

    def at(self, t: float, y: np.ndarray, parameters: np.ndarray) -> dict[str, np.ndarray]:
        """Values of the matrices at a state."""
        with self._lock:
            self._motion(t, y, parameters, 2 * self.n)
            values, first = self._motion.values[:, 0], self._motion.unknowns
            x, K = values[first : first + self.structure.count].copy(), values[self._K_values]
        found = {"K": np.append(K, np.ones(self._gone))}
        some = [kind.at(t, y, parameters, x) for kind in self._kinds]
        for name in _SHAPES:
            value = np.concatenate([one[name] for one in some if name in one] or [np.empty(0)])
            found[name] = np.where(self._kept[name], value, 0.0) if name in self._kept else value
        return found


class Places:
    """Rows and columns of values, of which a sparse matrix has the sums."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> None:
        self._shape = shape
        places, self._sums = np.unique(columns * shape[0] + rows, return_inverse=True)
        self._rows, self._count = places % shape[0], len(places)
        self._ends = np.searchsorted(places // shape[0], np.arange(shape[1] + 1))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """The entries of the matrix, column by column."""
        return np.bincount(self._sums, values, self._count)

    def matrix(self, entries: np.ndarray) -> Any:
        from scipy.sparse import csc_array

        return csc_array((entries, self._rows, self._ends), shape=self._shape)


class Shifted:
    """The systems at one state after another, and for shifts μ that are asked for."""

    def __init__(self, derivatives: Derivatives) -> None:
        self._of = derivatives
        self._factors: dict[complex, Any] = {}
        self._sizes: dict[str, Any] = {}
        self._inverse: Any = None
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def at(self, t: float, y: np.ndarray, parameters: np.ndarray) -> bool:
        """Takes the derivatives at a state; whether they are numbers."""
        of, found = self._of, self._of.at(t, y, parameters)
        self._entries = {name: of.matrices[name].sums(values) for name, values in found.items()}
        self._H, self._S_v = (of.matrices[name].matrix(self._entries[name]) for name in ("H", "S_v"))
        self._powers = []  # the parts of the matrix that μ⁰, μ and μ² are multiplied with
        for power in range(3):
            parts = [(1.0 if name == "K" else -1.0) * (k == power) * found[name] for name, (*_, k) in _BLOCKS.items()]
            self._powers.append(of.shifted.sums(np.concatenate([np.full(of.n, float(power == 2)), *parts])))
        self._factors.clear()
        self._inverse = self._last = None
        return all(np.isfinite(entries).all() for entries in self._entries.values())

    def magnified(self, y: np.ndarray) -> np.ndarray:
        """|∂q̈/∂y| |y|, about: forces of elements that their coordinates make, each as large as it may be, of any signs.

        The largest accelerations of some patterns of signs, always the same.
        """
        of, q, v = self._of, np.abs(y[: self._of.n]), np.abs(y[self._of.n :])
        if self._last is not None and np.array_equal(self._last[0], y):  # a step asks twice
            return self._last[1]
        if self._inverse is None:
            from scipy.sparse.linalg import splu

            self._inverse = splu(of.matrices["K"].matrix(self._entries["K"]))
            self._sizes = {name: of.matrices[name].matrix(np.abs(self._entries[name])) for name in _SHAPES}
        G, H, S, S_q, S_v = (self._sizes[name] for name in _SHAPES)
        z = np.abs(self._inverse.solve(of.signs * (G @ q + H @ v)[:, None])).max(axis=1)
        self._last = y.copy(), S @ z + S_q @ q + S_v @ v
        return self._last[1]

    def factor(self, key: complex, μ: complex) -> bool:
        """Makes the factors for a shift, which are found by a key; whether there are any."""
        from scipy.sparse.linalg import splu

        shift = μ if key.imag else μ.real
        one, linear, square = self._powers
        try:
            self._factors[key] = shift, splu(self._of.shifted.matrix(one + shift * (linear + shift * square)))
        except RuntimeError:  # exactly singular
            return False
        return True

    def solve(self, key: complex, r: np.ndarray) -> np.ndarray:
        """x = (x_q, x_v) of r = (r_q, r_v)."""
        μ, factors = self._factors[key]
        n, H, S_v = self._of.n, self._H, self._S_v
        r_q, r_v = r[:n], r[n:]
        x_q = factors.solve(np.concatenate([r_v + μ * r_q - S_v @ r_q, -(H @ r_q)]))[:n]
        return np.concatenate([x_q, μ * x_q - r_q])


_BLOCKS = {"S_q": (0, 0, 0), "S_v": (0, 0, 1), "S": (0, 1, 0), "G": (1, 0, 0), "H": (1, 0, 1), "K": (1, 1, 0)}
"""Row and column of a block in the matrix of a shift μ, and the power of μ there; all but K are subtracted."""

_SHAPES = {"G": "mn", "H": "mn", "S": "nm", "S_q": "nn", "S_v": "nn"}
"""Rows and columns: unknowns of the elimination, m, or coordinates, n."""


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
        columns = [
            firsts[:, g] + i % (len(group) // 2) for g, group in enumerate(kind.groups) for i in range(len(group))
        ]
        rates = [i >= len(group) // 2 for group in kind.groups for i in range(len(group))]
        unknown = {u: structure.layout.unknown(kind, u, blocks, structure.at) for u in z}
        formulas: list[Expression] = []
        entries: list[tuple[str, np.ndarray, np.ndarray]] = []

        def take(row: dict[int, Expression], at: np.ndarray, names: Sequence[str]) -> None:
            for c, e in row.items():
                if e is not ZERO:
                    formulas.append(e)
                    entries.append((names[rates[c]], at, columns[c]))

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
                        entries.append(("S", at[i], unknown[0, k]))
        names = [*variables, *kind.constants, time, *kind.own, *z.values()]
        self._evaluator = Evaluator(formulas, names) if formulas else None
        self._kind, self._unknown = kind, [unknown[u] for u in z]
        self._places = [column + n * rate for column, rate in zip(columns, rates, strict=True)]

        self._formulas = {name: [k for k, entry in enumerate(entries) if entry[0] == name] for name, *_ in entries}
        self.places: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for name, some in self._formulas.items():
            rows, cols = (np.concatenate([entries[k][part] for k in some]).astype(int) for part in (1, 2))
            self.places[name] = rows, cols

    def at(self, t: float, y: np.ndarray, parameters: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
        """Values at a state with its unknowns x, by the names of matrices."""
        if self._evaluator is None:
            return {}
        count = len(self._kind)
        given = [y[place] for place in self._places]
        given += list(self._kind.values.T)
        given.append(np.full(count, t))
        given += list(parameters[self._kind.picks].T)
        given += [x[place] for place in self._unknown]
        values = self._evaluator(np.column_stack(given))
        return {name: values[:, some].T.ravel() for name, some in self._formulas.items()}
