"""More contacts than ways to push a body: what the motion tells, and the rule for what it does not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zeromass as zm
from contact.rooms import depth
from zeromass.errors import RedundantContacts

r, m, q = 0.1, 0.5, float(np.sqrt(0.5))
SCALES = [(1.0, 1.0, 1.0), (1e3, 1.0, 1.0), (1.0, 1e3, 1e-3)]


class Trough:
    """A ball between a floor and two sides at 45°, all of which touch it; formulas of the surfaces times any factors."""

    def __init__(self, **options: object) -> None:
        self.factors = [zm.parameter(name, 1.0) for name in ("a", "b", "c")]
        a, b, c = self.factors
        side = r * (1 - np.sqrt(2))
        on = {
            "floor": zm.Surface(lambda X, Y, Z: a * Z),
            "left": zm.Surface(lambda X, Y, Z: b * (Z + Y - side)),
            "right": zm.Surface(lambda X, Y, Z: c * (Z - Y - side)),
        }
        self.ball = zm.Contacts(zm.bodies.ball(r, m), on=on, **options)  # type: ignore[arg-type]

    def run(self, scales, until: float, **start) -> zm.Run:
        values = {**dict(zip(self.factors, scales, strict=True)), **start.pop("parameters", {})}
        begin = self.ball.start(center=(0, 0, r), parameters=values, **start)
        with pytest.warns(RedundantContacts, match="floor, left, right are not determined"):
            return zm.simulate(self.ball, begin, until=until, rtol=1e-12, atol=1e-14)

    def forces(self, run: zm.Run, t: float) -> np.ndarray:
        return np.array([run.at(t)[pair.normal_force][0] for pair in self.ball.pairs])


@pytest.fixture(scope="module")
def slope() -> tuple[Trough, list[zm.expression.Expression]]:
    """With gravity, and friction of floor and sides, as parameters."""
    p = [zm.parameter(name, value) for name, value in (("gx", 0.0), ("gy", 0.0), ("of floor", 0.0), ("of sides", 0.0))]
    friction = {"floor": p[2], "left": p[3], "right": p[3]}
    return Trough(gravity=(p[0], p[1], -10.0), friction=friction, creep=1e-12), p


@pytest.mark.parametrize("scales", SCALES)
def test_normal_forces_are_those_of_the_least_sum_of_squares(slope, scales):
    """N_f + (N_l + N_r)/√2 = m g and the least N_f² + N_l² + N_r²: half of the weight on the floor."""
    trough, _ = slope
    run = trough.run(scales, 0.1, velocity=(0.3, 0, 0), angular_velocity=(0, 0, 0))
    for t in (0.0, 0.1):
        assert trough.forces(run, t) == pytest.approx([2.5, 2.5 * q, 2.5 * q], rel=1e-11)
    assert run.state(0.1)[trough.ball.center] == pytest.approx([0.03, 0, r], abs=1e-14)


@pytest.mark.parametrize("scales", SCALES[::2])
def test_slipping_between_them_has_the_friction_of_these_forces(slope, scales):
    """A ball slides, floor 0.1 and sides 0.3: a = −Σ μ N/m, r α = 5/(2 m) Σ μ N h/r with the levers h = r, r/√2."""
    trough, p = slope
    μ = np.array([0.1, 0.3, 0.3])
    N, lever = np.array([2.5, 2.5 * q, 2.5 * q]), np.array([1.0, q, q])
    a, turning = -float(μ @ N) / m, 2.5 / m * float((μ * N) @ lever)
    until = 0.3 / (turning - a)  # where nothing slips over the floor
    run = trough.run(
        scales,
        0.9 * until,
        velocity=(0.3, 0, 0),
        angular_velocity=(0, 0, 0),
        parameters={p[2]: 0.1, p[3]: 0.3},
    )
    end = run.state(run.t[-1])
    assert end[trough.ball.body.velocity[0]] == pytest.approx(0.3 + a * 0.9 * until, rel=1e-10)
    assert end[trough.ball.body.angular_velocity[1]] == pytest.approx(turning / r * 0.9 * until, rel=1e-10)
    assert trough.forces(run, run.t[-1]) == pytest.approx(N, rel=1e-9)


def test_what_slips_next_does_not_depend_on_formulas(slope):
    """The floor's slip turns round, and then the sides roll: the same course, whatever the factors."""
    trough, p = slope
    runs = [
        trough.run(s, 0.15, velocity=(0.3, 0, 0), angular_velocity=(0, 0, 0), parameters={p[2]: 0.3, p[3]: 0.3})
        for s in SCALES[::2]
    ]
    for run in runs:
        assert run.modes[-1] == "floor slipping, left rolling, right rolling"
        turned = [event.t for event in run.events if event.name == "floor: slip dies out"]
        assert turned == pytest.approx([0.3 / (2.5 * 0.3 * (1 + np.sqrt(2)) / m + 7.5)], abs=1e-9)
        assert run.state(0.15)[trough.ball.center[0]] == pytest.approx(
            runs[0].state(0.15)[trough.ball.center[0]], abs=1e-12
        )


@pytest.mark.parametrize("scales", SCALES[::2])
def test_a_contact_whose_least_force_would_pull_is_open_and_the_rest_holds(slope, scales):
    """Pushed sideways by m 6 m/s², floor and left alone carry 2 N and 3√2 N; the ball stays where it is all the same.

    More on the sides, and less on the floor, would do too: the forces are shared.
    """
    trough, p = slope
    run = trough.run(scales, 0.2, parameters={p[1]: 6.0})
    assert run.outcome.ending == "finished"
    assert np.abs(run[trough.ball.center] - [0, 0, r]).max() <= 1e-13
    carried = sorted(trough.forces(run, 0.2))
    assert carried == pytest.approx([0.0, 2.0, 3.0 / q], abs=1e-11)


@pytest.mark.parametrize("scales", SCALES[2:])
def test_a_ball_that_rolls_on_all_of_them_is_held(scales):
    """It can not roll on; Σ T = m gx and Σ T n = 0, no moment: T_f = −√2 T_l, which is determined."""
    trough = Trough(gravity=(2.0, 0.0, -10.0))
    run = trough.run(scales, 0.05, velocity=(0, 0, 0))
    assert run.modes == ("floor rolling, left rolling, right rolling",)
    assert np.abs(run[trough.ball.center] - [0, 0, r]).max() <= 1e-13
    assert trough.forces(run, 0.05) == pytest.approx([2.5, 2.5 * q, 2.5 * q], rel=1e-11)
    T = m * 2.0 / (2 - np.sqrt(2))
    for name, along in (("floor", np.sqrt(2) * T), ("left", -T), ("right", -T)):
        assert run.at(0.05)[trough.ball[name].friction_force][0] == pytest.approx([along, 0, 0], abs=1e-11)


def test_a_ball_in_a_pit_of_four_planes():
    """N = (nᵀ)⁺ R for the resultant R = −m g, and no friction; the formula of one side is 1000 times as large."""
    sides = {"east": (1, 0, 1.0), "west": (-1, 0, 1e3), "north": (0, 1, 1.0), "south": (0, -1, 1.0)}
    on = {
        name: zm.Surface(lambda X, Y, Z, a=a, b=b, factor=factor: factor * (Z - a * X - b * Y))
        for name, (a, b, factor) in sides.items()
    }
    g = np.array([0.5, 0.2, -10.0])
    ball = zm.Contacts(zm.bodies.ball(r, m), on=on, gravity=g, friction=0.5)
    with pytest.warns(RedundantContacts):
        run = zm.simulate(ball, ball.start(center=(0, 0, r / q)), until=0.05)
    assert run.modes == ("east rolling, west rolling, north rolling, south rolling",)
    n = q * np.array([[-a, -b, 1.0] for a, b, _ in sides.values()])
    found = [run[pair.normal_force][-1] for pair in ball.pairs]
    assert found == pytest.approx(np.linalg.pinv(n.T) @ (-m * g), rel=1e-10)
    assert max(run[pair.friction_magnitude][-1] for pair in ball.pairs) <= 1e-11


@pytest.mark.parametrize(("bend", "kind"), [(0.2, "right open"), (-0.2, "floor open")])
def test_where_they_are_not_closed_together_any_more_those_with_a_gap_are_open(bend, kind):
    """A side that bends away, or towards the ball, as it slides on from rest: then it lies on the floor, or on the sides."""
    side = r * (1 - np.sqrt(2))
    on = {
        "floor": zm.surfaces.plane(),
        "left": zm.Surface(lambda X, Y, Z: Z + Y - side),
        "right": zm.Surface(lambda X, Y, Z: Z - Y - side + bend * X**2),
    }
    ball = zm.Contacts(zm.bodies.ball(r, m), on=on, gravity=(2.0, 0.0, -10.0), friction=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundantContacts)
        run = zm.simulate(ball, ball.start(center=(0, 0, r), angular_velocity=(0, 0, 0)), until=0.4, rtol=1e-12)
    assert run.outcome.ending == "finished"
    assert kind in run.modes[-1]
    assert depth(ball, run, np.linspace(0.0, 0.4, 200)) <= 1e-12
    if bend > 0.0:  # the side pushes on, by 1e-6 of its force, until its gap is told from rounding, for 1e-3 s
        assert run.state(0.4)[ball.center[0]] == pytest.approx(0.16, abs=1e-9)
        assert run.at(0.4)[ball["left"].normal_force] == pytest.approx(0.0, abs=1e-12)


def test_it_is_kept_in_files(tmp_path, slope):
    trough, _ = slope
    run = trough.run((1.0, 1e3, 1.0), 0.05, velocity=(0.3, 0, 0), angular_velocity=(0, 0, 0))
    loaded = zm.load(run.save(tmp_path / "trough.nc"))
    assert loaded.modes == run.modes
    for pair in loaded.system.pairs:
        assert np.array_equal(loaded[pair.normal_force], run[trough.ball[pair.name].normal_force])
