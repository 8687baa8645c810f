"""Scenes of many bodies with zm.Collisions, beside MuJoCo where it is installed: python benchmarks/scenes.py SCENE COUNT …

balls     poured into a box;  dominoes  that topple

For each count: CPU seconds of a first run and of the next, s of motion, impacts, the deepest overlap as a part of a size,
and the largest rise of the energy as a part of that at the start. MuJoCo's are of the stiffest contacts with which its
energy does not blow up. `--until` ends the scenes sooner.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from peers.scenes import Body, Scene, Shape, g, poured_balls, toppling_dominoes

import zeromass as zm

SCENES: dict[str, Callable[[int], Scene]] = {"balls": poured_balls, "dominoes": toppling_dominoes}
LOOKS = 201
"""Times at which energies and overlaps are looked at."""


def shape_of(shape: Shape) -> Any:
    """A shape of zm.shapes; all of these scenes are about mass centres."""
    assert not any(shape.place)
    if shape.kind == "box":
        return zm.shapes.box(shape.size)
    return zm.shapes.sphere(*shape.size)


def modelled(scene: Scene) -> tuple[zm.System, zm.State, dict[str, zm.RigidBody]]:
    """The system of a scene, and where it starts."""
    bodies = {one.name: zm.RigidBody(one.name, one.mass, one.inertia) for one in scene.bodies}
    law: dict[str, Any] = {"friction": scene.friction, "restitution": scene.restitution}
    planes = [half_space(plane.name, plane.normal, plane.offset) for plane in scene.planes]
    shapes = {bodies[one.name]: [shape_of(shape) for shape in one.shapes] for one in scene.bodies}
    system = zm.System(list(bodies.values()), gravity=g, contacts=[zm.Collisions(shapes, planes, **law)])
    given = [pair for one in scene.bodies for pair in state_of(one, bodies[one.name])]
    return system, system.start(given), bodies


def half_space(name: str, normal: tuple[float, float, float], offset: float) -> zm.Surface:
    """The plane n · x = offset."""
    a, b, c = normal
    return zm.Surface(lambda X, Y, Z: a * X + b * Y + c * Z - offset, name=name)


def state_of(one: Body, body: zm.RigidBody) -> list[Any]:
    """Prescribed values of a body."""
    place = [(body.position, one.place), (body.quaternion, one.turn)]
    return [*place, (body.velocity, one.velocity), (body.angular_velocity, one.spin)]


def overlap(scene: Scene, run: zm.Run, bodies: dict[str, zm.RigidBody]) -> float:
    """The deepest overlap of balls with one another and with planes, as a part of a size; NaN of other shapes."""
    if any(shape.kind != "sphere" for one in scene.bodies for shape in one.shapes):
        return float("nan")
    seen = run.at(np.linspace(0.0, float(run.t[-1]), LOOKS))
    places = [seen[bodies[one.name].position] for one in scene.bodies]
    radii = [one.shapes[0].size[0] for one in scene.bodies]
    gaps = [
        float((x @ np.array(plane.normal)).min()) - plane.offset - r
        for x, r in zip(places, radii, strict=True)
        for plane in scene.planes
    ]
    for (x, r), (y, s) in combinations(zip(places, radii, strict=True), 2):
        gaps.append(float(np.linalg.norm(x - y, axis=1).min()) - r - s)
    return -min(gaps) / scene.size


def measured(scene: Scene) -> None:
    """Prints what a scene takes, and how well it keeps the laws."""
    warnings.simplefilter("ignore")
    system, start, bodies = modelled(scene)
    spent: list[float] = []
    for _ in range(2):
        begin = time.process_time()
        run = zm.simulate(system, start, until=scene.until, rtol=1e-8)
        spent.append(time.process_time() - begin)
    energies = run.at(np.linspace(0.0, float(run.t[-1]), LOOKS))[system.energy]
    rise = float(np.max(energies - np.minimum.accumulate(energies)) / abs(energies[0]))
    print(f"{scene.name}: zeromass {spent[0]:.2f} s, again {spent[1]:.2f} s for {run.t[-1]:.3g} s", end=" ")
    print(f"({run.outcome.ending.value}), {len(run.impacts)} impacts", end=", ")
    print(f"overlap {overlap(scene, run, bodies):.1e}, energy rises by {rise:.1e}")


def beside(scene: Scene) -> None:
    """Prints the same of MuJoCo."""
    try:
        from peers.mujoco_contact import SCENE_STEPS, stiffest
    except ImportError:
        return
    found = stiffest(scene, SCENE_STEPS[0])
    print(
        f"    MuJoCo, {found.setting}: {found.spent:.3f} s, overlap {found.depth:.1e}, energy rises by {found.rise:.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--until", type=float)
    asked = parser.parse_args()
    for count in asked.counts:
        scene = SCENES[asked.scene](count)
        scene = scene if asked.until is None else scene._replace(until=asked.until)
        measured(scene)
        beside(scene)


if __name__ == "__main__":
    main()
