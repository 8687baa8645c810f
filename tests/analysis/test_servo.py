"""Control makes what is asked for so, with the forces that flatness gives, and says what it can not."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm

G = 9.81
T = 4.0
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def way():
    """From 0 to 1 in a time T, four derivatives zero at the ends."""
    s = zm.t / T
    return s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def second(e):
    return zm.rate(zm.rate(e))


def at(e, t):
    return zm.expression.evaluate(e, {zm.t: t})


def crane_in_angles():
    """Trolley X, rope L, angle; pushed at the trolley and pulled by the winch."""
    M, m = 10.0, 100.0
    X, L, a = zm.coordinates("X L a")
    F, W = zm.parameter("F", 0.0), zm.parameter("W", 0.0)
    x, z = X + L * np.sin(a), -L * np.cos(a)
    kinetic = M * zm.rate(X) ** 2 / 2 + m * (zm.rate(x) ** 2 + zm.rate(z) ** 2) / 2
    base = zm.System(kinetic=kinetic, potential=m * G * z, coordinates=[X, L, a], forces={X: F, L: -W})
    return base, (F, W), np.array([x, z]), base.start({X: 0.0, L: 4.0, a: 0.0}), X


def crane_in_places():
    """The same of two particles and a massless winch coordinate, tied by a rope."""
    trolley, load = zm.Particle("trolley", 10.0), zm.Particle("load", 100.0)
    L = zm.coordinate("L")
    F, W = zm.parameter("F", 0.0), zm.parameter("W", 0.0)
    arm = load.position - trolley.position
    base = zm.System(
        [trolley, load],
        coordinates=[L],
        gravity=G,
        forces=[zm.Force((F, 0, 0), at=trolley.position), {L: -W}],
        constraints={"rail": trolley.position[1:], "plane": load.position[1], "rope": arm @ arm - L**2},
    )
    start = base.start(
        [(trolley.position[0], 0.0), (load.position[0], 0.0), (L, 4.0), (load.velocity, 0.0)],
        guess=[(load.position, (0, 0, -4))],
    )
    return base, (F, W), load.position[[0, 2]], start, trolley.position[0]


@pytest.mark.parametrize("make", [crane_in_angles, crane_in_places])
def test_overhead_crane(make):
    """The load on a slope from rest to rest [BK2004]: trolley, rope, drive and winch from flatness.

    tan α = −ẍ/(g + z̈),   X = x − z ẍ/(g + z̈),   T = m|p̈ + g|,   F = M Ẍ + T_x
    """
    base, (F, W), load, start, X = make()
    path = np.array([5 * way(), -4 + way()])
    crane = zm.control.servo(base, {"load": load - path}, by=[F, W], at=start)
    assert crane.control.orders == {"load[0]": 4, "load[1]": 2}
    assert "by tangent" in crane.control.told("load[0]")
    assert "directly" in crane.control.told("load[1]")
    begin = zm.State(crane, start.t, start.q, start.v, dict.fromkeys(crane.parameters, 0.0))
    run = zm.simulate(crane, begin, until=T, **EXACT)
    times = np.linspace(0, T, 60)
    ax, az = second(path[0]), second(path[1])
    place = path[0] - path[1] * ax / (G + az)
    sampled = run.at(times)
    assert np.abs(sampled[load] - np.stack([at(path[0], times), at(path[1], times)], axis=1)).max() < 1e-9
    assert np.abs(sampled[X] - at(place, times)).max() < 1e-8
    tension = 100 * np.hypot(at(ax, times), at(az, times) + G)
    assert np.abs(sampled[crane.control[W]] / tension - 1).max() < 1e-7
    drive = 10.0 * at(second(place), times) + 100 * at(ax, times)
    assert np.abs(sampled[crane.control["F"]] - drive).max() < 1e-5 * np.abs(drive).max()


def test_chain_of_masses():
    """Four masses on springs, the last one's place given, pushed at the first: index 9, and the force by differentiation."""
    x = zm.coordinates("x0 x1 x2 x3")
    u, k = zm.parameter("u", 0.0), 10.0
    kinetic = sum(zm.rate(q) ** 2 for q in x) / 2
    potential = k * sum((b - a) ** 2 for a, b in pairwise(x)) / 2
    path = np.sin(2 * zm.t)
    chain = zm.System(kinetic=kinetic, potential=potential, forces={x[0]: u}, control={"end": x[3] - path}, by=[u])
    assert chain.control.orders == {"end": 8}
    flat = [path]  # from the last mass to the first
    flat.append(path + second(path) / k)
    for i in (1, 2):
        flat.append(flat[i] + (second(flat[i]) + k * (flat[i] - flat[i - 1])) / k)
    force = second(flat[3]) + k * (flat[3] - flat[2])
    start = chain.control.start()
    for q, place in zip(x[::-1], flat, strict=True):
        assert abs(start[q] - at(place, 0.0)) < 1e-12
        assert abs(start[zm.rate(q)] - at(zm.rate(place), 0.0)) < 1e-12
    run = zm.simulate(chain, start, until=3.0, **EXACT)
    t = np.linspace(0, 3, 40)
    assert np.abs(run.at(t)[x[3]] - np.sin(2 * t)).max() < 1e-9
    assert np.abs(run.at(t)[x[0]] - at(flat[3], t)).max() < 1e-8
    assert np.abs(run.at(t)[chain.control[u]] - at(force, t)).max() < 1e-4


def test_errors_die_out_as_they_should():
    """(d/dt + ω)² e = 0: e = e₀ (1 + ωt) e^{−ωt} from rest, with any forces that act beside."""
    x, y = zm.coordinates("x y")
    F = zm.parameter("F", 0.0)
    ω, kinetic = 3.0, (zm.rate(x) ** 2 + 2 * zm.rate(y) ** 2 + zm.rate(x) * zm.rate(y)) / 2
    shared = {"kinetic": kinetic, "potential": np.cos(x * y), "control": {"follow": x - 0.2}, "settling": ω}
    t = np.linspace(0, 3, 30)
    for by in ([F], None):
        system = zm.System(**shared, forces={x: F}, by=by)
        run = zm.simulate(system, system.start({x: 0.7, y: 1.0}), until=3.0, **EXACT)
        assert np.abs(run.at(t)[x] - 0.2 - 0.5 * (1 + ω * t) * np.exp(-ω * t)).max() < 1e-9


def test_tracking_with_the_least_effort():
    """Without `by` the force is that of the fundamental equation [U2008]: of all that do it, least in Qᵀ M⁻¹ Q."""
    q = zm.coordinates("x y")
    M = np.array([[2.0, 0.3], [0.3, 1.0]])
    v = zm.rate(q)
    e = q[0] ** 2 + q[1] ** 2 - 1 - 0.1 * np.sin(zm.t)
    system = zm.System(kinetic=v @ M @ v / 2, potential=q[0] * q[1], control={"circle": e}, settling=2.0)
    start = system.start({q[0]: 1.3, q[1]: 0.4, v[1]: 0.2})
    force = start[system.control["circle"]]
    free = -np.array([start[q[1]], start[q[0]]])
    A, s = start[zm.expression.gradient(e, q)], start
    ė = zm.rate(e)
    b = -(s[zm.expression.directional(ė, {**dict(zip(q, v, strict=True)), zm.t: 1})] + 4 * s[ė] + 4 * s[e])
    a = np.linalg.solve(M, free)
    Mi = np.linalg.inv(M)
    wanted = A * (b - A @ a) / (A @ Mi @ A)
    assert np.abs(force - wanted).max() < 1e-12


def test_more_forces_than_needed_share_the_work():
    """Of F₁ + F₂ = F the least squares are halves."""
    x = zm.coordinate("x")
    F = [zm.parameter(f"F{i}", 0.0) for i in range(2)]
    cart = zm.System(kinetic=zm.rate(x) ** 2, forces={x: F[0] + F[1]}, control={"follow": x - np.sin(zm.t)}, by=F)
    start = cart.control.start(t=1.0)
    for one in F:
        assert abs(start[cart.control[one]] + np.sin(1.0)) < 1e-12


def test_rates_can_be_asked_for():
    """A rate shall be a function of a position: a knife edge is steered along a curve by its turn alone."""
    x, y, a = q = zm.coordinates("x y a")
    turn = zm.parameter("turn", 0.0)
    v = zm.rate(q)
    edge = {"edge": v[0] * np.sin(a) - v[1] * np.cos(a)}
    base = zm.System(kinetic=(v @ v) / 2, coordinates=q, constraints=edge, forces={a: turn})
    start = base.start({x: 0, y: 0.3, a: 0.0, v[0]: 1.0})
    steered = zm.control.servo(base, {"line": y - 0.2 * np.sin(x)}, by=[turn], settling=4.0, at=start)
    assert steered.control.orders == {"line": 3}
    run = zm.simulate(
        steered, zm.State(steered, 0.0, start.q, start.v, dict.fromkeys(steered.parameters, 0.0)), until=6.0
    )
    assert abs(run.at(6.0)[y - 0.2 * np.sin(x)][0]) < 1e-6
    assert np.abs(run[v[0] * np.sin(a) - v[1] * np.cos(a)]).max() < 1e-12


def test_what_can_not_be_realised_is_named():
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    apart = zm.System(kinetic=kinetic)
    with pytest.raises(
        zm.errors.ModelError, match=r"control 'far' can not be realised: no derivative of it.*depends on force on x"
    ):
        zm.control.servo(apart, {"far": y - 1}, by=[{x: 1.0}])
    chain = zm.System(kinetic=kinetic, potential=(x - y) ** 2)
    with pytest.raises(zm.errors.ModelError, match="control 'b' can not be realised beside 'a'"):
        zm.control.servo(chain, {"a": x - 1, "b": y - zm.t}, by=[{x: 1.0}])
    with pytest.raises(zm.errors.ModelError, match="needs forces that may act"):
        zm.control.servo(chain, {"a": x - 1}, by=[])
    with pytest.raises(zm.errors.ModelError, match="contains an acceleration"):
        zm.control.servo(chain, {"a": zm.acceleration(x)}, by=[{x: 1.0}])
    with pytest.raises(zm.errors.ModelError, match="no force of control is 'z'"):
        zm.control.servo(chain, {"a": x - 1}, by=[{x: 1.0}]).control["z"]


def test_controlled_systems_can_be_kept():
    x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(x) ** 2, forces={x: F}, control={"follow": x - np.sin(zm.t)}, by=[F])
    run = zm.simulate(cart, cart.control.start(), until=1.0)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.y, run.y)
    assert again.system.control.orders == {"follow": 2}
    assert cart.control.system is cart


def test_inverse_dynamics_of_an_arm():
    """Two links, Cartesian with rods: the torques of the joints by the closed formula of the planar arm."""
    l, m = 0.7, 1.5
    a, b = zm.coordinates("a b")
    p, q = zm.Particle("p", m), zm.Particle("q", m)
    place = np.array([l * np.sin(a), 0, -l * np.cos(a)])
    tie = {
        "upper": p.position - place,
        "lower": q.position - place - np.array([l * np.sin(a + b), 0, -l * np.cos(a + b)]),
    }
    shoulder, elbow = zm.parameter("shoulder", 0.0), zm.parameter("elbow", 0.0)
    arm = zm.System([p, q], coordinates=[a, b], gravity=G, constraints=tie, forces={a: shoulder, b: elbow})
    motion = {a: 0.4 * np.sin(2 * zm.t), b: 0.3 + 0.5 * zm.t**2}
    t = np.linspace(0, 1, 7)
    found = zm.analysis.inverse_dynamics(arm, motion, by=[shoulder, elbow], times=t).forces
    A, B = motion.values()
    A1, B1, A2, B2 = zm.rate(A), zm.rate(B), second(A), second(B)
    c, s = np.cos(B), np.sin(B)
    tau2 = m * l**2 * ((1 + c) * A2 + B2 + s * A1**2) + m * G * l * np.sin(A + B)
    tau1 = m * l**2 * ((3 + 2 * c) * A2 + (1 + c) * B2 - s * (2 * A1 * B1 + B1**2))
    tau1 = tau1 + m * G * l * (2 * np.sin(A) + np.sin(A + B))
    assert np.abs(found["elbow"] - at(tau2, t)).max() < 1e-9
    assert np.abs(found["shoulder"] - at(tau1, t)).max() < 1e-9
    with pytest.raises(zm.errors.ModelError, match=r"elbow can not make this motion: .* is missing"):
        zm.analysis.inverse_dynamics(arm, motion, by=[elbow], times=t)


def test_sampled_control_is_the_discrete_map():
    """ẍ = u held for h: x ← x + vh + uh²/2, v ← v + uh, exactly; the formula and a function with a memory agree."""
    x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F})
    h, state, wanted = 0.25, np.array([1.0, -0.3]), []
    for _ in range(8):
        u = -0.8 * state[0] - 1.1 * state[1]
        wanted.append([*state, u])
        state = np.array([state[0] + h * state[1] + u * h**2 / 2, state[1] + u * h])
    start = cart.start({x: 1.0, zm.rate(x): -0.3})
    law = -0.8 * x - 1.1 * zm.rate(x)
    run = zm.control.sampled(cart, start, {F: law}, every=h, until=2.0)
    assert run.modes == ("motion",)
    assert np.abs(run.at(2.0).y[0] - state).max() < 1e-12
    inside = run.at(h * np.arange(8) + h / 2)
    assert np.abs(inside[F] - [u for _, _, u in wanted]).max() < 1e-12
    calls = []

    def controller(state):
        calls.append(state.t)
        return {F: state[law]}

    again = zm.control.sampled(cart, start, controller, every=h, until=2.0)
    assert np.array_equal(again.y, run.y)
    assert np.allclose(calls, h * np.arange(8))
    with pytest.raises(zm.errors.ModelError, match="must be positive"):
        zm.control.sampled(cart, start, {F: law}, every=0.0, until=1.0)
    with pytest.raises(zm.errors.ModelError, match="is no parameter"):
        zm.control.sampled(cart, start, {x: law}, every=0.1, until=1.0)


@pytest.mark.parametrize("friction", [0.0, 0.1], ids=["smooth", "with friction"])
def test_a_sampled_motion_is_one_run(friction, tmp_path):
    """Its samples are events; it is certified with the values that were set, saved with them, and shown as a whole."""
    x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F - friction * np.sign(zm.rate(x))})
    start = cart.start({x: 1.0, zm.rate(x): -0.3})
    run = zm.control.sampled(cart, start, {F: -2.0 * x - 0.4 * zm.rate(x)}, every=0.25, until=4.0)
    samples = [event.t for event in run.events if event.name == "sample"]
    np.testing.assert_allclose(samples, 0.25 * np.arange(1, 16))
    assert run.certificate().digits > 9
    kept = zm.load(run.save(tmp_path / "run.nc"))
    times = np.linspace(0, 4, 41)
    for e in (x, zm.rate(x), F, zm.acceleration(x)):
        assert np.array_equal(kept.at(times)[e], run.at(times)[e])
    assert kept.certificate().digits > 9
    assert [event.name for event in kept.events] == [event.name for event in run.events]
    assert run.view(tmp_path / "run.html").exists()


def test_feedback_is_given_to_forces():
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    with pytest.raises(zm.errors.ModelError, match="'k' stands in an energy"):
        zm.control.with_feedback(spring, {k: x})
    F = zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F})
    with pytest.raises(zm.errors.ModelError, match="follows from the feedback itself"):
        zm.control.with_feedback(cart, {F: zm.acceleration(x)})
