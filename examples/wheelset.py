"""
A wheelset on rails
===================

Two conical wheels on one axle, on two round rails. Where it is off the middle one wheel is larger than the other, steers it
back, and it weaves from side to side: over 2π √(r s/γ) for wheels of radius r, 2 s apart, with a slope γ (Klingel, 1883).
Each contact is a point without mass on rail and wheel; one of the rows of rolling follows from the others.
"""

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

r, s, ρ, speed = 0.5, 0.75, 0.3, 10.0
γ = zm.parameter("slope", 0.05)
S, depth = (
    s + ρ * np.sin(np.arctan(γ)),
    ρ * np.cos(np.arctan(γ)),
)  # the middle of a rail head
axle = zm.RigidBody("wheelset", 1200.0, (600.0, 100.0, 600.0), at=(0, 0, r))
wheels = []
for side, name in ((1, "left"), (-1, "right")):
    rail = zm.Surface(
        lambda X, Y, Z: (Y**2 + Z**2 - ρ**2) / (2 * ρ),
        shift=(0, side * S, -depth),
        name=f"{name} rail",
    )
    cone = lambda y, side=side: r - side * γ * y  # noqa: E731
    given = {
        "profile": cone,
        "center": (0, side * s, 0),
        "axis": (0, 1, 0),
        "name": name,
        "two_sided": True,
    }
    wheels.append(zm.joints.WheelOnSurface(zm.Ground(), axle, rail, **given))
system = zm.System([axle], gravity=9.81, joints=wheels)
x, y, z = axle.position


def weaving(aside, slope=0.05):
    """A run that begins off the middle, and its wavelength."""
    given = {x: 0, y: aside, axle.rotation[0, 1]: 0, axle.velocity[0]: speed}
    start, middle = (
        system.start(given, parameters={γ: slope}),
        zm.Event("middle", y, terminal=False),
    )
    run = zm.simulate(
        system,
        start,
        until=2.6 * np.pi * np.sqrt(r * s / slope) / speed,
        events=middle,
        rtol=1e-11,
    )
    return run, 2 * np.diff(run.at([event.t for event in run.events])[x]).mean()


left, right = axes(
    1, 2, size=(10, 4), titles=["Way of the axle", "Wavelength over Klingel's"]
)
for aside in (1e-4, 0.02, 0.05):
    run, length = weaving(aside)
    print(
        f"{1e3 * aside:5.1f} mm off: {length:.4f} m, energy kept to "
        f"{np.ptp(run[system.energy]) / run[system.energy][0]:.0e}"
    )
    dense = run.at(np.linspace(0, run.t[-1], 500))
    left.plot(dense[x], 1e3 * dense[y], lw=0.9)
slopes, ratios = np.geomspace(0.01, 0.3, 7), []
for slope in slopes:
    klingel = 2 * np.pi * np.sqrt(r * s / slope)
    exact = klingel / np.sqrt(
        1 + ρ * np.sin(np.arctan(slope)) / s
    )  # small motions on round rails
    ratios.append(weaving(1e-4, slope)[1] / klingel)
    print(
        f"slope {slope:.4f}: {ratios[-1] * klingel:.6f} m, exact {exact:.6f} "
        f"m, Klingel {klingel:.6f} m"
    )
left.set(xlabel="along the rails [m]", ylabel="off the middle [mm]")
right.plot(slopes, ratios, "o", label="computed")
right.plot(
    slopes,
    1 / np.sqrt(1 + ρ * np.sin(np.arctan(slopes)) / s),
    label=r"$1/\sqrt{1 + \varrho\,\sin\alpha/s}$",
)
right.set(
    xlabel=r"slope of the wheels, $\tan\alpha$",
    ylabel="ratio",
    ylim=(0.93, 1.005),
)
legend(right)
plt.show()
