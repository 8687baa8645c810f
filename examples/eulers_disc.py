"""
Euler's disc
============

A coin on the table that spins down. While its centre rests, it goes round at Ω² = 4 g/(R sin α), the faster the flatter it
lies, with the energy 3/2 m g R sin α. What it loses ends the motion in a finite time, with Ω going to infinity, and how α
goes to zero tells what the loss is like. It turns along the table at Ω sin α cos α and along its rim at Ω cos α, so that

    rolling resistance, a torque l N:            d√α/dt = −2 l/(3 R) √(g/R),        α ~ (t₁ − t)²
    dry loss M along the rim (Leine, 2009):      dα³ᐟ²/dt = −2 M/(m g R) √(g/R),    α ~ (t₁ − t)²ᐟ³

This is for a centre at rest; the coin begins to roll a little, and is off by less than a hundredth.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

m, R, g = 0.44, 0.0375, 9.81  # kg, m, m/s²
up = np.array([0, 0, 1])


def started(coin, tilt):
    s, c = np.sin(tilt), np.cos(tilt)
    around = np.sqrt(4 * g / (R * s))
    turn, ω = (
        (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0),
        around * (up - c * np.array([0, -s, c])),
    )
    return coin.start(
        [
            (coin.contact[:2], (0, 0)),
            (coin.body.quaternion, turn),
            (coin.body.angular_velocity, ω),
        ]
    )


free = zm.Rolling(zm.bodies.disc(R, m), on=zm.surfaces.plane(), gravity=g)
for degrees in (20.0, 5.0, 0.1):
    run = zm.simulate(
        free, started(free, np.radians(degrees)), until=1.0, rtol=1e-12
    )
    moved = np.ptp(run[free.center], axis=0).max()
    off = (
        run[free.energy][0] / (1.5 * m * g * R * np.sin(np.radians(degrees)))
        - 1
    )
    print(
        f"at {degrees:4.1f}° the centre moves by {moved:.0e} m; the energy is "
        f"off 3/2 m g R sin α by {off:.0e}"
    )

# %%
# With rolling resistance, and with a loss at the rim, from 10°: a power of α falls evenly.

l, M = 1e-4, 2e-5  # m, N m


def along_the_rim(rolling):
    """Moment of the power −M γ̇, with γ̇ = −ω·(k + cot α d) of the contact."""
    k = rolling.body.rotate((0, 0, 1))
    sine = np.sqrt(1 - k[2] ** 2)
    return zm.Torque(
        M * (k + k[2] / sine * (k[2] * k - up) / sine), on=rolling.body
    )


losses = {
    "rolling resistance": (
        {"rolling_resistance": l},
        1 / 2,
        2 * l / (3 * R) * np.sqrt(g / R),
        6e-4,
    ),
    "dry loss at the rim": (  # in the end the loss of one round is not small
        {"forces": along_the_rim, "two_sided": True},
        3 / 2,
        2 * M / (m * g * R) * np.sqrt(g / R),
        6e-3,
    ),
}
left, right = axes(1, 2, size=(10, 4), titles=["Tilt", "Round the table"])
for name, (given, power, speed, last) in losses.items():
    coin = zm.Rolling(
        zm.bodies.disc(R, m), on=zm.surfaces.plane(), gravity=g, **given
    )
    run = zm.simulate(
        coin,
        started(coin, np.radians(10.0)),
        until=20.0,
        rtol=1e-10,
        atol=1e-13,
    )
    α = np.arcsin(np.sqrt(1 - run[coin.body.rotation[2, 2]] ** 2))
    late = (α < 0.06) & (α > last)
    rate, rest = np.polyfit(run.t[late], α[late] ** power, 1)
    end = -rest / rate
    exponent = np.polyfit(np.log(end - run.t[late]), np.log(α[late]), 1)[0]
    print(
        f"{name}: ends at {end:.4f} s with the exponent {exponent:.4f}, by "
        f"the law {1 / power:.4f};"
    )
    print(
        f"    α to the power {power} falls at {-rate:.5e} 1/s, by the law "
        f"{speed:.5e} 1/s"
    )
    left.plot(run.t, np.degrees(α), label=name)
    seen = (α > last / 6) & (run.t < end)
    right.loglog(
        end - run.t[seen], np.sqrt(4 * g / (R * np.sin(α[seen]))) / (2 * np.pi)
    )
left.set(xlabel="time [s]", ylabel="tilt [°]")
right.set(xlabel="time to the end [s]", ylabel="rounds a second")
legend(left)
plt.show()
