"""Unilateral constraints: a gap that is never negative, a force that only pushes, and Coulomb friction along it.

    g ≥ 0,   N ≥ 0,   N g = 0                                   contact
    |T| ≤ μ N,   T = −μ N w/|w| where the contact slips         friction, w the slip velocity

Each is open, sticks or slips. Parameters that no user sees, the modes, say which: so one system of equations, and one
machine code, serves all combinations.

A friction pair has no gap: what bounds it is μ N of a contact, as of rolling resistance, or a given force, as of a brake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, jacobian, rate, substitute
from zeromass.expression.build import ZERO
from zeromass.expression.node import symbol
from zeromass.model.given import Number
from zeromass.model.polyhedra import PolyhedraPair, feature_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from zeromass.model.state import State
    from zeromass.model.system import System

MODES = (
    *("closed", "sticks", "slips", "first slip direction", "second slip direction", "gap margin", "force margin"),
    *("normal row", "first row", "second row", "pulls"),
)
"""Parameters of a unilateral constraint: flags of its mode, the unit direction in which a slip begins, what rounding may do,
flags of the rows that are solved for, as of several contacts of one body rows may follow from those of others, and whether a
contact of two sides pulls."""

STEADY = 1e-8
"""Part of √(g r) below which the direction of a slip is that in which it begins: friction turns slower slips at once, and so
their equations of motion are stiff."""


LANDS, RESTED = "lands", "bounces end"
CONTACT_MODES = ("open", "closed", "sticks", "slips")
"""What a contact does: "closed" without friction."""

HAPPENINGS = {"open": "contact lost", "slips": "would slip", "sticks": "slip dies out", "closed": LANDS}
"""What happens at a contact, by the mode that begins."""

INSIDE = "'{name}' begins {depth:.3g} m inside; begin where the gap is open, or closed"
"""What is said of a start with a negative gap."""


@dataclass(frozen=True, eq=False)
class Unilateral:
    """A unilateral constraint, with or without friction.

    name         what messages and results call it
    gap          g, m; None of a friction pair
    slip         w, velocity along two tangents, m/s; zeros where nothing slips
    friction     μ up to which it sticks: a number or a formula, None where it always does
    kinetic      μ where it slips, if that is another one
    restitution  e of impacts
    carrier      the contact whose normal force bounds the friction of a friction pair
    bound        force that bounds it, N, where there is no such contact
    opens        whether it may open: else its normal row always holds
    two_sided    whether it pulls where it does not open
    size         length that rounding of the gap is a part of, m
    speed        that slip velocities are compared with, m/s
    normal       n, inertial components, of a contact whose tangents turn with it; None of others
    words        what its modes are called: "open", "closed", "sticks" and "slips", if not so
    inside       what is said of a start with a negative gap; depth: how deep that is, m, if it is not −g
    approaching  ġ where the gap is closed, m/s, if it is to be another formula than the rate of the gap
    least_bounce height of a bounce, m, below which bounces end, if that is more than rounding
    negligible   force that is rounding, N, of bodies without weight
    sole         whether it is the only contact of its system, which events and impulses do not name
    happenings   what happens where a mode begins, if not as in `HAPPENINGS`
    begins       "closed" or "sticks" where starts have it so unless they say otherwise; as prescribed values have it if ""
    pair         polyhedra of which it is a point of contact, as `feature` says; None of others
    no_slip      what vanishes where it sticks at a start, m/s, of tangents that turn with the normal, of whose axes no start
                 knows: the slip velocity in space, along the normal too
    """

    name: str
    gap: Expression | None
    slip: tuple[Expression, Expression] = (ZERO, ZERO)
    _: KW_ONLY
    friction: Number | None = 0.0
    kinetic: Number | None = None
    restitution: Number = 0.0
    carrier: Unilateral | None = None
    bound: Number | None = None
    opens: bool = True
    two_sided: bool = False
    size: Number = 1.0
    speed: Number = 1.0
    normal: Array | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    inside: str = INSIDE
    depth: Expression | None = None
    approaching: Expression | None = None
    least_bounce: Number = 0.0
    negligible: Number = 0.0
    sole: bool = False
    happenings: Mapping[str, str] = field(default_factory=dict)
    begins: str = ""
    pair: PolyhedraPair | None = None
    no_slip: Array | None = None
    forces: tuple[Symbol, Symbol, Symbol] = field(init=False)
    """Normal force N and friction along the two tangents, N: solved for with the accelerations. As parameters they are the
    forces of rows that follow from others, which the equations do not tell."""
    modes: tuple[Symbol, ...] = field(init=False)
    """`MODES`, in this order."""
    axis: tuple[Symbol, ...] = field(init=False)
    """The axis that the first tangent is perpendicular to, of a contact whose tangents turn with its normal."""
    feature: tuple[Symbol, ...] = field(init=False)
    """`FEATURE`, of a point of contact of two polyhedra."""

    def __post_init__(self) -> None:
        own = {
            "forces": tuple(self._leaf(f"{what} force") for what in ("normal", "first friction", "second friction")),
            "modes": tuple(self._leaf(what) for what in MODES),
            "axis": () if self.normal is None else tangent_axis(self.name),
            "feature": () if self.pair is None else feature_parameters(self.name),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def _leaf(self, what: str) -> Symbol:
        return symbol(f"{self.name} {what}", "parameter", default=0.0, token=f"zeromass unilateral {self.name} {what}")

    @property
    def closed(self) -> Symbol:
        """1 where the gap is closed."""
        return self.modes[0]

    @property
    def sticks(self) -> Symbol:
        """1 where friction holds."""
        return self.modes[1]

    @property
    def slips(self) -> Symbol:
        """1 where it slips with friction."""
        return self.modes[2]

    @property
    def rows(self) -> tuple[Symbol, ...]:
        """1 for each of its three rows that is solved for."""
        return self.modes[7:10]

    @property
    def pulls(self) -> Symbol:
        """1 where a contact of two sides pulls."""
        return self.modes[10]

    @property
    def has_normal(self) -> bool:
        """Whether it has a normal force of its own: a friction pair has none."""
        return self.gap is not None

    @property
    def hidden(self) -> tuple[Symbol, ...]:
        """All parameters that no user sees."""
        return (*self.modes, *self.forces, *self.axis, *self.feature)

    @property
    def approach(self) -> Expression:
        """ġ, m/s, where the gap is closed; zero of a friction pair."""
        if self.gap is None:
            return ZERO
        return as_expression(rate(self.gap)) if self.approaching is None else self.approaching

    @property
    def velocities(self) -> tuple[Expression, Expression, Expression]:
        """ġ and both components of the slip velocity."""
        return (self.approach, *self.slip)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """All that its law is made of."""
        own = (self.gap, *self.slip, self.friction, self.kinetic, self.restitution, self.bound, self.size, self.speed)
        own = (*own, self.least_bounce, self.negligible)
        return tuple(e for e in own if e is not None)

    @property
    def rough(self) -> bool:
        """Whether it always sticks."""
        return self.friction is None

    @property
    def scalar(self) -> bool:
        """Whether nothing slips along it, as along a rope."""
        return all(w is ZERO for w in self.slip)

    @property
    def smooth(self) -> bool:
        """Whether there is no friction."""
        given = [0.0 if e is None else e for e in (self.friction, self.kinetic, self.bound)]
        return self.scalar or (not self.rough and all(as_expression(e) is ZERO for e in given))

    @property
    def spatial(self) -> bool:
        """Whether it may slip in any direction of a plane."""
        return not (self.smooth or self.rough or any(w is ZERO for w in self.slip))

    @cached_property
    def direction(self) -> tuple[Expression, Expression]:
        """Unit vector of the slip along both tangents, also where it is about to begin."""
        slow = STEADY * as_expression(self.speed)
        w = expressions(self.slip)
        begins = slow / (1.0 + (w @ w / slow**2) ** 2)
        w = [as_expression(x + begins * way) for x, way in zip(self.slip, self.modes[3:5], strict=True)]
        size = expressions(w) @ expressions(w)
        length = as_expression(size) ** 0.5
        return as_expression(w[0] / length), as_expression(w[1] / length)

    @property
    def slipping(self) -> Expression:
        """μ where it slips, with the sign of the normal force of a contact of two sides; of a given bound that force."""
        if self.bound is not None:
            return as_expression(self.bound)
        assert self.friction is not None
        μ = as_expression(self.friction if self.kinetic is None else self.kinetic)
        by = self if self.carrier is None else self.carrier
        return as_expression(μ * (1.0 - 2.0 * by.pulls)) if by.two_sided else μ

    def generalized(self, rates: Array) -> Array:
        """Force on the coordinates, Jᵀ F."""
        return jacobian(list(self.velocities), rates).T @ expressions(self.forces)

    def called(self, mode: str) -> str:
        """Its name and a mode, as results tell it."""
        return f"{self.name} {self.words.get(mode, mode)}"

    def happening(self, before: str, after: str, struck: bool) -> str:
        """What results tell where its mode changes, or where it is struck; "" of friction that goes with its carrier."""
        if not self.has_normal and "open" in (before, after):
            return ""
        if self.scalar and "open" in self.words:
            return self.called("closed" if struck else after)
        if before == "open" and after != "open" and as_expression(self.restitution).value != 0.0:
            return self.event_name(RESTED)
        mode = "closed" if struck or before == "open" else after
        return self.event_name(self.happenings.get(mode, HAPPENINGS[mode]))

    def event_name(self, what: str) -> str:
        """What happens, with its name unless it is the only contact."""
        return what if self.sole else f"{self.name}: {what}"

    @property
    def impulse_names(self) -> tuple[str, str]:
        """What results call its impulses along the normal, and along both tangents."""
        of = "" if self.sole else f"{self.name} "
        return f"{of}normal", f"{of}friction"

    @property
    def event_names(self) -> set[str]:
        """All that results may tell of it."""
        modes = product(CONTACT_MODES, CONTACT_MODES, (False, True))
        return {self.happening(before, after, struck) for before, after, struck in modes} - {""}

    def smoothed(self, found: Callable[[Any], Array]) -> Unilateral:
        """The same on the pieces of its formulas."""
        names = ("gap", "friction", "kinetic", "restitution", "bound", "approaching")
        own = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        first, second, *values = found([as_expression(e) for e in (*self.slip, *own.values())]).ravel().tolist()
        vectors = {name: found(e) for name in ("normal", "no_slip") if (e := getattr(self, name)) is not None}
        return replace(self, slip=(first, second), **vectors, **dict(zip(own, values, strict=True)))


def tangent_axis(name: str) -> tuple[Symbol, Symbol, Symbol]:
    """Parameters of the axis that the first tangent of a contact is perpendicular to."""
    one, two, three = (
        symbol(f"{name} axis {k}", "parameter", default=float(k == 0), token=f"zeromass unilateral {name} axis {k}")
        for k in range(3)
    )
    return one, two, three


def tangent_axes(unilaterals: Iterable[Unilateral], state: State) -> dict[Symbol, float]:
    """Axes that are far from the normals of contacts at a state: those of the coordinate that each normal has least of."""
    found: dict[Symbol, float] = {}
    for one in unilaterals:
        if one.normal is not None:
            normal = substitute(one.normal, {leaf: leaf.default or 0.0 for leaf in one.feature})
            least = int(np.argmin(np.abs(state[normal])))
            found |= {leaf: float(i == least) for i, leaf in enumerate(one.axis)}
    return found


def inside_words(system: System, start: State, which: int) -> str:
    """What is said of a start in which a gap is negative."""
    one = system.unilaterals[which]
    assert one.gap is not None
    depth = np.nan if one.pair is not None else float(start[-one.gap if one.depth is None else one.depth])
    return one.inside.format(name=one.name, depth=depth)


def beginning(unilaterals: Iterable[Unilateral], modes: Mapping[str, str]) -> list[tuple[Expression, float]]:
    """What starts prescribe so that unilateral constraints begin in their modes: pairs of expressions and zero.

    modes  of those by name that begin otherwise: "open", "slips" or "closed", "sticks"
    """
    found: list[tuple[Expression, float]] = []
    for one in unilaterals:
        mode = modes.get(one.name, one.begins)
        if mode in ("closed", "slips", "sticks") and one.gap is not None:
            found.append((one.gap, 0.0))
            if mode != "sticks" or one.no_slip is None:
                found.append((as_expression(rate(one.gap)), 0.0))
        if mode == "sticks":
            found += [(w, 0.0) for w in (one.slip if one.no_slip is None else one.no_slip) if w is not ZERO]
    return found


def told_apart(unilaterals: Iterable[Unilateral]) -> tuple[Unilateral, ...]:
    """Unilateral constraints of one system, each with a name of its own."""
    found = tuple(unilaterals)
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise ModelError(f"two contacts have the name '{twice[0]}'; give each its own with name=…")
    return found


def hidden_parameters(unilaterals: Iterable[Unilateral]) -> list[Symbol]:
    """Those of several."""
    return [leaf for one in unilaterals for leaf in one.hidden]


def with_forces(Q: Array, unilaterals: Sequence[Unilateral], rates: Array) -> Array:
    """Forces on the coordinates, with those of unilateral constraints."""
    for one in unilaterals:
        Q = expressions(Q + one.generalized(rates))
    return Q
