"""Mechanisms: joints, drives and couplings, each a named set of constraints on parts, and nothing more."""

from zeromass.mechanism.blocks import PID, LowPass, Signal, saturated
from zeromass.mechanism.bushing import Bushing
from zeromass.mechanism.freedom import Acting, Drive, Freedom, Turning
from zeromass.mechanism.geared import Belt, Cam, Gear, RackAndPinion
from zeromass.mechanism.geneva import Geneva
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint
from zeromass.mechanism.lower import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw
from zeromass.mechanism.pointed import (
    ConstantVelocity,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    Spherical,
    Universal,
)
from zeromass.mechanism.robot import Robot, from_mjcf, from_urdf
from zeromass.mechanism.robot_joint import RobotJoint
from zeromass.mechanism.solid import Solid
from zeromass.mechanism.strung import Distance, Rope
from zeromass.mechanism.wheel import WheelOnGround

__all__ = [
    "Acting",
    "Belt",
    "Bushing",
    "Cam",
    "ConstantVelocity",
    "Cylindrical",
    "Distance",
    "Drive",
    "Fixed",
    "Freedom",
    "Gear",
    "Geneva",
    "Ground",
    "Joint",
    "LowPass",
    "PID",
    "Planar",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "Robot",
    "RobotJoint",
    "Rope",
    "Screw",
    "Signal",
    "Solid",
    "Spherical",
    "Turning",
    "Universal",
    "WheelOnGround",
    "from_mjcf",
    "from_urdf",
    "saturated",
]
