"""Bodies that are pulled with the mouse: the page moves them as Python does under the same forces."""

from __future__ import annotations

import base64
import json
import re
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import zeromass as zm
from report.chromium import Browser
from zeromass.report.viewer.pull import NAMES, Pull

ARTEFACTS = Path(__file__).parents[2] / "build" / "viewer"
CTRL, SHIFT = 2, 8
gravity, mu, speed = zm.parameter("gravity", 9.81), zm.parameter("mu", 0.2), zm.parameter("speed", 2.0)


def pendulum(method: Literal["dop853", "radau"] = "dop853") -> tuple[zm.Run, list[zm.RigidBody]]:
    """Two arms on hinges; a block beside them that is welded to the ground."""
    ground, axis = zm.Ground(), (0, 1, 0)
    upper = zm.RigidBody("upper", 1.0, (0.1, 0.1, 0.01), at=(0, 0, -0.5))
    lower = zm.RigidBody("lower", 1.0, (0.1, 0.1, 0.01), at=(0, 0, -1.5))
    block = zm.RigidBody("block", 1.0, (0.1, 0.1, 0.1), at=(-1.5, 0, -1.0))
    shoulder = zm.joints.Revolute(ground, upper, at=(0, 0, 0), axis=axis)
    elbow = zm.joints.Revolute(upper, lower, at=(0, 0, -1), axis=axis)
    joints = [shoulder, elbow, zm.joints.Fixed(ground, block)]
    system = zm.System([upper, lower, block], joints=joints, gravity=gravity)
    start = system.start({shoulder.angle: 0.5, elbow.angle: 0.2})
    return zm.simulate(system, start, until=6.0, rtol=1e-11, method=method), [upper, lower, block]


def ball() -> zm.Run:
    """A ball that flies, lands and rolls."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=mu, restitution=0.5)
    thrown = ball.flying.start(center=(0, 0, 0.2), velocity=(1.0, 0, 0), angular_velocity=(0, -3, 5))
    return zm.simulate(ball, thrown, until=3.0, rtol=1e-11, method="dop853")


def globe() -> zm.Run:
    """A ball that rolls all round a globe: its contact follows from other coordinates on each side of it."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True, gravity=1.0)
    start = ball.start(contact=(0.1, 0.0), velocity=(speed, 0.0), guess=1.0)
    run = zm.simulate(ball, start, until=3.0, rtol=1e-11, method="dop853")
    assert run.statistics.repivots
    return run


def pulled_by_hand(chromium: Browser, body: int, path: list[tuple[float, float]], keys: int = CTRL) -> list[Any]:
    """Drags a body along the screen; the pulls that the page has made of that."""
    x, y = chromium.evaluate(
        f"(() => {{ const {{ camera, canvas, runs: [run] }} = window.viewer.stage;"
        f" const p = run.bodies[{body}].group.position.clone().project(camera);"
        " const { left, top, width, height } = canvas.getBoundingClientRect();"
        " return [left + (p.x + 1) / 2 * width, top + (1 - p.y) / 2 * height]; })()"
    )

    def mouse(kind: str, to: tuple[float, float]) -> None:
        held: dict[str, Any] = {"button": "left", "buttons": 1, "clickCount": 1, "modifiers": keys}
        chromium.call("Input.dispatchMouseEvent", type=kind, x=x + to[0], y=y + to[1], **held)

    slow = "(select => { select.selectedIndex = 1; select.dispatchEvent(new Event('change')); })"
    chromium.evaluate(f"{slow}(document.getElementById('speed'))")  # a tenth of the usual: busy machines have the time
    mouse("mousePressed", (0, 0))
    for to in path:
        mouse("mouseMoved", to)
        chromium.drawn()
    chromium.screenshot(ARTEFACTS / "pulled.png")
    mouse("mouseReleased", path[-1])
    chromium.wait("!window.viewer.pulled")
    return chromium.evaluate("window.viewer.living.pulls")


def in_python(run: zm.Run, system: zm.System, point: np.ndarray, pulls: list[Any]) -> np.ndarray:
    """The last state of the motion under the forces of a page, by `zm.Force` on a body of a system of its own."""
    s, c, v = (np.array([zm.parameter(f"{name}{k}", 0.0) for k in range(3)]) for name in "scv")
    k, since, lag = (zm.parameter(name, 0.0) for name in ("k", "since", "lag"))
    p = point(s)
    forced = system(zm.Force(k * (c + v * (zm.t - since) - p + lag * (v - zm.rate(p))), at=p))
    before = run.at(np.array([pulls[0]["from"]]))
    y = np.concatenate([before[run.system.coordinates][0], before[run.system.rates][0]])
    n = len(run.system.coordinates)
    for pull in pulls:
        force = {name.removeprefix("pull_"): x for name, x in pull["force"].items()}
        values = dict(zip([*s, *c, *v, since, lag], (force.get(name, 0.0) for name in NAMES), strict=True))
        values[k] = next((x for name, x in force.items() if name.startswith("stiffness")), 0.0)
        start = zm.State(forced, pull["from"], y[:n], y[n:], {**run.parameters, **values})
        with warnings.catch_warnings(action="ignore", category=zm.errors.ZeromassError):
            part = zm.simulate(forced, start, until=pull["until"], rtol=1e-11, method="dop853")
        y = part.y[-1]
    return y


WAY = [(6.0 * k, -3.0 * k) for k in range(12)]


@pytest.mark.parametrize("method", ["dop853", pytest.param("radau", marks=pytest.mark.slow)])
def test_a_body_that_is_pulled_moves_as_in_python(chromium, tmp_path, method):
    """A drag of the mouse, and the rest of the run after that: rounding and tolerance alone differ."""
    run, (_, lower, _) = pendulum(method)
    chromium.open(run.view(tmp_path / "arm.html", sliders={gravity: (1, 20)}), "paused&t=1")
    pulls = pulled_by_hand(chromium, 1, WAY)
    assert len(pulls) > 3
    assert pulls[0]["force"]["pull_stiffness_1"] > 0
    assert pulls[-1] == {"from": pytest.approx(pulls[-2]["until"]), "until": 6.0, "force": {}}
    assert chromium.evaluate("window.viewer.t") == pulls[-1]["from"]  # time goes on from where the body was let go
    end = np.array(chromium.evaluate("Array.from(window.viewer.living.last.state)"))

    def forced(force: zm.Force) -> zm.System:
        return zm.System(run.system.parts, joints=run.system.joints, gravity=gravity, forces=force)

    there = in_python(run, forced, lower.point, pulls)
    assert np.linalg.norm(run.y[-1] - there) > 0.1
    assert np.abs(end - there).max() < 1e-7  # thirty pieces at rtol 1e-11; a double pendulum swings for three seconds
    assert chromium.complaints() == []


@pytest.mark.parametrize("made", [ball, pytest.param(globe, marks=pytest.mark.slow)])
def test_a_ball_that_is_pulled_moves_as_in_python(chromium, tmp_path, made):
    """Over changes of contact modes, and of pivots."""
    run = made()
    sliders = {mu: (0.05, 0.5)} if mu in run.system.parameters else {speed: (1.9, 2.2)}
    chromium.open(run.view(tmp_path / "ball.html", sliders=sliders), "paused&t=1.5")
    pulls = pulled_by_hand(chromium, 0, [(2.0 * k, -12.0 * k) for k in range(8)], SHIFT)
    end = np.array(chromium.evaluate("Array.from(window.viewer.living.last.state)"))
    shell = run.system.parts[0]

    def forced(force: zm.Force) -> zm.System:
        one = zm.parameter("one", 1.0)
        return zm.control.with_feedback(run.system, {one: 1.0}, {one: force.generalized(run.system.coordinates)})

    there = in_python(run, forced, shell.point, pulls)
    assert np.linalg.norm(run.y[-1] - there) > 0.1
    assert np.abs(end - there).max() < 1e-7
    assert chromium.complaints() == []


def test_unpulled_motions_keep_their_bits(tmp_path):
    """Forces of pulls are in modules of their own: the other modules are those that `zm.export.wasm` makes."""
    run, _ = pendulum()
    text = run.view(tmp_path / "arm.html", sliders={gravity: (1, 20)}).read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    living = json.loads(found[1])["living"]
    [module], [other] = ([base64.b64decode(one) for one in some["modules"]] for some in (living, living["pull"]))
    assert b"pull_" not in module
    assert b"pull_stiffness_1" in other


def test_what_can_not_be_pulled_is_said(chromium, tmp_path):
    """A block that is welded to the ground; bodies of a large system."""
    run, _ = pendulum()
    chromium.open(run.view(tmp_path / "arm.html", sliders={gravity: (1, 20)}), "paused&t=1")
    assert pulled_by_hand(chromium, 2, WAY[:2]) == []
    assert "block can not be pulled: constraints" in chromium.evaluate("document.getElementById('notice').textContent")
    dust = [zm.Particle(f"grain {k}", 1.0) for k in range(43)]
    falls = zm.System(dust, gravity=gravity)
    assert "large" in (Pull(falls.start({dust[0].position[0]: 1.0}), []).why or "")
    fixed = zm.System([dust[0]], gravity=gravity, constraints={"nail": dust[0].position})
    assert "no body" in (Pull(fixed.start(), [(*dust[0].position,)]).why or "")


def test_the_effective_mass_is_that_of_the_body_in_its_joints():
    """Of a particle its mass; of the tip of a rod on a hinge 3 J/l² in one direction of three, so three times J/l²."""
    bob = zm.Particle("bob", mass=2.5)
    free = zm.System([bob], gravity=gravity)
    assert Pull(free.start(), [(*bob.position,)]).data()["bodies"] == [["pull_stiffness_0", pytest.approx(2.5)]]
    angle = zm.coordinate("angle")
    swings = zm.System(kinetic=7.0 * zm.rate(angle) ** 2 / 2, coordinates=[angle])
    tip = np.array([2.0 * np.sin(angle), 0 * angle, -2.0 * np.cos(angle)], dtype=object)
    [[_, mass]] = Pull(swings.start({angle: 0.3}), [(*tip,)]).data()["bodies"]
    assert mass == pytest.approx(3 * 7.0 / 2.0**2)


def test_a_second_pull_goes_on_from_the_first(chromium, tmp_path):
    """The history of a pulled motion can be scrubbed, and changed from any time on; a slider forgets it."""
    run, _ = pendulum()
    chromium.open(run.view(tmp_path / "arm.html", sliders={gravity: (1, 20)}), "paused&t=1")
    slid = "window.viewer.living.set({ gravity: 5.0 }).then(({ end }) => end)"
    first = chromium.evaluate(slid)
    chromium.evaluate("document.getElementById('living-reset').click()")
    pulls = pulled_by_hand(chromium, 1, WAY)
    middle = 0.5 * (pulls[2]["from"] + pulls[2]["until"])
    shown = "Array.from(window.viewer.stage.runs[0].bodies[1].positions.values.slice(0, 3 * Math.floor(100 * {t})))"
    chromium.evaluate(f"window.viewer.seek({middle})")
    before = chromium.evaluate(shown.format(t=1.0))
    again = pulled_by_hand(chromium, 0, WAY[:4])
    assert again[:2] == pulls[:2]
    assert again[3]["from"] == middle
    assert chromium.evaluate(shown.format(t=1.0)) == before
    assert chromium.evaluate(slid) == first
    assert chromium.evaluate("window.viewer.living.pulls") == []
    assert chromium.complaints() == []


def test_what_the_camera_follows_is_not_braked(chromium, tmp_path):
    """The cursor goes along with it: a cart that is grabbed, and not pulled anywhere, rolls on as fast as it was."""
    cart = zm.RigidBody("cart", 2.0, (0.1, 0.2, 0.25))
    rail = zm.joints.Prismatic(zm.Ground(), cart, axis=(1, 0, 0))
    system = zm.System([cart], gravity=gravity, joints=[rail])
    run = zm.simulate(system, system.start({rail.displacement: 0.0, rail.rate: 2.0}), until=4.0, method="dop853")
    path = run.view(tmp_path / "cart.html", sliders={gravity: (1, 20)})
    speeds = []
    for follows in ("&follow=0", "&overview"):
        chromium.open(path, f"paused&t=1{follows}")
        assert len(pulled_by_hand(chromium, 0, [(0.0, 0.0)] * 6)) > 2
        n = len(system.coordinates)
        speeds.append(chromium.evaluate(f"window.viewer.living.last.state[{n + system.index(rail.displacement)}]"))
    assert speeds[0] == pytest.approx(2.0, abs=0.02)  # the picture has positions in single precision
    assert speeds[1] < 1.0  # a camera that stands holds it
