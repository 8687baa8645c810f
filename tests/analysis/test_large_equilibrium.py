"""Rest of large systems: where forces balance, for as long as they do not change with time."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile.rolled.native import RolledNative
from zeromass.model import ModelError, StartError
from zeromass.model import system as model

G, K, LENGTH = 9.81, 200.0, 0.1


@pytest.fixture(autouse=True)
def _all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "LARGE", 1)


def hanging(count: int) -> tuple[zm.System, list[zm.Particle]]:
    """Masses of 1 kg on springs, one below the other."""
    masses = [zm.Particle(f"p{k}", 1.0) for k in range(count)]
    ends = [np.zeros(3), *[p.position for p in masses]]
    springs = [zm.Spring(K, a, b, length=LENGTH) for a, b in pairwise(ends)]
    return zm.System(masses, gravity=G, forces=springs), masses


def test_masses_on_springs_hang_as_long_as_their_weights_make_them() -> None:
    """Each spring bears what is below it; small motions up and down have ω = 2 √(k/m) sin((2j − 1) π/(4n + 2))."""
    count = 3
    system, masses = hanging(count)
    heights = np.array([p.position[2] for p in masses])
    rest = system.equilibrium(guess=dict(zip(heights, -0.3 * np.arange(1, count + 1), strict=True)))
    assert rest.system.large
    lengths = LENGTH + G / K * np.arange(count, 0, -1)
    assert np.abs(rest[heights] + np.cumsum(lengths)).max() < 1e-12
    found = np.abs(np.linalg.eigvals(zm.analysis.linearize(system, rest).A).imag)
    for j in range(1, count + 1):
        ω = 2 * np.sqrt(K) * np.sin((2 * j - 1) * np.pi / (4 * count + 2))
        assert np.abs(found - ω).min() < 1e-9


def test_a_rest_of_a_moment_is_none() -> None:
    p = zm.Particle("bob", 1.0)
    push = zm.Force((0.0, 0.0, np.sin(zm.t)), at=p.position)
    system = zm.System([p], gravity=G, forces=[zm.Spring(K, p.position, length=LENGTH), push])
    with pytest.raises(StartError, match=r"it rests for a moment only: the force on 'bob\.z' changes with time"):
        system.equilibrium(guess={p.position[2]: -0.2})


def test_accelerations_change_with_time_as_their_differences_do() -> None:
    """Of two bodies with a drive and a spring whose end moves, by differences of fourth order."""
    a, b = (zm.RigidBody(name, 1.0 + k, (0.1, 0.2, 0.25), at=(k, 0, 0)) for k, name in enumerate("ab"))
    hinge = zm.joints.Revolute(zm.Ground(), a, at=(-0.5, 0, 0), axis=(0, 1, 0))
    joints = [hinge, zm.joints.Spherical(a, b, at=(0.5, 0, 0)), hinge.drive(0.4 * np.sin(2 * zm.t))]
    pull = zm.Spring(30.0, b.position, (np.cos(3 * zm.t), 1.0, 0.0), length=0.2)
    system = zm.System([a, b], gravity=G, joints=joints, forces=[pull])
    start = system.start(t=0.3)
    native, h = cast(RolledNative, zm.compile(system, start).native), 1e-3
    moments = np.repeat(start.inputs[None], 4, axis=0)
    moments[:, 0] += h * np.array([-2, -1, 1, 2])
    slopes = np.array([1, -8, 8, -1]) @ native.accelerations(moments) / (12 * h)
    assert np.abs(slopes).max() > 1
    assert np.abs(native.by_time(start.inputs) - slopes).max() < 1e-9


def test_a_force_from_outside_is_no_input_but_one_of_a_parameter_is() -> None:
    """A mass on a spring, pushed: x = u/(k − m ω²) at ω = 0."""
    p, u = zm.Particle("bob", 1.0), zm.parameter("u", 0.0)
    push, wire = zm.Force((u, 0, 0), at=p.position), {"wire": p.position[1:]}
    system = zm.System([p], constraints=wire, forces=[zm.Spring(K, p.position), push])
    rest = system.equilibrium()
    with pytest.raises(ModelError, match=r"give the system the force with a zm\.parameter as its size"):
        zm.analysis.linearize(system, rest, inputs=[zm.Force((1, 0, 0), at=p.position)])
    linear = zm.analysis.linearize(system, rest, inputs=[u], outputs=[p.position[0]])
    gain = linear.D - linear.C @ np.linalg.solve(linear.A, linear.B)
    assert gain.item() == pytest.approx(1 / K, rel=1e-12)
