"""Contacts of robots by the collision shapes of their descriptions."""

import numpy as np
import pytest

import zeromass as zm

LINK = '<link name="body"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>{}</link>'

SHAPES = {
    "sphere": ('<sphere radius="0.1"/>', 0.1, 1),
    "box": ('<box size="0.2 0.3 0.4"/>', 0.2, 1),
    "capsule": ('<capsule radius="0.05" length="0.2"/>', 0.15, 2),
    "cylinder": ('<cylinder radius="0.05" length="0.2"/>', None, 1),
}
"""Of each the height of the centre where it stands, m, and the number of contacts."""


def urdf(folder, *collisions):
    file = folder / "body.urdf"
    said = "".join(f"<collision>{one}</collision>" for one in collisions)
    file.write_text(f'<robot name="robot">{LINK.format(said)}</robot>')
    return zm.from_urdf(file, base="free")


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_of_a_urdf_file(kind, tmp_path):
    geometry, height, count = SHAPES[kind]
    robot = urdf(tmp_path, f"<geometry>{geometry}</geometry>")
    contacts = zm.shapes.collision_contacts(robot, zm.surfaces.plane(), friction=0.5)
    assert [one.name for one in contacts] == (["body"] if count == 1 else ["body 0", "body 1"])
    if height is None:
        return
    system = robot.system(gravity=10.0, contacts=contacts)
    body = robot.links["body"]
    start = system.start([(body.position, (0.0, 0.0, height)), (body.velocity, 0.0), (body.angular_velocity, 0.0)])
    assert min(float(start[one.gap]) for one in contacts) == pytest.approx(0.0, abs=1e-15)
    run = zm.simulate(system, start, until=0.1)
    pressed = sum(run[one.normal_force][-1] for one in contacts)
    assert run.outcome.complete
    assert pressed == pytest.approx(20.0, rel=1e-12)  # it stands: m g


def test_they_are_placed_and_turned_as_described(tmp_path):
    robot = urdf(
        tmp_path,
        '<origin xyz="0 0 -0.3" rpy="0 1.5707963267948966 0"/><geometry><capsule radius="0.1" length="0.4"/></geometry>',
    )
    (one, other) = zm.shapes.collision_contacts(robot, zm.surfaces.plane())
    body = robot.links["body"]
    system = robot.system(contacts=[one, other])
    start = system.start([(body.position, (0.0, 0.0, 1.0)), (body.quaternion, (1, 0, 0, 0))])
    assert [float(start[c.gap]) for c in (one, other)] == pytest.approx([0.6, 0.6], abs=1e-15)  # it lies 0.3 m below


MJCF = """<mujoco><default><geom density="500"/></default><worldbody><geom type="plane" size="1 1 1"/>
<body name="walker" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/>
<geom name="bumper" type="sphere" size="0.05" pos="0 0 -0.2"/><geom type="sphere" size="0.3" contype="0" conaffinity="0"/>
<body name="leg" pos="0.2 0 0"><joint type="hinge" axis="0 1 0"/>
<frame pos="0 0 -0.1"><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02"/></frame>
<geom type="ellipsoid" size="0.05 0.02 0.01" pos="0 0 -0.6"/></body></body></worldbody></mujoco>"""


def test_geoms_of_an_mjcf_file(tmp_path):
    file = tmp_path / "walker.xml"
    file.write_text(MJCF)
    robot = zm.from_mjcf(file)
    contacts = zm.shapes.collision_contacts(robot, zm.surfaces.plane(), links=["walker"])
    assert [one.name for one in contacts] == ["walker 0", "walker 1"]  # what touches nothing is none
    every = zm.shapes.collision_contacts(robot, zm.surfaces.plane(), friction=0.6, restitution=0.2)
    assert [one.name for one in every] == ["walker 0", "walker 1", "leg 0", "leg 1", "leg 2"]
    system = robot.system(contacts=every)
    start = system.start({})
    gaps = [float(start[one.gap]) for one in every]
    assert gaps == pytest.approx([0.9, 0.75, 0.88, 0.48, 0.39], abs=1e-12)
    run = zm.simulate(system, start, until=0.5)
    energy = run[system.energy]
    assert run.outcome.complete
    assert run.impulses
    assert np.all(np.diff(energy) < 1e-9 * abs(energy[0]))  # no impact gains any


def test_what_can_not_be_is_refused_by_name(tmp_path):
    robot, floor = urdf(tmp_path), zm.surfaces.plane()
    with pytest.raises(zm.errors.ModelError, match="body of 'robot' have no collision shapes"):
        zm.shapes.collision_contacts(robot, floor)
    with pytest.raises(zm.errors.ModelError, match="'foot' is no link of 'robot'; there are body"):
        zm.shapes.collision_contacts(robot, floor, links=["foot"])
    with pytest.raises(zm.errors.ModelError, match="a surface, such as"):
        zm.shapes.collision_contacts(robot, robot.links["body"])
    missing = urdf(tmp_path, '<geometry><mesh filename="none.stl"/></geometry>')
    assert any("a collision shape is left out" in words for words in missing.remarks)
