"""
A chain that falls faster than a stone
======================================

A chain of 240 links hangs by both ends, side by side, and one end is let go. Links that have come to rest take no energy
with them: it is gathered in those that still fall, and the end overtakes a stone that is dropped beside it (Calkin and
March, 1989). Such a system has too many links for formulas written out one after another: its code is made of one point,
one rod, and loops.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

links, length, gap, g = 240, 1.0, 0.12, 9.81
link = length / links
points = [zm.Particle(f"p{k}", mass=1.0 / links) for k in range(links)]


def place(s):
    """Along the chain, as it hangs: down, around, and up again."""
    leg, r = (length - np.pi * gap / 2) / 2, gap / 2
    if s < leg:
        return np.array([0.0, 0.0, -s])
    if s > leg + np.pi * r:
        return np.array([gap, 0.0, -(length - s)])
    angle = (s - leg) / r
    return np.array([r - r * np.cos(angle), 0.0, -leg - r * np.sin(angle)])


rods, before = {}, np.zeros(3)
for k, point in enumerate(points):
    d = point.position - before
    rods[f"rod {k}"] = (d @ d - link**2) / 2
    before = point.position
chain = zm.System(points, gravity=g, constraints=rods)
start = chain.start(
    guess=[
        (point.position, place((k + 1) * link))
        for k, point in enumerate(points)
    ]
)

run = zm.simulate(chain, start, until=0.4, rtol=1e-9, atol=1e-11)
end = points[-1].position
print(run.program)
print(run)

t = np.linspace(0, 0.37, 200)
fall = start[end[2]] - run.at(t)[end[2]]
ahead = fall - g * t**2 / 2
print(
    f"after {t[-1]:g} s the end is {ahead[-1] * 1000:.0f} mm ahead of a stone"
)
energy = run[chain.energy]
print(
    "the energy changes by "
    f"{np.abs(energy - energy[0]).max() / abs(energy[0]):.0e} of itself"
)

shapes, course = axes(1, 2, size=(9, 4.5))
for moment in (0.0, 0.15, 0.25, 0.32, 0.37):
    places = np.array([run.at(moment)[point.position][0] for point in points])
    shapes.plot(places[:, 0], places[:, 2], label=f"{moment} s")
shapes.set(xlabel="X [m]", ylabel="Z [m]")
legend(shapes, columns=3)
course.plot(t, fall, label="end of the chain")
course.plot(t, g * t**2 / 2, "--", label="stone")
course.set(xlabel="time [s]", ylabel="fall [m]")
legend(course)
plt.show()
