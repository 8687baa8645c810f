"""
A quadruped stands and trots
============================

A robot from a URDF file with four legs of three joints. The collision shapes of its feet become contacts with the floor.
Springs and dampers in the joints make it stand and then trot, diagonal legs in step. Every foot opens, sticks, slips and
strikes as Coulomb's law and a restitution of 0.1 say; changes are located to rounding, and nothing sinks into the floor.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

LINK = """<link name="{}"><inertial><origin xyz="0 0 {}"/><mass value="{}"/>
<inertia ixx="{}" iyy="{}" izz="{}"/></inertial>
{}</link>"""
HINGE = """<joint name="{}" type="continuous">
<parent link="{}"/><child link="{}"/>
<origin xyz="{}"/><axis xyz="{}"/></joint>"""
FOOT = """<collision><origin xyz="0 0 -0.2"/>
<geometry><sphere radius="0.02"/></geometry></collision>"""

parts = [LINK.format("trunk", 0, 6, 0.02, 0.06, 0.07, "")]
for k, (x, side) in enumerate([(0.2, 1), (0.2, -1), (-0.2, 1), (-0.2, -1)]):
    parts += [
        LINK.format(f"hip {k}", 0, 0.5, 5e-4, 5e-4, 5e-4, ""),
        LINK.format(f"thigh {k}", -0.1, 0.6, 3e-3, 3e-3, 3e-4, ""),
        LINK.format(f"shank {k}", -0.1, 0.2, 1e-3, 1e-3, 1e-4, FOOT),
        HINGE.format(
            f"abduction {k}",
            "trunk",
            f"hip {k}",
            f"{x} {0.1 * side} 0",
            "1 0 0",
        ),
        HINGE.format(
            f"pitch {k}",
            f"hip {k}",
            f"thigh {k}",
            f"0 {0.05 * side} 0",
            "0 1 0",
        ),
        HINGE.format(
            f"knee {k}", f"thigh {k}", f"shank {k}", "0 0 -0.2", "0 1 0"
        ),
    ]
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "quadruped.urdf"
    file.write_text(f'<robot name="quadruped">{"".join(parts)}</robot>')
    robot = zm.from_urdf(file, base="free")

# %%
# Where each joint is held: at rest, or as in a trot of two steps a second.

OMEGA, STANDS, END = 4 * np.pi, 0.5, 2.5
trots = zm.t > STANDS
motors, first = [], []
for k in range(4):
    phase = OMEGA * (zm.t - STANDS) + (0.0 if k in (0, 3) else np.pi)
    lift = zm.where(trots, np.maximum(np.sin(phase), 0.0), 0.0)
    swing = zm.where(trots, 0.1 * np.cos(phase), 0.0)
    for name, rest, angle in (
        ("abduction", 0.0, 0.0),
        ("pitch", 0.7, swing - 0.3 * lift),
        ("knee", -1.4, -0.5 * lift),
    ):
        joint = robot.joints[f"{name} {k}"]
        motors.append(
            joint.motor(120 * (rest + angle - joint.angle) - 3 * joint.rate)
        )
        first.append((joint.angle, rest))

contacts = zm.shapes.collision_contacts(
    robot, zm.surfaces.plane(), friction=0.7, restitution=0.1
)
system = robot.system(forces=motors, contacts=contacts)
trunk = robot.links["trunk"]
start = system.start(
    [
        (trunk.position, (0, 0, 0.34)),
        (trunk.velocity, 0.0),
        (trunk.angular_velocity, 0.0),
        *first,
    ]
)
run = zm.simulate(system, start, until=END, rtol=1e-7, atol=1e-9)
print(
    f"{len(run.impacts)} impacts; the trunk comes "
    f"{run[trunk.position][-1][0]:.2f} m forward"
)
print(
    "deepest below the floor: "
    f"{max(-run.minimum(one.gap).value for one in contacts):.1e} m"
)

# %%
# The trunk on its way, and when the feet are on the floor.

way, feet = axes(2, 1, size=(9, 5), heights=[2, 1])
times = np.linspace(0, END, 1200)
place = run.at(times)[trunk.position]
for values, words in zip(
    place.T, ("forward", "to the side", "height"), strict=True
):
    way.plot(times, values, label=words)
legend(way)
way.set(ylabel="trunk [m]")
for k in range(4):
    foot = run.contacts[f"shank {k}"]
    for mode, color in (("sticks", "C0"), ("slips", "C1")):
        feet.fill_between(
            run.t,
            k,
            k + 0.8,
            where=foot.mode == mode,
            color=color,
            lw=0,
            label=mode if k == 0 else None,
        )
feet.set(
    yticks=np.arange(4) + 0.4,
    yticklabels=[f"foot {k}" for k in range(4)],
    xlabel="time [s]",
    ylim=(-0.2, 4),
)
legend(feet)
plt.show()
