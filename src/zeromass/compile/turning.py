"""The equations of motion with angular accelerations as the unknowns, in place of those of unit quaternions.

Of a rigid body with quaternion u the four unknowns ü and the constraint u·u = 1 follow from three, α = 2 G ü, the rate of
ω̄ = 2 G u̇ [UM2022, eqs. 1, 8]. With N = u·u, which need not be 1, since GGᵀ = N I and Gu = 0:

    ü = (½ Gᵀα − |u̇|² u)/N,    4 EᵀJE ü = Q_u  →  I α = ½ G Q_u/N,    I = S J Sᵀ/N²

What constraints say of S, ω̄ and ω is differentiated as it stands and not through u: with Ω = ω̄/N and σ = u·u̇/N

    Ṡ = Ω × S + 2σ S,    S̈ = α/N × S + Ω × Ṡ,    ω̇ = Sᵀα/N

so that a row of a body that rolls has the components of its lever as entries. It is the same motion, also beside the
constraints, from half as many operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from zeromass.expression import (
    Array,
    Expression,
    directional,
    expressions,
    gradient,
    jacobian,
    rate,
    substitute,
    symbols,
    t,
)
from zeromass.expression.build import ONE, ZERO, add, constant, divide, multiply, negative, subtract
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse
from zeromass.expression.node import symbol
from zeromass.model import RigidBody, System
from zeromass.model.large import Given


class Turn:
    """A body of a system by S, Ṡ, ω̄ and ω, as symbols that stand for their formulas in u and u̇.

    row       of its unit quaternion
    places    of u among the coordinates
    """

    def __init__(self, body: RigidBody, row: int, places: list[int]) -> None:
        self.row: int = row
        self.places: list[int] = places
        self.body: RigidBody = body
        self.u: Array = body.quaternion
        self.v: Array = rate(body.quaternion)
        self.J: Array = body.inertia
        self.S: Array = _fresh("S", (3, 3))
        self.D: Array = _fresh("D", (3, 3))
        self.w: Array = _fresh("w", (3,))
        self.o: Array = _fresh("o", (3,))
        self.inverse: Expression = divide(ONE, _dot(self.u, self.u))
        self.Ω: Array = expressions(self.w * self.inverse)
        self.σ: Expression = multiply(_dot(self.u, self.v), self.inverse)
        self.formulas: dict[Expression, Expression] = {
            **dict(zip(self.S.ravel(), body.rotation.ravel(), strict=True)),
            **dict(zip(self.w, body.angular_velocity, strict=True)),
            **dict(zip(self.o, body.angular_velocity_body, strict=True)),
        }

    @cached_property
    def names(self) -> dict[Expression, Expression]:
        """Formulas of S, ω̄ and ω, without constant factors, with either sign, in these symbols."""
        found: dict[Expression, Expression] = {}
        for name, e in self.formulas.items():
            factor, inner = (e.args[0].value, e.args[1]) if e.op == "multiply" else (1.0, e)
            if factor is not None and inner.args:
                plain = multiply(constant(1.0 / factor), name)
                found[inner], found[negative(inner)] = plain, negative(plain)
        return found

    @cached_property
    def turning(self) -> Array:
        """Ṡ = Ω × S + 2σ S."""
        return expressions(_crossed(self.Ω, self.S) + multiply(constant(2), self.σ) * self.S)

    @cached_property
    def half_G(self) -> Array:
        """½ G/N, shape (3, 4): what a torque is of a force on u; transposed, what ü is of α."""
        return expressions(self.body.inertial_rates * multiply(constant(0.5), self.inverse))

    @cached_property
    def inward(self) -> Expression:
        """u·ü/N = −|u̇|²/N."""
        return negative(multiply(_dot(self.v, self.v), self.inverse))

    @cached_property
    def along(self) -> dict[Expression, Expression]:
        """In which direction time carries the symbols, without α."""
        changes = (
            (self.S, self.D),
            (self.D, _crossed(self.Ω, self.D)),
            (self.u, self.v),
            (self.v, self.inward * self.u),
        )
        return {x: e for old, new in changes for x, e in zip(old.ravel(), expressions(new).ravel(), strict=True)}

    def by_α(self, functions: Array) -> Array:
        """What α does to the rates of some functions of the symbols, shape (functions, 3)."""
        slopes = jacobian(functions, [*self.w, *self.o, *self.v, *self.D.ravel()])
        w, o, v, D = np.split(slopes, [3, 6, 10], axis=1)
        lever = [np.cross(self.S[:, j], D[:, j::3]) for j in range(3)]  # D · (α × S) = α · (S × D)
        return expressions(w + (o @ self.S.T + sum(lever)) * self.inverse + v @ self.half_G.T)

    @cached_property
    def inertia(self) -> tuple[Array, Array]:
        """I = S J Sᵀ/N², and −(Ω × I ω̄ + 2σ I ω̄); where J is diagonal, I = c + Σ (J_k − c) s_k s_kᵀ with s_k = S_k/N."""
        J, w, Ω, σ2 = self.J, self.w, self.Ω, multiply(constant(2), self.σ)
        s = expressions(self.S * self.inverse)
        if any(J[i, j] is not ZERO for i in range(3) for j in range(3) if i != j):
            I = expressions(s @ J @ s.T)
            lower = np.tril_indices(3, -1)
            I[lower] = I.T[lower]
            return I, expressions(-np.cross(Ω, I @ w) - σ2 * (I @ w))
        moments = [J[k, k] for k in range(3)]
        c = max(reversed(moments), key=lambda e: sum(e is other for other in moments))
        I, torque = np.diag([c] * 3), -(c * σ2) * w
        for k in range(3):
            excess, axis = subtract(moments[k], c), s[:, k]
            if excess is not ZERO:
                I = I + excess * np.outer(axis, axis)
                torque = torque - (excess * _dot(axis, w)) * (np.cross(Ω, axis) + σ2 * axis)
        return expressions(I), expressions(torque)


class Turning:
    """A system in the unknowns z: its accelerations, with α in the first three places of ü for each body that turns.

    bodies   those whose kinetic energy is that of a rigid body; the others keep their quaternions
    columns  places of z among the accelerations
    rows     of the system that are left: all but those of unit quaternions
    """

    def __init__(self, system: System) -> None:
        self.system: System = system
        self.bodies: list[Turn] = list(_turns(system))
        gone = {body.row for body in self.bodies}
        self.rows: list[int] = [i for i in range(len(system.rows)) if i not in gone]
        last = {body.places[3] for body in self.bodies}
        self.columns: list[int] = [j for j in range(len(system.coordinates)) if j not in last]
        quaternions = {place for body in self.bodies for place in body.places}
        self.straight: list[int] = [j for j in range(len(system.coordinates)) if j not in quaternions]
        self._names = {e: name for body in self.bodies for e, name in body.names.items()}

    # the equations -----------------------------------------------------------------------------------------------
    @cached_property
    def M(self) -> Sparse:
        """Mass matrix, shape (n', n')."""
        M = self.system.sparse_M.picked(self.columns, self.columns).rows
        for body, at in self.placed:
            for i, row in zip(at, self._meant(body.inertia[0]), strict=True):
                M[i] = dict(zip(at, row, strict=True))  # nothing else gives it mass
        return Sparse(M, len(M))

    @cached_property
    def Q(self) -> Array:
        """Impressed force and gyroscopic torque, shape (n',)."""
        Q = self.impressed.copy()
        for body, at in self.placed:
            Q[at] = Q[at] + self._meant(body.inertia[1])
        return Q

    @cached_property
    def impressed(self) -> Array:
        """Impressed force alone."""
        Q = self.system.Q.copy()
        for body in self.bodies:
            own = _own_force(body)
            Q[body.places] = [_without(total, part) for total, part in zip(Q[body.places], own, strict=True)]
        return self.force(Q)

    def force(self, given: Array) -> Array:
        """A force on the coordinates as one on z: the torque ½ G Q_u on a body."""
        force = given[self.columns]
        for body, at in self.placed:
            force[at] = expressions(body.half_G @ given[body.places])
        return force

    @cached_property
    def A(self) -> Sparse:
        """Constraint matrix, shape (rows, n')."""
        system = self.system
        if not self.bodies:
            return system.sparse_A
        straight = [self._place[j] for j in self.straight]
        A: list[dict[int, Expression]] = [{} for _ in self.rows]
        for formulas, unknown in ((self.at_positions, system.coordinates), (self._of_rates, system.rates)):
            slopes = sparse_jacobian(list(formulas.values()), unknown[self.straight]).rows
            for k, row in zip(formulas, slopes, strict=True):
                A[k] = {straight[j]: e for j, e in row.items()}
        dynamic = {k: system.sparse_A.rows[i] for k, i in enumerate(self.rows) if k not in self.at_rates}
        for k, row in dynamic.items():
            A[k] = {self._place[j]: row[j] for j in self.straight if j in row}
        turned = self._of_bodies(self.at_rates, {**self._named, **{x: body for body in self.bodies for x in body.v}})
        for body, at in self.placed:
            picked = turned.get(body, [])
            if picked:
                slopes = body.by_α(expressions([self.at_rates[k] for k in picked]))
                for k, row in zip(picked, slopes, strict=True):
                    A[k].update(zip(at, row, strict=True))
            for k, row in dynamic.items():
                if not row.keys().isdisjoint(body.places):
                    force = [row.get(j, ZERO) for j in body.places]
                    A[k].update(zip(at, expressions(body.half_G @ expressions(force)), strict=True))
        entries = iter(self._meant([e for row in A for e in row.values()]))
        return Sparse(({j: next(entries) for j in row} for row in A), len(self.columns))

    @cached_property
    def b(self) -> Array:
        """Right side of A z = b."""
        if not self.bodies:
            return self.system.b
        dynamic = len(self.at_rates) < len(self.rows)
        b = self.system.b[self.rows].copy() if dynamic else expressions(np.zeros(len(self.rows)))
        for k, e in zip(self.at_rates, directional(list(self.at_rates.values()), self._along), strict=True):
            b[k] = negative(e)
        for k, i in enumerate(self.rows):
            for body in self.bodies if k not in self.at_rates else ():
                b[k] = subtract(b[k], multiply(self._pulled(i, body), body.inward))
        return self._meant(b)

    def _pulled(self, i: int, body: Turn) -> Expression:
        """A_u·u of a row."""
        row = self.system.sparse_A.rows[i]
        if row.keys().isdisjoint(body.places):
            return ZERO
        return _dot(body.u, expressions([row.get(j, ZERO) for j in body.places]))

    # what constraints say, in the symbols of the bodies -----------------------------------------------------------
    @cached_property
    def at_positions(self) -> dict[int, Expression]:
        """φ of the rows of positions, by their places in `rows`."""
        return self._of_level(0)

    @cached_property
    def _of_rates(self) -> dict[int, Expression]:
        """ψ of the rows of rates."""
        return self._of_level(1)

    @cached_property
    def at_rates(self) -> dict[int, Expression]:
        """φ̇ of the rows of positions and ψ of the rows of rates."""
        rates = directional(list(self.at_positions.values()), self._along)
        return dict(
            sorted([*zip(self.at_positions, rates, strict=True), *self._of_rates.items()], key=lambda row: row[0])
        )

    @cached_property
    def rates(self) -> list[Expression]:
        """w, in the places of z: rates, and ω̄ for each body that turns."""
        found = dict(zip(self.straight, self.system.rates[self.straight], strict=True))
        for body, at in self.placed:
            found |= {self.columns[k]: e for k, e in zip(at, body.body.angular_velocity, strict=True)}
        return [found[j] for j in self.columns]

    @cached_property
    def still(self) -> Array | None:
        """c of A w + c = 0, which is what rows say of rates; None where one says something else, of accelerations, say."""
        entries = [e for row in self.A.rows for e in row.values()]
        if len(self.at_rates) < len(self.rows) or not {*self.system.rates}.isdisjoint(symbols(entries)):
            return None
        moving = [*self.system.rates, *[x for body in self.bodies for x in (*body.D.ravel(), *body.w, *body.o)]]
        said = expressions([self.at_rates[k] for k in range(len(self.rows))])
        return self._meant(substitute(said, dict.fromkeys(moving, ZERO)))

    def _of_level(self, level: int) -> dict[int, Expression]:
        names = {e: name for body in self.bodies for e, name in body.names.items()}
        rows = {k: self.system.rows[i].zero for k, i in enumerate(self.rows) if self.system.rows[i].level == level}
        return dict(zip(rows, substitute(expressions(list(rows.values())), names), strict=True))

    @cached_property
    def _along(self) -> dict[Expression, Expression]:
        """In which direction time carries positions and the symbols of the bodies."""
        q, v = self.system.coordinates[self.straight], self.system.rates[self.straight]
        return {**dict(zip(q, v, strict=True)), t: ONE, **{x: e for body in self.bodies for x, e in body.along.items()}}

    def _meant(self, e: Sequence[Expression] | Array) -> Array:
        """The symbols of the bodies replaced by what they stand for."""
        meant = expressions(e)
        flat = meant.ravel()
        found = self._of_bodies(dict(enumerate(flat)), self._named)
        for body in self.bodies:
            if body in found:
                turning = dict(zip(body.D.ravel(), body.turning.ravel(), strict=True))
                flat[found[body]] = substitute(substitute(flat[found[body]], turning), body.formulas)
        return flat.reshape(meant.shape)

    @cached_property
    def _named(self) -> dict[Expression, Turn]:
        """The bodies, by their symbols."""
        return {x: body for body in self.bodies for x in (*body.S.ravel(), *body.D.ravel(), *body.w, *body.o)}

    def _of_bodies(self, formulas: Mapping[int, Expression], owner: Mapping[Expression, Turn]) -> dict[Turn, list[int]]:
        """The formulas, by their places, in which symbols of each body are."""
        found: dict[Turn, list[int]] = {}
        for k, e in formulas.items():
            leaves = symbols(e) if e.args else (e,)
            for body in dict.fromkeys(owner[x] for x in leaves if x in owner):
                found.setdefault(body, []).append(k)
        return found

    @cached_property
    def _place(self) -> dict[int, int]:
        """Places in z, by those among the accelerations."""
        return {j: k for k, j in enumerate(self.columns)}

    @cached_property
    def placed(self) -> list[tuple[Turn, list[int]]]:
        """The bodies, with the places of α in z."""
        return [(body, [self._place[j] for j in body.places[:3]]) for body in self.bodies]

    # corrections -------------------------------------------------------------------------------------------------
    def residuals(self, level: int) -> tuple[list[int], Array]:
        """Rows that are kept at positions (level 0) or rates (1), and what a correction of z has to add to them.

        The length of the quaternions is corrected beside it, u ← u + s u; what that does to the rows is in it.
        """
        said = self.at_rates if level else self.at_positions
        along: dict[Expression, Expression] = {}
        for body in self.bodies:
            s = self._stretch(body, level)
            changed = (
                ((body.v, s * body.u), (body.D, 2 * s * body.S))
                if level
                else (
                    (body.u, s * body.u),
                    (body.S, 2 * s * body.S),
                )
            )
            along |= {x: e for old, new in changed for x, e in zip(old.ravel(), expressions(new).ravel(), strict=True)}
        missing = [negative(e) for e in said.values()]
        if along:
            changes = directional(list(said.values()), along)
            missing = [subtract(e, change) for e, change in zip(missing, changes, strict=True)]
        return list(said), self._meant(missing)

    def _stretch(self, body: Turn, level: int) -> Expression:
        """s = −(u·u − 1)/2N of positions, −u·u̇/N of rates."""
        return negative(body.σ if level else multiply(self.system.rows[body.row].zero, body.inverse))

    @cached_property
    def _rows_on(self) -> dict[Turn, list[int]]:
        """The rows that are left in which the quaternion of a body is."""
        owner = {j: body for body in self.bodies for j in body.places}
        found: dict[Turn, list[int]] = {body: [] for body in self.bodies}
        for i in self.rows:
            for body in dict.fromkeys(owner[j] for j in self.system.sparse_A.rows[i] if j in owner):
                found[body].append(i)
        return found

    # back --------------------------------------------------------------------------------------------------------
    def acceleration(self, z: Sequence[Expression]) -> tuple[Expression, ...]:
        """q̈ from z."""
        return self._spread(z, [body.inward for body in self.bodies])

    def response(self, z: Sequence[Expression]) -> tuple[Expression, ...]:
        """What of q̈ is proportional to z."""
        return self._spread(z, [ZERO] * len(self.bodies))

    def correction(self, z: Sequence[Expression], level: int) -> tuple[Expression, ...]:
        """δq from δz."""
        return self._spread(z, [self._stretch(body, level) for body in self.bodies])

    def _spread(self, z: Sequence[Expression], along: Sequence[Expression]) -> tuple[Expression, ...]:
        """½ Gᵀα/N + s u for every body, the others as they are."""
        q = dict(zip(self.columns, z, strict=True))
        for (body, at), s in zip(self.placed, along, strict=True):
            half = [multiply(multiply(constant(0.5), body.inverse), z[k]) for k in at]
            q |= dict(zip(body.places, expressions(s * body.u + half @ body.body.inertial_rates), strict=True))
        return tuple(q[j] for j in range(len(self.system.coordinates)))

    def multipliers(self, λ: Sequence[Expression], force: Array) -> tuple[Expression, ...]:
        """λ of all rows: that of a unit quaternion balances what acts along u, u·(f_u + A_uᵀλ) + N λ_u = 0."""
        found = dict(zip(self.rows, λ, strict=True))
        for body in self.bodies:
            pull = _dot(body.u, force[body.places])
            for i in self._rows_on[body]:
                pull = add(pull, multiply(self._pulled(i, body), found[i]))
            found[body.row] = negative(multiply(pull, body.inverse))
        return tuple(found[i] for i in range(len(self.system.rows)))


def turning(system: System) -> Turning:
    """A system by its angular accelerations, derived once."""
    memory = system.memory
    if "turning" not in memory:
        memory["turning"] = Turning(system)
    return memory["turning"]


def _turns(system: System) -> Iterable[Turn]:
    """The rigid bodies whose quaternions nothing but their own kinetic energy gives mass."""
    at = {x: j for j, x in enumerate(system.coordinates)}
    rows = {row.zero: i for i, row in enumerate(system.rows)}
    for body in system.parts:
        if not isinstance(body, RigidBody) or not body.constraints or any(x not in at for x in body.quaternion):
            continue  # it does not turn by coordinates of its own
        (zero,) = body.constraints.values()
        places = [at[x] for x in body.quaternion]
        free = system._free
        if isinstance(free, Given) and free.extra[0] is None:  # nothing else has a kinetic energy
            yield Turn(body, rows[zero], places)
            continue
        p = gradient(body.kinetic, rate(body.quaternion))
        own: list[dict[int, Expression]] = [{} for _ in places]
        for i, row in enumerate(sparse_jacobian(p, rate(body.quaternion)).rows):
            for j, e in row.items():
                if j >= i:  # as in the mass matrix of a system
                    own[i][places[j]] = own[j][places[i]] = e
        if zero in rows and all(system.sparse_M.rows[i] == row for i, row in zip(places, own, strict=True)):
            yield Turn(body, rows[zero], places)


def _own_force(body: Turn) -> Array:
    """Q_u of the kinetic energy alone."""
    ω = body.body.angular_velocity_body
    T = expressions(ω @ body.J @ ω / 2).item()
    return gradient(T, body.u) - directional(gradient(T, body.v), {**dict(zip(body.u, body.v, strict=True)), t: ONE})


def _without(total: Expression, part: Expression) -> Expression:
    """total − part, where part is some of the terms of total."""
    left = _terms(total)
    for sign, term in _terms(part):
        if (sign, term) not in left:
            return subtract(total, part)
        left.remove((sign, term))
    rest = ZERO
    for sign, term in left:
        rest = add(rest, term) if sign > 0 else subtract(rest, term)
    return rest


def _terms(e: Expression) -> list[tuple[int, Expression]]:
    """The terms of a sum with their signs."""
    terms: list[tuple[int, Expression]] = []
    waiting = [(1, e)]
    while waiting:
        sign, node = waiting.pop()
        if node.op in ("add", "subtract"):
            a, b = node.args
            waiting += [(sign if node.op == "add" else -sign, b), (sign, a)]
        elif node.op == "negative":
            waiting.append((-sign, node.args[0]))
        elif node is not ZERO:
            terms.append((sign, node))
    return terms


def _dot(a: Array, b: Array) -> Expression:
    return expressions(a @ b).item()


def _crossed(a: Array, columns: Array) -> Array:
    """a × each column."""
    return expressions(np.cross(a, columns.T).T)


def _fresh(name: str, shape: tuple[int, ...]) -> Array:
    """New symbols."""
    found = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        found[index] = symbol(name + "".join(map(str, index)), "parameter", default=0.0)
    return found
