"""Code of large systems: the same motion as by formulas, whatever the shape, from code that grows with kinds alone."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import pytest
from scipy.linalg import solveh_banded

import zeromass as zm
from cases import few
from compile import mixed
from compile.large import SHAPES, Made, chain, net, rotated, uneven, unit
from zeromass.codegen.target import host
from zeromass.compile.program import Program, program_at
from zeromass.compile.rolled.start import LevelEquations
from zeromass.model import ModelError, StartError
from zeromass.model import system as model


class Pair:
    """One system twice: with code of kinds, and written out."""

    def __init__(self, made: Made) -> None:
        parts, constraints, more, self.guess = made
        kept = model.LARGE
        try:
            model.LARGE = 1
            self.rolled = zm.System(parts, constraints=constraints, **more)
            model.LARGE = 10**9
            self.plain = zm.System(parts, constraints=constraints, **more)
        finally:
            model.LARGE = kept
        self.start = self.rolled.start(guess=self.guess)

    @property
    def program(self) -> Program:
        return program_at(self.rolled, self.start)

    def written(self, state: zm.State | None = None) -> zm.State:
        """The start as a state of the other system."""
        state = state or self.start
        return zm.State(self.plain, state.t, state.q, state.v, {})


@pytest.fixture(scope="module", params=few(SHAPES, 4))
def pair(request: pytest.FixtureRequest) -> Pair:
    shape, count = SHAPES[request.param]
    return Pair(shape(count))


@pytest.fixture(scope="module")
def links() -> Pair:
    return Pair(chain(5))


def test_small_systems_keep_their_code_and_large_ones_say_what_theirs_is(links: Pair) -> None:
    assert not links.plain.large
    assert links.rolled.large
    assert program_at(links.plain, links.written()).code == "straight-line"
    assert links.program.code == "rolled"
    assert repr(links.program) == "Program(35 coordinates, 20 of 20 constraint rows kept, rolled: 3 kinds)"
    assert model.LARGE == 128
    assert not zm.System([zm.Particle(f"p{k}", 1.0) for k in range(42)]).large
    assert zm.System([zm.Particle(f"p{k}", 1.0) for k in range(43)]).large


def test_systems_with_as_many_operations_are_large_before_they_have_as_many_coordinates() -> None:
    few_links, many = (mixed.system(mixed.links(count)) for count in (8, 16))
    assert not few_links.large
    assert many.large
    assert len(many.coordinates) < model.LARGE


def test_the_acceleration_is_that_of_the_fundamental_equation(pair: Pair) -> None:
    """The pseudo-inverse itself has errors of about its condition, a few hundred to a few thousand units of rounding."""
    slopes = pair.program.native.accelerations(pair.start.inputs[None])[0]
    exact = pair.written().motion
    assert exact.unique
    assert np.abs(slopes - exact.acceleration).max() < 1e-12 * max(1.0, float(np.abs(exact.acceleration).max()))


def test_starts_hold_their_constraints_and_change_the_guess_as_impulses_do(pair: Pair) -> None:
    """M (v − guess) = Aᵀμ: no rates on the constraints are nearer in the metric of the kinetic energy."""
    assert max(map(abs, pair.start.residuals.values())) < 1e-14
    M, _, A, _, _ = pair.written().matrices
    guess = np.array([pair.guess.get(x, 0.0) for x in pair.plain.rates])
    impulse = M @ (pair.start.v - guess)
    μ = np.linalg.lstsq(A.T, impulse, rcond=1e-10)[0]
    assert np.abs(A.T @ μ - impulse).max() < 1e-12


def test_starts_are_those_of_the_written_system() -> None:
    for made in (uneven(3), net(3)):
        guess = {x: value + 0.02 * np.sin(7 * k) for k, (x, value) in enumerate(made[3].items())}
        found = Pair((*made[:3], guess))
        start = found.plain.start(guess=guess)
        assert np.abs(found.start.q - start.q).max() < 1e-12
        assert np.abs(found.start.v - start.v).max() < 1e-11


def driven_pairs() -> Made:
    """Bodies in pairs, a ball joint between the two of each, and one of them moved along the line through both."""
    bodies = [zm.RigidBody(f"body {k}", 1.0 + k % 2, [0.1, 0.2, 0.25]) for k in range(6)]
    rows, guess = {}, {}
    for k, (a, b) in enumerate(zip(bodies[::2], bodies[1::2], strict=True)):
        rows |= {f"ball {k}": a.point([0.5, 0, 0]) - b.point([-0.5, 0, 0]), f"guide {k}": a.position[0] - 0.1 * zm.t}
        for body, x in ((a, 0.0), (b, 1.0)):
            guess.update(zip(body.coordinates, [x, float(k), 0.0, 1.0, 0.0, 0.0, 0.0], strict=True))
    return bodies, rows, {}, guess


def test_starts_of_bodies_in_pairs_that_are_moved() -> None:
    """All that one of them is given goes on to the other: both have the speed of the guide, and neither turns."""
    pair = Pair(driven_pairs())
    assert max(map(abs, pair.start.residuals.values())) < 1e-15
    for body in pair.rolled.parts:
        assert np.abs(pair.start[body.velocity] - pair.plain.start(guess=pair.guess)[body.velocity]).max() < 1e-15
        assert np.abs(pair.start[body.velocity] - [0.1, 0.0, 0.0]).max() < 1e-15
        assert np.abs(pair.start[body.angular_velocity]).max() < 1e-15


@pytest.mark.parametrize("mass", [0.0, 1.0])
def test_starts_of_bodies_without_inertia(mass: float) -> None:
    """A frame that a slide carries along: it has the speed of the slide and does not turn, whatever is guessed."""
    frame = zm.RigidBody("frame", mass, (0.0, 0.0, 0.0))
    R = frame.rotation
    rows = {"slide": frame.position - [0.3 * zm.t, 0, 0], "turn": [R[1, 0], R[2, 0], R[2, 1]]}
    guess = {x: 0.3 + 0.1 * k for k, x in enumerate(zm.rate(frame.coordinates))}
    start = Pair(([frame], rows, {}, guess)).start
    assert np.abs(start[frame.velocity] - [0.3, 0.0, 0.0]).max() < 1e-15
    assert np.abs(start[frame.angular_velocity]).max() < 1e-15


def test_bodies_with_mass_have_mass_in_starts_too(links: Pair) -> None:
    """Corrections of rates are eliminated in the order of those of positions, where every coordinate has a mass of 1."""
    state = links.start
    y, free = np.concatenate([state.q, state.v]), np.zeros(len(state.q), dtype=bool)
    at = [
        LevelEquations(links.rolled, task, 0.0, y, np.empty(0), free).structure for task in ("positions", "velocities")
    ]
    assert at[0].fronts == at[1].fronts


def test_rows_that_repeat_others_are_left_out(pair: Pair) -> None:
    A = pair.written().matrices.A
    assert pair.program.rank == np.linalg.matrix_rank(A, tol=1e-9)
    assert len(pair.program.elimination.dropped) == len(A) - pair.program.rank


@pytest.mark.parametrize("shape", ["uneven chain", "net", "balls"])
def test_a_run_is_that_of_straight_line_code(shape: str) -> None:
    """Within the errors that both are allowed, magnified by the motion: a hundred times the tolerance in 0.2 s."""
    make, count = SHAPES[shape]
    pair = Pair(make(count))
    run = zm.simulate(pair.rolled, pair.start, until=0.2, rtol=1e-11, atol=1e-13)
    other = zm.simulate(pair.plain, pair.written(), until=0.2, rtol=1e-11, atol=1e-13)
    assert run.program.code == "rolled"
    assert run.outcome.complete
    times = [0.05, 0.1234, 0.2]
    assert np.abs(run.at(times).y - other.at(times).y).max() < 1e-9
    assert max(map(abs, run.state(0.2).residuals.values())) < 1e-13


def test_lanes_have_the_bits_of_one_state(links: Pair) -> None:
    native, lanes = links.program.native, host().width
    states = np.repeat(links.start.inputs[None], lanes + 3, axis=0)
    states[:, 1:] += 0.01 * np.random.default_rng(0).normal(size=states[:, 1:].shape)
    together = native.accelerations(states)
    alone = native.machine("motion", 1)  # type: ignore[attr-defined]
    n = len(links.start.q)
    for state, q̈ in zip(states, together, strict=True):
        assert np.array_equal(alone(0.0, state[1:], np.empty(0), 2 * n)[0][n:, 0], q̈)


def test_frequent_shapes_have_the_bits_of_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Pair(chain(30))
    short = made.program.native.accelerations(made.start.inputs[None])
    assert made.program.structure.tables.shapes  # type: ignore[attr-defined]
    monkeypatch.setattr(import_module("zeromass.compile.rolled.fronts"), "SHAPES", 0)
    made.start.memory.clear()
    assert not made.program.structure.tables.shapes  # type: ignore[attr-defined]
    assert np.array_equal(made.program.native.accelerations(made.start.inputs[None]), short)


def test_code_grows_with_kinds_and_not_with_their_number() -> None:
    few, many = Pair(chain(30)), Pair(chain(58))
    assert len(few.program.structure.kinds) == len(many.program.structure.kinds) == 3  # type: ignore[attr-defined]
    assert few.program.structure.tables.shapes == many.program.structure.tables.shapes  # type: ignore[attr-defined]
    assert many.program.operations < 2.1 * few.program.operations


def test_threads_share_a_program(links: Pair) -> None:
    native = links.program.native
    states = links.start.inputs + 0.01 * np.random.default_rng(1).normal(size=(64, len(links.start.inputs)))
    alone = [native.accelerations(state[None]) for state in states]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda state: native.accelerations(state[None]), states))
    assert np.array_equal(alone, together)


def test_forces_events_and_energy_of_a_large_run(links: Pair) -> None:
    tip = links.rolled.parts[-1].position[2]
    level = float(links.start[tip]) - 0.05
    run = zm.simulate(links.rolled, links.start, until=0.5, events=zm.Event("low", tip - level, terminal=False))
    other = zm.simulate(links.plain, links.written(), until=0.5, events=zm.Event("low", tip - level, terminal=False))
    assert [event.name for event in run.events] == [event.name for event in other.events]
    assert np.allclose([event.t for event in run.events], [event.t for event in other.events], rtol=0, atol=1e-9)
    energy = run[links.rolled.energy]
    assert np.abs(energy - energy[0]).max() < 1e-9 * np.abs(energy[0])
    force = other.at(0.3)[links.plain.multipliers[-3:]]
    names = {x.name: x for x in links.rolled.multipliers}
    asked = np.array([names[x.name] for x in links.plain.multipliers[-3:]])
    assert np.allclose(run.at(0.3)[asked], force, rtol=1e-7)
    assert np.allclose(run.at(0.3).acceleration, other.at(0.3).acceleration, rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["collocation", "dop853"])
def test_events_of_forces_and_accelerations_are_those_of_formulas(links: Pair, method: str) -> None:
    """To the errors of the runs, a hundred times their tolerance, that forces magnify by the stiffness of joints."""
    rolled, plain = links.rolled, links.plain
    names = {x.name: x for x in rolled.multipliers}
    λ = plain.multipliers[-3:]
    tip = plain.parts[-1].position[2]
    first = links.written()
    levels = float(first[zm.acceleration(tip)]), float(first[λ @ λ])
    found = []
    for system, start, asked in (
        (rolled, links.start, np.array([names[x.name] for x in λ])),
        (plain, first, λ),
    ):
        lift = zm.acceleration(system.parts[-1].position[2])
        events = [
            zm.Event("lift", abs(lift - levels[0]) - 0.5, terminal=False),
            zm.Event("pull", asked @ asked - 1.05 * levels[1], terminal=False),
        ]
        run = zm.simulate(system, start, until=0.5, events=events, method=method, rtol=1e-11, atol=1e-13)
        found.append([(event.name, event.t) for event in run.events])
        found[-1].append(("peak", float(np.log(run.maximum(asked @ asked).value))))
    assert len(found[0]) > 2
    assert [name for name, _ in found[0]] == [name for name, _ in found[1]]
    assert np.allclose([x for _, x in found[0]], [x for _, x in found[1]], rtol=0, atol=1e-7)


def test_a_state_of_a_large_system_tells_accelerations_and_forces(links: Pair) -> None:
    asked = [zm.acceleration(links.plain.coordinates[0]), links.plain.multipliers[-1]]
    exact = links.written()[asked]
    names = {x.name: x for x in links.rolled.multipliers}
    found = links.start[[asked[0], names[asked[1].name]]]
    assert np.abs(found - exact).max() < 1e-11
    with pytest.raises(ModelError, match="unit quaternion"):
        _ = links.start[names["λ rod 0 unit quaternion"]]


def test_a_certificate_of_a_large_run(links: Pair) -> None:
    run = zm.simulate(links.rolled, links.start, until=0.2)
    found = run.certificate()
    assert found.digits > 7
    assert found.errors.constraints < 1e-12
    assert abs(run.work().applied[-1]) == 0


def test_methods_agree(links: Pair) -> None:
    ends = [zm.simulate(links.rolled, links.start, until=0.2, method=m).y[-1] for m in ("collocation", "dop853")]
    assert np.abs(ends[0] - ends[1]).max() < 1e-8


def test_what_a_large_program_can_not_do_is_refused_by_name(links: Pair) -> None:
    with pytest.raises(ModelError, match="not written out"):
        _ = links.program.acceleration


def test_starts_keep_what_is_prescribed_and_name_contradictions(links: Pair) -> None:
    first = links.rolled.parts[0]
    u = unit(np.random.default_rng(5), 0.3)
    fixed = links.rolled.start([(first.quaternion, u), (zm.rate(first.quaternion), 0.0)], guess=links.guess)
    assert np.array_equal(fixed[first.quaternion], u)
    assert not np.any(fixed[zm.rate(first.quaternion)])
    assert max(map(abs, fixed.residuals.values())) < 1e-13
    with pytest.raises(StartError, match="joint 0"):
        links.rolled.start([(first.position, (5.0, 0.0, 0.0)), (first.quaternion, u)], guess=links.guess)


def test_a_part_that_nothing_holds_is_named() -> None:
    parts, rows, more, guess = chain(19)
    free = zm.System([*parts, zm.Particle("pin", 0.0)], constraints=rows, **more)
    with pytest.warns(zm.errors.RunStopped, match=r"non-unique.*'pin.x'"):
        run = zm.simulate(free, free.start(guess=guess), until=0.1)
    assert run.outcome.ending == "non-unique"


def test_a_start_beside_the_constraints_is_named(links: Pair) -> None:
    q = links.start.q.copy()
    q[0] += 0.01
    with pytest.warns(zm.errors.RunStopped, match="'joint 0"):
        run = zm.simulate(links.rolled, zm.State(links.rolled, 0.0, q, links.start.v, {}), until=0.1)
    assert run.outcome.ending == "inconsistent"


def test_parameters_and_time_stand_in_large_systems() -> None:
    g, push = zm.parameter("g", 9.81), zm.parameter("push", 2.0)
    parts, rows, _, guess = chain(3)
    force = zm.Force((push * np.sin(3 * zm.t), 0.0, 0.0), at=parts[-1].point([0.5, 0, 0]))
    made = Pair((parts, rows, {"gravity": g, "forces": force}, guess))
    ends = []
    for system, start in ((made.rolled, made.start), (made.plain, made.plain.start(guess=guess))):
        ends.append(zm.simulate(system, start, until=0.2, parameters={g: 3.0, push: 5.0}).y[-1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-8


def test_a_run_of_a_large_system_can_be_pickled(links: Pair) -> None:
    run = zm.simulate(links.rolled, links.start, until=0.1)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.y, run.y)
    assert np.array_equal(again.program.native.growth(run.start.inputs), run.program.native.growth(run.start.inputs))


def newton_euler(q: np.ndarray, v: np.ndarray, length: float, m: float, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and angular accelerations of a hanging chain of rods, in O(N): forces of joints from a banded matrix."""
    N = len(q) // 7
    q, v = q.reshape(N, 7), v.reshape(N, 7)
    u, w = q[:, 3:], np.empty((N, 3))
    R = np.empty((N, 3, 3))
    for k in range(N):
        R[k] = np.stack([rotated(u[k], e) for e in np.eye(3)], axis=1)
        w[k] = 2 * (u[k, 0] * v[k, 4:] - v[k, 3] * u[k, 1:] + np.cross(u[k, 1:], v[k, 4:]))
    inertia = np.einsum("kij,j,klj->kil", R, J, R)
    inverse = np.linalg.inv(inertia)
    a = R[:, :, 0] * -length / 2  # levers of the joints before and behind

    def skew(x: np.ndarray) -> np.ndarray:
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    torque = -np.cross(w, np.einsum("kij,kj->ki", inertia, w))
    free_α = np.einsum("kij,kj->ki", inverse, torque)
    free = np.array([0, 0, -9.81])
    g, band = np.empty((N, 3)), np.zeros((6, 3 * N))

    def put(i: int, j: int, block: np.ndarray) -> None:
        for r in range(3):
            for c in range(3):
                row, column = 3 * i + r, 3 * j + c
                if row <= column:
                    band[5 - (column - row), column] += block[r, c]

    def mobility(k: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.eye(3) / m - skew(x) @ inverse[k] @ skew(y)

    for k in range(N):
        put(k, k, mobility(k, a[k], a[k]))
        g[k] = free + np.cross(free_α[k], a[k]) + np.cross(w[k], np.cross(w[k], a[k]))
        if k:
            other = -a[k - 1]
            put(k, k, mobility(k - 1, other, other))
            put(k - 1, k, -mobility(k - 1, a[k - 1], other))
            g[k] -= free + np.cross(free_α[k - 1], other) + np.cross(w[k - 1], np.cross(w[k - 1], other))
    λ = solveh_banded(band, -g.ravel()).reshape(N, 3)
    after = np.vstack([λ[1:], np.zeros(3)])
    accelerations = free + (λ - after) / m
    α = free_α + np.einsum("kij,kj->ki", inverse, np.cross(a, λ) - np.cross(-a, after))
    return accelerations, α


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_long_chain_agrees_with_newton_and_euler(count: int) -> None:
    parts, joints, more, guess = chain(count)
    system = zm.System(parts, constraints=joints, **more)
    start = system.start(guess=guess)
    found = program_at(system, start).native.accelerations(start.inputs[None])[0].reshape(count, 7)
    a, α = newton_euler(start.q, start.v, 1.0, 1.0, np.array([0.02, 0.1, 0.11]))
    u, rates = start.q.reshape(count, 7)[:, 3:], start.v.reshape(count, 7)[:, 3:]
    G = np.stack([np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]]) for w, x, y, z in u])
    ü = np.einsum("kij,ki->kj", G, α) / 2 - np.sum(rates**2, axis=1)[:, None] * u
    assert np.abs(found[:, :3] - a).max() < 1e-9 * np.abs(a).max()
    assert np.abs(found[:, 3:] - ü).max() < 1e-9 * np.abs(ü).max()


@pytest.mark.slow
def test_a_chain_of_a_hundred_keeps_energy_and_constraints_for_ten_seconds() -> None:
    parts, joints, more, guess = chain(100)
    system = zm.System(parts, constraints=joints, **more)
    run = zm.simulate(system, system.start(guess=guess), until=10.0, rtol=1e-11, atol=1e-13)
    energy = run[system.energy]
    assert np.abs(energy - energy[0]).max() < 1e-8 * np.abs(energy).max()
    assert max(map(abs, run.state(10.0).residuals.values())) < 1e-11


def test_loads_and_energies_that_move_nothing_are_left_out():
    """As those of a scenario file without forces."""
    parts, rows, more, guess = chain(20)
    plain = zm.System(parts, constraints=rows, **more)
    system = zm.System(parts, constraints=rows, forces={}, potential=np.sin(zm.t), **more)
    assert system.large
    a = zm.rate(parts[7].velocity)
    assert np.array_equal(system.start(guess=guess)[a], plain.start(guess=guess)[a])
