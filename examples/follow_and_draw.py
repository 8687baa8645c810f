r"""
Follow and draw
===============

A cue ball strikes another one a little aside, with the same velocity and three different spins: it has been rolling, slides
without spin, or turns backwards. The impact leaves the spin as it is, since the balls are smooth. After it the cloth turns
what is left of the velocity towards the spin, along a parabola, until the ball rolls. A ball that slides keeps
:math:`5/7\,v + 2/7\,r\,\omega\times e_z`, and in the end rolls with it.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

r, m, μ, v, b = 0.0286, 0.17, 0.2, 1.5, 0.02
balls = [zm.bodies.ball(r, m, name="cue"), zm.bodies.ball(r, m, name="red")]
pool = zm.Contacts(
    balls,
    on={"cloth": zm.surfaces.plane()},
    between=True,
    friction={"cloth": μ, "between": 0.0},
    restitution={"cloth": 0.0, "between": 0.95},
)
cue, red = pool.bodies
near = (
    2.05 * r
)  # hardly any way to the impact, so that the spin is what was given
runs = {}
for name, spin in (("follow", v / r), ("stop", 0.0), ("draw", -v / r)):
    start = pool.start(
        center={"cue": (0, 0, r), "red": (near, b, r)},
        velocity={"cue": (v, 0, 0)},
        angular_velocity={"cue": (0, spin, 0), "red": (0, 0, 0)},
    )
    runs[name] = run = zm.simulate(pool, start, until=0.9)
    struck = next(
        impulse.t for impulse in run.impulses if impulse.energy < -1e-6
    )
    after = run.segments[1].start
    kept = 5 / 7 * after[cue.velocity] + 2 / 7 * r * np.cross(
        after[cue.angular_velocity], (0, 0, 1)
    )
    last = run.state(0.9)[cue.velocity]
    print(
        f"{name:6}: struck at {1e3 * struck:.2f} ms, rolls on with "
        f"({last[0]:+.4f}, {last[1]:+.4f}) m/s"
    )
    print(f"        off the law by {np.abs(last - kept).max():.0e} m/s")

# %%
# Paths of the centres.

ax = axes(titles=["The cue ball after the same impact"])
times = np.linspace(0, 0.9, 600)
for (name, one), hue in zip(
    runs.items(), ("spin", "centre", "friction"), strict=True
):
    ax.plot(*one.at(times)[cue.position[:2]].T, color=color(hue), label=name)
ax.plot(
    *runs["draw"].at(times)[red.position[:2]].T,
    color="0.6",
    label="the other one",
)
ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal", xlim=(-0.3, 0.8))
legend(ax)
plt.show()
