"""
Billiards
=========

A particle between walls, without friction and without loss. In an ellipse the product of its angular momenta about the foci
is the same after each impact, and its paths touch a smaller ellipse, or a hyperbola between the foci. Between four walls and
a disc, two particles that begin a billionth apart soon have nothing to do with each other.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

import zeromass as zm
from zeromass.plot import axes, color

ball = zm.Particle("ball", mass=0.2)
ellipse = zm.Surface(
    lambda X, Y, Z: X**2 / 4 + Y**2 - 1, side=-1, name="ellipse"
)
table = zm.Sliding(ball, on=ellipse, gravity=0, restitution=1.0)
run = zm.simulate(
    table,
    table.start(position=(0.3, 0.2, 0), velocity=(1.0, 0.7, 0)),
    until=120.0,
)
(x, y, _), (u, v, _) = run[ball.position].T, run[ball.velocity].T
product = ((x - np.sqrt(3)) * v - y * u) * ((x + np.sqrt(3)) * v - y * u)
print(
    f"ellipse: {len(run.impulses)} impacts, the product changes by "
    f"{np.ptp(product) / abs(product[0]):.0e} of itself"
)

# %%
# Sinai's table: four walls and a disc, which spreads what it strikes.

walls = [
    zm.Surface(lambda X, Y, Z: 1 - X, name="right"),
    zm.Surface(lambda X, Y, Z: 1 + X, name="left"),
    zm.Surface(lambda X, Y, Z: 1 - Y, name="top"),
    zm.Surface(lambda X, Y, Z: 1 + Y, name="bottom"),
    zm.Surface(lambda X, Y, Z: X**2 + Y**2 - 0.25, name="disc"),
]
sinai = zm.Sliding(ball, on=walls, gravity=0, restitution=1.0)
times = np.linspace(0, 40, 4001)
runs = [
    zm.simulate(
        sinai,
        sinai.start(position=(0.7 + off, 0.2, 0), velocity=(1.0, 0.37, 0)),
        until=40.0,
    )
    for off in (0.0, 1e-9)
]
one, other = (run.at(times)[ball.position] for run in runs)
apart = np.linalg.norm(one - other, axis=1)
print(
    "Sinai's table: 1e-9 m apart, and 1 cm after "
    f"{times[np.argmax(apart > 0.01)]:.1f} s"
)

titles = [
    "An ellipse, its foci, and what its paths touch",
    "Four walls and a disc",
    "Two that begin 1e-9 m apart",
]
left, middle, right = axes(
    1, 3, size=(13, 4), widths=(2, 1, 1.2), titles=titles
)
θ = np.linspace(0, 2 * np.pi, 200)
left.plot(2 * np.cos(θ), np.sin(θ), color="k", lw=1)
left.plot([-np.sqrt(3), np.sqrt(3)], [0, 0], "+", color=color("foci", 0))
left.plot(x, y, color=color("path", 1), lw=0.5)
left.set(aspect="equal", xlabel="X [m]", ylabel="Y [m]")
middle.add_patch(Circle((0, 0), 0.5, color="0.85"))
middle.plot(one[:, 0], one[:, 1], color=color("path", 1), lw=0.5)
middle.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1), xlabel="X [m]")
right.semilogy(times, apart, color=color("apart", 0), lw=0.8)
right.set(xlabel="time [s]", ylabel="distance [m]")
plt.show()
