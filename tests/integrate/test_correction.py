"""A projection may only remove what the error of the step can explain; what it can not ends the run by name."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.mechanisms import u
from zeromass.integrate.methods import METHODS
from zeromass.integrate.stepping.plain import plain_method


def parallelogram() -> tuple[zm.System, zm.State]:
    """Three bars as three angles; a = b and c = 0 for ever, and without weight ȧ is constant: (ȧ² + ḃ²)/2 is the energy."""
    a, b, c = zm.coordinates("a b c")
    kinetic = (zm.rate(a) ** 2 + zm.rate(b) ** 2 + zm.rate(c) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"loop": u(a) + u(c) - np.array([1.0, 0.0]) - u(b)})
    return system, system.start({a: np.pi / 2, b: np.pi / 2, c: 0.0, zm.rate(a): -1.0})


def heavy_parallelogram() -> tuple[zm.System, zm.State]:
    a, b, c = zm.coordinates("a b c")
    kinetic = (zm.rate(a) ** 2 + zm.rate(b) ** 2 + zm.rate(c) ** 2) / 2
    potential = 9.81 * (np.sin(a) / 2 + np.sin(b) / 2 + np.sin(a) + np.sin(c) / 2)
    constraints = {"loop": u(a) + u(c) - np.array([1.0, 0.0]) - u(b)}
    system = zm.System(kinetic=kinetic, potential=potential, constraints=constraints)
    return system, system.start({a: np.pi / 2, b: np.pi / 2, c: 0.0, zm.rate(a): -1.0})


def honest(run: zm.Run, rtol: float) -> None:
    """Energy kept and the cranks parallel at all steps, and a name for an end before time."""
    energy = run[run.system.energy]
    a, b, _ = run.system.coordinates
    assert np.ptp(energy) <= 1e4 * rtol * max(1.0, np.abs(energy).max())
    assert np.abs(run[a - b]).max() <= 1e4 * rtol
    if not run.outcome.complete:
        assert run.outcome.ending in ("singular branch", "step too small")
        assert run.t[-1] > 0.5


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
@pytest.mark.parametrize("rtol", [1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
@pytest.mark.parametrize("model", [parallelogram, heavy_parallelogram])
def test_no_step_turns_a_motion_into_another(model, method, rtol):
    system, start = model()
    run = zm.simulate(system, start, until=3.0, rtol=rtol, atol=rtol / 100, method=method)
    honest(run, rtol)


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
@pytest.mark.parametrize("step", [0.05, 0.02, 0.01, 0.003])
@pytest.mark.parametrize("method", ["fixed", "radau"])
def test_nor_does_one_of_fixed_length(method, step):
    system, start = heavy_parallelogram()
    run = zm.simulate(system, start, until=3.0, step=step, method=method)
    honest(run, max(step**5, 1e-10))  # the lowest order is 5


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
def test_nor_one_in_plain_python(monkeypatch):
    def middle(f, t, y, h):
        return y + h * f(t + h / 2, y + h / 2 * f(t, y))

    monkeypatch.setitem(METHODS, "middle", plain_method("middle", middle, order=2, summary="two slopes"))
    system, start = heavy_parallelogram()
    honest(zm.simulate(system, start, until=1.0, rtol=1e-6, atol=1e-8, method="middle"), 1e-6)


def test_the_end_names_the_constraint():
    """Without projection nothing is leapt across."""
    system, start = heavy_parallelogram()
    with pytest.warns(zm.errors.RunStopped, match="loop"):
        run = zm.simulate(system, start, until=3.0, rtol=1e-10, atol=1e-12, project=False)
    assert run.outcome.ending == "singular branch"


def test_the_bound_is_a_limit():
    """A pendulum corrected by some tolerances runs as it did; under a bound of nearly nothing no step is right."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=9.81 * y, constraints={"rod": (x**2 + y**2 - 1) / 2})
    start = system.start({x: 1.0, y: 0.0})
    usual = zm.simulate(system, start, until=2.0, rtol=1e-6)
    free = zm.simulate(system, start, until=2.0, rtol=1e-6, limits=zm.Limits(correction=1e300))
    assert np.array_equal(usual.y, free.y)
    with pytest.warns(zm.errors.RunStopped):
        none = zm.simulate(system, start, until=2.0, rtol=1e-6, limits=zm.Limits(correction=1e-12))
    assert none.outcome.ending == "step too small"
