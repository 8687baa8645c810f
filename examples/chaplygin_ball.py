"""
The Chaplygin ball
==================

A ball with three different moments of inertia and its mass centre in the middle rolls on a plane. The forces of the
plane all act at the contact, so the angular momentum about it is conserved in space, beside the energy.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

ball = zm.bodies.SphericalBody(
    radius=0.1, mass=2.0, inertia=(0.006, 0.009, 0.012), name="ball"
)
rolling = zm.Rolling(ball, on=zm.surfaces.plane(), gravity=9.81)
start = rolling.start(
    contact=(0, 0), velocity=(0.6, 0.2), spin=3.0, orientation=(0.4, 0.3, -0.2)
)
run = zm.simulate(rolling, start, until=10.0)

body = rolling.body
momentum = body.rotate(body.inertia @ body.angular_velocity_body)
momentum = momentum + np.cross(
    body.position - rolling.contact, body.mass * body.velocity
)
values = run[momentum]
print(
    f"angular momentum about the contact {values[0].round(6)} kg m²/s, "
    f"changed by {np.ptp(values, axis=0).max():.0e}"
)
print(
    f"energy {run[rolling.energy][0]:.6f} J, changed by "
    f"{np.ptp(run[rolling.energy]):.0e}"
)

# %%
# The path is not straight, although nothing but the plane and gravity acts.

times = np.linspace(0, 10, 800)
left, right = axes(
    1,
    2,
    size=(10, 4),
    titles=["Path of the contact", "Angular velocity in the body's axes"],
)
left.plot(*run.at(times)[rolling.contact[:2]].T)
left.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
right.plot(
    times,
    run.at(times)[body.angular_velocity_body],
    label=[f"$\\omega_{k}$" for k in (1, 2, 3)],
)
right.set(xlabel="time [s]", ylabel="angular velocity [rad/s]")
legend(right)
plt.show()
