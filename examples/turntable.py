"""
A ball on a turntable
=====================

A ball that rolls on a turning table does not fly off: it goes round in a circle, whatever its start, with 2/7 of the
angular velocity of the table if it is homogeneous, and with 2/5 if it is a thin shell.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

Omega = 3.0
table = zm.surfaces.plane(rotation=((0, 0, 1), Omega * zm.t))
ax = axes(size=(5.4, 4.6), titles=["Circles on a turntable"])
for name, body, ratio in (
    ("ball", zm.bodies.ball(radius=0.05, mass=0.5), 2 / 7),
    ("thin shell", zm.bodies.shell(outer=0.05, inner=0.05, mass=0.5), 2 / 5),
):
    rolling = zm.Rolling(body, on=table, gravity=9.81)
    period = 2 * np.pi / (ratio * Omega)
    run = zm.simulate(
        rolling,
        rolling.start(contact=(0.4, 0), velocity=(0, 0.6)),
        until=period,
    )
    path = run[rolling.center]
    print(
        f"{name}: {np.linalg.norm(path[-1] - path[0]):.0e} m from its start "
        f"after 2π/({ratio:.4f} Ω) = {period:.4f} s"
    )
    places = run.at(np.linspace(0, period, 400))[rolling.center]
    ax.plot(places[:, 0], places[:, 1], label=rf"{name}, {ratio:.3f} $\Omega$")
ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
legend(ax)
plt.show()
