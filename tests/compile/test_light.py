"""Coordinates without mass that follow from the others: the same motion as by the papers' formula, for less."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from compile.test_elimination import Written
from zeromass.compile.elimination import eliminated
from zeromass.compile.light import light_groups, solved_for
from zeromass.expression import Evaluator, expressions
from zeromass.papers import um2022

ROUNDING = 1e-9
"""Relative to the largest number compared: conditions of the drawn problems are below 1e5."""


def drawn(seed: int, light: int, *, repeated: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, f, A, b with coordinates without mass and force at the end, in two more rows than they are; one may be repeated."""
    random = np.random.default_rng(seed)
    heavy = 4
    n, m = heavy + light, light + 2
    root = random.normal(size=(heavy, heavy))
    M, f = np.zeros((n, n)), np.zeros(n)
    M[:heavy, :heavy], f[:heavy] = root @ root.T + np.eye(heavy), random.normal(size=heavy)
    A, b = random.normal(size=(m, n)), random.normal(size=m)
    if repeated:
        mix = random.normal(size=m)
        A, b = np.vstack([A, mix @ A]), np.append(b, mix @ b)
    return M, f, A, b


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("light", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_they_move_as_the_formula_of_the_papers_says(seed, light, repeated):
    M, f, A, b = drawn(seed, light, repeated=repeated)
    written = Written()
    rows = [written(x, symmetric=x is M) for x in (M, f, A, b)]
    found = eliminated(*rows, written.decide)
    q̈, λ = (Evaluator(expressions(list(e)), written.symbols)(np.array(written.values)) for e in found[:2])
    expected = zm.solve(M, f, A, b)
    np.testing.assert_allclose(q̈, expected.acceleration, rtol=0, atol=ROUNDING * np.abs(expected.acceleration).max())
    np.testing.assert_allclose(A.T @ λ, M @ q̈ - f, rtol=0, atol=ROUNDING * np.abs(M @ q̈).max())
    assert len(found.kept) == light + 2


def test_growth_tells_where_other_rows_hold_them_better():
    """Rows (a, 0), (0, 1) are solved; a third holds the first coordinate by c. Factors of the rows do not count."""
    a, c, *b = zm.coordinates("a c b0 b1 b2")
    one = expressions(1.0).item()
    for factor, sizes in ((1.0, (0, 0, 0)), (2.0**20, (20, 0, -10))):
        rows = [{0: a * factor}, {1: one}, {0: c * 2.0 ** sizes[2]}]
        light = solved_for(rows, b.copy(), [0, 1], [0, 1], dict(enumerate(sizes)))
        growth = Evaluator(light.growth, [a, c])
        assert growth(np.array([1.0, 0.0])) == pytest.approx(1.0)
        assert growth(np.array([0.01, 1.0])) == pytest.approx(1.0 + 1e4)


def test_groups_are_those_that_rows_couple():
    assert light_groups([0, 1, 3], [{0}, {0, 1}, {0}, {2}]) == [[0, 1]]
    assert light_groups([0, 1, 2, 3], [{0}, {0}, {0}, {0}]) == []  # more than are solved for together


# bodies that roll ---------------------------------------------------------------------------------------------------
GIVEN = {"mass": 2.0, "inertia": (0.011, 0.012, 0.013), "center_of_mass": (0.004, -0.002, 0.006)}


def bowl(moves: bool) -> zm.Surface:
    shift = (0.05 * np.sin(zm.t), 0.0, 0.02 * np.cos(zm.t)) if moves else (0.0, 0.0, 0.0)
    return zm.Surface(lambda X, Y: 0.1 * X**2 + 0.2 * Y**2 + 0.02 * np.sin(2 * X) * np.cos(Y), shift=shift)


def globe() -> zm.Surface:
    """A surface that is no formula for the height: three coordinates of the contact follow together."""
    return zm.Surface(lambda X, Y, Z: 4.0 - X**2 - Y**2 - (Z - 2.0) ** 2)


BODIES = {
    "ellipsoid": lambda: zm.bodies.ellipsoid((0.08, 0.07, 0.06), **GIVEN),
    "spheroid": lambda: zm.bodies.ellipsoid((0.08, 0.06, 0.06), **GIVEN),
    "superquadric": lambda: zm.bodies.superquadric((0.08, 0.07, 0.06), 2, **GIVEN),
}
SURFACES = {"bowl": lambda: bowl(False), "moving bowl": lambda: bowl(True), "globe": globe}


CASES = [("ellipsoid", "moving bowl"), ("spheroid", "globe"), ("superquadric", "bowl"), ("superquadric", "globe")]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def started(request):
    body, on = request.param
    rolling = zm.Rolling(BODIES[body](), on=SURFACES[on](), gravity=9.81, two_sided=True)
    start = rolling.start(contact=(0.3, 0.2), velocity=(0.4, -0.3), spin=1.5, orientation=(0.4, -0.2, 0.7), guess=0.1)
    return rolling, start, zm.compile(rolling, start)


def test_on_the_constraints_rates_may_follow(started):
    rolling, start, program = started
    found = [
        Evaluator(expressions(list(e)), rolling.inputs)(start.inputs) for e in (program.followed, program.acceleration)
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-11 * np.abs(found[1]).max())


def test_rates_of_contact_and_centre_are_not_asked_for(started):
    rolling, _, program = started
    rates = zm.rate(np.concatenate([rolling.contact, rolling.center, *[part.position for part in rolling.parts[3:]]]))
    assert {*rates}.isdisjoint(zm.expression.symbols(expressions(list(program.followed))))


def test_the_motion_is_that_of_all_accelerations(started):
    _, start, program = started
    quick = zm.simulate(program, start, until=0.3, rtol=1e-12, atol=1e-15)
    plain = zm.simulate(program, start, until=0.3, rtol=1e-12, atol=1e-15, method="dop853")
    np.testing.assert_allclose(quick.y[-1], plain.y[-1], rtol=0, atol=1e-9)


def test_a_motion_that_is_not_projected_stays_near_the_constraints():
    """Its rates are its own: their error is carried along, and does not grow with the turning of the body."""
    rolling = zm.Rolling(BODIES["ellipsoid"](), on=bowl(False), gravity=9.81, two_sided=True)
    start = rolling.start(contact=(0.3, 0.2), velocity=(0.4, -0.3), spin=1.5)
    run = zm.simulate(rolling, start, until=5.0, rtol=1e-12, atol=1e-15, project=False)
    assert np.abs(run[[row.zero for row in rolling.rows]]).max() < 1e-9


def test_a_sphere_is_eliminated_as_ever():
    shell = um2022.system(no_spin=False)
    start = shell.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), spin=0.0, orientation=(1.0, 0.0, 0.0, 0.0))
    assert zm.compile(shell, start).followed is None


def test_what_a_body_costs_that_is_no_sphere():
    """Operations of its right-hand side, and evaluations of a motion that is that of the shell."""
    shell = um2022.system(no_spin=False)
    own = shell.solid
    given = {"mass": own.mass, "inertia": own.inertia, "center_of_mass": own.center_of_mass}
    r = float(own.radius)
    said = {"contact": (-1.5, -0.75), "velocity": (1.5, 1.0), "spin": 0.0, "orientation": (1.0, 0.0, 0.0, 0.0)}
    solids = {
        "ellipsoid": zm.bodies.ellipsoid((r, 0.9 * r, 0.8 * r), **given),
        "sphere": zm.bodies.ellipsoid((r, r, r), **given),
        "implicit": zm.bodies.convex(implicit=lambda x, y, z: (x**2 + y**2 + z**2) / r**2 - 1, **given),
    }
    start = shell.start(**said)
    least = zm.simulate(shell, start, until=2.0, rtol=1e-12, atol=1e-15)
    bodies = {name: zm.Rolling(solid, on=shell.surface, two_sided=True) for name, solid in solids.items()}
    starts = {name: rolling.start(**said) for name, rolling in bodies.items()}
    assert zm.compile(bodies["ellipsoid"], starts["ellipsoid"]).operations < 1.25 * least.program.operations
    assert zm.compile(bodies["sphere"], starts["sphere"]).operations < least.program.operations
    for name in ("sphere", "implicit"):
        run = zm.simulate(bodies[name], starts[name], until=2.0, rtol=1e-12, atol=1e-15)
        assert run.statistics.evaluations < 1.1 * least.statistics.evaluations
