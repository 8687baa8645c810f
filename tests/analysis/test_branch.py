"""Branches: folds and bifurcations where they are known, whatever coordinates the system is written in."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

G = 9.81


def hoop():
    """A bead on a hoop that turns: Cartesian, held by a sphere and by a plane that depends on time."""
    m, R = 0.1, 0.5
    W = zm.parameter("W", 2.0)
    bead = zm.Particle("bead", m)
    x, y, z = bead.position
    constraints = {
        "sphere": (bead.position @ bead.position - R**2) / 2,
        "plane": y * np.cos(W * zm.t) - x * np.sin(W * zm.t),
    }
    angle = np.arctan2(x * np.cos(W * zm.t) + y * np.sin(W * zm.t), -z)
    return zm.System([bead], gravity=G, constraints=constraints), W, R, z, angle


def test_pitchfork_of_the_bead_on_a_hoop():
    """At W² = g/R the bottom loses its stability to cos α = g/(W²R), both ways."""
    system, W, R, z, angle = hoop()
    bottom = system.equilibrium(constant=[angle], guess={z: -R})
    branch = zm.analysis.branch(system, bottom, over=(W, 1.0, 10.0), constant={"angle": angle})
    (special,) = branch.special
    assert special.kind == "pitchfork"
    assert abs(special.value - np.sqrt(G / R)) < 1e-10
    assert np.array_equal(branch.unstable > 0, branch.values > special.value)
    for back in (False, True):
        other = branch.other(0, back=back)
        assert np.abs(np.cos(other[angle]) - G / R / other.values**2).max() < 1e-9
        assert other.values.max() == 10.0
        assert (np.abs(other[angle]) < np.pi / 2).all()
        assert not other.special
        assert not other.unstable[1:].any()


def test_folds_of_a_truss():
    """Two bars, springs of stiffness k, with a joint between them: snap-through in Cartesian coordinates, bars as springs.

    P(h) of the height h is an exact formula; folds are its extrema.
    """
    k, a, h0 = 100.0, 1.0, 0.3
    P = zm.parameter("P", 0.0)
    joint = zm.Particle("joint", 1.0)
    x, y, z = joint.position
    L = np.hypot(a, h0)
    springs = [zm.Spring(k, joint.position, (s * a, 0, 0), length=L) for s in (1, -1)]
    push = zm.Force((0, 0, -P), at=joint.position)
    system = zm.System([joint], forces=[*springs, push], constraints={"guide": np.array([x, y])})
    rest = system.equilibrium(guess={z: h0})
    branch = zm.analysis.branch(system, rest, over=(P, -3.0, 3.0))
    h = np.linspace(-h0, h0, 2_000_001)
    load = 2 * k * (L - np.hypot(a, h)) * h / np.hypot(a, h)
    folds = [s for s in branch.special if s.kind == "fold"]
    assert len(folds) == len(branch.special) == 2
    assert abs(max(s.value for s in folds) - load.max()) < 1e-9
    assert abs(min(s.value for s in folds) - load.min()) < 1e-9
    heights = branch[z]
    assert np.abs(branch.values - 2 * k * (L - np.hypot(a, heights)) * heights / np.hypot(a, heights)).max() < 1e-9
    between = np.abs(heights) < abs(folds[0].state[z]) - 1e-6
    assert np.array_equal(branch.unstable > 0, between)


def test_transcritical_and_hopf():
    x, y = zm.coordinates("x y")
    p = zm.parameter("p", -1.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**3 / 3 - p * x**2 / 2)
    branch = zm.analysis.branch(system, system.equilibrium(), over=(p, -1.0, 1.0))
    assert [s.kind for s in branch.special] == ["transcritical"]
    assert abs(branch.special[0].value) < 1e-10
    other = branch.other()
    assert np.abs(other[x] - other.values).max() < 1e-9
    # ẍ + (x² − p) ẋ + x = 0 and a coordinate that nothing depends on, tied to it
    pol = zm.System(
        kinetic=zm.rate(x) ** 2 / 2,
        potential=x**2 / 2,
        forces={x: (p - x**2) * zm.rate(x)},
        constraints={"tie": y - 2 * x},
        coordinates=[x, y],
    )
    branch = zm.analysis.branch(pol, pol.equilibrium(parameters={p: -0.99}), over=(p, -0.99, 1.0))
    assert [s.kind for s in branch.special] == ["Hopf"]
    assert abs(branch.special[0].value) < 1e-9


def test_flutter_of_a_follower_force():
    """Ziegler's column with damping: the Hopf bifurcation is where Routh's criterion for the quartic of M, C, K(P) fails."""
    a, b = zm.coordinates("a b")
    P = zm.parameter("P", 0.0)
    da, db = zm.rate(a), zm.rate(b)
    kinetic = (3 * da**2 + 2 * da * db * np.cos(a - b) + db**2) / 2
    c = 0.1
    damping = {a: -c * da - c * (da - db) + P * np.sin(a - b), b: -c * (db - da)}
    column = zm.System(kinetic=kinetic, potential=(a**2 + (b - a) ** 2) / 2, forces=damping)
    branch = zm.analysis.branch(column, column.equilibrium(), over=(P, 0.0, 3.0))
    (hopf,) = [s for s in branch.special if s.kind == "Hopf"]
    M, C = np.array([[3.0, 1], [1, 1]]), c * np.array([[2.0, -1], [-1, 1]])

    def hurwitz(P):
        K = np.array([[2 - P, P - 1], [-1, 1]])
        poly = np.zeros(5)
        for i, j, s in ((0, 1, 1), (1, 0, -1)):
            poly += s * np.polymul([M[0, i], C[0, i], K[0, i]], [M[1, j], C[1, j], K[1, j]])
        a4, a3, a2, a1, a0 = poly
        return a3 * a2 * a1 - a4 * a1**2 - a3**2 * a0

    from scipy.optimize import brentq

    assert abs(hopf.value - brentq(hurwitz, 0.5, 2.5, xtol=1e-14)) < 1e-8


def test_bad_input():
    x, p = zm.coordinate("x"), zm.parameter("p", 0.0)
    column = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**4 / 4 - p * x**2 / 2)
    rest = column.equilibrium()
    with pytest.raises(zm.errors.ModelError, match="is a bifurcation itself"):
        zm.analysis.branch(column, rest, over=(p, -1.0, 1.0))
    with pytest.raises(zm.errors.ModelError, match="outside of 1 … 2"):
        zm.analysis.branch(column, rest, over=(p, 1.0, 2.0))
    with pytest.raises(zm.errors.ModelError, match="is no parameter"):
        zm.analysis.branch(column, rest, over=(x, 1.0, 2.0))
    away = zm.analysis.branch(column, column.equilibrium(parameters={p: -1.0}), over=(p, -2.0, -0.5))
    with pytest.raises(zm.errors.ModelError, match="0 bifurcations"):
        away.other()
