"""
A bowl with sliders
===================

A shell of two materials rolls in a bowl that is shaken. How fast it starts, how far and how often the bowl is shaken, and
how deep it is are parameters: the page below makes the motion anew when a slider is moved. It does so by itself, offline,
in a few milliseconds: the equations, the stepping method and the start are in it as WebAssembly.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

speed = zm.parameter("speed", 1.5)
amplitude, frequency = (
    zm.parameter("amplitude", 0.15),
    zm.parameter("frequency", 0.5),
)
depth = zm.parameter("depth", 0.08)
bowl = zm.Surface(
    lambda X, Y, Z: Z - depth * (X**2 + Y**2) / 2,
    shift=(amplitude * np.cos(2 * np.pi * frequency * zm.t), 0, 0),
    name="bowl",
)
shell = zm.bodies.two_material_shell(
    outer=0.15, inner=0.13, densities=(7874, 10490)
)
rolling = zm.Rolling(shell, on=bowl, gravity=9.81)
start = rolling.start(contact=(-1.2, -0.6), velocity=(speed, 0.8))
run = zm.simulate(rolling, start, until=15.0, rtol=1e-9)

sliders = {
    speed: (0.5, 2.0),
    amplitude: (0.0, 0.3),
    frequency: (0.1, 1.0),
    depth: (0.05, 0.15),
}
page = run.view(Path(tempfile.mkdtemp()) / "bowl.html", sliders=sliders)
print(
    f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, {len(sliders)} "
    "sliders, no network"
)

# %%
# What the page does for one motion, Python does for any number: the same start, made again with other values.

ax = axes(size=(6, 5), titles=["Paths of the contact"])
for value in (0.0, 0.1, 0.2, 0.3):
    other = zm.simulate(
        rolling, run.start.again({amplitude: value}), until=15.0, rtol=1e-9
    )
    ax.plot(
        *other.at(np.linspace(0.0, 15.0, 1500))[rolling.contact[:2]].T,
        lw=1,
        label=f"amplitude {value:g} m",
    )
ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
legend(ax, columns=2)
plt.show()
