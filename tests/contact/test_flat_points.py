"""Bodies that are flat where they touch: the contact moves with a power of time below 1, and the run goes through."""

import os
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.rolling_of_superquadrics import Stone, moved
from integrate.node import MISSING, node, over_switches
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.singular.transit import Transit

A, B, C, M, G = 0.1, 0.09, 0.08, 0.5, 9.81
INERTIA = (1.0e-3, 1.2e-3, 1.3e-3)


def superellipse(n: float, **given) -> zm.Rolling:
    """A body whose section y = 0 is |x/a|ⁿ + |z/c|ⁿ = 1, and that is round across it."""

    def power(x):
        return x**n if n % 2 == 0 else (x**2) ** (n / 2)

    body = zm.bodies.convex(
        implicit=lambda x, y, z: power(x / A) + (y / B) ** 2 + power(z / C) - 1,
        mass=M,
        inertia=INERTIA,
        center_of_mass=(0, 0, 0),
        name="stone",
    )
    return zm.Rolling(body, on=zm.surfaces.plane(), gravity=G, **given)


def tumbling(n: float, angle: float, rate: float) -> tuple[zm.Rolling, zm.State]:
    rolling = superellipse(n)
    turn = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    body = rolling.body
    start = [(rolling.contact[:2], (0, 0)), (body.quaternion, turn), (body.angular_velocity, (0, rate, 0))]
    return rolling, rolling.start(start)


# a superellipse in a plane -------------------------------------------------------------------------------------------
def height(θ: np.ndarray, n: float) -> tuple[np.ndarray, np.ndarray]:
    """Support h of a superellipse, turned by θ, and its slope h′: with 1/n + 1/q = 1, h^q = |a sin θ|^q + |c cos θ|^q."""
    q, s, c = n / (n - 1), np.sin(θ), np.cos(θ)
    x, z = np.abs(A * s), np.abs(C * c)
    h = (x**q + z**q) ** (1 / q)
    return h, h ** (1 - q) * (x ** (q - 1) * A * np.sign(s) * c - z ** (q - 1) * C * np.sign(c) * s)


def time_of(θ0: float, θ1: float, rate: float, n: float) -> float:
    """The time from θ0 to θ1 by quadrature: (J + m(h² + h′²)) θ̇²/2 + m g h = E.

    Flat points, where h″ is infinite, are at multiples of π/2; there θ = θ* ± u^(n − 1) has a smooth integrand.
    """
    J = INERTIA[1]
    h, slope = height(np.array(θ0), n)
    E = (J + M * (h**2 + slope**2)) * rate**2 / 2 + M * G * h
    nodes, weights = np.polynomial.legendre.leggauss(200)
    u, du = (nodes + 1) / 2, weights / 2
    flat = np.pi / 2 * np.arange(np.ceil(θ0 / (np.pi / 2)), np.ceil(θ1 / (np.pi / 2)))
    total = 0.0
    for a, b in np.lib.stride_tricks.sliding_window_view([θ0, *flat, θ1], 2):
        for end in (a, b):
            far = (a + b) / 2 - end
            h, slope = height(end + far * u ** (n - 1), n)
            integrand = np.sqrt((J + M * (h**2 + slope**2)) / (2 * (E - M * G * h)))
            total += np.sum(du * integrand * abs(far) * (n - 1) * u ** (n - 2))
    return float(total)


@pytest.mark.parametrize("n", [4, pytest.param(3, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-12])
def test_a_superellipse_rolls_over_its_flat_points_as_quadrature_says(n, rtol):
    """At the end of a second and a half, after five flat points and more; the error is a few times the tolerance."""
    rolling, start = tumbling(n, 0.6, 6.0)
    run = zm.simulate(rolling, start, until=1.5, rtol=rtol, atol=1e-3 * rtol)
    assert run.outcome.complete, run.outcome
    assert run.events == ()
    assert len(run.passages) >= 5
    u = run[rolling.body.quaternion]
    angle = 2 * np.unwrap(np.arctan2(u[:, 2], u[:, 0]))
    assert time_of(0.6, float(angle[-1]), 6.0, n) == pytest.approx(1.5, abs=max(rtol, 2e-12))
    energy = run[rolling.energy]
    assert np.ptp(energy) <= max(rtol, 1e-12) * energy[0]


def test_between_steps_a_superellipse_is_where_quadrature_says():
    """Close to a flat point too, within time's own rounding of it."""
    rolling, start = tumbling(4, 0.6, 6.0)
    run = zm.simulate(rolling, start, until=0.3, rtol=1e-10, atol=1e-13)
    (flat,) = run.passages
    times = np.concatenate([flat.t + s * np.logspace(-14, -1.5, 40) for s in (1.0, -1.0)])
    seen = run.at(times)
    u, ω = seen[rolling.body.quaternion], seen[rolling.body.angular_velocity[1]]
    angles = 2 * np.arctan2(u[:, 2], u[:, 0])
    assert time_of(0.6, np.pi / 2, 6.0, 4) == pytest.approx(flat.t, abs=1e-11)
    found = np.array([time_of(0.6, θ, 6.0, 4) for θ in angles])
    assert np.abs(found - times).max() <= 2e-11
    h, slope = height(angles, 4)
    energy = (INERTIA[1] + M * (h**2 + slope**2)) * ω**2 / 2 + M * G * h
    assert np.ptp(energy) <= 1e-9 * energy[0]  # h′ has an infinite slope: rounding of the angle, 1e-16, is 1e-5 in it


# a superquadric in space ---------------------------------------------------------------------------------------------
def test_a_superquadric_rolls_as_newton_and_euler_say():
    """Another formulation, with the contact point as an unknown and smooth over flat points: both have errors of 1e-12."""
    stone = zm.bodies.superquadric((A, B, C), exponent=4, mass=M)
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G)
    body = rolling.body
    start = rolling.start(contact=(0, 0), velocity=(0.5, 0.1), orientation=(0.7, 0.4, 0.2))
    run = zm.simulate(rolling, start, until=0.6, rtol=1e-12, atol=1e-15)
    assert run.outcome.complete
    assert len(run.passages) >= 2
    own = Stone(np.array([A, B, C]), 4.0, M, np.array(stone.inertia), G)
    other = moved(own, start, 0.6, friction=None, rtol=1e-12)
    end = run.state(0.6)
    assert end[body.rotation] == pytest.approx(other.R, abs=1e-11)
    assert end[body.angular_velocity] == pytest.approx(other.ω, abs=1e-10)
    assert end[rolling.center] - start[rolling.center] == pytest.approx(other.place, abs=1e-12)
    assert np.ptp(run[rolling.energy]) <= 1e-11 * start[rolling.energy]


@pytest.mark.parametrize("n", [4, pytest.param(3, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)])
def test_a_superquadric_slides_on_ice_over_its_flat_points(n):
    """Nothing but the weight and the normal force: horizontal momentum, the moment about the vertical, energy."""
    stone = zm.bodies.superquadric((A, B, C), exponent=n, mass=M)
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G, friction=0.0)
    slipping, body = rolling.slipping, rolling.body
    turn = np.array([0.8, 0.4, 0.3, 0.33])
    start = slipping.start(
        [
            (rolling.contact[:2], (0, 0)),
            (body.quaternion, turn / np.linalg.norm(turn)),
            (body.angular_velocity, (3.0, -2.0, 1.0)),
            (body.velocity[:2], (0.2, 0.1)),
        ]
    )
    run = zm.simulate(rolling, start, until=1.0)
    assert run.outcome.complete, run.outcome
    assert len(run.passages) >= 3
    R, ω = run[body.rotation], run[body.angular_velocity]
    moment = np.einsum("kij,j,klj,kl->ki", R, np.array(stone.inertia), R, ω)[:, 2]
    for law in (run[body.velocity[0]], run[body.velocity[1]], moment, run[rolling.energy]):
        assert np.ptp(law) <= 1e-9 * np.abs(law[0])


def test_a_superquadric_that_slips_with_friction_goes_over_its_flat_points():
    """As with a closer tolerance, and with the energy that friction takes."""
    stone = zm.bodies.superquadric((A, B, C), exponent=4, mass=M)
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G, friction=0.2)
    slipping, body = rolling.slipping, rolling.body
    turn = np.array([0.8, 0.4, 0.3, 0.33])
    start = slipping.start(
        [
            (rolling.contact[:2], (0, 0)),
            (body.quaternion, turn / np.linalg.norm(turn)),
            (body.angular_velocity, (3.0, -2.0, 1.0)),
            (body.velocity[:2], (1.2, 0.1)),
        ]
    )
    runs = [zm.simulate(rolling, start, until=0.3, rtol=rtol, atol=1e-3 * rtol) for rtol in (1e-10, 1e-12)]
    for run in runs:
        assert run.outcome.complete, run.outcome
        assert run.modes[0] == "slipping"
        assert len(run.passages) >= 1
    ends = [run.state(0.3)[body.position] for run in runs]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert runs[0][rolling.energy][-1] < runs[0][rolling.energy][0]


def test_a_superquadric_turns_in_the_air_over_the_flat_points_that_face_the_ground():
    """Its nearest point runs over the body, the body itself turns as one without forces."""
    stone = zm.bodies.superquadric((A, B, C), exponent=4, mass=M)
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G, friction=0.3, restitution=0.5)
    body = rolling.body
    start = rolling.flying.start(center=(0, 0, 2.0), angular_velocity=(9.0, 3.0, 5.0), orientation=(0.5, 0.2, 0.1))
    run = zm.simulate(rolling, start, until=0.5)
    assert run.outcome.complete
    assert run.modes == ("flying",)
    assert len(run.passages) >= 2
    R, ω = run[body.rotation], run[body.angular_velocity]
    moment = np.einsum("kij,j,klj,kl->ki", R, np.array(stone.inertia), R, ω)
    assert np.abs(moment - moment[0]).max() <= 1e-9 * np.abs(moment[0]).max()
    assert run.state(0.5)[body.position] == pytest.approx([0.0, 0.0, 2.0 - G * 0.5**2 / 2], abs=1e-9)


def test_a_stone_rocks_about_its_pole():
    """Where both curvatures are small, over both flat curves again and again; the energy stays."""
    stone = zm.bodies.superquadric((A, B, C), exponent=4, mass=M)
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G)
    turn, body = np.array([1.0, 0.01, 0.007, 0.0]), rolling.body
    start = rolling.start(
        [
            (rolling.contact[:2], (0, 0)),
            (body.quaternion, turn / np.linalg.norm(turn)),
            (body.angular_velocity, (0.3, 0.8, 0)),
        ]
    )
    run = zm.simulate(rolling, start, until=0.2)
    assert run.outcome.complete
    assert len(run.passages) >= 4
    assert np.ptp(run[rolling.energy]) <= 1e-10 * start[rolling.energy]


def test_a_start_at_a_flat_point_is_refused():
    """There the rate of the contact is infinite, and no state has it."""
    rolling = zm.Rolling(zm.bodies.superquadric((A, B, C), exponent=4, mass=M, name="stone"), on=zm.surfaces.plane())
    with pytest.raises(zm.errors.StartError, match="'stone' is flat where it would touch 'plane'"):
        rolling.start(contact=(0, 0), velocity=(0.1, 0.0))


def test_a_run_over_flat_points_is_kept_in_a_file(tmp_path):
    rolling, start = tumbling(4, 0.6, 6.0)
    run = zm.simulate(rolling, start, until=0.5)
    run.save(tmp_path / "run.nc")
    again = zm.load(tmp_path / "run.nc")
    times = np.linspace(0.0, 0.5, 101)
    assert np.array_equal(again.at(times).y, run.at(times).y)
    further = zm.simulate(again.system, again.state(0.3), until=0.5)
    assert further.outcome.complete
    assert further.state(0.5)[rolling.body.position] == pytest.approx(run.state(0.5)[rolling.body.position], abs=1e-8)


def test_a_study_goes_over_flat_points_as_runs_do():
    rate = zm.parameter("rate", 6.0)
    rolling = superellipse(4)
    turn, body = (np.cos(0.3), 0, np.sin(0.3), 0), rolling.body
    start = rolling.start(
        [(rolling.contact[:2], (0, 0)), (body.quaternion, turn), (body.angular_velocity, (0, rate, 0))]
    )
    study = zm.sweep(rolling, start, until=0.6, over={rate: [5.0, 6.0]}, keep={"end": body.position})
    for k, value in enumerate((5.0, 6.0)):
        _, own = tumbling(4, 0.6, value)
        run = zm.simulate(own.system, own, until=0.6)
        assert np.asarray(study["end"])[k].ravel() == pytest.approx(run.state(0.6)[own.system.body.position], abs=1e-8)


def test_a_hollow_that_is_too_tight_still_ends_a_run():
    """There the curvature against the surface becomes negative behind zero, and the body does not fit."""
    bowl = zm.Surface(lambda X, Y: 6.0 * X**2 + 0.1 * Y**2)
    egg = zm.bodies.convex(
        implicit=lambda x, y, z: (x / 0.2) ** 2 + (y / 0.1) ** 2 + (z / 0.1) ** 2 - 1,
        mass=M,
        inertia=INERTIA,
        center_of_mass=(0, 0, 0),
    )
    rolling = zm.Rolling(egg, on=bowl, gravity=G, two_sided=True)
    run = zm.simulate(rolling, rolling.start(contact=(0.5, 0.0), velocity=(-0.5, 0.1)), until=2.0)
    assert run.events[-1].name == "hollow too tight"


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_page_ends_at_a_flat_point_by_name(tmp_path):
    """What drives a motion outside Python does not pass through: it says so, at the state that Python passes."""
    stone = zm.bodies.superquadric((A, B, C), exponent=4, mass=M, name="stone")
    rolling = zm.Rolling(stone, on=zm.surfaces.plane(), gravity=G, friction=5.0)
    start = rolling.start(contact=(0, 0), velocity=(0.5, 0.1), orientation=(0.7, 0.4, 0.2))
    given = {"rtol": 1e-10, "atol": 1e-13}
    outputs = (*rolling.coordinates, *rolling.rates)
    motion = Pieced(start, tuple(rolling.events), outputs, 0.6, Settings(**given, method="dop853"))
    run = zm.simulate(rolling, start, until=0.6, **given)
    (there,) = over_switches(motion, [{"values": {}, "until": 0.6, **given, "times": [0.0]}], tmp_path)
    assert there["ending"] == "EVENT"
    assert there["event"]["name"] == "lies flat"
    assert "'stone' is flat where it touches 'plane'" in there["event"]["message"]
    (k,) = [k for k, x in enumerate(rolling.coordinates) if x is rolling.body.position[0]]
    same = run.at([run.passages[0].t])[rolling.body.position[0]]
    assert there["end"][k] == pytest.approx(same[0], abs=1e-6)


def thrown_stone(rng: np.random.Generator) -> tuple[zm.Rolling, zm.State, Stone]:
    """A random superquadric with friction on a plane, rolling or slipping, started by expressions."""
    sizes, exponent, mass, friction = rng.uniform(0.05, 0.2, 3), *rng.uniform((2.2, 0.3, 0.1), (6.0, 2.0, 0.8))
    solid = zm.bodies.superquadric(tuple(sizes), exponent=exponent, mass=mass)
    rolling = zm.Rolling(solid, on=zm.surfaces.plane(), gravity=G, friction=friction, restitution=0.3)
    turn, body = rng.normal(size=4), rolling.body
    given = [
        (rolling.contact[:2], (0, 0)),
        (body.quaternion, turn / np.linalg.norm(turn)),
        (body.angular_velocity, 3 * rng.normal(size=3)),
    ]
    slips = [(body.velocity[:2], 0.5 * rng.normal(size=2))] if rng.random() < 0.5 else []
    start = rolling.slipping.start(given + slips) if slips else rolling.start(given)
    return rolling, start, Stone(sizes, exponent, mass, np.array(solid.inertia), G)


def random_stone(k: int) -> tuple[zm.Rolling, zm.State, Stone]:
    return thrown_stone(np.random.default_rng([26, k]))


@pytest.mark.parametrize("rtol", [1e-8, pytest.param(1e-10, marks=pytest.mark.slow)])
def test_a_slip_over_a_flat_point_is_one_passage(rtol):
    """|x|^5.6 passes zero at the flat point, as a length does; the passage integrates over that too."""
    rolling, start, stone = random_stone(23)
    run = zm.simulate(start.system, start, until=0.03, rtol=rtol, atol=1e-3 * rtol)
    assert run.outcome.complete, run.outcome
    assert len(run.passages) == 1
    other = moved(stone, start, 0.03, friction=rolling.friction_coefficient, rtol=1e-11)
    end = run.state(0.03)
    assert end[rolling.body.rotation] == pytest.approx(other.R, abs=rtol)
    assert end[rolling.body.angular_velocity] == pytest.approx(other.ω, abs=10 * rtol)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rtol", "passages"), [((26, 13), 1e-8, 6), ((5, 8), 1e-6, 4)])
def test_a_slip_that_begins_in_a_flat_point_goes_on(seed, rtol, passages):
    """Behind the flat point, where the contact is still fast and friction stiff, a way leads on until steps can."""
    _, start, _ = thrown_stone(np.random.default_rng(seed))
    run = zm.simulate(start.system, start, until=0.6, rtol=rtol, atol=1e-3 * rtol)
    assert run.outcome.complete, run.outcome
    assert len(run.passages) == passages


def test_short_steps_toward_a_flat_point_are_no_dead_centre():
    """Before a passage too, where the mass of the motion of the contact is small for another reason."""
    rolling, start, stone = random_stone(3)
    run = zm.simulate(start.system, start, until=0.12, rtol=1e-8, atol=1e-11)
    assert run.outcome.complete, run.outcome
    assert len(run.passages) == 1
    other = moved(stone, start, 0.12, friction=rolling.friction_coefficient, rtol=1e-11)
    assert run.state(0.12)[rolling.body.rotation] == pytest.approx(other.R, abs=1e-8)


@pytest.mark.parametrize("k", [0, pytest.param(3, marks=pytest.mark.slow), pytest.param(12, marks=pytest.mark.slow)])
def test_contacts_go_over_flat_points_as_a_rolling_body_does(k, tmp_path):
    """Stones that roll, slip and roll again, over flat points in both; the equations of `zm.Contacts` are others.

    Friction of `zm.Rolling` falls off below its creep, and slips end later by so much: a smaller one than usual is given.
    """
    usual, begun, _ = random_stone(k)
    solid, μ = usual.solid, usual.friction_coefficient
    rolling = zm.Rolling(solid, on=zm.surfaces.plane(), gravity=G, friction=μ, creep=1e-10)
    body, old, light = rolling.body, usual.body, (rolling.center_particle, usual.center_particle)
    same = [*zip(_motion(body), _motion(old), strict=True), (light[0].velocity, light[1].velocity)]
    start = rolling.start([(rolling.contact[:2], begun[usual.contact[:2]]), *[(x, begun[y]) for x, y in same]])
    contacts = zm.Contacts(rolling.solid, on={"floor": zm.surfaces.plane()}, gravity=G, friction=μ, restitution=0.3)
    floor, own = contacts["floor"], contacts.bodies[0]
    given = [(x, start[y]) for x, y in zip((*_motion(own), own.velocity), (*_motion(body), body.velocity), strict=True)]
    first = contacts.start([(floor.point[:2], start[rolling.contact[:2]]), (floor.gap, 0.0), *given])
    one = zm.simulate(start.system, start, until=0.6, rtol=1e-10, atol=1e-13)
    run = zm.simulate(contacts, first, until=0.6, rtol=1e-10, atol=1e-13)
    assert run.outcome.ending == "finished"
    assert run.modes == tuple(f"floor {kind}" for kind in one.modes)
    assert run.changes == pytest.approx(one.changes, abs=1e-9)
    assert len(run.passages) == len(one.passages) >= 3
    end, other = run.state(0.6), one.state(0.6)
    assert end[own.rotation] == pytest.approx(other[body.rotation], abs=1e-8)
    assert end[own.angular_velocity] == pytest.approx(other[body.angular_velocity], abs=1e-7)
    assert run.at(0.6)[floor.normal_force] == pytest.approx(other[rolling.normal_force], rel=1e-6)
    assert end[floor.normal_force] == pytest.approx(
        other[rolling.normal_force], rel=1e-6
    )  # of the motion that begins there
    assert run.at(0.6)[floor.friction_force][0] == pytest.approx(other[rolling.friction_force], abs=1e-6)
    run.save(tmp_path / "run.nc")
    again = zm.load(tmp_path / "run.nc")
    assert again.at(0.6)[again.system["floor"].normal_force] == run.at(0.6)[floor.normal_force]


def _motion(body: zm.RigidBody) -> tuple[Any, Any]:
    return body.quaternion, body.angular_velocity


def test_a_passage_is_taken_as_closely_as_the_tolerance_of_the_run_asks(monkeypatch):
    """The ends of two paths are compared; where no two agree, the run ends by name."""
    rolling, start = tumbling(4, 0.6, 6.0)
    monkeypatch.setattr(Transit, "_difference", lambda self, one, other: 2.0)
    run = zm.simulate(rolling, start, until=0.3)
    assert run.t[-1] < 0.3
    assert "'lies flat': 'stone' is flat where it touches 'plane'" in run.outcome.message
    assert run.passages == ()


CREEP = 0.02
"""Slip speed, m/s, below which the direction of friction is stiff for SciPy's explicit method."""


@pytest.mark.slow
def test_random_superquadrics_with_friction_roll_and_slip_to_their_end():
    """Each part of the motion is as Newton and Euler say from where it begins; errors of 1e-10 grow within it."""
    seed = int(os.environ.get("ZEROMASS_SEED", "26"))
    passages, worst, stopped = 0, 0.0, list[str]()
    for k in range(24):
        rolling, start, stone = thrown_stone(np.random.default_rng([seed, k]))
        run = zm.simulate(start.system, start, until=0.6, rtol=1e-10, atol=1e-13)
        label = f"ZEROMASS_SEED={seed}, stone {k}, exponent {stone.exponent:.3g}: {run.outcome}"
        if run.outcome.ending != "finished":
            stopped.append(label)
            continue
        passages += len(run.passages)
        for segment in run.segments:
            rolls = segment.mode == "rolling"
            if not rolls and segment.mode != "slipping":
                continue
            slip = np.linalg.norm(segment.steps[rolling.slip_velocity], axis=1)
            inside = np.flatnonzero(rolls | (slip > CREEP))
            if len(inside) < 2 or not (rolls or np.all(np.diff(inside) == 1)):
                continue
            first, last = (segment.state(float(segment.t[j])) for j in (inside[0], inside[-1]))
            μ = rolling.friction_coefficient
            other = moved(stone, first, last.t - first.t, friction=None if rolls else μ, rtol=1e-10)
            body = rolling.body
            off = np.abs([last[body.rotation] - other.R]).max()
            worst = max(worst, off)
            assert off <= 1e-7, f"{label}, {segment.mode} from {first.t} s is off by {off:.1e}"
            assert last[body.angular_velocity] == pytest.approx(other.ω, abs=1e-6), label
            assert last[body.velocity] == pytest.approx(other.v, abs=1e-7), label
            assert other.pressed.min() > 0.0, label
            # beside a flat point the ratio doubles within 1e-11 s, and times are 1e-16 apart: the run's own is asked there
            assert other.ratios[:-1].max() <= μ * (1 + 1e-6), label
            assert last[rolling.friction_ratio] <= μ * (1 + 1e-4), label
    print(f"{passages} flat points, the worst rotation is off by {worst:.1e}, ZEROMASS_SEED={seed}")
    assert passages >= 50
    assert not stopped, stopped


def test_a_certificate_tells_the_digits_beside_flat_points():
    """At a flat point itself the contact has an infinite rate: there is no digit of it. Beside it there are, and no more
    than a closer run has too."""
    rolling, start = tumbling(4, 0.6, 6.0)
    place = rolling.body.position
    run = zm.simulate(rolling, start, until=0.5)
    trust = run.certificate(of={"place": place})
    assert len(run.passages) == 2
    assert all(low < passage.t < high for passage in run.passages for low, high in [passage.span])
    assert trust.digits >= 3.0
    assert trust.of[0].digits >= 7.0
    closer = zm.simulate(rolling, start, until=0.5, rtol=1e-13, atol=1e-15)
    times = np.linspace(0.0, 0.5, 300)
    off = np.abs(run.at(times)[place] - closer.at(times)[place]).max() / np.abs(run[place]).max()
    assert off <= 10.0 ** -trust.of[0].digits
