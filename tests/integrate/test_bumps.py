"""No bump of a function of time is stepped over: forces, prescribed motions, moving surfaces, parametric excitation.

What is compared is exact, or an integral by another way (`bumps`). Errors: `REACH` times the tolerance, as everywhere, and
rounding of the time, half a unit of which at 10 s is 9e-16/width of a bump.
"""

import warnings

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.bumps import FORCES, SHAPES, SPAN, integral
from zeromass.integrate import METHODS as KNOWN_METHODS
from zeromass.integrate import Ending
from zeromass.integrate import pace as pace_module
from zeromass.integrate.methods.dop853 import plain
from zeromass.integrate.stepping import ahead as ahead_module
from zeromass.integrate.stepping.plain import plain_method

t = zm.t
x, y = zm.coordinates("x y")
WIDTHS = few([0.02, 0.001, 0.01], 2)
METHODS = ["collocation", "dop853", "radau"]
REACH = 100.0


def allowed(rtol, width):
    return REACH * rtol + 1e-14 / width


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("shape", FORCES)
def test_an_impulse(shape, width, method):
    """A body at rest that is struck for a short time: v = ∫ F dt, x = ∫ (T − t) F dt."""
    formula, number = FORCES[shape]
    c = 5.1234
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: formula((t - c) / width) / width})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=SPAN, method=method)
    force = lambda time: number((time - c) / width) / width  # noqa: E731
    expected = [integral(lambda s: (SPAN - s) * force(s), c, width), integral(force, c, width)]
    np.testing.assert_allclose(run.y[-1], expected, rtol=allowed(1e-10, width))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_prescribed_motion(shape, width, method):
    """x = f(t) prescribed, and a body on a spring from it: y = ∫ sin(T − t) f dt."""
    formula, number = SHAPES[shape]
    c = 3.3
    driven = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=(y - x) ** 2 / 2,
        constraints={"drive": x - formula((t - c) / width)},
    )
    start = driven.start({y: 0.0, zm.rate(y): 0.0})
    run = zm.simulate(driven, start, until=SPAN, method=method)
    f = lambda time: number((time - c) / width)  # noqa: E731
    expected = [
        integral(lambda s: np.sin(SPAN - s) * f(s), c, width),
        integral(lambda s: np.cos(SPAN - s) * f(s), c, width),
    ]
    found = [run[y][-1], run[zm.rate(y)][-1]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=allowed(1e-10, width) * width)
    assert run.at(c)[x][0] == pytest.approx(float(f(np.array(c))), abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_moving_surface(width, method):
    """A ball on a plane that is moved aside by s(t) follows by 2/7 of it: m a = F, ⅖ m r² α = F r, a + r α = s̈."""
    c, far = 5.1234, width**2  # accelerations are the same for all widths
    plane = zm.surfaces.plane(shift=(far * np.exp(-(((t - c) / width) ** 2)), 0, 0))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=plane)
    start = ball.start(
        [(ball.contact[:2], 0.0), (ball.center_particle.velocity, 0.0), (ball.body.angular_velocity, 0.0)]
    )
    run = zm.simulate(ball, start, until=SPAN, method=method)
    s = np.array([-0.5, 0.0, 1.0, (SPAN - c) / width])
    found = run.at(c + width * s)[ball.center_particle.position[0]]
    np.testing.assert_allclose(found, 2 / 7 * far * np.exp(-(s**2)), rtol=0, atol=allowed(1e-10, width) * far)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", WIDTHS)
def test_parametric_excitation(width, method):
    """ÿ = −(k² + 2/w² sech² s) y has the solution y = tanh s cos k(t − c) + k w sin k(t − c)."""
    c, k = 5.1234, 1.5
    s = (t - c) / width
    stiffness = k**2 + 2 / width**2 * (1 - np.tanh(s) ** 2)
    spring = zm.System(kinetic=zm.rate(y) ** 2 / 2, forces={y: -stiffness * y})
    exact = np.tanh(s) * np.cos(k * (t - c)) + k * width * np.sin(k * (t - c))
    values = [zm.expression.evaluate(e, {t: 0.0}) for e in (exact, zm.expression.derivative(exact, t))]
    run = zm.simulate(spring, spring.start({y: values[0], zm.rate(y): values[1]}), until=SPAN, method=method)
    times = np.array([c - width, c, c + width, SPAN])
    np.testing.assert_allclose(
        run.at(times)[y], zm.expression.evaluate(exact, {t: times}), rtol=0, atol=10 * allowed(1e-10, width)
    )


@pytest.mark.parametrize("method", METHODS)
def test_backwards(method):
    c, width = 5.1234, 0.001
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / width) ** 2)) / width})
    start = body.start({x: 0, zm.rate(x): 0}, t=SPAN)
    run = zm.simulate(body, start, until=0.0, method=method)
    assert run[zm.rate(x)][-1] == pytest.approx(-np.sqrt(np.pi), rel=allowed(1e-10, width))


def random_bump(rng, number):
    """A vibration that is struck: system, start, method, tolerance, and what x and v are in the end."""
    shape, method = list(FORCES)[number % 5], METHODS[number // 5 % 3]
    formula, value = FORCES[shape]
    width, c = 10 ** rng.uniform(-4, -1.3), rng.uniform(0.5, 9.5)
    impulse, ω = 10 ** rng.uniform(-4, 1), rng.choice([0.3, 1.0, 3.0])
    rtol = 10.0 ** rng.choice([-3, -6, -10, -12])
    driven = bool(rng.integers(2))
    force = impulse / width * formula((t - c) / width) + driven * np.sin(3 * t)
    vibration = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=ω**2 * x**2 / 2, forces={x: force})
    start = vibration.start({x: 1.0, zm.rate(x): 0.5})

    def F(time):
        return impulse / width * value((time - c) / width) + driven * np.sin(3 * time)

    struck = integral(lambda s: np.sin(ω * (SPAN - s)) / ω * F(s), c, width)
    swift = integral(lambda s: np.cos(ω * (SPAN - s)) * F(s), c, width)
    free = np.cos(ω * SPAN) + 0.5 * np.sin(ω * SPAN) / ω, 0.5 * np.cos(ω * SPAN) - ω * np.sin(ω * SPAN)
    expected = np.array([free[0] + struck, free[1] + swift])
    return vibration, start, method, rtol, expected, impulse, width


def errors_of(numbers, seed):
    """In units of what is allowed: ten times as much as for one bump alone, and a millionth of the bump.

    Beside other motion "dop853" sees the foot of a weak bump late; and its error estimate, a difference, vanishes by chance
    once in a thousand times.
    """
    rng = np.random.default_rng(seed)
    found = []
    for number in range(numbers):
        system, start, method, rtol, expected, impulse, width = random_bump(rng, number)
        run = zm.simulate(system, start, until=SPAN, method=method, rtol=rtol, atol=rtol * 1e-3)
        error = float(np.abs(run.y[-1] - expected).max())
        bound = 10 * allowed(rtol, width) * max(1.0, impulse) + 1e-6 * impulse
        found.append((error / bound, error, method, rtol, width))
    return sorted(found, reverse=True)


@pytest.mark.slow
def test_random_bumps_at_random_times():
    assert errors_of(60, 1)[0][0] < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 12))
def test_many_random_bumps(seed):
    assert errors_of(600, seed)[0][0] < 1.0


@pytest.mark.parametrize("shape", FORCES)
def test_no_step_is_much_longer_than_the_bump_that_it_meets(shape):
    """Wherever it lies among the stretches: one as short as the bump bends all over, as a vibration does, but has an end."""
    rng = np.random.default_rng(8)
    formula, _ = FORCES[shape]
    c, w = zm.parameter("c", 5.0), zm.parameter("w", 1e-3)
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: formula((t - c) / w) / w + np.sin(3 * t)})
    for _ in range(20):
        centre, width = rng.uniform(0.5, 9.5), 10 ** rng.uniform(-4, -1.3)
        known = pace_module.pace(body, {c: centre, w: width}, 0.0, SPAN)
        assert known is not None
        ahead = ahead_module.Ahead(known)
        time, longest = 0.0, 0.0
        while time < SPAN - 1e-9:  # as long as is allowed
            h = min(ahead.limited(time, SPAN), SPAN - time)
            if time < centre < time + h:
                longest = h / width
            time += h
        assert longest < 10.0, (centre, width)


@pytest.mark.parametrize("method", METHODS)
def test_a_small_bump_beside_what_is_large(method):
    """F = 9.81 + sin t (1 + 1e-3 bump): each term of it is seen."""
    c, w = 5.1234, 0.001
    bump = np.exp(-(((t - c) / w) ** 2))
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 9.81 + np.sin(t) * (1 + 1e-3 * bump)})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=SPAN, method=method)
    extra = integral(lambda s: 1e-3 * np.sin(s) * np.exp(-(((s - c) / w) ** 2)), c, w)
    without = 9.81 * SPAN + 1 - np.cos(SPAN)
    assert abs(extra) > 1e-6
    assert run[zm.rate(x)][-1] == pytest.approx(without + extra, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("c", [1.5, 3.1010009493366595, 5.0, 8.0])
def test_an_overflow_is_not_taken_for_a_vibration(c, method):
    """1/cosh² s, whose second derivative overflows nearly everywhere in a run of 60 000 widths."""
    w = 1.6e-4
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 1 / np.cosh((t - c) / w) ** 2 / w})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=SPAN, method=method)
    assert run[zm.rate(x)][-1] == pytest.approx(2.0, rel=allowed(1e-10, w))


@pytest.mark.parametrize("method", METHODS)
def test_a_train_of_bumps(method):
    """exp(−(sin t/w)²), one at every multiple of π; v = ∫ F dt over each of them."""
    w = 0.01
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-((np.sin(t) / w) ** 2))})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}, t=1.0), until=1.0 + 20 * np.pi, method=method)
    one = integral(lambda s: np.exp(-((np.sin(s - 5.0) / w) ** 2)), 5.0, w, until=5.0 + np.pi / 2)
    half = integral(lambda s: np.exp(-((np.sin(s - 5.0) / w) ** 2)), 5.0, w, until=5.0)
    assert run[zm.rate(x)][-1] == pytest.approx(20 * 2 * (one - half), rel=1e-7)


def test_a_bump_in_a_very_long_run():
    c, w = 512345.678, 0.01
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=1e6)
    assert run[zm.rate(x)][-1] == pytest.approx(np.sqrt(np.pi), rel=1e-8)  # the time is known to 1e-10 s, or w/1e8
    assert run.statistics.steps < 300


SMOOTH = {
    "none": 0 * t + 1.0,
    "sine": np.sin(t) + np.cos(7 * t),
    "fast": np.sin(50 * t),
    "decaying": np.exp(-t / 5) * np.sin(5 * t),
    "beat": np.sin(3 * t) * np.cos(2 * t),
    "ramp": np.tanh(t - 5),
    "wide": np.exp(-((t - 5) ** 2)),
    "rational": 1 / (1 + t**2),
    "polynomial": t**3 - 2 * t,
    "exponential": np.exp(t / 3),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("drive", SMOOTH)
def test_where_steps_were_fine_nothing_changes(drive, method, monkeypatch):
    """Not one bit: the limit does not bind, whatever the tolerance."""
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: SMOOTH[drive]})
    start = system.start({x: 0.3, zm.rate(x): 0.0})

    def runs():
        return [
            zm.simulate(system, start, until=20.0, method=method, rtol=rtol, atol=rtol * 1e-3)
            for rtol in (1e-6, 1e-10, 1e-13)
        ]

    limited = runs()
    monkeypatch.setattr(pace_module, "pace", lambda *args: None)
    for one, other in zip(limited, runs(), strict=True):
        np.testing.assert_array_equal(one.t, other.t)
        np.testing.assert_array_equal(one.y, other.y)


def test_a_method_in_plain_numpy(monkeypatch):
    """It is told the same limit."""
    monkeypatch.setitem(KNOWN_METHODS, "plain", plain_method("plain", plain.step, order=8, summary=""))
    c, w = 5.1234, 0.001
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=SPAN, method="plain")
    assert run[zm.rate(x)][-1] == pytest.approx(np.sqrt(np.pi), rel=allowed(1e-10, w))


@pytest.mark.parametrize("method", METHODS)
def test_the_certificate_is_right(method):
    c, w = 5.1234, 0.01
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}), until=SPAN, method=method)
    error = abs(run[zm.rate(x)][-1] / np.sqrt(np.pi) - 1)
    assert 8 < run.certificate().digits < -np.log10(error) + 0.5


@pytest.mark.parametrize("method", ["fixed", "radau"])
def test_fixed_steps_over_a_bump_are_not_certified(method):
    """Half of them pass over it too: the second run chooses its own."""
    c, w = 5.1234, 0.001
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    run = zm.simulate(body, body.start({x: 0, zm.rate(x): 1.0}), until=SPAN, method=method, step=0.1)
    with pytest.warns(zm.errors.FewDigits):
        assert run.certificate().digits < 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fine = zm.simulate(body, body.start({x: 0, zm.rate(x): 1.0}), until=SPAN, method=method, step=w / 2)
        assert fine.certificate().digits > 4.0


@pytest.mark.parametrize("until", [10.0, 1e6])
@pytest.mark.parametrize(
    "u",
    [
        np.sin(1 / (t - 5.0001234)),
        1 / (t - 5.0001234),
        np.sqrt(abs(t - 5)),
        abs(np.sin(t)),
        t % 0.1,
        zm.where(np.sin(100 * t) > 0, 1.0, 0.0),
        np.sin(t**3),
        np.exp(-((np.sin(t) / 0.01) ** 2)),
        np.exp(np.exp(t / 100)),
        np.tan(t),
    ],
)
def test_a_look_ahead_takes_little(u, until):
    """However a function behaves, stretches are few, in order, and reach further than where they begin."""
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: u})
    known = pace_module.pace(system, {}, 0.0, until)
    if known is not None:
        table = known.first
        assert 0 < len(table) <= pace_module.CAPACITY
        assert np.all(np.diff(table[:, 0], prepend=0.0) > 0)
        assert np.all(table[:, 1] > 0)


def test_what_depends_on_the_state_too_is_not_looked_at():
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((x - t) / 0.01) ** 2))})
    assert pace_module.pace(system, {}, 0.0, 10.0) is None


@pytest.mark.parametrize("method", METHODS)
def test_a_later_start_knows_what_an_earlier_one_saw(method):
    """Segments of one motion share their look ahead."""
    c, w = 5.1234, 0.001
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    whole = pace_module.pace(body, {}, 0.0, SPAN)
    for begin in (3.0, c - w, c, c + w, 7.0):
        assert pace_module.pace(body, {}, begin, SPAN) is whole
        run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}, t=begin), until=SPAN, method=method)
        part = integral(lambda s: np.exp(-(((s - c) / w) ** 2)) / w, c, w, until=begin)
        assert run[zm.rate(x)][-1] == pytest.approx(np.sqrt(np.pi) - part, abs=allowed(1e-10, w))
    assert pace_module.pace(body, {}, -1.0, SPAN) is not whole


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_step_that_would_be_longer_than_all_that_is_known(method):
    """Ends that are nearer or further than that of the look ahead, and functions of which nothing can be said."""
    c, w = 5.1234, 0.001
    strange = np.sqrt(np.maximum(np.sin(40 * t), 0.0) ** 3)
    for u in (np.exp(-(((t - c) / w) ** 2)) / w, strange):
        body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: u})
        start = body.start({x: 0, zm.rate(x): 0}, t=0.01)
        for until in (4.0, SPAN, 20.0):
            run = zm.simulate(body, start, until=until, method=method, rtol=1e-6, atol=1e-9)
            assert run.outcome.ending is Ending.FINISHED
            assert run.statistics.steps < 30_000


def test_the_table_is_used_by_machine_code_as_in_plain_numbers(monkeypatch):
    """Each step of a run that is limited is as long as `Ahead.limited` allows, or as its own control."""
    monkeypatch.setattr(ahead_module, "PATIENCE", 1_000_000)  # nobody looks closer
    c, w = 5.1234, 0.01
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - c) / w) ** 2)) / w})
    for begin, end in ((0.0, SPAN), (SPAN, 0.0)):
        run = zm.simulate(body, body.start({x: 0, zm.rate(x): 0}, t=begin), until=end)
        ahead = ahead_module.Ahead(pace_module.pace(body, {}, begin, end))
        limits = [abs(ahead.limited(float(time), end - begin)) for time in run.t[:-1]]
        steps = np.abs(np.diff(run.t))
        assert np.all(steps <= np.array(limits) * (1 + 1e-12))
        assert np.any(steps > np.array(limits) * (1 - 1e-12))


def test_parameters_count_with_their_values():
    w = zm.parameter("w", 1.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.exp(-(((t - 5) / w) ** 2))})
    shortest = [pace_module.pace(system, {w: value}, 0.0, 10.0).first[:, 1].min() for value in (1e-2, 1e-4)]
    assert shortest[0] == pytest.approx(100 * shortest[1], rel=0.5)


@pytest.mark.parametrize("shape", FORCES)
def test_the_limit_is_what_it_says(shape):
    """|ü| h²/8 ≤ SPAN² PART max|u| in every stretch, with ü at many places of it."""
    s = (t - 5.1234) / 0.01
    u = FORCES[shape][0](s)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: u})
    table = pace_module.pace(system, {}, 0.0, 10.0).first
    bend = zm.expression.derivative(zm.expression.derivative(u, t), t)
    largest = np.max(zm.expression.evaluate(u, {t: np.linspace(5.1, 5.15, 1001)}))
    begin = 0.0
    for end, limit in table:
        times = np.linspace(begin, end, 203)[1:-1]
        bends = np.abs(zm.expression.evaluate(bend, {t: times}))
        steepest = np.max(bends, where=np.isfinite(bends), initial=0.0)  # cosh² overflows
        step = limit if np.isfinite(limit) else end - begin
        assert steepest * step**2 / 8 <= pace_module.SPAN**2 * pace_module.PART * largest * 1.001
        begin = end


@pytest.mark.parametrize("method", METHODS)
def test_a_bump_in_an_event_is_not_missed(method):
    """A body at rest that a wall 0.5 m away would pass in a pulse of 6 ms: exp(−s²) = ½ at s = √(ln 2)."""
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    wall = zm.Event("wall", x - 0.5 * zm.rate(x) + 0.5 - np.exp(-(((t - 2.0) / 0.003) ** 2)), terminal=False)
    run = zm.simulate(body, body.start({x: 0.0, zm.rate(x): 0.0}), until=4.0, events=wall, method=method)
    half = 0.003 * np.sqrt(np.log(2.0))
    np.testing.assert_allclose([event.t for event in run.events], [2.0 - half, 2.0 + half], rtol=0, atol=1e-12)
