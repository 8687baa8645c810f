"""States carried to another system of the same coordinates: the least change of kinetic energy that satisfies it."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.model.nearest import least_change
from zeromass.model.quaternion import inertial_rates

ROUNDINGS = 1e-14
"""A constraint is satisfied up to 4 ε of the sum of its terms, here about 10."""


@pytest.fixture
def bodies() -> tuple[zm.RigidBody, zm.Particle]:
    return zm.RigidBody("bar", mass=2.0, inertia=(0.1, 0.3, 0.35)), zm.Particle("bob", mass=0.5)


def connected(bodies, **more) -> tuple[zm.System, zm.System]:
    """Apart, and with the bob held to an end of the bar."""
    bar, bob = bodies
    held = {"held": bob.position - bar.point((0.4, 0.0, 0.1)), **more}
    return zm.System(bodies), zm.System(bodies, constraints=held)


def thrown(system: zm.System, bodies, seed: int) -> zm.State:
    bar, bob = bodies
    random = np.random.default_rng(seed)
    u = random.normal(size=4)
    u /= np.linalg.norm(u)
    place = random.normal(size=3)
    end = [(bar.position, place), (bar.quaternion, u)]
    at = dict(zip(bar.coordinates, [*place, *u], strict=True))
    return system.start(
        [
            *end,
            (bob.position, zm.expression.evaluate(bar.point((0.4, 0.0, 0.1)), at)),
            (bar.velocity, random.normal(size=3)),
            (bar.angular_velocity, random.normal(size=3)),
            (bob.velocity, random.normal(size=3)),
        ]
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_connection_that_snaps_shut_is_an_impulse(bodies, seed):
    """Momentum and angular momentum are kept, energy is lost (Carnot), and what is lost is that of the change."""
    bar, bob = bodies
    apart, held = connected(bodies)
    before = thrown(apart, bodies, seed)
    after = before.carried_to(held)
    assert max(map(abs, after.residuals.values())) < ROUNDINGS
    assert np.array_equal(after.q, before.q)
    for quantity in (
        bar.mass * bar.velocity + bob.mass * bob.velocity,
        bar.rotate(bar.inertia @ bar.angular_velocity_body)
        + bar.mass * np.cross(bar.position, bar.velocity)
        + bob.mass * np.cross(bob.position, bob.velocity),
    ):
        assert after[quantity] == pytest.approx(before[quantity], abs=1e-13)
    change = zm.State(apart, after.t, after.q, before.v - after.v)
    assert before[apart.kinetic] - after[held.kinetic] == pytest.approx(change[apart.kinetic], abs=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_redundant_constraints_change_nothing(bodies, seed):
    """Nor does a rate that is prescribed twice: the pseudo-inverse takes the shortest of their impulses."""
    bar, bob = bodies
    apart, held = connected(bodies)
    twice = zm.rate(bob.position - bar.point((0.4, 0.0, 0.1)))
    _, redundant = connected(bodies, **{"held again": twice})
    before = thrown(apart, bodies, seed)
    assert before.carried_to(redundant).v == pytest.approx(before.carried_to(held).v, abs=1e-13)


def test_positions_come_first_by_the_least_change_too():
    """Two particles on a rod that is longer by δ: the light one moves M/(m + M) δ, the heavy one m/(m + M) δ."""
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=3.0)
    d = b.position - a.position
    free, rod = zm.System([a, b]), zm.System([a, b], constraints={"rod": np.sqrt(d @ d) - 1.2})
    state = free.start([(a.position, (0, 0, 0)), (b.position, (1, 0, 0)), (b.velocity, (0.4, 0.1, 0))])
    carried = state.carried_to(rod)
    assert carried[a.position] == pytest.approx([-0.15, 0, 0], abs=1e-15)
    assert carried[b.position] == pytest.approx([1.05, 0, 0], abs=1e-15)
    assert carried[a.velocity] == pytest.approx([0.3, 0, 0], abs=1e-15)  # the common velocity along the rod
    assert carried[b.velocity] == pytest.approx([0.3, 0.1, 0], abs=1e-15)


def test_a_massless_part_follows():
    """A ghost of mass zero has no say: it goes where the constraint wants it."""
    p, ghost = zm.Particle("p", mass=2.0), zm.Particle("ghost", mass=0)
    alone = zm.System([p, ghost])
    marked = zm.System([p, ghost], constraints={"mark": ghost.position - 2 * p.position})
    state = zm.State(alone, 0.0, np.array([1.0, 2, 3, 0, 0, 0]), np.array([0.5, 0, 0, 9, 9, 9]))
    carried = state.carried_to(marked)
    assert carried.q == pytest.approx([1, 2, 3, 2, 4, 6], abs=ROUNDINGS)
    assert carried.v == pytest.approx([0.5, 0, 0, 1, 0, 0], abs=ROUNDINGS)


def test_a_state_that_satisfies_the_constraints_stays_as_it_is(bodies):
    apart, held = connected(bodies)
    state = thrown(apart, bodies, 0).carried_to(held)
    for system in (held, apart):
        again = state.carried_to(system)
        assert again.system is system
        assert np.array_equal(again.q, state.q)
        assert np.array_equal(again.v, state.v)


def test_a_system_without_constraints_takes_every_state():
    p = zm.Particle("p", mass=1.0)
    rail = zm.System([p], constraints={"rail": p.position[1] - p.position[0]})
    state = rail.start([(p.position[0], 0.3), (p.velocity[2], 2.0)])
    free = state.carried_to(zm.System([p], gravity=9.81))
    assert np.array_equal([free.q, free.v], [state.q, state.v])


def test_nonlinear_velocity_constraints():
    """Of constant speed [Appell]: the velocity keeps its direction."""
    p = zm.Particle("p", mass=2.0)
    free, constant = zm.System([p]), zm.System([p], constraints={"speed": p.velocity @ p.velocity - 4.0})
    state = free.start([(p.velocity, (0.6, 0.0, 0.8))]).carried_to(constant)
    assert state.v == pytest.approx([1.2, 0.0, 1.6], abs=ROUNDINGS)


def test_parameters_are_kept_or_take_their_defaults():
    p, c = zm.Particle("p", mass=1.0), zm.parameter("c", 0.5)
    free, slanted = zm.System([p], gravity=c), zm.System([p], constraints={"slant": p.position[2] - c * p.position[0]})
    start = free.start([(p.position, (1.0, 0.0, 2.0))], parameters={c: 2.0})
    assert np.array_equal(start.carried_to(slanted).q, start.q)
    other = zm.System([p]).start([(p.position, (1.0, 0.0, 0.5))])
    assert np.array_equal(other.carried_to(slanted).q, other.q)


def test_what_can_not_be():
    p, other = zm.Particle("p", mass=1.0), zm.Particle("other", mass=1.0)
    state = zm.System([p]).start()
    with pytest.raises(zm.errors.ModelError, match="same coordinates"):
        state.carried_to(zm.System([other]))
    x = p.position[0]
    with pytest.raises(zm.errors.StartError, match="'floor'"):
        state.carried_to(zm.System([p], constraints={"floor": x**2 + 1.0}))


@pytest.mark.parametrize("ε", [1e-31, 1e-20, 1e-9, 1e-3])
def test_a_quaternion_has_no_mass_along_itself(ε):
    """Its mass there, 4 J ε² of (1, ε, ε, ε), is rounding, and constraints are met whatever it is: A δ = b."""
    random = np.random.default_rng(0)
    for _ in range(10):
        u, r = np.array([1.0, *(ε * random.normal(size=3))]), 0.1 * random.normal(size=3)
        E = inertial_rates(u)
        across = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        M, A = np.zeros((7, 7)), np.zeros((4, 7))
        M[:3, :3], M[3:, 3:] = 0.5 * np.eye(3), 4 * E.T @ (2e-3 * E)
        A[0, 3:], A[1:, :3], A[1:, 3:] = u, np.eye(3), 2 * across @ E
        b = 1e-16 * random.normal(size=4)
        δ = least_change(M, A, b)
        np.testing.assert_allclose(A @ δ, b, atol=1e-3 * np.abs(b).max())  # eps/ε of units that differ by 1/ε, at most
