"""Ctrl-C: a run that was asked for keeps what there is; one on the way to something else is not taken for the whole."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate import Settings, course
from zeromass.integrate.stepping.loop import Loop
from zeromass.papers import um2022

x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
SPRING = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)


@pytest.fixture
def impatient(monkeypatch):
    """Somebody who interrupts the next run after its first steps."""
    steps = Loop._some_steps

    def interrupted(loop, tell):
        steps(loop, tell)
        raise KeyboardInterrupt

    return lambda: monkeypatch.setattr(Loop, "_some_steps", interrupted)


def test_a_run_keeps_what_there_is(impatient):
    impatient()
    with pytest.warns(zm.errors.RunStopped, match="interrupted"):
        run = zm.simulate(SPRING, SPRING.start({x: 1.0}), until=1e5)
    assert run.outcome.ending == "interrupted"
    assert 0 < run.t[-1] < 1e5
    np.testing.assert_allclose(run[x], np.cos(run.t), atol=1e-4)


def test_a_motion_on_the_way_to_something_else_is_interrupted_as_a_whole(impatient, tmp_path):
    """The certificate would say that no digit holds, and the page that there is no motion."""
    run = zm.simulate(SPRING, SPRING.start({x: 1.0}), until=20.0)
    impatient()
    with pytest.raises(KeyboardInterrupt):
        run.certificate()
    with pytest.raises(KeyboardInterrupt):
        run.view(tmp_path / "page.html", sliders={k: (0.5, 2.0)})
    with pytest.raises(KeyboardInterrupt):
        course(SPRING, run.start, 20.0, Settings())
    assert not [*tmp_path.iterdir()]


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
def test_no_number_of_a_paper_follows_from_a_part_of_its_run(impatient):
    impatient()
    with pytest.raises(KeyboardInterrupt):
        um2022.runs()
