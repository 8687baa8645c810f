"""
A ball that comes to rest
=========================

A ball rolls, slips, rolls again and stops in a bowl. Rolling resistance and torsional friction are torques at the contact,
arms l and d of the normal force. It stops beside the lowest point, where the slope is no steeper than l/r, and stays there:
resting is a mode of its own. All energy that is missing is the work of the contact.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

import zeromass as zm
from zeromass.plot import axes, color, legend

l, d, r = 0.004, 0.001, 0.05
bowl = zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2), name="bowl")
ball = zm.Rolling(
    zm.bodies.ball(r, 0.3),
    on=bowl,
    gravity=9.81,
    friction=zm.Friction(static=0.2, kinetic=0.12),
    rolling_resistance=l,
    torsional_friction=d,
)
run = zm.simulate(
    ball, ball.start(contact=(1.0, 0), velocity=(0, 0.8), spin=20.0), until=8.0
)
print(" → ".join(run.modes), "at", ", ".join(f"{t:.6f} s" for t in run.changes))
x, y, _ = run.state(8.0)[ball.contact]
print(
    f"it rests where the slope is {0.6 * np.hypot(x, y):.4f}; it is held up "
    f"to {l / r:.4f}"
)
print(run.work())

times = np.linspace(0, 8, 2000)
at = run.at(times)
left, right = axes(
    1,
    2,
    size=(11, 4.4),
    titles=[
        "Path of the contact",
        "Rolling and spin die out one after the other",
    ],
)
edges = [0.0, *run.changes, 8.0]
for kind, hue in (
    ("slipping", color("friction")),
    ("rolling", color("normal")),
):
    for k in [k for k, own in enumerate(run.modes) if own == kind]:
        path = run.at(np.linspace(edges[k], edges[k + 1], 800)[1:])[
            ball.contact
        ]
        left.plot(
            path[:, 0],
            path[:, 1],
            color=hue,
            lw=1,
            label=kind if run.modes.index(kind) == k else None,
        )
left.add_patch(Circle((0, 0), l / r / 0.6, color="0.88", label="held here"))
left.plot(x, y, "o", color="k", ms=4)
left.set(aspect="equal", xlabel="X [m]", ylabel="Y [m]")
legend(left)
right.plot(
    times,
    np.linalg.norm(at[ball.rolling_velocity], axis=1),
    label=r"rolling, $|\omega_t|$",
)
right.plot(times, at[ball.spin], label=r"spin, $\omega_n$")
for t in run.changes:
    right.axvline(t, color="0.6", ls=":", lw=0.8)
right.set(xlabel="time [s]", ylabel="angular velocity [rad/s]")
legend(right)
plt.show()
