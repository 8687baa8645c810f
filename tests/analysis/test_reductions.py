"""Extreme values, integrals and means are held to a tolerance, between steps, at jumps, and where formulas are sharp."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.analysis.stepwise import Stepwise

G, UP, ALONG, UNTIL = 9.81, 7.0, 4.0, 1.6
x, z = zm.coordinates("x z")
vx, vz = zm.rate(x), zm.rate(z)
w = zm.parameter("w", ALONG)

Reduce = Callable[[str, zm.expression.Expression], float]
"""A reduction of a thrown ball's motion, by name, of an expression."""


def _thrown() -> zm.System:
    """A ball: its dense output is exact, so that errors are those of the reduction."""
    return zm.System(kinetic=(vx**2 + vz**2) / 2, potential=G * z)


@pytest.fixture(scope="module", params=["collocation", "dop853", "lanes"])
def reduce(request: pytest.FixtureRequest) -> Reduce:
    ball = _thrown()
    start = ball.start({vx: w, vz: UP})
    if request.param == "lanes":

        def of_study(name: str, e: zm.expression.Expression) -> float:
            keep = {"kept": getattr(zm.study, {"maximum": "largest", "minimum": "smallest"}.get(name, name))(e)}
            return zm.sweep(ball, start, until=UNTIL, over={w: [ALONG]}, keep=keep).kept.item()

        return of_study
    run = zm.simulate(ball, start, until=UNTIL, method=request.param)

    def of_run(name: str, e: zm.expression.Expression) -> float:
        found = getattr(run, name)(e)
        return found.value if isinstance(found, zm.analysis.Extremum) else float(found)

    return of_run


def _height(t: np.ndarray) -> np.ndarray:
    return UP * t - G * t**2 / 2


def _length_of_velocity() -> float:
    """∫ √(u² + (gt − v)²) dt, by its antiderivative."""

    def F(s: float) -> float:
        return (s * np.hypot(ALONG, s) + ALONG**2 * np.arcsinh(s / ALONG)) / 2 / G

    return F(G * UNTIL - UP) - F(-UP)


# times when the ball passes a height h: those of z = h, (v ∓ √(v² − 2 g h))/g
def _over(h: float) -> float:
    return 2 * np.sqrt(UP**2 - 2 * G * h) / G


SHARP = {
    "closest approach": ("minimum", np.sqrt((x - 1.1) ** 2 + 0.05**2), 0.05),
    "pole beside the path": ("maximum", 1 / ((x - 1.1) ** 2 + 0.05**2), 400.0),
    "bump between the nodes": ("maximum", np.exp(-(((z - 1.3) / 0.01) ** 2)), 1.0),
    "window": ("maximum", zm.where(abs(x - 1.1) < 1e-3, 2.0 + x, 0.0), 3.101),
    "jump": ("maximum", zm.where(z > 1.2, vz, -1.0), np.sqrt(UP**2 - 2 * G * 1.2)),
    "fast": ("maximum", np.sin(300 * z) * x, None),
    "fast function of time": ("minimum", np.cos(1000 * zm.t) - 1e-3 * zm.t, None),
    "steep step": ("maximum", np.tanh(1e4 * (z - 1.3)) - x, None),
    "kink": ("minimum", abs(z - 1.3) + 0.1 * x, None),
}


@pytest.mark.parametrize("name", SHARP)
def test_extreme_values_are_found_wherever_they_hide(reduce: Reduce, name: str) -> None:
    """To 1e-9, ten times the tolerance; where there is no formula for it, no sample among a million exceeds the value."""
    what, e, exact = SHARP[name]
    found, sign = reduce(what, e), 1.0 if what == "maximum" else -1.0
    if exact is None:
        t = np.linspace(0.0, UNTIL, 1_000_001)
        known = {zm.t: t, x: ALONG * t, z: _height(t), vz: UP - G * t}
        samples = sign * np.asarray(
            zm.expression.evaluate(e, {s: v for s, v in known.items() if s in zm.expression.symbols(e)})
        )
        # between samples a function of slope f' hides |f'| h/2: at most 1e4·7 m/s·1e-6 of it for the steep step
        assert samples.max() * (1 - 1e-12) <= sign * found <= samples.max() + 1e-5 * max(1.0, abs(found))
    else:
        assert found == pytest.approx(exact, rel=1e-9)


INTEGRALS = {
    "speed": (np.sqrt(vx**2 + vz**2), _length_of_velocity()),
    "kink": (abs(vz), UP**2 / (2 * G) + (UNTIL - UP / G) ** 2 * G / 2),
    "jump": (zm.where(z > 1.2, 1.0, 0.0), _over(1.2)),
    "window": (zm.where(abs(x - 1.1) < 1e-3, 1.0, 0.0), 2e-3 / ALONG),
    "bump": (np.exp(-(((x - 1.1) / 1e-3) ** 2)), np.sqrt(np.pi) * 1e-3 / ALONG),
    "pole beside the path": (
        1 / (1 + (100 * x - 12.3) ** 2),
        (np.arctan(100 * ALONG * UNTIL - 12.3) + np.arctan(12.3)) / 100 / ALONG,
    ),
    "fast function of time": (np.sin(1000 * zm.t) ** 2, UNTIL / 2 - np.sin(2000 * UNTIL) / 4000),
    "floor": (np.floor(4 * x), sum(range(25)) / 16 + 25 * (UNTIL - 25 / 16)),
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals_are_held_to_the_tolerance(reduce: Reduce, name: str) -> None:
    """rtol ∫|e| dt, of values that are positive."""
    e, exact = INTEGRALS[name]
    assert reduce("integral", e) == pytest.approx(exact, rel=1e-10)
    assert reduce("mean", e) == pytest.approx(exact / UNTIL, rel=1e-10)


def test_an_integral_that_does_not_exist_is_no_number(reduce: Reduce) -> None:
    """1/|x| at x = 0."""
    assert np.isnan(reduce("integral", 1 / abs(x - 1.1)))


def test_states_before_and_after_an_impact_both_count() -> None:
    """A ball dropped from h that keeps 0.9 of its speed: √(2gh) before and 0.9 √(2gh) after the impact, however short the
    steps behind it are."""
    h, e, r = 2.0, 0.9, 0.1
    ball = zm.Rolling(zm.bodies.ball(r, 0.5), on=zm.surfaces.plane(), friction=0.0, restitution=e)
    flying = ball.flying
    run = zm.simulate(
        flying,
        flying.start(center=(0.0, 0.0, h + r), velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)),
        until=1.2,
    )
    speed = zm.rate(ball.center[2])
    impact = np.sqrt(2 * G * h)
    assert run.maximum(speed).value == pytest.approx(e * impact, rel=1e-10)
    assert run.minimum(speed).value == pytest.approx(-impact, rel=1e-10)


@pytest.mark.parametrize("width", few([1e-6, 4e-3, 0.05, 2e-4]))
def test_peaks_of_any_width_are_found_and_integrated(width):
    """In steps that are up to a million times as long: a Lorentzian, a bell, 1/cosh, and a distance of closest approach."""
    x = zm.coordinate("x")
    free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    for center, speed in ((3.123, 2.0), (0.6505932671929242, 2.2159178469254943), (2.9554610730627218, 1.8)):
        run = zm.simulate(free, free.start({x: 0.0, zm.rate(x): speed}), until=3.0)
        u = (x - center) / width
        peaks = ((1 / (1 + u**2), 1.0), (np.exp(-(u**2)), 1.0), (1 / np.cosh(u), 1.0), (-np.sqrt(u**2 + 1), -1.0))
        for e, top in peaks:
            assert run.maximum(e).value == pytest.approx(top, rel=1e-8)
        end = 3 * speed
        area = (np.arctan((end - center) / width) + np.arctan(center / width)) * width / speed
        assert run.integral(1 / (1 + u**2)) == pytest.approx(area, rel=1e-8)


def test_the_higher_of_two_peaks_is_found_however_little_it_is_higher(reduce: Reduce) -> None:
    """1 − ((x − a)(x − b))² + s x has peaks near a and b, s (b − a) apart in height, often both in one step."""
    random, X = np.random.default_rng(0), np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(20):
        (a, b), s = np.sort(random.uniform(0.5, 5.9, 2)), random.choice([-1, 1]) * 10 ** random.uniform(-7, -3)
        P = 1 - ((X - a) * (X - b)) ** 2 + s * X
        places = P.deriv().roots()
        places = places[np.abs(places.imag) < 1e-9].real
        highest = max(P(p) for p in (*places[(places > 0) & (places < ALONG * UNTIL)], 0.0, ALONG * UNTIL))
        assert reduce("maximum", 1 - ((x - a) * (x - b)) ** 2 + s * x) == pytest.approx(highest, rel=2e-10)


def test_what_is_constant_but_for_rounding_is_not_divided_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel that slips and then rolls: its friction ratio is μ, and 0, to rounding. A hundred values a step tell that."""
    g, μ = 9.81, 0.3
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(
        zm.Ground(), hoop, zm.surfaces.plane(), radius=0.2, axis=(0, 1, 0), friction=μ, name="tyre"
    )
    system = zm.System([hoop], gravity=g, joints=[tyre])
    spun = tyre.slipping(system).start([(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, 12.0, 0))])
    run = zm.simulate(system, spun, until=0.8)
    assert run.modes == ("tyre slipping", "tyre rolling")
    counted, values = [], Stepwise.__call__

    def count(steps: Stepwise, which: np.ndarray, places: np.ndarray) -> np.ndarray:
        counted.append(places.size)
        return values(steps, which, places)

    monkeypatch.setattr(Stepwise, "__call__", count)
    assert run.required_friction().value == pytest.approx(μ, rel=1e-14)
    assert sum(counted) < 400 * len(run)
    assert abs(zm.Run(run.segments[1:]).required_friction().value) < 1e-14  # rolls at a constant speed
