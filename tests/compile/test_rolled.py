"""Code of large systems: the same motion as by formulas, whatever the shape, from code that grows with kinds alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solveh_banded

import zeromass as zm
from cases import few
from zeromass.compile.program import Program, program_at
from zeromass.compile.target import host
from zeromass.model import ModelError, StartError
from zeromass.model import system as model

Made = tuple[list[Any], dict[str, Any], dict[str, Any], dict[Any, float]]
"""Parts, constraints, further arguments, and a guess."""


def rotated(u: np.ndarray, place: Any) -> np.ndarray:
    a, v = u[0], u[1:]
    return np.array(place) + 2 * np.cross(v, np.cross(v, place) + a * np.array(place))


def unit(random: np.random.Generator, spread: float) -> np.ndarray:
    u = np.array([1.0, 0.0, 0.0, 0.0]) + spread * random.normal(size=4)
    return u / np.linalg.norm(u)


def tree(count: int, parent: Callable[[int], int] = lambda k: (k - 1) // 2, *, alike: bool = True) -> Made:
    """Rods with ball joints, each at the end of its parent."""
    random, bodies, joints, guess, ends = np.random.default_rng(count), [], {}, {}, []
    for k in range(count):
        length = 1.0 if alike else 1.0 + 0.3 * random.random()
        mass = 1.0 if alike else 0.7 + random.random()
        body = zm.RigidBody(f"rod {k}", mass, [0.02 * mass, 0.1 * mass, 0.11 * mass])
        up = parent(k) if k else -1
        joints[f"joint {k}"] = body.point([-length / 2, 0, 0]) - (bodies[up][0].point(bodies[up][1]) if k else 0.0)
        u, begin = unit(random, 0.4), ends[up] if k else np.zeros(3)
        half = rotated(u, [length / 2, 0, 0])
        guess.update(zip(body.coordinates, [*(begin + half), *u], strict=True))
        guess.update(zip(zm.rate(body.quaternion), 0.5 * random.normal(size=4), strict=True))
        bodies.append((body, [length / 2, 0, 0]))
        ends.append(begin + 2 * half)
    return [body for body, _ in bodies], joints, {"gravity": 9.81}, guess


def chain(count: int) -> Made:
    return tree(count, lambda k: k - 1)


def uneven(count: int) -> Made:
    return tree(count, lambda k: k - 1, alike=False)


def hinges(count: int) -> Made:
    """Bodies in a row, joined by hinges whose axes differ."""
    random, bodies, joints, guess = np.random.default_rng(1), [], {}, {}
    for k in range(count):
        body = zm.RigidBody(f"body {k}", 1.0, [0.02, 0.09, 0.08])
        axis = np.array([0.0, np.sin(0.5 * k), np.cos(0.5 * k)])
        fixed = bodies[-1].rotate(axis) if k else axis
        end = bodies[-1].point([0.5, 0, 0]) if k else 0.0
        across = [fixed @ body.rotate([1.0, 0, 0]), fixed @ body.rotate(np.cross(axis, [1.0, 0, 0]))]
        joints |= {f"place {k}": body.point([-0.5, 0, 0]) - end, f"axis {k}": across}
        guess.update(zip(body.coordinates, [k + 0.5, 0, 0, 1, 0, 0, 0], strict=True))
        guess.update(zip(zm.rate(body.quaternion), [0, 0, *0.3 * random.normal(size=2)], strict=True))
        bodies.append(body)
    return bodies, joints, {"gravity": 9.81}, guess


def net(count: int) -> Made:
    """Point masses and rods, hung up at two corners, with springs across and drag."""
    random = np.random.default_rng(0)
    points = {(i, j): zm.Particle(f"p {i} {j}", 0.5 + 0.1 * i) for i in range(count) for j in range(count)}
    rods, forces, guess = {}, [], {}
    for (i, j), point in points.items():
        place = np.array([0.7 * i, 0.7 * j, 0.71 * (-1) ** (i + j)]) + 0.02 * random.normal(size=3)
        guess.update(zip(point.position, place, strict=True))
        for other in ((i + 1, j), (i, j + 1)):
            if other in points:
                d = point.position - points[other].position
                rods[f"rod {i} {j} {other}"] = (d @ d - (1.7 + 0.01 * i)) / 2
        if (i + 1, j + 1) in points:
            forces.append(zm.Spring(3.0 + j, point.position, points[i + 1, j + 1].position, length=1.1))
        forces.append(zm.Force(-0.1 * point.velocity, at=point.position))
    rods["corner"] = points[0, 0].position - np.array([0.0, 0.0, 0.7])
    return list(points.values()), rods, {"gravity": 9.81, "forces": forces}, guess


def four_bars(count: int) -> Made:
    """Rockers and couplers of hinges in a row: a plane mechanism in space, with rows that repeat others."""
    bodies, joints, guess = [], {}, {}

    def bar(name: str, x: float, y: float, angle: float) -> zm.RigidBody:
        body = zm.RigidBody(name, 1.0, [0.01, 0.083, 0.083])
        u = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
        guess.update(zip(body.coordinates, [x, y, 0, *u], strict=True))
        bodies.append(body)
        return body

    def pin(name: str, point: Any, axis: Any, body: zm.RigidBody, place: float) -> None:
        joints[f"{name} place"] = point - body.point([place, 0, 0])
        joints[f"{name} axis"] = [axis @ body.rotate([1.0, 0, 0]), axis @ body.rotate([0, 1.0, 0])]

    rockers = [bar(f"rocker {k}", float(k), -0.5, -np.pi / 2) for k in range(count + 1)]
    for k, rocker in enumerate(rockers):
        pin(f"ground {k}", np.array([float(k), 0, 0]), np.array([0, 0, 1.0]), rocker, -0.5)
        half = -np.pi / 4
        rates = [0.5, 0, 0, -0.5 * np.sin(half), 0, 0, 0.5 * np.cos(half)]
        guess.update(zip(zm.rate(rocker.coordinates), rates, strict=True))
    for k in range(count):
        coupler = bar(f"coupler {k}", k + 0.5, -1.0, 0.0)
        guess[zm.rate(coupler.coordinates[0])] = 1.0
        for side, rocker in ((-0.5, rockers[k]), (0.5, rockers[k + 1])):
            pin(f"{k} {side}", rocker.point([0.5, 0, 0]), rocker.rotate([0, 0, 1.0]), coupler, side)
    return bodies, joints, {"gravity": (0, -9.81, 0)}, guess


def balls(count: int) -> Made:
    """Balls that roll in one bowl, with contacts and centres without mass, as in the paper of the shell."""
    random, parts, rows, guess, r = np.random.default_rng(0), [], {}, {}, 0.1
    for k in range(count):
        ball = zm.RigidBody(f"ball {k}", 1.0, [0.004] * 3)
        contact, center = zm.Particle(f"contact {k}", 0.0), zm.Particle(f"center {k}", 0.0)
        X, Y, Z = contact.position
        g = np.array([-0.1 * X, -0.1 * Y, 1.0])
        n = g / np.sqrt(g @ g)
        parts += [ball, contact, center]
        ω: Any = ball.angular_velocity
        rows |= {
            f"surface {k}": Z - 0.05 * (X**2 + Y**2),
            f"tangency {k}": center.position - contact.position - r * n,
            f"mass center {k}": center.position - ball.position,
            f"no slip {k}": center.velocity + r * np.cross(n, ω),
        }
        x, y = random.uniform(-2, 2, 2)
        normal = np.array([-0.1 * x, -0.1 * y, 1]) / np.sqrt(1 + 0.01 * (x * x + y * y))
        place = np.array([x, y, 0.05 * (x * x + y * y)])
        guess.update(zip(contact.position, place, strict=True))
        for part in (center, ball):
            guess.update(zip(part.position, place + r * normal, strict=True))
        guess.update(zip(ball.quaternion, [1.0, 0, 0, 0], strict=True))
        guess.update(zip(zm.rate(ball.quaternion), [0, 0.3, -0.2, 0.1], strict=True))
    return parts, rows, {"gravity": 9.81}, guess


SHAPES = {
    "uneven chain": (uneven, 3),
    "tree": (tree, 4),
    "hinges": (hinges, 3),
    "net": (net, 3),
    "four bars": (four_bars, 2),
    "balls": (balls, 2),
}


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


@pytest.fixture(scope="module", params=few(SHAPES, 3))
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
    tip = links.rolled.parts[-1].position[2]
    with pytest.raises(ModelError, match=r"accelerat.*rolled"):
        zm.simulate(links.rolled, links.start, until=0.1, events={"hard": zm.acceleration(tip)})
    with pytest.raises(ModelError, match="not written out"):
        _ = links.program.acceleration
    with pytest.raises(ModelError, match="sensitivity"):
        zm.simulate(links.rolled, links.start, until=0.01).adjoint(tip)


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
    with pytest.warns(zm.RunStopped, match=r"non-unique.*'pin.x'"):
        run = zm.simulate(free, free.start(guess=guess), until=0.1)
    assert run.outcome.ending == "non-unique"


def test_a_start_beside_the_constraints_is_named(links: Pair) -> None:
    q = links.start.q.copy()
    q[0] += 0.01
    with pytest.warns(zm.RunStopped, match="'joint 0"):
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
