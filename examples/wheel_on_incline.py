"""
A wheel with one coordinate too many
====================================

A wheel rolls down an incline, described by its angle and its descent: two coordinates for one degree of freedom, and a
singular mass matrix, example 1 of [UP2006]. With a virtual particle of mass zero beside it (example 2) the motion is no
longer unique, and the model says which coordinate is to blame and what would help.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, R, Ic, g, alpha = 2.0, 0.35, 0.1, 9.81, 0.4
theta, y = zm.coordinates("theta y")
wheel = {
    "kinetic": (m * R**2 + Ic) * zm.rate(theta) ** 2 / 2,
    "potential": -m * g * y,
    "constraints": {"rolling": y - R * theta * np.sin(alpha)},
}
system = zm.System(**wheel)
run = zm.simulate(
    system, system.start({theta: 0, zm.rate(theta): 0}), until=2.0
)

law = m * g * R * np.sin(alpha) / (m * R**2 + Ic)
print(
    f"angular acceleration {run[zm.acceleration(theta)][0]:.12f} rad/s², by "
    f"eq. 5.17 {law:.12f}"
)

# %%
# The virtual particle: nothing resists its acceleration, and no constraint contains it.

x = zm.coordinate("x")
with_particle = zm.System(**wheel, coordinates=[theta, y, x])
print(with_particle.check(with_particle.start({theta: 0.3})))

# %%
# The descent against the closed form, and the reaction of the constraint, which balances gravity on y.

ax = axes(titles=["A wheel on an incline"])
times = np.linspace(0, 2, 21)
ax.plot(times, run.at(times)[y], "o", ms=4, label="computed")
ax.plot(
    times, law * R * np.sin(alpha) * times**2 / 2, lw=1, label="closed form"
)
ax.set(xlabel="time [s]", ylabel="descent $y$ [m]")
legend(ax)
print(
    f"reaction on y: {run[system.reaction.on(y)][0, 0]:.6f} N, gravity: "
    f"{m * g:.6f} N"
)
plt.show()
