"""The balance of energy and work, in bounded memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace

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


def test_memory_is_bounded():
    """Forty thousand steps, each of which took 3 kB when all were looked at together."""
    run = zm.simulate(DRIVEN, DRIVEN.start({x: 1.0, v: 0.0}), until=400.0, longest_step=0.01)
    tracemalloc.start()
    found = work(run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6
    assert found.imbalance < 1e-9


LONG = """
import resource, numpy as np, zeromass as zm
from zeromass.analysis import work
x = zm.coordinate("x"); v = zm.rate(x)
driven = zm.System(kinetic=v**2 / 2, potential=x**2 / 2, forces={x: np.cos(3 * zm.t) - 0.1 * v})
run = zm.simulate(driven, driven.start({x: 1.0, v: 0.0}), until=20000.0, method="fixed", step=0.01)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = work(run)
print(len(run), len(found.t), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
def test_two_million_steps_take_less_than_a_hundred_megabytes():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    steps, kept, megabytes = map(float, done.stdout.split())
    assert steps >= 2e6
    assert kept <= 2**17 + 1
    assert megabytes < 100


def test_parts_say_the_same_as_the_whole(monkeypatch):
    """Sums in parts are the sums in one, but for their rounding."""
    module = sys.modules["zeromass.analysis.work"]
    run = driven(500)
    whole = work(run)
    monkeypatch.setattr(sys.modules["zeromass.integrate.sampling"], "AT_ONCE", 2 * 8 * 7)
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
    run = driven(200)
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    monkeypatch.setattr(sys.modules["zeromass.integrate.sampling"], "AT_ONCE", 2 * 8 * 30)
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


def test_what_is_not_a_number_between_steps_is_not_hidden():
    """Where a state inside a step is no number, neither is the balance."""
    run = driven(50)
    (segment,) = run.segments
    inside = segment.dense.polynomials().copy()
    inside[20, 0] = np.nan
    broken = zm.Run((replace(segment, inside=inside),))
    assert np.isnan(broken.work().imbalance)
    assert np.isnan(broken.work().error)


def test_works_are_integrals_of_powers():
    """Those that SciPy finds from states between the steps: of a damped particle on a rod whose length changes."""
    quad = pytest.importorskip("scipy.integrate").quad
    y = zm.coordinate("y")
    w = zm.rate(y)
    rod = zm.System(
        kinetic=(v**2 + w**2) / 2,
        potential=9.81 * y,
        forces={x: -0.1 * v, y: -0.1 * w},
        constraints={"rod": x**2 + y**2 - (1 + 0.1 * np.sin(zm.t)) ** 2},
    )
    run = zm.simulate(rod, rod.start({x: 0.6, v: 0.0}, guess={y: -0.8}), until=1.0, rtol=1e-11, atol=1e-13)
    found = run.work()
    reaction = rod.rates @ rod.reaction.total
    for work_done, power in ((found.applied, -0.1 * (v**2 + w**2)), (found.constraint, reaction)):
        exact = sum(
            quad(lambda s, power=power: run.at(s)[power][0], a, b, epsabs=1e-13, epsrel=1e-12)[0]
            for a, b in zip(run.t[:-1], run.t[1:], strict=True)
        )
        assert work_done[-1] == pytest.approx(exact, abs=1e-11)
    assert found.imbalance < 1e-10


def test_constraints_that_stand_still_do_no_work():
    """Not even that of rounding; of a run that is not projected the work is what its drift makes of it."""
    p = zm.Particle("p", 1.0)
    system = zm.System([p], gravity=9.81, constraints={"rod": (p.position @ p.position - 1) / 2})
    start = system.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity, (0.0, 1.3, 0.0))])
    on = zm.simulate(system, start, until=5.0).work()
    assert not on.constraint.any()
    assert on.imbalance < 1e-9
    off = zm.simulate(system, start, until=5.0, project=False, rtol=1e-5, atol=1e-7).work()
    assert np.abs(off.constraint).max() > 1e-9
    assert off.gap < 1e-3 * np.abs(off.constraint).max() + 1e-5 * off.turned


def test_energy_with_a_part_linear_in_the_rates_is_balanced():
    """In a frame that moves T = (ẋ + f(t))²/2: accelerations do not cancel in the power, and are not left out."""
    frame = np.cos(2 * zm.t)
    system = zm.System(kinetic=(v + frame) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(system, system.start({x: 1.0, v: 0.0}), until=5.0, rtol=1e-11, atol=1e-13)
    found = run.work()
    assert np.ptp(found.change) > 0.1
    assert found.imbalance < 1e-9


def test_what_is_rounding_of_the_energies_is_told_as_zero():
    """A swing of 1 J, whose energy is known to about 1e-15 J; and a push of next to nothing, which is what it is."""
    swing = zm.System(kinetic=v**2 / 2, potential=x**2 / 2)
    found = zm.simulate(swing, swing.start({x: 1.4, v: 0.0}), until=6.0).work()
    told = replace(found, change=np.array([0.0, 2e-16]), applied=np.array([0.0, -3e-16]), constraint=np.zeros(2))
    words = "changed by 0 J within rounding\nwork of applied forces 0 J within rounding, of constraints 0 J\nimbalance"
    assert words in str(told)
    assert "changed by 1.000e-12 J" in str(replace(found, change=np.array([0.0, 1e-12])))
    pushed = zm.System(kinetic=v**2 / 2, forces={x: 1e-12})
    words = "changed by 5.000e-25 J\nwork of applied forces 5.000e-25 J"
    assert words in str(zm.simulate(pushed, pushed.start({x: 0.0, v: 0.0}), until=1.0).work())
