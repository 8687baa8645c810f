"""What MJCF files say in few words: flags, defaults that are shared, names, damped free joints, meshes from afar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism import Robot

WORLD = "<mujoco>\n<worldbody>\n<body name='a'>{}</body>\n</worldbody>\n{}</mujoco>"
BALL = "<geom type='sphere' size='0.1'/>"


def robot_of(tmp_path: Path, text: str) -> Robot:
    (tmp_path / "robot.xml").write_text(text)
    return zm.from_mjcf(tmp_path / "robot.xml")


def test_gravity_that_a_flag_disables(tmp_path):
    slide = "<joint name='j' type='slide'/>" + BALL
    robot = robot_of(tmp_path, WORLD.format(slide, "<option><flag gravity='disable' contact='disable'/></option>"))
    start = robot.system().start()
    assert start[zm.rate(robot.joints["j"].rate)] == 0.0


def test_a_free_joint_is_damped_and_has_armature(tmp_path):
    """m v̇ = −m g − c v and J ω̇ = −c ω, with the armature in m and J; both may come from the class."""
    default = "<default><joint damping='2' armature='0.3'/></default>"
    free = "<joint name='j' type='free'/><geom type='sphere' size='0.5' mass='4'/>"
    robot = robot_of(tmp_path, WORLD.format(free, default))
    joint, link = robot.joints["j"], robot.links["a"]
    ω, place = link.angular_velocity_body, joint.coordinates[:3]
    start = robot.system().start([(zm.rate(place), (1.0, 2.0, 3.0)), (ω, (0.5, -1.0, 2.0))])
    a = start[np.array([*zm.rate(zm.rate(place)), *zm.rate(ω)])]
    m, J = 4.0 + 0.3, 0.4 * 4.0 * 0.5**2 + 0.3
    exact = [-2 / m, -4 / m, (-6 - 4 * 9.81) / m, -1.0 / J, 2.0 / J, -4.0 / J]
    np.testing.assert_allclose(a, exact, rtol=1e-13)


@pytest.mark.parametrize(
    ("default", "actuator", "force"),
    [
        ("<general forcerange='-0.5 0.5'/><motor gear='3'/>", "<position name='u' joint='j' kp='5'/>", 3 * -0.5),
        ("<motor gear='3'/>", "<position name='u' joint='j' kp='5'/>", 3 * 5 * (0.7 - 3 * 0.4)),
        ("<position kp='50' gear='2'/>", "<motor name='u' joint='j'/>", 2 * 0.7),
        (
            "<general biastype='affine' biasprm='0.1 -20 -3' gainprm='2'/>",
            "<general name='u' joint='j' biasprm='1 -5'/>",
            2 * 0.7 + 1 - 5 * 0.4 - 3 * 0.2,
        ),
    ],
    ids=["range of another kind", "gear of another kind", "law of another kind", "fewer numbers than the class"],
)
def test_actuators_share_their_defaults(default, actuator, force, tmp_path):
    """A mass of 2 kg on a level slide at 0.4 m and 0.2 m/s, the input 0.7: what accelerates it is the actuator alone."""
    slide = "<joint name='j' type='slide' axis='1 0 0'/><geom type='sphere' size='0.1' mass='2'/>"
    robot = robot_of(tmp_path, WORLD.format(slide, f"<default>{default}</default><actuator>{actuator}</actuator>"))
    j = robot.joints["j"]
    start = robot.system().start({j.displacement: 0.4, j.rate: 0.2}, parameters={robot.inputs["u"]: 0.7})
    assert abs(start[zm.rate(j.rate)] - force / 2) < 1e-14


def test_sizes_that_are_fewer_than_those_of_the_class(tmp_path):
    default = "<default><geom type='box' size='0.1 0.2 0.3' density='10'/></default>"
    robot = robot_of(tmp_path, WORLD.format("<joint/><geom size='0.5'/>", default))
    assert abs(robot.links["a"].mass.value - 8 * 10 * 0.5 * 0.2 * 0.3) < 1e-14


@pytest.mark.parametrize("names", [("mount", "mount"), ("pin", "mount"), ("body 1", "body 2")])
def test_bodies_and_joints_may_share_names_and_have_none(names, tmp_path):
    """A pendulum that hangs on a body that is fixed: whatever they are called, one coordinate, and ω² = g/l."""
    inner = (
        f"<body><joint name='{names[0]}' axis='0 1 0'/><geom type='sphere' size='1e-9' pos='0 0 -2' mass='1'/></body>"
    )
    text = f"<mujoco><worldbody><body name='{names[1]}'>{BALL}{inner}</body></worldbody></mujoco>"
    robot = robot_of(tmp_path, text)
    pin = robot.joints[names[0]]
    assert len(robot.coordinates) == 1
    assert len(robot.joints) == 2
    start = robot.system().start({pin.angle: np.pi / 6})
    assert abs(start[zm.rate(pin.rate)] + 9.81 / 2 * 0.5) < 1e-9


def test_what_is_nothing_is_taken_as_that(tmp_path):
    text = "<joint name='j' range='0 0'/><geom type='box' size='0.1 0.2 0.3' euler='0 0 0'/>"
    compiler = "<compiler boundmass='0.0' settotalmass='-1.0' balanceinertia='false'/>"
    robot = robot_of(tmp_path, WORLD.format(text, compiler))
    assert robot.joints["j"].kind == "continuous"
    assert abs(robot.links["a"].mass.value - 48.0) < 1e-12


def test_files_beside_the_one_that_includes_them(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "first.xml").write_text("<x><include file='second.xml'/></x>")
    (tmp_path / "parts" / "second.xml").write_text("<x><default><geom density='500'/></default></x>")
    text = WORLD.format("<joint/><geom type='box' size='0.1 0.1 0.1'/>", "<include file='parts/first.xml'/>")
    robot = robot_of(tmp_path, text)
    assert abs(robot.links["a"].mass.value - 4.0) < 1e-14


def test_meshes_that_are_seen_from_elsewhere(tmp_path):
    """refpos and refquat are the geom's axes in those of the file; what is not drawn is said."""
    corners, faces = np.array([[0, 0, 0], [6, 0, 0], [0, 6, 0], [0, 0, 6]]), ["1 3 2", "1 2 4", "1 4 3", "2 3 4"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "corner.obj").write_text("\n".join(lines))
    asset = "<asset><mesh name='m' file='C:\\x\\corner.obj' refpos='1 2 3' refquat='1 0 0 1'/>"
    asset += "<mesh file='none.stl'/></asset><compiler meshdir='files' strippath='true'/>"
    geoms = "<joint/><geom type='mesh' mesh='m' pos='0 0 1'/><geom type='mesh' mesh='none' mass='0'/>"
    robot = robot_of(tmp_path, WORLD.format(geoms, asset))
    middle = corners.mean(axis=0) - [1, 2, 3]  # seen from axes turned by a right angle about z: (y, −x, z)
    np.testing.assert_allclose(robot.links["a"].center, [middle[1], -middle[0], middle[2] + 1], atol=1e-14)
    assert robot.remarks == ("robot.xml, line 3: a geom is not drawn: the file of its mesh is not there",)


HINGE = "<joint name='j'/>" + BALL
MESH = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"

REFUSED = {
    "a word that is none": (
        WORLD.format("\n<joint dampping='1'/>" + BALL, ""),
        4,
        "dampping=… of <joint> is not known",
    ),
    "a word not known": (WORLD.format("\n<joint springdamper='1 1'/>" + BALL, ""), 4, "springdamper=… of <joint>"),
    "in a class": (WORLD.format(HINGE, "<default>\n<joint springdamper='1 1'/></default>"), 6, "springdamper=… of"),
    "an element": (WORLD.format("\n<joints/>" + BALL, ""), 4, "<joints> inside <body> is not known"),
    "a section": (WORLD.format(HINGE, "<defualt/>"), 5, "<defualt> inside <mujoco> is not known"),
    "a plugin": (WORLD.format(HINGE + "\n<plugin/>", ""), 4, "<plugin> inside <body> is not known"),
    "a choice": (
        WORLD.format("\n<joint limited='yes'/>" + BALL, ""),
        4,
        "limited='yes' of <joint> is one of true, false",
    ),
    "a number": (WORLD.format("\n<joint damping='1_0'/>" + BALL, ""), 4, "damping='1_0' of <joint> is no number"),
    "a flag": (WORLD.format(HINGE, "<option>\n<flag spring='disable'/></option>"), 6, "spring of <flag> is not known"),
    "groups": (WORLD.format(HINGE, "<option actuatorgroupdisable='1'/>"), 5, "actuatorgroupdisable of <option>"),
    "far coordinates": (WORLD.format(HINGE, "<compiler coordinate='global'/>"), 5, "coordinate='global' of <compiler>"),
    "axes": (WORLD.format("\n<freejoint align='true'/>" + BALL, ""), 4, "is to move the axes of its body"),
    "a free spring": (
        WORLD.format("\n<joint type='free' stiffness='1'/>" + BALL, ""),
        4,
        "is free; of its frictionloss",
    ),
    "laws": (
        WORLD.format(HINGE, "<default><position kp='2'/></default><actuator>\n<velocity joint='j'/></actuator>"),
        6,
        "the law of <velocity> follows from defaults of <position>",
    ),
    "laws lost": (
        WORLD.format(
            HINGE, "<default><position kv='2'/><motor/></default><actuator>\n<position joint='j'/></actuator>"
        ),
        6,
        "follows from defaults of <position>, <motor>",
    ),
    "laws of others": (
        WORLD.format(HINGE, "<default><damper armature='2'/></default><actuator>\n<motor joint='j'/></actuator>"),
        6,
        "the law of <motor> follows from defaults of <damper>",
    ),
    "no range": (
        WORLD.format(HINGE, "<actuator>\n<position joint='j' inheritrange='1'/></actuator>"),
        6,
        "joint 'j' has no range",
    ),
    "a delay": (WORLD.format(HINGE, "<actuator>\n<motor joint='j' delay='1'/></actuator>"), 6, "delay=… of <motor>"),
    "class twice": (
        WORLD.format(HINGE, "<default><default class='c'/>\n<default class='c'/></default>"),
        6,
        "a second class has the name 'c'",
    ),
    "first class": (WORLD.format(HINGE, "\n<default class='c'/>"), 6, "the outermost class is 'main'"),
    "mesh twice": (WORLD.format(HINGE, MESH + "\n" + MESH), 6, "a second mesh has the name 'm'"),
    "fitted": (WORLD.format("<joint/>\n<geom mesh='m' size='1'/>", MESH), 4, "a geom is to be fitted to a mesh"),
    "plane": (WORLD.format("<joint/>\n<geom type='plane' size='1 1 1'/>", ""), 4, "a plane belongs to the world"),
    "placed twice": (
        WORLD.format("\n<geom type='capsule' size='1' fromto='0 0 0 1 0 0' pos='1 0 0'/>", ""),
        4,
        "a geom has pos and fromto",
    ),
    "weighed twice": (
        WORLD.format("<inertial mass='1' diaginertia='1 1 1'/>\n<inertial mass='1' diaginertia='1 1 1'/>", ""),
        4,
        "a second <inertial> of body 'a'",
    ),
    "turned inertia": (
        WORLD.format("\n<inertial mass='1' fullinertia='1 1 1 0 0 0' quat='1 1 0 0'/>", ""),
        4,
        "has fullinertia and is turned",
    ),
    "joint of the world": ("<mujoco><worldbody>\n<joint/></worldbody></mujoco>", 2, "<joint> inside <worldbody>"),
    "no turn": (WORLD.format("\n<geom type='sphere' size='1' quat='0 0 0 0'/>", ""), 4, "is of length zero"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused_by_name(name, tmp_path):
    text, line, words = REFUSED[name]
    with pytest.raises(zm.errors.ModelError) as told:
        robot_of(tmp_path, text)
    assert str(told.value).startswith(f"robot.xml, line {line}: ")
    assert words in str(told.value)


L_PRISM = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2.5), (0, 2.5)]
MUJOCO = {  # body_mass, body_ipos and the moments of the L at density 2, by MuJoCo 4.0.0
    "legacy": (
        6.526484197,
        (1.161774506, 0.942865067, 0.349999994),
        (3.312380533, 4.991505942, 7.778288771, 1.768551178),
    ),
    "exact": (6.299999893, (1.166666667, 0.916666667, 0.349999994), (3.188499937, 4.982249906, 7.65624987, 1.74999997)),
    "convex": (8.399999857, (1.291666667, 1.0625, 0.349999994), (4.072687419, 5.928416554, 9.315104008, 1.465624975)),
    "shell": (
        33.399999738,
        (1.194610778, 0.944610778, 0.349999994),
        (22.664696305, 33.068862881, 50.065892734, 10.314969969),
    ),
}


def l_prism(path):
    """An L, 0.7 m thick, which is not convex, as an OBJ file."""
    corners = [f"v {x} {y} {z}" for z in (0, 0.7) for x, y in L_PRISM]
    top = [f"f {7} {7 + k} {8 + k}\nf {2 + k} {1 + k} {1}" for k in range(1, 5)]
    sides = [f"f {1 + k} {1 + (k + 1) % 6} {7 + (k + 1) % 6} {7 + k}" for k in range(6)]
    path.write_text("\n".join([*corners, *top, *sides]))


@pytest.mark.parametrize("rule", [None, "legacy", "exact", "convex", "shell"])
def test_a_mesh_has_the_inertia_that_mujoco_gives_it(tmp_path, rule):
    """MuJoCo's default counts volume twice where a mesh is not convex; it keeps corners in single precision, 2⁻²⁴."""
    l_prism(tmp_path / "m.obj")
    inertia = "" if rule is None else f"inertia='{rule}'"
    asset = f"<asset><mesh name='m' file='m.obj' {inertia}/></asset>"
    robot = robot_of(tmp_path, WORLD.format("<joint/><geom type='mesh' mesh='m' density='2'/>", asset))
    mass, center, (xx, yy, zz, xy) = MUJOCO[rule or "legacy"]
    link = list(robot.links.values())[-1]
    assert abs(link.mass.value - mass) < 1e-7 * mass
    np.testing.assert_allclose(
        np.asarray(link.inertia, dtype=float), [[xx, xy, 0], [xy, yy, 0], [0, 0, zz]], atol=3e-7 * zz
    )
    solid = zm.bodies.Solid.mesh(tmp_path / "m.obj", density=2.0, inertia=rule or "legacy")
    np.testing.assert_allclose(solid.center, center, atol=1e-7)


def test_a_mesh_is_mirrored_and_stretched_by_its_scale(tmp_path):
    """Figures of MuJoCo 4.0.0, its corners in single precision."""
    l_prism(tmp_path / "m.obj")
    solid = zm.bodies.Solid.mesh(tmp_path / "m.obj", density=2.0, inertia="legacy", scale=(-1, 2, 0.5))
    assert abs(solid.mass - 6.527324999) < 1e-6
    np.testing.assert_allclose(solid.center, (-1.162375079, 1.87599956, 0.174999997), atol=1e-7)
    np.testing.assert_allclose(np.diag(solid.inertia), (12.264194788, 4.794416961, 16.927202023), atol=1e-6)


def test_one_section_to_leave_out_may_be_a_word(tmp_path):
    (tmp_path / "robot.xml").write_text(WORLD.format(HINGE, "<actuator><motor joint='j'/></actuator>"))
    assert not zm.from_mjcf(tmp_path / "robot.xml", without="actuator").inputs
    assert zm.from_mjcf(tmp_path / "robot.xml", without="actuators").inputs
