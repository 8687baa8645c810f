"""What joints see of a part is evaluated with the part: fewer operations, the same accelerations, the same names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile.large import SHAPES, Made, chain, rotated, unit
from zeromass.codegen.target import host
from zeromass.compile.program import program_at
from zeromass.compile.rolled.kinds import kinds_of
from zeromass.compile.rolled.layout import Layout
from zeromass.compile.rolled.structure import elements_of
from zeromass.compile.straight import operations
from zeromass.model import system as model

TASKS = ("motion", "positions", "velocities")


def both(made: Made) -> tuple[zm.System, zm.System]:
    """A system as a large one, and written out."""
    parts, constraints, more, _ = made
    kept, found = model.LARGE, []
    try:
        for model.LARGE in (1, 10**9):
            found.append(zm.System(parts, constraints=constraints, **more))
    finally:
        model.LARGE = kept
    return found[0], found[1]


def mixed(count: int) -> Made:
    """Links of three likenesses in turn, joined by balls and hinges in turn, sprung, with a mass on every second."""
    random = np.random.default_rng(3)
    inertias = [[0.02, 0.1, 0.1], [0.02, 0.09, 0.11], [0.1, 0.1, 0.1]]
    parts: list[Any] = []
    joints: dict[str, Any] = {}
    guess: dict[Any, float] = {}
    stiffness, end, last = zm.parameter("k", 30.0), np.zeros(3), None
    potential: Any = 0.0
    u = unit(random, 0.3)
    for k in range(count):
        body = zm.RigidBody(f"link {k}", 1.0 + 0.1 * (k % 2), inertias[k % 3])
        before = last.point([0.5, 0, 0]) if last is not None else np.array([0.0, 0.02, 0.0]) * np.sin(zm.t)
        joints[f"joint {k}"] = body.point([-0.5, 0, 0]) - before
        if last is not None and k % 2:
            axis = last.rotate([0, 0, 1])
            joints[f"hinge {k}"] = [axis @ body.rotate([1, 0, 0]), axis @ body.rotate([0, 1, 0])]
        else:
            u = unit(random, 0.3)
        if last is not None:
            gap = body.point([0.2, 0.1, 0]) - last.point([-0.2, 0.1, 0])
            potential = potential + stiffness * (gap @ gap) / 2
        half = rotated(u, [0.5, 0, 0])
        guess.update(zip(body.coordinates, [*(end + half), *u], strict=True))
        guess.update(zip(zm.rate(body.quaternion), 0.3 * random.normal(size=4), strict=True))
        parts.append(body)
        if k % 2:
            rider = zm.Particle(f"rider {k}", 0.2)
            joints[f"rider {k}"] = rider.position - body.point([0.1, 0.2, 0])
            guess.update(zip(rider.coordinates, end + half + rotated(u, [0.1, 0.2, 0]), strict=True))
            parts.append(rider)
        end, last = end + 2 * half, body
    return parts, joints, {"gravity": 9.81, "potential": potential}, guess


@pytest.mark.parametrize("lanes", ["one state", "lanes"])
def test_joints_of_every_mixture_of_parts_find_what_they_see(lanes: str) -> None:
    made = mixed(6)
    large, plain = both(made)
    start = large.start(guess=made[3])
    written = plain.start({x: float(start[x]) for x in (*plain.coordinates, *plain.rates)})
    states = np.repeat(start.inputs[None], 1 if lanes == "one state" else host().width, axis=0)
    found = program_at(large, start).native.accelerations(states)
    exact = written.motion.acceleration
    assert np.abs(found - exact).max() < 1e-11 * np.abs(exact).max()


@pytest.mark.parametrize("shape", few(["mixed", "uneven chain", "hinges", "four bars"], 2))
def test_nothing_is_seen_that_costs_more_than_it_saves(shape: str) -> None:
    large, _ = both(mixed(30) if shape == "mixed" else SHAPES[shape][0](30))
    kinds = kinds_of(elements_of(large), plain=False)
    layout, before, after = Layout(kinds, TASKS), 0, 0
    for kind, place in zip(kinds, layout.places, strict=True):
        equations = kind.equations("motion")
        before += len(kind) * operations([*[e for *_, e in equations.matrix], *[e for _, e in equations.right]])
        after += len(kind) * operations([e for _, e in place.results("motion")])
    assert after < 0.9 * before


def test_joints_of_bodies_alike_need_no_code_of_their_own() -> None:
    large, _ = both(SHAPES["tree"][0](30))
    kinds = kinds_of(elements_of(large), plain=False)
    layout = Layout(kinds, TASKS)
    joints = [
        place.results(task)
        for kind, place in zip(kinds, layout.places, strict=True)
        if kind.name == "rows"
        for task in TASKS
    ]
    assert joints
    assert not any(joints)


@pytest.mark.parametrize("shape", few(["mixed", "hinges"]))
def test_tiles_have_what_is_seen_of_parts_in_others(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machines = import_module("zeromass.compile.rolled.machine")
    for name, value in (("SHARED", 1 << 15), ("KEPT", 0)):
        monkeypatch.setattr(machines, name, value)
    made = mixed(24) if shape == "mixed" else SHAPES["hinges"][0](24)
    large, _ = both(made)
    start = large.start(guess=made[3])
    structure = program_at(large, start).structure  # type: ignore[attr-defined]
    y, lanes = np.concatenate([start.q, start.v]), host().width
    p = np.array([start.parameters[x] for x in large.parameters], dtype=float)
    alone, whole, shared = (
        structure.machine("motion", count, shared=some) for count, some in ((1, False), (lanes, False), (lanes, True))
    )
    assert shared.values.nbytes < whole.values.nbytes
    n = len(start.q)
    exact = alone(0.0, y, p, 2 * n)[0][n:]
    for machine in (whole, shared):
        assert np.array_equal(machine(0.0, y, p, n)[0], np.repeat(exact, lanes, axis=1))


def test_a_joint_that_is_not_finite_is_named_though_its_formulas_stand_with_a_part() -> None:
    masses = [zm.Particle(f"p{k}", 1.0) for k in range(50)]
    joints = {f"rail {k}": np.sqrt(mass.position[0]) * mass.position[2] - 0.1 for k, mass in enumerate(masses)}
    system = zm.System(masses, constraints=joints, gravity=9.81)
    assert system.large
    guess = {x: 0.1 for mass in masses for x in mass.coordinates} | {masses[7].position[0]: -1.0}
    with pytest.raises(zm.errors.ZeromassError, match="rail 7"):
        system.start(guess=guess)


@pytest.mark.parametrize("level", range(3))
def test_numbers_time_and_parameters_beside_what_joints_see(level: int) -> None:
    """Joints whose ends are apart, part, or are pulled apart, by so much."""
    p = zm.parameter("p", 0.1)
    apart = np.array([0.05, p + 0.0, 0.02 * np.cos(zm.t)])
    parts, joints, more, guess = chain(5)
    for _ in range(level):
        joints = {name: zm.rate(row) for name, row in joints.items()}
    joints = {name: row - (apart if k else 0.0) for k, (name, row) in enumerate(joints.items())}
    large, plain = both((parts, joints, more, guess))
    start = large.start(guess=guess)
    known = {x: float(start[x]) for x in (*large.coordinates, *large.rates)} | {p: 0.1, zm.t: 0.0}
    asked = [row if order == level else zm.rate(row) for order in range(level, 2) for row in joints.values()]
    assert all(np.abs(zm.expression.evaluate(row, known)).max() < 1e-13 for row in asked)
    exact = plain.start({x: known[x] for x in (*plain.coordinates, *plain.rates)}).motion.acceleration
    found = program_at(large, start).native.accelerations(start.inputs[None])
    assert np.abs(found - exact).max() < 1e-11 * np.abs(exact).max()
