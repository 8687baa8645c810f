"""Stiff large systems: Radau's methods on code of kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from links import Links


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
