"""Memory of large systems: tiles that share it find the bits of those that keep everything, and need less of it."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import zeromass as zm
from compile.large import SHAPES
from zeromass.codegen.target import host
from zeromass.compile.program import program_at
from zeromass.compile.rolled.plan import Pass, Plan, Tile
from zeromass.compile.rolled.structure import Structure
from zeromass.model import system as model

COUNTS = {"uneven chain": 40, "tree": 40, "hinges": 30, "net": 7, "four bars": 12, "balls": 12}
FEW = ("tree", "four bars", "balls")


def structure_of(shape: str, count: int) -> tuple[Structure, np.ndarray]:
    parts, constraints, more, guess = SHAPES[shape][0](count)
    kept = model.LARGE
    try:
        model.LARGE = 1
        system = zm.System(parts, constraints=constraints, **more)
    finally:
        model.LARGE = kept
    start = system.start(guess=guess)
    return program_at(system, start).structure, np.concatenate([start.q, start.v])  # type: ignore[attr-defined]


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the caches were small."""
    monkeypatch.setattr(import_module("zeromass.compile.rolled.machine"), "SHARED", 1 << 16)
    monkeypatch.setattr(import_module("zeromass.compile.rolled.machine"), "KEPT", 0)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("shape", [x if x in FEW else pytest.param(x, marks=pytest.mark.slow) for x in COUNTS])
def test_tiles_that_share_memory_have_the_bits_of_those_that_do_not(shape: str) -> None:
    structure, y = structure_of(shape, COUNTS[shape])
    lanes, n = host().width, len(y) // 2
    whole, shared = (structure.machine("motion", lanes, shared=some) for some in (False, True))
    assert shared.values.nbytes < 0.7 * whole.values.nbytes
    for _ in range(2):
        (q̈, growth), (exact, grown) = (machine(0.0, y, np.empty(0), n) for machine in (shared, whole))
        assert np.array_equal(q̈, exact)
        assert np.array_equal(growth, grown)


@pytest.mark.usefixtures("crowded")
def test_fronts_without_code_of_their_own_share_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are filled twice, with what fronts of other tiles have left over: it is added up each time anew."""
    monkeypatch.setattr(import_module("zeromass.compile.rolled.fronts"), "SHAPES", 0)
    structure, y = structure_of("tree", 40)
    lanes, n = host().width, len(y) // 2
    whole, shared = (structure.machine("motion", lanes, shared=some) for some in (False, True))
    assert len(structure.tables.sums)
    assert shared.values.nbytes < 0.7 * whole.values.nbytes
    (q̈, growth), (exact, grown) = (machine(0.0, y, np.empty(0), n) for machine in (shared, whole))
    assert np.array_equal(q̈, exact)
    assert np.array_equal(growth, grown)


@pytest.mark.usefixtures("crowded")
def test_what_must_be_refined_is_left_to_a_plan_that_keeps_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is exact to less than a rounding: every evaluation is suspected."""
    loops = import_module("zeromass.compile.rolled.loops")
    machines = import_module("zeromass.compile.rolled.machine")
    monkeypatch.setattr(loops, "TRUSTED", 1e-20)
    monkeypatch.setattr(machines, "loops", machines.loops.__wrapped__)
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    structure, y = structure_of("tree", 30)
    lanes, n = host().width, len(y) // 2
    whole, shared = (structure.machine("motion", lanes, shared=some) for some in (False, True))
    exact, found = (machine(0.0, y, np.empty(0), n)[0] for machine in (whole, shared))
    assert shared.plan[Plan.skipped] == machines.SKIPPED
    assert np.array_equal(found, exact)
    assert np.array_equal(shared(0.0, y, np.empty(0), n)[0], exact)
    assert shared.plan[Plan.skipped] == machines.SKIPPED - 1


@pytest.mark.usefixtures("crowded")
def test_parts_that_do_not_hang_together_are_not_computed_twice() -> None:
    from zeromass.compile.rolled.memory import sparing
    from zeromass.compile.rolled.tiles import tiles_of

    passes = {}
    for shape in ("balls", "tree"):
        s, _ = structure_of(shape, 24)
        tiles = tiles_of(s.layout, s.blocks, s.at, s.tables, 5)
        assert len(tiles.fronts) > 3
        walk = sparing(s.layout, "motion", s.blocks, s.at, s.tables, tiles).walk
        assert sorted(walk[walk[:, 1] == Pass.back, 0]) == list(range(len(tiles.fronts) - 1))
        passes[shape] = int((walk[:, 1] == Pass.again).sum()), len(tiles.fronts) - 1
    assert passes["balls"][0] == 0
    assert passes["tree"][0] == passes["tree"][1] - 1


def test_parts_whose_entries_are_all_numbers_fall():
    """Nothing depends on the state, so that there is no kernel: z̈ = −g."""
    balls = [zm.Particle(f"ball {k}", 1.0) for k in range(44)]
    system = zm.System(balls, gravity=9.81)
    run = zm.simulate(system, system.start(), until=0.5)
    assert run.program.code == "rolled"
    assert np.abs(run.y[-1].reshape(2, 44, 3)[0] - [0, 0, -9.81 / 8]).max() < 1e-14


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("shape", ["tree", "balls"])
def test_tiles_ask_for_what_they_read_and_nothing_else(shape: str) -> None:
    """Numbers that are not asked for may be anything; slopes have one tile each."""
    from zeromass.compile.rolled.asking import asked
    from zeromass.compile.rolled.memory import sparing
    from zeromass.compile.rolled.tiles import tiles_of

    s, y = structure_of(shape, 24)
    n, tiles = len(y) // 2, tiles_of(s.layout, s.blocks, s.at, s.tables, 5)
    memory = sparing(s.layout, "motion", s.blocks, s.at, s.tables, tiles)
    found = asked(s.layout, "motion", s.firsts, memory)
    rows = {name: [k for a, count in some.tolist() for k in range(a, a + count)] for name, (some, _) in found.items()}
    assert sorted(rows[Tile.slopes]) == list(range(n))
    read = np.zeros(2 * n, dtype=bool)
    read[rows[Tile.states]] = True
    assert read.sum() == len(rows[Tile.states]) < 2 * n
    machine = s.machine("motion", host().width, shared=True)
    exact = machine(0.0, y, np.empty(0), n)[0]
    assert np.array_equal(machine(0.0, np.where(read, y, np.nan), np.empty(0), n)[0], exact)
