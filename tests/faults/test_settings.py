"""Settings that can not be are refused by name; NumPy's numbers are numbers."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate import Settings


def spring() -> tuple[zm.System, zm.expression.Symbol]:
    x = zm.coordinate("x")
    return zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2), x


@pytest.mark.parametrize("name", ["rtol", "atol", "longest_step", "step", "memory"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, "small", 1j, [1e-9], True])
def test_numbers_that_are_none_are_refused(name, value):
    options = {"method": "fixed"} if name == "step" else {}
    with pytest.raises(zm.errors.ModelError, match=f"{name} = .*: it must be positive"):
        Settings(**{name: value}, **options)


@pytest.mark.parametrize("name", ["rtol", "atol", "step"])
def test_tolerances_and_steps_are_finite(name):
    options = {"method": "fixed"} if name == "step" else {}
    with pytest.raises(zm.errors.ModelError, match=f"{name} = inf: it must be positive and finite"):
        Settings(**{name: np.inf}, **options)


@pytest.mark.parametrize("value", [-1, 0, np.nan, "few", None])
def test_limits_are_positive(value):
    with pytest.raises(zm.errors.ModelError, match=r"Limits\(growth="):
        zm.Limits(growth=value)


def test_numbers_of_numpy_are_kept_in_files(tmp_path):
    system, x = spring()
    run = zm.simulate(
        system,
        system.start({x: 1.0}),
        until=np.float32(1.0),
        rtol=np.float32(1e-6),
        atol=np.float64(1e-9),
        longest_step=np.int64(1),
        project=np.bool_(True),
        memory=np.int64(10**9),
        limits=zm.Limits(changes=np.int32(5), growth=np.float32(1e4)),
    )
    again = zm.load(run.save(tmp_path / "run.nc"))
    assert again.settings == run.settings
    assert again.settings.rtol == float(np.float32(1e-6))
    assert type(again.settings.limits.changes) is int


def test_the_certificate_of_a_run_that_could_not_begin(tmp_path):
    """There is nothing to be measured: it says so, and the file is written without one."""
    bob, ghost = zm.Particle("bob", mass=1.0), zm.Particle("ghost", mass=0)
    system = zm.System([bob, ghost], gravity=9.81)
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(), until=1.0)
    with pytest.raises(zm.errors.ModelError, match="it could not begin: non-unique"):
        run.certificate()
    assert zm.load(run.save(tmp_path / "run.nc")).outcome.ending == "non-unique"


def test_the_certificate_of_a_run_without_length():
    system, x = spring()
    run = zm.simulate(system, system.start({x: 1.0}), until=0.0)
    assert len(run) == 1
    assert run.certificate().digits > 10
