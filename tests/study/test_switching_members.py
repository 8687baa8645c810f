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


def test_members_on_constraints_need_no_python(monkeypatch):
    """A pendulum in x and y with dry friction and a soft stop: states inside steps are further from the rod than errors of
    steps explain, and firm constraints lead them to where they belong."""
    y = zm.coordinate("y")
    w = zm.rate(y)
    forces = {x: -μ * np.sign(v) + 400 * np.maximum(-0.3 - x, 0.0)}
    rod = {"rod": x**2 + y**2 - 1}
    system = zm.System(kinetic=(v**2 + w**2) / 2, potential=9.81 * y, constraints=rod, forces=forces)
    start = system.start({x: 0.8, v: -0.5})
    made: list[Loop] = []
    init = Loop.__init__
    monkeypatch.setattr(Loop, "__init__", lambda self, *a, **k: made.append(self) or init(self, *a, **k))
    study = zm.sweep(system, start, until=3.0, over={μ: np.linspace(0.1, 0.9, 20)}, keep={"x": x}, rtol=1e-8)
    assert not made
    for friction, place in zip(study.mu.values, study.x.values, strict=True):
        run = zm.simulate(system, start.again({μ: friction}), until=3.0, rtol=1e-11, method="dop853")
        assert place == pytest.approx(run[x][-1], abs=1e-6)  # switches and the stop magnify errors


def test_what_needs_the_whole_motion_is_kept_of_driven_members_too():
    """The work of friction is what the energy lacks; extremes and values at times are those of runs."""
    system, start = block()
    power = -μ * 9.81 * np.abs(v)
    keep = {
        "most": zm.study.largest(x),
        "work": zm.study.integral(power),
        "at": zm.study.values_at(x, [1.0, 2.0]),
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


def test_members_that_begin_with_an_impact():
    """They bounce at once, to e v, and have the bits of runs alone."""
    e, bead = zm.parameter("e", 0.5), zm.Particle("bead", mass=1.0)
    floor = zm.Contact(bead, zm.shapes.point(), zm.surfaces.plane(), friction=0.2, restitution=e, name="floor")
    system = zm.System([bead], gravity=9.81, contacts=[floor])
    start = system.start([(bead.position, 0.0), (bead.velocity, (0.5, 0.0, -2.0))])
    study = zm.sweep(system, start, over={e: [0.2, 0.5]}, until=0.1, keep={"v": bead.velocity})
    for k, bounce in enumerate((0.2, 0.5)):
        run = zm.simulate(system, start, until=0.1, parameters={e: bounce}, method="dop853")
        assert study.v.values[k].tolist() == run[bead.velocity][-1].tolist()
    assert study.v.values[1][2] == pytest.approx(0.5 * 2.0 - 9.81 * 0.1, abs=1e-9)
