"""
Two masses, one of them zero
============================

Two masses on two springs are modelled apart and joined by a constraint, example 3 of [UP2006]. With the first mass zero
the motion is not unique until the forces on the massless joint are balanced. The diagnosis names that constraint, and
with it the motion is that of one mass on two springs in series.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m1, m2, k1, k2, l1, l2, d = 0.0, 0.8, 40.0, 25.0, 0.3, 0.2, 0.05
x1, q1, q2 = zm.coordinates("x1 q1 q2")
first = zm.System(
    kinetic=m1 * zm.rate(x1) ** 2 / 2,
    potential=k1 * (x1 - l1) ** 2 / 2,
    coordinates=[x1],
)
second = zm.System(
    kinetic=m2 * zm.rate(q1 + q2) ** 2 / 2,
    potential=k2 * (q2 - l2) ** 2 / 2,
    coordinates=[q1, q2],
)
joined = zm.join(first, second, constraints={"connection": x1 + d - q1})

diagnosis = joined.check(joined.start({x1: 0.37, q2: 0.14}))
print(diagnosis)

# %%
# The constraint it asks for is an expression: add it.

balance = diagnosis.undetermined[0].force
system = joined.with_constraints({"balance": balance})
run = zm.simulate(system, system.start({q2: 0.14, zm.rate(q2): 0}), until=3.0)

# %%
# Springs in series: ω² = k1 k2/((k1 + k2) m2).

omega = np.sqrt(k1 * k2 / (k1 + k2) / m2)
place = run[q1 + q2] - (l1 + l2 + d)
law = place[0] * np.cos(omega * run.t)
print(
    "largest difference from the oscillation of springs in series: "
    f"{np.abs(place - law).max():.0e} m"
)

ax = axes(titles=["Two masses, joined without mass"])
times = np.linspace(0, 3, 400)
ax.plot(times, run.at(times)[q1 + q2], label="second mass")
ax.plot(times, run.at(times)[x1], "--", label="massless joint")
ax.set(xlabel="time [s]", ylabel="place [m]")
legend(ax)
plt.show()
