"""Robots from MJCF files: against MuJoCo, against the same robots as URDF, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism import Robot
from zeromass.mechanism.description import RobotData
from zeromass.mechanism.turns import of_matrix
from zeromass.mechanism.urdf import read_urdf

ROBOTS = Path(__file__).parent / "robots"
ACROBAT = ROBOTS / "acrobat.xml"


def start_at(robot: Robot, q, v, u) -> tuple[zm.State, np.ndarray]:
    """The state where MuJoCo's positions, velocities and inputs are these, and the accelerations in its order."""
    system = robot.system()
    given, accelerations = [], []
    a = b = 0
    for joint in robot.joints.values():
        if joint.single:
            given += [(joint.angle, q[a]), (joint.rate, v[b])]
            accelerations += [zm.rate(joint.rate)]
            a, b = a + 1, b + 1
        elif joint.kind == "ball":
            given += [*zip(joint.coordinates, q[a : a + 4], strict=True)]
            given += [*zip(joint.speeds, v[b : b + 3], strict=True)]
            accelerations += [zm.rate(ω) for ω in joint.speeds]
            a, b = a + 4, b + 3
        elif joint.kind == "floating":
            ω = robot.links[joint.child].angular_velocity_body
            place = joint.coordinates[:3]
            given += [*zip(joint.coordinates, q[a : a + 7], strict=True)]
            given += [(zm.rate(place), v[b : b + 3]), (ω, v[b + 3 : b + 6])]
            accelerations += [*zm.rate(zm.rate(place)), *zm.rate(ω)]
            a, b = a + 7, b + 6
    inputs = dict(zip(robot.inputs.values(), u, strict=True))
    state = system.start(given, parameters=inputs)
    return state, state[np.array(accelerations)]


@pytest.fixture(scope="module")
def acrobat():
    return zm.from_mjcf(ACROBAT)


@pytest.mark.parametrize("case", json.loads((ROBOTS / "acrobat.json").read_text())["cases"], ids=["first", "second"])
def test_an_acrobat_moves_as_mujoco_said(acrobat, case):
    """All kinds of joints, geoms, turns, classes and actuators; MuJoCo 4.0.0's accelerations, kept in a file."""
    _, ours = start_at(acrobat, case["qpos"], case["qvel"], case["ctrl"])
    np.testing.assert_allclose(ours, case["qacc"], rtol=0, atol=1e-12 * np.abs(case["qacc"]).max())


@pytest.mark.slow
def test_accelerations_are_those_of_mujoco(acrobat):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(ACROBAT))
    data = mujoco.MjData(model)
    for seed in range(5):
        random = np.random.default_rng(seed)
        q, v, u = random.normal(size=model.nq), random.normal(size=model.nv), random.normal(size=model.nu)
        q[3:7], q[7:11] = q[3:7] / np.linalg.norm(q[3:7]), q[7:11] / np.linalg.norm(q[7:11])
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, u
        mujoco.mj_forward(model, data)
        _, ours = start_at(acrobat, q, v, u)
        np.testing.assert_allclose(ours, data.qacc, rtol=0, atol=1e-12 * np.abs(data.qacc).max())


def test_an_acrobat_keeps_its_energy_but_for_losses(acrobat):
    """Power of what acts is the rate of energy: springs and armature count in it, damping and motors do not."""
    case = json.loads((ROBOTS / "acrobat.json").read_text())["cases"][0]
    state, _ = start_at(acrobat, case["qpos"], case["qvel"], np.zeros(4))
    acting = [*acrobat.losses, *acrobat.actuators]
    power = sum(state[one.force * one.speed] for one in acting)
    assert abs(state[zm.rate(state.system.energy)] - power) < 1e-11 * abs(power)


def as_mjcf(data: RobotData) -> str:
    """A robot from a URDF file in the words of MJCF."""

    def numbers(values) -> str:
        return " ".join(repr(float(x)) for x in values)

    def body(name: str) -> str:
        link = data.links[name]
        xx, xy, xz, yy, yz, zz = link.inertia[np.triu_indices(3)]
        inertia = f'fullinertia="{numbers([xx, yy, zz, xy, xz, yz])}"'
        text = f'<inertial pos="{numbers(link.center)}" mass="{link.mass!r}" {inertia}/>' if link.mass else ""
        for joint in data.joints:
            if joint.parent == name:
                pose = f'pos="{numbers(joint.place)}" quat="{numbers(of_matrix(joint.turn))}"'
                kind = {"prismatic": "slide"}.get(joint.kind, "hinge")
                own = f'<joint name="{joint.name}" type="{kind}" axis="{numbers(joint.axis)}" damping="{joint.damping!r}"/>'
                inside = ("" if joint.kind == "fixed" else own) + body(joint.child)
                text += f'<body name="{joint.child}" {pose}>{inside}</body>'
        return text

    return f'<mujoco model="{data.name}"><worldbody>{body(data.root)}</worldbody></mujoco>'


@pytest.mark.parametrize("name", ["arm", "leg"])
def test_the_same_robot_as_urdf(name, tmp_path):
    described = zm.from_urdf(ROBOTS / f"{name}.urdf")
    (tmp_path / "robot.xml").write_text(as_mjcf(read_urdf(ROBOTS / f"{name}.urdf")))
    same = zm.from_mjcf(tmp_path / "robot.xml")
    found = []
    for robot in (described, same):
        moving = [joint for joint in robot.joints.values() if joint.single]
        moving.sort(key=lambda joint: joint.name)
        given = {joint.angle: 0.3 - 0.2 * k for k, joint in enumerate(moving)}
        given |= {joint.rate: 0.5 + 0.3 * k for k, joint in enumerate(moving)}
        start = robot.system().start(given)
        found.append([start[zm.rate(joint.rate)] for joint in moving])
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-12 * np.abs(found[0]).max())


TURNS = {
    "quat": ("", 'quat="0.5 0.5 0.5 0.5"'),
    "axisangle": ("", 'axisangle="1 1 1 120"'),
    "euler": ("", 'euler="0 90 90"'),
    "sequence": ('eulerseq="zyx"', 'euler="90 0 90"'),
    "fixed axes": ('eulerseq="XYZ"', 'euler="90 0 90"'),
    "radian": ('angle="radian"', f'euler="0 {np.pi / 2} {np.pi / 2}"'),
    "xyaxes": ("", 'xyaxes="0 1 0 0 0 1"'),
}


@pytest.mark.parametrize("name", TURNS)
def test_ways_to_say_that_x_becomes_y_and_y_becomes_z(name, tmp_path):
    compiler, turn = TURNS[name]
    text = f"""<mujoco><compiler {compiler}/><worldbody><body name="a" {turn}><joint axis="1 0 0"/>
    <geom type="sphere" size="0.1" pos="1 2 3"/></body></worldbody></mujoco>"""
    (tmp_path / "turned.xml").write_text(text)
    robot = zm.from_mjcf(tmp_path / "turned.xml")
    np.testing.assert_allclose(robot.system().start()[robot.links["a"].position], [3, 1, 2], atol=1e-15)


def test_classes_frames_and_files_within_files(tmp_path):
    """What a class says holds where an element says nothing; of its turn the element's own way counts alone."""
    (tmp_path / "limb.xml").write_text(
        """<mujoco><default><default class="limb"><geom type="box" size="0.1 0.2 0.3" quat="0 1 0 0"/>
        <default class="thin"><geom size="0.1 0.1 0.1" density="2000"/></default></default></default></mujoco>"""
    )
    (tmp_path / "robot.xml").write_text(
        """<mujoco><include file="limb.xml"/><worldbody><frame pos="0 0 1" euler="0 0 90">
        <body name="a" childclass="limb" pos="1 0 0"><joint type="slide"/><geom euler="0 0 90"/>
        <geom class="thin" pos="0 0 1"/></body></frame></worldbody></mujoco>"""
    )
    link = zm.from_mjcf(tmp_path / "robot.xml").links["a"]
    assert abs(link.mass.value - (48.0 + 16.0)) < 1e-12
    np.testing.assert_allclose(link.center, [0, 0, 16 / 64], atol=1e-15)
    np.testing.assert_allclose([e.value for e in link.at], [0, 1, 1.25], atol=1e-15)
    box = 48.0 / 3 * (0.1**2 + 0.3**2)  # turned, the side 0.1 lies along y
    both = box + 16.0 / 3 * 2 * 0.1**2 + 48.0 * 16.0 / 64.0
    assert abs(link.inertia[0, 0].value - both) < 1e-12


def test_several_joints_at_a_body_and_balls_as_free_bodies_that_joints_hold(tmp_path):
    (tmp_path / "robot.xml").write_text(
        """<mujoco><default><geom type="sphere" size="0.1"/></default><worldbody>
        <body name="a"><joint name="first" axis="0 1 0"/><joint name="second" axis="1 0 0" pos="0 0 0.2"/>
        <geom pos="0.3 0 -0.2"/><body name="b" pos="0.3 0 -0.4"><joint name="ball" type="ball"/><geom pos="0.1 0.1 -0.3"/>
        </body></body></worldbody></mujoco>"""
    )
    robot = zm.from_mjcf(tmp_path / "robot.xml")
    first, second = robot.joints["first"], robot.joints["second"]
    start = robot.system().start({first.angle: 0.4, second.angle: -0.3, first.rate: 1.0, second.rate: 2.0})
    bodies, joints = robot.bodies_and_joints()
    free = zm.System([*bodies.values()], gravity=9.81, joints=[*joints.values()])
    one, two = joints["first"], joints["second"]
    spin, S = start[robot.links["b"].angular_velocity], start[robot.links["b"].quaternion]
    same = free.start(
        [
            *((one.angle, 0.4), (one.rate, 1.0), (two.angle, -0.3), (two.rate, 2.0)),
            *((bodies["b"].quaternion, S), (bodies["b"].angular_velocity, spin)),
        ]
    )
    for pin, joint in ((one, first), (two, second)):
        assert abs(same[zm.rate(pin.rate)] - start[zm.rate(joint.rate)]) < 1e-9


WORLD = "<mujoco>\n<worldbody>\n<body name='a'>{}</body>\n</worldbody>\n{}</mujoco>"
BALL = "<geom type='sphere' size='0.1'/>"

FILES = {
    "no mujoco": ("<robot/>", 1, "describes a <robot>"),
    "empty": ("<mujoco>\n<worldbody/></mujoco>", 1, "has no bodies"),
    "loop": (WORLD.format(BALL, "<equality><connect body1='a'/></equality>"), 5, "<equality> is more than a tree"),
    "class": (WORLD.format("\n<joint class='x'/>" + BALL, ""), 4, "the class 'x' of <joint> is not defined"),
    "type": (WORLD.format("\n<joint type='universal'/>" + BALL, ""), 4, "of the type 'universal'; there are hinge"),
    "axis": (WORLD.format("\n<joint axis='0 0 0'/>" + BALL, ""), 4, "of length zero"),
    "range": (WORLD.format("\n<joint range='2 1'/>" + BALL, ""), 4, "the first the lower one"),
    "size": (WORLD.format("\n<geom type='box' size='1 2'/>", ""), 4, "a box has 3 sizes"),
    "geom": (WORLD.format("\n<geom type='sdf'/>", ""), 4, "of the type 'sdf'"),
    "mesh": (WORLD.format("\n<geom type='mesh' mesh='m'/>", ""), 4, "the mesh 'm' is no asset"),
    "turned twice": (WORLD.format("\n<geom quat='1 0 0 0' euler='1 0 0'/>", ""), 4, "has quat and euler"),
    "inertia": (WORLD.format("\n<inertial mass='1'/>", ""), 4, "one of diaginertia and fullinertia"),
    "mass": (WORLD.format("\n<inertial mass='-1' diaginertia='1 1 1'/>", ""), 4, "is -1"),
    "twice": (WORLD.format(f"{BALL}\n<body name='a'>{BALL}</body>", ""), 4, "which that on line 3 has"),
    "free inside": (WORLD.format(f"{BALL}<body>\n<freejoint/>{BALL}</body>", ""), 4, "only a body of the world"),
    "muscle": (WORLD.format(BALL, "<actuator>\n<muscle/></actuator>"), 6, "an actuator <muscle> is not known"),
    "no joint": (WORLD.format(BALL, "<actuator>\n<motor joint='j'/></actuator>"), 6, "which is no hinge"),
    "medium": (WORLD.format(BALL, "<option density='1.2'/>"), 5, "drag of a medium"),
    "included": (WORLD.format(BALL, "<include file='none.xml'/>"), 5, "none.xml can not be read"),
    "composite": (WORLD.format("\n<composite/>", ""), 4, "<composite> is not known"),
    "weights": ("<mujoco>\n<compiler settotalmass='3'/></mujoco>", 2, "changes what bodies weigh"),
}


@pytest.mark.parametrize("name", FILES)
def test_descriptions_say_the_line(name, tmp_path):
    text, line, words = FILES[name]
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(zm.errors.ModelError) as told:
        zm.from_mjcf(tmp_path / "robot.xml")
    assert str(told.value).startswith(f"robot.xml, line {line}: ")
    assert words in str(told.value)


def test_what_is_more_than_a_tree_can_be_left_out(tmp_path):
    (tmp_path / "robot.xml").write_text(WORLD.format("<joint/>" + BALL, "<equality><weld body1='a'/></equality>"))
    assert len(zm.from_mjcf(tmp_path / "robot.xml", without=["equality"]).coordinates) == 1
