"""Linear systems are derivatives of motions along their constraints, whatever coordinates these are written in."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import expm

import zeromass as zm
from cases import few

G = 9.81


def sorted_(values):
    values = np.asarray(values, dtype=complex)
    return values[np.lexsort((values.imag.round(6), values.real.round(6)))]


def same(found, wanted, tolerance=1e-11):
    found, wanted = list(np.asarray(found, dtype=complex)), list(np.asarray(wanted, dtype=complex))
    assert len(found) == len(wanted)
    for λ in wanted:
        k = int(np.argmin(np.abs(np.array(found) - λ)))
        assert abs(found.pop(k) - λ) < tolerance * max(1.0, abs(λ))


def cartesian_double_pendulum():
    """Two bobs in space coordinates, a massless marker between them, one rod given twice."""
    p, q, m = zm.Particle("p", 1.0), zm.Particle("q", 2.0), zm.Particle("m", 0.0)
    link = q.position - p.position
    constraints = {
        "upper": p.position @ p.position - 1,
        "lower": link @ link - 0.49,
        "again": 3 * (link @ link) - 3 * 0.49,
        "marker": m.position - (p.position + q.position) / 2,
        "plane": np.array([p.position[1], q.position[1]]),
    }
    system = zm.System([p, q, m], gravity=G, constraints=constraints)
    hang = system.equilibrium(guess={p.position[2]: -1, q.position[2]: -1.7, p.position[0]: 0.1})
    return system, hang


def test_redundant_coordinates_and_constraints_do_not_show():
    """The eigenvalues are those of two angles, and all others are counted as removed."""
    system, hang = cartesian_double_pendulum()
    a, b = zm.coordinates("a b")
    x, z = np.sin(a), -np.cos(a)
    x2, z2 = x + 0.7 * np.sin(b), z - 0.7 * np.cos(b)
    speed = [zm.rate(e) ** 2 for e in (x, z, x2, z2)]
    angles = zm.System(kinetic=(speed[0] + speed[1]) / 2 + speed[2] + speed[3], potential=G * (z + 2 * z2))
    linear = zm.analysis.linearize(system, hang)
    same(linear.eigenvalues, zm.analysis.linearize(angles, angles.start()).eigenvalues)
    assert len(linear.A) == 4
    assert linear.removed == 2 * 9 - 4
    assert linear.stability() == "marginal"


def test_small_motions_are_those_of_the_run():
    """y(t) from starts ± h apart differs by 2h e^{At}: central differences, h² and rounding/h, about 1e-9."""
    system, hang = cartesian_double_pendulum()
    linear = zm.analysis.linearize(system, hang)
    h, until = 1e-4, 0.5
    names = dict(zip(linear.states, linear.formulas, strict=True))
    ends = []
    for name in names:
        both = []
        for sign in (1, -1):
            moved = {e: hang[e] + (sign * h if key == name else 0.0) for key, e in names.items()}
            start = system.start(moved, guess=[(system.coordinates, hang.q)])
            run = zm.simulate(system, start, until=until, rtol=1e-12, atol=1e-14)
            both.append([run.at(until)[e][0] for e in names.values()])
        ends.append((np.array(both[0]) - np.array(both[1])) / (2 * h))
    assert np.abs(np.array(ends).T - expm(linear.A * until)).max() < 1e-6


@pytest.mark.parametrize("seed", few(range(4)))
def test_against_mpmath(seed):
    """Random formulas with a holonomic and a nonholonomic constraint and a massless coordinate.

    A, N and q̈ in sixty digits, by differences.
    """
    mp.mp.dps = 60
    c = [float(number) for number in np.random.default_rng(seed).uniform(0.5, 1.5, size=12)]

    def phi(x, y, z, sin):
        return c[0] * x**2 + 2 * c[1] * y**2 - c[2] * z * x - 1.3 + sin(z) / 5

    def psi(x, y, z, u, v, w):
        return c[3] * u * y + v * x - w * (c[4] + z**2) / 2

    def force(x, y, z, u, v, w, sin):
        return [-3 * c[5] * x * y + c[6] * v, sin(c[7] * x * z) - 2 * u, -c[8] * z - w * y]

    def mass(x, y, z):
        return [[2 * c[9] + x**2, x * y / 3, 0], [x * y / 3, c[10], 0], [0, 0, 0]]

    q = zm.coordinates("x y z")
    v = zm.rate(q)
    constraints = {"surface": phi(*q, np.sin), "knife": psi(*q, *v)}
    system = zm.System(M=mass(*q), Q=force(*q, *v, np.sin), coordinates=q, constraints=constraints)
    start = system.start({q[0]: 0.7, v[0]: 0.4}, guess={q[1]: 0.8, q[2]: 0.3})
    linear = zm.analysis.linearize(system, start)
    y0 = [mp.mpf(float(s)) for s in (*start.q, *start.v)]
    step = mp.mpf(10) ** -20

    def slope(f, y, k):
        there, back = list(y), list(y)
        there[k], back[k] = y[k] + step, y[k] - step
        return (f(there) - f(back)) / (2 * step)

    def rows(y):
        a = [slope(lambda s: phi(*s[:3], mp.sin), y, k) for k in range(3)]
        return mp.matrix([a, [slope(lambda s: psi(*s), y, 3 + k) for k in range(3)]])

    def rates(y):  # φ̇ and ψ
        return [mp.fsum(rows(y)[0, k] * y[3 + k] for k in range(3)), psi(*y)]

    def acceleration(y):
        A = rows(y)
        b = [-mp.fsum(slope(lambda s, i=i: rates(s)[i], y, k) * y[3 + k] for k in range(3)) for i in range(2)]
        K, f = mp.matrix(5, 5), mp.matrix(5, 1)
        M, Q = mass(*y[:3]), force(*y, mp.sin)
        for i in range(3):
            for j in range(3):
                K[i, j] = M[i][j]
            for r in range(2):
                K[i, 3 + r], K[3 + r, i] = -A[r, i], A[r, i]
            f[i] = Q[i]
        f[3], f[4] = b
        return list(mp.lu_solve(K, f))[:3]

    def motion(y):
        return [*y[3:], *acceleration(y)]

    step = mp.mpf(10) ** -12  # three differences inside one another: step², and 10^-60/step³
    J = mp.matrix(3, 6)
    for k in range(6):
        J[0, k] = slope(lambda y: phi(*y[:3], mp.sin), y0, k)
        for r in range(2):
            J[1 + r, k] = slope(lambda y, r=r: rates(y)[r], y0, k)
    F = np.array([[float(slope(lambda y, i=i: motion(y)[i], y0, k)) for k in range(6)] for i in range(6)])
    chosen = [[repr(e) for e in (*q, *v)].index(name) for name in linear.states]
    others = [k for k in range(6) if k not in chosen]
    J = np.array(J.tolist(), dtype=float)
    N = np.zeros((6, 3))
    N[chosen] = np.eye(3)
    N[others] = -np.linalg.solve(J[:, others], J[:, chosen])
    assert np.abs(linear.A - (F @ N)[chosen]).max() < 1e-11 * np.abs(linear.A).max()


def test_rolling_disc_is_stable_above_its_speed():
    """An upright disc (A, A, C) of radius R: λ² = mgR/(A + mR²) − C(C + mR²)Ω²/(A(A + mR²)), zero at the limit.

    For a thin disc, Ω² = g/(3R) [Routh, Advanced Rigid Dynamics].
    """
    R, m = 0.4, 3.0
    A, C = m * R**2 / 4, m * R**2 / 2
    disc = zm.RigidBody("disc", m, (A, C, A))
    axle = disc.rotate((0.0, 1.0, 0.0))
    down = np.array([0.0, 0.0, 1.0]) - axle[2] * axle
    lowest = -R * down / np.sqrt(down @ down)
    system = zm.System(
        [disc],
        gravity=G,
        constraints={
            "contact": disc.position[2] + lowest[2],
            "rolling": (disc.velocity + np.cross(disc.angular_velocity, lowest))[:2],
        },
    )
    lean, spin = np.arcsin(axle[2]), disc.angular_velocity @ axle
    turn = disc.angular_velocity @ (down / np.sqrt(down @ down))
    states = {"lean": lean, "lean rate": zm.rate(lean), "turn": turn, "spin": spin}
    for Ω in np.sqrt(G / (3 * R)) * np.array([0.3, 0.9, 1.1, 3.0]):
        start = system.start(
            [(disc.position[2], R), (disc.quaternion, (1, 0, 0, 0)), (disc.angular_velocity_body, (0, Ω, 0))]
        )
        linear = zm.analysis.linearize(system, start, states=states)
        square = m * G * R / (A + m * R**2) - C * (C + m * R**2) * Ω**2 / (A * (A + m * R**2))
        root = np.sqrt(complex(square))
        same(linear.eigenvalues, [root, -root, 0.0, 0.0], 1e-7)  # zero is a double root
        assert np.abs(linear.eigenvalues - root).min() < 1e-12 * max(1.0, abs(root))
        assert linear.stability() == ("unstable" if square > 0 else "marginal")


@pytest.mark.parametrize("spin", [2.0, 40.0])
def test_sleeping_top(spin):
    """A λ² ∓ iCnλ − mgl = 0 for the top that stands upright on a fixed point, A about it [Klein & Sommerfeld]."""
    m, l, A, C = 0.5, 0.1, 0.008, 0.0025
    top = zm.RigidBody("top", m, (A - m * l**2, A - m * l**2, C))
    tip = {"tip": top.point((0.0, 0.0, -l))}
    system = zm.System([top], gravity=G, constraints=tip)
    axis = top.rotate((0.0, 0.0, 1.0))
    states = {"e1": axis[0], "e2": axis[1], "e1 rate": zm.rate(axis[0]), "e2 rate": zm.rate(axis[1])}
    states["spin"] = top.angular_velocity @ axis
    start = system.start(
        [(top.position, (0, 0, l)), (top.quaternion, (1, 0, 0, 0)), (top.angular_velocity_body, (0, 0, spin))]
    )
    wanted = [r for s in (1, -1) for r in np.roots([A, -1j * s * C * spin, -m * G * l])]
    linear = zm.analysis.linearize(system, start, states=states)
    same(linear.eigenvalues, [*wanted, 0.0], 1e-10)
    assert (linear.stability() == "unstable") == (C**2 * spin**2 < 4 * A * m * G * l)


def test_foucault_pendulum():
    """λ = i(±Ω ± √(Ω² + g/L)): the bob on a sphere, with Coriolis' force only, in three coordinates."""
    Ω, L = 0.3, 2.0
    bob = zm.Particle("bob", 1.5)
    x, y, z = bob.position
    vx, vy, _ = bob.velocity
    coriolis = {x: 2 * 1.5 * Ω * vy, y: -2 * 1.5 * Ω * vx}
    system = zm.System([bob], gravity=G, forces=coriolis, constraints={"sphere": bob.position @ bob.position - L**2})
    linear = zm.analysis.linearize(system, system.equilibrium(guess={z: -L}))
    ω = np.sqrt(Ω**2 + G / L)
    same(linear.eigenvalues, [1j * (a * Ω + b * ω) for a in (1, -1) for b in (1, -1)])


def test_cart_and_pole_with_input_and_reaction():
    """M and m, length l, pushed at the cart: A, B in closed form; to first order the rod carries m g."""
    M, m, l = 2.0, 0.3, 0.8
    cart, bob = zm.Particle("cart", M), zm.Particle("bob", m)
    rod = bob.position - cart.position
    constraints = {
        "rail": cart.position[1:],
        "plane": bob.position[1],
        "rod": np.sqrt(rod @ rod) - l,
    }
    system = zm.System([cart, bob], gravity=G, constraints=constraints)
    up = system.start(
        [(cart.position[0], 0.0), (bob.position[0], 0.0), (bob.velocity, 0.0), (cart.velocity, 0.0)],
        guess=[(bob.position, (0, 0, 1))],
    )
    lean = np.arcsin((bob.position[0] - cart.position[0]) / l)
    x = cart.position[0]
    tension = system.multipliers[[row.name for row in system.rows].index("rod")]
    push = zm.Force((1.0, 0.0, 0.0), at=cart.position)
    linear = zm.analysis.linearize(
        system,
        up,
        inputs=[push],
        outputs={"tension": tension, "push": zm.acceleration(x)},
        states=[x, lean, zm.rate(x), zm.rate(lean)],
    )
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1
    A[2, 1], A[3, 1] = -m * G / M, (M + m) * G / (M * l)
    assert np.abs(linear.A - A).max() < 1e-12
    assert np.abs(linear.B[:, 0] - [0, 0, 1 / M, -1 / (M * l)]).max() < 1e-13
    assert np.abs(linear.C[0]).max() < 1e-9
    assert np.abs(linear.C[1] - A[2]).max() < 1e-12
    assert abs(linear.D[1, 0] - 1 / M) < 1e-13
    above, below = linear.fraction(1, 0)
    s = 0.7 + 1.1j
    assert abs(np.polyval(above, s) / np.polyval(below, s) - linear.transfer(s)[1, 0]) < 1e-12


def test_about_a_motion():
    """A pendulum whose pivot moves as p(t): θ̈ = −(g + p̈)/L sin θ, here in coordinates that the constraint ties to time."""
    L, p = 0.7, 0.1 * np.sin(5 * zm.t)
    bob = zm.Particle("bob", 1.0)
    x, y, z = bob.position
    system = zm.System([bob], gravity=G, constraints={"rod": x**2 + (z - p) ** 2 - L**2, "plane": y})
    run = zm.simulate(system, system.start({x: 0.0}, guess={z: -L}), until=2.0)
    for t in (0.0, 0.33, 1.7):
        linear = zm.analysis.linearize(run, t)
        assert linear.states == ("bob.x", "rate(bob.x)")
        lift = -2.5 * np.sin(5 * t)
        assert np.abs(linear.A - [[0, 1], [-(G + lift) / L, 0]]).max() < 1e-9


def test_transition_along_a_motion_is_the_tangent():
    """Φ̇ = A(t) Φ in the chosen coordinates gives what the tangents of the run give, along a motion that is not small."""
    from scipy.integrate import solve_ivp

    bob = zm.Particle("bob", 1.0)
    system = zm.System([bob], gravity=G, constraints={"sphere": bob.position @ bob.position - 1})
    start = system.start([(bob.position, (0.6, 0.0, -0.8)), (bob.velocity, (0.0, 1.0, 0.0))])
    run = zm.simulate(system, start, until=0.4, rtol=1e-12, atol=1e-14)
    first = zm.analysis.linearize(run, 0.0)
    place = [[repr(e) for e in (*system.coordinates, *system.rates)].index(name) for name in first.states]

    def slope(t, Φ):
        linear = zm.analysis.linearize(run, float(np.clip(t, 0.0, 0.4)), states=list(first.formulas))
        return (linear.A @ Φ.reshape(4, 4)).ravel()

    found = solve_ivp(slope, (0, 0.4), np.eye(4).ravel(), rtol=1e-8, atol=1e-10).y[:, -1].reshape(4, 4)
    tangent = run.sensitivity().start[0]
    J = np.zeros((2, 6))
    J[0, :3], J[1, :3], J[1, 3:] = start.q, start.v, start.q
    others = [k for k in range(6) if k not in place]
    N = np.zeros((6, 4))
    N[place] = np.eye(4)
    N[others] = -np.linalg.solve(J[:, others], J[:, place])
    assert np.abs(found - (tangent @ N)[place]).max() < 1e-6


def test_states_that_do_not_close_are_refused():
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=x * y + x**2 + y**2)
    with pytest.raises(
        zm.errors.ModelError, match=r"rate of 'rate\(x\)' depends on more than the states given, on 'y'"
    ):
        zm.analysis.linearize(system, system.start(), states=[x, zm.rate(x)])
    with pytest.raises(zm.errors.ModelError, match="not independent"):
        zm.analysis.linearize(system, system.start(), states=[x, 2 * x, zm.rate(x), y])


def test_inputs_that_are_none_are_refused():
    x, p = zm.coordinate("x"), zm.parameter("p", 1.0)
    y = zm.coordinate("y")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=p * x**2, constraints={"tie": y - p * x})
    start = system.start()
    with pytest.raises(zm.errors.ModelError, match="'p' stands in the constraint 'tie'"):
        zm.analysis.linearize(system, start, inputs=[p])
    with pytest.raises(zm.errors.ModelError, match="is no input"):
        zm.analysis.linearize(system, start, inputs=[x + 1])
    with pytest.raises(zm.errors.ModelError, match="'u' is no parameter of the system"):
        zm.analysis.linearize(system, start, inputs=[zm.parameter("u", 0.0)])
    elsewhere = zm.System(kinetic=zm.rate(x) ** 2).start()
    with pytest.raises(zm.errors.ModelError, match="belongs to another system"):
        zm.analysis.linearize(system, elsewhere)


def test_a_state_without_a_motion_is_refused():
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=y, coordinates=[x, y])
    with pytest.raises(zm.errors.ModelError, match="no explicit acceleration"):
        zm.analysis.linearize(system, system.start())


def test_python_control_is_named_where_it_is_missing():
    from importlib.util import find_spec

    x = zm.coordinate("x")
    linear = zm.analysis.linearize(s := zm.System(kinetic=zm.rate(x) ** 2), s.start(), inputs=[{x: 1.0}], outputs=[x])
    if find_spec("control") is None:
        with pytest.raises(zm.errors.ModelError, match="zeromass\\[control\\]"):
            linear.to_control()
    else:
        assert np.allclose(linear.to_control().A, linear.A)


def test_python_control_has_the_same_names_and_the_same_answers():
    """Of a cart with a pole: its frequency response is C (s − A)⁻¹ B + D, and its regulator ours."""
    control = pytest.importorskip("control")
    x, θ = zm.coordinates("x theta")
    T = zm.rate(x) ** 2 + zm.rate(θ) ** 2 / 2 + zm.rate(x) * zm.rate(θ) * np.cos(θ)
    cart = zm.System(kinetic=T, potential=9.81 * np.cos(θ))
    linear = zm.analysis.linearize(cart, cart.start(), inputs=[{x: 1.0}], outputs={"place": x, "tilt": θ})
    theirs = linear.to_control()
    assert theirs.state_labels == list(linear.states)
    assert theirs.input_labels == list(linear.inputs)
    assert theirs.output_labels == ["place", "tilt"]
    for s in (0.3j, 2.0 + 1.0j):
        np.testing.assert_allclose(np.asarray(theirs(s)).reshape(2, 1), linear.transfer(s), rtol=1e-12)
    K, _, E = control.lqr(theirs, np.eye(4), np.eye(1))
    regulator = linear.lqr(1.0, 1.0)
    np.testing.assert_allclose(regulator.gain, K, rtol=1e-8)
    np.testing.assert_allclose(
        np.sort_complex(np.linalg.eigvals(linear.A - linear.B @ regulator.gain)), np.sort_complex(E), rtol=1e-8
    )


def test_regulators():
    """K of a double integrator for Q = 1, R = 1 is (1, √3); the cart and pole stands, from 20° off."""
    x = zm.coordinate("x")
    body = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    K = zm.analysis.linearize(body, body.start(), inputs=[{x: 1.0}]).lqr(1.0, 1.0).gain
    assert np.abs(K - [[1, np.sqrt(3)]]).max() < 1e-12
    X, a = zm.coordinates("X a")
    F = zm.parameter("F", 0.0)
    bob = [zm.rate(X + np.sin(a)), zm.rate(np.cos(a))]
    pole = zm.System(
        kinetic=zm.rate(X) ** 2 + (bob[0] ** 2 + bob[1] ** 2) / 10, potential=G * np.cos(a) / 5, forces={X: F}
    )
    regulator = zm.analysis.linearize(pole, pole.start(), inputs=[F]).lqr((1.0, 1.0, 1.0, 1.0), 1.0)
    closed = regulator.closed()
    assert zm.analysis.linearize(closed, closed.start()).stability() == "stable"
    run = zm.simulate(closed, closed.start({a: 0.35}), until=20.0)
    assert np.abs(run.y[-1]).max() < 1e-3
    y = zm.coordinate("y")
    two = zm.System(kinetic=(zm.rate(X) ** 2 + zm.rate(y) ** 2) / 2, potential=-(y**2))
    linear = zm.analysis.linearize(two, two.start(), inputs=[{X: 1.0}])
    with pytest.raises(zm.errors.ModelError, match="makes this stable"):
        linear.lqr(1.0, 1.0)


def test_kinks_have_no_derivatives_and_pieces_have():
    """A block on a rough table: μ m g sign(v) does not show beside the kink, and at rest there is no linear system."""
    x = zm.coordinate("x")
    block = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=2 * x**2, forces={x: -0.3 * np.sign(zm.rate(x))})
    same(zm.analysis.linearize(block, block.start({zm.rate(x): 0.5})).eigenvalues, [2j, -2j])
    with pytest.raises(zm.errors.ModelError, match=r"'sign\(rate\(x\)\)' switches at this state"):
        zm.analysis.linearize(block, block.start({x: 1.0}))


def test_friction_of_a_reaction():
    """A bead on a rough circle, C = −μ|N| sign(v): the linear system is that of its piece, by differences of q̈."""
    bead = zm.Particle("bead", 1.0)
    x, y, z = bead.position
    ideal = {"circle": (x**2 + z**2 - 1) / 2, "plane": y}
    smooth = zm.System([bead], gravity=G, constraints=ideal)
    force = smooth.multipliers[0]
    speed = zm.rate(x) * -z + zm.rate(z) * x
    rub = -0.2 * abs(force) * np.sign(speed)
    system = zm.System(
        [bead], gravity=G, constraints=ideal, nonideal=zm.Force((-rub * z, 0, rub * x), at=bead.position)
    )
    angle, turn = np.arctan2(x, -z), speed

    def start(a, w):
        return system.start({x: np.sin(a), angle: a, turn: w}, guess={z: -1.0})

    a, w, h = 0.3, 1.5, 1e-5
    linear = zm.analysis.linearize(system, start(a, w), states={"angle": angle, "turn": turn})
    slope = zm.rate(turn)
    wanted = [
        (start(a + h, w)[slope] - start(a - h, w)[slope]) / (2 * h),
        (start(a, w + h)[slope] - start(a, w - h)[slope]) / (2 * h),
    ]
    assert np.abs(linear.A - [[0, 1], wanted]).max() < 1e-8  # differences: h², rounding/h


def test_a_ball_rolls_in_a_bowl():
    """ω² = (5/7) g/(R − r) about the bottom, both ways; where it is, and how it is turned, is neutral."""
    curvature, r = 1.2, 0.05
    bowl = zm.Rolling(zm.bodies.ball(r, 0.5), on=zm.surfaces.paraboloid(curvature=curvature), gravity=G)
    start = bowl.start(contact=(0, 0), velocity=(0, 0))
    λ = zm.analysis.linearize(bowl, start).eigenvalues
    R = 1 / (2 * curvature)
    ω = np.sqrt(5 / 7 * G / (R - r))
    assert np.sum(np.abs(λ - 1j * ω) < 1e-8 * ω) == np.sum(np.abs(λ + 1j * ω) < 1e-8 * ω) == 2
    assert np.sum(np.abs(λ) < 1e-6) == len(λ) - 4


def test_a_mode_is_seen_in_a_run():
    """From a start displaced along a mode all coordinates swing with its frequency, up to the square of the amplitude."""
    system, hang = cartesian_double_pendulum()
    linear = zm.analysis.linearize(system, hang)
    for mode in linear.modes():
        run = zm.simulate(system, linear.displaced(mode, 1e-4), until=1 / mode.frequency)
        assert np.abs(run.y[-1] - run.y[0]).max() < 1e-6
        name = max(mode.shape, key=lambda key: abs(mode.shape[key]))
        x = next(q for q in system.coordinates if q.name == name)
        assert abs(run.at(0.5 / mode.frequency)[x][0] + run.at(0.0)[x][0]) < 1e-6
