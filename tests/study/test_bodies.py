"""Parameters in bodies, surfaces and starts: each member is the run of a model with its numbers written in."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.plot import save_figure

CLOSE = {"rel": 1e-9, "abs": 1e-9}
"""Formulas with parameters round otherwise than numbers: steps of rtol 1e-11, and motions that part errors by a few."""

TOLERANCES: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-13}
UNTIL = 1.5


def rolling(body: zm.bodies.SphericalBody | None = None, on: zm.Surface | None = None, **options: Any) -> zm.Rolling:
    bowl = zm.Surface(lambda X, Y: 0.15 * (X**2 + 0.5 * Y**2), name="bowl")
    return zm.Rolling(body or zm.bodies.ball(0.05, 0.3), on=on or bowl, **options)


def dimples(h1: Any) -> zm.Surface:
    return zm.surfaces.dimpled_bowl(h1=h1, h3=0.02, h5=0.08)


MODELS: dict[str, tuple[Callable[[Any], zm.Rolling], list[float]]] = {
    "radius of a ball": (lambda r: rolling(zm.bodies.ball(r, 0.3)), [0.02, 0.05, 0.11]),
    "mass of a ball": (lambda m: rolling(zm.bodies.ball(0.05, m)), [0.1, 2.0]),
    "outside of a shell": (lambda R: rolling(zm.bodies.shell(R, 0.03, 0.3)), [0.03, 0.05, 0.1]),
    "inside of a shell": (lambda r: rolling(zm.bodies.shell(0.05, r, 0.3)), [0.0, 0.03, 0.05]),
    "outside of two halves": (lambda R: rolling(zm.bodies.two_material_shell(R, 0.04, (7874, 10490))), [0.05, 0.1]),
    "a density": (lambda d: rolling(zm.bodies.two_material_shell(0.09, 0.08, (d, 10490))), [0.0, 5000.0, 10490.0]),
    "a moment of inertia": (
        lambda J: rolling(zm.bodies.SphericalBody(0.05, 0.3, (J, 4e-4, 4e-4), (0.01, 0, 0))),
        [2e-4, 6e-4],
    ),
    "the centre of mass": (
        lambda c: rolling(zm.bodies.SphericalBody(0.05, 0.3, (3e-4, 3e-4, 3e-4), (c, 0, c))),
        [0.0, 0.02],
    ),
    "an amplitude of the surface": (lambda h: rolling(on=dimples(h)), [0.0, 0.02, 0.04]),
    "the radius of a sphere": (lambda R: rolling(on=zm.surfaces.sphere(R, inside=True)), [1.5, 3.0]),
    "the axis of a turned plane": (
        lambda a: rolling(on=zm.Surface(lambda X, Y: 0 * X, rotation=((a, 1, 0), 0.2))),
        [0.0, 0.7],
    ),
    "gravity": (lambda g: rolling(gravity=g), [1.6, 9.81]),
    "friction": (lambda μ: rolling(friction=μ), [0.02, 0.05, 0.5]),
    "creep": (lambda c: rolling(friction=0.03, creep=c), [1e-9, 1e-8]),
    "least clearance": (lambda c: rolling(least_clearance=c), [1e-4, 0.995]),
}


def run_alone(model: zm.Rolling, start: zm.State) -> zm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunStopped)
        return zm.simulate(model, start, until=UNTIL, method="dop853", **TOLERANCES)


@pytest.mark.parametrize("what", few(MODELS, 2))
def test_a_member_is_the_run_of_a_model_with_its_number(what: str) -> None:
    made, values = MODELS[what]
    number = zm.parameter("number", values[-1])
    words: dict[str, Any] = {"contact": (0.6, -0.3), "velocity": (0.1, 0.7), "spin": 2.0, "guess": -2.0}
    model = made(number)
    keep = {"end": model.contact, "energy": model.energy, "friction": zm.study.largest(model.friction_ratio)}
    study = zm.sweep(model, model.start(**words), until=UNTIL, over={number: values}, keep=keep, **TOLERANCES)
    for k, value in enumerate(values):
        alone = made(value)
        run = run_alone(alone, alone.start(**words))
        assert study.outcome[k] == run.outcome.ending.value
        assert float(study.end_time[k]) == pytest.approx(run.t[-1], **CLOSE)
        assert study.end[k].values == pytest.approx(run[alone.contact][-1], **CLOSE)
        assert float(study.energy[k]) == pytest.approx(float(run[alone.energy][-1]), **CLOSE)
        largest = run.maximum(alone.friction_ratio).value
        assert float(study.friction[k]) == pytest.approx(largest, rel=1e-7)  # |F_t|/F_n: a quotient of reactions


def test_a_member_has_the_bits_of_its_program() -> None:
    """The same formulas with the same values: nothing but the values may tell a member from a run."""
    r, m = zm.parameter("r", 0.05), zm.parameter("m", 0.3)
    model = rolling(zm.bodies.ball(r, m))
    start = model.start(contact=(0.6, -0.3), velocity=(0.1, 0.7))
    over = {r: np.array([0.02, 0.05]), m: np.array([0.1, 0.4])}
    states = [*model.coordinates, *model.rates]
    study = zm.sweep(model, start, until=UNTIL, over=over, keep={"y": states}, **TOLERANCES)
    program = zm.compile(model, model.start(contact=(0.6, -0.3), velocity=(0.1, 0.7), parameters={r: 0.02, m: 0.1}))
    first = model.start(contact=(0.6, -0.3), velocity=(0.1, 0.7), parameters={r: 0.02, m: 0.1})
    run = zm.simulate(program, first, until=UNTIL, method="dop853", **TOLERANCES)
    assert study.y[0, 0].values == pytest.approx(run.y[-1], abs=1e-12)  # starts to a few roundings
    assert study.steps[0, 0] == run.statistics.steps


STARTS: dict[str, tuple[Callable[[Any], dict[str, Any]], list[float]]] = {
    "velocity": (lambda v: {"contact": (0.6, -0.3), "velocity": (v, 0.2 * v)}, [0.1, 0.9]),
    "contact": (lambda x: {"contact": (x, x**2), "velocity": (0.3, 0.2)}, [0.1, 0.5]),
    "spin": (lambda s: {"contact": (0.6, -0.3), "spin": s}, [-2.0, 5.0]),
    "quaternion": (lambda u: {"contact": (0.6, -0.3), "orientation": (1, 0.02, u, 0)}, [-0.2, 0.3]),
    "turn": (lambda a: {"contact": (0.6, -0.3), "orientation": (0, a, 2 * a)}, [0.0, 0.7]),
}


@pytest.mark.parametrize("what", STARTS)
def test_parameters_stand_in_what_is_said_of_a_start(what: str) -> None:
    said, values = STARTS[what]
    number = zm.parameter("number", values[0])
    model = rolling(zm.bodies.SphericalBody(0.05, 0.3, (3e-4, 3e-4, 3e-4), (0.01, 0.0, 0.0)))
    keep = {"y": [*model.coordinates, *model.rates]}
    study = zm.sweep(
        model, model.start(**said(number)), until=UNTIL, over={number: values}, keep=keep, rtol=1e-11, atol=1e-13
    )
    for k, value in enumerate(values):
        run = run_alone(model, model.start(**said(value)))
        assert study.y[k].values == pytest.approx(run.y[-1], **CLOSE)


@pytest.mark.parametrize(
    ("made", "values", "words"),
    [
        (lambda p: zm.bodies.ball(0.05, p), [-1.0, 0.0, 0.3], "the mass of 'ball' is -1"),
        (lambda p: zm.bodies.ball(p, 0.3), [0.0, 0.05], "the radius of 'ball' is 0"),
        (lambda p: zm.bodies.shell(0.05, p, 0.3), [0.06, 0.04], "the inner radius of 'shell' is 0.06"),
        (
            lambda p: zm.bodies.two_material_shell(0.05, 0.04, (p, 100.0)),
            [-3.0, 7874.0],
            "the density of 'shell' is -3",
        ),
        (lambda p: zm.bodies.SphericalBody(0.05, 0.3, (p, 1e-4, 1e-4)), [1e-3, 1e-4], "triangle inequality"),
        (lambda p: zm.bodies.SphericalBody(0.05, 0.3, (1e-4,) * 3, (0, p, 0)), [0.06, 0.01], "outside the body"),
    ],
)
def test_a_member_with_an_impossible_body_is_named(made: Any, values: list[float], words: str) -> None:
    """And does not keep the others from running, be it the first."""
    p = zm.parameter("p", values[-1])
    model = rolling(made(p))
    study = zm.sweep(model, model.start(contact=(0.6, -0.3)), until=0.2, over={p: values}, keep={"x": model.contact[0]})
    *bad, good = study.outcome.values.tolist()
    assert good == "finished"
    assert set(bad) == {"no start"}
    assert words in study.message.values[0]
    assert f"p = {values[0]:g}" in study.message.values[0]
    with pytest.raises(zm.errors.StartError, match=f"with p = {values[0]:g}"):
        model.start(contact=(0.6, -0.3), parameters={p: values[0]})
    with pytest.raises(zm.errors.StartError, match=f"with p = {values[0]:g}"):
        zm.simulate(model, model.start(contact=(0.6, -0.3)), until=0.2, parameters={p: values[0]})


def test_a_default_that_is_impossible_is_refused_at_once() -> None:
    with pytest.raises(zm.errors.ModelError, match="the mass of 'ball' is -1"):
        zm.bodies.ball(0.05, zm.parameter("m", -1.0))
    with pytest.raises(zm.errors.ModelError, match=r"friction is -0\.1; a coefficient is positive"):
        rolling(friction=zm.parameter("mu", -0.1))
    with pytest.raises(zm.errors.ModelError, match="only parameters may be in it"):
        zm.bodies.ball(0.05, zm.coordinate("q"))


def test_a_mass_of_one_s_own_system_is_looked_at_too() -> None:
    m = zm.parameter("m", 1.0)
    bob = zm.Particle("bob", mass=m)
    falling = zm.System([bob], gravity=9.81)
    study = zm.sweep(
        falling, falling.start({bob.position[2]: 1.0}), until=0.1, over={m: [-1.0, 1.0]}, keep={"z": bob.position[2]}
    )
    assert study.outcome.values.tolist() == ["no start", "finished"]
    assert "the mass of 'bob' is -1" in study.message.values[0]


def test_where_no_member_has_a_start_the_reason_is_raised() -> None:
    m = zm.parameter("m", 1.0)
    model = rolling(zm.bodies.ball(0.05, m))
    with pytest.raises(zm.errors.StartError, match="with m = -1 the mass of 'ball'"):
        zm.sweep(model, model.start(contact=(0.6, -0.3)), until=0.2, over={m: [-1.0, -2.0]}, keep={})


def test_a_run_with_parameters_in_its_body_is_saved_and_drawn(tmp_path: Any) -> None:
    r, m, μ = zm.parameter("r", 0.05), zm.parameter("m", 0.3), zm.parameter("mu", 0.03)
    model = rolling(zm.bodies.shell(r, 0.6 * r, m), friction=μ)
    run = run_alone(model, model.start(contact=(0.6, -0.3), velocity=(0.1, 0.7), parameters={r: 0.1, μ: 0.02}))
    assert "slipping" in run.modes
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    assert np.array_equal(again.y, run.y)
    assert again.system.parameters == run.system.parameters
    for one in (run, again):
        (body,) = one.system.drawing_at(one.parameters).bodies
        assert body.shape.radius == 0.1  # type: ignore[union-attr]
    assert run.view(tmp_path / "run.html").exists()
    save_figure(run.plot.path(), tmp_path / "path.png")
