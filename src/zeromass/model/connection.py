"""What a joint is to a system: rows of constraints with multipliers and massless coordinates of their own."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from zeromass.errors import AngleInDegrees, ModelError, user_stack_level
from zeromass.expression import Array, Expression, Symbol
from zeromass.model.constraint import Row
from zeromass.model.given import given_all, shown
from zeromass.model.parts import Part

if TYPE_CHECKING:
    from zeromass.model.contact import ContactPoint
    from zeromass.model.event import Event
    from zeromass.model.unilateral import Unilateral


class Connection(Protocol):
    """Something that holds parts together.

    name         what messages and results call it; its rows are of the group of this name
    rows         its constraints
    multipliers  one for each row, named "λ " and the row's name
    coordinates  massless ones that come with it
    parts        those that it connects
    usual        first guesses for its coordinates whose natural value is not zero
    unilaterals  what of it is open or closed, sticks or slips
    contacts     where it lets bodies touch, with the forces there
    events       watched in every run
    """

    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def multipliers(self) -> Array: ...
    @property
    def coordinates(self) -> Sequence[Symbol]: ...
    @property
    def parts(self) -> Sequence[Part]: ...
    @property
    def usual(self) -> Mapping[Symbol, float]: ...
    @property
    def unilaterals(self) -> Sequence[Unilateral]: ...
    @property
    def contacts(self) -> Sequence[ContactPoint]: ...
    @property
    def events(self) -> Sequence[Event]: ...


def connected(joints: Iterable[Connection], parts: Sequence[Part]) -> tuple[Connection, ...]:
    """Joints between parts of a system, each with a name of its own."""
    if _is_connection(joints):
        raise ModelError(f"joints is a list of joints: write [{joints.name}]")
    found: list[Any] = given_all(joints, object, "joints", "a joint, such as zm.joints.Revolute(…)")
    known = {id(part) for part in parts}
    for joint in found:
        if not _is_connection(joint):
            if hasattr(joint, "generalized"):
                raise ModelError("joints=[…] contains a force, as of a motor, spring or damper; give it in forces=[…]")
            raise ModelError(f"joints are zm.joints.Revolute, zm.joints.Spherical and the like, not {shown(joint)}")
        for part in joint.parts:
            if id(part) not in known:
                raise ModelError(f"joint '{joint.name}' holds '{part.name}', which is no part of the system")
    twice = [name for name, count in Counter(joint.name for joint in found).items() if count > 1]
    if twice:
        raise ModelError(f"two joints have the name '{twice[0]}'; give each its own with name=…")
    return tuple(found)


NAMES = ("name", "rows", "multipliers", "coordinates", "parts", "usual", "unilaterals", "contacts", "events")


def _is_connection(value: Any) -> TypeGuard[Connection]:
    """Whether a value has what a connection has.

    Nothing of it is evaluated: formulas are ordered by their age, and a search in the order of a set, as isinstance makes in
    Python 3.11, would let the last bits of a run depend on the hash seed of the process.
    """
    nothing = object()
    return all(getattr_static(value, name, nothing) is not nothing for name in NAMES)


def names_of(joints: Iterable[Connection]) -> dict[Expression, str]:
    """Formulas that joints have names for, as the rate of a hinge; a connection need not have any."""
    return {e: name for joint in joints for e, name in getattr(joint, "named", {}).items()}


def warn_of_degrees(joints: Iterable[Connection], values: Mapping[Expression, float]) -> None:
    """Warns of angles of joints that are a whole number of radians beyond a turn; a connection need not have any."""
    for joint in joints:
        for angle in getattr(joint, "angles", ()):
            value = values.get(angle, 0.0)
            if abs(value) > 2 * math.pi and value == round(value):
                turns = value / (2 * math.pi)
                words = f"'{angle.name}' is {value:g} rad, {turns:.3g} turns; for degrees give np.radians({value:g})"
                warnings.warn(words, AngleInDegrees, stacklevel=user_stack_level())
