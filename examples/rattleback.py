"""
The rattleback
==============

An ellipsoid whose axes of inertia are turned against those of its shape. Spun one way it begins to rattle and turns
round; energy is conserved all the while. A particle of mass zero is the contact: the point of the ellipsoid whose
normal points down.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

semi = np.array([0.2, 0.03, 0.02])  # semi-axes of the ellipsoid, m
below = np.array(
    [0, 0, 0.01]
)  # from the mass centre to the middle of the ellipsoid, m
inertia = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])

stone, contact = (
    zm.RigidBody("stone", mass=1.0, inertia=inertia),
    zm.Particle("contact", mass=0),
)
down = -stone.rotation[2]  # the vertical in the body's axes
lowest = semi**2 * down / np.sqrt(semi**2 @ down**2)
system = zm.System(
    [stone, contact],
    gravity=9.81,
    constraints={
        "support": contact.position - stone.point(below + lowest),
        "table": contact.position[2],
        "no slip": stone.velocity
        + np.cross(stone.angular_velocity, contact.position - stone.position),
    },
)

# %%
# Spun at 5 rad/s, once each way, tilted by half a degree.

ax = axes(titles=["A stone that turns back"])
times = np.linspace(0, 6, 1200)
for spin in (5.0, -5.0):
    tilt = np.radians(0.5) / 2
    start = system.start(
        [
            (
                stone.quaternion,
                np.array([1, tilt, tilt, 0]) / np.sqrt(1 + 2 * tilt**2),
            ),
            (contact.position[:2], (0, 0)),
            (stone.angular_velocity_body, (0, 0, spin)),
        ]
    )
    run = zm.simulate(system, start, until=6.0)
    turning = run.at(times)[stone.angular_velocity[2]]
    print(
        f"spun at {spin:+.0f} rad/s: between {turning.min():+.2f} and "
        f"{turning.max():+.2f} rad/s, "
        f"energy drift {np.ptp(run[system.energy]):.0e} J"
    )
    ax.plot(times, turning, lw=0.9, label=f"started at {spin:+.0f} rad/s")
ax.axhline(0, color="0.5", lw=0.6)
ax.set(xlabel="time [s]", ylabel=r"$\omega$ about the vertical [rad/s]")
legend(ax)
plt.show()
