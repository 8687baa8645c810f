"""Bodies on surfaces in files and pickles: what comes back is of the same kind and moves in the same way, bit for bit."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.model.record import from_record, to_record
from zeromass.report.viewer.scene import scene

SETTINGS = {"rtol": 1e-10, "until": 0.5}
NOTHING = {"names": ["run"], "shapes": {}, "lines": [], "trails": None, "plots": None, "fps": 20.0}


def grid_of_heights() -> zm.Surface:
    x = y = np.linspace(-1.0, 1.0, 21)
    return zm.Surface.from_heights(x, y, 0.3 * np.add.outer(x**2, y**2))


def pushed(rolling: zm.Rolling) -> list:
    body = rolling.body
    return [zm.Force((0.1, 0.0, 0.0), at=body.point((0.0, 0.0, 0.02))), zm.Spring(2.0, body.position, length=0.1)]


ω = zm.parameter("ω", 2.0)
BODIES = {
    "shell": lambda: zm.Rolling(
        zm.bodies.two_material_shell(0.09, 0.08, (7874, 10490)), on=zm.surfaces.dimpled_bowl(), friction=0.16
    ),
    "moving, drawn along and pushed": lambda: zm.Rolling(
        zm.bodies.ball(0.1, 0.5),
        on=zm.surfaces.sphere(
            1.0,
            inside=True,
            shift=(0.1 * np.cos(ω * zm.t), 0, 0),
            rotation=((0, 0, 1.0), ω * zm.t),
            velocity=lambda p: (0.1 * p[1], 0.2, 0.0),
        ),
        no_spin=True,
        forces=pushed,
    ),
    "measured": lambda: zm.Rolling(
        zm.bodies.ball(0.05, 0.2), on=grid_of_heights(), two_sided=True, conserve_energy=True
    ),
    "on a belt": lambda: zm.Rolling(
        zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.1 * X**2, velocity=(0.3, 0, 0)), gravity=(0.1, 0, -9.81)
    ),
}
START = {"contact": (0.4, 0.1), "velocity": (0.3, 0.2)}


def started(rolling: zm.Rolling) -> zm.State:
    return rolling.start(**START, guess=-1.0 if rolling.surface.name == "sphere" else 0.0)


@pytest.fixture(params=BODIES)
def rolling(request) -> zm.Rolling:
    return BODIES[request.param]()


def through_file(system: zm.System) -> zm.System:
    """Through the text that a file has of it; grids are numbers in the file."""
    record, grids = to_record(system)
    return from_record(json.loads(json.dumps(record)), grids)


WAYS = {"file": through_file, "pickle": lambda x: pickle.loads(pickle.dumps(x)), "deep copy": copy.deepcopy}
ways = pytest.mark.parametrize("way", few(WAYS.values()), ids=WAYS)


@ways
def test_a_rolling_body_comes_back(rolling, way):
    """Same kind, same start, same motion, same contact forces, same events in the same words, same picture."""
    again = way(rolling)
    assert type(again) is zm.Rolling
    assert again is not rolling
    run, other = (zm.simulate(system, started(system), **SETTINGS) for system in (rolling, again))
    assert np.array_equal(other.y, run.y)
    assert str(other.outcome) == str(run.outcome)
    assert other.required_friction() == run.required_friction()
    assert other.pulling() == run.pulling()
    assert np.array_equal(other[again.normal_force], run[rolling.normal_force])
    assert [e.name for e in again.events] == [e.name for e in rolling.events]
    assert scene([other], **NOTHING) == scene([run], **NOTHING)
    tight = next(event for event in again.events if event.name == "hollow too tight")
    assert "radius of curvature" in tight.words(started(again))


@ways
def test_a_slipping_body_comes_back(way):
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2, forces=pushed)
    again = way(rolling)
    assert type(again) is zm.Rolling
    assert [one.name for one in again.unilaterals] == [one.name for one in rolling.unilaterals] == ["ball on plane"]

    def motion(ball: zm.Rolling) -> zm.Run:
        thrown = [
            (ball.contact, 0.0),
            (ball.center_particle.velocity, (1.0, 0.2, 0.0)),
            (ball.body.angular_velocity, 0),
        ]
        return zm.simulate(ball, ball.slipping.start(thrown), until=0.3, rtol=1e-10)

    ours, theirs = motion(rolling), motion(again)
    assert ours.modes[0] == "slipping"
    assert ours.modes == theirs.modes
    assert np.array_equal(ours[rolling.contact], theirs[again.contact])


def test_a_rolling_body_that_came_back_slips_as_the_first(tmp_path):
    """The run of a file goes on in another kind of motion, and knows the friction that it needed."""
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(0.6), friction=0.25)
    start = rolling.start(contact=(0.6 * np.sin(0.3), 0), guess=0.6)
    run = zm.simulate(rolling, start, until=1.0)
    assert run.modes == ("rolling", "slipping")
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    here = run.changes[0] - 0.01
    ours, theirs = (zm.simulate(one.system, one.state(here), until=0.6) for one in (run, again))
    assert ours.modes == ("rolling", "slipping")
    assert np.array_equal(ours.y, theirs.y)


def test_files_of_the_first_version_still_load():
    """They hold a plain system: no kind, no events, nothing of its own."""
    rolling = BODIES["shell"]()
    record, grids = to_record(rolling)
    old = {name: value for name, value in record.items() if name not in ("kind", "events", "own")} | {"version": 1}
    system = from_record(json.loads(json.dumps(old)), grids)
    assert type(system) is zm.System
    start = started(rolling)
    state = zm.State(system, start.t, start.q, start.v, {})
    ours, theirs = zm.simulate(rolling, start, **SETTINGS), zm.simulate(system, state, **SETTINGS)
    assert np.array_equal(ours.y, theirs.y)
    assert system.quantities.keys() == rolling.quantities.keys()
    assert pickle.loads(pickle.dumps(system)).quantities.keys() == rolling.quantities.keys()


def test_another_program_reads_the_same_bits(tmp_path):
    """Where no expression is known yet, and all are of another age."""
    rolling = BODIES["shell"]()
    run = zm.simulate(rolling, started(rolling), **SETTINGS)
    (tmp_path / "body").write_bytes(pickle.dumps(rolling))
    run.save(tmp_path / "run.nc", certificate=False)
    program = f"""
import pickle, sys, zeromass as zm
for system in (zm.load(sys.argv[1] + "/run.nc").system, pickle.load(open(sys.argv[1] + "/body", "rb"))):
    print(zm.simulate(system, system.start(**{START!r}), **{SETTINGS!r}).y.tobytes().hex())
"""
    told = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [run.y.tobytes().hex()] * 2


@pytest.mark.parametrize(
    "surface",
    [
        zm.surfaces.torus(1.0, 0.3),
        zm.Surface(lambda X, Y: 0.1 * X**2 * np.sin(zm.t), rotation=((0, 1, 0), 0.1 * zm.t)),
        zm.Surface(lambda X, Y: ω * X * Y, velocity=lambda p: (p[1], 0, zm.t)),
        grid_of_heights(),
    ],
    ids=["torus", "waving", "with a parameter", "measured"],
)
def test_surfaces_come_back(surface):
    """Formulas, on expressions and on numbers."""
    again = pickle.loads(pickle.dumps(surface))
    assert type(again) is type(surface)
    assert again.f is surface.f
    p = zm.Particle("p", mass=1.0).position
    for name in ("velocity", "normal"):
        assert np.array_equal(getattr(again, name)(p), getattr(surface, name)(p))
    points = np.random.default_rng(0).normal(scale=0.3, size=(3, 5))
    ours, theirs = surface.shape(*points), again.shape(*points)
    if ours.dtype == object:
        values = {zm.t: 0.7}
        ours, theirs = ([zm.expression.evaluate(e, values) for e in array] for array in (ours, theirs))
    assert np.allclose(ours, theirs, rtol=1e-15)
    assert again.moves == surface.moves


def test_a_velocity_that_is_no_formula_is_refused_where_it_is_given():
    def measured(p):
        return 0.1 * float(p[0]), 0.0, 0.0

    with pytest.raises(zm.errors.ModelError, match=r"velocity of 'belt' .*formula"):
        zm.Surface(lambda X, Y: 0.1 * X**2, velocity=measured, name="belt")


def test_parts_forces_events_and_states_are_pickled():
    ball, bob = zm.RigidBody("ball", mass=1.0, inertia=(0.1, 0.2, 0.25)), zm.Particle("bob", mass=0.5)
    acting = [
        zm.Force((1.0, 0.0, 0.0), at=ball.point((0.1, 0.0, 0.0))),
        zm.Torque((0.0, 0.1, 0.0), on=ball),
        zm.Spring(3.0, ball.position, bob.position),
        zm.Damper(0.3, ball.position, bob.position),
        {bob.position[0]: 0.2},
    ]
    system = zm.System([ball, bob], gravity=9.81, forces=acting)
    system.events = (zm.Event("level", bob.position[2], terminal=False),)
    state = system.start([(ball.position, (1.0, 0.0, 0.0)), (bob.velocity, (0.0, 0.1, 0.0))])
    _ = state.motion, system.quantities, system.drawing  # what was computed stays behind
    state, kept = pickle.loads(pickle.dumps((state, acting)))
    assert not {"motion", "matrices"} & vars(state).keys()
    assert state.system.events == system.events
    again = zm.System(state.system.parts, gravity=9.81, forces=kept)
    assert all(a is b for a, b in zip(again.Q, system.Q, strict=True))
    run, other = (zm.simulate(s.system, s, until=0.3) for s in (system.start(state_of(state, system)), state))
    assert np.array_equal(run.y, other.y)


def state_of(state: zm.State, system: zm.System) -> dict:
    return dict(zip([*system.coordinates, *system.rates], [*state.q, *state.v], strict=True))
