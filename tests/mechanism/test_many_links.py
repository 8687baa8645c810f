"""Robots and mechanisms of many links: formulas that do not grow along a chain, and motions of other formulations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.compile.rolled.elements import unsupported
from zeromass.compile.rolled.kinds import kinds_of
from zeromass.compile.rolled.structure import elements_of
from zeromass.expression import symbols

ROBOTS = Path(__file__).parent / "robots"

MASS, HALF, INERTIA = 1.2, 0.05, 0.004
"""Of each link of a chain: its mass, half its length, and its moment of inertia across."""

INERTIAL = f"""<inertial><origin xyz="0 0 {-HALF}"/><mass value="{MASS}"/>
<inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="1e-4"/></inertial>"""


def urdf(
    count: int, above: Callable[[int], int] = lambda i: i - 1, axis: Callable[[int], str] = lambda i: "0 1 0"
) -> str:
    """A robot whose link i hangs on another one, or on the base."""
    lines = ['<robot name="many">', '<link name="base"/>']
    for i in range(count):
        parent, z = ("base", 0.0) if above(i) < 0 else (f"l{above(i)}", -2 * HALF)
        ends = f'<parent link="{parent}"/><child link="l{i}"/><origin xyz="0 0 {z}"/><axis xyz="{axis(i)}"/>'
        lines += [f'<link name="l{i}">{INERTIAL}</link>', f'<joint name="j{i}" type="continuous">{ends}</joint>']
    return "\n".join([*lines, "</robot>"])


def mjcf(count: int, rotor: float = 0.0) -> str:
    inertial = f'<inertial pos="0 0 {-HALF}" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} 1e-4"/>'
    begins = [
        f'<body pos="0 0 {-2 * HALF * (i > 0)}"><joint name="j{i}" axis="0 1 0" armature="{rotor}"/>{inertial}'
        for i in range(count)
    ]
    return "<mujoco><worldbody>" + "\n".join(begins) + "</body>" * count + "</worldbody></mujoco>"


def robot_of(text: str, folder: Path, **options) -> zm.Robot:
    file = folder / "many.xml"
    file.write_text(text)
    return (zm.from_mjcf if text.startswith("<mujoco") else zm.from_urdf)(file, **options)


def chain_acceleration(θ: np.ndarray, ω: np.ndarray, g: float, rotor: float = 0.0) -> np.ndarray:
    """Of the joint angles of a chain of equal links that hangs in the plane x–z and turns about y.

    In angles φ to the vertical, link i has its centre at Σ_{j<i} 2h e(φ_j) + h e(φ_i), e = (−sin φ, −cos φ), so that
    M_ij = c_ij cos(φ_i − φ_j) and M φ̈ = −c_ij sin(φ_i − φ_j) φ̇_j² − k_i g sin φ_i. A rotor turns with each joint.
    """
    n = len(θ)
    reach = np.array([[2 * HALF * (j < i) + HALF * (j == i) for j in range(n)] for i in range(n)])
    c, k = MASS * reach.T @ reach, MASS * reach.sum(axis=0)
    φ, v = np.cumsum(θ), np.cumsum(ω)
    between = φ[:, None] - φ
    M = c * np.cos(between) + INERTIA * np.eye(n)
    force = -(c * np.sin(between)) @ v**2 - k * g * np.sin(φ)
    L = np.tril(np.ones((n, n)))  # φ = L θ
    return np.linalg.solve(L.T @ M @ L + rotor * np.eye(n), L.T @ force)


@pytest.mark.parametrize(("text", "rotor"), few([(urdf, 0.0), (lambda count: mjcf(count, 0.02), 0.02), (mjcf, 0.0)], 2))
def test_a_long_chain_accelerates_as_lagranges_equations_say(
    text: Callable[[int], str], rotor: float, tmp_path: Path
) -> None:
    """A plane chain of forty links, turned far: 1e-10 of the largest acceleration, of a matrix of condition 1e4."""
    count, random = 40, np.random.default_rng(3)
    θ, ω = random.normal(scale=0.5, size=(2, count))
    robot = robot_of(text(count), tmp_path)
    joints = [robot.joints[f"j{i}"] for i in range(count)]
    system = robot.system()
    start = system.start(
        {j.angle: x for j, x in zip(joints, θ, strict=True)} | {j.rate: x for j, x in zip(joints, ω, strict=True)}
    )
    assert unsupported(system) is None
    expected = chain_acceleration(θ, ω, 9.81, rotor)
    found = start[zm.rate(np.array([j.rate for j in joints]))]
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    tip = -2 * HALF * np.array([np.sin(np.cumsum(θ)).sum(), 0.0, np.cos(np.cumsum(θ)).sum()])
    last = robot.links["l39" if text is urdf else "body 40"]
    assert np.abs(start[last.at_frame((0, 0, -2 * HALF))] - tip).max() < 1e-12


@pytest.mark.parametrize("file", [*sorted(ROBOTS.glob("*.urdf")), ROBOTS / "acrobat.xml"], ids=lambda file: file.stem)
def test_links_with_coordinates_of_their_own_move_alike(file: Path) -> None:
    """Every kind of joint, actuators, springs and losses: the two ways to say where links are share no formula of M."""
    read = zm.from_mjcf if file.suffix == ".xml" else zm.from_urdf
    few, many = (read(file, coordinates=kind) for kind in ("joints", "bodies"))
    random = np.random.default_rng(0)
    system, other = few.system(), many.system()
    guess = [(x, random.normal(scale=0.5)) for x in [*system.coordinates, *system.rates]]
    start = system.start(guess=guess)
    names = [x.name for x in few.coordinates]
    assert names == [x.name for x in many.coordinates]
    same = other.start(
        [(many.coordinates, start[few.coordinates]), (zm.rate(many.coordinates), start[zm.rate(few.coordinates)])]
    )
    for name, link in few.links.items():
        body = many.links[name]
        for one, two in (
            (link.position, body.position),
            (link.velocity, body.velocity),
            (link.rotation, body.rotation),
        ):
            np.testing.assert_allclose(same[two], start[one], atol=1e-11)
    expected = start[zm.rate(zm.rate(few.coordinates))]
    found = same[zm.rate(zm.rate(many.coordinates))]
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
    assert same[other.energy] == pytest.approx(start[system.energy], rel=1e-11)


@pytest.mark.parametrize("count", few([6, 18]))
def test_what_a_start_leaves_open_is_at_rest_in_both(count: int, tmp_path: Path) -> None:
    """Joints without prescribed values keep the reference pose; dry friction, springs and rotors act alike."""
    text = mjcf(count).replace('armature="0.0"', 'damping="0.01" stiffness="0.2" armature="0.001"')
    text = text.replace('name="j3"', 'name="j3" frictionloss="0.05"')
    ends = []
    for kind in ("joints", "bodies"):
        robot = robot_of(text, tmp_path, coordinates=kind)
        angles = np.array([robot.joints[f"j{i}"].angle for i in range(count)])
        system = robot.system()
        start = system.start({angles[1]: 0.5, zm.rate(angles[3]): 0.4})
        assert np.allclose(start[zm.rate(angles)], np.where(np.arange(count) == 3, 0.4, 0.0), rtol=0, atol=1e-13)
        ends.append(zm.simulate(system, start, until=0.02, rtol=1e-10, atol=1e-12)[angles][-1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def test_formulas_of_links_do_not_grow_along_a_chain(tmp_path: Path) -> None:
    """Twice as many links: twice as many rows, each of as many symbols, of as many kinds."""
    seen = []
    for count in (40, 80):
        system = robot_of(urdf(count, axis=lambda i: ("0 1 0", "1 0 0")[i % 2]), tmp_path).system()
        assert unsupported(system) is None
        kinds = kinds_of(elements_of(system), plain=False)
        seen.append((len(system.rows) / count, max(len(symbols(row.zero)) for row in system.rows), len(kinds)))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("text", few([urdf, mjcf]))
def test_work_of_reading_grows_with_the_links(text: Callable[[int], str], tmp_path: Path) -> None:
    """Calls until a robot is a system: those of seventy further links are twice those of thirty-five, about."""

    def calls(count: int) -> int:
        told = 0

        def heard(frame, event: str, argument) -> None:
            nonlocal told
            swept = frame.f_code.co_qualname.startswith("_Table")  # of all expressions there are, now and then
            told += event in ("call", "c_call") and not swept

        sys.setprofile(heard)
        try:
            robot_of(text(count), tmp_path).system()
        finally:
            sys.setprofile(None)
        return told

    calls(35)
    few, some, many = (calls(count) for count in (35, 70, 140))
    assert many - some < 2.1 * (some - few)


def test_a_chain_of_bodies_in_a_file_may_be_long(tmp_path: Path) -> None:
    robot = robot_of(mjcf(600), tmp_path)
    assert len(robot.links) == 601
    assert len(robot.coordinates) == 600


def test_many_short_branches_in_the_coordinates_of_their_joints(tmp_path: Path) -> None:
    """So many that matrices of parts would not be written out; links have none of their own, and theirs are."""
    robot = robot_of(urdf(130, above=lambda i: -1), tmp_path, coordinates="joints")
    system = robot.system(gravity=10.0)
    start = system.start({robot.joints["j7"].angle: 0.5})
    expected = -MASS * 10.0 * HALF * np.sin(0.5) / (MASS * HALF**2 + INERTIA)
    assert start[zm.rate(robot.joints["j7"].rate)] == pytest.approx(expected, rel=1e-12)


def test_the_words_for_coordinates_are_two(tmp_path: Path) -> None:
    with pytest.raises(zm.errors.ModelError, match="coordinates is 'links'; it is 'joints' or 'bodies'"):
        robot_of(urdf(2), tmp_path, coordinates="links")


# made by hand --------------------------------------------------------------------------------------------------------
def hinged(count: int) -> tuple[list[zm.RigidBody], list[zm.joints.Revolute], zm.System]:
    """The same chain, of bodies and hinges."""
    bodies: list[zm.RigidBody] = []
    hinges: list[zm.joints.Revolute] = []
    for i in range(count):
        before = bodies[-1] if bodies else zm.Ground()
        bodies.append(zm.RigidBody(f"l{i}", MASS, (INERTIA, INERTIA, 1e-4), at=(0, 0, -2 * HALF * i - HALF)))
        hinges.append(zm.joints.Revolute(before, bodies[-1], at=(0, 0, -2 * HALF * i), axis=(0, 1, 0), name=f"j{i}"))
    return bodies, hinges, zm.System(bodies, gravity=9.81, joints=hinges)


def test_starts_of_many_hinges_are_found_without_their_matrices() -> None:
    """Angles and rates of all hinges, against Lagrange's equations; nothing of n² entries is written out."""
    count, random = 20, np.random.default_rng(5)
    θ, ω = random.normal(scale=0.3, size=(2, count))
    bodies, hinges, system = hinged(count)
    assert system.large
    start = system.start(
        {pin.angle: x for pin, x in zip(hinges, θ, strict=True)}
        | {pin.rate: x for pin, x in zip(hinges, ω, strict=True)}
    )
    assert not system.equations_of_starts
    assert "sparse_A" not in vars(system)
    φ = np.cumsum(θ)
    x = -HALF * (np.sin(φ) + 2 * (np.cumsum(np.sin(φ)) - np.sin(φ)))
    assert np.abs(start[np.array([body.position[0] for body in bodies])] - x).max() < 1e-12
    expected = chain_acceleration(θ, ω, 9.81)
    found = start[zm.rate(np.array([pin.rate for pin in hinges]))]
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_formulas_may_be_prescribed_of_many_hinges() -> None:
    """Where the end is, how fast the middle goes and the first body turns; what is left open has the least energy."""
    bodies, hinges, system = hinged(20)
    asked = [(bodies[-1].point((0, 0, -HALF))[0], 0.7), (bodies[9].velocity[0] + bodies[9].velocity[2], 0.3)]
    start = system.start([*asked, (bodies[0].angular_velocity[1], -0.2), (hinges[4].angle, 0.1)])
    assert not system.equations_of_starts
    for e, value in (*asked, (bodies[0].angular_velocity[1], -0.2), (hinges[4].angle, 0.1)):
        assert start[e] == pytest.approx(value, abs=1e-13)
    _, residuals = system.residuals
    assert np.abs(residuals(start.inputs)).max() < 1e-13
    still = system.start([(bodies[0].angular_velocity[1], -0.2)])
    q̇ = system.rates
    slopes = still[zm.expression.jacobian([bodies[0].angular_velocity[1]], q̇)]
    free = np.linalg.svd(np.vstack([still.matrices.A, slopes]))[2][len(system.rows) + 1 :].T
    M = still.matrices.M
    assert np.abs(free.T @ M @ still.v).max() < 1e-12  # of all rates that satisfy it those of the least energy


def test_all_angles_of_a_long_chain_may_be_given() -> None:
    """A hundred hinges coiled up, which no step from the drawing leads to: places by sums of directions."""
    count = 100
    bodies, hinges, system = hinged(count)
    start = system.start({pin.angle: 0.4 + 0.01 * k for k, pin in enumerate(hinges)})
    φ = np.cumsum(0.4 + 0.01 * np.arange(count))
    z = -HALF * (np.cos(φ) + 2 * (np.cumsum(np.cos(φ)) - np.cos(φ)))
    assert np.abs(start[np.array([body.position[2] for body in bodies])] - z).max() < 1e-11
    assert np.allclose(start[np.array([pin.angle for pin in hinges])], 0.4 + 0.01 * np.arange(count), rtol=0, atol=0)


def test_prescribed_angles_that_can_not_be_are_told() -> None:
    """A ring of hinges about one axis closes for few angles."""
    bodies, hinges, _ = hinged(20)
    ring = zm.joints.Revolute(bodies[-1], zm.Ground(), at=(0, 0, -2 * HALF * 20), axis=(0, 1, 0), name="end")
    system = zm.System(bodies, gravity=0, joints=[*hinges, ring])
    with pytest.raises(zm.errors.StartError, match="no positions satisfy"):
        system.start({pin.angle: 0.1 for pin in hinges})
    assert np.isclose(system.start({hinges[0].angle: 0.0, hinges[5].angle: 0.0})[hinges[0].angle], 0.0)


@pytest.mark.slow
def test_a_long_chain_is_kept_in_a_file(tmp_path: Path) -> None:
    """Its base, which has no coordinates, among the links: the run goes on as it would."""
    robot = robot_of(urdf(24), tmp_path)
    system = robot.system()
    run = zm.simulate(system, system.start({robot.joints["j0"].angle: 0.3}), until=0.05)
    run.save(tmp_path / "chain.nc")
    again = zm.load(tmp_path / "chain.nc")
    assert np.array_equal(again.y, run.y)
    assert [len(part.coordinates) for part in again.system.parts] == [0, *[7] * 24]
    on, beyond = (zm.simulate(one.system, one.state(0.05), until=0.06) for one in (run, again))
    assert np.array_equal(on.y[-1], beyond.y[-1])
