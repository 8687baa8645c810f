"""
The double pendulum in redundant coordinates
============================================

Two points in a plane and two rods of fixed length: no angles, no Lagrangian worked out by hand. The same pendulum in
its two angles moves alike, although the motion is chaotic, and the reactions are the tensions of the rods.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

g = 9.81
a, b = zm.coordinates("x1 y1"), zm.coordinates("x2 y2")
va, vb = zm.rate(a), zm.rate(b)
points = zm.System(
    kinetic=(va @ va + vb @ vb) / 2,
    potential=g * (a[1] + b[1]),
    constraints={
        "upper rod": (a @ a - 1) / 2,
        "lower rod": ((b - a) @ (b - a) - 1) / 2,
    },
)
run = zm.simulate(
    points,
    points.start(
        [(a, (1, 0)), (b, (2, 0)), (zm.rate(a[1]), 0), (zm.rate(b[1]), 0)]
    ),
    until=5.0,
)

# %%
# The minimal coordinates: the angles of the rods.

u, w = zm.coordinates("u w")
A = np.array([np.cos(u), np.sin(u)])
B = A + np.array([np.cos(w), np.sin(w)])
VA, VB = zm.rate(A), zm.rate(B)
angles = zm.System(kinetic=(VA @ VA + VB @ VB) / 2, potential=g * (A[1] + B[1]))
other = zm.simulate(
    angles,
    angles.start([(angles.coordinates, 0), (angles.rates, 0)]),
    until=5.0,
)

times = np.linspace(0, 5, 600)
gap = np.abs(run.at(times)[b] - other.at(times)[B]).max()
print(f"four coordinates against two angles: {gap:.0e} m apart at most in 5 s")
print(f"energy drift {np.ptp(run[points.energy]):.0e} J")

left, right = axes(
    1, 2, size=(10, 4), titles=["Paths of the masses", "Tension of the rods"]
)
left.plot(*run.at(times)[a].T, label="upper mass")
left.plot(*run.at(times)[b].T, label="lower mass")
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
legend(left)
tension = -run.at(times)[
    points.multipliers
]  # rods of length 1 m: the multiplier is the tension
right.plot(times, tension, label=["upper rod", "lower rod"])
right.set(xlabel="time [s]", ylabel="tension [N]")
legend(right)
plt.show()
