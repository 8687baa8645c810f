"""
How a chain hangs and trembles
==============================

A chain of equal beads on rods without mass swings in shapes that Daniel Bernoulli found in 1732. Its frequencies are those
of the zeros of Laguerre's polynomial, ω² = x g/a with L₈(x) = 0 for eight beads at distances a, and the slowest ones are
near to those of a heavy rope, the zeros of Bessel's function J₀. Each bead has three coordinates here, and rods are
constraints: `zm.analysis.linearize` finds the small motions along them, and `mode.motion()` makes a run of each to look at.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import jn_zeros, roots_laguerre

import zeromass as zm
from zeromass.plot import axes

count, a, g = 8, 0.125, 9.81
ground = zm.Ground()
beads = [
    zm.Particle(f"bead {k + 1}", mass=0.1, at=(0, 0, -(k + 1) * a))
    for k in range(count)
]
pairs = zip([ground, *beads[:-1]], beads, strict=True)
rods = [
    zm.joints.Distance(upper, lower, name=f"rod {k + 1}")
    for k, (upper, lower) in enumerate(pairs)
]
plane = {"plane": np.array([bead.position[1] for bead in beads])}
chain = zm.System(beads, gravity=g, joints=rods, constraints=plane)

linear = zm.analysis.linearize(chain, chain.equilibrium())
modes = linear.modes()[::-1]  # slowest first
exact = np.sqrt(roots_laguerre(count)[0] * g / a) / (2 * np.pi)
rope = jn_zeros(0, 4) / 2 * np.sqrt(g / (count * a)) / (2 * np.pi)
for mode, f, continuous in zip(modes, exact, rope, strict=False):
    print(
        f"{mode.frequency:.9f} Hz, exactly {f:.9f} Hz; of a rope "
        f"{continuous:.3f} Hz"
    )
print(f"{linear.removed} directions that leave the constraints were removed")

# %%
# The four slowest shapes, drawn as the chain swings in them. `modes[1].view("mode.html")` shows one as a moving picture.

shapes = axes(
    1,
    4,
    size=(10, 4),
    titles=[f"{mode.frequency:.3f} Hz" for mode in modes[:4]],
)
for ax, mode in zip(shapes, modes, strict=False):
    run = mode.motion()
    swings = run.at(np.linspace(0, 0.5 / mode.frequency, 9))
    line = np.stack(
        [np.zeros((9, 3)), *[swings[bead.position] for bead in beads]], axis=1
    )
    for k, places in enumerate(line):
        ax.plot(
            places[:, 0],
            places[:, 2],
            "o-",
            ms=3,
            color=plt.cm.viridis(k / 8),
            lw=1,
        )
    ax.set(
        xlim=(-0.14, 0.14), xticks=(-0.1, 0.1), aspect="equal", xlabel="X [m]"
    )
shapes[0].set_ylabel("Z [m]")
run = modes[2].motion(periods=2)
plt.show()
