"""The diagnosis of large systems: what matrices say of the same system when it is small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile.large import SHAPES, Made, chain, four_bars
from zeromass.equation import Verdict
from zeromass.model import system as model_system


def both(monkeypatch: pytest.MonkeyPatch, made: Any, change: Any = lambda parts, rows: None) -> list[Any]:
    """Diagnoses of one model, sparse and by its matrices."""
    found = []
    for large in (1, 10**6):
        monkeypatch.setattr(model_system, "LARGE", large)
        parts, rows, more, guess = made()
        change(parts, rows)
        system = zm.System(parts, constraints=rows, **more)
        assert system.large == (large == 1)
        monkeypatch.setattr(model_system, "LARGE", 10**6)
        start = system.start(guess=guess) if guess is not None else system.start()
        found.append(system.check(start))
    return found


def same(sparse: Any, dense: Any) -> None:
    for name in ("verdict", "rank", "coordinates", "degrees_of_freedom", "constraint_rank", "constraint_rows", "kinds"):
        assert getattr(sparse, name) == getattr(dense, name), name
    assert len(sparse.dependent) == len(dense.dependent)
    assert bool(sparse.contradictory) == bool(dense.contradictory)
    assert {repr(item.direction) for item in sparse.undetermined} == {
        repr(item.direction) for item in dense.undetermined
    }
    assert {item.remedy for item in sparse.undetermined} == {item.remedy for item in dense.undetermined}


@pytest.mark.parametrize("name", few(sorted(SHAPES, key=("balls", "net").__contains__, reverse=True), 2))
def test_a_shape_is_told_as_by_its_matrices(name: str, monkeypatch: pytest.MonkeyPatch):
    shape, size = SHAPES[name]
    sparse, dense = both(monkeypatch, lambda: shape(size))
    same(sparse, dense)
    assert set(sparse.inseparable) == set(dense.inseparable)
    assert bool(sparse.lost) == bool(dense.lost)
    assert sparse.margin > 1.0


def test_what_has_no_mass_is_named(monkeypatch: pytest.MonkeyPatch):
    """A ghost between two bodies, one more that nothing holds, and a wheel without inertia about its axle."""

    def add(parts: list[Any], rows: dict[str, Any]) -> None:
        ghost, other = zm.Particle("ghost", mass=0.0), zm.Particle("other", mass=0.0)
        wheel = zm.RigidBody("wheel", 1.0, [0.0, 0.3, 0.3])
        parts += [ghost, other, wheel]
        rows["held"] = ghost.position - parts[0].position
        rows["half"] = other.position[2] - ghost.position[2]
        rows["axle"] = wheel.position - parts[1].position - [0.3, 0, 0]

    def made() -> Made:
        parts, rows, more, guess = chain(2)
        return parts, rows, more, guess

    sparse, dense = both(monkeypatch, made, add)
    same(sparse, dense)
    assert len(sparse.undetermined) == 3
    assert not sparse.unique


def test_a_force_on_nothing_is_impossible(monkeypatch: pytest.MonkeyPatch):
    def made() -> Made:
        a, ghost = zm.Particle("a", 1.0), zm.Particle("ghost", 0.0)
        return [a, ghost], {}, {"forces": zm.Force([1.0, 0, 0], at=ghost.position)}, {}

    same(*both(monkeypatch, made))


def test_rows_that_contradict_others_are_named(monkeypatch: pytest.MonkeyPatch):
    def add(parts: list[Any], rows: dict[str, Any]) -> None:
        x = parts[0].position[0]
        rows["driven"] = zm.rate(x) - zm.t
        rows["otherwise"] = zm.rate(x) + zm.t

    sparse, dense = both(monkeypatch, lambda: chain(2), add)
    same(sparse, dense)
    assert {"driven", "otherwise"} & set(sparse.contradictory)


def test_rows_that_repeat_others_follow_from_them(monkeypatch: pytest.MonkeyPatch):
    def add(parts: list[Any], rows: dict[str, Any]) -> None:
        rows["twice"] = 2 * (parts[1].point([-0.5, 0, 0]) - parts[0].point([0.5, 0, 0]))

    sparse, dense = both(monkeypatch, lambda: chain(3), add)
    same(sparse, dense)
    for item in sparse.dependent:
        (name, factor), *more = item.follows_from.items()
        assert not more
        assert abs(factor) == pytest.approx(2.0 if item.row.startswith("twice") else 0.5)
        assert {item.row.split("[")[0], name.split("[")[0]} == {"twice", "joint 1"}


def test_a_singular_position_is_seen(monkeypatch: pytest.MonkeyPatch):
    """Two rods in one line between two fixed points: their rows depend on one another there alone."""

    def made() -> Made:
        p = [zm.Particle(f"p{k}", 1.0) for k in range(3)]
        d = [p[0].position, p[1].position - p[0].position, p[1].position - np.array([3.0, 0, 0])]
        rows = {f"rod {k}": (e @ e - 1) / 2 for k, e in enumerate(d)}
        places = {0: (1.0, 0, 0), 1: (2.0, 0, 0), 2: (0, 0, 5.0)}
        return p, rows, {}, {x: v for k, place in places.items() for x, v in zip(p[k].position, place, strict=True)}

    sparse, dense = both(monkeypatch, made)
    same(sparse, dense)
    assert sparse.lost
    assert dense.lost


def test_rows_that_are_independent_contradict_nothing(monkeypatch: pytest.MonkeyPatch):
    """Three legs of lengths that begin without acceleration: what is left of it is rounding, and so are its terms."""
    monkeypatch.setattr(model_system, "LARGE", 1)
    p, way = zm.Particle("p", 1.0), 0.1 * np.sin(zm.t) * np.array([0.3, -0.2, 1.0])
    feet = np.array([[np.cos(a), np.sin(a), 0.0] for a in (0.2, 2.3, 4.1)])
    rows = {}
    for k, foot in enumerate(feet):
        d, e = p.position - foot, np.array([0, 0, 1.0]) + way - foot
        rows[f"leg {k}"] = (d @ d - e @ e) / (2 * np.sqrt(e @ e))
    system = zm.System([p], constraints=rows, gravity=9.81)
    run = zm.simulate(system, system.start(guess={p.position[2]: 1.0}), until=2.0)
    assert run.outcome.complete
    np.testing.assert_allclose(run.at(2.0)[p.position[2]], 1.0 + 0.1 * np.sin(2.0), rtol=1e-12)


@pytest.mark.parametrize("count", few([100, 1000]))
def test_many_bodies_are_checked_without_matrices(count: int):
    parts, rows, more, guess = chain(count)
    system = zm.System(parts, constraints=rows, **more)
    found = system.check(system.start(guess=guess))
    assert found.unique
    assert (found.rank, found.constraint_rank, found.degrees_of_freedom) == (7 * count, 4 * count, 3 * count)
    assert "sparse_M" not in vars(system)
    assert "sparse_A" not in vars(system)


@pytest.mark.slow
def test_redundant_loops_by_the_hundred():
    parts, rows, more, guess = four_bars(200)
    system = zm.System(parts, constraints=rows, **more)
    found = system.check(system.start(guess=guess))
    assert found.unique
    assert found.degrees_of_freedom == 1


@pytest.mark.parametrize("axis", few([[1.0, -2.0, 0.5], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
def test_a_thin_rod_beside_others_is_named(axis: list[float]):
    """Nothing resists its spin about its own axis, on which it is pinned: the check says so as the run does."""
    along = np.array(axis) / np.linalg.norm(axis)
    parts, rows, more, guess = chain(20)
    rod = zm.RigidBody("thin", 1.0, 0.1 * (np.eye(3) - np.outer(along, along)))
    system = zm.System([*parts, rod], constraints=rows | {"pin": rod.point(-0.5 * along)}, **more)
    assert system.large
    given = dict(zip(rod.coordinates, [*0.5 * along, 0.5, -0.5, 0.5, 0.5], strict=True))
    start = system.start(guess=guess | given)
    diagnosis = system.check(start)
    assert diagnosis.verdict is Verdict.UNDETERMINED
    (open_,) = diagnosis.undetermined
    assert "thin turns about" in open_.motion
    with pytest.warns(zm.errors.RunStopped, match="'thin"):
        assert zm.simulate(system, start, until=0.1).outcome.ending == "non-unique"
