"""
A net in the wind
=================

Fifty knots and their rods hang by two corners, folded like a map, and are let go. How far apart the hooks are and how hard
the wind blows are on sliders: the page below finds the folded net anew, from its constraints, and integrates its fall, by
itself and offline. A system of this size has no formulas of its accelerations: its code is one knot, one rod and loops,
with tables that tell what hangs on what, and in the page it is the same as WebAssembly.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

side, rod, mass, drag = 7, 0.15, 0.02, 0.08
wind, span = zm.parameter("wind", 0.0), zm.parameter("span", 0.6)
knots = {
    (i, j): zm.Particle(f"knot {i} {j}", mass)
    for i in range(side)
    for j in range(side)
}

rods, guess = {}, {}
for (i, j), knot in knots.items():
    for beside in ((i + 1, j), (i, j + 1)):
        if beside in knots:
            d = knots[beside].position - knot.position
            rods[f"rod {i} {j} – {beside[0]} {beside[1]}"] = (
                d @ d - rod**2
            ) / (2 * rod)
    place = [0.1 * (i - (side - 1) / 2), -0.12 * j, 0.07 * (i % 2 + j % 2)]
    guess.update(zip(knot.position, place, strict=True))
hooks = {
    "left hook": knots[0, 0].position - np.array([-span / 2, 0, 0]),
    "right hook": knots[side - 1, 0].position - np.array([span / 2, 0, 0]),
}
air = [
    zm.Force(drag * (np.array([0, wind, 0]) - knot.velocity), at=knot.position)
    for knot in knots.values()
]
net = zm.System(
    list(knots.values()),
    gravity=9.81,
    constraints={**rods, **hooks},
    forces=air,
)

run = zm.simulate(net, net.start(guess=guess), until=3.0, rtol=1e-7, atol=1e-9)
print(run.program)
print(run)

sliders = {wind: (-5.0, 5.0), span: (0.3, 0.85)}
page = run.view(
    Path(tempfile.mkdtemp()) / "net.html",
    sliders=sliders,
    shapes={knot: zm.shapes.sphere(0.016) for knot in knots.values()},
    trails=[knots[0, side - 1].position, knots[side - 1, side - 1].position],
    title="A net in the wind",
)
print(
    f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, two sliders, no network"
)

# %%
# The same in Python: where the lowest knot of the net is, in winds of different strength.

ax = axes(size=(6, 4), titles=["The middle of the lower edge"])
t = np.linspace(0.0, 3.0, 600)
last = knots[side // 2, side - 1].position
for value in (0.0, 2.5, 5.0):
    other = zm.simulate(
        net, run.start.again({wind: value}), until=3.0, rtol=1e-7, atol=1e-9
    )
    ax.plot(t, other.at(t)[last[1]], label=f"wind {value:g} m/s")
ax.set(xlabel="time [s]", ylabel="Y [m]")
legend(ax)
plt.show()
