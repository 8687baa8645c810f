"""
Andrews' squeezing mechanism
============================

Seven bodies in a plane, with three closed loops and a spring, driven by a constant torque: a benchmark of Schiehlen
(1990) and of the Test Set for IVP Solvers (Mazzia and Magherini, 2008), where it is a differential-algebraic system
of index 3. Here the loops are three vector constraints between seven angles. The end agrees with the reference
solution to nine digits.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

angles = zm.coordinates("beta theta gamma phi delta omega epsilon")
β, θ, γ, φ, δ, Ω, ε = angles
A, B, C = (
    np.array(p)
    for p in ((-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072))
)


def turned(x, y, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([x * c - y * s, x * s + y * c])


crank = turned(0.007, 0, β)
joint = crank - turned(0.028, 0, β + θ)  # where three loops meet
parts = [  # mass kg, moment of inertia kg m², mass centre m, angle rad
    (0.04325, 2.194e-6, turned(0.00092, 0, β), β),
    (0.00365, 4.410e-7, crank - turned(0.0115, 0, β + θ), β + θ),
    (0.02373, 5.255e-6, B + turned(0.01043, -0.01874, γ), γ),
    (
        0.00706,
        5.667e-7,
        A + turned(0.04, 0, δ) + turned(0, -0.00579, φ + δ),
        φ + δ,
    ),
    (0.07050, 1.169e-5, A + turned(0.02308, 0.00916, δ), δ),
    (
        0.00706,
        5.667e-7,
        A + turned(0, -0.04, ε) + turned(0.00579, 0, Ω + ε),
        Ω + ε,
    ),
    (0.05498, 1.912e-5, A + turned(-0.00449, -0.01228, ε), ε),
]
kinetic = sum(
    m * (zm.rate(c) @ zm.rate(c)) / 2 + J * zm.rate(a) ** 2 / 2
    for m, J, c, a in parts
)
x, y = B + turned(0.02, -0.018, γ) - C
length = np.sqrt(x**2 + y**2)
system = zm.System(
    kinetic=kinetic,
    potential=4530 * (length - 0.07785) ** 2 / 2,
    forces={β: 0.033},
    constraints={
        "spring arm": joint - B - turned(0, -0.035, γ),
        "upper loop": joint - A - turned(0.04, 0, δ) - turned(0, -0.02, φ + δ),
        "lower loop": joint - A - turned(0.02, 0, Ω + ε) - turned(0, -0.04, ε),
    },
    coordinates=list(angles),
)
near = [0.0, 0.0, 0.46, 0.22, 0.49, -0.22, 1.23]
start = system.start(
    {β: -0.06171389001427650, θ: 0.0},
    guess=dict(zip(angles, near, strict=True)),
)
run = zm.simulate(system, start, until=0.03, rtol=1e-12)

# %%
# The angles at t = 0.03 s beside the reference solution, and the forces of the loops.

reference = [15.81077119629904, -15.75637105984298, 0.04082224013073101]
reference += [-0.5347301163226948, 0.5244099658805304, 0.5347301163226948]
reference += [1.048080741042263]
off = np.abs(run.at(0.03)[list(angles)][0] - reference).max()
print(f"{run.statistics.steps} steps; off the reference by {off:.0e} rad")

left, right = axes(1, 2, size=(10, 4), titles=["Angles", "Forces in the loops"])
times = np.linspace(0, 0.03, 600)
for angle in angles:
    a = run.at(times)[angle]
    left.plot(times, (a + np.pi) % (2 * np.pi) - np.pi, lw=1, label=angle.name)
left.set(xlabel="time [s]", ylabel="angle [rad], −π … π")
for name in ("spring arm", "upper loop", "lower loop"):
    rows = [k for k, row in enumerate(system.rows) if row.group == name]
    force = run.at(times)[system.multipliers[rows]]
    right.plot(times, np.linalg.norm(force, axis=1), lw=1, label=name)
right.set(xlabel="time [s]", ylabel="force [N]")
legend(left)
legend(right)
plt.show()
