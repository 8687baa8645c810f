"""
A ball on a string
==================

A string pulls and does not push. A ball that is launched at the bottom with a speed between √(2gl) and √(5gl) leaves its
circle where the tension ends, flies a parabola, and is caught where the string is taut again: what moves along it is lost.
The string is a constraint with a massless coordinate, its slack.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

g, l = 9.81, 1.0
ball = zm.Particle("ball", mass=0.5, at=(0, 0, -l))
string = zm.joints.Rope(zm.Ground(), ball, length=l, name="string")
system = zm.System([ball], gravity=g, joints=[string])
v = np.sqrt(3.6 * g * l)
run = zm.simulate(
    system,
    system.start([(ball.position, (0, 0, -l)), (ball.velocity, (v, 0, 0))]),
    until=4.0,
)
for event in run.events:
    print(f"t = {event.t:.6f} s: {event.name}")
height = run.at(run.events[0].t)[ball.position[2]][0]
print(
    f"it leaves the circle {height:.9f} m above the middle, the formula says "
    f"{(v**2 - 2 * g * l) / (3 * g):.9f} m"
)

left, right = axes(1, 2, size=(10, 4.4))
edges = [0.0, *[event.t for event in run.events], 4.0]
for k, (a, b) in enumerate(pairwise(edges)):
    x = run.at(np.linspace(a, b, 200)[1:])[ball.position]
    left.plot(
        x[:, 0],
        x[:, 2],
        color=color("rope", run.modes[k] == "string taut"),
        label=run.modes[k] if k < 2 else None,
    )
for t in np.linspace(0.05, edges[2], 14):
    x = run.at(t)[ball.position][0]
    if run.at(t)[string.slack][0] < 1e-9:
        left.plot([0, x[0]], [0, x[2]], color="0.8", lw=0.6, zorder=0)
    left.plot(x[0], x[2], "o", color="k", ms=3)
left.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
legend(left)
times = np.linspace(0, 4, 1500)
right.plot(times, run.at(times)[string.tension])
right.set(xlabel="time [s]", ylabel="tension [N]")
plt.show()
