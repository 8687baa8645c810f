"""A program that is run from other starts than the one it was compiled at: its rows are decided again."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile import Program

x, y, z = q = zm.coordinates("x y z")
v = zm.rate(q)
k, m = zm.parameter("k", 1.0), zm.parameter("m", 0.0)
WEIGHT = {"potential": 9.81 * z + x**2, "coordinates": q}

SYSTEMS = {
    "positions": zm.System(kinetic=v @ v / 2, constraints={"a": x + y + z, "b": x + y + k * z}, **WEIGHT),
    "velocities": zm.System(
        kinetic=v @ v / 2, constraints={"a": v[0] + v[1] + v[2], "b": v[0] + v[1] + k * v[2]}, **WEIGHT
    ),
    "both": zm.System(kinetic=v @ v / 2, constraints={"a": x + y + z, "b": v[0] + v[1] + k * v[2]}, **WEIGHT),
}
"""The second row follows from the first one where k = 1."""


def same(program: Program, start: zm.State) -> None:
    one, other = (zm.simulate(what, start, until=0.5) for what in (program, program.system))
    assert one.outcome == other.outcome
    assert np.array_equal(one.y, other.y)
    assert max(map(abs, one.state(0.5).residuals.values())) < 1e-12  # of values up to 5, after projections


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize(("made", "used"), [(1.0, 2.5), (2.5, 1.0)])
def test_with_a_parameter_that_changes_the_rank(name, made, used):
    """Compiled where a row is redundant it dropped the constraint, with a residual of 8.5 m; the other way it ended."""
    system = SYSTEMS[name]
    program = zm.compile(system, system.start({x: 1.0}, parameters={k: made}))
    start = system.start({x: 1.0}, parameters={k: used})
    same(program, start)
    same(*pickle.loads(pickle.dumps((program, start))))
    matrices = [zm.analysis.linearize(what, at=start).A for what in (program, system)]
    np.testing.assert_allclose(*matrices, atol=1e-12)


@pytest.mark.parametrize("other", [False, True])
def test_on_another_branch(other):
    """x y = 0 and x z = 0: on x = 0 one row is left, on y = z = 0 two."""
    system = zm.System(kinetic=v @ v / 2, potential=9.81 * z, coordinates=q, constraints={"a": x * y, "b": x * z})
    starts = [system.start({x: 0.0, y: 1.0, z: 1.0}), system.start({x: 1.0, y: 0.0, z: 0.0})]
    made, used = starts[::-1] if other else starts
    same(zm.compile(system, made), used)


@pytest.mark.parametrize(("made", "used"), [(0.0, 2.0), (2.0, 0.0)])
def test_with_a_mass_that_vanishes(made, used):
    kinetic = (v[0] ** 2 + m * v[1] ** 2 + v[2] ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"a": x + y + z}, **WEIGHT)
    starts = [system.start({x: 1.0, y: 0.3}, parameters={m: value}) for value in (made, used)]
    same(zm.compile(system, starts[0]), starts[1])


def test_where_nothing_changes_the_program_is_the_one_that_was_given():
    system = SYSTEMS["positions"]
    program = zm.compile(system, system.start({x: 1.0}))
    start = system.start({x: 0.7, y: 0.1})
    assert program.at(start) is program
    assert zm.simulate(program, start, until=0.1).segments[0].program is program


def test_members_of_a_study_each_have_their_rank():
    system = SYSTEMS["positions"]
    program = zm.compile(system, system.start({x: 1.0}))
    start = system.start({x: 1.0})
    study = zm.sweep(program, start, over={k: [1.0, 2.5]}, keep={"z": z}, until=0.5)
    runs = [zm.simulate(system, system.start({x: 1.0}, parameters={k: value}), until=0.5) for value in (1.0, 2.5)]
    np.testing.assert_allclose(study["z"], [run.state(0.5)[z] for run in runs], atol=1e-9)  # of two methods at 1e-10


def test_of_a_large_system():
    parts = [zm.Particle(f"p{i}", 1.0) for i in range(45)]
    d = [b.position - a.position for a, b in pairwise(parts)]
    rods = {f"rod {i}": e @ e - 1.0 for i, e in enumerate(d)}
    extra = parts[0].position[0] + (k - 1) * parts[1].position[2]
    system = zm.System(parts, gravity=9.81, constraints={**rods, "pin": parts[0].position, "extra": extra})
    asked = [(part.position, (float(i), 0.0, 0.0)) for i, part in enumerate(parts)]
    for made, used in ((1.0, 2.5), (2.5, 1.0)):
        program = zm.compile(system, system.start(asked, parameters={k: made}))
        assert program.code == "rolled"
        start = system.start(asked, parameters={k: used})
        one, other = (zm.simulate(what, start, until=0.1) for what in (program, system))
        assert one.outcome.complete
        assert np.array_equal(one.y, other.y)
