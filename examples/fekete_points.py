"""
Fekete points: twenty repelling points on a sphere
==================================================

Twenty points on the unit sphere repel one another with the potential −ln r, and friction lets them come to rest where
the product of their distances is largest. In the Test Set for IVP Solvers (Mazzia and Magherini, 2008) this Fekete
problem is a differential-algebraic system of index 2 with 160 unknowns; here it is 20 particles with a constraint
each. The end agrees with the reference solution, and the energy with the minimum that is known.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

rings = [(3, 3 / 8, 2 / 3, 1 / 13), (7, 1 / 8, 2 / 7, 1 / 29)]
rings += [(6, -2 / 15, 2 / 6, 1 / 7), (4, -3 / 10, 2 / 4, 1 / 17)]
begin = []
for count, latitude, step, first in rings:
    b = latitude * np.pi
    for a in np.pi * (step * np.arange(1, count + 1) + first):
        begin.append((np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)))

points = [zm.Particle(f"p{i}", mass=1.0) for i in range(len(begin))]
potential = 0.0
for i, one in enumerate(points):
    for other in points[:i]:
        apart = one.position - other.position
        potential = potential - np.log(apart @ apart) / 2
system = zm.System(
    points,
    potential=potential,
    forces=[zm.Force(-0.5 * p.velocity, at=p.position) for p in points],
    constraints={p.name: (p.position @ p.position - 1) / 2 for p in points},
)
start = system.start(
    [(p.position, at) for p, at in zip(points, begin, strict=True)]
    + [(p.velocity, 0.0) for p in points]
)
run = zm.simulate(system, start, until=1000.0, rtol=1e-10)

# %%
# The first points at t = 1000, beside the reference solution.

reference = [
    (-0.4070263380333202, 0.3463758772791802, 0.8451942450030429),
    (0.07752934752521549, -0.2628662719972299, 0.9617122871829146),
    (0.7100577833343567, 0.1212948055586120, 0.6936177005172217),
]
end = [run.at(1000.0)[p.position][0] for p in points]
off = np.abs(np.array(end[:3]) - reference).max()
least = run.at(1000.0)[system.potential][0]
print(f"off the reference solution by {off:.0e}")
print(f"energy {least:.6f}; the minimum that is known is -54.011130")

left, right = axes(1, 2, size=(10, 4), titles=["The points", "Their energy"])
for k, p in enumerate(points):
    x, y, _ = run.at(np.geomspace(1e-2, 1e3, 300))[p.position].T
    left.plot(x, y, lw=0.8)
    left.plot(*end[k][:2], "o", ms=4, color="0.2")
left.set(xlabel="x", ylabel="y", aspect="equal")
times = np.geomspace(1e-2, 1e3, 400)
right.semilogx(times, run.at(times)[system.potential], label="potential energy")
right.axhline(-54.011130, color="0.5", lw=0.8, ls="--", label="minimum")
right.set(xlabel="time [s]", ylabel="energy [J]")
legend(right)
plt.show()
