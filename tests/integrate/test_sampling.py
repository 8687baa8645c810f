"""Expressions at eight nodes of each step, in machine code: what `Run.at` says of them, and the same in lanes as alone."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from zeromass.expression import expressions
from zeromass.integrate.sampling import PLACES, node_samples

MODULE = sys.modules["zeromass.integrate.sampling"]

x, y = zm.coordinates("x y")
u, w = zm.rate(x), zm.rate(y)
ROD = zm.System(
    kinetic=(u**2 + w**2) / 2,
    potential=9.81 * y,
    forces={x: -0.1 * u, y: -0.1 * w},
    constraints={"rod": x**2 + y**2 - (1 + 0.1 * np.sin(zm.t)) ** 2},
)
START = ROD.start({x: 0.6, u: 0.0}, guess={y: -0.8})
KICKED = zm.System(kinetic=u**2 / 2, potential=x**2 / 2, forces={x: -0.3 * np.sign(u) + 0.4 * np.sin(zm.t)})


def rod(**settings: object) -> zm.Run:
    return zm.simulate(ROD, START, until=10.0, **settings)  # pyright: ignore[reportArgumentType]


def kicked() -> zm.Run:
    return zm.simulate(KICKED, KICKED.start({x: 2.0, u: 0.0}), until=20.0)


def two_rods() -> zm.Run:
    """Whose pivots are chosen anew on the way."""
    bodies = [zm.RigidBody(name, mass=1.0, inertia=[0.1, 0.2, 0.2]) for name in "ab"]
    ends = [bodies[0].point([-0.5, 0, 0]), bodies[1].point([-0.5, 0, 0]) - bodies[0].point([0.5, 0, 0])]
    system = zm.System(bodies, gravity=9.81, constraints={"first": ends[0], "second": ends[1]})
    guess = [(bodies[0].position, (0.5, 0, 0)), (bodies[1].position, (1.5, 0, 0))]
    turning = [
        (zm.rate(bodies[0].quaternion), (0, 0.3, 0.2, 0.9)),
        (zm.rate(bodies[1].quaternion), (0, 0.1, -2.0, 0.3)),
    ]
    run = zm.simulate(system, system.start(guess=guess + turning), until=2.0, limits=zm.Limits(growth=3.0))
    assert run.statistics.repivots
    return run


RUNS: dict[str, Callable[[], zm.Run]] = {
    "on a rod": rod,
    "short": lambda: zm.simulate(ROD, START, until=1e-4),
    "backward": lambda: zm.simulate(ROD, rod().state(10.0), until=0.0),
    "not projected": lambda: rod(project=False),
    "dop853": lambda: rod(method="dop853"),
    "radau": lambda: rod(method="radau"),
    "with switches": kicked,
    "with new pivots": two_rods,
}


@pytest.mark.parametrize("name", RUNS)
def test_samples_at_nodes_are_values_of_the_run(name):
    """To a tenth of the tolerance, relative to the largest value; at the ends of steps to the bit, or nearly.

    What is not projected has accelerations of the last iteration, and knows nothing of states that another method
    interpolates less well: it is off by more.
    """
    run = RUNS[name]()
    e = expressions([run.system.energy, run.system.coordinates[0], run.system.accelerations[0] * 1e-3])
    for segment in run.segments:
        steps = len(segment.t) - 1
        for projected in (True, False):
            seen = list(node_samples(segment, e, projected=projected))
            assert sum(len(part.t) for part in seen) == steps
            if not seen:
                continue
            t, values = (np.concatenate([getattr(part, name) for part in seen]) for name in ("t", "values"))
            assert np.allclose(t, segment.t[:-1, None] + np.diff(segment.t)[:, None] * PLACES, rtol=1e-14, atol=1e-15)
            assert np.array_equal(t[:, -1], segment.t[1:])
            exact = segment.at(t.ravel())[e].reshape(values.shape)
            size = np.abs(exact).max(axis=(0, 1)) + 1e-3
            near = 0.1 if projected else 2.0 if run.settings.method == "collocation" else 10.0
            assert np.all(np.abs(values - exact) <= near * run.settings.rtol * size)
            assert np.allclose(values[:, -1, :2], segment.steps[e][1:, :2], rtol=1e-13, atol=1e-15)


def test_in_lanes_and_one_after_another_the_bits_are_the_same(monkeypatch):
    """Whether corrections in lanes are made is a matter of time, and of nothing else."""
    run = rod()
    (segment,), e = run.segments, expressions([ROD.energy, ROD.kinetic, u * ROD.accelerations[0]])
    monkeypatch.setattr(MODULE, "MANY", 1)
    lanes = np.concatenate([part.values for part in node_samples(segment, e)])
    monkeypatch.setattr(MODULE, "MANY", 10**9)
    alone = np.concatenate([part.values for part in node_samples(segment, e)])
    assert np.array_equal(lanes, alone)


def test_parts_say_the_same_as_the_whole(monkeypatch):
    run = rod()
    (segment,), e = run.segments, expressions([ROD.energy])
    whole = np.concatenate([part.values for part in node_samples(segment, e)])
    monkeypatch.setattr(MODULE, "AT_ONCE", 1)
    monkeypatch.setattr(MODULE, "FEWEST", 7)
    monkeypatch.setattr(MODULE, "BLOCK", 50)
    parts = list(node_samples(segment, e))
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([part.values for part in parts]), whole)


def test_what_a_file_says_of_a_run_is_looked_at_too(tmp_path):
    """Polynomials that are given are those that are asked."""
    run = rod()
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    (segment,), e = again.segments, expressions([again.system.energy])
    (part,) = node_samples(segment, e)
    assert np.allclose(
        part.values[..., 0].ravel(), again.at(part.t.ravel())[again.system.energy], rtol=1e-14, atol=1e-14
    )
