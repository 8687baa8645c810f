"""
A ball that does not fall out
=============================

A ball rolls inside a vertical tube and is let go. It goes round, sinks, and comes up again: its height swings like a spring,
and in one round about the tube it makes √(2/7) of a swing (Routh, 1884). Inside any cylinder the ball stays between two
heights and on average does not sink (Borisov, Mamaev and Kilin, 2002). Golfers know it from holes.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

R, r, around = 0.5, 0.1, 4.0  # of tube and ball, m; once round in 2π/4 s
tube = zm.surfaces.cylinder(radius=R, inside=True)
runs = {}
for name, body, k in [
    ("solid ball", zm.bodies.ball(r, 0.5), 2 / 5),
    ("thin shell", zm.bodies.shell(outer=r, inner=r, mass=0.5), 2 / 3),
]:
    rolling = zm.Rolling(body, on=tube, gravity=9.81)
    start = rolling.start(
        contact=(R, 0.0, 0.0), velocity=(0.0, around * (R - r), 0.0)
    )
    middle = zm.Event(
        "through the middle",
        zm.rate(rolling.center_particle.velocity[2]),
        terminal=False,
    )
    run = zm.simulate(rolling, start, until=12.0, rtol=1e-12, events=middle)
    half = np.diff([event.t for event in run.events]).mean()
    print(
        f"{name}: {np.pi / half / around:.12f} swings a round, Routh's √(k/(1 "
        f"+ k)) {np.sqrt(k / (1 + k)):.12f}; "
        f"it sinks {-run[rolling.center[2]].min():.6f} m, 2g/(k φ̇²) is "
        f"{2 * 9.81 / (k * around**2):.6f} m"
    )
    runs[name] = rolling, run

# %%
# The path of the contact in the tube, and on the wall laid out flat.

left, right = axes(1, 2, size=(10, 4.4), space=[0])
angle, height = np.meshgrid(
    np.linspace(0, 2 * np.pi, 60), np.linspace(-4.5, 0.2, 2)
)
left.plot_surface(
    R * np.cos(angle), R * np.sin(angle), height, color="0.8", alpha=0.2, lw=0
)
for name, (rolling, run) in runs.items():
    x, y, z = run.at(np.linspace(0, 8, 1500))[rolling.contact].T
    left.plot(x, y, z, lw=1)
    right.plot(np.unwrap(np.arctan2(y, x)) / (2 * np.pi), z, label=name)
left.set_box_aspect((1, 1, 2.4), zoom=1.15)  # type: ignore[arg-type]
left.set_axis_off()
right.set(xlabel="rounds", ylabel="height of the contact [m]")
legend(right)
plt.show()
