"""The first run in a process without kept machine code: kernels that a motion does not need are not compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

PROGRAM = """
    import zeromass as zm
    from zeromass.kernel import compiled

    written, made = compiled.text_of, []

    def text_of(*kernels, **given):
        made.extend(kernel.name for kernel in kernels)
        return written(*kernels, **given)

    compiled.text_of = text_of
    ball = zm.RigidBody("ball", 1.0, (0.004,) * 3)
    contact = zm.Contact(ball, zm.shapes.sphere(0.1), zm.surfaces.plane(), friction=0.3, restitution=0.8)
    system = zm.System([ball], gravity=10.0, contacts=[contact])
    start = {**dict(zip(ball.position, (0, 0, 0.11))), **dict.fromkeys((*ball.velocity, *ball.angular_velocity), 0.0)}
    run = zm.simulate(system, system.start(start), until=0.1)
    assert len(run.impulses) >= 1
    print(*sorted(made))
    """


def test_a_bouncing_ball_needs_no_more_than_the_driver_modes_and_contacts():
    env = {**os.environ, "ZEROMASS_CACHE": "off"}
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    made = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()
    looks = ["functions_at", "functions_in_piece", "select_in_piece"]
    assert made == sorted(["begin_modes", "drive", "select_modes", "settle_contacts", *looks])
