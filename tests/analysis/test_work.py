"""The balance of energy and work, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import zeromass as zm
from zeromass.analysis import work

x = zm.coordinate("x")
v = zm.rate(x)
DRIVEN = zm.System(kinetic=v**2 / 2, potential=x**2 / 2, forces={x: np.cos(3 * zm.t) - 0.1 * v})


def driven(steps: int) -> zm.Run:
    """Steps of a hundredth of a second."""
    return zm.simulate(DRIVEN, DRIVEN.start({x: 1.0, v: 0.0}), until=0.01 * steps, method="fixed", step=0.01)


@pytest.mark.parametrize(("steps", "most"), [(100_000, 60e6), pytest.param(2_000_000, 100e6, marks=pytest.mark.slow)])
def test_memory_is_bounded(steps, most):
    """Bytes that the balance of a long run takes; before, each step took 2.2 kB."""
    run = driven(steps)
    tracemalloc.start()
    found = work(run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < most
    assert found.imbalance < 1e-9
    assert len(found.t) <= 2**17 + 1
    assert found.t[0] == run.t[0]
    assert found.t[-1] == run.t[-1]


def test_parts_say_the_same_as_the_whole(monkeypatch):
    """Sums in parts are the sums in one, but for their rounding."""
    import sys

    module = sys.modules["zeromass.analysis.work"]
    run = driven(500)
    whole = work(run)
    monkeypatch.setattr(module, "AT_ONCE", 2 * 7)
    parts = work(driven(500))
    assert np.array_equal(parts.t, run.t)
    for name in ("change", "applied", "constraint"):
        assert np.allclose(getattr(parts, name), getattr(whole, name), rtol=0, atol=1e-13)
    for name in ("turned", "noise"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    monkeypatch.setattr(module, "KEPT", 100)
    thinned = work(run)
    assert len(thinned.t) <= 102
    assert np.array_equal(thinned.t[:-1], run.t[::6])
    assert np.allclose(thinned.change[:-1], whole.change[::6], rtol=0, atol=1e-13)
    assert thinned.change[-1] == pytest.approx(whole.change[-1], abs=1e-13)
    assert thinned.gap == pytest.approx(whole.gap, abs=1e-13)


def test_a_run_read_from_a_file_is_examined_in_parts_too(monkeypatch, tmp_path):
    import sys

    run = driven(200)
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    monkeypatch.setattr(sys.modules["zeromass.analysis.work"], "AT_ONCE", 2 * 30)
    assert np.allclose(work(again).applied, run.work().applied, rtol=0, atol=1e-13)


def test_work_between_steps_is_that_until_there():
    """A sledge pushed with 2 N has E = 2x all the way: in long steps nothing is out of balance inside."""
    sledge = zm.System(kinetic=v**2 / 2, forces={x: 2.0 + np.sin(5 * zm.t)})
    run = zm.simulate(sledge, sledge.start({x: 0.0, v: 0.0}), until=3.0, rtol=1e-12, atol=1e-14)
    found = run.work()
    assert found.turned == pytest.approx(found.change.max(), rel=0.05)
    assert max(found.gap, found.inside) < 1e-10 * found.turned


def test_the_zero_of_the_potential_does_not_matter():
    """Relative to what is turned over, not to an energy whose zero is anyone's choice."""
    p = zm.Particle("p", 1.0)
    low, high = (
        zm.System([p], potential=9.81 * p.position[2] + offset, constraints={"rod": (p.position @ p.position - 1) / 2})
        for offset in (0.0, 1e6)
    )
    imbalances = []
    for system in (low, high):
        start = system.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity, (0.0, 1.3, 0.0))])
        run = zm.simulate(system, start, until=5.0, rtol=1e-4, atol=1e-6)
        imbalances.append(run.work().imbalance)
    assert imbalances[1] == pytest.approx(imbalances[0], rel=0.01)
