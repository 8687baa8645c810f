"""Drake on the same: a discrete plant with compliant points of contact."""

from __future__ import annotations

import time

import numpy as np
from pydrake.all import (  # type: ignore[import-not-found]
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    Cylinder,
    DiagramBuilder,
    HalfSpace,
    Quaternion,
    RigidTransform,
    Simulator,
    SpatialInertia,
    SpatialVelocity,
    Sphere,
    UnitInertia,
)

from peers.contact_cases import ALPHA, BALL, COIN, END, Case, g

STEPS = (4e-3, 1e-3, 2.5e-4)


def cases() -> list[tuple[Case, str, float, float]]:
    """Case, setting, CPU seconds, error in m at the end."""
    found = []
    for case, shape, tilt in ((BALL, Sphere(BALL.radius), ALPHA), (COIN, Cylinder(COIN.radius, 2e-5), 0.0)):
        for h in STEPS:
            builder = DiagramBuilder()
            plant, _ = AddMultibodyPlantSceneGraph(builder, h)
            rough = CoulombFriction(2.0, 2.0)
            plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "table", rough)
            unit = UnitInertia(*(case.inertia / case.mass))
            body = plant.AddRigidBody("body", SpatialInertia(case.mass, np.zeros(3), unit))
            plant.RegisterCollisionGeometry(body, RigidTransform(), shape, "outside", rough)
            plant.mutable_gravity_field().set_gravity_vector([g * np.sin(tilt), 0, -g * np.cos(tilt)])
            plant.Finalize()
            simulator = Simulator(builder.Build())
            context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
            plant.SetFreeBodyPose(context, body, RigidTransform(Quaternion(case.turn), case.place))
            plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(case.spin, case.velocity))
            simulator.Initialize()
            begin = time.process_time()
            simulator.AdvanceTo(END)
            spent = time.process_time() - begin
            place = plant.EvalBodyPoseInWorld(context, body).translation()
            found.append((case, f"h = {h:.2g} s", spent, float(np.linalg.norm(place[:2] - case.end[:2]))))
    return found
