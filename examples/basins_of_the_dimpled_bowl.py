"""
Where a ball comes to rest in the dimpled bowl
==============================================

A shell is let go from rest somewhere in the bowl of [UM2022]; a torque against its turning takes its energy, and it comes to
rest in one of nine dimples. All places from which it comes to the same one are its basin: 10,000 motions, moved
side by side.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm

x, y = zm.parameter("x", -1.0), zm.parameter("y", 0.5)
ball = zm.Rolling(
    zm.bodies.two_material_shell(
        outer=0.09, inner=0.08, densities=(7874, 10490)
    ),
    on=zm.surfaces.dimpled_bowl(),
    gravity=9.81,
    forces=lambda rolling: zm.Torque(
        -0.03 * rolling.body.angular_velocity, on=rolling.body
    ),
)
start = ball.start(contact=(x, y), velocity=(0, 0))
speed = np.sqrt(
    ball.center_particle.velocity @ ball.center_particle.velocity + 1e-12
)

study = zm.sweep(
    ball,
    start,
    until=30.0,
    rtol=1e-6,
    atol=1e-8,
    over={x: np.linspace(-2, 2, 100), y: np.linspace(-2, 2, 100)},
    keep={"end": ball.contact, "way": zm.study.integral(speed)},
    on="cores",
)
study["way"].attrs.update(long_name="way", units="m")
study["x"].attrs.update(long_name="X of the start", units="m")
study["y"].attrs.update(long_name="Y of the start", units="m")

# %%
# Dimples are a wavelength of the bowl apart, so that a grid of cells tells them apart. From most places it ends in the
# middle; near the rims between two dimples the smallest change of the start decides.

cells = np.round((study.end[..., :2] - [-0.25, -0.3]) / [1.0, 1.1]).astype(int)
dimple = 3 * (1 - cells[..., 1]) + cells[..., 0] + 1
rows = ["upper", "", "lower"]
names = {3 * j + i: f"{row} {column}".strip() for j, row in enumerate(rows)
         for i, column in enumerate(["left", "middle", "right"])}  # fmt: skip
print(
    f"{np.mean(dimple == 4):.0%} of the starts end in the middle, after a way "
    f"of {float(study.way.mean()):.1f} m on average"
)

# %%

_, ax = plt.subplots(figsize=(6, 6.2), layout="constrained")
zm.plot.study(study, dimple.rename("dimple"), ax, labels=names, shade="way")
ax.set_aspect("equal")
plt.show()
