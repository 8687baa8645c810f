"""
Bennett's linkage: a loop that should not move
==============================================

Four rods, four hinges whose axes are neither parallel nor meet. Counted, the loop has 18 − 20 = −2 degrees of freedom. With
lengths in proportion to the sines of the twists it moves all the same, with three constraints that repeat others, and
tan ½θ tan ½φ stays constant (Bennett, 1903).
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass import report

a, alpha, beta, theta = 1.0, 0.6, 1.1, 1.2
b = a * np.sin(beta) / np.sin(alpha)
phi = 2 * np.arctan(
    np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2)
)


def beyond(frame, angle, length, twist):
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return frame @ [
        [c, -s * ct, s * st, length * c],
        [s, c * ct, -c * st, length * s],
        [0, st, ct, 0],
        [0, 0, 0, 1],
    ]


frames = [np.eye(4)]
for angle, length, twist in (
    (theta, a, alpha),
    (phi, b, beta),
    (-theta, a, alpha),
):
    frames.append(beyond(frames[-1], angle, length, twist))
points, axes = (
    [frame[:3, 3] for frame in frames],
    [frame[:3, 2] for frame in frames],
)

rods = []
for k in range(3):
    d = points[k + 1] - points[k]
    solid = zm.bodies.Solid.cylinder(
        0.03, float(np.linalg.norm(d)), axis=d, density=500
    )
    rods.append(solid.moved((points[k] + points[k + 1]) / 2).body(f"rod {k}"))
bodies = [zm.Ground(), *rods, zm.Ground()]
hinges = [
    zm.joints.Revolute(
        bodies[k], bodies[k + 1], at=points[k], axis=axes[k], name=f"hinge {k}"
    )
    for k in range(4)
]
linkage = zm.System(rods, gravity=0, joints=hinges)

start = linkage.start({hinges[0].rate: 1.0})
print(linkage.check(start))
run = zm.simulate(linkage, start, until=4.0)
first, second = theta + run[hinges[0].angle], phi + run[hinges[1].angle]
product = np.tan(first / 2) * np.tan(second / 2)
print(f"tan ½θ tan ½φ = {product[0]:.6f}, constant to {np.ptp(product):.0e}")

left, right = report.axes(1, 2, size=(10, 4.2), space=[0])
for t in np.linspace(0, 4, 9):
    ends = np.array(
        [run.at(t)[hinge.point][0] for hinge in hinges] + [points[0]]
    )
    left.plot(*ends.T, "o-", color=plt.cm.viridis(t / 4), ms=3, lw=1.5)
for point, axis in ((points[0], axes[0]), (points[3], axes[3])):
    left.plot(
        *np.array([point - 0.3 * axis, point + 0.3 * axis]).T, color="k", lw=2
    )
left.set(aspect="equal")
left.set_axis_off()
right.plot(np.rad2deg(first), np.rad2deg(second))
right.set(xlabel="θ [°]", ylabel="φ [°]")
plt.show()
