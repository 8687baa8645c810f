"""Orders of elimination of large systems: what holds halves together goes last, and no order changes the motion."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile.program import program_at
from zeromass.compile.rolled.dissection import rounds
from zeromass.compile.rolled.order import _trunks, elimination_order

PARTICLE, ROD = 3, 1


def square(side: int) -> list[tuple[int, int]]:
    """Rods of a square net, by the two masses that each holds."""
    return [
        (side * i + j, side * (i + di) + j + dj)
        for i in range(side)
        for j in range(side)
        for di, dj in ((1, 0), (0, 1))
        if i + di < side and j + dj < side
    ]


def products(fronts: list[list[int]], sizes: list[int], parts: int, held: list[tuple[int, int]]) -> int:
    """Products of an elimination, counted block by block on the graph itself."""
    near: list[set[int]] = [set() for _ in sizes]
    for k, some in enumerate(held):
        for b in some:
            near[b].add(parts + k)
            near[parts + k].add(b)
    total = 0
    for b in (b for some in fronts for b in some):
        around = near[b]
        for _ in range(sizes[b]):
            n = sum(sizes[c] for c in around)
            total += n * (n + 1) // 2
        for c in around:
            near[c] |= around
            near[c] -= {b, c}
        near[b] = set()
    return total


def ordered(side: int) -> tuple[list[list[int]], list[int], int, list[tuple[int, int]]]:
    held, parts = square(side), side * side
    sizes = [PARTICLE] * parts + [ROD] * len(held)
    return elimination_order(sizes, parts, held, [], set(), set()), sizes, parts, held


def test_every_block_goes_once_and_multipliers_after_what_they_hold() -> None:
    fronts, sizes, parts, held = ordered(9)
    order = [b for some in fronts for b in some]
    assert sorted(order) == list(range(len(sizes)))
    place = np.argsort(order)
    assert all(place[parts + k] > max(place[list(some)]) for k, some in enumerate(held))
    assert all(sorted(some, key=lambda b: b >= parts) == some for some in fronts)  # coordinates come first in a front


def test_coordinates_come_first_in_a_front_of_parts_with_multipliers_of_their_own() -> None:
    """Two bodies that are coupled, each with the multiplier of its quaternion, go one after the other."""
    sizes, parts, held = [8, 8, 3], 2, [(0, 1)]
    assert elimination_order(sizes, parts, held, [(0, 1)], set(), set()) == [[0, 1, 2]]
    apart = elimination_order(sizes, parts, held, [(0, 1)], set(), set(), {0, 1})
    assert apart == [[0], [1, 2]]


def test_halves_have_no_rods_in_common() -> None:
    """Without the rods of the last round the net falls apart, and no piece has more than 60 % of the masses."""
    side = 20
    held, parts = square(side), side * side
    late = rounds([PARTICLE] * parts + [ROD] * len(held), parts, held, np.zeros(parts + len(held), dtype=bool))[parts:]
    assert side <= np.sum(late == late.max()) <= 1.5 * side  # a straight cut has as many rods as the net is wide
    piece = list(range(parts))

    def root(b: int) -> int:
        while piece[b] != b:
            b = piece[b]
        return b

    for k, (a, b) in enumerate(held):
        if late[k] < late.max():
            piece[root(a)] = root(b)
    assert np.bincount([root(b) for b in range(parts)]).max() <= 0.6 * parts


def test_products_of_a_plane_net_grow_with_its_size_to_the_power_of_three_halves() -> None:
    """At most 12 n^1.5 for n masses, 2 n rods: least fill alone takes 27 n^1.5 for 2,500 masses."""
    for side in (16, 32):
        assert products(*ordered(side)) < 12 * side**3


def test_rows_of_parts_are_not_dissected() -> None:
    """A ladder, whose cuts are narrow, is eliminated along: halving it would only lengthen the fronts."""
    held = [(k, k + 1) for k in range(99)] + [(k, k + 2) for k in range(98)]
    assert not rounds([6] * 100 + [3] * len(held), 100, held, np.zeros(100 + len(held), dtype=bool)).any()


@pytest.fixture(scope="module")
def hanging() -> tuple[zm.System, zm.State]:
    """A net of 49 masses, folded and hung up at a corner."""
    held = square(7)
    masses = [zm.Particle(f"p {k}", 1.0 + 0.01 * k) for k in range(49)]
    rods, guess = {}, {}
    for k, mass in enumerate(masses):
        i, j = divmod(k, 7)
        guess.update(zip(mass.position, [0.7 * i, 0.7 * j, 0.35 * (-1) ** i + 0.35 * (-1) ** j], strict=True))
    for a, b in held:
        d = masses[a].position - masses[b].position
        rods[f"rod {a} {b}"] = (d @ d - 0.98) / 2
    rods["corner"] = masses[0].position - np.array([0.0, 0.0, 0.7])
    system = zm.System(masses, gravity=9.81, constraints=rods)
    return system, system.start(guess=guess)


def test_tiles_do_not_change_a_bit(hanging: tuple[zm.System, zm.State], monkeypatch: pytest.MonkeyPatch) -> None:
    system, start = hanging
    found = []
    for size in (1 << 30, 1 << 12):
        monkeypatch.setattr(import_module("zeromass.compile.rolled.tiles"), "TILE", size)
        start.memory.clear()
        native = program_at(system, start).native
        states = np.repeat(start.inputs[None], 3, axis=0)
        states[1:, 1:] += 0.01 * np.random.default_rng(2).normal(size=states[1:, 1:].shape)
        found.append((native.accelerations(states), native.growth(states), native.multipliers(states)))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_a_dissected_net_moves_as_its_equations_say(
    hanging: tuple[zm.System, zm.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against M q̈ − Aᵀλ = Q and A q̈ = b with all their zeros, solved by pivoting on the whole."""
    monkeypatch.setattr(import_module("zeromass.compile.rolled.dissection"), "WIDE", 1)
    system, start = hanging
    assert system.large
    start.memory.clear()
    M, Q, A, b = (np.asarray(x) for x in start.matrices[:4])
    whole = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    exact = np.linalg.solve(whole, np.concatenate([Q, b]))[: len(M)]
    found = program_at(system, start).native.accelerations(start.inputs[None])[0]
    assert np.abs(found - exact).max() < 1e-11 * np.abs(exact).max()


def rope(count: int, axis: list[float]) -> zm.System:
    """Rods in a row on hinges whose axes are parallel: it is stiff across the plane of its motion, and limp in it."""
    z = np.array(axis) / np.linalg.norm(axis)
    along = np.cross(z, [0.2, -0.5, 0.8])
    along /= np.linalg.norm(along)
    rods = [zm.RigidBody(f"rod {k}", 1.0, (0.02, 0.1, 0.11), at=(k + 0.5) * along) for k in range(count)]
    before = [zm.Ground(), *rods]
    hinges = [zm.joints.Revolute(before[k], rod, at=k * along, axis=z) for k, rod in enumerate(rods)]
    return zm.System(rods, joints=hinges, gravity=9.81)


@pytest.mark.parametrize("axis", [[0.0, 1.0, 0.0], [0.3, 0.6, 1.0]])
def test_no_digits_are_lost_along_a_rope(axis: list[float]) -> None:
    """From the ground outwards the growth of pivots does not know how long it is; from its free end it would be n²."""
    growth = []
    for count in (30, 120):
        system = rope(count, axis)
        start = system.start()
        program = program_at(system, start)
        growth.append(float(program.native.growth(start.inputs[None])[0]))
        assert zm.simulate(system, start, until=1e-3).outcome.complete
    assert growth[1] < 1.1 * growth[0] < 50


def test_angles_of_joints_have_inertia_from_the_bodies_that_they_turn() -> None:
    """Massless coordinates are eliminated behind the multipliers of their joints: no row needs a weight for them."""
    from zeromass.compile.rolled.structure import Structure

    system = rope(40, [0.3, 0.6, 1.0])
    start = system.start()
    y = np.concatenate([start.q, start.v])
    structure = Structure(system, 0.0, y, np.empty(0))
    assert not any(kind.coupled for kind in structure.kinds)
    angles = [b for b, block in enumerate(structure.elements.blocks) if block.part is None]
    place = {b: k for k, b in enumerate(b for some in structure.fronts for b in some)}
    held = {c: structure.blocks.parts + m for m, some in enumerate(structure.blocks.held) for c in some if c in angles}
    assert set(held) == set(angles)
    assert all(place[m] < place[c] for c, m in held.items())
    for task in ("positions", "velocities"):  # nothing says where angles are, but how they turn
        step, _ = structure.machine(task, 1)(0.0, y, np.empty(0), len(y) // 2)
        assert np.abs(step).max() < 1e-13  # some units of rounding of places 40 m away


def test_trunks_are_the_longest_ways_of_trees_from_the_ground() -> None:
    chain = [(k, k + 1) for k in range(40)]
    assert _trunks(41, [(0,), *chain]) == [list(range(41))]
    assert _trunks(41, [(40,), *chain]) == [list(range(41))[::-1]]
    twig = [(20, 41), (41, 42)]
    assert _trunks(43, [(0,), *chain, *twig]) == [list(range(41))]
    assert _trunks(41, [(0,), *chain, (3, 30)]) == []  # a loop
    assert _trunks(8, [(0,), *chain[:7]]) == []  # short
    (free,) = _trunks(41, chain)
    assert {free[0], free[-1]} == {0, 40}


def test_coordinates_are_determined_by_the_rows_that_they_change() -> None:
    """Each by its own rows, though the instances of a kind are put into the order of elimination."""
    from zeromass.compile.rolled.structure import Structure

    count = 50
    points = [zm.Particle(f"p{k}", 1.0) for k in range(count)]
    slides = [zm.coordinate(f"s{k}") for k in range(count)]
    rows = dict[str, zm.expression.Expression]()
    for k, (p, s) in enumerate(zip(points, slides, strict=True)):
        x, y, z = p.position
        rows |= {f"place {k}": x + y * (s - 1.0), f"rate {k}": zm.rate(s - z)}
    system = zm.System(points, constraints=rows)
    q = dict.fromkeys(system.coordinates, 0.0)
    q |= dict.fromkeys(slides, 1.0)
    q |= {p.position[1]: 0.1 for p in points[::3]}  # where y is zero, only the rate of s is constrained
    state = np.array([*[q[x] for x in system.coordinates], *np.zeros(len(system.coordinates))])
    structure = Structure(system, 0.0, state, np.empty(0))
    first = {x: b for b, block in enumerate(structure.elements.blocks) for x in block.coordinates}
    found = structure.determined(0)[structure.at[[first[s] for s in slides]]]
    assert found.tolist() == [k % 3 == 0 for k in range(count)]
