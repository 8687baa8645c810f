"""
The friction that rolling needs, over starts
============================================

How rough must a bowl be for a shell to roll in it without slipping? That is the largest :math:`|F_t|/F_n` of its motion, and
depends on how it starts. Here it is for 40,000 starts, found between the steps too, on all cores; one of them is then
shown in detail.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes

vx, vy = zm.parameter("vx", 1.5), zm.parameter("vy", 1.0)
body = zm.bodies.two_material_shell(
    outer=0.09, inner=0.08, densities=(7874, 10490)
)
rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81)
start = rolling.start(
    contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.0, orientation=(1, 0, 0, 0)
)
study = zm.sweep(
    rolling,
    start,
    until=3.0,
    rtol=1e-6,
    atol=1e-8,
    over={vx: np.linspace(-1.0, 2.5, 200), vy: np.linspace(-1.0, 2.5, 200)},
    keep={"friction": zm.study.largest(rolling.friction_ratio)},
    on="cores",
)
for name in ("vx", "vy"):
    study[name].attrs["units"] = "m/s"

# %%
# Where contact is lost the surface would have to pull the shell: the motion ends there, and the ratio has no bound.

count = study.outcome.size
lost = int((study.outcome != "finished").sum())
print(
    f"{count} starts: {lost} of them lose contact, the others need "
    f"{float(study.friction.median()):.2f} at the median"
)

# %%
# `study.zm.run` gives the whole run of a member.

needs = study.friction.where(study.outcome == "finished")
one = study.isel(abs(needs - 0.4).argmin(...))
run = one.zm.run()
print(
    f"vx = {float(one.vx):.3f} m/s, vy = {float(one.vy):.3f} m/s: "
    f"{run.required_friction()}"
)

# %%

left, right = axes(1, 2, size=(11, 4.6))
zm.plot.study(study, needs, left)
left.plot(one.vx, one.vy, "o", mfc="none", mec="white", ms=9)
run.plot.path(right)
plt.show()
