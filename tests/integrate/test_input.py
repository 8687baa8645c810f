"""What can not be run is refused before anything is computed, by name."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import oscillator, pendulum


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": np.inf}, "until = inf: a run needs a finite end"),
        ({"until": np.nan}, "until = nan"),
        ({"rtol": 0.0}, "rtol = 0.0: it must be positive"),
        ({"atol": -1e-9}, "atol = -1e-09: it must be positive"),
        ({"rtol": np.nan}, "rtol = nan"),
        ({"longest_step": 0.0}, "longest_step = 0.0"),
        ({"method": "euler"}, "no method 'euler'; there are: collocation, dop853"),
        ({"method": "fixed"}, "'fixed'.* step"),
        ({"step": 0.1}, "step=… go"),
        ({"method": "fixed", "step": -0.1}, "step = -0.1: it must be positive"),
        ({"method": "fixed", "step": np.inf}, "step = inf"),
        ({"parameters": {zm.parameter("stranger", 1.0): 2.0}}, "'stranger' is no parameter of the system"),
    ],
)
def test_bad_options(options, words):
    p = oscillator()
    with pytest.raises(zm.errors.ModelError, match=words):
        zm.simulate(p.system, p.start, **{"until": 1.0, **options})


def test_a_start_of_another_system():
    with pytest.raises(zm.errors.ModelError, match=r"another system; make it with system\.start"):
        zm.simulate(oscillator().system, oscillator().start, until=1.0)
    with pytest.raises(zm.errors.ModelError, match="another system"):
        zm.simulate(oscillator().system, {"x": 1.0}, until=1.0)


def test_times_outside_the_run():
    run = oscillator().run(until=2.0)
    for t in (-0.1, 2.1, np.nan, [0.5, 3.0]):
        with pytest.raises(zm.errors.ModelError, match=r"outside the run, which covers 0 … 2 s"):
            run.at(t)


def test_what_the_run_knows_nothing_of():
    run = oscillator().run(until=1.0)
    with pytest.raises(zm.errors.ModelError, match="'stranger' is nothing of this system"):
        run[zm.coordinate("stranger")]


def test_parameters_that_are_no_numbers():
    length = zm.parameter("length", 0.7)
    _, system, start = pendulum(length)
    with pytest.raises(zm.errors.ModelError, match="'length' is nan"):
        zm.simulate(system, start, until=1.0, parameters={length: np.nan})


def test_a_parameter_that_is_made_twice_is_told():
    """Its name alone would say that it is not there and that it is."""
    x, m = zm.coordinate("x"), zm.parameter("m", 1.0)
    system = zm.System(kinetic=m * zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    with pytest.raises(zm.errors.ModelError, match="another 'm' is, made apart from this one"):
        system.start({x: 1.0}, parameters={zm.parameter("m", 2.0): 3.0})
    with pytest.raises(zm.errors.ModelError, match="another 'x' is, made apart"):
        zm.simulate(system, system.start({x: 1.0}), until=0.1)[zm.coordinate("x")]
