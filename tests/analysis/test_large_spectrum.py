"""Lyapunov exponents of large systems: by exact laws, and as of the same system written out."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from compile.large import chain
from zeromass.model import system as model_system


def test_the_sum_of_all_exponents_is_that_of_the_written_system(monkeypatch: pytest.MonkeyPatch):
    """The growth of volumes along the constraints, whatever tangents they are spanned by."""
    sums, parts = [], chain(2)
    for large in (1, 10**6):
        monkeypatch.setattr(model_system, "LARGE", large)
        bodies, rows, more, guess = parts
        system = zm.System(bodies, constraints=rows, **more)
        run = zm.simulate(system, system.start(guess=guess), until=1.0, rtol=1e-11)
        exponents = run.lyapunov_spectrum(every=0.1, count=12 if large == 1 else None)
        assert len(exponents) == 12
        sums.append(exponents.sum())
    assert sums[0] == pytest.approx(sums[1], abs=1e-7)  # 1e-10 of a tangent leaves the constraints, each time


def test_leading_exponents_of_what_is_damped(monkeypatch: pytest.MonkeyPatch):
    """ẍ = −x − c ẋ beside ÿ = 4 y: exponents ±2, and −c/2 twice."""
    monkeypatch.setattr(model_system, "LARGE", 1)
    a, b = zm.Particle("a", 1.0), zm.Particle("b", 1.0)
    rows = {f"rail {p.name}": p.position[1:] for p in (a, b)}
    forces = [
        zm.Force([-a.position[0] - 0.5 * a.velocity[0], 0, 0], at=a.position),
        zm.Force([4 * b.position[0], 0, 0], at=b.position),
    ]
    system = zm.System([a, b], constraints=rows, forces=forces)
    run = zm.simulate(system, system.start({a.position[0]: 1.0, b.position[0]: 0.0}), until=60.0)
    assert run.program.code == "rolled"
    assert run.lyapunov_spectrum(count=4).sum() == pytest.approx(-0.5, abs=1e-6)  # the divergence
    leading = run.lyapunov_spectrum(count=2)
    assert np.abs(leading - [2.0, -0.25]).max() < 0.03
    with pytest.raises(zm.errors.ModelError, match="at least one"):
        run.lyapunov_spectrum(count=0)
