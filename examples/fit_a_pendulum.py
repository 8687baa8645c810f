"""
Length, damping and start of a pendulum, from a film
====================================================

Thirty positions with an error of 5 mm tell how long the pendulum is, how strongly it is damped and from which angle it was
let go. The length stands in a constraint and the angle in the start: the derivatives of the motion by both are exact, and
least squares need a handful of runs.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

length, damping, angle = (
    zm.parameter("length", 0.8),
    zm.parameter("damping", 0.05),
    zm.parameter("angle", 0.5),
)
bob = zm.Particle("bob", mass=1.0)
x, y, z = bob.position
pendulum = zm.System(
    [bob],
    gravity=9.81,
    constraints={"rod": x**2 + z**2 - length**2, "plane": y},
    forces=zm.Force(-damping * bob.velocity, at=bob.position),
)
start = pendulum.start(
    {x: length * np.sin(angle), zm.rate(x): 0.0}, guess={z: -1.0}
)

true = {length: 1.1, damping: 0.3, angle: 0.9}
made = pendulum.start(
    {x: 1.1 * np.sin(0.9), zm.rate(x): 0.0},
    guess={z: -1.0},
    parameters={length: 1.1, damping: 0.3},
)
times = np.linspace(0.1, 5.0, 30)
seen = zm.simulate(pendulum, made, until=5.0).at(times)[
    x
] + np.random.default_rng(1).normal(scale=0.005, size=30)

first = zm.simulate(pendulum, start, until=5.0)
found = zm.analysis.fit(
    first, {x: (times, seen, 0.005)}, over=[length, damping, angle]
)
print(found)
for p, value in true.items():
    low, high = found.interval(p)
    print(f"{p.name:8} {low:.4f} … {high:.4f} with 95 %, made with {value}")

# %%
# The first guess, the fit, and what is left.

dense = np.linspace(0, 5, 400)
upper, lower = axes(2, 1, size=(8, 5), heights=(3, 1))
upper.plot(dense, first.at(dense)[x], color="0.7", lw=1, label="first guess")
upper.plot(dense, found.run.at(dense)[x], label="fit")
upper.plot(times, seen, "o", color="black", ms=3, label="measured")
upper.set(ylabel="X [m]")
legend(upper)
lower.axhline(0, color="0.7", lw=0.8)
lower.plot(times, found.residuals, "o", color="black", ms=3)
lower.set(xlabel="time [s]", ylabel="residual / error")
plt.show()
