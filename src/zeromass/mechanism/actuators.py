"""Actuators of a description: forces along joints, of inputs that are parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, as_expression, parameter
from zeromass.mechanism.blocks import saturated
from zeromass.mechanism.description import ActuatorData, word
from zeromass.mechanism.freedom import Acting
from zeromass.mechanism.robot_joint import RobotJoint


def actuated(data: Sequence[ActuatorData], joints: Mapping[str, RobotJoint]) -> tuple[dict[str, Symbol], list[Acting]]:
    """The inputs by the names of the actuators, parameters that are zero by default, and what they exert."""
    inputs: dict[str, Symbol] = {}
    forces: dict[str, Expression] = {}
    for one in data:
        inputs[one.name] = u = parameter(f"{word(one.name)}.input", 0.0)
        free = joints[one.joint].turn
        b0, b1, b2 = one.bias
        l, speed = one.gear * free.place, one.gear * free.speed
        force = one.gear * _within(one.gain * _within(u, one.inputs) + b0 + b1 * l + b2 * speed, one.forces)
        forces[one.joint] = as_expression(forces.get(one.joint, 0.0) + force)
    acting = [joints[name].motor(_within(force, joints[name].data.bounds)) for name, force in forces.items()]
    return inputs, acting


def _within(value: Any, bounds: tuple[float, float]) -> Expression:
    return saturated(value, *bounds) if np.isfinite(bounds).all() else as_expression(value)
