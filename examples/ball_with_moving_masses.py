"""
A ball that drives itself
=========================

Three masses move along circles inside a ball, on prescribed paths, and make it roll (Putkaradze and Rogers, 2018). The
table holds it only if its friction suffices: the least coefficient is the largest ratio of the horizontal to the normal
force, and both follow from the momentum of all masses together.

One mass m₁ that is always held at an angle φ ahead of the lowest place of its circle of radius ρ drives the ball evenly, and

    μ = a/g = m₁ ρ sin φ/(I/r + r (m + m₁) − m₁ ρ cos φ)
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, r, g, ρ = 4.0, 1.0, 9.81, 0.7  # ρ: radius of the circles, m


def rolling_with(paths):
    """A ball with moving masses of 1 kg, and the force of the table."""
    ball = zm.RigidBody(
        "ball", mass=m, inertia=0.4 * m * r**2 * np.ones(3), at=(0, 0, r)
    )
    masses = [zm.Particle(f"mass {k}", mass=1.0) for k in range(len(paths))]
    held = {
        f"path {k}": masses[k].position - ball.point(path)
        for k, path in enumerate(paths)
    }
    rolls = ball.velocity + np.cross(
        ball.angular_velocity, np.array([0.0, 0.0, -r])
    )
    held |= {"table": ball.position[2] - r, "rolls": rolls[:2]}
    system = zm.System([ball, *masses], gravity=g, constraints=held)
    force = sum(
        (
            part.mass * (zm.rate(part.velocity) + np.array([0, 0, g]))
            for part in (ball, *masses)
        ),
        np.zeros(3),
    )
    return system, ball, force


def begun(system, ball, **parameters):
    return system.start(
        [(ball.quaternion, (1, 0, 0, 0)), (ball.angular_velocity, (0, 0, 0))],
        **parameters,
    )


# %%
# One mass that is held ahead: it goes back in the ball as fast as the ball rolls.

for φ in (0.2, 0.8, np.pi / 2):
    law = ρ * np.sin(φ) / (0.4 * m * r + r * (m + 1) - ρ * np.cos(φ))
    turned = φ + law * g / r * zm.t**2 / 2
    system, ball, force = rolling_with(
        [(ρ * np.sin(turned), 0.0, -ρ * np.cos(turned))]
    )
    run = zm.simulate(system, begun(system, ball), until=5.0, rtol=1e-12)
    ratio = run[force[0] / force[2]]
    print(
        f"held at {φ:.4f} rad: least coefficient {ratio.max():.12f}, by the "
        f"law {law:.12f}, ± {np.ptp(ratio):.0e}"
    )

# %%
# Three masses on circles.

speed = zm.parameter("speed", 1.0)  # rad/s


def circle(k):
    """Place of mass k: a circle about axis k, from rest to speed."""
    angle = speed * (zm.t - np.tanh(zm.t)) * (1 + k / 3)
    a, b = ρ * np.sin(angle), -ρ * np.cos(angle)
    return [(a, 0.05, b), (0.05, a, b), (a / 2**0.5, a / 2**0.5, b)][k]


system, ball, force = rolling_with([circle(k) for k in range(3)])
places = [system.index(coordinate) for coordinate in ball.position]
table = (
    system.reaction["rolls"] + system.reaction["table"]
)  # the same from the constraints
left, right = axes(
    1,
    2,
    size=(10, 4.2),
    titles=["Path of the contact", "Friction that it takes"],
)
times = np.linspace(0, 20, 2000)
for value in (0.5, 1.0, 1.5):
    run = zm.simulate(
        system,
        begun(system, ball, parameters={speed: value}),
        until=20.0,
        rtol=1e-11,
    )
    dense = run.at(times)
    ratio = dense[np.sqrt(force[0] ** 2 + force[1] ** 2) / force[2]]
    most = int(np.argmax(ratio))
    off = np.abs(dense[table][:, places] - dense[force]).max()
    print(
        f"speed {value}: least coefficient {ratio[most]:.5f} at "
        f"{times[most]:.2f} s, the two ways to {off:.0e} N"
    )
    left.plot(*dense[ball.position[:2]].T, label=f"{value} rad/s")
    right.plot(times, ratio)
left.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
right.set(xlabel="time [s]", ylabel="horizontal over normal force")
legend(left)
plt.show()
