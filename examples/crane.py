"""
A crane made to follow a path
=============================

Servo-constraints prescribe a motion, and their reactions are the forces that the drives have to supply. The load of a
crane shall go along a straight slope from rest to rest without swinging at the end. The trolley must then be where the
rope points along g + a of the load: that is where it is constrained to be, by expressions of time.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

M, m, g, T = 10.0, 100.0, 9.81, 4.0
s = zm.t / T
way = s**5 * (
    126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4
)  # from 0 to 1, four derivatives zero at the ends
path = np.array([5 * way, 0, -4 + 1 * way])  # of the load, m

a = zm.rate(zm.rate(path))
trolley_place = path[0] - path[2] * a[0] / (g + a[2])
rope = np.array([trolley_place, 0, 0]) - path

trolley, load = zm.Particle("trolley", mass=M), zm.Particle("load", mass=m)
arm = load.position - trolley.position
crane = zm.System(
    [trolley, load],
    gravity=g,
    constraints={
        "rail": trolley.position[1:],
        "plane": load.position[1],
        "drive": trolley.position[0] - trolley_place,
        "winch": np.sqrt(arm @ arm) - np.sqrt(rope @ rope),
    },
)
start = crane.start(
    [(load.position[0], 0), (zm.rate(load.position[0]), 0)],
    guess=[(load.position, (0, 0, -4))],
)
run = zm.simulate(crane, start, until=T)
print(
    "the load leaves its path by "
    f"{np.abs(run[load.position - path]).max():.0e} m at most"
)

# %%
# The force of the drive is the reaction on the trolley; the tension is the multiplier of the rope's length.

drive = crane.reaction["drive"][crane.index(trolley.position[0])]
winch = [row.name for row in crane.rows].index("winch")
times = np.linspace(0, T, 400)
force, tension = run.at(times)[drive], -run.at(times)[crane.multipliers[winch]]
print(
    f"the drive needs up to {np.abs(force).max():.1f} N, the rope up to "
    f"{tension.max():.1f} N"
)

left, right = axes(
    1, 2, size=(10, 4), titles=["Trolley, rope and load", "Forces"]
)
for t in np.linspace(0, T, 17):
    top, bottom = run.at(t)[trolley.position][0], run.at(t)[load.position][0]
    left.plot(
        [top[0], bottom[0]],
        [top[2], bottom[2]],
        "-",
        color="0.6",
        lw=0.6,
        zorder=1,
    )
    left.plot(*top[::2], "s", color=color("applied"), ms=4)
    left.plot(*bottom[::2], "o", color=color("centre"), ms=5)
left.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
right.plot(times, force, color=color("applied"), label="drive")
right.plot(
    times,
    tension - m * g,
    color=color("constraint"),
    label="rope, beyond the weight",
)
right.set(xlabel="time [s]", ylabel="force [N]")
legend(right)
plt.show()
