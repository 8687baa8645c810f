"""
A crane whose load follows a path
=================================

Say what the load shall do and which forces may act: a drive on the trolley and a winch. The drive does not appear in the
acceleration of the load, only the rope's pull does; what it must do is found by differentiating twice more. A start that
is off the path shows how errors die out.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

M, m, g, T = 10.0, 100.0, 9.81, 4.0
X, L, a = zm.coordinates("trolley rope angle")
drive, winch = zm.parameter("drive", 0.0), zm.parameter("winch", 0.0)
load = np.array([X + L * np.sin(a), -L * np.cos(a)])
s = zm.t / T
way = s**5 * (
    126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4
)  # from 0 to 1, four derivatives zero at the ends
path = np.array([5 * way, -4 + way])

crane = zm.System(
    kinetic=(M * zm.rate(X) ** 2 + m * zm.rate(load) @ zm.rate(load)) / 2,
    potential=m * g * load[1],
    coordinates=[X, L, a],
    forces={X: drive, L: -winch},
    control={"load": load - path},
    by=[drive, winch],
    settling=5.0,
)
print(crane.control)

run = zm.simulate(crane, crane.start({X: 0.0, L: 4.0, a: 0.0}), until=T)
print(
    f"the load leaves its path by {np.abs(run[load - path]).max():.0e} m at "
    "most"
)
off = zm.simulate(crane, crane.start({X: 0.3, L: 3.8, a: 0.0}), until=T)
errors = np.linalg.norm(off[load - path], axis=1)
print(
    f"from a start {errors[0]:.2f} m off the path it is {errors[-1]:.0e} m at "
    "the end"
)

# %%
# The control is a formula of the state: its value along the run is the force of the drives.

times = np.linspace(0, T, 300)
left, right = axes(1, 2, size=(10, 4))
for t in np.linspace(0, T, 17):
    top, (end,) = run.at(t)[X][0], run.at(t)[load]
    left.plot(
        [top, end[0]], [0, end[1]], "o-", color=color("rope", 1), ms=3, lw=0.6
    )
left.plot(
    *off.at(times)[load].T,
    color=color("load", 0),
    lw=1.2,
    label="from beside the path",
)
left.set(xlabel="X [m]", ylabel="Z [m]", aspect="equal")
legend(left)
right.plot(times, run.at(times)[crane.control[drive]], label="drive")
right.plot(
    times,
    run.at(times)[crane.control[winch]] - m * g,
    label="winch, beyond the weight",
)
right.set(xlabel="time [s]", ylabel="force [N]")
legend(right)
plt.show()
