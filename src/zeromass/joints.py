"""Joints, gears, ropes and wheels: constraints on two bodies, or on a body and `zm.Ground()`."""

from zeromass.contact.wheels import WheelOnSurface as WheelOnSurface
from zeromass.mechanism.bushing import Bushing as Bushing
from zeromass.mechanism.geared import Belt as Belt
from zeromass.mechanism.geared import Cam as Cam
from zeromass.mechanism.geared import Gear as Gear
from zeromass.mechanism.geared import RackAndPinion as RackAndPinion
from zeromass.mechanism.geneva import Geneva as Geneva
from zeromass.mechanism.lower import Cylindrical as Cylindrical
from zeromass.mechanism.lower import Fixed as Fixed
from zeromass.mechanism.lower import Planar as Planar
from zeromass.mechanism.lower import Prismatic as Prismatic
from zeromass.mechanism.lower import Revolute as Revolute
from zeromass.mechanism.lower import Screw as Screw
from zeromass.mechanism.pointed import ConstantVelocity as ConstantVelocity
from zeromass.mechanism.pointed import PointOnCurve as PointOnCurve
from zeromass.mechanism.pointed import PointOnLine as PointOnLine
from zeromass.mechanism.pointed import PointOnPlane as PointOnPlane
from zeromass.mechanism.pointed import PointOnSurface as PointOnSurface
from zeromass.mechanism.pointed import Spherical as Spherical
from zeromass.mechanism.pointed import Universal as Universal
from zeromass.mechanism.strung import Distance as Distance
from zeromass.mechanism.strung import Rope as Rope
from zeromass.mechanism.wheel import WheelOnGround as WheelOnGround
