"""
A bicycle from four bodies
==========================

Two wheels, a frame with its rider and a fork; three hinges; two wheels that roll on the ground. These are the numbers of the
published benchmark (Meijaard, Papadopoulos, Ruina and Schwab, 2007). At 4.6 m/s, between its weave speed of 4.3 m/s and its
capsize speed of 6.0 m/s, a push to the side dies out though nobody steers.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

w, trail, tilt, r_rear, r_front = 1.02, 0.08, np.pi / 10, 0.3, 0.35
ground, y = zm.Ground(), (0, 1, 0)
rear = zm.RigidBody(
    "rear wheel", 2.0, (0.0603, 0.12, 0.0603), at=(0, 0, r_rear)
)
front = zm.RigidBody(
    "front wheel", 3.0, (0.1405, 0.28, 0.1405), at=(w, 0, r_front)
)
frame = zm.RigidBody(
    "frame",
    85.0,
    [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]],
    at=(0.3, 0, 0.9),
)
J = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
fork = zm.RigidBody("fork", 4.0, J, at=(0.9, 0, 0.7))
axles = [
    zm.joints.Revolute(frame, rear, axis=y),
    zm.joints.Revolute(fork, front, axis=y),
]
steer = zm.joints.Revolute(
    frame,
    fork,
    at=(w + trail, 0, 0),
    axis=(-np.sin(tilt), 0, np.cos(tilt)),
    name="steer",
)
tyres = [
    zm.joints.WheelOnGround(ground, rear, radius=r_rear, axis=y),
    zm.joints.WheelOnGround(ground, front, radius=r_front, axis=y),
]
bicycle = zm.System(
    [frame, fork, rear, front], gravity=9.81, joints=[*axles, steer, *tyres]
)

lean = rear.rotate(y)[2]  # sine of the lean angle
start = bicycle.start({axles[0].rate: 4.6 / r_rear, zm.rate(lean): 0.1})
print(bicycle.check(start).degrees_of_freedom, "velocities can be chosen")
run = zm.simulate(bicycle, start, until=6.0)
energy = run[bicycle.energy]
print(
    f"energy is kept to {np.ptp(energy) / energy[0]:.0e}; the forward speed "
    "rises by what the weave loses"
)

# %%
# The tracks of the wheels, the bicycle drawn on them now and then, and lean and steer as they die out.

times = np.linspace(0, 6, 900)
dense = run.at(times)
left, right = axes(1, 2, size=(10, 4.2), space=[0])
for tyre in tyres:
    left.plot(*run.at(times[times < 1.8])[tyre.contact].T, lw=1)
circle = np.linspace(0, 2 * np.pi, 40)
spokes = np.stack([np.cos(circle), 0 * circle, np.sin(circle)])
for t in np.linspace(0, 1.6, 5):
    now = run.at(t)
    for body, r in ((rear, r_rear), (front, r_front)):
        left.plot(
            *(
                now[body.position][0][:, None]
                + now[body.rotation][0] @ (r * spokes)
            ),
            color="k",
            lw=0.8,
        )
    line = [
        now[x][0]
        for x in (rear.position, frame.position, steer.point, front.position)
    ]
    left.plot(
        *np.array(
            [line[0], line[1], now[fork.point((-0.05, 0, 0.2))][0], line[3]]
        ).T,
        color=color("frame", 0),
        lw=1,
    )
left.set(xlim=(0, 8), ylim=(-1, 1), zlim=(0, 1.2))
left.set_box_aspect((8, 2, 1.2))
left.set_axis_off()
right.plot(times, np.rad2deg(np.arcsin(dense[lean])), label="lean")
right.plot(times, np.rad2deg(dense[steer.angle]), label="steer")
right.set(xlabel="time [s]", ylabel="angle [°]")
legend(right)
plt.show()
