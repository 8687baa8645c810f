"""
A bicycle that balances itself
==============================

Four rigid bodies, three hinges and two wheels on the ground: 28 coordinates under 25 constraints, four of them in rates.
Small motions about the straight run are linearised along the constraints, at each speed, in lean, steer, their rates and
the speed. Between 4.29 and 6.02 m/s all real parts are negative: the numbers are those of the benchmark of Meijaard,
Papadopoulos, Ruina & Schwab (2007).
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm

X, Y, Z = np.eye(3)
r_rear, r_front, wheelbase, trail, tilt = 0.3, 0.35, 1.02, 0.08, np.pi / 10
frame = zm.RigidBody(
    "frame", 85.0, [[9.2, 0, -2.4], [0, 11.0, 0], [-2.4, 0, 2.8]]
)
fork = zm.RigidBody(
    "fork", 4.0, [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
)
rear = zm.RigidBody("rear wheel", 2.0, (0.0603, 0.12, 0.0603))
front = zm.RigidBody("front wheel", 3.0, (0.1405, 0.28, 0.1405))
at_frame, at_fork, hub, front_hub = (
    0.3 * X + 0.9 * Z,
    0.9 * X + 0.7 * Z,
    r_rear * Z,
    wheelbase * X + r_front * Z,
)
head, axis = (wheelbase + trail) * X, np.cos(tilt) * Z - np.sin(tilt) * X
ahead = np.cos(tilt) * X + np.sin(tilt) * Z  # across the steering axis


def on_ground(wheel, radius):
    """Height of a wheel's lowest point, and its slip velocity there."""
    axle = wheel.rotate(Y)
    down = Z - axle[2] * axle
    lowest = -radius * down / np.sqrt(down @ down)
    return wheel.position[2] + lowest[2], (
        wheel.velocity + np.cross(wheel.angular_velocity, lowest)
    )[:2]


bicycle = zm.System(
    [frame, rear, fork, front],
    gravity=9.81,
    constraints={
        "rear hub": frame.point(hub - at_frame) - rear.position,
        "rear axle": [
            rear.rotate(Y) @ frame.rotate(X),
            rear.rotate(Y) @ frame.rotate(Z),
        ],
        "head": frame.point(head - at_frame) - fork.point(head - at_fork),
        "steering axis": [
            fork.rotate(axis) @ frame.rotate(ahead),
            fork.rotate(axis) @ frame.rotate(Y),
        ],
        "front hub": fork.point(front_hub - at_fork) - front.position,
        "front axle": [
            front.rotate(Y) @ fork.rotate(X),
            front.rotate(Y) @ fork.rotate(Z),
        ],
        "contacts": [on_ground(rear, r_rear)[0], on_ground(front, r_front)[0]],
        "rolling": np.concatenate(
            [on_ground(rear, r_rear)[1], on_ground(front, r_front)[1]]
        ),
    },
)
lean, steer = (
    np.arcsin(frame.rotate(Y)[2]),
    np.arcsin(fork.rotate(ahead) @ frame.rotate(Y)),
)
speed = r_rear * (rear.angular_velocity @ rear.rotate(Y))
states = {
    "lean": lean,
    "steer": steer,
    "lean rate": zm.rate(lean),
    "steer rate": zm.rate(steer),
    "speed": speed,
}


def straight(v):
    """Upright and straight ahead, at a speed."""
    upright = [
        (part.quaternion, (1, 0, 0, 0)) for part in (frame, rear, fork, front)
    ]
    return bicycle.start(
        [
            (frame.position, at_frame),
            *upright,
            (rear.velocity[0], v),
            (zm.rate(lean), 0),
            (zm.rate(steer), 0),
        ]
    )


linear = {
    v: zm.analysis.linearize(bicycle, straight(v), states=states)
    for v in np.linspace(0, 10, 101)
}
stable = [v for v, one in linear.items() if one.stability() != "unstable"]
print(
    f"{linear[5.0].removed} directions off the constraints are removed; "
    f"stable from {stable[0]:.1f} to {stable[-1]:.1f} m/s"
)
for mode in linear[5.0].modes():
    print(mode)

# %%
# Real parts of weave, capsize and castering, and the imaginary part of the weave.

_, ax = plt.subplots(figsize=(8, 5), layout="constrained")
zm.plot.roots(linear, ax, over="speed [m/s]")
ax.set_ylim(-10, 10)
plt.show()
