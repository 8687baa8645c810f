"""
Euler's disc
============

A coin on the table that spins down. While its centre rests, it goes round at Ω² = 4 g/(R sin α), the faster the flatter it
lies, with the energy 3/2 m g R sin α. What its rim loses as the contact goes along it, a constant moment M, ends the motion
in a finite time, with Ω going to infinity: α³ᐟ² falls evenly, so that α ~ (t₁ − t)²ᐟ³ (Leine, 2009, for dry friction). That
is for a centre at rest; the coin begins to roll a little, and is faster by less than a hundredth.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.report import axes

m, R, g, M = 0.44, 0.0375, 9.81, 2e-5  # kg, m, m/s², N m
up = np.array([0, 0, 1])


def along_the_rim(rolling):
    """The moment whose power is −M γ̇, with γ̇ = −ω·(k + cot α d) that of the contact along the rim, d down to it."""
    k = rolling.body.rotate((0, 0, 1))
    sine = np.sqrt(1 - k[2] ** 2)
    return zm.Torque(M * (k + k[2] / sine * (k[2] * k - up) / sine), on=rolling.body)


def started(coin, tilt):
    s, c = np.sin(tilt), np.cos(tilt)
    around = np.sqrt(4 * g / (R * s))
    turn, ω = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0), around * (up - c * np.array([0, -s, c]))
    return coin.start([(coin.contact[:2], (0, 0)), (coin.body.quaternion, turn), (coin.body.angular_velocity, ω)])


free = zm.Rolling(zm.disc(R, m), on=zm.surfaces.plane(), gravity=g)
for degrees in (20.0, 5.0, 0.1):
    run = zm.simulate(free, started(free, np.radians(degrees)), until=1.0, rtol=1e-12)
    moved = np.ptp(run[free.center], axis=0).max()
    off = run[free.energy][0] / (1.5 * m * g * R * np.sin(np.radians(degrees))) - 1
    print(f"at {degrees:4.1f}° the centre moves by {moved:.0e} m; the energy is off 3/2 m g R sin α by {off:.0e}")

# %%
# With the loss at the rim, from 10°.

coin = zm.Rolling(zm.disc(R, m), on=zm.surfaces.plane(), gravity=g, forces=along_the_rim, two_sided=True)
run = zm.simulate(coin, started(coin, np.radians(10.0)), until=20.0, rtol=1e-10, atol=1e-13)
α = np.arcsin(np.sqrt(1 - run[coin.body.rotation[2, 2]] ** 2))
late = (α < 0.06) & (α > 6e-3)  # later the loss in one round is no longer small
rate, end = np.polyfit(run.t[late], α[late] ** 1.5, 1)
exponent = np.polyfit(np.log(-end / rate - run.t[late]), np.log(α[late]), 1)[0]
print(
    f"it lies flat at {run.t[-1]:.4f} s, by the law at {-end / rate:.4f} s; exponent {exponent:.5f}, by the law 0.66667"
)
print(f"α³ᐟ² falls at {-rate:.5e} 1/s, by the law {2 * M / (m * g * R) * np.sqrt(g / R):.5e} 1/s")
left, right = axes(1, 2, size=(10, 4), titles=["Tilt", "Round the table"])
left.plot(run.t, np.degrees(α))
left.set(xlabel="time [s]", ylabel="[°]")
right.loglog(-end / rate - run.t[α > 1e-3], np.sqrt(4 * g / (R * np.sin(α[α > 1e-3]))) / (2 * np.pi))
right.set(xlabel="time to the end [s]", ylabel="rounds a second")
plt.show()
