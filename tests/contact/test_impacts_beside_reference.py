"""Impacts of the engine's kernels, one contact after the other, beside an independent formulation in NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest

from contact.reference_impacts.in_turn import in_turn
from zeromass.integrate.hybrid.contact_problem import contact_problem
from zeromass.integrate.hybrid.impact_problem import ImpactStatus, impact_problem
from zeromass.integrate.hybrid.impacts import impacts
from zeromass.kernel.language import compiled


@pytest.mark.parametrize("k", [1, 2, 3])
def test_contacts_are_struck_one_after_the_other_as_in_the_reference(k):
    rng, apart = np.random.default_rng(k), []
    for _ in range(40):
        B = rng.normal(size=(3 * k, 6))
        D = B @ np.diag(rng.uniform(0.5, 2.0, 6)) @ B.T
        w = rng.normal(size=(k, 3))
        w[:, 0] = -np.abs(w[:, 0])
        μ, e = rng.uniform(0.1, 0.6, k), rng.uniform(0.0, 1.0, k)
        p, contacts = impact_problem(k), contact_problem(k)
        contacts.D[:], p.mu[:], p.hold[:], p.e[:], p.w[:] = D, μ, μ, e, w.ravel()
        assert compiled(impacts)(p, contacts, False) <= ImpactStatus.SEQUENTIAL
        found = in_turn(D, np.tile([1.0, 0.0, 0.0], (k, 1)), w, μ, e).impulses
        apart.append(np.abs(p.P - found.ravel()).max())
    assert np.median(apart) < 1e-12  # rounding
    assert max(apart) < 1e-8  # slips that turn are integrated by both, to some 1e-10
