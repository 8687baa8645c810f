"""
The tippe top
=============

A ball whose mass lies low is spun fast on a table and slips there. Friction at the contact turns it over until it stands on
its head, its mass centre above the middle, and the energy for that comes from the spin. The moment of friction vanishes
about the line from the contact to the mass centre: L along it, Jellett's integral (1872), is kept however it slips.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes

R, m = 0.02, 0.006
J = 0.4 * m * R**2
top = zm.bodies.SphericalBody(
    R, m, (0.97 * J, 0.97 * J, J), (0, 0, -0.3 * R), name="top"
)
rolling = zm.Rolling(
    top, on=zm.surfaces.plane(), gravity=9.81, friction=0.03, restitution=0.0
)
body, tilt = rolling.body, 0.4
start = rolling.slipping.start(
    [
        (rolling.contact[:2], (0, 0)),
        (body.quaternion, (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)),
        (body.angular_velocity_body, (0, 0, 200.0)),
        (rolling.center_particle.velocity[:2], (0, 0)),
    ]
)
run = zm.simulate(rolling, start, until=22.0, rtol=1e-11)

L = body.rotate(body.inertia @ body.angular_velocity_body)
jellett = L @ (body.position - rolling.contact)
touching = [part for part in run.segments if part.system.contacts]
kept = np.concatenate(
    [
        run.at(np.linspace(part.t[0], part.t[-1], 200))[jellett]
        for part in touching
    ]
)
angle = np.degrees(np.arccos(run[body.rotation[2, 2]]))
print(
    f"the axis turns from {angle[0]:.1f}° to {angle[-1]:.1f}°, by way of "
    f"{', '.join(dict.fromkeys(run.modes))}"
)
print(
    f"Jellett's integral {kept[0]:.6e} J s m, changed by "
    f"{np.ptp(kept) / kept[0]:.0e} of it while it touches"
)
print(
    f"energy {1e3 * run[rolling.energy][0]:.3f} mJ, at the end "
    f"{1e3 * run[rolling.energy][-1]:.3f} mJ"
)

# %%
# The top turns over, and its mass centre climbs.

dense = run.at(np.linspace(0, 22, 4000))
left, right = axes(
    1,
    2,
    size=(10, 4),
    titles=["Axis against the vertical", "Where the energy is"],
)
left.plot(dense.t, np.degrees(np.arccos(dense[body.rotation[2, 2]])), lw=0.8)
left.set(xlabel="time [s]", ylabel="tilt [°]", yticks=(0, 45, 90, 135, 180))
right.plot(dense.t, 1e3 * dense[rolling.energy], label="all")
right.plot(dense.t, 1e3 * dense[rolling.rotational_energy], label="turning")
right.plot(dense.t, 1e3 * dense[rolling.potential], label="height")
right.set(xlabel="time [s]", ylabel="energy [mJ]", yscale="log")
right.legend(frameon=False)
plt.show()
