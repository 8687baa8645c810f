"""MuJoCo on a ball that rolls down a slope and a coin that rolls in a circle: contacts as hard as its step allows."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from peers.contact_cases import ALPHA, BALL, COIN, END, Case, g

SCENE = """
<mujoco>
  <option timestep="{h}" gravity="{gx} 0 {gz}" integrator="{integrator}" cone="elliptic" impratio="100" tolerance="1e-14"
          iterations="200"/>
  <default><geom solref="{soft} 1" solimp="0.99 0.9999 1e-4" friction="2 0 0" condim="3"/></default>
  <worldbody>
    <geom type="plane" size="50 50 1"/>
    <body name="body" pos="{place}" quat="{turn}">
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
      {geom}
    </body>
  </worldbody>
</mujoco>
"""
STEPS = (4e-3, 1e-3, 2.5e-4, 6.25e-5)


def words(values) -> str:
    return " ".join(f"{x:.17g}" for x in np.atleast_1d(values))


def cases() -> list[tuple[Case, str, float, float]]:
    """Case, setting, CPU seconds, error in m at the end."""
    found = []
    for case, geom, tilt in (
        (BALL, f'<geom type="sphere" size="{BALL.radius}"/>', ALPHA),
        (COIN, f'<geom type="cylinder" size="{COIN.radius} 1e-5"/>', 0.0),
    ):
        for h in STEPS:
            xml = SCENE.format(
                h=h,
                soft=2 * h,
                integrator="implicitfast",
                gx=g * np.sin(tilt),
                gz=-g * np.cos(tilt),
                place=words(case.place),
                turn=words(case.turn),
                mass=case.mass,
                inertia=words(case.inertia),
                geom=geom,
            )
            model = mujoco.MjModel.from_xml_string(xml)
            data = mujoco.MjData(model)
            data.qvel[:3] = case.velocity
            data.qvel[3:] = case.spin_body
            steps = round(END / h)
            begin = time.process_time()
            mujoco.mj_step(model, data, steps)
            spent = time.process_time() - begin
            found.append((case, f"h = {h:.2g} s", spent, float(np.linalg.norm(data.qpos[:2] - case.end[:2]))))
    return found
