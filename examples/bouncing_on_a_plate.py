"""
Bouncing on a plate that shakes
===============================

A ball bounces on a plate z = a sin ωt. If it comes down once in each period T it leaves with g T/2 in the plate's direction,
and each impact must give back what it takes: cos ωt = g T (1 − e)/(2 a ω (1 + e)). Shaken more, two periods have two
different flights; more still, bounces die out while the plate rises, and where it falls away it throws the ball anew.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, color, legend

g, e, ω = 9.81, 0.5, 2 * np.pi * 10
T = 2 * np.pi / ω
a, phase = zm.parameter("a", 0.005), zm.parameter("phase", 0.0)
plate = zm.Surface(
    lambda X, Y: 0.0 * X,
    shift=(0, 0, a * np.sin(ω * zm.t + phase)),
    name="plate",
)
ball = zm.Particle("ball", mass=0.01)
shaken = zm.Sliding(ball, on=plate, gravity=g, restitution=e)


def bounced(amplitude, until=6.05):
    """A run that begins near to the motion of one bounce a period."""
    strikes = np.arccos(g * T * (1 - e) / (2 * amplitude * ω * (1 + e)))
    height = amplitude * np.sin(strikes) + 1e-3
    begins = shaken.start(
        position=(0, 0, height),
        velocity=(0, 0, g * T / 2 + 0.01),
        parameters={a: amplitude, phase: strikes},
    )
    return zm.simulate(shaken, begins, until=until), strikes


least = (
    g * T * (1 - e) / (2 * ω * (1 + e))
)  # below, no impact gives back what it takes
drops = (1.05, 1.5, 1.9)
plots = axes(
    3,
    1,
    size=(9, 7),
    titles=[f"a = {1000 * factor * least:.2f} mm" for factor in drops],
)
for ax, factor in zip(plots, drops, strict=True):
    run, strikes = bounced(factor * least)
    flights = np.diff(run.changes[-9:]) / T
    kinds = "flies and rides" if "sliding" in run.modes[-20:] else "flies"
    print(
        f"a = {1000 * factor * least:.3f} mm: {kinds}; last flights, in "
        "periods:",
        *np.round(flights[-4:], 6),
    )
    times = np.linspace(5.0, 6.05, 2000)
    at = run.at(times)
    ax.plot(
        times,
        1000 * factor * least * np.sin(ω * times + strikes),
        color="0.6",
        label="plate",
    )
    ax.plot(
        times, 1000 * at[ball.position[2]], color=color("ball", 1), label="ball"
    )
    ax.set(ylabel="height [mm]")
legend(plots[0])
plots[-1].set_xlabel("time [s]")
plt.show()
