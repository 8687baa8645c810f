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
    bare = Links(3)
    forces: list[Any] = []
    for one, other in zip(bare.bodies, bare.bodies[1:], strict=False):
        apart = other.velocity - one.velocity
        forces += [zm.Force(-2e6 * apart, at=other.position), zm.Force(2e6 * apart, at=one.position)]
    return Links(3, bodies=bare.bodies, forces=forces)


def test_a_stiff_chain_needs_few_steps_and_is_that_of_tight_explicit_ones(stiff: Links) -> None:
    start = stiff.start(stiff.rolled)
    run = zm.simulate(stiff.rolled, start, until=0.02, rtol=1e-8, method="radau")
    tight = zm.simulate(stiff.rolled, start, until=0.02, rtol=1e-11, method="dop853")
    assert run.outcome.complete
    assert 10 * run.statistics.steps < tight.statistics.steps
    assert np.abs(run.y[-1] - tight.y[-1]).max() < 1e-6
    assert max(map(abs, run.state(0.02).residuals.values())) < 1e-12


def test_steps_are_those_of_formulas(stiff: Links) -> None:
    """The same method with the same tolerance: to that, and with few more steps, as no stage has a Jacobian of its own."""
    start = stiff.start(stiff.rolled)
    run = zm.simulate(stiff.rolled, start, until=0.02, rtol=1e-8, method="radau")
    other = zm.simulate(stiff.plain, stiff.written(start), until=0.02, rtol=1e-8, method="radau")
    assert run.statistics.steps < 1.25 * other.statistics.steps
    assert np.abs(run.y[-1] - other.y[-1]).max() < 1e-8
