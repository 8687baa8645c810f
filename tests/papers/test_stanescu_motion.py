"""Stănescu's particle in motion, the general case and the planar one, against quadruple precision."""

from __future__ import annotations

import numpy as np
import pytest

from papers.reference import reference
from zeromass.papers import stanescu

REFERENCE = reference("particle")

# At rtol = 1e-13 some hundred steps leave this in positions and velocities of size 1 to 10; the multiplier contains
# squares of the velocities.
STATE, MULTIPLIER = 1e-11, 1e-10


@pytest.fixture(scope="module")
def runs():
    return stanescu.runs()


@pytest.mark.parametrize(("case", "time"), [(case, t) for case in stanescu.CASES for t in REFERENCE[case]])
def test_states(runs, case, time):
    particle, run, expected = stanescu.sphere().particle, runs[case], REFERENCE[case][time]
    at = run.at(float(time))
    np.testing.assert_allclose(at[particle.position][0], expected["pos"], rtol=0, atol=STATE)
    np.testing.assert_allclose(at[particle.velocity][0], expected["vel"], rtol=0, atol=STATE)
    np.testing.assert_allclose(at[run.system.multipliers[0]][0], expected["lam"], rtol=0, atol=MULTIPLIER)


def test_printed_signs_leave_the_sphere(runs):
    expected = REFERENCE["printed signs"]
    found = runs["printed signs"].at([float(time) for time in expected])[stanescu.printed_sphere().f]
    np.testing.assert_allclose(found, list(expected.values()), rtol=1e-9)


def test_the_planar_case_would_leave(runs):
    """The sphere begins to pull between the reference times at which its multiplier has either sign."""
    run = runs["planar"]
    first = run.events[0].t
    assert 0.5 < first < 1.0
    assert abs(run.at(first)[run.system.multipliers[0]][0]) < 1e-11
    assert np.all(run.at(np.linspace(0, first - 1e-6, 50))[run.system.multipliers[0]] > 0)


def test_rows(runs):
    rows = {row.quantity: row for row in stanescu.section(runs).rows}
    assert {name for name, row in rows.items() if row.agrees is False} == {
        "f at the printed start (0, 0, R), a = R",
        "f along a run with λ of (46)",
    }
    assert rows["f along a run with λ of (46)"].computed == "0.315 -0.424 3.067 m²"
    place = rows["place at 2 s, general case"].computed
    assert place == "(" + ", ".join(f"{x:.9f}" for x in REFERENCE["general"]["2"]["pos"]) + ") m"


def test_cases_share_their_code(runs):
    assert runs["general"].program is runs["planar"].program
