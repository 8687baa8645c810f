"""Energy and work of large systems: what moves in time and what stores and takes energy at once, as by matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import zeromass as zm
from cases import spread
from zeromass.mechanism import Acting
from zeromass.model import system as model

A, B = (zm.RigidBody(name, 1.0 + k, (0.1, 0.2, 0.25), at=(k, 0, 0)) for k, name in enumerate("ab"))
HINGE = zm.joints.Revolute(zm.Ground(), A, at=(-0.5, 0, 0), axis=(0, 1, 0), name="hinge")
PIN = zm.joints.Revolute(A, B, at=(0.5, 0, 0), axis=(0, 1, 0), name="pin")
DRIVE = HINGE.drive(0.5 * np.sin(3 * zm.t), name="drive")
AGAIN = HINGE.drive(0.5 * np.sin(3 * zm.t), name="drive again")
ELASTIC: dict[str, Any] = {"stiffness": (50, 60, 70, 5, 6, 7), "damping": (1, 2, 3, 4, 5, 6)}
BELT = Acting(HINGE.rate, -2.0 * np.sign(HINGE.rate - 0.3 - 0.1 * zm.t))

CASES: dict[str, dict[str, Any]] = {
    "a drive": {"joints": [HINGE, PIN, DRIVE]},
    "two drives that are one": {"joints": [HINGE, PIN, DRIVE, AGAIN]},
    "a constraint that moves": {"joints": [PIN], "constraints": {"guide": A.position - [0.1 * np.sin(3 * zm.t), 0, 0]}},
    "an acceleration": {"joints": [PIN], "constraints": {"push": zm.acceleration(A.position[0]) - np.cos(3 * zm.t)}},
    "a spring whose end moves": {"forces": [zm.Spring(30.0, B.position, (1 + np.sin(4 * zm.t), 0, 1), length=0.2)]},
    "a spring with a damper": {
        "joints": [HINGE],
        "forces": [zm.joints.Bushing(A, B, at=(0.5, 0, 0), axis=(0, 0, 1), **ELASTIC)],
    },
    "stops that take energy": {"forces": [HINGE.stops(-0.2, 0.2, stiffness=300.0, damping=10.0)]},
    "friction of what moves": {"forces": [BELT, HINGE.spring(5.0)]},
    "a weight that changes": {"gravity": 9.81 * (1 + 0.5 * np.sin(5 * zm.t))},
    "a potential that changes": {"potential": B.position[0] * np.sin(3 * zm.t)},
    "a mass that changes": {"parts": [zm.Particle("p", 1 + 0.5 * zm.t)], "joints": []},
}


def moved(monkeypatch: pytest.MonkeyPatch, large: int, given: dict[str, Any]) -> zm.Run:
    """The motion of a system whose code is rolled from so many coordinates on."""
    monkeypatch.setattr(model, "LARGE", large)
    system = zm.System(**{"parts": [A, B], "gravity": 9.81, "joints": [HINGE, PIN], **given})
    return zm.simulate(system, system.start(), until=0.6)


@pytest.mark.parametrize("case", spread(CASES, 3))
def test_energy_changes_by_the_work_that_is_done(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And both works are those that matrices tell, to the errors of the runs."""
    run, written = (moved(monkeypatch, large, CASES[case]) for large in (1, 10**9))
    assert run.program.code == "rolled"
    assert written.program.code == "straight-line"
    found, wanted = run.work(), written.work()
    assert np.abs(found.change).max() > 1e-2
    assert found.imbalance < 1e-9
    for one, other in ((found.applied, wanted.applied), (found.constraint, wanted.constraint)):
        assert one[-1] == pytest.approx(other[-1], abs=1e-9 * found.turned)


def test_the_work_of_a_drive_is_that_of_its_torque(monkeypatch: pytest.MonkeyPatch) -> None:
    """∫ τ φ̇ dt, which SciPy finds between the steps."""
    run = moved(monkeypatch, 1, CASES["a drive"])
    power = DRIVE.torque * HINGE.rate
    steps = zip(run.t[:-1], run.t[1:], strict=True)
    exact = sum(quad(lambda s: run.at(s)[power][0], a, b, epsabs=1e-12, epsrel=1e-11)[0] for a, b in steps)
    assert run.work().constraint[-1] == pytest.approx(exact, abs=1e-10)


def test_a_large_run_that_is_driven_is_certified_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    run = moved(monkeypatch, 1, CASES["a drive"])
    assert run.certificate().digits > 8
    again = zm.load(run.save(tmp_path / "driven.nc"))
    assert again.work().constraint[-1] == pytest.approx(run.work().constraint[-1], rel=1e-11)
