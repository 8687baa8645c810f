"""
A bead on a turning hoop: where the bottom gives way
====================================================

The faster the hoop turns the weaker the bottom holds the bead. At Ω² = g/R it lets go: two new positions, cos α = g/(Ω²R),
branch off in a pitchfork. The bead is written in Cartesian coordinates, held by a sphere and by a plane that turns; steady
motions are found with the angle held constant, and followed along Ω.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

R, g = 0.5, 9.81
Omega = zm.parameter("Omega", 2.0)
bead = zm.Particle("bead", mass=0.1)
x, y, z = bead.position
c, s = np.cos(Omega * zm.t), np.sin(Omega * zm.t)
hoop = zm.System(
    [bead],
    gravity=g,
    constraints={
        "sphere": (bead.position @ bead.position - R**2) / 2,
        "plane": y * c - x * s,
    },
)
angle = np.arctan2(x * c + y * s, -z)

bottom = hoop.equilibrium(constant={"angle": angle}, guess={z: -R})
straight = zm.analysis.branch(
    hoop, bottom, over=(Omega, 1.0, 12.0), constant={"angle": angle}
)
print(straight)
(fork,) = straight.special
print(
    f"the bottom gives way at {fork.value:.9f} rad/s; √(g/R) is "
    f"{np.sqrt(g / R):.9f}"
)
sides = [straight.other(0, back=back) for back in (False, True)]

# %%
# Along the new branches the bead swings about its place with Ω sin α: the eigenvalues tell.

frequency = np.abs(sides[0].eigenvalues[-1].imag).max()
print(
    f"at {sides[0].values[-1]:g} rad/s: {frequency:.6f}, and Ω sin α is "
    f"{12 * np.sin(abs(sides[0][angle][-1])):.6f}"
)

ax = axes(size=(7, 4.5), titles=["Where the bead may rest"])
for one in (straight, *sides):
    degrees = np.degrees(one[angle])
    for stable, style in ((True, "-"), (False, "--")):
        kept = np.where((one.unstable == 0) == stable, degrees, np.nan)
        ax.plot(one.values, kept, style, color=color("bead", stable))
ax.plot(fork.value, 0, "o", color="black", ms=5)
ax.annotate(
    fork.kind, (fork.value, 0), xytext=(8, 8), textcoords="offset points"
)
ax.set(xlabel="Ω [rad/s]", ylabel="angle of the bead [°]")
ax.plot([], [], color=color("bead", True), label="stable")
ax.plot([], [], "--", color=color("bead", False), label="unstable")
legend(ax)
plt.show()
