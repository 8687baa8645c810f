"""
A ball on two rails
===================

A ball whose mass centre is off its middle rolls in a groove between two rails. It begins to slip, is thrown off both rails
by its own turning, lands again, and goes on: one run, in which every contact is open, rolling or slipping.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

angle, r, speed = 0.6, 0.1, 2.6
slope = np.tan(angle)
rails = {
    "left": zm.Surface(lambda X, Y: -slope * Y),
    "right": zm.Surface(lambda X, Y: slope * Y),
}
loaded = zm.bodies.SphericalBody(
    radius=r,
    mass=1.0,
    inertia=(0.004, 0.0035, 0.003),
    center_of_mass=(0, 0, -0.05),
    name="ball",
)
ball = zm.Contacts(
    loaded, on=rails, gravity=9.81, friction=0.35, restitution=0.3
)
start = ball.start(
    center=(0, 0, r / np.cos(angle)),
    velocity=(speed, 0, 0),
    orientation=(0, 0.3, 0),
)  # it rolls
run = zm.simulate(ball, start, until=1.0)
print(
    f"{len(run.modes)} parts; first {run.modes[0]}, then {run.modes[1]} at "
    f"{run.changes[0]:.6f} s"
)
for impulse in run.impulses[:2]:
    print(
        f"struck at {impulse.t:.6f} s: {impulse.impulses[0]:.4f} N s on each "
        f"rail, {impulse.energy:.4f} J"
    )

# %%
# Height of the centre above where it lies on both rails, and the force of one of them. Dotted lines: mode changes.

times = np.linspace(0, 1, 1500)
height = run.at(times)[ball["left"].gap]
force = run.at(times)[ball["left"].normal_force]
upper, lower = axes(2, titles=["A loaded ball on two rails", ""])
upper.plot(times, 1e3 * height, color=color("centre"))
upper.set(ylabel="gap [mm]")
lower.plot(times, force, color=color("normal"), label="normal, left")
lower.plot(
    times,
    run.at(times)[ball["left"].friction_magnitude],
    color=color("friction"),
    label="friction, left",
)
lower.set(xlabel="time [s]", ylabel="force [N]")
legend(lower)
for panel in (upper, lower):
    for change in run.changes:
        panel.axvline(change, color="0.7", ls=":", lw=0.6)
plt.show()
