"""Measured terrain: the spline through the data, and bodies that roll on it as on the surface it was measured on."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline, make_interp_spline

import zeromass as zm
from cases import few
from zeromass.contact.terrain import Terrain
from zeromass.expression import Evaluator
from zeromass.integrate.outcome import Ending

EPS = np.finfo(float).eps
X, Y = zm.coordinates("X Y")
LINES = {
    "even": (np.linspace(-2.0, 2.0, 21), np.linspace(-1.5, 2.5, 17)),
    "uneven": (
        np.linspace(-2.0, 2.0, 21) + 0.05 * np.sin(3.0 * np.arange(21)),
        np.array([-1.5, -1.4, -1.0, -0.9, -0.3, 0.1, 0.2, 0.7, 1.1, 1.6, 1.65, 2.1, 2.5]),
    ),
    "fewest": (np.linspace(-2.0, 2.0, 6), np.array([-1.5, -1.4, 0.0, 0.3, 1.0, 2.5])),
}


def hills(X, Y):
    """Smooth, with no symmetry along the axes."""
    return 0.06 * np.sin(1.7 * X) * np.cos(1.3 * Y) + 0.05 * (X**2 + Y**2)


def measured(x: np.ndarray, y: np.ndarray, height=hills, **motion) -> Terrain:
    return zm.Surface.from_heights(x, y, height(*np.meshgrid(x, y, indexing="ij")), **motion)


def inside(terrain: Terrain, count: int = 300) -> np.ndarray:
    """Points over the data, shape (2, count)."""
    return np.random.default_rng(0).uniform(*terrain.area, size=(count, 2)).T


def pairs(total: int) -> list[tuple[int, int]]:
    return [(m, n) for m, n in itertools.product(range(total + 1), repeat=2) if m + n <= total]


# the spline --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lines", LINES)
def test_the_data_are_on_the_surface(lines):
    """To the last bit: they are the first coefficients of the cells."""
    x, y = LINES[lines]
    z = np.random.default_rng(1).normal(size=(len(x), len(y)))
    terrain = zm.Surface.from_heights(x, y, z)
    points = np.meshgrid(x, y, indexing="ij")
    assert np.array_equal(terrain.height(*points), z)
    on = terrain([*(p.ravel() for p in points), z.ravel()])
    assert np.array_equal(on, np.zeros(z.size))


@pytest.mark.parametrize("lines", LINES)
def test_polynomials_up_to_degree_five_are_reproduced(lines):
    """Measured 4e-15 for the heights; each derivative loses a factor that is the inverse of the spacing, 1/0.05 or so."""
    x, y = LINES[lines]
    c = np.random.default_rng(2).normal(size=(6, 6))
    terrain = measured(x, y, lambda X, Y: np.polynomial.polynomial.polyval2d(X, Y, c))
    at = inside(terrain)
    closest = min(np.diff(x).min(), np.diff(y).min())
    for m, n in pairs(4):
        d = np.polynomial.polynomial.polyder(np.polynomial.polynomial.polyder(c, m, axis=0), n, axis=1)
        size = np.polynomial.polynomial.polyval2d(2.5, 2.5, np.abs(c)) / closest ** (m + n)
        error = terrain.grid.derivative(*at, (m, n)) - np.polynomial.polynomial.polyval2d(*at, d)
        assert np.abs(error).max() <= 50 * EPS * size


@pytest.mark.parametrize("orders", pairs(5))
@pytest.mark.parametrize("lines", ["even", "uneven"])
def test_derivatives_are_those_of_the_interpolating_spline(lines, orders):
    """Against splines of splines and FITPACK, which choose the same knots. Rounding in the data is magnified by the
    spacing to the power of the order; the splines of a terrain are derived along X first."""
    x, y = LINES[lines]
    terrain, (m, n) = measured(x, y), orders
    z = hills(*np.meshgrid(x, y, indexing="ij"))
    at = inside(terrain)
    values = terrain.grid.derivative(*at, orders)
    along_x = make_interp_spline(x, z, k=5)(at[0], nu=m)
    twice = np.array([make_interp_spline(y, row, k=5)(b, nu=n) for row, b in zip(along_x, at[1], strict=True)])
    closest = min(np.diff(x).min(), np.diff(y).min())
    bound = 1000 * EPS * np.abs(z).max() / closest ** (m + n)
    assert np.abs(values - twice).max() <= bound
    if max(m, n) < 5:
        fitpack = RectBivariateSpline(x, y, z, kx=5, ky=5, s=0)(*at, dx=m, dy=n, grid=False)
        assert np.abs(values - fitpack).max() <= bound


@pytest.mark.parametrize("lines", ["even", "uneven"])
def test_fourth_derivatives_are_continuous_and_the_fifth_is_not(lines):
    """The polynomials of neighbours at the line between them; rounding is that of the sums of their terms."""
    grid = measured(*LINES[lines]).grid
    c = grid.coefficients
    for axis, lines_ in enumerate((grid.x, grid.y)):
        cells = np.moveaxis(c, (axis, 2 + axis), (0, 1))
        widths = np.diff(lines_)[:-1]
        for order in range(6):
            ahead = np.array([math.comb(k, order) for k in range(6)])
            terms = np.stack([a * cells[:-1, k].T * widths ** max(k - order, 0) for k, a in enumerate(ahead)])
            jump, size = np.sum(terms, axis=0) - cells[1:, order].T, np.abs(terms).sum(axis=0)
            if order < 5:
                assert np.all(np.abs(jump) <= 1e-9 * size.max())
            else:
                assert np.abs(jump).max() > 1e-3 * size.max()


@pytest.mark.parametrize("total", range(4))
def test_the_error_falls_with_the_sixth_power_less_the_order(total):
    errors = []
    for n in (33, 65):
        terrain = measured(np.linspace(-2, 2, n), np.linspace(-1.5, 2.5, n))
        at = inside(terrain, 4000)
        h, worst = hills(X, Y), 0.0
        for orders in pairs(total):
            if sum(orders) == total:
                exact = h
                for variable in [X] * orders[0] + [Y] * orders[1]:
                    exact = zm.expression.derivative(exact, variable)
                worst = max(worst, np.abs(terrain.grid.derivative(*at, orders) - Evaluator(exact, [X, Y])(at.T)).max())
        errors.append(worst)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6 - total, abs=0.5)


def test_outside_the_data_there_is_no_height():
    terrain = measured(*LINES["even"])
    assert np.isnan(terrain.height(2.001, 0.0))
    assert np.isnan(terrain.height(0.0, -1.501))
    assert np.isfinite(terrain.height(2.0, -1.5))
    assert terrain.inside(np.array([1.5, 0.0, 0.0])) == 0.5
    assert terrain.inside(np.array([1.5, 2.7, 0.0])) == pytest.approx(-0.2)


# motion ------------------------------------------------------------------------------------------------------------
TIGHT = {"rtol": 1e-13, "atol": 1e-15}


def rolling(surface: zm.Surface, **options) -> zm.Rolling:
    return zm.Rolling(zm.bodies.ball(0.1, mass=1.3), on=surface, gravity=9.81, **options)


def path(surface: zm.Surface, until: float = 2.0) -> tuple[np.ndarray, np.ndarray, float]:
    """Contact points and reactions along a run, and the part of the energy by which it changes."""
    ball = rolling(surface)
    run = zm.simulate(ball, ball.start(contact=(-1.0, 0.4), velocity=(1.0, 0.5), spin=0.3), until=until, **TIGHT)
    assert run.outcome.ending is Ending.FINISHED
    sampled = run.at(np.linspace(0.0, until, 41))
    energy = run[ball.energy]
    kinetic = np.abs(run[ball.translational_energy] + run[ball.rotational_energy]).max()
    return sampled[ball.contact], sampled[ball.reaction_force], float(np.ptp(energy) / kinetic)


def test_the_motion_converges_to_that_on_the_surface_that_was_measured():
    """The path with the sixth power of the spacing (measured 6.4, then 5.9), energy kept on every terrain."""
    exact, force, _ = path(zm.Surface(hills))
    errors, forces = [], []
    for n in (21, 41, 81):
        place, push, drift = path(measured(np.linspace(-2.0, 2.0, n), np.linspace(-2.2, 2.2, n)))
        errors.append(np.abs(place - exact).max())
        forces.append(np.abs(push - force).max() / np.abs(force).max())
        assert drift <= 1e-10
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 5.5)
    assert errors[-1] <= 1e-10
    assert forces[-1] <= 1e-7


def test_a_terrain_moves_as_any_surface():
    """Sliding and turning about the vertical, against the surface it was measured on in the same motion."""
    motion = {"shift": (0.1 * np.cos(2 * zm.t) - 0.1, 0.0, 0.0), "rotation": ((0, 0, 1), 0.3 * np.sin(zm.t))}
    exact, _, _ = path(zm.Surface(hills, **motion), until=1.0)
    place, _, _ = path(measured(np.linspace(-2.0, 2.0, 81), np.linspace(-2.2, 2.2, 81), **motion), until=1.0)
    assert np.abs(place - exact).max() <= 1e-10


@pytest.mark.parametrize("options", [{}, {"method": "radau", "rtol": 1e-8}, {"method": "fixed", "step": 2e-3}])
@pytest.mark.parametrize("direction", few(range(4)))
def test_leaving_the_terrain_ends_the_run_at_its_border(options, direction):
    terrain = measured(np.linspace(-2.0, 2.0, 41), np.linspace(-2.2, 2.2, 41))
    ball = rolling(terrain, two_sided=True)
    angle = direction * np.pi / 2 + 0.2
    start = ball.start(contact=(0.3, 0.2), velocity=(6 * np.cos(angle), 6 * np.sin(angle)))
    run = zm.simulate(ball, start, until=5.0, **options)
    assert run.outcome.ending is Ending.EVENT
    assert "'contact left the measured terrain'" in run.outcome.message
    end = run[ball.contact][-1]
    assert abs(terrain.inside(end)) <= 1e-12
    on_border = (2.0, 2.2, 2.0, 2.2)[direction]
    assert abs(end[direction % 2]) == pytest.approx(on_border, abs=1e-12)


def test_the_border_moves_with_the_terrain():
    terrain = measured(np.linspace(-2.0, 2.0, 41), np.linspace(-2.2, 2.2, 41), rotation=((0, 0, 1), np.pi / 2))
    ball = rolling(terrain, two_sided=True)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), velocity=(6.0, 0.0)), until=5.0)
    assert run.outcome.ending is Ending.EVENT
    assert abs(run[ball.contact][-1][0]) == pytest.approx(2.2, abs=1e-12)


def test_slipping_bodies_know_the_border_too():
    ball = rolling(measured(*LINES["even"]), friction=0.3)
    assert "contact left the measured terrain" in [event.name for event in ball.events]


def test_other_surfaces_have_no_border():
    assert zm.Surface(hills).inside(zm.coordinates("x y z")) is None
    assert "contact left the measured terrain" not in [event.name for event in rolling(zm.Surface(hills)).events]


def test_a_start_outside_is_refused():
    with pytest.raises(zm.errors.StartError, match=r"contact \(2\.05, 0\.0\) lies outside 'hill', .*from -2 to 2 in X"):
        rolling(measured(*LINES["even"], name="hill")).start(contact=(2.05, 0.0))
    shifted = measured(*LINES["even"], shift=(1.0, 0.0, 0.0))
    assert rolling(shifted).start(contact=(2.05, 0.0)) is not None
    with pytest.raises(zm.errors.StartError, match="outside 'terrain'"):
        rolling(shifted).start(contact=(-1.5, 0.0, 1.0))


# wrong data --------------------------------------------------------------------------------------------------------
x, y = LINES["even"]
z = hills(*np.meshgrid(x, y, indexing="ij"))


def spoilt(array: np.ndarray, place: tuple[int, ...], value: float) -> np.ndarray:
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((x, y, z.T), r"z of 'hill' has shape \(17, 21\), not \(len\(x\), len\(y\)\) = \(21, 17\); give z.T"),
        ((x, y, z[:-1]), r"z of 'hill' has shape \(20, 17\)"),
        ((x, y, z.ravel()), r"z of 'hill' has shape \(357,\)"),
        ((x, y, spoilt(z, (3, 4), np.nan)), r"1 heights that are not finite, the first z\[3, 4\] = nan at x = -1.4"),
        ((x, y, spoilt(z, (0, 0), np.inf)), r"the first z\[0, 0\] = inf"),
        ((x[::-1], y, z), r"x of 'hill' must rise, but x\[0\] = 2 is followed by x\[1\] = 1\.8"),
        ((x, spoilt(y, (4,), y[3]), z), r"y of 'hill' must rise, but y\[3\]"),
        ((spoilt(x, (2,), np.nan), y, z), r"x\[2\] of 'hill' is nan"),
        ((x[:5], y, z[:5]), "x of 'hill' has 5 values; a spline of degree 5 needs at least 6"),
        ((x, y[:2], z[:, :2]), "y of 'hill' has 2 values"),
        ((np.meshgrid(x, y)[0], y, z), r"x of 'hill' has shape \(17, 21\); give one number for each line"),
        (("abc", y, z), "x of 'hill' must be numbers"),
        ((x, y, [[1.0], [1.0, 2.0]]), "z of 'hill' must be numbers"),
    ],
)
def test_wrong_data_are_named(data, message):
    with pytest.raises(zm.errors.ModelError, match=message):
        zm.Surface.from_heights(*data, name="hill")
