"""
How long a rattleback takes to turn back
========================================

The stone of Kane and Levinson (1982), an ellipsoid whose axes of inertia are turned against those of its shape, with their
damping. Pitch and roll take energy E from the spin n, one for each direction: with u the shape of a mode, uᵀJu = 1,

    I ṅ = κ E,   Ė = −κ n E,   κ = m h (ρ₁ − ρ₂) u₁ u₂

so that a spin n₀ is gone after 2 artanh(n₀/n∞)/(κ n∞), n∞² = n₀² + 2 E₀/I: the time of Garcia and Hubbard (1988). Pitching
grows at −κ n/2 and rolling at that over (ω of pitch/ω of roll)² with the other sign (Moffatt and Tokieda, 2008): without
damping the stone turns back both ways, ten times later the one that it likes.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, g, h = 1.0, 9.81, 0.01  # h: the height of the mass centre, m
a, b, c = 0.2, 0.03, 0.02
I = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
stone = zm.bodies.ellipsoid(
    (a, b, c), mass=m, inertia=I, center=(0, 0, c - h), name="stone"
)
σ = zm.parameter("damping", 0.0)  # m²/s
damped = lambda rolling: zm.Torque(  # noqa: E731
    -σ * m * rolling.body.angular_velocity, on=rolling.body
)
rolling = zm.Rolling(
    stone, on=zm.surfaces.plane(), gravity=g, forces=damped, two_sided=True
)
body, n = rolling.body, rolling.body.angular_velocity[2]


def spun(spin, tilt, damping=0.0):
    """The stone, tilted, with a spin about the vertical."""
    angle = np.linalg.norm(tilt)
    u = (np.cos(angle / 2), *(np.sin(angle / 2) * np.array(tilt) / angle), 0.0)
    given = [
        (rolling.contact[:2], (0, 0)),
        (body.quaternion, u),
        (body.angular_velocity, (0, 0, spin)),
    ]
    return rolling.start(given, parameters={σ: damping})


ρ = np.array([a, b]) ** 2 / c  # radii of curvature at the lowest point
J, K = I[:2, :2] + m * h**2 * np.eye(2), m * g * np.diag(ρ[::-1] - h)
squares, modes = (np.real(x) for x in np.linalg.eig(np.linalg.solve(J, K)))
modes /= np.sqrt(np.diag(modes.T @ J @ modes))
κ = (
    m * h * (ρ[0] - ρ[1]) * modes[0] * modes[1]
)  # of roll and pitch, in some order
up, still = (
    body.rotation[2, :2],
    [(rolling.contact[:2], (0, 0)), (body.quaternion, (1, 0, 0, 0))],
)
kept = {
    "x": up[0],
    "y": up[1],
    "rate of x": zm.rate(up[0]),
    "rate of y": zm.rate(up[1]),
}
for spin in (-0.01, -1.0):
    steady = rolling.start([*still, (body.angular_velocity, (0, 0, spin))])
    grows = np.sort(
        zm.analysis.linearize(rolling, steady, states=kept).eigenvalues.real
    )[::2]
    print(
        f"{spin:+.2f} rad/s: modes grow at {grows[1]:+.7f} and "
        f"{grows[0]:+.7f} 1/s, ratio {-grows[1] / grows[0]:.5f}"
    )
    print(
        f"      by the law at {max(-κ * spin / 2):+.7f} and "
        f"{min(-κ * spin / 2):+.7f} 1/s,",
        end=" ",
    )
    print(f"ratio {squares.max() / squares.min():.5f}")
left, right = axes(
    1,
    2,
    size=(10, 4.2),
    titles=["Kane and Levinson's stone", "Time to turn back"],
)
for spin in (5.0, -5.0):
    run = zm.simulate(
        rolling, spun(spin, (np.radians(0.5),) * 2, 1e-4), until=10.0
    )
    left.plot(run.t, run[n], lw=0.8, label=f"{spin:+.0f} rad/s")
spins = np.geomspace(0.05, 5, 9)
for mode, square, coupling in zip(modes.T, squares, κ, strict=True):
    found, expected = [], []
    for spin in -np.sign(coupling) * spins:
        tilt = (
            0.1 * abs(spin) * np.sqrt(I[2, 2] / square) * mode
        )  # 1 % of the energy in the mode
        run = zm.simulate(
            rolling,
            spun(spin, tilt),
            until=1e4,
            events=zm.Event("turns back", n),
            rtol=1e-9,
        )
        found.append(run.t[-1])
        limit = np.hypot(spin, np.sqrt(square * (tilt @ J @ tilt) / I[2, 2]))
        expected.append(
            2 * np.arctanh(abs(spin) / limit) / (abs(coupling) * limit)
        )
        print(
            f"{spin:+.3f} rad/s: turns back after {found[-1]:9.4f} s, Garcia "
            f"and Hubbard {expected[-1]:9.4f} s"
        )
    (line,) = right.loglog(
        spins,
        expected,
        label="−, by the law" if coupling > 0 else "+, by the law",
    )
    right.loglog(spins, found, "o", color=line.get_color())
left.set(xlabel="time [s]", ylabel="spin [rad/s]")
right.set(xlabel="spin at first [rad/s]", ylabel="time [s]")
legend(left)
legend(right)
plt.show()
