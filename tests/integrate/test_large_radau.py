"""Stiff large systems: Radau's methods on code of kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from links import Links
from zeromass.compile.rolled.structure import Structure
from zeromass.model import system as model


@pytest.fixture(scope="module")
def stiff() -> Links:
    """Links whose neighbours hold one another with dashpots of 2·10⁶ N·s/m at their middles: rates fall in a microsecond."""
    bare = Links(2)
    forces: list[Any] = []
    for one, other in zip(bare.bodies, bare.bodies[1:], strict=False):
        apart = other.velocity - one.velocity
        forces += [zm.Force(-2e6 * apart, at=other.position), zm.Force(2e6 * apart, at=one.position)]
    return Links(2, bodies=bare.bodies, forces=forces)


@pytest.fixture(scope="module")
def run(stiff: Links) -> zm.Run:
    return zm.simulate(stiff.rolled, stiff.start(stiff.rolled), until=0.02, rtol=1e-8, method="radau")


def test_a_stiff_chain_needs_few_steps_and_is_that_of_tight_explicit_ones(stiff: Links, run: zm.Run) -> None:
    tight = zm.simulate(run.program, run.start, until=0.02, rtol=1e-11, method="dop853")
    assert run.outcome.complete
    assert 10 * run.statistics.steps < tight.statistics.steps
    assert np.abs(run.y[-1] - tight.y[-1]).max() < 1e-6
    assert max(map(abs, run.state(0.02).residuals.values())) < 1e-12


def test_the_motion_is_that_of_formulas(stiff: Links, run: zm.Run) -> None:
    """To the tolerance; steps may be others, as no stage has a Jacobian of its own."""
    other = zm.simulate(stiff.plain, stiff.written(run.start), until=0.02, rtol=1e-8, method="radau")
    assert np.abs(run.y[-1] - other.y[-1]).max() < 1e-8


def test_nothing_is_compiled_where_a_contact_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beads on a rope fall onto stiff ground, one after the other: the derivatives of their forces are compiled once."""
    monkeypatch.setattr(model, "LARGE", 1)
    made: list[str] = []
    compiled = Structure.machine

    def counted(self: Structure, task: str, lanes: int, **more: Any) -> Any:
        made.append(task)
        return compiled(self, task, lanes, **more)

    monkeypatch.setattr(Structure, "machine", counted)
    beads = [zm.Particle(f"bead {k}", 0.1) for k in range(6)]
    rods, forces, place, end = {}, [], {}, np.array([0.0, 0.0, 0.3])
    for k, bead in enumerate(beads):
        rods[f"rod {k}"] = np.sum((bead.position - end) ** 2) - 0.2**2
        z = bead.position[2]
        forces.append(
            zm.Force([0, 0, 1e5 * np.maximum(-z, 0.0) - zm.where(z < 0, 5.0, 0.0) * zm.rate(z)], at=bead.position)
        )
        place.update(zip(bead.position, [0.2 * (k + 1), 0.0, 0.3], strict=True))
        end = bead.position
    system = zm.System(beads, constraints=rods, forces=forces, gravity=9.81)
    start, options = system.start(place), {"method": "radau", "rtol": 1e-6, "atol": 1e-8}
    assert not zm.simulate(system, start, until=0.1, **options).switches
    made.clear()
    run = zm.simulate(system, start, until=0.4, **options)
    assert run.program.code == "rolled"
    assert len(run.switches) >= 4
    assert not made
    tight = zm.simulate(system, run.start, until=0.4, rtol=1e-9, atol=1e-11)
    assert np.abs(run.y[-1][:18] - tight.y[-1][:18]).max() < 1e-4  # contacts of 1e5 N/m magnify errors of 1e-6
