"""Actuators of an MJCF file: motors, servos of position and of velocity, and what is linear in general."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from zeromass.mechanism.description import ActuatorData, JointData
from zeromass.mechanism.mjcf.words import Words
from zeromass.mechanism.xml_lines import Element

KINDS = ("motor", "position", "velocity", "general")

UNBOUNDED = (-np.inf, np.inf)


def actuator_of(one: Element, words: Words, joints: Mapping[str, JointData], k: int) -> ActuatorData:
    """What acts along a joint, of a single coordinate and without dynamics of its own."""
    if one.tag not in KINDS:
        raise one.error(f"an actuator <{one.tag}> is not known; there are {', '.join(KINDS)}")
    one = words.told(one, "main")
    target = one.attributes.get("joint", one.attributes.get("jointinparent"))
    if target is None:
        raise one.error(
            f'<{one.tag}> acts on no joint; give your own forces on tendons, sites and bodies, without=["actuator"]'
        )
    joint = joints.get(target)
    if joint is None or joint.kind not in ("revolute", "continuous", "prismatic"):
        raise one.error(f"<{one.tag}> acts on '{target}', which is no hinge and no slide")
    if one.attributes.get("dyntype", "none") != "none" or one.number("timeconst", 0.0) or "dampratio" in one.attributes:
        raise one.error(
            f"<{one.tag}> has dynamics of its own, of which nothing is known: dyntype, timeconst, dampratio"
        )
    gear = one.numbers("gear")
    gain, bias = _law(one)
    bounds = words.limited(one, "ctrllimited", "ctrlrange")
    if one.number("inheritrange", 0.0):
        if bounds is not None or not np.isfinite([joint.low, joint.high]).all():
            raise one.error(f"inheritrange of <{one.tag}>: joint '{target}' has no range, or a ctrlrange is given too")
        bounds = (joint.low + joint.high) / 2 + one.number("inheritrange") * np.array([-1, 1]) * (
            joint.high - joint.low
        ) / 2
    forces = words.limited(one, "forcelimited", "forcerange")
    return ActuatorData(
        one.attributes.get("name", f"{one.tag} {k + 1}"),
        target,
        1.0 if gear is None else float(gear[0]),
        gain,
        bias,
        UNBOUNDED if bounds is None else (float(bounds[0]), float(bounds[1])),
        UNBOUNDED if forces is None else (float(forces[0]), float(forces[1])),
        one,
    )


def _law(one: Element) -> tuple[float, tuple[float, float, float]]:
    """Gain and bias: force = gain u + b₀ + b₁ l + b₂ l̇."""
    if one.tag == "motor":
        return 1.0, (0.0, 0.0, 0.0)
    if one.tag == "position":
        kp = one.number("kp", 1.0)
        return kp, (0.0, -kp, -one.number("kv", 0.0))
    if one.tag == "velocity":
        kv = one.number("kv", 1.0)
        return kv, (0.0, 0.0, -kv)
    if one.attributes.get("gaintype", "fixed") != "fixed" or one.attributes.get("biastype", "none") not in (
        "none",
        "affine",
    ):
        raise one.error("<general> has a gaintype other than fixed, or a biastype other than none and affine")
    gain, bias = one.numbers("gainprm"), one.numbers("biasprm")
    affine = one.attributes.get("biastype", "none") == "affine" and bias is not None
    b = [*(bias.tolist() if affine and bias is not None else []), 0.0, 0.0, 0.0][:3]
    return 1.0 if gain is None else float(gain[0]), (b[0], b[1], b[2])
