"""Studies of systems whose formulas switch: members are moved over their switches in machine code."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.stepping.loop import Loop

x = zm.coordinate("x")
v, μ, speed = zm.rate(x), zm.parameter("mu", 0.3), zm.parameter("speed", 1.0)


def block() -> tuple[zm.System, zm.State]:
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -μ * 9.81 * np.sign(v)})
    return system, system.start({x: 1.0, v: speed})


def test_members_have_the_bits_of_their_runs_and_need_no_python(monkeypatch):
    """Parameters of the model and of the start; a block comes to rest where |10 x| ≤ 9.81 μ."""
    system, start = block()
    made: list[Loop] = []
    init = Loop.__init__
    monkeypatch.setattr(Loop, "__init__", lambda self, *a, **k: made.append(self) or init(self, *a, **k))
    over = {μ: np.linspace(0.05, 0.6, 7), speed: [-2.0, 0.0, 1.0]}
    study = zm.sweep(system, start, until=10.0, over=over, keep={"x": x, "v": v}, rtol=1e-9)
    assert not made
    assert set(study.outcome.values.ravel().tolist()) == {"finished"}
    for i, friction in enumerate(over[μ]):
        for j, first in enumerate(over[speed]):
            run = zm.simulate(system, start.again({μ: friction, speed: first}), until=10.0, rtol=1e-9, method="dop853")
            assert [study.x.values[i, j], study.v.values[i, j]] == run.y[-1].tolist()
            assert study.steps.values[i, j] == run.statistics.steps
            if run.y[-1, 1] == 0.0:
                assert abs(10 * run.y[-1, 0]) <= 9.81 * friction * (1 + 1e-9)


def test_what_needs_the_whole_motion_is_kept_of_driven_members_too():
    """The work of friction is what the energy lacks; extremes and values at times are those of runs."""
    system, start = block()
    power = -μ * 9.81 * np.abs(v)
    keep = {
        "most": zm.largest(x),
        "work": zm.integral(power),
        "at": zm.values_at(x, [1.0, 2.0]),
        "energy": system.energy,
    }
    study = zm.sweep(system, start, until=4.0, over={μ: [0.1, 0.3]}, keep=keep, rtol=1e-10)
    for i, friction in enumerate((0.1, 0.3)):
        run = zm.simulate(system, start.again({μ: friction}), until=4.0, rtol=1e-10, method="dop853")
        assert study.most.values[i] == pytest.approx(run.maximum(x).value, abs=1e-9)
        assert study["at"].values[i] == pytest.approx(run.at([1.0, 2.0])[x], abs=1e-9)
        assert study.work.values[i] == pytest.approx(study.energy.values[i] - start[system.energy], abs=1e-7)


def test_a_member_that_stops_by_name_says_so():
    """Two motions go on from rest on a crest, and others fall to its sides."""
    place = zm.parameter("place", 0.0)
    system = zm.System(kinetic=v**2 / 2, forces={x: np.sign(x)})
    study = zm.sweep(system, system.start({x: place}), until=1.0, over={place: [-0.1, 0.0, 0.1]}, keep={"x": x})
    assert study.outcome.values.tolist() == ["finished", "ambiguous", "finished"]
    assert study.x.values[[0, 2]] == pytest.approx([-0.6, 0.6], abs=1e-9)
