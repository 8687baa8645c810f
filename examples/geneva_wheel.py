"""
A Geneva wheel
==============

A crank that turns evenly moves a wheel by a quarter of a turn, and then lets it rest: its pin enters a slot, turns the
wheel, and leaves the slot, while a disc holds the wheel between. Pin and slot meet without a jolt of velocity but with one
of acceleration, which the force of the pin shows. One run goes through all of it; the switches are found as events are.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color

slots, c = 4, 0.1  # their count, and the distance of the axes, m
step = np.pi / slots
a, R = (
    c * np.sin(step),
    c * np.cos(step),
)  # radius of the pin's circle and of the wheel
pin, lock = 0.006, 0.8 * a


def outline():
    """Of the wheel: slots, and between them arcs for the disc that holds it."""
    corners = []
    bend = np.arccos((R**2 - c**2 - lock**2) / (2 * c * lock))
    round_, arc = (
        np.linspace(-np.pi / 2, np.pi / 2, 9),
        np.linspace(2 * np.pi - bend, bend, 15),
    )
    for k in range(slots):
        slot = [(c - a - pin * np.cos(s), pin * np.sin(s)) for s in round_]
        slot = [
            (np.sqrt(R**2 - pin**2), -pin),
            *slot,
            (np.sqrt(R**2 - pin**2), pin),
        ]
        corners += [turned(p, np.pi + 2 * k * step) for p in slot]
        corners += [
            turned(
                (c + lock * np.cos(s), lock * np.sin(s)),
                np.pi + (2 * k + 1) * step,
            )
            for s in arc
        ]
    return np.array(corners)


def turned(p, angle):
    return np.cos(angle) * p[0] - np.sin(angle) * p[1], np.sin(angle) * p[
        0
    ] + np.cos(angle) * p[1]


star = (
    zm.bodies.Solid.plate(outline(), 0.01, density=7850)
    .moved((c, 0, 0))
    .body("wheel")
)
arm = zm.bodies.Solid.box((a, 0.012, 0.004), density=7850).moved(
    (a / 2, 0, -0.009)
)
arm += zm.bodies.Solid.cylinder(0.9 * pin, 0.016, density=7850).moved(
    (a, 0, 0)
) + zm.bodies.Solid.sphere(0.012, mass=0.5)
arm = arm.body("crank")
ground, z = zm.Ground(), (0, 0, 1)
crank = zm.joints.Revolute(ground, arm, at=(0, 0, 0), axis=z, name="crank pin")
wheel = zm.joints.Revolute(ground, star, at=(c, 0, 0), axis=z, name="axle")
geneva = zm.joints.Geneva(crank, wheel, slots=slots, distance=c, name="geneva")
drive = crank.drive(2 * np.pi * zm.t - np.pi)
works = zm.System(
    [arm, star], gravity=9.81, joints=[crank, wheel, geneva, drive]
)

run = zm.simulate(works, works.start(), until=2.0)
for event in run.events:
    print(f"{event.t:.4f} s: {event.name}")
print(
    "after two turns the wheel has turned by "
    f"{np.rad2deg(run[wheel.angle][0] - run[wheel.angle][-1]):.6f}°"
)

# %%
# The mechanism while the pin is in a slot; angle, rate and the force of the pin.

plots = axes(2, 3, size=(10, 6))
shape = np.column_stack([outline(), 0 * outline()[:, 0]])
for ax, t in zip(plots[:3], (0.3, 0.45, 0.6), strict=True):
    now = run.at(t)
    edge = now[star.position][0] + shape @ now[star.rotation][0].T
    ax.fill(edge[:, 0], edge[:, 1], color=color("wheel", 1), alpha=0.5)
    tip = now[arm.point((a, 0, 0) - arm.at)][0]
    ax.plot([0, tip[0]], [0, tip[1]], "o-", color=color("arm", 0))
    ax.set(
        aspect="equal", title=f"{t} s", xlim=(-0.08, 0.18), ylim=(-0.09, 0.09)
    )
    ax.set_axis_off()
times = np.linspace(0, 2, 2000)
dense = run.at(times)
shown = {
    "angle of the wheel [°]": -np.rad2deg(dense[wheel.angle]),
    "its rate [rad/s]": -dense[wheel.rate],
    "force of the pin [N]": dense[geneva.pin],
}
for ax, (name, values) in zip(plots[3:], shown.items(), strict=True):
    ax.plot(times, values)
    ax.set(xlabel="time [s]", ylabel=name)
plt.show()
