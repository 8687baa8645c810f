"""
A Delta robot
=============

Three driven arms and six massless rods carry a plate that stays level: three loops, no part of them special. The arms are
driven so that the plate goes around a circle, and the torques of the drives are the answer.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

R, r, arm, fore, level = (
    0.2,
    0.05,
    0.2,
    0.42,
    -0.4,
)  # hips, plate, arm, rods, height of the plate, m
turn = 2 * np.pi * zm.t  # one turn a second
path = np.array([0.08 * np.cos(turn), 0.08 * np.sin(turn), level])
ground = zm.Ground()
plate = zm.RigidBody(
    "plate", mass=0.4, inertia=(2e-4, 2e-4, 4e-4), at=(0.08, 0, level)
)


def lift(out, place):
    """Angle of an arm below the horizontal, for a place of the plate."""
    s, h, c = R - r - out @ place, place[2], np.cross((0, 0, 1), out) @ place
    k = (fore**2 - c**2 - arm**2 - s**2 - h**2) / (
        2 * arm
    )  # s cos α − h sin α = k
    return np.arccos(k / np.sqrt(s**2 + h**2)) - np.arctan2(-h, s)


arms, pins, rods, drives = [], [], [], []
for k, angle in enumerate(np.deg2rad([0, 120, 240])):
    out, across = (
        np.array([np.cos(angle), np.sin(angle), 0]),
        np.array([-np.sin(angle), np.cos(angle), 0]),
    )
    hip = R * out
    alpha = lift(out, np.array([0.08, 0, level]))  # in the reference pose
    elbow = hip + arm * (
        np.cos(alpha) * out - np.sin(alpha) * np.array([0, 0, 1])
    )
    solid = zm.bodies.Solid.cylinder(0.01, arm, axis=elbow - hip, density=1500)
    arms.append(solid.moved((hip + elbow) / 2).body(f"arm {k}"))
    pins.append(
        zm.joints.Revolute(
            ground, arms[k], at=hip, axis=across, name=f"pin {k}"
        )
    )
    drives.append(pins[k].drive(lift(out, path) - alpha))
    for side in (-0.04, 0.04):
        ends = ((elbow - hip) / 2 + side * across, r * out + side * across)
        rods.append(
            zm.joints.Distance(
                arms[k],
                plate,
                at=ends,
                length=fore,
                name=f"rod {k} {'left' if side < 0 else 'right'}",
            )
        )
robot = zm.System([*arms, plate], gravity=9.81, joints=[*pins, *rods, *drives])

run = zm.simulate(robot, robot.start(), until=1.0)
print(
    "the plate leaves its circle by "
    f"{np.abs(run[plate.position - path]).max():.0e} m at most"
)
print(
    f"it turns by {np.abs(run[plate.rotation] - np.eye(3)).max():.0e}; "
    "nothing but the rods holds it"
)

times = np.linspace(0, 1, 200)
left, right = axes(1, 2, size=(10, 4.2), space=[0])
left.plot(*run.at(times)[plate.position].T, color=color("plate", 0))
for t, dark in ((0.0, 0.25), (0.35, 0.6)):
    now = run.at(t)
    for pin, body in zip(pins, arms, strict=True):
        hip, middle = now[pin.point][0], now[body.position][0]
        left.plot(*np.array([hip, 2 * middle - hip]).T, color=str(dark), lw=3)
    for rod in rods:
        left.plot(
            *np.array([now[rod.a.point][0], now[rod.b.point][0]]).T,
            color=str(dark),
            lw=0.8,
        )
left.set(aspect="equal")
left.set_axis_off()
for drive in drives:
    right.plot(times, run.at(times)[drive.torque], label=drive.name)
right.set(xlabel="time [s]", ylabel="torque [N m]")
legend(right)
plt.show()
