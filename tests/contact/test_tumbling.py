"""Bodies with ends and faces that tumble in flight: another end is the lowest, none is where a face is level, and all land.

About a principal axis across gravity a free body turns at a constant rate while its centre falls on a parabola, so that the
time at which its lowest point comes down is the root of one equation, whatever the shape.
"""

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import zeromass as zm

G, Z, OMEGA, TURNED = 9.81, 0.6, 20.0, 0.3


def round_lever(rim, height, ball):
    return lambda θ: rim * abs(np.sin(θ)) + height * abs(np.cos(θ)) + ball


def cone_lever(radius, height):
    return lambda θ: max(-0.75 * height * np.cos(θ), radius * abs(np.sin(θ)) + 0.25 * height * np.cos(θ))


BODIES = {
    "capsule": (zm.bodies.capsule(0.02, 0.05, 0.1), round_lever(0.0, 0.025, 0.02)),
    "cylinder": (zm.bodies.cylinder(0.02, 0.05, 0.1), round_lever(0.02, 0.025, 0.0)),
    "sharp disc": (zm.bodies.disc(0.02, 0.1), round_lever(0.02, 0.0, 0.0)),
    "disc": (zm.bodies.disc(0.02, 0.1, edge=0.002), round_lever(0.018, 0.0, 0.002)),
    "tyre": (zm.bodies.torus(0.05, 0.01, 0.1), round_lever(0.05, 0.0, 0.01)),
    "cone": (zm.bodies.cone(0.04, 0.1, 0.1), cone_lever(0.04, 0.1)),
}


@pytest.fixture(scope="module")
def thrown():
    return {
        name: zm.Rolling(body, on=zm.surfaces.plane(), gravity=G, friction=0.3, restitution=0.5)
        for name, (body, _) in BODIES.items()
    }


@pytest.mark.parametrize("name", BODIES)
def test_it_lands_when_its_lowest_point_does(thrown, name):
    rolling, lever = thrown[name], BODIES[name][1]
    start = rolling.flying.start(
        center=(0.0, 0.0, Z),
        velocity=(0.5, 0.0, 0.0),
        angular_velocity=(0.0, OMEGA, 0.0),
        orientation=(0.0, TURNED, 0.0),
    )
    run = zm.simulate(rolling, start, until=0.4, rtol=1e-12, atol=1e-14)
    assert run.outcome.complete

    def gap(t):
        return Z - G * t**2 / 2 - lever(TURNED + OMEGA * t)

    times = np.linspace(0.0, 0.4, 4001)
    first = next(k for k, t in enumerate(times) if gap(t) < 0.0)
    lands = brentq(gap, times[first - 1], times[first], xtol=1e-15)
    assert run.impulses[0].t == pytest.approx(lands, abs=1e-11)
    assert all(impulse.energy < 0.0 for impulse in run.impulses)
    before = run.at(np.linspace(0.0, lands, 50))
    assert np.allclose(before[rolling.center[2]], Z - G * before.t**2 / 2, atol=1e-12)
    tilted = np.abs(np.sin(TURNED + OMEGA * before.t)) > 0.03  # in between, no point is the lowest
    assert np.allclose(before[rolling.gap][tilted], [gap(t) for t in before.t[tilted]], atol=1e-11)


@pytest.mark.parametrize("name", ["disc", "cylinder"])
def test_dropped_flat_it_comes_down_on_its_face_by_name(thrown, name):
    rolling = thrown[name]
    run = zm.simulate(rolling, rolling.flying.start(center=(0.0, 0.0, Z)), until=1.0)
    assert run.outcome.ending == "event"
    assert f"'{rolling.solid.name}' lands on a face" in run.outcome.message
    assert run.state(run.t[-1])[rolling.center[2]] == pytest.approx(Z - G * run.t[-1] ** 2 / 2, abs=1e-12)


def test_a_tumbling_flight_is_kept_in_a_file(thrown, tmp_path):
    rolling = thrown["disc"]
    start = rolling.flying.start(
        center=(0.0, 0.0, Z), angular_velocity=(0.0, OMEGA, 0.0), orientation=(0.0, TURNED, 0.0)
    )
    run = zm.simulate(rolling, start, until=0.3)
    assert run.certificate().digits > 8
    run.save(tmp_path / "coin.nc")
    again = zm.load(tmp_path / "coin.nc")
    times = np.linspace(0.0, 0.3, 100)
    assert again.modes == run.modes
    assert np.array_equal(again.at(times).y, run.at(times).y)


def test_a_capsule_tumbles_in_a_room():
    """The same flight between floor and wall as above a floor alone."""
    room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    body = BODIES["capsule"][0]
    thrown = {"center": (0.0, 0.0, Z), "angular_velocity": (3.0, 15.0, -4.0), "orientation": (0.3, 0.2, 0.1)}
    alone = zm.Rolling(body, on=room["floor"], gravity=G, friction=0.3, restitution=0.5)
    both = zm.Contacts(body, on=room, gravity=G, friction=0.3, restitution=0.5)
    one = zm.simulate(alone, alone.flying.start(**thrown), until=0.5, rtol=1e-11, atol=1e-13)
    two = zm.simulate(both, both.start(**thrown), until=0.5, rtol=1e-11, atol=1e-13)
    assert len(one.impulses) == len(two.impulses) > 0
    assert np.allclose([i.t for i in one.impulses], [i.t for i in two.impulses], atol=1e-10)
    assert np.allclose(one.state(0.5)[alone.center], two.state(0.5)[both.center], atol=1e-9)


def test_a_face_along_a_wall_is_named_at_a_start():
    both = zm.Contacts(BODIES["disc"][0], on={"floor": zm.surfaces.plane()}, restitution=0.5)
    with pytest.raises(zm.errors.StartError, match=r"a face of 'disc' is along 'plane'.*tilt it a little"):
        both.start(center=(0.0, 0.0, Z))


@pytest.mark.slow
def test_a_page_of_a_flat_coin_is_alive(tmp_path):
    μ = zm.parameter("mu", 0.3)
    coin = zm.Rolling(zm.bodies.disc(0.1, 0.5), on=zm.surfaces.plane(), friction=μ, restitution=0.5)
    flat = coin.flying.start(center=(0, 0, 1.0), angular_velocity=(3, 0.3, 0))
    run = zm.simulate(flat.system, flat, until=0.3)
    with warnings.catch_warnings(action="error", category=zm.errors.PageLimited):
        assert run.view(tmp_path / "alive.html", sliders={μ: (0.1, 1.0)}).exists()


def test_a_side_that_comes_along_a_hill_is_named():
    """There the nearest point is inside the side, and no end of it is: the words are the body's, not those of a formula."""
    hill = zm.Surface(lambda X, Y: -0.5 * (X**2 + Y**2), name="hill")
    rolling = zm.Rolling(zm.bodies.capsule(0.05, 0.1, 0.5), on=hill, gravity=9.81, friction=0.4, restitution=0.4)
    start = rolling.flying.start(center=(0, 0, 0.4), angular_velocity=(0, 1.3, 0), orientation=(0, 1.2, 0))
    with pytest.warns(zm.errors.RunStopped, match="'capsule' comes to lie on a side"):
        zm.simulate(rolling, start, until=0.5)


@pytest.mark.parametrize("spin", [(2.0, 3.0, 1.0), (-2.0, 3.0, 1.0)])
def test_a_can_thrown_level_flies_on(spin):
    """Both of its ends are the lowest at the start: from there on the one that comes down is. Its centre falls freely."""
    can = zm.Rolling(zm.bodies.cylinder(0.05, 0.2, 0.5), on=zm.surfaces.plane(), gravity=10.0, restitution=0.4)
    start = can.flying.start(center=(0, 0, 1.0), angular_velocity=spin, orientation=(np.pi / 2, 0.0, 0.0))
    run = zm.simulate(can, start, until=0.2)
    assert run.outcome.ending.name == "FINISHED"
    assert run.state(0.2)[can.center][2] == pytest.approx(0.8, abs=1e-12)
    axis, down = run.state(0.2)[can.body.rotation[:, 2]], run.state(0.2)[can.contact]
    assert (down - run.state(0.2)[can.center]) @ axis * np.sign(axis[2]) < 0.0  # of the end that is lower


def test_a_can_that_lands_on_its_side_is_named():
    """It touches in a line, and one stroke at one end of it is none of its motions."""
    can = zm.Rolling(zm.bodies.cylinder(0.05, 0.2, 0.5), on=zm.surfaces.plane(), gravity=10.0, restitution=0.4)
    start = can.flying.start(center=(0, 0, 0.25), orientation=(np.pi / 2, 0.0, 0.0))
    run = zm.simulate(can, start, until=0.5)
    assert "'cylinder' lands on a side, and touches in more than one point" in str(run.outcome)
    assert run.t[-1] == pytest.approx(0.2, abs=1e-12)  # 0.2 m at 10 m/s²
