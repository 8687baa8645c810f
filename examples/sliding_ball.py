"""
A sliding ball that begins to roll
==================================

A ball is pushed along a plane without turning. Coulomb friction, a constraint force that does work, brakes it and turns
it, until it rolls: at 2 v/(7 μ g), with 5/7 of its speed, whatever the friction.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

mu, speed, g = 0.2, 2.0, 9.81
rolling = zm.Rolling(
    zm.bodies.ball(radius=0.1, mass=1.0),
    on=zm.surfaces.plane(),
    gravity=g,
    friction=mu,
)
center, body = rolling.center_particle, rolling.body
start = rolling.slipping.start(
    [
        (rolling.contact, (0, 0, 0)),
        (body.quaternion, (1, 0, 0, 0)),
        (center.velocity, (speed, 0, 0)),
        (body.angular_velocity, (0, 0, 0)),
    ]
)
motion = zm.simulate(rolling, start, until=2.0)
print(
    f"{' → '.join(motion.modes)} at {motion.changes[0]:.9f} s; by the law at "
    f"{2 * speed / (7 * mu * g):.9f} s"
)
print(
    f"speed at the end {motion.at(2.0)[center.velocity[0]][0]:.9f} m/s; by "
    f"the law {5 / 7 * speed:.9f} m/s"
)

# %%
# Speed of the centre and of the rim: they meet where rolling begins.

times = np.linspace(0, 2, 400)
ax = axes(titles=["A ball that slides, and then rolls"])
ax.plot(
    times,
    motion.at(times)[center.velocity[0]],
    color=color("centre"),
    label="centre",
)
ax.plot(
    times,
    0.1 * motion.at(times)[body.angular_velocity[1]],
    "--",
    color=color("spin"),
    label=r"rim, $r\,\omega$",
)
ax.axvline(motion.changes[0], color="0.6", ls=":", lw=0.8)
ax.set(xlabel="time [s]", ylabel="speed [m/s]")
legend(ax)
plt.show()
