"""
A ball on a turning funnel
==========================

A funnel turns evenly about its axis, and a ball rolls in it. The funnel does work on the ball, so that the energy changes;
what stays is the *moving energy* E − Ω L, with L the angular momentum about the axis, spin included (Dalla Via, Fassò and
Sansonetto, 2021). There are circles on which the ball runs at a constant height (Borisov, Ivanova, Kilin and Mamaev, 2018).
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

g, r, Ω, slope = 9.81, 0.02, 5.0, 0.5
funnel = zm.surfaces.cone(slope=slope, rotation=((0, 0, 1), Ω * zm.t))
rolling = zm.Rolling(zm.bodies.ball(r, 0.1), on=funnel, gravity=g)
body = rolling.body
L = (
    body.mass * np.cross(body.position, body.velocity)[2]
    + body.rotate(body.inertia @ body.angular_velocity_body)[2]
)
moving = rolling.energy - Ω * L

start = rolling.start(
    contact=(0.4, 0.0), velocity=(0.0, 1.2), spin=-10.0, guess=0.2
)
run = zm.simulate(rolling, start, until=12.0, rtol=1e-12)
E, kept = run[rolling.energy], run[moving]
print(
    f"energy between {E.min():.4f} and {E.max():.4f} J, moving energy "
    f"{kept[0]:.9f} J, changed by {np.ptp(kept):.0e} J"
)

# %%
# A circle: the centre, ρ from the axis, goes round at a rate w and stays at its height if the ball spins just so. Rolling
# gives ω along the slope, and k m r² dω/dt = −r n × m (g − ρ w²) the spin about the normal.

α, ρ, w, k = np.arctan(slope), 0.4, 2.0, 2 / 5
outer = ρ + r * np.sin(α)
along = (Ω * outer - ρ * w) / r
spin = (
    along * np.cos(α) - (ρ * w**2 * np.cos(α) - g * np.sin(α)) / (k * r * w)
) / np.sin(α)
circle = zm.simulate(
    rolling,
    rolling.start(
        contact=(outer, 0.0), velocity=(0.0, ρ * w), spin=spin, guess=0.2
    ),
    until=6.0,
)
print(
    f"on the circle the spin is {spin:.6f} rad/s, and the height changes by "
    f"{np.ptp(circle[rolling.center[2]]):.0e} m"
)

left, right = axes(
    1, 2, size=(10, 4.2), titles=["Path of the contact, from above"]
)
dense = run.at(np.linspace(0, 12, 3000))
left.plot(*dense[rolling.contact[:2]].T, lw=0.7)
left.plot(
    *circle.at(np.linspace(0, 3.2, 200))[rolling.contact[:2]].T, "k--", lw=1
)
left.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
right.plot(dense.t, dense[rolling.energy], label="energy")
right.plot(dense.t, dense[moving], label="moving energy")
right.set(xlabel="time [s]", ylabel="energy [J]")
legend(right)
plt.show()
