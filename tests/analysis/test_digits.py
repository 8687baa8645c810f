"""Digits are earned: no certificate claims more than the worst of what is known of a run."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest

import zeromass as zm
from zeromass.analysis import certificate
from zeromass.errors import FewDigits
from zeromass.integrate import Settings
from zeromass.integrate.stepping.dense import DEGREE

x = zm.coordinate("x")
v = zm.rate(x)
OSCILLATOR = zm.System(kinetic=v**2 / 2, potential=x**2 / 2)
UNSTABLE = zm.System(kinetic=v**2 / 2, potential=-(x**2) / 2)


def oscillation(until=10.0, **settings):
    return zm.simulate(OSCILLATOR, OSCILLATOR.start({x: 1.0, v: 0.3}), until=until, **settings)


def kepler(e: float, t: np.ndarray) -> np.ndarray:
    """x, y and their rates in the orbit of half axis 1 and eccentricity e about −1/r, from the pericentre."""
    E = t + e * np.sin(t)
    for _ in range(60):
        E = E - (E - e * np.sin(E) - t) / (1 - e * np.cos(E))
    b, rate = np.sqrt(1 - e**2), 1 / (1 - e * np.cos(E))
    return np.stack([np.cos(E) - e, b * np.sin(E), -np.sin(E) * rate, b * np.cos(E) * rate], axis=1)


def parting_motion(a: float, b: float, t: np.ndarray) -> np.ndarray:
    """x and its rate, of ẍ = x from a with rate b."""
    return np.stack([a * np.cosh(t) + b * np.sinh(t), a * np.sinh(t) + b * np.cosh(t)], axis=1)


def known_runs(count: int, seed: int):
    """Runs of several methods and tolerances with the largest relative error of a state, from the exact motion."""
    X, Y = zm.coordinates("X Y")
    U, V = zm.rate(X), zm.rate(Y)
    planet = zm.System(kinetic=(U**2 + V**2) / 2, potential=-1 / np.sqrt(X**2 + Y**2))
    rng = np.random.default_rng(seed)
    for k in range(count):
        until, method = rng.uniform(3, 12), str(rng.choice(["collocation", "dop853", "radau", "fixed"]))
        rtol = 10 ** rng.uniform(-11 if method == "radau" else -14.7, -3)
        how = {"step": 10 ** rng.uniform(-2.5, -0.8)} if method == "fixed" else {"rtol": rtol, "atol": rtol / 100}
        if k % 2:
            a, b = rng.uniform(-1, 1, 2)
            run = zm.simulate(UNSTABLE, UNSTABLE.start({x: a, v: b}), until=until, method=method, **how)
            exact = partial(parting_motion, a, b)
        else:
            e = rng.uniform(0, 0.9)
            start = planet.start({X: 1 - e, Y: 0.0, U: 0.0, V: np.sqrt((1 + e) / (1 - e))})
            run = zm.simulate(planet, start, until=until, method=method, **how)
            exact = partial(kepler, e)
        t = np.union1d(np.linspace(0, until, 2001), run.t)
        y = run.at(t).y
        yield run, float((np.abs(y - exact(t)) / np.abs(y).max(axis=0)).max())


@pytest.mark.filterwarnings("ignore::zeromass.errors.FewDigits")
@pytest.mark.parametrize("count", [30, pytest.param(600, marks=pytest.mark.slow)])
def test_claims_are_true(count):
    """Never half a digit more than the error leaves, hardly ever any more, and mostly no more than a digit less."""
    found = [(run.certificate().digits, max(0.0, -np.log10(error))) for run, error in known_runs(count, seed=7)]
    above = np.array([claimed - true for claimed, true in found])
    assert above.max() < 0.5
    assert np.mean(above > 0.05) < 0.02  # 3 of 1200 when the factor of the difference was chosen
    assert np.mean(above < -1.0) < 0.1
    assert np.median(above) > -0.5


def weight(measured_from: float, **settings):
    """A weight of 9.81 N that hangs at rest in a spring of 100 N/m and 0.3 m: the spring is 0.3981 m long."""
    hanging = zm.System(kinetic=v**2 / 2, potential=50 * (x + measured_from - 0.3) ** 2 - 9.81 * x)
    return zm.simulate(hanging, hanging.start({x: 0.3981 - measured_from, v: 0.0}), until=10.0, **settings)


@pytest.mark.parametrize("measured_from", [0.0, 0.1, 0.3981])
def test_what_is_zero_but_for_rounding_takes_no_digits(measured_from):
    """At rest the rates are round-off, some 1e-14 m/s; measured from where it rests, so is the place."""
    run = weight(measured_from)
    assert 0 < np.abs(run.y[:, 1]).max() < 1e-11
    assert run.certificate().digits > (12 if measured_from < 0.3 else 5)


def test_a_motion_may_be_as_small_as_its_tolerance():
    """A spring of no length let go at 1e-13 m, which is atol: there is no other scale, and digits are those of its error."""
    spring = zm.System(kinetic=v**2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1e-13, v: 0.0}), until=10.0)
    error = np.abs(run[x] - 1e-13 * np.cos(run.t)).max() / 1e-13
    with pytest.warns(FewDigits):
        assert run.certificate().digits < 0.5 - np.log10(error)
    assert error > 0.01


def test_a_second_run_in_parts_is_the_second_run(monkeypatch):
    """Steps of given length are the same whether or not they are made at once; chosen ones come as near."""
    module = sys.modules["zeromass.analysis.certificate"]
    for settings, near in (({"method": "fixed", "step": 0.5}, 1e-6), ({"rtol": 1e-8, "atol": 1e-10}, 0.1)):
        whole = oscillation(until=6.0, **settings).certificate()
        with monkeypatch.context() as patch:
            patch.setattr(module, "LONG", 7)
            run = oscillation(until=6.0, **settings)
            parts = run.certificate()
            assert len([*module._second(run, module._closer(run, parts.tighter_rtol))]) == -(-(len(run) - 1) // 7)
        assert parts.error == pytest.approx(whole.error, rel=near)
        assert parts.digits == pytest.approx(whole.digits, abs=near)
        assert parts.parting == ""


def test_a_part_that_ends_elsewhere_is_named(monkeypatch):
    module = sys.modules["zeromass.analysis.certificate"]
    course = module.course  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "LONG", 7)
    monkeypatch.setattr(module, "course", lambda *given: course(*given, events={"over the edge": x - 0.5}))
    with pytest.warns(FewDigits, match="over the edge"):
        trust = oscillation(until=6.0, rtol=1e-8).certificate()
    assert trust.digits == 0
    assert trust.error == np.inf


MILLIONS = """
import resource
import zeromass as zm

def held():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

x = zm.coordinate("x")
spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
run = zm.simulate(spring, spring.start({x: 1.0}), until=3000.0, method="fixed", step=1e-3)
before = held()
digits = run.certificate().digits
print(len(run), digits, (held() - before) / 1024)
"""


@pytest.mark.slow
def test_a_certificate_takes_no_more_memory_for_more_steps():
    """The second run has 6 million steps, 400 MiB and more if they were all held; 11 million take as much as 3."""
    done = subprocess.run([sys.executable, "-c", MILLIONS], capture_output=True, text=True, check=True)
    steps, digits, megabytes = map(float, done.stdout.split())
    assert steps >= 3e6
    assert digits > 5
    assert megabytes < 330


def touching_spring(**settings):
    """A mass on a spring of stiffness 20 N/m and length 1 m, let go 2 m from its end: it just reaches the other end.

    There the force changes its sign at once, and E = 10 J all the time.
    """
    spring = zm.System(kinetic=v**2 / 2, potential=10 * (np.sqrt(x**2) - 1.0) ** 2)
    return zm.simulate(spring, spring.start({x: 2.0, v: 0.0}), until=5.0, **settings)


def test_a_spring_whose_length_touches_zero_is_caught():
    run = touching_spring(method="fixed", step=0.1)
    with pytest.warns(FewDigits, match="digits of the run can be trusted"):
        trust = run.certificate()
    assert trust.digits < 2
    energy = run.at(np.linspace(0, 5, 5001))[run.system.energy]
    # kinetic energy is at most 10 J; the places of Gauss's rule may miss the very worst
    assert trust.work.imbalance > 0.5 * np.abs(energy - 10).max() / 10


def fastest_step(run: zm.Run) -> int:
    return int(np.argmax(np.abs(run.at((run.t[:-1] + run.t[1:]) / 2)[v])))


def spoilt(run: zm.Run, by: float) -> zm.Run:
    """The same run at the ends of its steps, with all rates wrong by a factor 1 + by in the middle of its fastest step."""
    (segment,) = run.segments
    inside, n = segment.dense.polynomials().copy(), segment.y.shape[1] // 2
    step, steps = fastest_step(run), len(inside)
    bump = np.zeros(DEGREE + 1)
    bump[[0, 2]] = 2 / 3, -2 / 3  # 4θ(1 − θ) in Legendre's polynomials
    middle = segment.dense(np.array([segment.t[step : step + 2].mean()]))[0]
    assert inside.shape == (steps, DEGREE + 1, 2 * n)
    inside[step, :, n:] += by * bump[:, None] * middle[n:]
    return zm.Run((dataclasses.replace(segment, inside=inside),))


def test_the_energy_is_looked_at_between_steps():
    """Rates too large by δ have 2δ more of the kinetic energy there: the state has an error of δ, and no digit more."""
    good = oscillation(until=3.0, rtol=1e-12, atol=1e-14)
    step = fastest_step(good)
    there = good.at(good.t[step : step + 2].mean())[v**2 / 2][0]
    for δ in (1e-9, 1e-6):
        trust = certificate_without_warning(spoilt(good, δ))
        assert trust.work.gap < 1e-11  # at the steps nothing is to be seen
        kinetic = good.at(np.linspace(0, 3, 1001))[v**2 / 2].max()
        assert trust.work.imbalance == pytest.approx(2 * δ * there / kinetic, rel=0.1)  # the places miss the middle
        assert trust.errors.energy == pytest.approx(trust.work.imbalance / 2, rel=1e-3)
        assert trust.digits < -np.log10(trust.errors.energy) + 1e-9
        assert "energy" in trust.limited_by or "two runs" in trust.limited_by


def certificate_without_warning(run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewDigits)
        return certificate(run)


def test_an_imbalance_that_the_tolerance_does_not_explain_is_a_warning():
    run = spoilt(oscillation(until=3.0, rtol=1e-12, atol=1e-14), 1e-4)
    with pytest.warns(FewDigits, match="out of balance by .* rtol = 1e-12 does not explain"):
        trust = run.certificate()
    assert trust.digits > 2
    assert str(trust).endswith(f"warning: {trust.warning}")


def test_no_warning_for_a_good_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trust = oscillation().certificate()
    assert trust.warning == trust.parting == ""
    assert f"digits to trust: {trust.digits:.1f} (limited by {trust.limited_by})" in str(trust)


def test_each_part_can_limit_the_digits():
    names = [field.name for field in dataclasses.fields(zm.analysis.Errors)]
    assert names == ["runs", "energy", "constraints", "rounding"]
    trust = oscillation().certificate()
    words = set()
    for name in names:
        worse = dataclasses.replace(trust, errors=dataclasses.replace(trust.errors, **{name: 1e-3}))
        assert worse.digits == pytest.approx(3.0)
        words.add(worse.limited_by.removesuffix(" between steps"))
    assert words == {"the difference of two runs", "the energy", "the constraints", "rounding"}


def test_digits_do_not_hide_drift_from_the_constraints():
    """A pendulum whose rod has grown by a part δ is at least δ from where it could be."""
    bob = zm.Particle("bob", 0.7)
    system = zm.System([bob], gravity=9.81, constraints={"rod": (bob.position @ bob.position - 1) / 2})
    start = system.start([(bob.position, (0.6, 0.0, -0.8)), (bob.velocity, (0.0, 1.3, 0.0))])
    run = zm.simulate(system, start, until=5.0, rtol=1e-7, atol=1e-9, project=False)
    trust = run.certificate()
    length = np.sqrt(run.at(np.linspace(0, 5, 401))[bob.position @ bob.position])
    assert trust.errors.constraints > 0.5 * np.abs(length - 1).max() > 1e-10
    projected = zm.simulate(system, start, until=5.0, rtol=1e-7, atol=1e-9).certificate()
    assert projected.errors.constraints < 1e-14


def test_a_second_run_that_can_not_be_closer_is_another_one():
    """At a tolerance of rounding two runs were the same to the last bit, and nothing was learnt from them."""
    trust = zm.simulate(UNSTABLE, UNSTABLE.start({x: 1.0, v: -0.5}), until=8.0, rtol=2e-15, atol=1e-18).certificate()
    assert trust.tighter_rtol == trust.rtol
    assert 0 < trust.error < 1e-11


def test_a_coordinate_that_stays_at_zero_costs_no_digits():
    """Its numbers are rounding, of which two runs need not share a digit."""
    p = zm.Particle("p", 1.0)
    tilted = np.array([1.0, 2.0, 3.0]) / np.sqrt(14)
    flat = np.cross(tilted, (1.0, 0.0, 0.0))
    system = zm.System([p], potential=2 * p.position @ p.position, constraints={"plane": p.position @ tilted})
    start = system.start([(p.position, flat), (p.velocity, 0.0)])
    run = zm.simulate(system, start, until=5.0)
    assert 0 < np.abs(run.y[:, 0]).max() < 1e-14 or np.all(run.y[:, 0] == 0)
    assert run.certificate().digits > 8


@pytest.fixture
def second_settings(monkeypatch) -> list[Settings]:
    """How certificates make their second runs."""
    made: list[Settings] = []
    module = sys.modules["zeromass.analysis.certificate"]
    course = module.course  # type: ignore[attr-defined]

    def noted(system, start, until, settings):
        made.append(settings)
        return course(system, start, until, settings)

    monkeypatch.setattr(module, "course", noted)
    return made


def test_the_second_run_is_made_as_the_first(second_settings):
    limits = zm.Limits(growth=50.0, changes=7)
    run = oscillation(longest_step=0.02, limits=limits, transitions=False, project=False, method="dop853", rtol=1e-8)
    run.certificate()
    (second,) = second_settings
    kept = {**second}
    assert kept.pop("rtol") == pytest.approx(1e-10)
    assert kept.pop("atol") == pytest.approx(run.settings.atol / 100)
    assert kept == {name: run.settings[name] for name in kept}


def test_events_of_the_system_stop_the_second_run_too():
    """A ball that leaves a sphere does so in both runs, and the digits are those of the way until then."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0))
    start = ball.start(contact=(0.3, 0.0), guess=1.0)
    run = zm.simulate(ball, start, until=5.0)
    assert run.outcome.ending == "event"
    trust = run.certificate()
    assert trust.parting == ""
    assert trust.digits > 6


def test_a_second_run_that_ends_elsewhere_is_named(monkeypatch):
    """Where the run at tighter tolerance stops at an edge that the run has not met, no digit is confirmed."""
    module = sys.modules["zeromass.analysis.certificate"]
    course = module.course  # type: ignore[attr-defined]
    edge = {"over the edge": x - 0.5}
    monkeypatch.setattr(module, "course", lambda *given: course(*given, events=edge))
    with pytest.warns(FewDigits, match="over the edge"):
        trust = oscillation(until=6.0).certificate()
    assert trust.parting.startswith("the run at tighter tolerance ends at another place or time, event at t = ")
    assert trust.parting in str(trust)
    assert trust.digits == 0
    assert trust.error == np.inf


def test_another_kind_of_motion_is_named():
    from zeromass.analysis.digits import parting

    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2)
    thrown = ball.slipping.start(
        [(ball.contact, 0.0), (ball.center_particle.velocity, (1.0, 0.0, 0.0)), (ball.body.angular_velocity, 0.0)]
    )
    slips_and_rolls = zm.simulate(ball, thrown, until=1.0)
    begin = slips_and_rolls.changes[0]
    first, second = slips_and_rolls.segments
    lifted = dict.fromkeys(ball.unilateral.modes, 0.0)
    flies = zm.Run((first, dataclasses.replace(second, piece=dataclasses.replace(second.piece, modes=lifted))))
    assert parting(slips_and_rolls, slips_and_rolls) == ""
    words = parting(slips_and_rolls, flies)
    at = f"from t = {begin:.6g} s on"
    assert words == f"the run is rolling {at}, the run at tighter tolerance flying {at}"


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
def test_a_run_that_stopped_is_judged_by_its_good_part():
    """x with ẍ = −1/(2√x) from rest at 1 gets to zero at 4√2/3 s; as much as there is has digits."""
    falling = zm.System(kinetic=v**2 / 2, potential=np.sqrt(x))
    run = zm.simulate(falling, falling.start({x: 1.0}), until=10.0)
    assert not run.outcome.complete
    trust = run.certificate()
    assert trust.parting == ""
    assert trust.digits > 4


def test_the_command_line_shows_the_warning(tmp_path, capsys):
    from typer.testing import CliRunner

    from zeromass.cli import app

    scenario = tmp_path / "spring.toml"
    scenario.write_text(SPRING)
    words = ["run", str(scenario), "--out", str(tmp_path / "out"), "--no-plots", "--no-viewer"]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 4, shown.output
    assert "can be trusted" in " ".join(shown.output.split())
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["certificate"]
    assert found["digits"] < 2
    assert found["warning"] in " ".join(shown.output.split())
    assert set(found["errors"]) == {"runs", "energy", "constraints", "rounding"}
    assert found["limited_by"]
    assert found["parting"] == ""


SPRING = """
[scenario]
name = "a spring whose length touches zero"

[system]
coordinates = ["x"]
kinetic = "x'**2/2"
potential = "10*(sqrt(x**2) - 1)**2"

[system.start]
x = 2
"x'" = 0

[run]
until = 5
method = "fixed"
step = 0.1
"""
