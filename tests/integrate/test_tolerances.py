"""Tolerances that arithmetic can not meet are raised, with a warning, wherever they are given."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import zeromass as zm
from zeromass.cli import app
from zeromass.integrate import Settings
from zeromass.integrate.settings import SMALLEST_ATOL, SMALLEST_RTOL
from zeromass.scenario import parse_scenario

θ = zm.coordinate("theta")
PENDULUM = zm.System(kinetic=zm.rate(θ) ** 2 / 2, potential=-9.81 * np.cos(θ))
START = PENDULUM.start({θ: 1.0})

SCENARIO = """
[system]
coordinates = ["theta"]
kinetic = "theta'**2/2"
potential = "-9.81*cos(theta)"
[system.start]
theta = 1.0
[run]
until = 10
"""


@pytest.fixture(scope="module")
def end():
    """θ at t = 10 s, of a run with tolerances near rounding; two methods agree to 1e-13."""
    return zm.simulate(PENDULUM, START, until=10.0, method="dop853", rtol=1e-14, atol=1e-16).y[-1, 0]


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
@pytest.mark.parametrize(("rtol", "atol"), [(1e-20, 1e-13), (1e-30, 1e-13), (5e-324, 1e-30), (1e-10, 1e-300)])
def test_a_tolerance_below_rounding_is_raised(method, rtol, atol, end):
    with pytest.warns(UserWarning, match="is less than arithmetic can meet") as given:
        run = zm.simulate(PENDULUM, START, until=10.0, rtol=rtol, atol=atol, method=method)
    assert [warning.filename for warning in given] == [__file__]
    assert (run.settings.rtol, run.settings.atol) == (max(rtol, SMALLEST_RTOL), max(atol, SMALLEST_ATOL))
    # errors of 300 steps of at most 2 roundings, which the pendulum magnifies less than 20 times in 10 s; or of rtol
    assert abs(run.y[-1, 0] - end) < max(300 * 2 * 2.2e-16 * 20, 20 * run.settings.rtol)


def test_every_way_to_give_a_tolerance_warns(end):
    g = zm.parameter("g", 9.81)
    swing = zm.System(kinetic=zm.rate(θ) ** 2 / 2, potential=-g * np.cos(θ))
    with pytest.warns(UserWarning, match="rtol = 1e-20"):
        study = zm.sweep(swing, swing.start({θ: 1.0}), over={g: [9.81, 5.0]}, until=10.0, rtol=1e-20, keep={"end": θ})
    assert abs(float(study["end"][0]) - end) < 1e-12  # as above
    with pytest.warns(UserWarning, match="rtol = 1e-30"):
        assert Settings(rtol=1e-30).rtol == SMALLEST_RTOL
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scenario = parse_scenario(SCENARIO + "rtol = 1e-20")
        smallest = Settings(rtol=SMALLEST_RTOL, atol=SMALLEST_ATOL)
        assert smallest.tighter(1e-20) == smallest
    with pytest.warns(UserWarning, match="rtol = 1e-20"):
        assert abs(scenario.simulate().y[-1, 0] - end) < 1e-12  # as above


@pytest.mark.parametrize("value", [0.0, -1e-10, np.nan, np.inf, "1e-10", True])
@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_what_is_no_tolerance_is_refused(name, value):
    with pytest.raises(zm.errors.ModelError, match=f"{name} = .*positive"):
        zm.simulate(PENDULUM, START, until=1.0, **{name: value})


# an energy that is plainly wrong -------------------------------------------------------------------------------------


def test_a_run_whose_energy_drifts_says_so():
    with pytest.warns(zm.errors.RunDoubtful, match="energy is out of balance by .* atol = 1"):
        run = zm.simulate(PENDULUM, START, until=10.0, atol=1.0)
    assert "finished, but the energy is out of balance" in repr(run)
    assert "energy is out of balance" in run._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert zm.simulate(PENDULUM, START, until=10.0).remarks == ()
    long = zm.simulate(PENDULUM, START, until=10.0, method="fixed", step=1.0)
    assert "steps of 1 s are too long" in str(long)


def test_energy_that_work_explains_is_no_drift(recwarn):
    pull = zm.System(
        kinetic=zm.rate(θ) ** 2 / 2, potential=-9.81 * np.cos(θ), forces={θ: -zm.rate(θ) + np.sin(3 * zm.t)}
    )
    start = pull.start({θ: 1.0})
    run = zm.simulate(pull, start, until=10.0)
    assert run.remarks == ()
    assert "but" not in repr(run)
    bad = zm.simulate(pull, start, until=10.0, method="fixed", step=1.5)
    assert len(bad.remarks) == 1
    assert "but the energy is out of balance" in repr(bad)
    assert not recwarn


def test_the_command_line_does_not_call_a_wrong_run_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def zeromass_run(more, *options):
        (tmp_path / "swing.toml").write_text(SCENARIO + more)
        done = CliRunner().invoke(app, ["run", "swing.toml", "--no-plots", "--no-viewer", *options])
        return done.exit_code, " ".join(done.stdout.split()), done.stderr

    code, out, _ = zeromass_run("atol = 1.0", "--no-certificate")
    assert code == 4
    assert "energy is out of balance" in out
    code, out, _ = zeromass_run("atol = 1.0", "--json")
    assert code == 4
    assert "energy is out of balance" in json.loads(out)["remarks"][0]
    code, out, err = zeromass_run("rtol = 1e-30", "--json")
    assert code == 0
    assert json.loads(out)["remarks"] == []
    assert "rtol = 1e-30 is less than arithmetic can meet" in err
