"""Joints and descriptions that can not be: one clear error each."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism import Joint

GROUND = zm.Ground()


def body(name: str = "body") -> zm.RigidBody:
    return zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1))


B, P = body(), zm.Particle("p", mass=1.0)
PIN = zm.joints.Revolute(GROUND, B, axis=(0, 0, 1))
RAIL = zm.joints.Prismatic(GROUND, B, axis=(0, 0, 1))

CASES = {
    "itself": (lambda: zm.joints.Revolute(B, B, axis=(0, 0, 1)), "connects 'body' with itself"),
    "ground twice": (lambda: zm.joints.Revolute(GROUND, zm.Ground(), axis=(0, 0, 1)), "with itself"),
    "no axis": (lambda: zm.joints.Revolute(GROUND, B, axis=(0, 0, 0)), "of length zero"),
    "axis of four": (lambda: zm.joints.Revolute(GROUND, B, axis=(0, 0, 1, 0)), "it is three numbers"),
    "axis of words": (lambda: zm.joints.Revolute(GROUND, B, axis="z"), "it is three numbers"),
    "place": (lambda: zm.joints.Spherical(GROUND, B, at=(1, 2)), "has shape"),
    "no body": (lambda: zm.joints.Spherical(GROUND, "body"), "not 'body'"),
    "particle": (lambda: zm.joints.Revolute(GROUND, P, axis=(0, 0, 1)).rows, "is a particle and has no axes"),
    "cross": (lambda: zm.joints.Universal(GROUND, B, axes=((1, 0, 0), (1, 1, 0))), "not at right angles"),
    "rod of none": (lambda: zm.joints.Distance(GROUND, B), "coincide in the reference pose"),
    "rod of less": (lambda: zm.joints.Distance(GROUND, B, length=-1.0), "it is positive"),
    "gear on a rail": (lambda: zm.joints.Gear(PIN, RAIL, ratio=2.0), "needs a joint that turns"),
    "gear with itself": (lambda: zm.joints.Gear(PIN, PIN, ratio=2.0), "couples a joint with itself"),
    "ratio": (lambda: zm.joints.Gear(PIN, zm.joints.Revolute(GROUND, B, axis=(1, 0, 0)), ratio=0.0), "is zero"),
    "slots": (
        lambda: zm.joints.Geneva(PIN, zm.joints.Revolute(GROUND, B, axis=(1, 0, 0)), slots=2, distance=1.0),
        "three or more",
    ),
    "rack": (lambda: zm.joints.RackAndPinion(PIN, PIN, radius=1.0), "needs a joint that slides"),
    "limits": (lambda: PIN.limits(2.0, 1.0), "the first is the lower one"),
    "orientation": (lambda: zm.RigidBody("b", 1.0, (1, 1, 1), orientation=(0, 0, 0, 0)), "it is a unit quaternion"),
    "stranger": (lambda: zm.System([P], gravity=0, joints=[PIN]), "holds 'body', which is no part of the system"),
    "twice": (
        lambda: zm.System([B], gravity=0, joints=[PIN, zm.joints.Revolute(GROUND, B, axis=(1, 0, 0))]),
        "give each its own with name=",
    ),
    "one joint": (lambda: zm.System([B], gravity=0, joints=PIN), "joints is a list of joints"),
    "no joint": (lambda: zm.System([B], gravity=0, joints=[B]), "joints are zm.joints.Revolute"),
    "curve": (lambda: zm.joints.PointOnCurve(GROUND, B, lambda s: (s, s)), "it is three components"),
    "bushing": (lambda: zm.joints.Bushing(GROUND, B, stiffness=(1, 2, 3)), "six numbers"),
    "base": (lambda: zm.from_urdf("x.urdf", base="loose"), "'fixed' or 'free'"),
    "no file": (lambda: zm.from_urdf("nowhere.urdf"), "nowhere.urdf can not be read"),
}


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    make, words = CASES[name]
    with pytest.raises(zm.errors.ModelError, match=words):
        make()


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>\n'
JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>\n'
TREE = LINK.format("a") + LINK.format("b")

FILES = {
    "no xml": ("<robot name='r'>\n<link name='a'>\n</robot>", 3, "it is no XML"),
    "no robot": ("<sdf/>", 1, "describes a <sdf>"),
    "empty": ("<robot name='r'/>", 1, "has no links"),
    "no mass": ("<robot>\n<link name='a'>\n<inertial>\n</inertial></link></robot>", 3, "has no <mass"),
    "a word for a number": (
        "<robot>\n<link name='a'>\n<inertial>\n<mass value='heavy'/></inertial></link></robot>",
        4,
        "'heavy' of <mass> is no number",
    ),
    "negative": ("<robot>\n<link name='a'><inertial>\n<mass value='-1'/></inertial></link></robot>", 3, "is -1"),
    "two numbers": (
        "<robot>\n<link name='a'><inertial>\n<origin xyz='1 2'/><mass value='1'/></inertial></link></robot>",
        3,
        "not three numbers",
    ),
    "twice": (
        "<robot>\n" + LINK.format("a") * 2 + "</robot>",
        3,
        "a second link has the name 'a', which that on line 2",
    ),
    "unknown type": (
        "<robot>\n" + TREE + JOINT.format("j", "ball", "a", "b", "") + "</robot>",
        4,
        "of the type 'ball'",
    ),
    "no parent": (
        "<robot>\n" + TREE + JOINT.format("j", "fixed", "c", "b", "") + "</robot>",
        4,
        "the parent 'c', which is no link",
    ),
    "no child": (
        "<robot>\n" + TREE + "<joint name='j' type='fixed'><parent link='a'/></joint></robot>",
        4,
        "has no <child",
    ),
    "no axis": (
        "<robot>\n" + TREE + JOINT.format("j", "continuous", "a", "b", "\n<axis xyz='0 0 0'/>") + "</robot>",
        5,
        "of length zero",
    ),
    "no limit": ("<robot>\n" + TREE + JOINT.format("j", "revolute", "a", "b", "") + "</robot>", 4, "has no <limit"),
    "two parents": (
        "<robot>\n"
        + TREE
        + LINK.format("c")
        + JOINT.format("j", "fixed", "a", "c", "")
        + JOINT.format("k", "fixed", "b", "c", "")
        + "</robot>",
        6,
        "hangs on two joints, 'j' (line 5) and 'k'",
    ),
    "two roots": ("<robot>\n" + TREE + "</robot>", 1, "2 links hang on nothing: a, b"),
    "loop": (
        "<robot>\n"
        + TREE
        + LINK.format("c")
        + JOINT.format("j", "fixed", "b", "c", "")
        + JOINT.format("k", "fixed", "c", "b", "")
        + "</robot>",
        5,
        "part of a loop",
    ),
    "mimics none": (
        "<robot>\n" + TREE + JOINT.format("j", "continuous", "a", "b", "<mimic joint='k'/>") + "</robot>",
        4,
        "mimics 'k', which is no joint",
    ),
    "mimics itself": (
        "<robot>\n" + TREE + JOINT.format("j", "continuous", "a", "b", "<mimic joint='j'/>") + "</robot>",
        4,
        "mimics itself",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_descriptions_say_the_line(name, tmp_path):
    text, line, words = FILES[name]
    (tmp_path / "robot.urdf").write_text(text)
    with pytest.raises(zm.errors.ModelError) as told:
        zm.from_urdf(tmp_path / "robot.urdf")
    assert str(told.value).startswith(f"robot.urdf, line {line}: ")
    assert words in str(told.value)


def test_a_joint_without_a_coordinate_says_so(tmp_path):
    (tmp_path / "r.urdf").write_text("<robot>\n" + TREE + JOINT.format("j", "fixed", "a", "b", "") + "</robot>")
    with pytest.raises(zm.errors.ModelError, match="joint 'j' is fixed and has no single coordinate"):
        _ = zm.from_urdf(tmp_path / "r.urdf").joints["j"].angle


def test_an_axis_that_is_not_finite():
    with pytest.raises(zm.errors.ModelError, match="three numbers"):
        zm.joints.Revolute(GROUND, B, axis=(0, 0, np.nan))


def test_what_joints_are_made_of_is_no_joint():
    """Abstract or final: a joint without laws can not be made."""
    marker = PIN.a
    with pytest.raises(TypeError, match="abstract"):
        Joint(marker, marker, "nothing")  # type: ignore[abstract]
