"""Gradients of large runs backward in time: as tangents forward, as differences of runs, and by exact laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile.large import SHAPES, chain
from zeromass.model import ModelError
from zeromass.model import system as model_system


@pytest.mark.parametrize("name", few(["balls", "net", "uneven chain", "hinges", "four bars", "tree"], 2))
def test_backward_is_forward(name: str, monkeypatch: pytest.MonkeyPatch):
    """By every entry of the start and every parameter, of a place and of an acceleration, at several times."""
    monkeypatch.setattr(model_system, "LARGE", 1)
    shape, _ = SHAPES[name]
    parts, rows, more, guess = shape(2)
    g, c = zm.parameter("g", 9.81), zm.parameter("c", 0.2)
    drag = [zm.Force(-c * part.velocity, at=part.position) for part in parts if part.mass.value]
    down = (0, -g, 0) if name == "four bars" else g
    system = zm.System(parts, constraints=rows, gravity=down, forces=[*more.get("forces", []), *drag])
    run = zm.simulate(system, system.start(guess=guess), until=0.4, rtol=1e-12, atol=1e-14)
    assert run.program.code == "rolled"
    times, weights = np.array([0.15, 0.4]), np.array([1.0, -2.0])
    forward = run.sensitivity(times)
    x = parts[0].position
    for e in (x[0] * x[2] + c * g, zm.acceleration(x[0])):
        found, wanted = run.adjoint(e, times, weights), forward.of(e)
        size = max(1.0, np.abs(wanted.start).max())
        assert abs(found.value - weights @ run.at(times)[e]) < 1e-9
        assert np.abs(found.start - weights @ wanted.start).max() < 1e-8 * size
        by_p = [found.parameters[p] for p in system.parameters]
        assert np.abs(by_p - weights @ wanted.parameters).max() < 1e-8 * max(1.0, np.abs(wanted.parameters).max())


def test_the_mass_centre_of_a_chain_that_falls():
    """z = z₀ + v₀ t − g t²/2 of the mean of equal bodies, whatever they do: ∂z/∂g = −t²/2, ∂z/∂z_k = 1/N, ∂z/∂ż_k = t/N."""
    count, T = 20, 0.7
    parts, rows, _, guess = chain(count)
    del rows["joint 0"]
    g = zm.parameter("g", 9.81)
    system = zm.System(parts, constraints=rows, gravity=g)
    start = system.start(guess=guess)
    run = zm.simulate(system, start, until=T)
    assert run.program.code == "rolled"
    height = sum(part.position[2] for part in parts) / count
    found = run.adjoint(height)
    assert found.parameters[g] == pytest.approx(-(T**2) / 2, rel=1e-9)
    shift, push = np.zeros((2, 2 * len(system.coordinates)))  # all bodies higher, or faster: along the constraints
    for part in parts:
        k = system.index(part.position[2])
        shift[k], push[len(system.coordinates) + k] = 1.0, 1.0
    assert found.start @ shift == pytest.approx(1.0, rel=1e-9)
    assert found.start @ push == pytest.approx(T, rel=1e-9)


@pytest.mark.slow
def test_a_hundred_bodies_against_differences_of_runs():
    parts, rows, _, guess = chain(100)
    g = zm.parameter("g", 9.81)
    system = zm.System(parts, constraints=rows, gravity=g)
    start, h = system.start(guess=guess), 1e-4
    e = parts[-1].position[2]
    found = zm.simulate(system, start, until=0.5, rtol=1e-10).adjoint(e).parameters[g]
    ends = [
        zm.simulate(system, replace(start, parameters={g: 9.81 + δ}), until=0.5, rtol=1e-12).at(0.5)[e][0]
        for δ in (h, -h)
    ]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_forces_of_constraints_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(model_system, "LARGE", 1)
    p = zm.Particle("p", 1.0)
    system = zm.System([p], constraints={"plane": p.position[2]}, gravity=9.81)
    run = zm.simulate(system, system.start(), until=0.1)
    with pytest.raises(ModelError, match="not computed of a large system"):
        run.adjoint(system.multipliers[0])
