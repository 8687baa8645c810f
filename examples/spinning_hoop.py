"""
A bead on a spinning hoop
=========================

A bead slides on a hoop that turns about its vertical diameter. Two constraints hold it: the sphere, and the plane that
turns. The plane does work and the energy is not conserved, but E − Ω L is; above Ω² = g/R the bead rises from the
bottom to the angle cos θ = g/(Ω² R).
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

m, R, g, Omega = 0.1, 0.5, 9.81, 8.0
bead = zm.Particle("bead", mass=m)
x, y, z = bead.position
vx, vy, _ = bead.velocity
hoop = zm.System(
    [bead],
    gravity=g,
    constraints={
        "sphere": (bead.position @ bead.position - R**2) / 2,
        "plane": y * np.cos(Omega * zm.t) - x * np.sin(Omega * zm.t),
    },
)
theta = 0.05
start = hoop.start(
    [
        (bead.position, (R * np.sin(theta), 0, -R * np.cos(theta))),
        (bead.velocity, (0, R * np.sin(theta) * Omega, 0)),
    ]
)
run = zm.simulate(hoop, start, until=5.0)

jacobi = hoop.energy - Omega * m * (x * vy - y * vx)
print(
    f"E varies by {np.ptp(run[hoop.energy]):.3f} J, E − ΩL by "
    f"{np.ptp(run[jacobi]):.0e} J"
)

# %%
# The torque that keeps the hoop turning is the moment of the plane's force about the vertical.

force = hoop.reaction["plane"]
torque = x * force[1] - y * force[0]
times = np.linspace(0, 5, 800)
angle = np.arccos(np.clip(-run.at(times)[z] / R, -1, 1))
rest = np.arccos(g / (Omega**2 * R))
print(
    f"the bead swings up to {np.degrees(angle.max()):.2f}°, about the "
    f"equilibrium at {np.degrees(rest):.2f}°"
)

left, right = axes(
    1, 2, size=(10, 4), titles=["Bead on a hoop that turns", "What turns it"]
)
left.plot(times, np.degrees(angle))
left.axhline(
    np.degrees(rest), color="0.45", ls="--", lw=0.8, label="equilibrium"
)
left.set(xlabel="time [s]", ylabel="angle from the bottom [°]")
legend(left)
right.plot(times, run.at(times)[torque], color=color("applied"))
right.set(xlabel="time [s]", ylabel="torque on the hoop [N m]")
plt.show()
