"""Damaged and hostile descriptions of robots, and meshes: each is a robot, or one error of zeromass that names the file."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from faults.campaign import SLICE, Tally, campaign
from zeromass.mechanism.mesh import read_mesh

ROBOTS = Path(__file__).parents[1] / "mechanism" / "robots"

CUBE = np.array(
    [[(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0)],
     [(1, 0, 0), (0, 1, 0), (0, 0, 1)]], dtype="<f4",
)  # fmt: skip
"""The triangles of a tetrahedron."""

URDF = """<robot name="box"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial><visual><geometry><mesh filename="m.stl" scale="1 1 1"/></geometry></visual></link>
<link name="b"><inertial><origin xyz="0 0 1" rpy="0 0.1 0"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="m.obj"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"
effort="1" velocity="1"/><dynamics damping="0.1" friction="0"/></joint></robot>
"""

MJCF = """<mujoco><compiler angle="radian"/><asset><mesh name="m" file="m.stl"/><mesh name="o" file="m.obj"/></asset>
<default><joint damping="0.1"/></default><worldbody><body name="a" pos="0 0 1"><joint name="j" type="hinge" axis="0 1 0"
range="-1 1"/><geom type="mesh" mesh="m" density="1000"/><body name="b" pos="0 0 1"><joint name="k" type="slide"
axis="1 0 0"/><geom type="capsule" size="0.1 0.2" fromto="0 0 0 0 0 1"/><geom type="mesh" mesh="o" mass="0"/></body></body>
</worldbody></mujoco>
"""

GROUND = {
    path.name: path.read_text(encoding="utf-8") for path in [*sorted(ROBOTS.glob("*.urdf")), ROBOTS / "acrobat.xml"]
}
GROUND |= {"meshes.urdf": URDF, "meshes.xml": MJCF}

VALUES = [
    "", "0", "-1", "nan", "inf", "1e308", "1e-320", "1 2", "1 2 3 4 5", "0 0 0", "x", "true", "../m.stl", "/dev/zero",
    "/etc/passwd", "m.txt", "no.stl", "package://x/m.stl", "é", "a" * 3000, "mesh", "free", "ball", "fixed", "&lt;",
    "1,2,3", "--1", "0x10", "1e400", "9" * 400,
]  # fmt: skip


def binary_stl() -> bytes:
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel().tolist(), 0) for triangle in CUBE)
    return bytes(80) + struct.pack("<I", len(CUBE)) + records


def text_stl() -> bytes:
    lines = ["solid s"]
    for triangle in CUBE.tolist():
        lines += [
            "facet normal 0 0 0",
            "outer loop",
            *[f"vertex {x} {y} {z}" for x, y, z in triangle],
            "endloop",
            "endfacet",
        ]
    return "\n".join([*lines, "endsolid s"]).encode()


def obj() -> bytes:
    corners = np.unique(CUBE.reshape(-1, 3), axis=0).tolist()
    faces = [[corners.index(corner) + 1 for corner in triangle] for triangle in CUBE.tolist()]
    return "\n".join([f"v {x} {y} {z}" for x, y, z in corners] + ["f " + " ".join(map(str, f)) for f in faces]).encode()


def changed(data: bytes, random_: random.Random) -> bytes:
    """A file cut off, lengthened, or with other bytes in some places."""
    data, kind = bytearray(data), random_.randrange(6)
    if kind == 0:
        return bytes(data[: random_.randrange(len(data) + 1)])
    if kind == 1:
        return bytes(data) + random_.randbytes(random_.choice((1, 50, 4000)))
    if kind == 2 and len(data) > 84:
        data[80:84] = struct.pack("<I", random_.choice((0, 1, 2**31, 2**32 - 1)))
        return bytes(data)
    for _ in range(random_.choice((0, 1, 3, 20))):
        k = random_.randrange(len(data))
        data[k : k + random_.choice((0, 1, 2))] = random_.choice(
            (b"", b" ", b"-", b"9", b"nan", b"\n", random_.randbytes(1))
        )
    return bytes(data)


def hostile(text: str, random_: random.Random) -> str:
    """A description with other values, without some elements, with others twice or in other places, or cut off."""
    for _ in range(random_.choice((1, 1, 2, 4))):
        kind = random_.randrange(7)
        values, tags = list(re.finditer(r'"([^"]*)"', text)), list(re.finditer(r"<[^>]*>", text))
        if kind < 3 and values:
            found = random_.choice(values)
            new = random_.choice([*VALUES, random_.choice(values)[1]])
            text = text[: found.start()] + f'"{new}"' + text[found.end() :]
        elif kind == 3 and tags:
            found = random_.choice(tags)
            text = text[: found.start()] + text[found.end() :]
        elif kind == 4 and tags:
            at = random_.choice(tags).start()
            text = text[:at] + random_.choice(tags)[0] + text[at:]
        elif kind == 5:
            k = random_.randrange(len(text) + 1)
            text = text[:k] + random_.choice(["<", ">", "/", '"', "&", "\0", "]]>", "<!--", "é"]) + text[k + 1 :]
        elif random_.random() < 0.3:
            text = text[: random_.randrange(len(text) + 1)]
    return text


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGALRM"), reason="there are no alarms")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("count", "seed"), [(60, SLICE), pytest.param(1500, None, marks=pytest.mark.slow)])
def test_hostile_robots(tmp_path, count, seed):
    """They are read, made a system, and drawn with their meshes."""
    tally = Tally(bound=10.0)

    def read(path: Path) -> None:
        robot = zm.from_mjcf(path) if path.suffix == ".xml" else zm.from_urdf(path)
        for body in robot.system().drawing.bodies:
            _ = getattr(body.shape, "corners", None)

    with campaign("hostile robots", count, 60 + 1.0 * count, seed=seed) as random_:
        for _ in range(count):
            name = random_.choice([*GROUND])
            (tmp_path / "m.stl").write_bytes(changed(random_.choice((binary_stl, text_stl))(), random_))
            (tmp_path / "m.obj").write_bytes(changed(obj(), random_))
            path, text = tmp_path / f"h{Path(name).suffix}", GROUND[name]
            if random_.random() < 0.8:
                text = hostile(text, random_)
            path.write_text(text, encoding="utf-8")
            tally.attempt(lambda path=path: read(path), text)
    tally.verdict()
    assert tally.counts["done"] > count / 20


@pytest.mark.parametrize("make", [binary_stl, text_stl, obj])
def test_meshes_that_are_cut_off_are_errors_of_the_file(tmp_path, make):
    """At every length: of a binary file the header says how long it is."""
    data = make()
    path = tmp_path / ("m.obj" if make is obj else "m.stl")
    whole = 0
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        try:
            whole += len(read_mesh(path)) == len(CUBE)
        except zm.errors.ModelError as error:
            assert str(path) in str(error)  # noqa: PT017  (most lengths raise, some do not)
    assert whole >= 1


def test_entities_are_not_fetched_and_not_multiplied(tmp_path):
    """Of a file outside nothing is read, and a few lines that stand for gigabytes are refused."""
    (tmp_path / "secret").write_text("stolen", encoding="utf-8")
    for what in (f"SYSTEM 'file://{tmp_path}/secret'", "SYSTEM 'secret'", "SYSTEM 'http://127.0.0.1:9/secret'"):
        robot = f'<!DOCTYPE robot [<!ENTITY s {what}>]><robot name="r"><link name="base">&s;</link></robot>'
        (tmp_path / "r.urdf").write_text(robot, encoding="utf-8")
        assert "stolen" not in repr(zm.from_urdf(tmp_path / "r.urdf"))
        (tmp_path / "r.urdf").write_text(robot.replace('"base">&s;', '"&s;">'), encoding="utf-8")
        with pytest.raises(zm.errors.ModelError, match="no XML"):
            zm.from_urdf(tmp_path / "r.urdf")
    tenfold = "".join(f"<!ENTITY e{k} '{10 * f'&e{k - 1};'}'>" for k in range(1, 12))
    robot = f"<!DOCTYPE robot [<!ENTITY e0 'laugh'>{tenfold}]><robot name='&e11;'><link name='base'/></robot>"
    (tmp_path / "r.urdf").write_text(robot, encoding="utf-8")
    with pytest.raises(zm.errors.ModelError, match="no XML"):
        zm.from_urdf(tmp_path / "r.urdf")


def test_pipes_are_no_meshes(tmp_path):
    import os

    os.mkfifo(tmp_path / "m.stl")
    with pytest.raises(zm.errors.ModelError, match="no plain file"):
        read_mesh(tmp_path / "m.stl")


@pytest.mark.parametrize(
    ("old", "new"), [('ixx="1"', 'ixx="1e308"'), ('izz="1"', 'izz="inf"'), ('value="1"', 'value="1e308"')]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_at_the_ends_of_what_there_is(tmp_path, old, new):
    (tmp_path / "m.stl").write_bytes(binary_stl())
    (tmp_path / "m.obj").write_bytes(obj())
    (tmp_path / "r.urdf").write_text(URDF.replace(old, new), encoding="utf-8")
    text = MJCF.replace('size="0.1 0.2"', 'size="1e150 1e150"').replace('fromto="0 0 0 0 0 1"', "")
    (tmp_path / "r.xml").write_text(text, encoding="utf-8")
    for read, file in ((zm.from_urdf, "r.urdf"), (zm.from_mjcf, "r.xml")):
        try:
            assert read(tmp_path / file).system().drawing.bodies
        except zm.errors.ZeromassError as error:
            assert str(error)  # noqa: PT017  (a robot, or an error that says why it is none)
