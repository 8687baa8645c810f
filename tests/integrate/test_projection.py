"""Projection: states stay on the constraints to rounding; without it they drift, and no further than the error.

"1e-14" of the terms of a residual is some fifty units of rounding: those of a few tens of operations in the residual
itself, and those of the state, which has been rounded once after its correction.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import pendulum, sleigh, top, wire
from model.mechanisms import Shell, bowl
from zeromass.model.state import Magnitude


def shell() -> tuple[zm.System, zm.State]:
    s = Shell(bowl)
    start = {
        s.contact.position[0]: -1.5,
        s.contact.position[1]: -0.75,
        s.center.velocity[0]: 1.5,
        s.center.velocity[1]: 1.0,
        s.n @ s.shell.angular_velocity: 0.0,
    }
    return s.system, s.system.start([*start.items(), (s.shell.quaternion, (1, 0, 0, 0))])


SYSTEMS = {
    "pendulum": lambda: pendulum()[1:],
    "wire": lambda: _of(wire()),
    "top": lambda: _of(top()),
    "sleigh": lambda: _of(sleigh()),
    "shell": shell,
}


def _of(problem) -> tuple[zm.System, zm.State]:
    return problem.system, problem.start


def residuals(run: zm.Run) -> float:
    """Largest residual of positions and velocities at the steps, as part of the terms that it is made of in the run."""
    zeros = [row.zero for row in run.system.rows if row.level == 0] + list(run.system.velocity_constraints)
    magnitude = Magnitude(zeros, list(run.system.inputs))
    sizes = np.max([magnitude(x) for x in run.at(run.t).inputs], axis=0)
    return float(np.max(np.abs(run[np.array(zeros)]) / np.where(sizes == 0, 1, sizes)))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("options", [{"rtol": 1e-6}, {"rtol": 1e-12}, {"method": "fixed", "step": 0.02}])
def test_steps_end_on_the_constraints(name, options):
    system, start = SYSTEMS[name]()
    run = zm.simulate(system, start, until=3.0, **options)
    assert residuals(run) <= 1e-14


@pytest.mark.parametrize("name", SYSTEMS)
def test_without_projection_they_drift(name):
    """At a loose tolerance the constraints are left a thousand times further than with projection, 1e-14."""
    system, start = SYSTEMS[name]()
    run = zm.simulate(system, start, until=3.0, rtol=1e-6, atol=1e-6, project=False)
    assert 1e-11 < residuals(run) < 1e-3


def test_drift_is_an_error_of_the_method():
    """A constraint that is linear in the coordinates with constant coefficients is an invariant of every method."""
    bob, system, start = pendulum()
    run = zm.simulate(system, start, until=3.0, rtol=1e-4, atol=1e-4, project=False)
    assert np.max(np.abs(run[bob.position[2]])) == 0
    assert np.max(np.abs(run[system.rows[0].zero])) > 1e-6


def test_energy_is_better_kept_with_projection():
    """Pendulum, 100 s at rtol 1e-8: measured 1.2e-6 J with projection and 1.9e-4 J without."""
    _, system, start = pendulum()
    drift = {}
    for project in (True, False):
        run = zm.simulate(system, start, until=100.0, rtol=1e-8, atol=1e-11, project=project)
        drift[project] = np.ptp(run[system.energy])
    assert drift[True] < drift[False] / 20


def test_projection_is_shortest_in_the_metric_of_the_mass():
    """The correction δ of a position off the constraint has M δ = Aᵀμ: it is along the constraint force.

    Checked through one fixed step so long that its error is visible: the difference of the states after a step with
    and without projection, which is δ up to its own square.
    """
    heavy, light = zm.Particle("heavy", mass=10.0), zm.Particle("light", mass=0.1)
    rod = heavy.position - light.position
    system = zm.System([heavy, light], gravity=9.81, constraints={"rod": (rod @ rod - 1) / 2})
    start = system.start(
        [
            (heavy.position, (0, 0, 0)),
            (light.position, (1, 0, 0)),
            (light.velocity, (0, 3, 1)),
            (heavy.velocity, (0, 0, 0)),
        ]
    )
    q = system.coordinates
    on, off = (
        zm.simulate(system, start, until=0.4, method="fixed", step=0.4, project=project)[q][-1]
        for project in (True, False)
    )
    δ = on - off
    M, A = start.matrices.M, (on[:3] - on[3:])
    row = np.concatenate([A, -A])
    force = M @ δ
    assert np.linalg.norm(δ) > 1e-9
    across = force - row * (row @ force) / (row @ row)
    assert np.linalg.norm(across) <= 1e-5 * np.linalg.norm(force)  # δ² and rounding, both 1e-6 of δ or less
