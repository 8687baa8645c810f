"""`frozen` makes what `dataclass(frozen=True)` makes."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from zeromass.frozen import frozen


@frozen(eq=True)
class Ours:
    x: float
    y: float = 2.0
    rest: list[int] = field(default_factory=list, repr=False, compare=False)


@dataclass(frozen=True)
class Theirs:
    x: float
    y: float = 2.0
    rest: list[int] = field(default_factory=list, repr=False, compare=False)


@frozen()
class Itself:
    x: float


@frozen(eq=True, repr=False)
class Further(Ours):
    z: float = 3.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "z", self.z + 1.0)

    def __hash__(self) -> int:
        return 7


def test_values_signatures_and_words_are_those_of_dataclasses():
    ours, theirs = Ours(1.0, rest=[3]), Theirs(1.0, rest=[3])
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert asdict(ours) == asdict(theirs)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    assert str(inspect.signature(Ours)) == str(inspect.signature(Theirs))
    assert Ours.__match_args__ == Theirs.__match_args__


def test_equal_values_are_equal_and_have_one_hash_where_asked():
    assert Ours(1.0) == Ours(1.0, rest=[5])
    assert Ours(1.0) != Ours(2.0)
    assert hash(Ours(1.0)) == hash(Theirs(1.0))
    assert Ours(1.0) != Theirs(1.0)
    one = Itself(1.0)
    assert one == one
    assert one != Itself(1.0)
    assert len({one, Itself(1.0)}) == 2


@pytest.mark.parametrize("value", [Ours(1.0), Itself(1.0), Further(1.0)])
def test_nothing_can_be_changed(value: Any):
    for name in ("x", "new"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(value, name, 5.0)
        with pytest.raises(FrozenInstanceError, match=name):
            delattr(value, name)
    assert value.x == 1.0


def test_heirs_keep_what_they_define():
    heir = Further(1.0)
    assert (heir.z, hash(heir), Further(1.0) == heir) == (4.0, 7, True)
    assert "object at" in object.__repr__(heir)


def test_copies():
    value = Ours(1.0, rest=[3])
    assert replace(value, y=5.0) == Ours(1.0, 5.0)
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        assert other.rest == [3]
