"""
Terrain from data
=================

Heights on a grid, as a survey gives them, become a smooth surface: a spline of degree 5. A ball rolls over it and keeps
its energy; where it would leave the data the run ends and says so.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes

random = np.random.default_rng(7)
x, y = np.linspace(-4, 4, 41), np.linspace(-3, 3, 31)
X, Y = np.meshgrid(x, y, indexing="ij")
heights = 0.06 * (X**2 + Y**2)
for _ in range(12):  # hills and hollows
    a, b = random.uniform((-4, -3), (4, 3))
    heights += random.uniform(-0.25, 0.25) * np.exp(
        -2 * ((X - a) ** 2 + (Y - b) ** 2)
    )

terrain = zm.Surface.from_heights(x, y, heights)
rolling = zm.Rolling(
    zm.bodies.ball(radius=0.05, mass=0.5), on=terrain, gravity=9.81
)
run = zm.simulate(
    rolling, rolling.start(contact=(-2.0, 1.5), velocity=(0.6, 0.0)), until=8.0
)
energy = run[rolling.energy]
print(f"energy {energy[0]:.6f} J, changed by {np.ptp(energy):.0e} J")

# %%
# Pushed harder, the ball reaches the end of what was measured.

fast = zm.simulate(
    rolling, rolling.start(contact=(-2.0, 1.5), velocity=(3.5, 1.0)), until=15.0
)
print(fast.outcome)

ax = axes(size=(5.8, 4.4), titles=["A ball on measured ground"])
levels = ax.contourf(X, Y, heights, levels=20, cmap="cividis")
plt.colorbar(levels, ax=ax, label="height [m]", fraction=0.035)
for one, color, name in (
    (run, "#f0955a", "slow"),
    (fast, "white", "fast, over the edge"),
):
    ax.plot(
        *one.at(np.linspace(0, one.t[-1], 1500))[rolling.contact[:2]].T,
        color=color,
        lw=1.4,
        label=name,
    )
ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
ax.legend(
    fontsize="small",
    facecolor="0.35",
    labelcolor="white",
    edgecolor="none",
    loc="lower right",
)
plt.show()
