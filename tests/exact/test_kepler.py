"""Kepler's orbit in the potential −μ/r, in a plane that is no coordinate plane.

x = a(cos E − e), y = a√(1 − e²) sin E,   E − e sin E = √(μ/a³) t      [Goldstein, 3rd ed. 2002, §3.8]
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, relative, rotation

μ, a = 1.3, 0.9
PERIOD = 2 * np.pi * np.sqrt(a**3 / μ)
TIMES = np.linspace(0.0, 3 * PERIOD, 301)


def orbit(e: float) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity in the plane of the orbit, (k, 3), from the pericentre at t = 0."""
    n = np.sqrt(μ / a**3)
    E = n * TIMES
    for _ in range(100):  # Newton's method, from E = M + e sin M
        E = E - (E - e * np.sin(E) - n * TIMES) / (1 - e * np.cos(E))
    b, zero = a * np.sqrt(1 - e**2), np.zeros_like(E)
    speed = n / (1 - e * np.cos(E))
    place = np.stack([a * (np.cos(E) - e), b * np.sin(E), zero], axis=1)
    return place, np.stack([-a * np.sin(E) * speed, b * np.cos(E) * speed, zero], axis=1)


@pytest.mark.parametrize(("e", "bound"), [(0.0, 2e-12), (0.3, 2e-11), (0.6, 1e-11), (0.9, 1e-9)])
def test_orbit(e, bound):
    """Measured after three periods: places 5e-13, 3e-12, 1.5e-12 and 3.6e-11, velocities 4e-10 for the last.

    The error of the energy shifts the period, so that these grow with the square of time; at the pericentre of an
    orbit with e = 0.9 the velocity changes by its own size in a hundredth of the period.
    """
    m = 2.2
    planet = zm.Particle("planet", mass=m)
    system = zm.System([planet], potential=-μ * m / np.sqrt(planet.position @ planet.position))
    tilt = rotation(np.array([1.0, 1.0, 1.0]) / np.sqrt(3), 0.8)[0]
    place, velocity = (x @ tilt.T for x in orbit(e))
    start = system.start([(planet.position, place[0]), (planet.velocity, velocity[0])])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    assert relative(run[planet.position], place) <= bound
    assert relative(run[planet.velocity], velocity) <= bound
    momentum = run[m * np.cross(planet.position, planet.velocity)]
    assert relative(momentum, np.tile(momentum[0], (len(TIMES), 1))) <= bound
