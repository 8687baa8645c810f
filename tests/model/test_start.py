"""Consistent starts: every constraint holds at position and velocity level, and what was prescribed is kept."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import EPS, Coin, Shell, bowl, chain, four_bar, random_state

# A sum of about ten rounded terms, half a unit of rounding each, in unknowns that are rounded themselves.
CONSISTENT = 1e-14


def misses(state: zm.State) -> np.ndarray:
    """Residuals of all constraints, as parts of the terms they are made of.

    Of f(x) the terms are |∂f/∂x_j x_j| and the constant f(0), so that a residual is compared with what cancels in it.
    An unknown that is zero to rounding counts as √ε of the largest one.
    """
    system = state.system
    levels = (
        ([row.zero for row in system.rows if row.level == 0], system.coordinates),
        (system.velocity_constraints, system.rates),
    )
    parts = []
    for zeros, unknowns in levels:
        if len(zeros):
            slopes, values = state[zm.expression.jacobian(zeros, unknowns)], np.abs(state[unknowns])
            constant = state[zm.expression.substitute(zeros, dict.fromkeys(unknowns, 0.0))]
            terms = np.abs(slopes) @ np.maximum(values, np.sqrt(EPS) * values.max()) + np.abs(constant)
            parts.append(np.abs(state[zeros]) / np.where(terms == 0, 1, terms))
    return np.concatenate(parts)


def mechanisms() -> dict[str, zm.System]:
    random = np.random.default_rng(5)
    return {
        "four bar": four_bar(),
        "shell": Shell(bowl).system,
        "coin": Coin().system,
        **{f"chain of {n}": chain(random, n)[0] for n in (1, 2, 5)},
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", mechanisms())
def test_random_mechanisms_start_consistent(name, seed):
    state = random_state(mechanisms()[name], np.random.default_rng(seed))
    assert misses(state).max() <= CONSISTENT


@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1.0, 1e5])
def test_no_length_is_special(scale):
    """A mechanism of nanometres starts as exactly as one of kilometres."""
    lengths = scale * np.array([0.4, 1.1, 0.9, 1.0])
    system = four_bar(*lengths)
    a, b = (part.position for part in system.parts)
    state = system.start({a[0]: 0.1 * scale}, guess={a[1]: scale, b[0]: scale, b[1]: scale})
    assert misses(state).max() <= CONSISTENT
    with pytest.raises(zm.errors.StartError, match="'crank'"):
        system.start({a[0]: 0.5 * scale})


def shell_start(**changes):
    body = Shell(bowl)
    wishes = {
        "place": (body.contact.position[:2], (-1.5, -0.75)),
        "velocity": (body.center.velocity[:2], (1.5, 1.0)),
        "orientation": (body.shell.quaternion, (0.5, -0.5, 0.5, 0.5)),
        "spin": (body.n @ body.shell.angular_velocity, 3 * np.pi),
    }
    wishes |= changes
    return body, body.system.start([wish for wish in wishes.values() if wish is not None])


def test_prescribed_values_are_kept():
    """Coordinates and rates to the last bit, formulas (the spin n·ω̄) to rounding."""
    body, state = shell_start()
    assert np.array_equal(state[body.contact.position[:2]], [-1.5, -0.75])
    assert np.array_equal(state[body.center.velocity[:2]], [1.5, 1.0])
    assert np.array_equal(state[body.shell.quaternion], [0.5, -0.5, 0.5, 0.5])
    spin = state[body.n @ body.shell.angular_velocity]
    # n·ω̄ is a sum of terms of the size of |ω̄|
    assert abs(spin - 3 * np.pi) <= CONSISTENT * np.abs(state[body.shell.angular_velocity]).sum()
    assert state.free == ()
    assert misses(state).max() <= CONSISTENT


def test_what_is_left_free_is_named():
    _, state = shell_start(spin=None)
    # it may still turn about the normal, and its mass centre with it
    assert {f"rate(shell.u{i})" for i in range(4)} <= set(state.free)
    assert not any("center" in name or "contact" in name for name in state.free)
    _, state = shell_start(velocity=None, spin=None)
    assert {"rate(shell.u0)", "rate(center.x)", "rate(contact.y)"} <= set(state.free)
    assert not any(name.startswith("center") for name in state.free)
    assert "left free: " in repr(state)
    # what is left free is as small as the constraints allow: the shell does not move
    assert np.abs(state.v).max() == 0
    coin = Coin()
    x, y, phi, theta = coin.coordinates
    assert coin.system.start().free == (
        *("x", "y", "phi", "theta"),
        *("rate(x)", "rate(phi)", "rate(theta)"),  # heading along x, so y is at rest
    )
    assert coin.system.start({zm.rate(theta): 1, zm.rate(phi): 2, x: 0, y: 0, phi: 0.3, theta: 0}).free == ()


def test_a_prescribed_formula_of_positions_says_nothing_about_rates():
    bead = zm.Particle("bead", mass=1)
    state = zm.System([bead]).start(
        {bead.position @ bead.position: 4.0, bead.velocity[0]: 3.0}, guess={bead.position[0]: 1}
    )
    assert abs(state.q @ state.q - 4.0) <= CONSISTENT * 4
    assert np.array_equal(state.v, [3.0, 0.0, 0.0])


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_guess_selects_the_branch(side):
    system = four_bar()
    a, b = (part.position for part in system.parts)
    state = system.start({a[0]: 0.4, a[1]: 0.0}, guess={b[0]: 0.7, b[1]: side})
    assert np.sign(state[b[1]]) == side
    assert misses(state).max() <= CONSISTENT


def test_what_no_equation_touches_stays_at_its_guess():
    a, b = zm.Particle("a", 1.0), zm.Particle("b", 1.0)
    # the root has no value at the guess 4, so the search has to begin elsewhere
    system = zm.System([a, b], constraints={"root": np.sqrt(a.position[0] - 5.0) - 1.0})
    state = system.start(guess=[(a.position, (4.0, 1.0, 2.0)), (b.position, (3.0, 4.0, 5.0)), (b.velocity[0], 6.0)])
    assert abs(state.q[0] - 6.0) <= CONSISTENT * 6
    # moved away and back again: to rounding of the largest step, 50
    assert np.abs(state.q[1:] - [1.0, 2.0, 3.0, 4.0, 5.0]).max() <= 50 * EPS
    assert state[b.velocity[0]] == 6.0


def test_start_at_a_time():
    """A crank driven at a given rate: positions and rates follow from t alone."""
    Ω, t = 3.0, 0.7
    system = four_bar()
    a, b = (part.position for part in system.parts)
    driven = system.with_constraints({"drive": a[0] * np.sin(Ω * zm.t) - a[1] * np.cos(Ω * zm.t)})
    state = driven.start(t=t, guess={a[0]: np.cos(Ω * t), a[1]: np.sin(Ω * t), b[0]: 1, b[1]: 1})
    assert state.t == t
    assert state.free == ()
    assert misses(state).max() <= CONSISTENT
    # the crank turns at Ω: |ȧ| = Ω · 0.4, across a
    assert np.abs(state[zm.rate(a)] - Ω * np.cross([0, 0, 1], state[a])).max() <= CONSISTENT * Ω
    # redundant, but not in the row space of "crank" alone; nothing is free to move
    assert driven.check(state).degrees_of_freedom == 0


def test_parameters_of_a_start():
    L = zm.parameter("L", 1.0)
    bead = zm.Particle("bead", mass=1)
    system = zm.System([bead], constraints={"rod": bead.position @ bead.position - L**2})
    for length in (0.5, 2.0):
        state = system.start(parameters={L: length}, guess={bead.position[0]: 1.0})
        assert abs(np.linalg.norm(state.q) - length) <= CONSISTENT * length


def test_a_later_start_owes_nothing_to_earlier_ones():
    """Equations are kept for the next start of the same system with the same expressions, and only some of them."""
    random = np.random.default_rng(3)
    used = four_bar()
    for count in range(3):
        values = random.uniform(-0.3, 0.3, 2)
        for _ in range(2):
            system = four_bar()
            starts = [
                s.start({s.coordinates[0]: values[0], s.rates[0] + count * s.coordinates[1]: values[1]})
                for s in (used, system)
            ]
            assert np.array_equal(starts[0].inputs, starts[1].inputs)
            assert starts[0].free == starts[1].free
    for k in range(20):
        used.start({used.coordinates[0]: 0.1, used.rates[0] + k * used.coordinates[1]: 0.0})
    assert len(used.equations_of_starts) <= 8


def test_double_root():
    """x² = 0 and a cone at rest have a solution, though no slope there."""
    bead = zm.Particle("bead", mass=1)
    x, y, z = bead.position
    flat = zm.System([bead], constraints={"flat": x**2}).start(guess={x: 1.0})
    assert abs(flat[x]) <= EPS
    cone = zm.System([bead], constraints={"cone": x**2 + y**2 - z**2}).start({x: 0.0, y: 0.0}, guess={z: 2.0})
    assert abs(cone[z]) <= 2 * EPS


CONFLICTS = {
    "too long": (lambda s, a, b: s.start({a[0]: 0.5}), ["'crank'", "A.x = 0.5"]),
    "a formula": (lambda s, a, b: s.start({a[0] - b[0]: 9.0}), ["'crank'", "A.x - B.x = 9"]),
    "off the plane": (lambda s, a, b: s.start({a[2]: 0.1}), ["'plane[0]'", "A.z = 0.1"]),
    "against a rod": (
        lambda s, a, b: s.start([(a, (0.4, 0, 0)), (zm.rate(a), (1.0, 0, 0))], guess={b[0]: 1, b[1]: 1}),
        ["'rate of crank'", "rate(A.x) = 1"],
    ),
    "no value": (
        lambda s, a, b: s.with_constraints({"odd": np.sqrt(a[0] - 9) - a[1]}).start({a[0]: 0.1, a[1]: 0.2}),
        ["'odd'", "no finite value"],
    ),
    "driven twice": (
        lambda s, a, b: s.with_constraints({"first": a[0] - np.sin(zm.t), "second": a[0] - zm.t / 2}).start(
            guess={a[1]: 0.4, b[0]: 1, b[1]: 1}
        ),
        ["'rate of first'", "'rate of second'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFLICTS)
def test_conflicts_are_named(name):
    system = four_bar()
    make, words = CONFLICTS[name]
    with pytest.raises(zm.errors.StartError) as raised:
        make(system, *(part.position for part in system.parts))
    for word in words:
        assert word in str(raised.value)


def test_open_rates_are_the_nearest_to_their_guess_in_the_metric_of_the_kinetic_energy():
    """A mass of 10 at rate 1 is coupled to a mass of 1 at rest: momentum is kept, (10·1 + 1·0)/11."""
    x, y = zm.coordinates("x y")
    coupled = zm.System(kinetic=(10 * zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, constraints={"coupling": x - y})
    assert coupled.start(guess={zm.rate(x): 1.0}).v == pytest.approx([10 / 11, 10 / 11], rel=1e-15)
    # three coordinates of a mass matrix that is not diagonal: M (v − guess) is a force of the constraints, Aᵀλ
    q = zm.coordinates("a b c")
    v, random = zm.rate(q), np.random.default_rng(1)
    L = random.normal(size=(3, 3))
    M, A, guess = L @ L.T, random.normal(size=3), random.normal(size=3)
    state = zm.System(kinetic=v @ M @ v / 2, constraints={"form": A @ v - np.cos(zm.t)}).start(guess=[(v, guess)])
    kkt = np.linalg.solve(np.block([[M, A[:, None]], [A[None], np.zeros((1, 1))]]), [*(M @ guess), 1.0])
    assert np.abs(state.v - kkt[:3]).max() <= 1e-13  # condition of the random M, about 100


def test_open_rates_of_coordinates_without_mass():
    """A massless place on a string between two masses follows them and takes nothing; one that nothing holds stays."""
    x, y, between, loose = q = zm.coordinates("x y between loose")
    kinetic = (3 * zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, coordinates=q, constraints={"left": between - x, "right": y - between})
    v = system.start(guess={zm.rate(x): 1.0, zm.rate(between): 100.0, zm.rate(loose): 7.0}).v
    assert v == pytest.approx([0.75, 0.75, 0.75, 7.0], rel=1e-13)
    # prescribed rates are kept, and are no guess for the others
    assert np.array_equal(system.start({zm.rate(x): 1.0}).v, [1.0, 1.0, 1.0, 0.0])


def parallelogram() -> tuple[np.ndarray, zm.System]:
    """Four equal bars in angles, u(a) + u(c) = (1, 0) + u(b): three families of positions that meet where it lies flat."""
    a, b, c = q = zm.coordinates("a b c")

    def u(angle):
        return np.array([np.cos(angle), np.sin(angle)])

    v = zm.rate(q)
    return q, zm.System(kinetic=v @ v / 2, coordinates=q, constraints={"loop": u(a) + u(c) - [1.0, 0.0] - u(b)})


def distance_to_parallelograms(guess: np.ndarray) -> float:
    """Of angles to the nearest of the lines a = b, c = 0; a = 0, b = c; b = π, c = a + π, all up to whole turns."""
    families = {
        (1, 1, 0): lambda k, m: (k, 0, m),
        (0, 1, 1): lambda k, m: (k, 0, m),
        (1, 0, 1): lambda k, m: (0, k + 0.5, m + 0.5),
    }
    distances = []
    for direction, through in families.items():
        d = np.array(direction) / np.sqrt(2)
        for k, m in np.ndindex(5, 5):
            away = guess - 2 * np.pi * np.array(through(k - 2, m - 2))
            distances.append(np.linalg.norm(away - (away @ d) * d))
    return min(distances)


@pytest.mark.parametrize("seed", range(40))
def test_a_start_ends_near_its_guess(seed):
    """Where the bars lie flat Newton's steps are of any length; a start does not wind the angles up."""
    q, system = parallelogram()
    random = np.random.default_rng(seed)
    guess = (
        random.uniform(-np.pi, np.pi, 3) if seed % 2 else np.pi * random.uniform(0.9, 1.0) * np.eye(3)[seed // 2 % 3]
    )
    state = system.start(guess=[(q, guess)])
    assert max(map(abs, state.residuals.values())) <= 8 * EPS  # sums of four terms of size 1 or less
    # steps that bend by no more than a half of what they promise: not the nearest point, but one of its surroundings
    assert np.linalg.norm(state.q - guess) <= 2 * distance_to_parallelograms(guess) + CONSISTENT


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_start_beside_a_singular_position_stays_there(off):
    """Flat up to `off`: the angles that are open move by as much, no more."""
    (a, _, c), system = parallelogram()
    assert np.array_equal(system.start().q, np.zeros(3))
    for given in ({c: off}, {a: off}):
        state = system.start(given)
        assert max(map(abs, state.residuals.values())) <= 8 * EPS
        assert np.abs(state.q).max() <= 2 * off


def test_a_singular_guess_is_named():
    """cos x = 2 has no solution, and at x = 0 no slope either."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, constraints={"far": np.cos(x) - 2})
    with pytest.raises(zm.errors.StartError, match=r"'far'.*singular position"):
        system.start()


def test_what_to_prescribe_instead():
    """A slider at its dead centre can not move: its rate follows from the constraints, that of the crank does not."""
    crank, rod, slider = q = zm.coordinates("crank rod slider")
    v = zm.rate(q)
    loop = [np.cos(crank) + 2 * np.cos(rod) - slider, np.sin(crank) + 2 * np.sin(rod)]
    system = zm.System(kinetic=v @ v / 2, coordinates=q, constraints={"loop": loop})
    with pytest.raises(zm.errors.StartError) as raised:
        system.start({crank: 0.0, rod: 0.0, v[2]: 1.0})
    assert "the constraints alone determine rate(slider)" in str(raised.value)
    assert "prescribe one of rate(crank), rate(rod)" in str(raised.value)
    assert system.start({crank: 0.0, rod: 0.0, v[0]: 1.0}).v == pytest.approx([1.0, -0.5, 0.0], abs=1e-15)


@pytest.mark.parametrize("miss", [1e-15, -3e-15, 1e-14, -1e-14])
def test_rounding_is_no_contradiction(miss):
    """All is prescribed, up to the rounding of what it was computed from; the state lies on the constraints."""
    bead = zm.Particle("bead", mass=1)
    square = bead.position @ bead.position
    system = zm.System([bead], constraints={"rod": square - 1})
    for angle in np.linspace(0.1, 1.5, 8):
        place = np.array([np.sin(angle), 0.0, -np.cos(angle)]) * (1 + miss)
        velocity = np.array([np.cos(angle), 1.0, np.sin(angle) + miss])
        state = system.start([(bead.position, place), (bead.velocity, velocity)])
        assert misses(state).max() <= CONSISTENT
        assert np.abs(state.q - place).max() <= 2 * abs(miss)
        assert np.abs(state.v - velocity).max() <= 4 * abs(miss) + EPS
        assert state.free == ()
    with pytest.raises(zm.errors.StartError, match="'rod'"):
        system.start([(bead.position, (0.6, 0.0, -0.8 - 1e-12))])


def test_a_consistent_guess_in_a_plane_of_space_is_the_start():
    """A crank at a right angle, turned by its quaternion: what leaves its plane is rounding, and drowns nothing else."""
    half = -np.pi / 4
    crank, rod = (zm.RigidBody(name, 1.0, [0.01, 0.083, 0.083]) for name in ("crank", "rod"))
    axis = np.array([0, 0, 1.0])
    rows = {
        "ground": crank.point([-0.5, 0, 0]),
        "upright": [axis @ crank.rotate([1.0, 0, 0]), axis @ crank.rotate([0, 1.0, 0])],
        "pin": crank.point([0.5, 0, 0]) - rod.point([-0.5, 0, 0]),
        "parallel": [crank.rotate(axis) @ rod.rotate([1.0, 0, 0]), crank.rotate(axis) @ rod.rotate([0, 1.0, 0])],
        "slider": rod.point([0.5, 0, 0])[1:] - np.array([-1.0, 0.0]),
        "again": rod.point([0.5, 0, 0])[2],
    }
    system = zm.System([crank, rod], constraints=rows)
    guess = dict(zip(crank.coordinates, [0, -0.5, 0, np.cos(half), 0, 0, np.sin(half)], strict=True))
    guess |= dict(zip(rod.coordinates, [0.5, -1.0, 0, 1, 0, 0, 0], strict=True))
    guess |= dict(
        zip(zm.rate(crank.coordinates), [0.5, 0, 0, -0.5 * np.sin(half), 0, 0, 0.5 * np.cos(half)], strict=True)
    )
    guess[zm.rate(rod.coordinates[0])] = 1.0
    start = system.start(guess=guess)
    expected = [guess.get(x, 0.0) for x in (*system.coordinates, *system.rates)]
    np.testing.assert_allclose([*start.q, *start.v], expected, rtol=0, atol=1e-15)


def test_prescribed_components_are_exact_to_the_rounding_of_their_array():
    """A velocity along a wire, by way of a projection: its small components have the rounding of the large ones."""
    x, y = zm.coordinates("x y")
    slope = 1e-4
    wire = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, constraints={"wire": y - slope * x})
    velocity = np.array([1e3, 1e3 * slope + 4e-13])
    r = np.array([x, y])
    start = wire.start([(r, (0.0, 0.0)), (zm.rate(r), velocity)])
    assert start.v == pytest.approx(velocity, abs=1e-12)
    assert start.v[1] == slope * start.v[0]
    with pytest.raises(zm.errors.StartError, match="no state satisfies 'rate of wire'"):
        wire.start({x: 0.0, y: 0.0, zm.rate(x): velocity[0], zm.rate(y): velocity[1]})
    with pytest.raises(zm.errors.StartError, match="no state satisfies 'rate of wire'"):
        wire.start([(r, (0.0, 0.0)), (zm.rate(r), velocity + np.array([0.0, 1e-9]))])
