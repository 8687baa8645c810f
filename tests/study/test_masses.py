"""Each member of a study is judged as `simulate` judges it: a mass that can not be is its own outcome, and others run."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

x, y = zm.coordinates("x y")
m, k, v = zm.parameter("m", 1.0), zm.parameter("k", 1.0), zm.parameter("v", 0.0)


def _oscillator() -> zm.System:
    return zm.System(kinetic=m * zm.rate(x) ** 2 / 2, potential=np.sqrt(k) * x**2 / 2)


@pytest.mark.parametrize("on", ["lanes", pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("masses", [[2.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, -1.0, 2.0]])
def test_masses_that_can_not_be_are_outcomes_of_their_members(masses: list[float], on: str | int) -> None:
    system = _oscillator()
    study = zm.sweep(system, system.start({x: 1.0}), until=1.0, over={m: masses}, keep={"end": x}, on=on)
    expected = {2.0: "finished", -1.0: "no start", 0.0: "inconsistent"}
    assert study.outcome.values.tolist() == [expected[mass] for mass in masses]
    assert study.end.sel(m=2.0).item() == pytest.approx(np.cos(np.sqrt(0.5)), abs=1e-9)
    assert np.isnan(study.end.sel(m=-1.0).item())
    assert "negative" in study.message.sel(m=-1.0).item()


def test_members_of_a_chunk_that_have_the_same_mass_are_judged_too() -> None:
    """As where a grid has more members along its other dimensions than a chunk."""
    system = _oscillator()
    over = {m: [1.0, -1.0], v: np.linspace(0.0, 1.0, 1100)}
    study = zm.sweep(system, system.start({x: 1.0, zm.rate(x): v}), until=0.1, over=over, keep={"end": x})
    assert (study.outcome.sel(m=1.0) == "finished").all()
    assert (study.outcome.sel(m=-1.0) == "no start").all()


def test_a_particle_without_mass_is_not_carried_by_a_formula_from_which_the_mass_has_gone() -> None:
    """m z̈ = −m g tells nothing at m = 0, although z̈ = −g is what is compiled."""
    particle = zm.Particle("p", m)
    system = zm.System([particle], gravity=9.81)
    start = system.start({particle.position[2]: 1.0})
    study = zm.sweep(system, start, until=0.1, over={m: [2.0, 0.0]}, keep={"end": particle.position[2]})
    assert study.outcome.values.tolist() == ["finished", "non-unique"]


def test_kinetic_energies_that_are_negative_at_some_positions_are_judged_there() -> None:
    """M = 1 − x²; and one of two coordinates whose diagonal is positive, [[1, x], [x, 1]]."""
    place = zm.parameter("place", 0.0)
    u, w = zm.rate(x), zm.rate(y)
    for kinetic in ((1 - x**2) * u**2 / 2 + w**2 / 2, u**2 / 2 + x * u * w + w**2 / 2):
        system = zm.System(kinetic=kinetic)
        study = zm.sweep(system, system.start({x: place}), until=0.1, over={place: [0.0, 2.0]}, keep={"end": x})
        assert study.outcome.values.tolist() == ["finished", "no start"]


def test_parameters_outside_the_domain_of_a_formula_are_outcomes_of_their_members() -> None:
    system = _oscillator()
    for values in ([-1.0, 4.0], [4.0, -1.0]):
        study = zm.sweep(system, system.start({x: 1.0}), until=1.0, over={k: values}, keep={"end": x})
        assert study.outcome.sel(k=4.0).item() == "finished"
        assert study.outcome.sel(k=-1.0).item() == "not a number"


def test_a_study_in_which_no_member_can_begin_says_why() -> None:
    system = _oscillator()
    with pytest.raises(zm.errors.EquationError, match="negative eigenvalue"):
        zm.sweep(system, system.start({x: 1.0}), until=1.0, over={m: [-1.0, -2.0]}, keep={"end": x})
