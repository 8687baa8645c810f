"""
A billiard ball in a corner
===========================

A ball with sidespin is played into the corner of a table. Two cushions turn it round, with the friction of its spin; on the
cloth it slips until it rolls. Floor and cushions are three surfaces, and the run goes from contact to contact by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

r, m = 0.0286, 0.17
table = {
    "cloth": zm.surfaces.plane(),
    "long cushion": zm.Surface(lambda X, Y, Z: 0.6 - Y),
    "short cushion": zm.Surface(lambda X, Y, Z: 1.0 - X),
}
ball = zm.Contacts(
    zm.bodies.ball(r, m),
    on=table,
    gravity=9.81,
    friction={"cloth": 0.2, "long cushion": 0.15, "short cushion": 0.15},
    restitution={"cloth": 0.5, "long cushion": 0.85, "short cushion": 0.85},
)
paths = {}
for spin in (-80.0, 0.0, 80.0):
    start = ball.start(
        center=(0.2, 0.1, r),
        velocity=(1.6, 1.1, 0.0),
        angular_velocity=(0.0, 0.0, spin),
    )
    run = zm.simulate(ball, start, until=1.3)
    strikes = [
        event for event in run.events if event.name.endswith("cushion: lands")
    ]
    print(
        f"spin {spin:+.0f} rad/s: "
        f"{', '.join(f'{e.name[:5]} cushion at {e.t:.4f} s' for e in strikes)}"
    )
    paths[f"{spin:+.0f} rad/s"] = run.at(np.linspace(0, run.t[-1], 800))[
        ball.center
    ]

# %%
# The paths of the centre, and the lines on which it meets the cushions.

ax = axes(titles=["Into the corner, with sidespin"])
for (name, path), hue in zip(
    paths.items(), ("friction", "centre", "spin"), strict=True
):
    ax.plot(path[:, 0], path[:, 1], color=color(hue), label=name)
ax.plot([0.1, 1 - r, 1 - r], [0.6 - r, 0.6 - r, 0], color="0.6", lw=0.8)
ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
legend(ax)
plt.show()
