"""Contact modes with Coulomb friction: the law, all cases of few contacts, thresholds, redundant contacts, every status."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import root

from integrate.contact_scenes import GRAVITY, GROUND, Body, Touch, box, pile, problem, random_problem, rod, violation
from kernel.same_bits import assert_same_bits, copied
from zeromass.integrate.hybrid.contact_modes import select_contact_modes
from zeromass.integrate.hybrid.contact_problem import BITS, OPEN, SLIP, STICK, ContactStatus, contact_problem
from zeromass.integrate.hybrid.contact_redundancy import independent_rows, shared_forces
from zeromass.kernel.language import compiled

select = compiled(select_contact_modes)

LAW = 1e-10
"""Violation that is allowed: the solver iterates to 1e-12, with units of forces that differ by a few powers of ten."""

INFINITE = float("inf")


def has_law(p) -> None:
    """Forces, accelerations, modes and directions of slip agree with Coulomb's law and with one another."""
    size = np.abs(p.b).max()
    assert violation(p, p.F) <= LAW
    assert np.abs(p.D @ p.F + p.b - p.a).max() <= 1e-12 * (np.abs(p.D) @ np.abs(p.F) + size).max()
    for i, mode in enumerate(p.mode):
        N, T, a = p.F[3 * i], p.F[3 * i + 1 : 3 * i + 3], p.a[3 * i : 3 * i + 3]
        if mode == OPEN:
            assert not p.F[3 * i : 3 * i + 3].any()
        if mode == STICK:
            assert np.abs(a).max() <= LAW * size
        if mode == SLIP:
            assert abs(a[0]) <= LAW * size
            assert np.abs(T + p.mu[i] * N * p.way[i]).max() <= LAW * np.abs(p.F).max()
            if not p.slip[i].any():
                assert np.abs(a[1:] - np.linalg.norm(a[1:]) * p.way[i]).max() <= LAW * size


def all_motions(p) -> list[np.ndarray]:
    """Forces of all motions, by all cases: linear equations for given directions of slip, and a root for unknown ones."""
    k, found = len(p.mu), []
    for modes in product(range(3), repeat=k):
        known = p.slip.any(axis=1)
        if any(mode == STICK and known[i] for i, mode in enumerate(modes)):
            continue
        begins = [i for i, mode in enumerate(modes) if mode == SLIP and not known[i]]
        rows = [3 * i + r for i, mode in enumerate(modes) for r in range((0, 3, 1)[mode])]

        def forces(angles, modes=modes, begins=begins, rows=rows):
            way = p.slip.copy()
            way[begins] = np.stack([np.cos(angles), np.sin(angles)], axis=1) if begins else 0.0
            B = np.eye(3 * k)
            for i, mode in enumerate(modes):
                if mode == SLIP:
                    B[3 * i + 1 : 3 * i + 3, 3 * i] = -p.mu[i] * way[i]
            B = B[:, rows]
            return B @ np.linalg.solve(p.D[rows] @ B, -p.b[rows]) if rows else np.zeros(3 * k)

        def across(angles, forces=forces, begins=begins):
            a = p.D @ forces(angles) + p.b
            return [np.cos(x) * a[3 * i + 2] - np.sin(x) * a[3 * i + 1] for i, x in zip(begins, angles, strict=True)]

        starts = list(product(np.arange(6.0), repeat=len(begins)))[:: 5 if len(begins) > 2 else 1]
        for start in starts:
            angles = root(across, start, tol=1e-13).x if begins else np.array([])
            F = forces(angles)
            if violation(p, F) <= 1e-9 and all(np.abs(F - G).max() > 1e-6 * np.abs(F).max() for G in found):
                found.append(F)
    return found


@pytest.mark.parametrize(("k", "count"), [(1, 30), (2, 12), (3, 2)])
@pytest.mark.parametrize("known", [0.0, 0.5, 1.0])
def test_a_motion_is_found_where_some_case_is_one(k, count, known):
    """k bodies with k contacts: D is regular, so that forces are those of some case."""
    for seed in range(count):
        p = random_problem(seed, k, bodies=k, known=known)
        if np.linalg.cond(p.D) > 1e9:  # two contacts of the same two bodies are redundant
            continue
        motions, status = all_motions(p), select(p)
        assert (status == ContactStatus.DECIDED) == bool(motions)
        if motions:
            has_law(p)
            assert min(np.abs(p.F - F).max() for F in motions) <= 1e-8 * np.abs(p.F).max() or not p.F.any()


def test_known_slips_of_four_contacts_are_decided_or_proved_to_have_no_motion():
    seen = set()
    for seed in range(60):
        p = random_problem(seed, 4, bodies=2, known=1.0)
        motions, status = all_motions(p), select(p)
        seen.add(status)
        assert status == (ContactStatus.DECIDED if motions else ContactStatus.NONE)
    assert ContactStatus.DECIDED in seen


@pytest.mark.parametrize("bodies", [1, 2, 4])
@pytest.mark.parametrize("k", [2, 4, 8, 12])
def test_contacts_that_do_not_slip_yet_are_always_decided(k, bodies):
    """Redundant or not: a motion exists where some motion opens all contacts, as of one body above the ground [ACL2011]."""
    for seed in range(20):
        p = random_problem(seed, k, bodies)
        assert select(p) == ContactStatus.DECIDED
        has_law(p)
        given = p.F.copy()
        p.warm = True
        assert select(p) == ContactStatus.DECIDED
        has_law(p)
        assert np.abs(p.D @ (p.F - given)).max() <= 1e-7 * np.abs(p.b).max()


@pytest.mark.parametrize("beyond", [-1e-6, 1e-6])
def test_a_ball_on_a_slope_rolls_up_to_friction_of_two_sevenths_of_its_tangent(beyond):
    slope = 0.6
    mu = 2 / 7 * np.tan(slope) * (1 + beyond)
    free = (GRAVITY * np.sin(slope), 0, -GRAVITY * np.cos(slope), 0, 0, 0)
    p = problem([Body(3.0, [0.4 * 3 * 0.2**2] * 3, (0, 0, 0.2), free)], [Touch(0, GROUND, (0, 0, 0), (0, 0, 1), mu)])
    assert select(p) == ContactStatus.DECIDED
    assert p.mode[0] == (STICK if beyond > 0 else SLIP)
    assert p.F[0] == pytest.approx(3 * GRAVITY * np.cos(slope), rel=1e-14)
    friction = min(2 / 7 * 3 * GRAVITY * np.sin(slope), mu * p.F[0])
    assert np.hypot(*p.F[1:]) == pytest.approx(friction, rel=1e-13)


@pytest.mark.parametrize("beyond", [-1e-9, 1e-9])
def test_a_rod_that_slips_has_no_motion_beyond_its_critical_friction(beyond):
    """N lifts its end if 1 + 3 cos φ (cos φ − μ sin φ) > 0 [P1895]."""
    angle = 1.0
    critical = (1 + 3 * np.cos(angle) ** 2) / (3 * np.sin(angle) * np.cos(angle))
    p = rod(critical * (1 + beyond), angle)
    assert select(p) == (ContactStatus.DECIDED if beyond < 0 else ContactStatus.NONE)
    p = rod(critical * (1 + beyond), angle, lift=10.0)
    assert select(p) == ContactStatus.DECIDED
    assert p.mode[0] == OPEN
    assert p.several == (beyond > 0)  # it may jam as well


def test_two_contacts_with_known_slips_may_have_no_motion_either():
    """The rod, and a ball that is far from it but coupled to it, as if by a spring without mass."""
    one, p = rod(4.0, 1.0), contact_problem(2)
    p.D[:3, :3], p.D[3:, 3:] = one.D, np.eye(3)
    p.D[0, 3] = p.D[3, 0] = 0.1
    p.b[:3], p.b[3], p.slip[0] = one.b, 1.0, one.slip[0]
    p.mu[:], p.slip[1] = (4.0, 0.1), (1.0, 0.0)
    p.hold[:] = p.mu
    assert select(p) == ContactStatus.NONE
    assert all_motions(p) == []


def test_a_box_rests_up_to_the_angle_of_friction_and_then_slides():
    slope = 0.4
    for mu, mode in ((np.tan(slope) * 1.001, STICK), (np.tan(slope) * 0.9, SLIP)):
        p = box(mu, slope)
        assert select(p) == ContactStatus.DECIDED
        has_law(p)
        assert (p.mode == mode).all()
        a = max(GRAVITY * (np.sin(slope) - mu * np.cos(slope)), 0.0)
        down = p.a.reshape(4, 3)[:, 1:]
        assert np.hypot(*down.T) == pytest.approx(np.full(4, a), abs=1e-11)
        on = np.zeros(12, dtype=np.int64)
        assert independent_rows(p, on, False) == on.sum() == (6 if mode == STICK else 3)


def test_a_box_at_its_angle_of_friction_takes_the_mode_that_is_not_excluded():
    """There the law allows both: what follows decides."""
    for excluded, mode in ((STICK, SLIP), (SLIP, STICK)):
        p = box(np.tan(0.4), 0.4)
        p.excluded[:] = BITS[excluded]
        assert select(p) == ContactStatus.DECIDED
        assert (p.mode == mode).all()
        assert violation(p, p.F) <= 1e-9  # either mode is one to rounding of 1e-9 only
        if mode == SLIP:
            assert p.way == pytest.approx(np.tile(p.way[0], (4, 1)), abs=1e-6)
            assert np.hypot(*p.way[0]) == pytest.approx(1.0)


def test_modes_that_are_excluded_are_never_taken():
    for seed in range(60):
        p = random_problem(seed, 2, 2)
        select(p)
        for i, mode in enumerate(p.mode.copy()):
            p.excluded[:] = 0
            p.excluded[i] = BITS[mode]
            if select(p) == ContactStatus.DECIDED:
                has_law(p)
                assert p.mode[i] != mode


def test_contacts_all_of_whose_modes_are_excluded_are_undecided_or_have_none():
    p = box(0.5, 0.1)
    p.excluded[:] = 7
    assert select(p) == ContactStatus.UNDECIDED
    assert 0 <= p.worst < 4
    q = rod(0.2, 1.0)
    q.excluded[:] = BITS[SLIP]
    assert select(q) == ContactStatus.NONE


def test_rough_contacts_stick_and_smooth_ones_have_no_friction():
    p = box(INFINITE, 1.2)
    assert select(p) == ContactStatus.DECIDED
    assert (p.mode == STICK).any()
    has_law(p)
    p = box(0.0, 0.3)
    assert select(p) == ContactStatus.DECIDED
    assert (p.mode == SLIP).all()
    assert not p.F.reshape(4, 3)[:, 1:].any()
    assert np.hypot(*p.a[1:3]) == pytest.approx(GRAVITY * np.sin(0.3), rel=1e-12)


def test_balls_on_one_another_bear_the_weight_of_those_above():
    k = 12
    balls = [Body(1.0 + i, (0.1, 0.1, 0.1), (0, 0, 0.5 + i)) for i in range(k)]
    p = problem(balls, [Touch(i, i - 1, (0, 0, i), (0, 0, 1), 0.3) for i in range(k)])
    assert select(p) == ContactStatus.DECIDED
    assert (p.mode == STICK).all()
    assert p.F[::3] == pytest.approx([GRAVITY * sum(1.0 + j for j in range(i, k)) for i in range(k)], rel=1e-10)
    on = np.zeros(3 * k, dtype=np.int64)
    assert independent_rows(p, on, False) == 3 * k
    assert on.all()


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.6])
def test_a_pile_rests_where_friction_can_hold_it(mu):
    """One ball on two: forces on a lower one pass through its lowest point, 15° from the normal between balls."""
    p = pile(2, mu)
    assert select(p) == ContactStatus.DECIDED
    has_law(p)
    assert (np.abs(p.a).max() <= LAW * GRAVITY) == (mu > np.tan(np.radians(15)))


def test_one_island_without_a_motion_is_proof_for_all():
    p, one, undecided = contact_problem(5), rod(4.0, 1.0), box(0.5, 0.1)
    p.D[:3, :3], p.b[:3], p.slip[0], p.mu[0] = one.D, one.b, one.slip[0], 4.0
    p.D[3:, 3:], p.b[3:], p.mu[1:] = undecided.D, undecided.b, 0.5
    p.hold[:] = p.mu
    p.excluded[1:] = 7
    assert select(p) == ContactStatus.NONE


def test_islands_do_not_see_one_another():
    one, other, p = random_problem(3, 2, 2), random_problem(4, 3, 3), contact_problem(5)
    first, second = [0, 2], [1, 3, 4]
    for q, places in ((one, first), (other, second)):
        rows = [3 * i + r for i in places for r in range(3)]
        p.D[np.ix_(rows, rows)], p.b[rows], p.mu[places] = q.D, q.b, q.mu
        p.hold[places] = q.mu
    assert select(p) == select(one) == select(other) == ContactStatus.DECIDED
    assert np.array_equal(p.mode, [one.mode[0], other.mode[0], one.mode[1], *other.mode[1:]])
    assert np.array_equal(p.F.reshape(5, 3)[first].ravel(), one.F)
    assert np.array_equal(p.F.reshape(5, 3)[second].ravel(), other.F)


def test_a_contact_that_can_not_move_one_way_needs_no_force_there():
    """As in a plane mechanism, D and b have zeros."""
    for mu, mode in ((0.5, STICK), (0.1, SLIP)):
        p = contact_problem(1)
        p.D[:2, :2], p.b[:2], p.mu[0] = [[1.0, 0.2], [0.2, 0.8]], (-1.0, 0.1), mu
        p.hold[0] = mu
        assert select(p) == ContactStatus.DECIDED
        assert p.mode[0] == mode
        assert p.F[2] == 0.0
        has_law(p)


def test_accelerations_that_are_rounding_open_no_contact():
    p = random_problem(0, 1)
    p.b[:] = 1e-16
    assert select(p) == ContactStatus.DECIDED
    assert p.mode[0] == OPEN
    p.size = 1.0
    assert select(p) == ContactStatus.DECIDED
    assert p.mode[0] == STICK
    p.size, p.b[:] = 0.0, 0.0
    assert select(p) == ContactStatus.DECIDED
    assert p.mode[0] == STICK


def test_other_motions_are_seen_if_asked_for():
    """A rod may lift off or jam; a heavy box on a slope can only rest; two contacts have as many motions as cases."""
    p = rod(4.0, 1.0, lift=10.0)
    p.exhaustive = True
    assert select(p) == ContactStatus.DECIDED
    assert p.several
    p = box(0.5, 0.2)
    p.exhaustive = True
    assert select(p) == ContactStatus.DECIDED
    assert not p.several
    for seed in range(10):
        q = random_problem(seed, 2, 2)
        q.exhaustive = True
        assert select(q) == ContactStatus.DECIDED
        assert q.several == (len(all_motions(q)) > 1)


@pytest.mark.parametrize(
    "make", [lambda: box(0.5, 0.2), lambda: pile(3, 0.4), lambda: random_problem(1, 8), lambda: box(0.1, 0.3)]
)
def test_independent_rows_are_as_many_as_their_rank(make):
    """The oracle is the rank by singular values; rows that are left out are sums of those that are on."""
    p = make()
    assert select(p) == ContactStatus.DECIDED
    on = np.zeros(len(p.b), dtype=np.int64)
    count = independent_rows(p, on, False)
    columns, rows = p.D.copy(), []
    for i, mode in enumerate(p.mode):
        if mode == SLIP:
            columns[:, 3 * i] -= p.mu[i] * (columns[:, 3 * i + 1 : 3 * i + 3] @ p.way[i])
        rows += [3 * i + r for r in range((0, 3, 1)[mode])]
    σ = np.linalg.svd(columns[np.ix_(rows, rows)], compute_uv=False)
    assert count == on.sum() == (σ > 1e-11 * σ[0]).sum()
    chosen = np.flatnonzero(on)
    assert set(chosen) <= set(rows)
    assert np.linalg.cond(columns[np.ix_(chosen, chosen)]) < 1e6


def test_rows_of_the_contacts_that_are_pressed_hardest_are_on():
    """A box whose weight is over two of its corners."""
    p = box(0.5, 0.0, push=(0, 0, 0, 0, 30.0, 0))
    assert select(p) == ContactStatus.DECIDED
    on = np.zeros(12, dtype=np.int64)
    assert independent_rows(p, on, False) == 6
    N, normal = p.F[::3], on[::3]
    assert N[normal == 1].min() >= N[normal == 0].max() - 1e-9 * N.max()


@pytest.mark.parametrize(
    "make", [lambda: box(0.5, 0.2), lambda: box(0.1, 0.3), lambda: pile(4, 0.5), lambda: random_problem(2, 6)]
)
def test_shared_forces_do_the_same_with_the_least_weight(make):
    p = make()
    assert select(p) == ContactStatus.DECIDED
    weight = np.repeat([np.trace(p.D[i : i + 3, i : i + 3]) / 3 for i in range(0, len(p.b), 3)], 3)
    given = p.F.copy()
    assert shared_forces(p)
    assert np.abs(p.D @ (p.F - given)).max() <= 1e-11 * np.abs(p.b).max()
    assert violation(p, p.F) <= LAW
    if (p.mode == STICK).all():
        assert weight @ p.F**2 <= weight @ given**2 * (1 + 1e-9)
    again = p.F.copy()
    assert shared_forces(p)
    assert np.abs(p.F - again).max() <= 1e-8 * np.abs(again).max()


def test_shared_forces_inside_their_cones_are_those_of_a_pseudo_inverse():
    p = box(0.9, 0.1)
    assert select(p) == ContactStatus.DECIDED
    half = np.sqrt(np.repeat([np.trace(p.D[i : i + 3, i : i + 3]) / 3 for i in range(0, 12, 3)], 3))
    expected = np.linalg.pinv(p.D / half, rcond=1e-11) @ (p.D @ p.F) / half
    assert (np.hypot(expected[1::3], expected[2::3]) < p.mu * expected[::3]).all()
    assert shared_forces(p)
    assert np.abs(p.F - expected).max() <= 1e-10 * np.abs(expected).max()


def test_the_same_bits_everywhere(tmp_path):
    problems = [
        random_problem(1, 1),
        random_problem(2, 3, 3, known=0.4),
        box(0.5, 0.2),
        box(0.1, 0.3),
        rod(4.0, 1.0),
        pile(2, 0.4),
    ]
    assert_same_bits(select_contact_modes, [[p] for p in problems], tmp_path)
    for p in problems:
        select(p)
    assert_same_bits(independent_rows, [[p, np.zeros(len(p.b), dtype=np.int64), False] for p in problems], tmp_path)
    assert_same_bits(shared_forces, [[copied(p)] for p in problems[2:4]], tmp_path)
