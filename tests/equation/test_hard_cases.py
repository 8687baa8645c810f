"""Small cases with answers known beforehand: the papers' examples, extreme masses, empty and zero arguments."""

from __future__ import annotations

import numpy as np
import pytest

from zeromass.equation import Verdict, acceleration, kkt, solve, udwadia_kalaba
from zeromass.errors import EquationError

EPS = np.finfo(float).eps
m, R, Ic, g, α = 2.0, 0.5, 0.3, 9.81, 0.4


def test_wheel_on_an_incline() -> None:
    """[UP2006, ex. 1, eq. 5.17]: one coordinate too many, y, which has no mass."""
    M, Q, A, b = np.diag([m * R**2 + Ic, 0]), [0, m * g], [[-R * np.sin(α), 1]], [0]
    right = m * g * R * np.sin(α) / (m * R**2 + Ic) * np.array([1, R * np.sin(α)])
    motion = solve(M, Q, A, b)
    assert motion.verdict is Verdict.UNIQUE
    assert np.allclose(motion.acceleration, right, rtol=10 * EPS, atol=0)
    assert np.allclose(acceleration(M, Q, A, b, projected=False), right, rtol=10 * EPS, atol=0)
    assert np.allclose(kkt(M, Q, A, b)[0], right, rtol=10 * EPS, atol=0)
    assert np.allclose(motion.multipliers, -m * g, rtol=10 * EPS, atol=0)  # the weight, carried by the incline


def test_wheel_with_a_particle_of_no_mass() -> None:
    """[UP2006, ex. 2, eq. 5.23]: its acceleration can be anything, and no force can act on it."""
    M, Q, A, b = np.diag([m * R**2 + Ic, 0, 0]), [0, m * g, 0], [[-R * np.sin(α), 1, 0]], [0]
    motion = solve(M, Q, A, b, eta=[5, 6, 7])
    assert motion.verdict is Verdict.UNDETERMINED
    assert np.allclose(np.abs(motion.undetermined), [[0], [0], [1]], rtol=0, atol=EPS)
    assert motion.acceleration[2] == pytest.approx(7, rel=10 * EPS)
    assert motion.acceleration[0] == pytest.approx(m * g * R * np.sin(α) / (m * R**2 + Ic), rel=10 * EPS)
    assert solve(M, [0, m * g, 1], A, b).verdict is Verdict.IMPOSSIBLE_FORCE


def test_two_masses_on_springs() -> None:
    """[UP2006, ex. 3, eqs. 5.31–5.39]: a singular M from two subsystems that are joined by a constraint."""
    m1, m2, F1, F2 = 1.5, 0.7, 2.0, -3.0  # F1 = k1 x1, F2 = k2 q2
    M, Q, A = [[m1, 0, 0], [0, m2, m2], [0, m2, m2]], [-F1, 0, -F2], [[1, -1, 0]]
    x = (F2 - F1) / m1
    assert np.allclose(solve(M, Q, A, [0]).acceleration, [x, x, -x - F2 / m2], rtol=10 * EPS, atol=0)
    M[0][0] = 0  # case 5.2: without m1 the forces of the springs must be equal
    assert solve(M, Q, A, [0]).verdict is Verdict.IMPOSSIBLE_FORCE
    assert solve(M, [-F1, 0, -F1], A, [0]).verdict is Verdict.UNDETERMINED


@pytest.mark.parametrize(("light", "heavy"), [(1e-9, 1e9), (1e-15, 1e15), (1e-3, 1e3)])
def test_light_and_heavy_masses_together(light: float, heavy: float) -> None:
    motion = solve(np.diag([light, heavy]), [1, 1])
    assert motion.verdict is Verdict.UNIQUE
    assert np.allclose(motion.acceleration, [1 / light, 1 / heavy], rtol=10 * EPS, atol=0)
    # rigidly joined, with an axis of no mass between them: the force moves their sum
    M, A = np.diag([light, 0, heavy]), [[1, -1, 0], [0, 1, -1], [1, 0, -1]]
    motion = solve(M, [2, 3, 4], A, [0, 0, 0])
    assert motion.verdict is Verdict.UNIQUE
    assert motion.redundant.tolist() == [2]
    assert np.allclose(motion.acceleration, 9 / (light + heavy), rtol=100 * EPS, atol=0)
    # on a lever of equal arms the light one is dragged along
    motion = solve(np.diag([light, heavy]), [0, 1], [[1, 1]], [0])
    assert np.allclose(motion.acceleration, np.array([-1, 1]) / (light + heavy), rtol=100 * EPS, atol=0)
    # two light ones that hold to each other have a motion of their own beside the heavy one
    motion = solve(np.diag([light, light, heavy]), [1, 0, 1], [[1, -1, 0]], [0])
    assert np.allclose(motion.acceleration, [0.5 / light, 0.5 / light, 1 / heavy], rtol=100 * EPS, atol=0)


@pytest.mark.parametrize("mass", [1e-30, 1e-18, 1.0, 1e18, 1e30])
def test_marks_on_a_body_of_any_mass(mass: float) -> None:
    """Two points of no mass that follow it, one after the other: their units come from the body's, however far off."""
    M, A = np.diag([mass, 0, 0]), [[-1, 1, 0], [0, -1, 1]]
    motion = solve(M, [mass, 0, 0], A, [0, 0])
    assert motion.verdict is Verdict.UNIQUE
    assert np.allclose(motion.acceleration, 1.0, rtol=100 * EPS, atol=0)


def test_constraints_that_leave_no_freedom_do_not_feel_the_masses() -> None:
    motion = solve(np.diag([1e-9, 1e9]), [1, 1], [[1, 1], [1, 2]], [3, 5])
    assert np.allclose(motion.acceleration, [1, 2], rtol=100 * EPS, atol=0)


def test_no_constraints() -> None:
    M, Q = np.array([[2.0, 1], [1, 2]]), [3.0, 0]
    empty = np.zeros((0, 2)), np.zeros(0)
    for motion in (solve(M, Q), solve(M, Q, *empty)):
        assert np.allclose(motion.acceleration, [2, -1], rtol=10 * EPS, atol=0)
        assert np.allclose(motion.reaction, 0, rtol=0, atol=10 * EPS)
        assert motion.multipliers.shape == motion.redundant.shape == motion.inconsistent.shape == (0,)
        assert motion.constraint_rank.rank == 0
    for route in (acceleration, udwadia_kalaba, lambda *p: kkt(*p)[0]):
        assert np.allclose(route(M, Q), [2, -1], rtol=10 * EPS, atol=0)
        assert np.allclose(route(M, Q, *empty), [2, -1], rtol=10 * EPS, atol=0)


def test_one_coordinate() -> None:
    assert solve([[2]], [4]).acceleration.tolist() == [2]
    assert solve([[0]], [0]).verdict is Verdict.UNDETERMINED
    assert solve([[0]], [0], eta=[3]).acceleration.tolist() == [3]
    assert solve([[0]], [1]).verdict is Verdict.IMPOSSIBLE_FORCE
    assert solve([[0]], [1]).certificate.tolist() == [1]
    motion = solve([[0]], [1], [[2]], [4])
    assert motion.verdict is Verdict.UNIQUE
    assert motion.acceleration.tolist() == pytest.approx([2], rel=10 * EPS)
    assert motion.reaction.tolist() == [-1]
    assert motion.multipliers.tolist() == pytest.approx([-0.5], rel=10 * EPS)


def test_a_row_of_zeros_says_nothing_or_nonsense() -> None:
    A = [[0, 0], [1, 1]]
    motion = solve(np.eye(2), [1, 3], A, [0, 0])
    assert motion.verdict is Verdict.UNIQUE
    assert motion.redundant.tolist() == [0]
    assert np.allclose(motion.acceleration, [-1, 1], rtol=10 * EPS, atol=0)
    motion = solve(np.eye(2), [1, 3], A, [1, 0])
    assert motion.verdict is Verdict.INCONSISTENT
    assert motion.inconsistent.tolist() == [0]
    assert motion.certificate.tolist() == [1, 0]
    assert np.isnan(motion.acceleration).all()


def test_the_certificate_of_a_contradiction_is_the_contradiction() -> None:
    """x + y = 1, 2x + 2y = 3, and y − z = 0 that has nothing to do with it: twice the first less the second."""
    motion = solve(np.eye(3), [0, 0, 0], [[1, 1, 0], [2, 2, 0], [0, 1, -1]], [1, 3, 0])
    assert motion.inconsistent.tolist() == [0, 1]
    assert np.allclose(motion.certificate, [-1, 0.5, 0], rtol=10 * EPS, atol=0)


def test_a_small_contradiction_beside_large_numbers_is_seen() -> None:
    A, b = [[1, 0], [0, 1], [0, 1]], [1e9, 0, 0.5]
    assert solve(np.eye(2), [0, 0], A, b).inconsistent.tolist() == [1, 2]


def test_gravity_on_a_coordinate_without_mass_needs_a_constraint() -> None:
    assert solve(np.diag([1, 0]), [0, 1]).verdict is Verdict.IMPOSSIBLE_FORCE
    assert solve(np.diag([1, 0]), [0, 1], [[0, 1]], [0]).reaction.tolist() == [0, -1]


def test_a_motion_whose_mass_is_round_off_is_undetermined() -> None:
    """A massless motion (1, −1) that the constraint turns by δ into one of mass δ²: M knows that to 1e-16 only."""
    M, Q = np.ones((2, 2)), [1.0, 1.0]
    for δ in (1e-1, 1e-3, 1e-5):
        motion = solve(M, Q, [[1.0, 1.0 + δ]], [0.0])
        assert motion.verdict is Verdict.UNIQUE
        assert np.allclose(motion.acceleration * δ, [1 + δ, -1], rtol=10 * EPS / δ**2, atol=0)
    for δ in (1e-6, 1e-7, 1e-8, 1e-9):  # [M; A] alone would still pass for full rank
        motion = solve(M, Q, [[1.0, 1.0 + δ]], [0.0])
        assert motion.verdict is Verdict.UNDETERMINED
        assert motion.rank.margin < 1
        assert np.allclose(motion.undetermined[:, 0] * motion.undetermined[0, 0], [0.5, -0.5], rtol=0, atol=δ)
        assert solve(M, [1.0, 0.0], [[1.0, 1.0 + δ]], [0.0]).verdict is Verdict.IMPOSSIBLE_FORCE


def test_numbers_at_the_edge() -> None:
    """Masses, forces and rows near the largest and smallest numbers: a motion, or a word about what is too large."""
    motion = solve(np.diag([1.0, 1e-308]), [1.0, 1.0])
    assert np.allclose(motion.acceleration, [1.0, 1e308], rtol=10 * EPS, atol=0)
    motion = solve(np.diag([1e308, 1.0]), [1e308, 1.0])
    assert np.allclose(motion.acceleration, [1.0, 1.0], rtol=10 * EPS, atol=0)
    motion = solve(np.eye(2), [0.0, 0.0], [[1e308, 1e308]], [1e308])
    assert np.allclose(motion.acceleration, [0.5, 0.5], rtol=10 * EPS, atol=0)
    with pytest.raises(EquationError, match="the acceleration of coordinate 1 is too large"):
        solve(np.diag([1.0, 1e-308]), [1.0, 1e100])
