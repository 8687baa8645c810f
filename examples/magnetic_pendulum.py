"""
The magnetic pendulum
=====================

A pendulum over three magnets, drawn back to the middle by gravity, slowed by the air: where does it come to rest?
The basins are interwoven down to the smallest scale, although every motion is determined by its start.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm

x, y = zm.coordinates("x y")
x0, y0 = zm.parameter("x0", 1.0), zm.parameter("y0", 0.5)
height, pull, damping = 0.25, 0.5, 0.2

angles = np.radians([90, 210, 330])
magnets = np.stack([np.cos(angles), np.sin(angles)], axis=1)
distances = [
    np.sqrt((x - a) ** 2 + (y - b) ** 2 + height**2) for a, b in magnets
]
pendulum = zm.System(
    kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
    potential=pull * (x**2 + y**2) / 2 - sum(1 / d for d in distances),
    forces={x: -damping * zm.rate(x), y: -damping * zm.rate(y)},
)
start = pendulum.start({x: x0, y: y0})

# %%
# Where the energy has sunk so far that no other magnet can be reached, the motion is decided: an event ends it there.

saddle = min(
    float(
        zm.expression.evaluate(
            pendulum.potential,
            {x: 0.5 * np.cos(a + np.pi), y: 0.5 * np.sin(a + np.pi)},
        )
    )
    for a in angles
)
decided = zm.Event("decided", pendulum.energy - (saddle - 0.3))
study = zm.sweep(
    pendulum,
    start,
    until=40.0,
    rtol=1e-8,
    atol=1e-10,
    over={x0: np.linspace(-3, 3, 128), y0: np.linspace(-3, 3, 128)},
    keep={"end": [x, y], "decided": zm.study.first_time(decided)},
    events=decided,
    on="cores",
)
apart = np.linalg.norm(study.end.values[..., None, :] - magnets, axis=-1)
magnet = study.end_time.copy(data=apart.argmin(axis=-1)).rename("magnet")
count = study.sizes["x0"] * study.sizes["y0"]
print(f"{count} motions, decided after {float(study.decided.median()):.0f} s")
print(f"(median); each ends within {apart.min(axis=-1).max():.2f} of a magnet")

# %%

_, ax = plt.subplots(figsize=(6, 6), layout="constrained")
zm.plot.study(
    study,
    magnet,
    ax,
    labels={k: f"magnet {k + 1}" for k in range(3)},
    shade="decided",
)
ax.plot(*magnets.T, "o", color="white", mec="black", ms=7)
ax.set(aspect="equal", xlabel="x of the start", ylabel="y of the start")
plt.show()
