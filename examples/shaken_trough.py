"""
A ball on a shaken trough
=========================

A steel ball rolls on a parabolic trough that is shaken along two axes, cases IIa and IIc of [UD2011]. A moving surface
does work, and the energy of the ball changes by exactly that. Shaken faster, the trough would have to pull the ball:
a contact that only pushes is lost there, and the run says so.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes

omega = zm.parameter("omega", np.pi)
shaking = 0.1 * np.cos(omega * zm.t)
trough = zm.Surface(
    lambda X, Y, Z: Z / 9 - X**2 / 4, shift=(shaking, shaking, 0), name="trough"
)
ball = zm.bodies.SphericalBody(
    radius=0.02, mass=0.2634, inertia=(4.21e-5,) * 3, name="ball"
)
rolling = zm.Rolling(ball, on=trough, gravity=9.81)

slow = zm.simulate(rolling, rolling.start(contact=(0.2, 0)), until=4.0)
balance = slow.work()
print(
    f"slow: the energy changes by {balance.change[-1]:.6f} J, the trough does "
    f"{balance.constraint[-1]:.6f} J"
)

# %%
# The frequency is a parameter: another value needs no new code.

fast = zm.simulate(
    rolling,
    rolling.start(contact=(0.2, 0), parameters={omega: 3 * np.pi}),
    until=4.0,
)
print(f"fast: {fast.outcome}")

left, right = axes(
    1, 2, size=(10, 4), titles=["slow", "fast, until contact is lost"]
)
slow.plot.balance(left)
fast.plot.forces(right)
plt.show()
