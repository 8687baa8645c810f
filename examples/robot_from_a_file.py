"""
A robot from a file, held by a digital controller
=================================================

Descriptions of robots, URDF or MuJoCo's MJCF, are read as they are: links, joints, inertias from shapes, motors. This arm of
three joints goes to a posture and stays there, though its controller knows the angles only a hundred times a second: gravity
is balanced by what `zm.analysis.inverse_dynamics` would say of rest, and a spring and damper in software do the rest.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zeromass as zm
from zeromass.plot import axes, legend

ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <default>
    <geom type="capsule" size="0.03" density="700"/>
    <joint axis="0 1 0" damping="0.5" armature="0.05"/>
  </default>
  <worldbody>
    <body name="column" pos="0 0 0.4">
      <geom type="cylinder" size="0.05 0.2" pos="0 0 -0.2"/>
      <joint name="turn" axis="0 0 1"/>
      <body name="upper arm">
        <joint name="shoulder"/><geom fromto="0 0 0 0 0 0.4"/>
        <body name="forearm" pos="0 0 0.4">
          <joint name="elbow"/><geom fromto="0 0 0 0 0 0.35"/>
          <geom type="sphere" size="0.05" pos="0 0 0.38" mass="1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="turn"/>
    <motor name="m2" joint="shoulder"/>
    <motor name="m3" joint="elbow"/>
  </actuator>
</mujoco>
"""

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "arm.xml"
    file.write_text(ARM)
    robot = zm.from_mjcf(file)
system = robot.system()
angles = np.array([joint.angle for joint in robot.joints.values()])
weight = zm.expression.gradient(system.potential, angles)  # balances gravity

wanted, kp, kd = (
    np.array([1.2, 0.9, 0.7]),
    np.array([40.0, 60.0, 30.0]),
    np.array([8.0, 10.0, 5.0]),
)
torque = weight + kp * (wanted - angles) - kd * zm.rate(angles)
law = dict(zip(robot.inputs.values(), torque, strict=True))
run = zm.control.sampled(
    system, system.start({angles[1]: 0.1}), law, every=0.01, until=3.0
)
left = np.abs(run[angles][-1] - wanted).max()
print(
    f"{len(run.events)} samples; after 3 s the joints are off by "
    f"{np.rad2deg(left):.3f}°"
)
print(f"{run.certificate().digits:.1f} digits hold")

# %%
# The arm on its way, and the torques that the controller set.

space, ax = axes(1, 2, size=(10, 4.2), space=[0])
shoulder, elbow = (
    robot.links["upper arm"].frame.origin,
    robot.links["forearm"].frame.origin,
)
hand = robot.links["forearm"].at_frame((0, 0, 0.38))
for t in np.linspace(0, 1.5, 9):
    now = run.at(t)
    line = np.array(
        [(0, 0, 0), *[now[place][0] for place in (shoulder, elbow, hand)]]
    )
    space.plot(*line.T, "o-", color=plt.cm.viridis(t / 1.5), ms=3)
space.plot(*run[hand].T, color="0.6", lw=0.8)
space.set(
    xlim=(-0.5, 0.5),
    ylim=(-0.5, 0.5),
    zlim=(0, 1.2),
    xlabel="X [m]",
    ylabel="Y [m]",
    zlabel="Z [m]",
)
space.set_box_aspect((1, 1, 1.2))
times = np.linspace(0, 1.5, 1500)
for name, u in robot.inputs.items():
    ax.plot(
        times,
        run.at(times)[u],
        label=f"{name}, {list(robot.joints)[int(name[1]) - 1]}",
    )
ax.set(xlabel="time [s]", ylabel="torque [N m]")
legend(ax)
plt.show()
