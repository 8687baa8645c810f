"""N equal masses between two walls on N + 1 equal springs: normal modes in closed form.

    x_i(t) = Σ_j sin(ijπ/(N + 1)) (a_j cos ω_j t + b_j sin ω_j t),   ω_j = 2√(k/m) sin(jπ/(2(N + 1)))

[Fetter & Walecka, Theoretical Mechanics of Particles and Continua, 1980, §24]. The masses are particles of space that
constraints hold on a line; springs with a rest length are linear as long as they stay on it.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, relative

m, k, spacing = 0.4, 37.0, 0.5
TIMES = np.linspace(0.0, 10.0, 201)


@pytest.mark.parametrize("N", [1, 3, 8])
def test_normal_modes(N):
    """Measured in 10 s: places 2.3e-13 of the largest, which is the distance of the walls, velocities 2.7e-12."""
    random = np.random.default_rng(N)
    beads = [zm.Particle(f"bead{i}", mass=m) for i in range(1, N + 1)]
    points = [np.zeros(3), *[bead.position for bead in beads], np.array([(N + 1) * spacing, 0.0, 0.0])]
    springs = [zm.Spring(k, a, b, length=0.8 * spacing) for a, b in itertools.pairwise(points)]
    line = {f"line{i}": bead.position[1:] for i, bead in enumerate(beads, 1)}
    system = zm.System(beads, forces=springs, constraints=line)

    i = np.arange(1, N + 1)
    modes = np.sin(np.outer(i, i) * np.pi / (N + 1))
    ω = 2 * np.sqrt(k / m) * np.sin(i * np.pi / (2 * (N + 1)))
    a, b = random.normal(scale=0.1 * spacing / N, size=(2, N))
    phases = TIMES[:, None] * ω
    x = (a * np.cos(phases) + b * np.sin(phases)) @ modes.T + i * spacing
    v = (ω * (b * np.cos(phases) - a * np.sin(phases))) @ modes.T
    place = np.array([bead.position[0] for bead in beads])
    start = system.start([(place, x[0]), (zm.rate(place), v[0])])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    assert relative(run[place], x) <= 1e-12
    assert relative(run[zm.rate(place)], v) <= 1e-11
