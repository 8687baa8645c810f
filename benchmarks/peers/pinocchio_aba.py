"""Seconds of Pinocchio's ABA for a mechanism: links as JSON on the standard input, or the path of a URDF file as argument.

It runs in a Python that has Pinocchio (`pip install pin`), which need not be that of the benchmark.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pinocchio as pin


def model_of(links: list[dict]) -> pin.Model:
    """A mechanism of `tests/compile/mixed.py`; axes of joints are those of space as drawn, but for planar ones."""
    model, joints, frames = pin.Model(), [], []
    for k, link in enumerate(links):
        up, kind, (axis, across) = link["parent"], link["kind"], np.array(link["axes"])
        R = np.column_stack([across, np.cross(axis, across), axis]) if kind == "planar" else np.eye(3)
        here = pin.SE3(R, np.array(link["point"]))
        before, frame = (joints[up], frames[up]) if up >= 0 else (0, pin.SE3.Identity())
        body = pin.SE3(pin.Quaternion(*link["quaternion"]).matrix(), np.array(link["at"]))
        inertia = pin.Inertia(link["mass"], np.zeros(3), np.array(link["inertia"]))
        if kind == "fixed":
            joints.append(before)
            frames.append(frame)
        else:
            joints.append(model.addJoint(before, _joint(kind, axis, across), frame.actInv(here), f"joint {k}"))
            frames.append(here)
        model.appendBodyToJoint(joints[k], inertia, frames[k].actInv(body))
    return model


def _joint(kind: str, axis: np.ndarray, across: np.ndarray) -> object:
    match kind:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(*axis)
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(*axis)
        case "universal":
            return pin.JointModelUniversal(axis, across)
        case "cylindrical":
            both = pin.JointModelComposite(2)
            both.addJoint(pin.JointModelRevoluteUnaligned(*axis), pin.SE3.Identity())
            both.addJoint(pin.JointModelPrismaticUnaligned(*axis), pin.SE3.Identity())
            return both
        case "planar":
            return pin.JointModelPlanar()
    return pin.JointModelSpherical()


def main() -> None:
    model = pin.buildModelFromUrdf(sys.argv[1]) if len(sys.argv) > 1 else model_of(json.load(sys.stdin))
    data, v, τ = model.createData(), 0.3 * np.random.default_rng(0).normal(size=model.nv), np.zeros(model.nv)
    q = pin.integrate(model, pin.neutral(model), v)
    count, best = max(1, 2000 // model.nv), np.inf
    for _ in range(30):
        begin = time.process_time()
        for _ in range(count):
            pin.aba(model, data, q, v, τ)
        best = min(best, (time.process_time() - begin) / count)
    print(best)


if __name__ == "__main__":
    main()
