"""
A bicycle over a hill
=====================

The bicycle of the benchmark on ground that is not level: each wheel rolls with its sharp edge on the surface, by a point
without mass where both touch. On level ground the eigenvalues are the published ones (Meijaard and others, 2007); here it
crosses a hill at a slant, leans into it, steers and goes on, and nobody holds the handlebar.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

w, trail, tilt, r_rear, r_front = 1.02, 0.08, np.pi / 10, 0.3, 0.35
ground, y = zm.Ground(), (0, 1, 0)
hill = zm.Surface(
    lambda X, Y: 0.25 * np.exp(-((X - 5) ** 2 + (Y - 0.8) ** 2) / 2),
    name="hill",
)
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
fork = zm.RigidBody(
    "fork",
    4.0,
    [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]],
    at=(0.9, 0, 0.7),
)
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
    zm.joints.WheelOnSurface(ground, b, hill, radius=r, axis=y)
    for b, r in ((rear, r_rear), (front, r_front))
]
bicycle = zm.System(
    [frame, fork, rear, front], gravity=9.81, joints=[*axles, steer, *tyres]
)

lean = rear.rotate(y)[2]  # sine of the lean angle
start = bicycle.start({axles[0].rate: 4.6 / r_rear, zm.rate(lean): 0.1})
run = zm.simulate(bicycle, start, until=4.0)
energy = run[bicycle.energy]
print(
    f"energy is kept to {np.ptp(energy) / energy[0]:.0e}; the rear wheel "
    f"climbs {run[tyres[0].contact[2]].max():.3f} m"
)
print(f"the tyres need {run.required_friction()}")

# %%
# The tracks of the wheels on the hill, and lean and steer on the way.

times = np.linspace(0, 4, 800)
dense = run.at(times)
left, right = axes(1, 2, size=(10, 4.2), space=[0])
X, Y = np.meshgrid(np.linspace(0, 10, 60), np.linspace(-2.5, 3, 40))
left.plot_surface(
    X, Y, hill.height(X, Y), cmap="Greens_r", alpha=0.5, lw=0, vmin=-0.2
)
for tyre in tyres:
    left.plot(
        *dense[tyre.contact][dense[tyre.contact[0]] < 10].T, lw=1.2, zorder=5
    )
circle = np.linspace(0, 2 * np.pi, 40)
for t in np.linspace(0, 1.9, 6):
    now = run.at(t)
    for body, radius in ((rear, r_rear), (front, r_front)):
        rim = radius * np.stack([np.cos(circle), 0 * circle, np.sin(circle)])
        left.plot(
            *(now[body.position][0][:, None] + now[body.rotation][0] @ rim),
            color="k",
            lw=0.8,
            zorder=6,
        )
left.set_box_aspect((10, 5.5, 1.2), zoom=1.4)  # type: ignore[arg-type]
left.set_axis_off()
right.plot(times, np.rad2deg(np.arcsin(dense[lean])), label="lean")
right.plot(times, np.rad2deg(dense[steer.angle]), label="steer")
right.set(xlabel="time [s]", ylabel="angle [°]")
legend(right)
plt.show()
