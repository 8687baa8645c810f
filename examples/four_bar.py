"""
A four-bar chain through its singular positions
===============================================

Cranks and couplers of equal length form parallelograms. When all of them lie in one line the constraints lose their
independence: the mechanism could fold over into another branch, and the plain equations are singular. The rank found at
the start is kept, the run goes through, and tells where it did.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

g, loops = 9.81, 2
joints = [zm.coordinates(f"x{k} y{k}") for k in range(loops + 1)]
kinetic, potential, constraints = 0, 0, {}
for k, joint in enumerate(
    joints
):  # cranks: uniform rods of 1 kg and 1 m from (k, 0)
    v, arm = zm.rate(joint), joint - np.array([k, 0.0])
    kinetic, potential = kinetic + v @ v / 6, potential + g * joint[1] / 2
    constraints[f"crank {k}"] = (arm @ arm - 1) / 2
for k, (a, b) in enumerate(pairwise(joints)):  # couplers
    va, vb, arm = zm.rate(a), zm.rate(b), b - a
    kinetic, potential = (
        kinetic + (va @ va + va @ vb + vb @ vb) / 6,
        potential + g * (a[1] + b[1]) / 2,
    )
    constraints[f"coupler {k}"] = (arm @ arm - 1) / 2
chain = zm.System(kinetic=kinetic, potential=potential, constraints=constraints)

start = chain.start(
    [(joint, (k, 1)) for k, joint in enumerate(joints)]
    + [(zm.rate(joints[0][0]), 1)]
)
run = zm.simulate(chain, start, until=4.0, rtol=1e-12, atol=1e-14)
energy = run[chain.energy]
print(
    f"relative energy drift {np.ptp(energy) / energy[0]:.0e} over "
    f"{len(run.passages)} singular positions"
)
for passage in run.passages:
    print(f"t = {passage.t:.6f} s: {', '.join(passage.constraints)}")

ax = axes(titles=["A joint, through singular positions"])
times = np.linspace(0, 4, 600)
ax.plot(
    times,
    run.at(times)[joints[0]],
    label=["$x$ of the first joint", "$y$ of the first joint"],
)
for passage in run.passages:
    ax.axvline(passage.t, color="0.6", ls="--", lw=0.8)
ax.set(xlabel="time [s]", ylabel="place [m]")
legend(ax)
plt.show()
