"""Large fronts and those of nets: panels have the bits of rows, what is alike is eliminated alike, memory is lent once."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import zeromass as zm
from compile import large
from zeromass.codegen.target import host
from zeromass.compile.program import program_at
from zeromass.compile.rolled.fronts import tables
from zeromass.compile.rolled.room import Room


def held(made: large.Made) -> tuple[zm.System, zm.State]:
    parts, constraints, more, guess = made
    system = zm.System(parts, constraints=constraints, **more)
    return system, system.start(guess=guess)


@pytest.fixture(scope="module")
def folded() -> tuple[zm.System, zm.State]:
    return held(large.map_folded(12))


@pytest.fixture(scope="module")
def spread() -> tuple[zm.System, zm.State]:
    """A tree with three bodies at the end of each: more than two values are added up in an entry."""
    return held(large.tree(22, lambda k: (k - 1) // 3))


@pytest.mark.parametrize("which", ["folded", "spread"])
@pytest.mark.parametrize("loops", [False, True])
def test_panels_have_the_bits_of_rows_one_after_another(
    which: str, loops: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One state is eliminated row by row, several in panels; with and without code of frequent shapes."""
    if loops:
        monkeypatch.setattr(import_module("zeromass.compile.rolled.fronts"), "SHAPES", 0)
    system, state = request.getfixturevalue(which)
    state.memory.clear()
    program = program_at(system, state)
    tables = program.structure.tables  # type: ignore[attr-defined]
    pivots, unknowns, shape = tables.fronts[:, [0, 2, 10]].T
    assert pivots[shape < 0].max() > 8  # more than one block of pivots
    if which == "spread":
        assert len(tables.sums)
    elif loops:  # panels of all numbers of pivots and rows
        assert set(pivots % 4) == {0, 1, 2, 3} >= set((unknowns - pivots) % 4) >= {0, 2, 3}
    states = np.repeat(state.inputs[None], host().width, axis=0)
    states[:, 1:] += 1e-3 * np.random.default_rng(0).normal(size=states[:, 1:].shape)
    together = program.native.accelerations(states)
    alone, n = program.native.machine("motion", 1), len(state.q)  # type: ignore[attr-defined]
    for row, q̈ in zip(states, together, strict=True):
        assert np.array_equal(alone(0.0, row[1:], np.empty(0), 2 * n)[0][n:, 0], q̈)


def test_masses_of_a_net_are_eliminated_alike(
    folded: tuple[zm.System, zm.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Masses that are held by four rods alike are eliminated alike, in whatever order the rods are."""
    system, state = folded

    def shares() -> tuple[list[tuple[int, ...]], float]:
        state.memory.clear()
        tables = program_at(system, state).structure.tables  # type: ignore[attr-defined]
        return [shape[:3] for shape in tables.shapes], float((tables.fronts[:, 10] >= 0).mean())

    sizes, often = shares()
    monkeypatch.setattr(import_module("zeromass.compile.rolled.fronts"), "ALIKE", 0)
    _, by_number = shares()
    assert sizes == [(3, 3, 7), (4, 3, 10)]  # a mass with its four rods, and one with the rod to a mass that is gone
    assert often > 0.4 > 3 * by_number


def test_an_entry_is_the_sum_of_all_that_is_added_to_it() -> None:
    """One front of three coordinates: none, one and up to four elements at its entries, each with a value of its own."""
    counts = {(0, 0): 1, (0, 1): 4, (0, 2): 2, (1, 1): 3, (2, 2): 1}
    added = [(i, j) for (i, j), count in counts.items() for _ in range(count)]
    i, j = np.array(added).T
    place, random = 1 + np.arange(len(added)), np.random.default_rng(0)
    regions, first = [(1, len(added))], 1 + len(added)
    found = tables([[0]], [3], [3], [(i, j, place)], 0, first, regions)
    assert len(found.sums) == 2 * (4 - 1 + 3 - 1 + 2 - 1) - (
        4 - 1 + 2 - 1
    )  # diagonals are also what pivots are made of
    W = np.append(0.0, random.normal(size=len(added) + found.size))
    for k, (x, y) in enumerate(found.sums):
        W[found.summed + k] = W[x] + W[y]
    filled, exact = np.zeros((3, 4)), np.zeros((3, 4))
    filled[np.triu_indices(3, m=4)] = W[found.slots]
    np.add.at(exact, (i, j), W[place])
    exact[:, 3] = np.diagonal(exact)
    assert np.allclose(filled, exact, rtol=1e-15, atol=0)


def test_no_memory_is_lent_twice() -> None:
    random, room, lent, most = np.random.default_rng(0), Room(100), dict[int, int](), 0
    for _ in range(2000):
        if lent and random.random() < 0.5:
            first = list(lent)[random.integers(len(lent))]
            room.give(first, lent.pop(first))
        else:
            size = int(random.integers(1, 40))
            first = room.take(size)
            assert first >= 100
            assert all(first + size <= a or a + n <= first for a, n in lent.items())
            lent[first] = size
        most = max(most, sum(lent.values()))
    assert room.end - 100 < 1.5 * most
    for first, size in lent.items():
        room.give(first, size)
    assert room.take(room.end - 100) == 100  # all of it is one piece again
