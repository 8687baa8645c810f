r"""
A ball rolls off a ball
=======================

A small ball rolls down a large one until it leaves it. If the large one is held, that happens where
:math:`\cos\theta = \tfrac{10}{17}\cos\theta_0`, whatever their sizes. Here it lies on a smooth floor, gives way and is
turned: the lighter it is, the higher up the small one leaves. Where bodies touch one another, roll and part, the run finds
out by itself, as it does on the floor.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

import zeromass as zm
from zeromass.plot import axes, color, legend

R, r, m, tilt = 0.4, 0.15, 0.5, 0.15
M = zm.parameter("M", m)
pair = zm.Contacts(
    [zm.bodies.ball(R, M, name="large"), zm.bodies.ball(r, m, name="small")],
    on={"floor": zm.surfaces.plane()},
    between=True,
    friction={"floor": 0.0},
    restitution={"floor": 0.6, "between": 0.6},
)
large, small = pair.bodies
centers = {
    "large": (0, 0, R),
    "small": ((R + r) * np.sin(tilt), 0, R + (R + r) * np.cos(tilt)),
}
ratios, runs = np.logspace(4, 0, 9), []
for ratio in ratios:
    start = pair.start(
        center=centers,
        touching=["large on floor", "large and small"],
        parameters={M: ratio * m},
    )
    runs.append(zm.simulate(pair, start, until=0.9))
height = (small.position - large.position)[2]
angles = [
    np.arccos(one.state(one.changes[0])[height] / (R + r)) for one in runs
]
run = runs[-1]
left, held = run.changes[0], np.arccos(10 / 17 * np.cos(tilt))
print(
    f"held, it would leave at {np.degrees(held):.3f}°; with M = 10⁴ m it does "
    f"at {np.degrees(angles[0]):.3f}°"
)
print(
    f"with M = m it leaves at {np.degrees(angles[-1]):.3f}°, after {left:.4f} s"
)
momentum = large.mass * large.velocity[0] + small.mass * small.velocity[0]
print(f"horizontal momentum changes by {np.ptp(run[momentum]):.0e} kg m/s")

# %%
# The two of equal mass at the start, where they part, and 0.15 s later; and the angle at which they part.

side, angle = axes(
    1,
    2,
    size=(9.5, 4.2),
    titles=["Equal masses", "Where the small ball leaves"],
)
for t, strength in ((0.0, 0.25), (left, 0.6), (left + 0.15, 1.0)):
    for body, radius, hue in (
        (large, R, color("large", 0)),
        (small, r, color("small", 1)),
    ):
        X, _, Z = run.at(t)[body.position][0]
        side.add_patch(
            Circle(
                (X, Z), radius, fill=False, color=hue, alpha=strength, lw=1.8
            )
        )
for body, name, k in ((large, "large", 0), (small, "small", 1)):
    X, _, Z = run.at(np.linspace(0, left + 0.15, 200))[body.position].T
    side.plot(X, Z, color=color(name, k), lw=1.0, label=name)
side.axhline(0, color="0.6", lw=0.8)
side.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
legend(side)
angle.semilogx(
    ratios,
    np.degrees(angles),
    "o-",
    ms=4,
    color=color("small", 1),
    label="the large one gives way",
)
angle.axhline(
    np.degrees(held), color="0.4", ls="--", lw=1.0, label="it is held"
)
angle.set(
    xlabel="mass of the large ball over that of the small one",
    ylabel="angle from the top [°]",
)
legend(angle)
plt.show()
