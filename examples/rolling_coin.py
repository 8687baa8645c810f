"""
A rolling coin
==============

A thin disc rolls on a table. A particle of mass zero marks the lowest point of the rim, and the constraints say only
that it lies there, on the table, and that the disc does not slip. Rolling upright is stable above v² = g R/3.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, R, g = 0.1, 0.05, 9.81
up = np.array([0, 0, 1])
coin = zm.RigidBody("coin", mass=m, inertia=np.array([1, 1, 2]) * m * R**2 / 4)
contact = zm.Particle("contact", mass=0)
axis = coin.rotate((0, 0, 1))
down = axis * axis[2] - up  # in the plane of the disc
system = zm.System(
    [coin, contact],
    gravity=g,
    constraints={
        "rim": contact.position
        - coin.position
        - R * down / np.sqrt(down @ down),
        "table": contact.position[2],
        "no slip": coin.velocity
        + np.cross(coin.angular_velocity, contact.position - coin.position),
    },
)


# %%
# Below and above the critical speed, from an axis that is 0.001 rad off the horizontal.


def rolled(speed):
    lean = np.pi / 2 - 1e-3
    start = system.start(
        [
            (coin.quaternion, (np.cos(lean / 2), -np.sin(lean / 2), 0, 0)),
            (contact.position[:2], (0, 0)),
            (coin.angular_velocity_body, (0, 0, speed / R)),
        ]
    )
    return zm.simulate(system, start, until=1.5)


critical = np.sqrt(g * R / 3)
times = np.linspace(0, 1.5, 600)
ax = axes(titles=["A coin below and above its critical speed"])
for factor in (0.8, 1.2):
    run = rolled(factor * critical)
    lean = run.at(times)[np.arcsin(axis[2])]
    print(
        f"{factor} of the critical speed: leans up to "
        f"{np.abs(lean).max():.4f} rad, "
        f"energy drift {np.ptp(run[system.energy]):.0e} J"
    )
    ax.semilogy(times, np.abs(lean), label=rf"$v = {factor}\,\sqrt{{gR/3}}$")
ax.set(xlabel="time [s]", ylabel="lean [rad]", ylim=(5e-4, 2))
legend(ax)
plt.show()
