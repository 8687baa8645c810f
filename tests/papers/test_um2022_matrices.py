"""Udwadia & Mogharabin 2022: what is derived from four lines of constraints is what the paper derives by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import zeromass as zm
from cases import few, spread
from model.mechanisms import Shell, bowl, inertia, random_state, relative
from papers.um2022 import Bowl, E_of, Matrices, Wavy
from zeromass.equation import numerical_rank

# Both sides are a few hundred rounded operations on entries that do not cancel within a block.
TYPED = 1e-12

# The acceleration carries the condition of [M; A], up to 1e4 here, times the round-off of the entries.
SOLVED = 1e-10

# Our rows are those of the paper, in its order; the tangency row has the other sign.
OURS = {
    "shell unit quaternion": ("1", 1),
    "surface": ("2", 1),
    "tangency": ("3", -1),
    "mass center": ("4", 1),
}
OURS |= {"no slip": ("5", 1), "energy": ("E", 1), "no spin": ("NS", 1)}


def wavy(random: np.random.Generator) -> Wavy:
    """A random surface through the neighbourhood of the origin, normal roughly along z."""
    H = random.normal(scale=0.3, size=(3, 3))
    c = np.array([0, 0, 1]) + random.normal(scale=0.2, size=3)
    return Wavy(H + H.T, c, random.normal(size=3), *random.normal(scale=0.1, size=3))


def drawn(random: np.random.Generator, surface) -> Shell:
    """A shell of random mass, size and full inertia, its mass centre anywhere inside."""
    r = random.uniform(0.02, 0.1)
    return Shell(
        surface,
        r=r,
        m=random.uniform(0.5, 10),
        g=random.uniform(5, 15),
        rho=tuple(random.normal(scale=r / 3, size=3)),
        J=inertia(random) * random.uniform(0.1, 1),
    )


def with_rows(body: Shell, *names: str) -> zm.System:
    extra = {
        "energy": lambda: zm.rate(body.system.energy),
        "no spin": lambda: body.k @ body.shell.angular_velocity / 2,
    }
    return body.system.with_constraints({name: extra[name]() for name in names})


def printed(body: Shell, surface, state: zm.State) -> Matrices:
    J = np.diag(body.J) if np.ndim(body.J) == 1 else body.J
    return Matrices(surface, body.r, body.m, body.g, np.array(body.rho), J, state.q, state.v)


def compare(system: zm.System, state: zm.State, paper: Matrices) -> None:
    ours = state.matrices
    assert relative(ours.M, paper.M) <= TYPED
    assert relative(ours.Q, paper.Q) <= TYPED
    for group in dict.fromkeys(row.group for row in system.rows):
        picked = [i for i, row in enumerate(system.rows) if row.group == group]
        name, sign = OURS[group]
        A, b = paper.rows[name]
        assert relative(ours.A[picked], sign * A) <= TYPED, f"A of '{group}'"
        # the terms of b are of the size of A times squared rates, and may cancel
        size = np.abs(A).max() * np.abs(state.v).max() ** 2
        assert relative(ours.b[picked], sign * np.atleast_1d(b), size) <= TYPED, f"b of '{group}'"


ROWS = [(), ("energy",), ("energy", "no spin"), ("no spin",)]
CASES = [("bowl", seed) for seed in range(10)] + [("wavy", seed) for seed in range(10)]


@pytest.mark.parametrize(("kind", "seed"), spread(CASES, 5))
def test_matrices_are_those_of_the_paper(kind, seed):
    random = np.random.default_rng(seed)
    wave = wavy(random)
    body = drawn(random, bowl if kind == "bowl" else wave)
    surface = Bowl() if kind == "bowl" else wave
    for names in ROWS:
        system = with_rows(body, *names)
        for _ in range(3):
            state = random_state(system, random)
            compare(system, state, printed(body, surface, state))


def test_uncorrected_equations_are_noticed():
    """The comparison is sharp enough to see the misprints of eqs. 21, 31 and 35."""
    random = np.random.default_rng(3)
    body = drawn(random, bowl)
    system = with_rows(body, "energy")
    state = random_state(system, random)
    paper = printed(body, Bowl(), state)
    compare(system, state, paper)
    k = Bowl().k(state.q[7:10])
    n = k / np.sqrt(k @ k)
    ω = state[body.shell.angular_velocity]
    wrong = {"5": -body.r * np.cross(n, ω), "E": body.m * body.g * state.q[2]}
    for name, b in wrong.items():
        rows = {**paper.rows, name: (paper.rows[name][0], b)}
        bad = dataclasses.replace(paper)
        object.__setattr__(bad, "rows", rows)
        with pytest.raises(AssertionError, match="b of"):
            compare(system, state, bad)


@pytest.mark.parametrize("seed", few(range(6), 2))
def test_ranks(seed):
    """A has rank 10 of 11 rows, 11 of 12 with the energy, 12 of 13 with no spin; [M; A] always 13."""
    random = np.random.default_rng(seed)
    body = drawn(random, bowl if seed % 2 else wavy(random))
    for names, rank in zip(ROWS[:3], (10, 11, 12), strict=True):
        system = with_rows(body, *names)
        state = random_state(system, random)
        M, _, A, _, _ = state.matrices
        assert len(A) == rank + 1
        assert numerical_rank(A).rank == rank
        assert numerical_rank(np.vstack([M, A])).rank == 13
        diagnosis = system.check(state)
        assert diagnosis.unique
        assert (diagnosis.rank, diagnosis.constraint_rank) == (13, rank)
        # the normal part of "no slip" follows from surface and tangency; the last of its rows is the one named
        assert [d.row for d in diagnosis.dependent] == ["no slip[2]"]
        assert diagnosis.dependent[0].consistent
        assert {"surface", "tangency", "no slip"} <= set(diagnosis.inseparable)


@pytest.mark.parametrize("seed", range(10))
def test_fundamental_equation_and_reactions(seed):
    random = np.random.default_rng(seed)
    body = drawn(random, bowl if seed % 2 else wavy(random))
    state = random_state(body.system, random)
    paper = printed(body, Bowl() if seed % 2 else body.surface, state)
    A = np.vstack([paper.rows[name][0] for name in "12345"])
    b = np.concatenate([np.atleast_1d(paper.rows[name][1]) for name in "12345"])
    # eq. 43, with the cut-off between the zero singular value, 1e-16, and the smallest one, about 1e-3
    P = np.eye(13) - np.linalg.pinv(A, rcond=1e-10) @ A
    qdd = np.linalg.pinv(np.vstack([P @ paper.M, A]), rcond=1e-10) @ np.concatenate([P @ paper.Q, b])
    assert relative(state.motion.acceleration, qdd) <= SOLVED

    # the energy row changes nothing: the motion satisfies it already
    full = with_rows(body, "energy")
    again = zm.State(full, state.t, state.q, state.v).motion.acceleration
    assert relative(again, state.motion.acceleration) <= SOLVED

    # no force on particles without mass: what the constraints do to them cancels
    for particle in (body.contact, body.center):
        places = [body.system.index(x) for x in particle.position]
        forces = np.array([state[body.system.reaction[name]] for name in body.system.reaction])[:, places]
        assert np.abs(forces.sum(axis=0)).max() <= SOLVED * np.abs(forces).max()
        assert np.array_equal(state[body.system.reaction.on(particle.position)], np.zeros(3))

    # ideal constraints: wᵀQᶜ = 0 for each w with A w = 0
    w = numerical_rank(state.matrices.A).null_space
    assert w.shape == (13, 3)
    total = state[body.system.reaction.total]
    assert np.abs(w.T @ total).max() <= SOLVED * np.abs(total).max()

    # moved to the contact, the reaction is a force without torque (eqs. 52–56): the surface acts at one point, and
    # without "no spin" it does not resist turning there
    force, turning = total[:3], total[3:7]
    torque = state[body.shell.rotation] @ E_of(state.q[3:7]) @ turning / 2
    arm = state[body.shell.rotate(body.rho)] + body.r * state[body.n]
    at_contact = torque + np.cross(arm, force)
    assert np.abs(at_contact).max() <= SOLVED * (np.abs(torque).max() + body.r * np.abs(force).max())
