"""Systems that are joined: bodies that roll on surfaces keep their motion, their names, events and forces."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

BOWL = zm.Surface(lambda X, Y: (X**2 + Y**2) / 2, name="bowl")


def rolling(name: str, radius: float = 0.1, **options) -> zm.Rolling:
    return zm.Rolling(zm.bodies.ball(radius, 0.5, name=name), on=options.pop("on", BOWL), **options)


def began(whole: zm.System, *starts: zm.State) -> zm.State:
    """The start of joined systems in which each is as it would be alone."""
    return whole.start([pair for s in starts for pair in ((s.system.coordinates, s.q), (s.system.rates, s.v))])


def three() -> tuple[list[zm.Rolling], list[zm.State]]:
    bodies = [rolling("red"), rolling("blue", 0.12), rolling("green", 0.15)]
    places = ((0.5, 0.0), (-0.3, 0.1), (0.1, 0.4))
    return bodies, [one.start(contact=place, velocity=(0.1, 0.4)) for one, place in zip(bodies, places, strict=True)]


@pytest.mark.parametrize("nested", [False, True])
def test_bodies_that_roll_beside_one_another_move_as_each_alone(nested):
    bodies, starts = three()
    whole = zm.join(zm.join(*bodies[:2]), bodies[2]) if nested else zm.join(*bodies)
    assert len(set(whole.names)) == len(whole.names) == 39
    assert [part.name for part in whole.parts][::3] == ["red", "blue", "green"]
    assert [part.name for part in whole.parts][1::3] == ["red contact", "blue contact", "green contact"]
    run = zm.simulate(whole, began(whole, *starts), until=2.0, rtol=1e-12, atol=1e-12)
    assert run.outcome.complete
    for body, start in zip(bodies, starts, strict=True):
        alone = zm.simulate(body, start, until=2.0, rtol=1e-12, atol=1e-12)
        q = body.coordinates  # steps differ: each run is within some hundred rtol of the motion
        assert run.state(2.0)[q] == pytest.approx(alone.state(2.0)[q], rel=0.0, abs=1e-9)
        assert run.state(1.3)[body.normal_force] == pytest.approx(alone.state(1.3)[body.normal_force], rel=1e-8)


def test_a_rolling_body_alone_keeps_its_names():
    body = rolling("red")
    assert body.names == tuple(x.name for x in body.coordinates)
    assert zm.join(body).names == body.names
    assert [row.name for row in zm.join(body).rows] == [row.name for row in body.rows]


def test_systems_with_the_same_names_are_joined_by_names_of_their_own():
    a, b = rolling("ball"), rolling("ball")
    with pytest.raises(zm.errors.ModelError, match=r"two parts have the name 'ball'.*zm\.join\(left=…, right=…\)"):
        zm.join(a, b)
    whole = zm.join(left=a, right=b)
    assert {"left ball.x", "right ball.x", "left contact.z", "right center.y"} <= set(whole.names)
    assert "left ball unit quaternion" in whole.reaction
    again = zm.join(first=whole, second=zm.join(left=rolling("ball"), right=rolling("ball")))
    assert {"first left ball.x", "second right contact.z"} <= set(again.names)
    with pytest.raises(zm.errors.ModelError, match="'ball' is in two of the systems"):
        zm.join(left=a, right=a)


def rod(**options) -> tuple[zm.Rolling, zm.Rolling, zm.System, zm.State]:
    """Two balls on an incline whose centres stay 1 m apart."""
    a, b = (rolling(name, on=zm.surfaces.plane(0.2), **options) for name in ("red", "blue"))
    between = a.center - b.center
    whole = zm.join(a, b, constraints={"rod": (between @ between - 1.0) / 2})
    prescribed = [(a.contact[:2], (0.0, 0.0)), (b.contact[1], 0.0), (a.center_particle.velocity[:2], (0.0, 0.3))]
    prescribed += [(b.center_particle.velocity[1], -0.2), (a.spin, 0.0), (b.spin, 0.0)]
    return a, b, whole, whole.start(prescribed, guess=[(part.position[0], 1.0) for part in b.parts])


def test_forces_of_surfaces_leave_those_between_the_bodies_out():
    a, b, whole, start = rod()
    run = zm.simulate(whole, start, until=1.0, rtol=1e-11)
    assert run.outcome.complete
    state = run.state(0.7)
    pull = state[whole.reaction["rod"]]
    assert np.abs(pull).max() > 0.01  # N: it is not idle
    for body, contact in zip((a, b), whole.contacts, strict=True):
        # the rod acts at the centre: I ω̇ = (P − O) × F is of the surface alone
        F = state[contact.normal_force] * state[contact.normal] + state[contact.friction_force]
        inertia = state[body.body.inertia[0, 0]]
        spun = inertia * state[zm.rate(body.body.angular_velocity)]
        assert np.cross(state[body.contact - body.center], F) == pytest.approx(spun, abs=1e-12)
        rest = 0.5 * state[zm.rate(body.body.velocity)] - F - np.array([0.0, 0.0, -0.5 * 9.81])
        mine = [whole.index(x) for x in (*body.body.position, *body.center, *body.contact)]
        assert rest == pytest.approx(pull[mine].reshape(3, 3).sum(axis=0), abs=1e-12)
    assert start[whole.energy] == pytest.approx(state[whole.energy], rel=1e-9)


def hung(pull: float) -> tuple[zm.Rolling, zm.System, zm.State]:
    """A ball on a floor that a spring pulls up with some force to a ball on a shelf above it."""
    a = rolling("low", on=zm.surfaces.plane())
    b = rolling("high", on=zm.Surface(lambda X, Y: 2.0 + 0.0 * X, name="shelf"))
    spring = zm.Spring(pull / 2.0, a.center, b.center)
    whole = zm.join(a, b, forces=spring)
    alone = [one.start(contact=(0.0, 0.0), velocity=(0.0, 0.0)) for one in (a, b)]
    return a, whole, began(whole, *alone)


def test_forces_between_systems_lift_a_body_off_its_surface():
    _, whole, start = hung(3.0)
    low, high = whole.contacts
    weight = 0.5 * 9.81
    assert start[low.normal_force] == pytest.approx(weight - 3.0, rel=1e-12)
    assert start[high.normal_force] == pytest.approx(weight + 3.0, rel=1e-12)
    _, whole, start = hung(5.0)
    ended = zm.simulate(whole, start, until=1.0)
    assert ended.t[-1] == 0.0
    assert "low contact lost" in str(ended.outcome)


def test_further_constraints_keep_the_events_of_a_rolling_body():
    body = rolling("red", on=zm.surfaces.sphere(1.0))
    straight = body.with_constraints({"straight": body.contact[1]})
    own = body.start(contact=(0.1, 0.0, np.sqrt(0.99)), velocity=(0.0, 0.0))
    run, alone = zm.simulate(straight, began(straight, own), until=5.0), zm.simulate(body, own, until=5.0)
    assert "contact lost" in str(run.outcome)
    assert run.t[-1] == pytest.approx(alone.t[-1], rel=1e-6)  # the motion is straight by itself


def test_bodies_slip_and_roll_as_parts_of_a_joined_system():
    """Each as alone: one slips, as it needs 2/7 tan 0.6 = 0.195, others roll."""
    plane = zm.surfaces.plane(0.6)
    a, b, c = (rolling(name, on=plane, friction=μ) for name, μ in (("red", 0.19), ("blue", 0.5), ("white", None)))
    whole = zm.join(a, b, c)
    starts = [one.start(contact=(0.0, y), velocity=(0.0, 0.0)) for one, y in ((a, 0.0), (b, 0.5), (c, 1.0))]
    run = zm.simulate(whole, began(whole, *starts), until=1.0)
    assert run.modes == ("red on plane slipping, blue on plane rolling",)
    for one, start in zip((a, b, c), starts, strict=True):
        alone = zm.simulate(one, start, until=1.0)
        assert run.state(1.0)[one.center] == pytest.approx(alone.state(1.0)[one.center], abs=1e-9)


def test_energy_rows_take_no_forces_between_systems():
    b = rolling("blue", on=zm.surfaces.plane(0.6))
    steady = rolling("steady", conserve_energy=True)
    assert len(zm.join(steady, b).rows) == len(steady.rows) + len(b.rows)
    with pytest.raises(zm.errors.ModelError, match="'steady' has conserve_energy=True"):
        zm.join(steady, b, constraints={"together": steady.spin - b.spin})


def test_contacts_of_a_joined_system_open_and_close():
    """A ball falls by 0.2 m on a floor while another one rolls: it lands after √(2 h/g)."""
    green = zm.Contacts(zm.bodies.ball(0.1, 0.5, name="green"), on=[zm.surfaces.plane()], restitution=0.5)
    red = rolling("red")
    whole = zm.join(red, green)
    start = began(whole, red.start(contact=(0.3, 0.0), velocity=(0.0, 0.2)), green.start(center=(0.0, 0.0, 0.3)))
    run = zm.simulate(whole, start, until=0.3)
    assert run.changes == pytest.approx([np.sqrt(2 * 0.2 / 9.81)], abs=1e-10)
    assert run.modes[0].endswith("plane open")


def test_joined_runs_are_saved_loaded_and_swept(tmp_path):
    speed = zm.parameter("speed", 0.3)
    a, b = rolling("red"), rolling("blue")
    whole = zm.join(a, b, constraints={"gear": a.spin + b.spin})
    wanted = [(a.contact[:2], (0.4, 0.0)), (b.contact[:2], (-0.3, 0.0)), (a.spin, 1.0)]
    wanted += [(a.center_particle.velocity[:2], (0.0, speed)), (b.center_particle.velocity[:2], (0.0, -0.2))]
    start = whole.start(wanted, parameters={speed: 0.3})
    run = zm.simulate(whole, start, until=0.5)
    assert run.state(0.5)[b.spin] == pytest.approx(-run.state(0.5)[a.spin], abs=1e-9)
    loaded = zm.load(run.save(tmp_path / "run.nc"))
    assert loaded.system.names == whole.names
    assert loaded.y.tobytes() == run.y.tobytes()
    assert [event.name for event in loaded.system.events] == [event.name for event in whole.events]
    assert loaded.required_friction().value == run.required_friction().value
    assert list(run.to_xarray().coordinate.values) == list(whole.names)
    again = zm.simulate(loaded.system, loaded.state(0.0), until=0.5)
    assert again.y.tobytes() == run.y.tobytes()
    study = zm.sweep(whole, start, over={speed: [0.2, 0.3]}, until=0.5, keep={"place": a.contact})
    assert study.place.isel(speed=1).values.ravel() == pytest.approx(run.state(0.5)[a.contact], abs=1e-7)
