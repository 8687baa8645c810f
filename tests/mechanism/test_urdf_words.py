"""What URDF files say: words that are not known are refused where they move something, and remarked elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism import Robot

INERTIA = '<inertia ixx="0.1" ixy="0.01" ixz="-0.02" iyy="0.2" iyz="0.03" izz="0.25"/>'
INERTIAL = f'<inertial><origin xyz="0.1 0.2 -0.3" rpy="0.3 -0.4 1.2"/><mass value="2.5"/>{INERTIA}</inertial>'
LINKS = f'<link name="a">{INERTIAL}</link>\n<link name="b">{INERTIAL}</link>\n'


def robot_of(tmp_path: Path, inside: str) -> Robot:
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">\n{inside}</robot>')
    return zm.from_urdf(tmp_path / "robot.urdf")


def joint(inside: str, kind: str = "continuous", name: str = "j", ends: tuple[str, str] = ("a", "b")) -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>\n{inside}</joint>'


REFUSED = {
    "xacro": (LINKS + joint("") + '\n<xacro:include filename="x"/>', 6, "let xacro make that of it first"),
    "a tag": (LINKS + joint('<orign xyz="1 2 3"/>'), 5, "<orign> inside <joint> is not known"),
    "in inertial": ("<link name='a'><inertial>\n<mas/></inertial></link>", 3, "<mas> inside <inertial> is not known"),
    "a word": (
        LINKS + joint('<origin xyz="1 2 3" ypr="1 2 3"/>'),
        5,
        "ypr=… of <origin> is not known; it has xyz, rpy",
    ),
    "a moment": (
        f"<link name='a'>{INERTIAL.replace('ixy', chr(10) + 'iyx')}</link>",
        2,
        "iyx=… of <inertia> is not known",
    ),
    "damping": (LINKS + joint('<dynamics dampping="1"/>'), 5, "dampping=… of <dynamics>"),
    "two axes": (LINKS + joint('<axis xyz="1 0 0"/>\n<axis xyz="0 1 0"/>'), 6, "a second <axis> inside <joint>"),
    "two inertials": (f"<link name='a'>{INERTIAL}\n{INERTIAL}</link>", 3, "a second <inertial> inside <link>"),
    "limits": (
        LINKS + joint('<limit lower="1" upper="-1"/>', "revolute"),
        5,
        "are 1 and -1; the first is the lower one",
    ),
    "planar damped": (LINKS + joint('<dynamics damping="1"/>', "planar"), 4, "is planar; of its damping"),
    "planar mimics": (LINKS + joint('<mimic joint="j"/>', "planar"), 4, "is planar and mimics another"),
    "digits": (LINKS + joint('<axis xyz="1_0 0 0"/>'), 5, "is not three numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused_where_it_moves_something(name, tmp_path):
    inside, line, words = REFUSED[name]
    with pytest.raises(zm.errors.ModelError) as told:
        robot_of(tmp_path, inside)
    assert str(told.value).startswith(f"robot.urdf, line {line}: ")
    assert words in str(told.value)


def test_what_is_left_out_is_remarked(tmp_path):
    others = '<gazebo/><transmission><joint name="j"/></transmission><material name="m"/>\n<loop_joint name="k"/>'
    robot = robot_of(tmp_path, LINKS.replace("</link>", "<collision/></link>") + joint("<calibration/>") + others)
    assert robot.remarks == ("robot.urdf, line 6: <loop_joint> inside <robot> is not known, and left out",)


def test_a_planar_joint_is_two_slides_and_a_turn(tmp_path):
    """The same motion with links of no mass between: along X, along Y, about Z, of axes that are turned."""
    at = '<origin xyz="0.1 0.3 0.2" rpy="0.5 0.2 -0.8"/>'
    planar = robot_of(tmp_path, LINKS + joint(at + '<axis xyz="0 0 1"/>', "planar"))
    x, y, angle = planar.joints["j"].coordinates
    wide = '<limit lower="-9" upper="9"/>'
    chain = [
        joint(at + '<axis xyz="1 0 0"/>' + wide, "prismatic", "x", ("a", "p")),
        joint('<axis xyz="0 1 0"/>' + wide, "prismatic", "y", ("p", "q")),
        joint('<axis xyz="0 0 1"/>', "continuous", "z", ("q", "b")),
    ]
    single = robot_of(tmp_path, LINKS + '<link name="p"/><link name="q"/>' + "".join(chain))
    one = planar.system().start({x: 0.3, y: -0.2, angle: 0.7, zm.rate(x): 1.0, zm.rate(y): 2.0, zm.rate(angle): -3.0})
    j = single.joints
    places = {j["x"].displacement: 0.3, j["y"].displacement: -0.2, j["z"].angle: 0.7}
    two = single.system().start(places | {j["x"].rate: 1.0, j["y"].rate: 2.0, j["z"].rate: -3.0})
    a = one[np.array([zm.rate(zm.rate(e)) for e in (x, y, angle)])]
    np.testing.assert_allclose(a, two[np.array([zm.rate(j[name].rate) for name in "xyz"])], rtol=1e-12)


def test_a_long_chain_of_joints_that_mimic_one_another(tmp_path):
    """Each the next one, the other way round, and none is known before the last."""
    count = 200
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>' for k in range(count + 1))
    like = [f'<mimic joint="j{k + 1}" multiplier="-1" offset="1"/>' for k in range(count - 1)] + [""]
    joints = [joint(like[k], name=f"j{k}", ends=("l0", f"l{k + 1}")) for k in range(count)]
    robot = robot_of(tmp_path, links + "".join(joints))
    last = robot.joints[f"j{count - 1}"].angle
    assert len(robot.coordinates) == 1
    assert robot.joints["j0"].angle is 1 - last  # an odd number of turns of sign
    assert robot.joints["j1"].angle is last


@pytest.mark.parametrize(("first", "second"), [("k", "j"), ("j", "j")])
def test_joints_that_mimic_one_another_in_a_ring(first, second, tmp_path):
    links = LINKS + f'<link name="c">{INERTIAL}</link>'
    both = joint(f'<mimic joint="{first}"/>') + joint(f'<mimic joint="{second}"/>', name="k", ends=("b", "c"))
    with pytest.raises(zm.errors.ModelError, match="mimics itself"):
        robot_of(tmp_path, links + both)


def test_files_that_are_no_descriptions(tmp_path):
    with pytest.raises(zm.errors.ModelError, match="is no path of a file"):
        zm.from_urdf("a\0b")
    (tmp_path / "odd.urdf").write_text('<?xml version="1.0" encoding="odd-8"?><robot/>')
    with pytest.raises(zm.errors.ModelError, match="line 1: it is no XML that can be read: unknown encoding"):
        zm.from_urdf(tmp_path / "odd.urdf")
    for tag in ("frame", "default"):
        inside = f"<{tag}>" * 1000 + f"</{tag}>" * 1000
        (tmp_path / "deep.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
        with pytest.raises(zm.errors.ModelError, match="more than 300 deep"):
            zm.from_mjcf(tmp_path / "deep.xml")
