"""
Ellipsoids of rubber
====================

Rubber neither slips nor spins about the normal. A body of revolution that rolls so on a table keeps k = ω₃ N(ϑ), with ω₃
about its axis, ϑ the tilt of the axis and N² = I₁ cos² ϑ + I₃ sin² ϑ + m z² (Borisov and Mamaev, 2008), and rolls in a
circle where k²/(2 sin² ϑ) + m g z has its least value: the permanent rotations (Kilin and Pivovarova, 2024).
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, a, c, g = 1.0, 0.15, 0.06, 9.81  # a flat ellipsoid: semi-axes a, a, c
lens = zm.bodies.ellipsoid((a, a, c), mass=m)
rolling = zm.Rolling(lens, on=zm.surfaces.plane(), gravity=g, no_spin=True)
I1, _, I3 = lens.inertia
body, up = rolling.body, rolling.body.rotation[2, 2]
N = np.sqrt(I1 * up**2 + I3 * (1 - up**2) + m * rolling.center[2] ** 2)
k = body.angular_velocity_body[2] * N


def started(tilt, factor):
    """`factor` times the k of the permanent rotation."""
    s, z = np.sin(tilt), np.hypot(a * np.sin(tilt), c * np.cos(tilt))
    permanent = np.sqrt(m * g * (a**2 - c**2) / z) * s**2
    ω3 = (
        factor
        * permanent
        / np.sqrt(I1 * np.cos(tilt) ** 2 + I3 * s**2 + m * z**2)
    )
    turn = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)
    ω = ω3 * np.array([0, -np.cos(tilt) / s, 1])  # none about the vertical
    return rolling.start(
        [
            (rolling.contact[:2], (0, 0)),
            (body.quaternion, turn),
            (body.angular_velocity_body, ω),
        ]
    )


left, right = axes(
    1, 2, size=(10, 4.2), titles=["Path of the contact", "Tilt of the axis"]
)
times = np.linspace(0, 4, 2000)
for factor in (1.0, 1.2, 0.8):
    run = zm.simulate(rolling, started(1.0, factor), until=4.0, rtol=1e-12)
    kept, dense = run[k], run.at(times)
    least, most = np.arccos([run[up].max(), run[up].min()])
    print(
        f"{factor:.1f} of the permanent rotation's k: tilt {least:.5f} to "
        f"{most:.5f} rad; "
        f"k changed by {np.ptp(kept) / abs(kept[0]):.0e}, the energy by "
        f"{np.ptp(run[rolling.energy]):.0e} J"
    )
    left.plot(*dense[rolling.contact[:2]].T, lw=0.9)
    right.plot(times, np.arccos(dense[up]), label=f"{factor:g} of k")
left.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
right.set(xlabel="time [s]", ylabel="tilt [rad]")
legend(right)
plt.show()
