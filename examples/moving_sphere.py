"""
A particle on a moving sphere
=============================

A particle slides without friction on a sphere that moves to and fro [Stanescu]. One constraint is all there is to write
down. The event marks where the sphere would begin to pull: there a particle that only lies on it leaves.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

R, omega, g = 1.0, 2.0, 9.81
particle = zm.Particle("particle", mass=1.0)
X, Y, Z = particle.position
center = R * np.cos(omega * zm.t)
system = zm.System(
    [particle],
    gravity=g,
    constraints={"sphere": ((X - center) ** 2 + Y**2 + Z**2 - R**2) / 2},
)

push = system.multipliers[
    0
]  # the force of the sphere is λ times the outward vector (X − c, Y, Z)
leaves = zm.Event(
    "the sphere begins to pull", push, direction=-1, terminal=False
)
start = system.start(
    [(particle.position, (R, 0, R)), (particle.velocity, (0, 0, 0))]
)
run = zm.simulate(system, start, until=2.0, events=leaves)
print(f"the particle would leave at t = {run.events[0].t:.6f} s")

# %%
# The same motion with the angle from the vertical as the only coordinate.

theta = zm.coordinate("theta")
x, z = center + R * np.sin(theta), R * np.cos(theta)
angle = zm.System(
    kinetic=(zm.rate(x) ** 2 + zm.rate(z) ** 2) / 2, potential=g * z
)
other = zm.simulate(
    angle, angle.start({theta: 0, zm.rate(theta): 0}), until=2.0
)
times = np.linspace(0, 2, 400)
gap = np.abs(run.at(times)[X] - other.at(times)[x]).max()
print(
    f"three coordinates and a constraint against one angle: {gap:.0e} m apart "
    "at most"
)

left, right = axes(
    1, 2, size=(10, 4), titles=["Path from the side", "Push of the sphere"]
)
left.plot(*run.at(times)[[X, Z]].T)
left.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
right.plot(times, run.at(times)[push * R], color=color("normal"))
right.axhline(0, color="0.5", lw=0.6)
right.axvline(
    run.events[0].t,
    color=color("friction"),
    ls="--",
    lw=0.8,
    label="it would leave the sphere",
)
right.set(xlabel="time [s]", ylabel="force [N]")
legend(right)
plt.show()
