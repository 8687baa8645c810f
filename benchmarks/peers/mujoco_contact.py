"""MuJoCo on a ball that rolls down a slope, a coin that rolls in a circle and scenes of many bodies: contacts as hard as its
step allows.

    python benchmarks/peers/mujoco_contact.py [NAME]        the scenes of `scenes`, or those whose names contain NAME
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from peers.contact_cases import ALPHA, BALL, COIN, END, Case, g
from peers.scenes import SCENES, Body, Joint, Scene, Shape

SCENE = """
<mujoco>
  <option timestep="{h}" gravity="{gx} 0 {gz}" integrator="{integrator}" cone="elliptic" impratio="100" tolerance="1e-14"
          iterations="200"/>
  <default><geom solref="{soft} 1" solimp="0.99 0.9999 1e-4" friction="2 0 0" condim="3"/></default>
  <worldbody>
    <geom type="plane" size="50 50 1"/>
    <body name="body" pos="{place}" quat="{turn}">
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
      {geom}
    </body>
  </worldbody>
</mujoco>
"""
WORLD = """
<mujoco>
  <option timestep="{h}" gravity="0 0 -{g}" integrator="implicitfast" cone="elliptic" impratio="10" tolerance="1e-10"
          iterations="100"><flag energy="enable"/></option>
  <size memory="512M"/>
  <default><geom solref="{soft} {damping}" solimp="0.99 0.9999 1e-4" friction="{friction} 0 0" condim="3"/></default>
  <worldbody>{bodies}</worldbody>
  <contact>{excluded}</contact>
</mujoco>
"""
SCENE_STEPS, STIFFNESSES = (2e-3, 5e-4), (2, 4, 8, 16)
UNSTABLE = 0.5
"""Part of the energy at the start by which it rises where contacts are too stiff for the step."""
LOOK = 2e-3
"""Seconds between looks at contacts, energies and places."""

STEPS = (4e-3, 1e-3, 2.5e-4, 6.25e-5)


def words(values) -> str:
    return " ".join(f"{x:.17g}" for x in np.atleast_1d(values))


def cases() -> list[tuple[Case, str, float, float]]:
    """Case, setting, CPU seconds, error in m at the end."""
    found = []
    for case, geom, tilt in (
        (BALL, f'<geom type="sphere" size="{BALL.radius}"/>', ALPHA),
        (COIN, f'<geom type="cylinder" size="{COIN.radius} 1e-5"/>', 0.0),
    ):
        for h in STEPS:
            xml = SCENE.format(
                h=h,
                soft=2 * h,
                integrator="implicitfast",
                gx=g * np.sin(tilt),
                gz=-g * np.cos(tilt),
                place=words(case.place),
                turn=words(case.turn),
                mass=case.mass,
                inertia=words(case.inertia),
                geom=geom,
            )
            model = mujoco.MjModel.from_xml_string(xml)
            data = mujoco.MjData(model)
            data.qvel[:3] = case.velocity
            data.qvel[3:] = case.spin_body
            steps = round(END / h)
            begin = time.process_time()
            mujoco.mj_step(model, data, steps)
            spent = time.process_time() - begin
            found.append((case, f"h = {h:.2g} s", spent, float(np.linalg.norm(data.qpos[:2] - case.end[:2]))))
    return found


class Answer(NamedTuple):
    """How a scene went, and what is wrong with it.

    spent    CPU seconds of the steps
    depth    how deep bodies were in one another or in planes at most, part of `Scene.size`
    rise     of the energy of motion and height above what it was at some time before, part of that at the start; what soft
             contacts store and give back counts, as rigid ones never give any
    drift    the fastest that a body moves on average at the end, where all should be at rest, m/s
    """

    scene: Scene
    setting: str
    spent: float
    depth: float
    rise: float
    drift: float


def scenes(wanted: str = "") -> Iterator[Answer]:
    """All scenes with each of some steps."""
    for scene in (made() for made in SCENES):
        yield from (stiffest(scene, h) for h in SCENE_STEPS if wanted in scene.name)


def stiffest(scene: Scene, h: float) -> Answer:
    """A scene with steps of h seconds and the stiffest contacts with which its energy does not blow up."""
    found = answer(scene, h, STIFFNESSES[0])
    for stiffness in STIFFNESSES[1:]:
        if found.rise < UNSTABLE:
            break
        found = answer(scene, h, stiffness)
    return found


def answer(scene: Scene, h: float, stiffness: float) -> Answer:
    """A scene with steps of h seconds and contacts whose springs swing once in 2π times so many steps."""
    model = mujoco.MjModel.from_xml_string(world(scene, h, stiffness))
    data = mujoco.MjData(model)
    set_rates(scene, model, data)
    mujoco.mj_forward(model, data)
    every, looks, spent, deepest = round(LOOK / h), round(scene.until / LOOK), 0.0, 0.0
    energies, before = [float(np.sum(data.energy))], dict[str, np.ndarray]()
    for look in range(looks):
        begin = time.process_time()
        mujoco.mj_step(model, data, every)
        spent += time.process_time() - begin
        energies.append(float(np.sum(data.energy)))
        deepest = max(deepest, -float(np.min(data.contact.dist, initial=0.0)))
        if look == looks - 1 - round(scene.rests / LOOK):
            before = {body.name: data.body(body.name).xipos.copy() for body in scene.bodies}
    rise = float(np.max(energies - np.minimum.accumulate(energies)) / energies[0])
    ways = {body.name: np.linalg.norm(data.body(body.name).xipos - before[body.name]) for body in scene.bodies}
    drift = float(max(way for name, way in ways.items() if name not in scene.roll) / scene.rests)
    return Answer(scene, f"h = {h:.2g} s, {stiffness} h", spent, deepest / scene.size, rise, drift)


def world(scene: Scene, h: float, stiffness: float) -> str:
    """The scene in MuJoCo's words: contacts as stiff as the step allows, damped so that bodies bounce as they should."""
    e = max(scene.restitution, 1e-6)
    damping = -np.log(e) / np.hypot(np.pi, np.log(e)) if scene.restitution > 0.0 else 1.0
    planes = "".join(
        f'<geom name="{plane.name}" type="plane" size="0 0 1" pos="{words(plane.offset * np.array(plane.normal))}" '
        f'zaxis="{words(plane.normal)}" contype="1" conaffinity="3"/>'
        for plane in scene.planes
    )
    children = {joint.second for joint in scene.joints}
    roots = "".join(body_words(scene, body, None, None) for body in scene.bodies if body.name not in children)
    pairs = [f'<exclude body1="{joint.first}" body2="{joint.second}"/>' for joint in scene.joints]
    return WORLD.format(
        h=h,
        g=g,
        soft=stiffness * h / damping,  # its springs swing with 1/(soft · damping)
        damping=damping,
        friction=scene.friction,
        bodies=planes + roots,
        excluded="".join(pairs),
    )


def body_words(scene: Scene, body: Body, parent: Body | None, joint: Joint | None) -> str:
    """A body with all that hangs on it, in the axes of its parent; their origin is its mass centre."""
    place, turn = np.array(body.place), np.array(body.turn)
    how = f'<freejoint name="{body.name}"/>'
    if parent is not None and joint is not None:
        turned, own = matrix(parent.turn), matrix(body.turn)
        place = turned.T @ (place - parent.place)
        mujoco.mju_mulQuat(turn, np.array(parent.turn) * (1, -1, -1, -1), np.array(body.turn))
        at = own.T @ (np.array(joint.place) - body.place)
        how = f'<joint name="{joint.name}" type="{joint.kind}" pos="{words(at)}" damping="{joint.damping}"'
        how += f' axis="{words(own.T @ joint.axis)}"/>' if joint.kind == "hinge" else "/>"
    geoms = "".join(shape_words(scene, shape) for shape in body.shapes)
    names = {one.name: one for one in scene.bodies}
    rest = "".join(body_words(scene, names[j.second], body, j) for j in scene.joints if j.first == body.name)
    inertia = f'<inertial pos="0 0 0" mass="{body.mass!r}" diaginertia="{words(body.inertia)}"/>'
    return f'<body name="{body.name}" pos="{words(place)}" quat="{words(turn)}">{how}{inertia}{geoms}{rest}</body>'


def shape_words(scene: Scene, shape: Shape) -> str:
    """A shape, with half the lengths that it has; one that touches planes alone answers nothing else."""
    sizes = np.array(shape.size) / (1 if shape.kind == "sphere" else 2)
    if shape.kind == "capsule":
        sizes[0] = shape.size[0]
    touches = 'contype="1" conaffinity="1"' if scene.collide else 'contype="2" conaffinity="0"'
    return f'<geom type="{shape.kind}" size="{words(sizes)}" pos="{words(shape.place)}" {touches}/>'


def set_rates(scene: Scene, model, data) -> None:
    """The rates of free bodies: MuJoCo has angular velocities in the axes of the body."""
    for body in scene.bodies:
        if any(body.velocity) or any(body.spin):
            at = model.joint(body.name).dofadr[0]
            data.qvel[at : at + 3] = body.velocity
            data.qvel[at + 3 : at + 6] = matrix(body.turn).T @ body.spin


def matrix(turn) -> np.ndarray:
    """Rotation matrix of a quaternion."""
    found = np.empty(9)
    mujoco.mju_quat2Mat(found, np.array(turn))
    return found.reshape(3, 3)


if __name__ == "__main__":
    print(f"MuJoCo {mujoco.__version__}")
    print(
        f"{'scene':36s}{'step, contacts':20s}{'CPU, s':>8s}{'penetration':>13s}{'energy rise':>13s}{'drift, m/s':>12s}"
    )
    for scene, setting, spent, depth, rise, drift in scenes(*sys.argv[1:]):
        print(f"{scene.name:36s}{setting:20s}{spent:8.2f}{depth:13.1e}{rise:13.1e}{drift:12.1e}", flush=True)
