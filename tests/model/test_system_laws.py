"""Laws that a system keeps, however it is written down.

The tolerance 1e-11 is for accelerations solved from different equations of the same motion: round-off of the entries,
some 1e-15, times the condition of the equations, up to about 1e3 for the systems drawn.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import chain, random_state, relative
from zeromass.equation import numerical_rank

SEEDS = pytest.mark.parametrize("seed", range(10))
SOLVED = 1e-11


def double_pendulum(random: np.random.Generator):
    """The same double pendulum in two angles, and in the Cartesian coordinates of two particles."""
    m1, m2, l1, l2 = random.uniform(0.5, 2.0, 4)
    g = 9.81
    a1, a2 = zm.coordinates("a1 a2")
    x1, z1 = l1 * np.sin(a1), -l1 * np.cos(a1)
    x2, z2 = x1 + l2 * np.sin(a2), z1 - l2 * np.cos(a2)
    T = (m1 * (zm.rate(x1) ** 2 + zm.rate(z1) ** 2) + m2 * (zm.rate(x2) ** 2 + zm.rate(z2) ** 2)) / 2
    minimal = zm.System(kinetic=T, potential=g * (m1 * z1 + m2 * z2), coordinates=[a1, a2])
    p1, p2 = zm.Particle("p1", m1), zm.Particle("p2", m2)
    rods = {
        "rod 1": p1.position @ p1.position - l1**2,
        "rod 2": (p2.position - p1.position) @ (p2.position - p1.position) - l2**2,
        "plane": [p1.position[1], p2.position[1]],
    }
    redundant = zm.System([p1, p2], gravity=g, constraints=rods)
    return minimal, redundant, np.array([x1, 0 * a1, z1, x2, 0 * a1, z2])


@SEEDS
def test_redundant_coordinates_move_like_minimal_ones(seed):
    random = np.random.default_rng(seed)
    minimal, redundant, places = double_pendulum(random)
    state = random_state(minimal, random)
    q, v, qdd = state[places], state[zm.rate(places)], state[zm.acceleration(places)]
    same = zm.State(redundant, 0.0, q, v)
    assert relative(same.motion.acceleration, qdd) <= SOLVED
    assert relative(same[redundant.energy], state[minimal.energy], state[minimal.kinetic] + 10) <= 1e-14
    # the prescriptions of one state find the other
    found = redundant.start([(redundant.coordinates, q), (redundant.rates, v)])
    assert found.free == ()


@SEEDS
def test_energies_lagrangian_and_matrices_say_the_same(seed):
    random = np.random.default_rng(seed)
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    m, k = random.uniform(0.5, 2.0, 2)
    T = m * (dx**2 + (1 + x**2) * dy**2) / 2
    V = k * np.cos(x - y) + 0.3 * x**2
    rows = {"track": x * y - np.sin(zm.t)}
    a = zm.System(kinetic=T, potential=V, constraints=rows, coordinates=[x, y])
    b = zm.System(lagrangian=T - V, constraints=rows, coordinates=[x, y])
    c = zm.System(M=a.M, Q=a.Q, constraints=rows, coordinates=[x, y])
    state = random_state(a, random, t=0.4)
    for other in (b, c):
        same = zm.State(other, state.t, state.q, state.v)
        for ours, theirs in zip(state.matrices, same.matrices, strict=True):
            assert relative(theirs, ours, np.abs(ours).max() + 1) <= 1e-15
    # for a Lagrangian the energy is q̇ᵀ∂L/∂q̇ − L
    assert relative(zm.State(b, state.t, state.q, state.v)[b.energy], state[a.energy]) <= 1e-14
    for unknown in ("kinetic", "potential", "energy"):
        with pytest.raises(zm.errors.ModelError, match=unknown):
            getattr(c, unknown)


@SEEDS
def test_constraints_may_be_repeated_rescaled_and_reordered(seed):
    random = np.random.default_rng(seed)
    system, _ = chain(random, 3)
    state = random_state(system, random)
    zeros = {row.name: row.zero for row in system.rows}
    names = list(zeros)
    scales = 10.0 ** random.uniform(-6, 6, len(names))
    variants = [
        {name: zeros[name] for name in reversed(names)},
        {name: s * zeros[name] for name, s in zip(names, scales, strict=True)},
        {**zeros, **{f"{name} again": zeros[name] for name in names}},
        {**zeros, "a sum": sum(zeros.values()), "a multiple": -1e4 * zeros["rod1"]},
        # the same at velocity and acceleration level
        {name: zm.rate(zero) for name, zero in zeros.items()},
        {name: zm.acceleration(zero) for name, zero in zeros.items()},
    ]
    for rows in variants:
        other = zm.System(system.parts, gravity=9.81, constraints=rows)
        same = zm.State(other, state.t, state.q, state.v)
        assert same.motion.unique
        assert relative(same.motion.acceleration, state.motion.acceleration) <= SOLVED
        assert relative(same.motion.reaction, state.motion.reaction) <= SOLVED
        assert numerical_rank(same.matrices.A).rank == 3


@SEEDS
def test_joined_systems_are_one_system(seed):
    random = np.random.default_rng(seed)
    a, b = zm.Particle("a", random.uniform(0.5, 2)), zm.RigidBody("b", 1.0, (0.3, 0.2, 0.4))
    hung = {"hung": a.position @ a.position - 1.0}
    link = {"link": b.point((0.1, 0.2, -0.3)) - a.position}
    push = zm.Force((0.3, 0.1, -0.2), at=b.position)
    nonideal = {a.position[0]: -0.4 * a.velocity[0]}
    whole = zm.System([a, b], gravity=9.81, constraints={**hung, **link}, forces=push, nonideal=nonideal)
    parts = (
        zm.System([a], gravity=9.81, constraints=hung, nonideal=nonideal),
        zm.System([b], gravity=9.81, forces=push),
    )
    joined = zm.join(*parts, constraints=link)
    state = random_state(whole, random)
    order = [joined.index(x) for x in whole.coordinates]
    same = zm.State(joined, state.t, state.q[np.argsort(order)], state.v[np.argsort(order)])
    assert relative(same.motion.acceleration[order], state.motion.acceleration) <= SOLVED
    assert same[joined.energy] == pytest.approx(state[whole.energy], rel=1e-14)
    # constraints given later are as good as those given at once
    later = zm.System([a, b], gravity=9.81, forces=push, nonideal=nonideal).with_constraints({**hung, **link})
    again = zm.State(later, state.t, state.q, state.v)
    assert relative(again.motion.acceleration, state.motion.acceleration) <= SOLVED


@SEEDS
def test_nonideal_constraints_do_the_work_they_are_given(seed):
    """wᵀQᶜ = wᵀC for every w with A w = 0 [UP2006, eq. 2.6], and the rods hold all the same."""
    random = np.random.default_rng(seed)
    _, beads = chain(np.random.default_rng(seed), 3)
    rods, last = {}, np.zeros(3)
    for i, bead in enumerate(beads):
        rods[f"rod{i}"] = (bead.position - last) @ (bead.position - last) - 1.0
        last = bead.position
    friction = [zm.Force(-0.6 * bead.velocity + random.normal(size=3), at=bead.position) for bead in beads]
    system = zm.System(beads, gravity=9.81, constraints=rods, nonideal=friction)
    state = random_state(system, random)
    M, Q, A, b, C = state.matrices
    total = state[system.reaction.total]
    w = numerical_rank(A).null_space
    scale = np.abs(total).max() + np.abs(C).max()
    assert np.abs(C).max() > 0.1
    assert relative(w.T @ total, w.T @ C, scale) <= SOLVED
    assert relative(A @ state.motion.acceleration, b, np.abs(b).max() + scale) <= SOLVED
    assert relative(total, M @ state.motion.acceleration - Q, scale) <= SOLVED
    # the named reactions are the ideal part: with C they make up the whole
    named = sum(state[system.reaction[name]] for name in system.reaction)
    assert relative(named + C, total, scale) <= SOLVED


def test_parameters_change_without_deriving_again():
    m, k, length = zm.parameter("m", 2.0), zm.parameter("k", 30.0), zm.parameter("length", 0.8)
    bead = zm.Particle("bead", mass=m)
    system = zm.System(
        [bead],
        gravity=9.81,
        forces=zm.Spring(k, bead.position, (1.0, 0.0, 0.0)),
        constraints={"rod": bead.position @ bead.position - length**2},
    )
    assert {p.name for p in system.parameters} == {"m", "k", "length"}
    for values in ({}, {m: 0.5}, {k: 1.0, length: 1.4}, {m: 3.0, k: 7.0, length: 0.3}):
        numbers = {p: values.get(p, p.default) for p in (m, k, length)}
        plain = zm.Particle("bead", mass=numbers[m])
        fixed = zm.System(
            [plain],
            gravity=9.81,
            forces=zm.Spring(numbers[k], plain.position, (1.0, 0.0, 0.0)),
            constraints={"rod": plain.position @ plain.position - numbers[length] ** 2},
        )
        guess = [0.1, 0.2, -0.5]
        ours = system.start(parameters=values, guess=[(bead.position, guess)])
        theirs = fixed.start(guess=[(plain.position, guess)])
        assert relative(ours.q, theirs.q) <= 1e-15
        assert relative(ours.motion.acceleration, theirs.motion.acceleration) <= 1e-13
        assert ours[m * k] == numbers[m] * numbers[k]


@SEEDS
def test_constraint_on_accelerations_is_taken_as_it_stands(seed):
    """Gauss' servo constraint: ẍ₁ = f(t) + 2ẍ₂, and the motion that obeys it with the least constraint force."""
    random = np.random.default_rng(seed)
    x1, x2 = zm.coordinates("x1 x2")
    a1, a2 = zm.acceleration([x1, x2])
    m = random.uniform(0.5, 2.0, 2)
    servo = {"servo": a1 - 2 * a2 - np.sin(zm.t) * zm.rate(x1)}
    system = zm.System(
        kinetic=(m[0] * zm.rate(x1) ** 2 + m[1] * zm.rate(x2) ** 2) / 2,
        potential=x1**2 * x2,
        constraints=servo,
        coordinates=[x1, x2],
    )
    state = random_state(system, random, t=0.7)
    q, v = state.q, state.v
    A, b = np.array([[1.0, -2.0]]), np.array([np.sin(0.7) * v[0]])
    assert np.array_equal(state.matrices.A, A)
    assert relative(state.matrices.b, b) <= 1e-15
    M, Q = np.diag(m), np.array([-2 * q[0] * q[1], -(q[0] ** 2)])
    λ = np.linalg.solve(A @ np.linalg.inv(M) @ A.T, b - A @ np.linalg.solve(M, Q))
    assert relative(state.motion.acceleration, np.linalg.solve(M, Q + A.T @ λ)) <= SOLVED
    # and it says nothing about positions and rates
    assert system.check(state).degrees_of_freedom == 2
    assert system.check(state).kinds == {"servo": "at acceleration level"}


@SEEDS
def test_nonlinear_nonholonomic_constraint(seed):
    """Constant speed, v·v = s²: the force is along −v, whatever else acts (Gauss' isokinetic constraint)."""
    random = np.random.default_rng(seed)
    bead = zm.Particle("bead", mass=1.3)
    v = bead.velocity
    s = random.uniform(0.5, 2.0)
    system = zm.System(
        [bead],
        gravity=9.81,
        forces=zm.Spring(4.0, bead.position),
        constraints={"speed": (v @ v - s**2) / 2},
    )
    state = random_state(system, random)
    F = np.array([0, 0, -1.3 * 9.81]) - 4.0 * state.q
    expected = (F - state.v * (F @ state.v) / s**2) / 1.3
    assert relative(state.motion.acceleration, expected) <= 1e-13


def test_index_and_inputs():
    a, b = zm.Particle("a", 1.0), zm.Particle("b", 1.0)
    system = zm.System([a, b])
    assert [system.index(x) for x in b.position] == [3, 4, 5]
    assert list(system.inputs) == [zm.t, *a.position, *b.position, *a.velocity, *b.velocity]
    with pytest.raises(zm.errors.ModelError, match="'elsewhere'"):
        system.index(zm.coordinate("elsewhere"))


@SEEDS
def test_matrices_of_many_states_at_once(seed):
    random = np.random.default_rng(seed)
    system, _ = chain(random, 2)
    inputs = random.normal(size=(3, 2, len(system.inputs)))
    many = system.matrices(inputs)
    for i in np.ndindex(3, 2):
        for block, one in zip(many, system.matrices(inputs[i]), strict=True):
            assert np.array_equal(block[i], one)


@SEEDS
def test_round_off_is_no_constraint(seed):
    """(x² − c) y = 0 follows from x² = c. Its derivative by y is zero up to rounding, and so must it be taken.

    Nothing pushes against the wall, so its b is round-off too, and no contradiction.
    """
    random = np.random.default_rng(seed)
    bead = zm.Particle("bead", mass=random.uniform(0.5, 2.0))
    x, y, _ = bead.position
    wall = x**2 - random.uniform(0.5, 2.0)
    system = zm.System([bead], gravity=(0.0, -9.81, 0.0), constraints={"wall": [wall, wall * y]})
    state = system.start({y: random.normal(), zm.rate(y): random.normal()}, guess={x: 1.0})
    assert state.motion.unique
    assert relative(state.motion.acceleration, [0.0, -9.81, 0.0]) <= SOLVED
