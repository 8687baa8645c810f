"""
A slider-crank from joints
==========================

Three bodies and four joints. The ball joint and the cross leave the rod free to find its plane, so that nothing is
redundant and every reaction is determined. The angle of the crank counts turns; the slider is where the closed formula
says.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

r, l = 0.1, 0.35  # crank and rod, m
ground = zm.Ground()
crank = (
    zm.bodies.Solid.box((r, 0.02, 0.02), density=7850)
    .moved((r / 2, 0, 0))
    .body("crank")
)
rod = (
    zm.bodies.Solid.cylinder(0.008, l, axis=(1, 0, 0), density=7850)
    .moved((r + l / 2, 0, 0))
    .body("rod")
)
slider = (
    zm.bodies.Solid.box((0.06, 0.05, 0.05), density=2700)
    .moved((r + l, 0, 0))
    .body("slider")
)

pin = zm.joints.Revolute(
    ground, crank, at=(0, 0, 0), axis=(0, -1, 0), name="pin"
)
ball = zm.joints.Spherical(crank, rod, at=(r, 0, 0), name="ball")
cross = zm.joints.Universal(
    rod, slider, at=(r + l, 0, 0), axes=((0, 1, 0), (0, 0, 1)), name="cross"
)
guide = zm.joints.Prismatic(ground, slider, axis=(1, 0, 0), name="guide")
engine = zm.System(
    [crank, rod, slider], gravity=9.81, joints=[pin, ball, cross, guide]
)

run = zm.simulate(
    engine, engine.start({pin.angle: 0.3, pin.rate: 60.0}), until=0.3
)
angle = run[pin.angle]
x = r * np.cos(angle) + np.sqrt(l**2 - r**2 * np.sin(angle) ** 2)
off = np.abs(run[slider.position[0]] - x).max()
print(
    f"{angle[-1] / (2 * np.pi):.1f} turns; the slider is off the formula by "
    f"{off:.0e} m"
)
print(
    "the pin carries up to "
    f"{np.linalg.norm(run[pin.force], axis=1).max():.0f} N"
)

# %%
# The mechanism at some angles, and the force that the pin carries, as it turns with the crank.

left, right = axes(1, 2, size=(10, 4), titles=["The mechanism"])
times = np.linspace(0, 0.3, 1200)
dense = run.at(times)
knee, end, force, turned = (
    dense[ball.point],
    dense[slider.position],
    dense[pin.force],
    dense[pin.angle],
)
for k in np.searchsorted(turned, turned[0] + np.linspace(0, 2 * np.pi, 9)[:-1]):
    left.plot(
        [0, knee[k, 0], end[k, 0]],
        [0, knee[k, 2], end[k, 2]],
        "o-",
        color=color("rods", 1),
        ms=3,
        lw=1,
        alpha=0.7,
    )
left.plot(knee[:, 0], knee[:, 2], color="0.7", lw=0.8, zorder=0)
left.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
right.plot(np.rad2deg(turned), force[:, 0], label="along X")
right.plot(np.rad2deg(turned), force[:, 2], label="along Z")
right.set(
    xlabel="angle of the crank [°]", ylabel="force on the crank at the pin [N]"
)
legend(right)
plt.show()
