"""
The shell on the dimpled bowl
=============================

A shell of iron and silver rolls without slipping over an asymmetric bowl with dimples, example 1A of [UM2022]. A bowl
at rest does no work on a body that rolls: the energy stays, and the bowl exerts no torque at the contact.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes

body = zm.bodies.two_material_shell(
    outer=0.09, inner=0.08, densities=(7874, 10490)
)
rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81)
start = rolling.start(
    contact=(-1.5, -0.75),
    velocity=(1.5, 1.0),
    spin=0.0,
    orientation=(1, 0, 0, 0),
)
run = zm.simulate(rolling, start, until=25.0, rtol=1e-12, atol=1e-15)

# %%
# Energy and torque are kept to rounding; the friction that rolling needs is found between the steps too.

energy = run[rolling.energy]
print(
    f"energy {energy[0]:.6f} J, relative drift "
    f"{np.ptp(energy) / energy[0]:.0e} in 25 s"
)
print(
    "torque at the contact below "
    f"{np.abs(run[rolling.torque_at_contact]).max():.0e} N m"
)
print(f"friction: {run.required_friction()}")

# %%
# The path of the contact on the contour lines of the bowl, and the forces.

left, right = axes(1, 2, size=(10, 4.2))
run.plot.path(left)
run.plot.forces(right)
plt.show()
