"""The car axis of the IVP test set: two masses on springs, one wheel on a bumpy road, an index 3 problem.

[Mazzia & Magherini, Test Set for Initial Value Problem Solvers, release 2.4, 2008, problem "caraxis"]. The masses are
scaled so that the springs have stiffness 1; the axle has length L, and the left wheel stands across the chassis.
"""

from __future__ import annotations

import numpy as np

import zeromass as zm
from exact.measure import exact_run, relative

PLACES = [0.0493455784275402809122, 0.496989460230171153861, 1.04174252488542151681, 0.373911027265361256927]
RATES = [-0.0770583684040972357970, 0.00744686658723778553466, 0.0175568157537232222276, 0.770341043779251976443]
MULTIPLIERS = [-0.00473688659084893324729, -0.00110468033125734368808]
"""At t = 3."""


def test_published_digits():
    """Measured: places 1.6e-13, rates 6.3e-12, multipliers 6e-13.

    The published digits are those of a run in quadruple precision.
    """
    ε, M, L, L0, r, ω, g = 1e-2, 10.0, 1.0, 0.5, 0.1, 10.0, 1.0
    k = M * ε**2 / 2
    xl, yl, xr, yr = q = zm.coordinates("xl yl xr yr")
    yb = r * np.sin(ω * zm.t)
    xb = np.sqrt(L**2 - yb**2)
    springs = [np.sqrt(xl**2 + yl**2), np.sqrt((xr - xb) ** 2 + (yr - yb) ** 2)]
    v = zm.rate(q)
    system = zm.System(
        kinetic=k * (v @ v) / 2,
        potential=sum((length - L0) ** 2 for length in springs) / 2 + k * g * (yl + yr),
        coordinates=q,
        constraints={"wheel": xb * xl + yb * yl, "axle": (xl - xr) ** 2 + (yl - yr) ** 2 - L**2},
    )
    start = system.start([(q, (0.0, 0.5, 1.0, 0.5)), (v, (-0.5, 0.0, -0.5, 0.0))])
    end = exact_run(system, start, 3.0).at(3.0)
    assert relative(end[q][0], PLACES) <= 1e-12
    assert relative(end[v][0], RATES) <= 3e-11
    assert relative(end[system.multipliers][0], MULTIPLIERS) <= 3e-12
