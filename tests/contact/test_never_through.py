"""Bodies that are thrown and bounce to rest stay outside of their surface: no landing is missed, however small a bounce."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from cases import few

BODIES = {
    "disc": lambda: zm.bodies.disc(0.1, 0.5),
    "ball": lambda: zm.bodies.ball(0.1, 0.5),
    "ellipsoid": lambda: zm.bodies.ellipsoid((0.1, 0.08, 0.06), 0.5),
    "capsule": lambda: zm.bodies.capsule(0.03, 0.1, 0.5),
    "cylinder": lambda: zm.bodies.cylinder(0.05, 0.1, 0.5),
}
METHODS = [("collocation", 1e-9), ("dop853", 1e-12), ("collocation", 1e-13)]


def thrown(rolling: zm.Rolling, seed: int) -> zm.State:
    rng = np.random.default_rng(seed)
    turn, spin = rng.uniform(0.3, 1.2, 3), rng.uniform(-6.0, 6.0, 3)
    velocity = (*rng.uniform(-0.5, 0.5, 2), rng.uniform(-1.0, 1.0))
    return rolling.flying.start(center=(0, 0, 0.5), velocity=velocity, orientation=turn, angular_velocity=spin)


def lowest(rolling: zm.Rolling, run: zm.Run) -> float:
    """The least gap, at places inside of segments, m."""
    times = [t for s in run.segments for t in np.linspace(s.t[0], s.t[-1], 7)[1:-1]]
    states = [run.state(t) for t in times]
    return min(float(state[rolling.gap]) for state in states)


@pytest.mark.parametrize("seed", few(range(12)))
@pytest.mark.parametrize("name", few(BODIES, 2))
def test_a_thrown_body_does_not_fall_through(name: str, seed: int) -> None:
    rolling = zm.Rolling(BODIES[name](), on=zm.surfaces.plane(), friction=0.3, restitution=0.5)
    method, rtol = METHODS[seed % len(METHODS)]
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        run = zm.simulate(rolling, thrown(rolling, seed), until=1.5, method=method, rtol=rtol)
    assert lowest(rolling, run) > -1e-12


def test_a_coin_that_bounces_to_rest() -> None:
    """Its gap begins with a few units of rounding after each stroke, which machine code may see as none."""
    coin = zm.Rolling(zm.bodies.disc(0.1, 0.5), on=zm.surfaces.plane(), friction=0.3, restitution=0.5)
    turned = {"orientation": (1.2, 0, 0), "angular_velocity": (-9, 0.3, 0)}
    start = coin.flying.start(center=(0, 0, 1.0), velocity=(0.2, 0, 0), **turned)
    for method, rtol in METHODS:
        run = zm.simulate(coin, start, until=0.8, method=method, rtol=rtol)
        assert run.modes[-1] == "slipping"
        assert lowest(coin, run) > -1e-12
