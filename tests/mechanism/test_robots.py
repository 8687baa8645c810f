"""Robots from URDF files against Newton and Euler, against joints between free bodies, and against Pinocchio."""

from __future__ import annotations

import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.equation import Verdict
from zeromass.model import Rod

ROBOTS = Path(__file__).parent / "robots"
FILES = sorted(ROBOTS.glob("*.urdf"))


def anyhow(system: zm.System, seed: int) -> zm.State:
    random = np.random.default_rng(seed)
    values = [(x, random.normal(scale=0.5)) for x in [*system.coordinates, *system.rates]]
    return system.start(guess=values)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_velocities_are_rates_of_places(file):
    """What is carried from link to link along its axes, against derivatives of positions and of rotation matrices."""
    robot = zm.from_urdf(file)
    start = anyhow(robot.system(), 1)
    for link in robot.links.values():
        np.testing.assert_allclose(start[link.velocity], start[zm.rate(link.position)], atol=1e-12)
        W = start[zm.rate(link.rotation) @ link.rotation.T]
        np.testing.assert_allclose(start[link.angular_velocity], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-12)
        R = start[link.rotation]
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_energy_and_momentum_of_the_whole(file):
    """The power of gravity is that of energy; with nothing else acting, energy stays."""
    robot = zm.from_urdf(file)
    system = robot.system(losses=False)
    start = anyhow(system, 2)
    assert abs(start[zm.rate(system.energy)]) < 1e-10 * max(1.0, abs(start[system.energy]))


def test_an_arm_moves_as_free_bodies_that_joints_hold():
    """Minimal coordinates against seven coordinates a body and five rows a joint: two formulations that share no line."""
    robot = zm.from_urdf(ROBOTS / "arm.urdf")
    system = robot.system(gravity=9.81)
    angles = {robot.joints[name].angle: 0.3 * (k + 1) for k, name in enumerate(robot.joints)}
    rates = {robot.joints[name].rate: 0.5 - 0.2 * k for k, name in enumerate(robot.joints)}
    start = system.start({**angles, **rates})
    bodies, joints = robot.bodies_and_joints()
    pins = list(joints.values())
    free = zm.System([*bodies.values()], gravity=9.81, joints=pins)
    same = free.start(
        {
            **{pin.angle: value for pin, value in zip(pins, angles.values(), strict=True)},
            **{pin.rate: value for pin, value in zip(pins, rates.values(), strict=True)},
        }
    )
    theirs = [same[zm.rate(pin.rate)] for pin in pins]
    ours = [start[zm.rate(joint.rate)] for joint in robot.joints.values()]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-8)
    carried = sum(start[link.mass * zm.rate(link.velocity)] for link in robot.links.values())
    weight = 9.81 * sum(float(start[link.mass]) for link in robot.links.values())
    np.testing.assert_allclose(same[pins[0].force], carried + np.array([0, 0, weight]), atol=1e-7)


def test_a_finger_mimics_the_other():
    robot = zm.from_urdf(ROBOTS / "gripper.urdf")
    left, right = robot.joints["left-finger"], robot.joints["right-finger"]
    assert len(robot.coordinates) == 2
    start = robot.system().start({left.angle: 0.3, left.rate: 2.0})
    bodies, joints = robot.bodies_and_joints()
    free = zm.System([*bodies.values()], gravity=9.81, joints=[*joints.values()])
    hinge = joints["left-finger"]
    same = free.start({hinge.angle: 0.3, hinge.rate: 2.0, joints["slide"].displacement: 0.0, joints["slide"].rate: 0.0})
    np.testing.assert_allclose(same[zm.rate(hinge.rate)], start[zm.rate(left.rate)], rtol=1e-9)
    np.testing.assert_allclose(same[bodies["right"].position], start[robot.links["right"].position], atol=1e-12)
    assert abs(start[right.angle] - (-1.2 * 0.3 + 0.1)) < 1e-15
    assert abs(start[right.rate] + 2.4) < 1e-15


def leg(**options):
    robot = zm.from_urdf(ROBOTS / "leg.urdf")
    foot = zm.joints.Revolute(
        robot.links["front shank"],
        robot.links["rear shank"],
        at=[np.array([0, 0, -0.25]) - robot.links[name].center for name in ("front shank", "rear shank")],
        axis=((0, 1, 0), (0, 1, 0)),
        name="foot",
    )
    return robot, foot, robot.system(joints=[foot], **options)


def test_a_leg_whose_loop_a_joint_closes():
    """Two degrees of freedom; its foot is where two circles meet; energy stays."""
    robot, foot, system = leg(losses=False)
    start = system.start({robot.joints["front hip"].angle: -0.6, robot.joints["rear hip"].angle: 0.6})
    diagnosis = system.check(start)
    assert diagnosis.degrees_of_freedom == 2
    assert diagnosis.unique
    knees = [start[robot.links[f"{side} shank"].frame.origin] for side in ("front", "rear")]
    np.testing.assert_allclose([np.linalg.norm(start[foot.point] - knee) for knee in knees], 0.25, atol=1e-12)
    run = zm.simulate(system, start, until=0.5)
    assert np.ptp(run[system.energy]) < 1e-8


def test_a_finger_that_does_the_same_has_no_coordinate_of_its_own(tmp_path):
    text = (ROBOTS / "gripper.urdf").read_text()
    plain = re.sub(r"<mimic [^>]*>", '<mimic joint="left-finger"/>', text)
    assert plain != text
    (tmp_path / "gripper.urdf").write_text(plain)
    robot = zm.from_urdf(tmp_path / "gripper.urdf")
    assert len(robot.coordinates) == 2
    assert robot.joints["right-finger"].angle is robot.joints["left-finger"].angle
    assert robot.system().check().degrees_of_freedom == 2


def test_a_robot_that_flies_keeps_energy_and_momenta():
    """Nothing acts but gravity: P gains the impulse of the weight, H about the mass centre stays."""
    robot = zm.from_urdf(ROBOTS / "leg.urdf", base="free")
    system = robot.system(losses=False)
    hip = robot.joints["front hip"]
    links = robot.links.values()
    m = sum(link.mass for link in links)
    P = sum(link.mass * link.velocity for link in links)
    c = sum(link.mass * link.position for link in links) / m
    spin = [link.rotation @ link.inertia @ link.angular_velocity_body for link in links]
    H = sum(spin) + sum(link.mass * np.cross(link.position - c, link.velocity - P / m) for link in links)
    root = next(iter(links))
    start = system.start([(root.angular_velocity, (1.0, 2.0, 0.5)), (hip.rate, 3.0)])
    run = zm.simulate(system, start, until=0.5)
    assert np.ptp(run[system.energy]) < 1e-9
    np.testing.assert_allclose(run[H], np.broadcast_to(start[H], run[H].shape), atol=1e-10)
    weight = 9.81 * start[m] * run.t
    np.testing.assert_allclose(run[P] - start[P], np.outer(weight, (0, 0, -1)), atol=1e-9)


def test_the_foot_carries_what_its_rows_say():
    """F · δp + τ · δθ of both shanks is the joint's part of Aᵀλ: its force on links, without coordinates of their own."""
    robot, foot, system = leg()
    start = system.start({robot.joints["front hip"].angle: -0.6, robot.joints["rear hip"].angle: 0.4})
    v, F, τ = system.rates, start[foot.force], start[foot.torque]
    a, b = (robot.links[f"{side} shank"] for side in ("front", "rear"))
    total = np.zeros(len(v))
    for link, sign in ((a, -1), (b, 1)):
        arm = start[foot.point - link.position]
        by_v, by_ω = (start[zm.expression.jacobian(e, v)] for e in (link.velocity, link.angular_velocity))
        total += sign * (F @ by_v + (τ + np.cross(arm, F)) @ by_ω)
    np.testing.assert_allclose(start[system.reaction["foot"]], total, atol=1e-9)
    assert np.linalg.norm(F) > 0.1


def test_gears_between_joints_of_a_robot():
    robot = zm.from_urdf(ROBOTS / "arm.urdf")
    roll, turn = robot.joints["roll"], robot.joints["turn"]
    system = robot.system(joints=[zm.joints.Gear(roll, turn, ratio=-2.0)])
    run = zm.simulate(system, system.start({roll.angle: 0.3, roll.rate: 1.0}), until=0.5)
    np.testing.assert_allclose(run[turn.angle], -2.0 * run[roll.angle], atol=1e-13)


def test_a_massless_finger_that_nothing_holds_is_named(tmp_path):
    text = (ROBOTS / "gripper.urdf").read_text().replace('type="fixed"', 'type="continuous"')
    (tmp_path / "loose.urdf").write_text(text)
    diagnosis = zm.from_urdf(tmp_path / "loose.urdf").system().check()
    assert diagnosis.verdict is Verdict.UNDETERMINED
    assert diagnosis.undetermined[0].direction == {"end": 1.0}
    assert "tip turns" in diagnosis.undetermined[0].motion


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_robot_is_drawn_by_its_links_alone(file):
    """Not by its coordinates, which the places of links depend on; links without mass and looks carry others unseen."""
    robot = zm.from_urdf(file)
    drawing = robot.system().drawing
    seen = [name for name, link in robot.links.items() if link.looks or link.mass.value]
    assert list(dict.fromkeys(body.name for body in drawing.bodies)) == seen
    assert not drawing.arrows


@pytest.mark.parametrize("bodies", [False, True])
def test_links_without_visuals_are_tubes_between_their_joints(tmp_path, bodies):
    """Whether coordinates are those of joints or of links: from the joint to the link before to that of the link behind."""
    inertial = '<inertial><origin xyz="{}"/><mass value="1"/><inertia ixx="1e-3" iyy="1.2e-3" izz="1.4e-3"/></inertial>'
    link = f'<link name="{{}}">{inertial}</link>'
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/></joint>'
    links = link.format("base", "0 0 0") + link.format("arm", "0.05 0 0.3") + link.format("hand", "0 0 0.02")
    joints = joint.format("shoulder", "base", "arm", "0 0 0.02") + joint.format("wrist", "arm", "hand", "0.1 0 0.6")
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    robot = zm.from_urdf(tmp_path / "arm.urdf", **({"coordinates": "bodies"} if bodies else {}))
    (tube,) = [one for one in robot.system().drawing.bodies if one.name == "arm" and isinstance(one.shape, Rod)]
    ends = [np.array(tube.middle) + sign * tube.shape.length / 2 * np.array(tube.shape.axis) for sign in (-1, 1)]
    np.testing.assert_allclose(ends, [(-0.05, 0.0, -0.3), (0.05, 0.0, 0.3)], atol=1e-12)  # from the mass centre


def test_meshes_of_visuals_are_found_and_drawn_at_their_places(tmp_path):
    """Beside the file and in its package, scaled; those that are not there, or of other formats, are told."""
    (tmp_path / "tool" / "urdf").mkdir(parents=True)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "tool" / "tip.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = '<visual><origin xyz="0 0 1"/><geometry>\n<mesh filename="{}" scale="2 2 2"/></geometry></visual>'
    names = ("package://tool/tip.obj", "../tip.obj", "package://tool/tip.dae", "gone.stl")
    inertial = '<inertial><origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    file = tmp_path / "tool" / "urdf" / "tool.urdf"
    file.write_text(f'<robot><link name="base">{inertial}{"".join(map(mesh.format, names))}</link></robot>')
    robot = zm.from_urdf(file, base="free")
    looks = robot.links["base"].looks
    assert [repr(look.shape) for look in looks] == ["MeshFile('tip.obj')"] * 2
    assert robot.remarks == tuple(
        f"tool.urdf, line {line}: '{name}' is not drawn: it is not there, or no .stl or .obj"
        for line, name in zip((4, 5), names[2:], strict=True)
    )
    system = pickle.loads(pickle.dumps(robot.system()))
    for body in system.drawing.bodies:
        np.testing.assert_allclose(body.middle, (0, 0, 0.5))  # from the mass centre
        np.testing.assert_allclose(np.ptp(body.shape.corners, axis=0), 2.0)
    page = zm.simulate(system, system.start(), until=0.1).view(tmp_path / "tool.html").read_text()
    assert '"kind":"mesh"' in page


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "base"), [("arm", "fixed"), ("leg", "fixed"), ("leg", "free")])
def test_accelerations_are_those_of_pinocchio(robot, base):
    """At random states, to 1e-10 of the largest."""
    pinocchio = pytest.importorskip("pinocchio")
    assert worst_difference(pinocchio, ROBOTS / f"{robot}.urdf", base) < 1e-10


@pytest.mark.slow
def test_robots_of_the_world_load_as_they_are_and_move_as_pinocchio_says():
    """Those of robot_descriptions whose files are on this machine; nothing is downloaded."""
    pinocchio = pytest.importorskip("pinocchio")
    descriptions = pytest.importorskip("robot_descriptions")
    cache = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", Path.home() / ".cache" / "robot_descriptions"))
    files = sorted(cache.rglob("*.urdf"))
    if not files:
        pytest.skip(f"{descriptions.__name__} has no files in {cache}")
    compared = 0
    for file in files:
        try:
            model = pinocchio.buildModelFromUrdf(str(file))
            robot = zm.from_urdf(file)
        except (ValueError, RuntimeError):
            continue  # no tree of links for one of both, and said so
        if model.nv and len(robot.coordinates) and robot.system(losses=False).check().unique:
            assert worst_difference(pinocchio, file) < 1e-10
            compared += 1
    assert compared


def worst_difference(pinocchio, file: Path, base: str = "fixed") -> float:
    """Accelerations of our robot against Pinocchio's at random states; the largest difference.

    By the articulated-body algorithm. Joints that mimic others are free ones there: T Tᵀ(M q̈ + h) = 0 with q̇ = T ẋ then.
    """
    extra = [pinocchio.JointModelFreeFlyer()] if base == "free" else []
    model = pinocchio.buildModelFromUrdf(str(file), *extra)
    data = model.createData()
    robot = zm.from_urdf(file, base=base)
    system = robot.system(losses=False)
    random, worst = np.random.default_rng(0), 0.0
    for _ in range(5):
        angles, speeds = ({name: random.normal() for name in robot.joints} for _ in range(2))
        given = {joint.angle: angles[name] for name, joint in robot.joints.items() if _leads(joint)}
        given |= {joint.rate: speeds[name] for name, joint in robot.joints.items() if _leads(joint)}
        q, v = pinocchio.neutral(model), random.normal(size=model.nv)
        pairs = [*given.items()]
        if base == "free":
            u = random.normal(size=4)
            u /= np.linalg.norm(u)
            q[:3], q[3:7] = random.normal(size=3), [*u[1:], u[0]]
            root = next(iter(robot.links.values()))
            pairs += [*zip(robot.base, [*q[:3], *u], strict=True)]
            pairs += [(root.frame.velocity, v[:3]), (root.frame.angular_velocity, v[3:6])]
        start = system.start(pairs)
        places, leaders = {}, [x for name, joint in robot.joints.items() if _leads(joint) for x in joint.coordinates]
        T = np.zeros((model.nv, len(leaders)))
        for name, joint in robot.joints.items():
            if joint.single:
                k = model.joints[model.getJointId(name)]
                angle, places[name] = start[joint.angle], k.idx_v
                q[k.idx_q : k.idx_q + k.nq] = [np.cos(angle), np.sin(angle)] if k.nq == 2 else [angle]
                v[k.idx_v] = start[joint.rate]
                T[k.idx_v] = [start[zm.expression.derivative(joint.angle, x)] for x in leaders]
        ddq = pinocchio.aba(model, data, q, v, np.zeros(model.nv))
        M, h = pinocchio.crba(model, data, q).copy(), pinocchio.nonLinearEffects(model, data, q, v)
        M = np.triu(M) + np.triu(M, 1).T
        if any(joint.data.mimic is not None for joint in robot.joints.values()):
            M = T.T @ M @ T
            ddq = T @ np.linalg.solve(M, -T.T @ h)
        size, condition = np.abs(ddq).max(), np.linalg.cond(M)
        for name, at in places.items():
            off = abs(start[zm.rate(robot.joints[name].rate)] - ddq[at]) / max(size, 1.0)
            worst = max(worst, off / max(1.0, 1e-6 * condition))  # beyond 1e6, rounding alone differs by more
    return worst


def _leads(joint) -> bool:
    """Whether a joint has a coordinate of its own."""
    return joint.single and joint.data.mimic is None
