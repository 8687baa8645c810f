"""How fast the viewer's page plays where only software draws, and how soon a page that is alive has its motion.

    PYTHONPATH=src python benchmarks/viewer.py [--seconds 5] [page.html …]

Frames a second and CPU time a frame, 1280 × 800: a headless Chromium draws through SwiftShader. The page chooses how many
pixels it draws while it plays so that frames come often enough; the number of them for one of the screen, each way, is told
too. CPU time counts all of the browser's processes, and says more than frames where others use the machine.

Motions: ms from a slider to the motion, of code of WebAssembly; in Node CPU time, the shortest of several, in Chromium what
the page itself says. A hand on a slider feels no delay below 50 ms. Times hold for the machine that is named first.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np

import zeromass as zm
from integrate import node
from report.chromium import MISSING, Browser, browser, executable
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced

vx, vy, F, μ, v = (zm.parameter(name, x) for name, x in (("vx", 1.5), ("vy", 1.0), ("F", 0.5), ("mu", 0.2), ("v", 1.0)))
TIGHT: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-16}
ROUNDS = 20
"""Of each motion in Node; the shortest counts."""


def machine() -> str:
    """The processor, and how many of its cores this process may use."""
    place = Path("/proc/cpuinfo")
    lines = place.read_text().splitlines() if place.exists() else []
    name = next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name or platform.machine()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def pages(folder: Path) -> Iterator[Path]:
    """The shell on the dimpled bowl, and two masses on rods."""
    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0))
    yield zm.simulate(rolling, start, until=60.0).view(folder / "shell.html")
    a, b = (zm.Particle(name, mass=1.0) for name in "ab")
    d = b.position - a.position
    rods = zm.System([a, b], gravity=9.81, constraints={"upper": a.position @ a.position - 1, "lower": d @ d - 1})
    given = {a.position[0]: 1.0, a.position[1]: 0.0, b.position[0]: 1.0, b.position[1]: 1.0, b.position[2]: 0.0}
    yield zm.simulate(rods, rods.start(given), until=60.0).view(folder / "rods.html")


# motions ------------------------------------------------------------------------------------------------------------
def shell() -> zm.State:
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    rolling = zm.Rolling(
        zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490)), on=bowl, gravity=9.81
    )
    return rolling.start(contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.0, orientation=(1, 0, 0, 0))


def block() -> zm.State:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=5 * x**2, forces={x: -F * np.sign(zm.rate(x))})
    return system.start({x: 1.0})


def slipping_ball() -> zm.State:
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=μ)
    body, centre = ball.body, ball.center_particle
    prescribed = [(ball.contact, 0.0), (centre.velocity, (v, 0, 0)), (body.angular_velocity, 0.0)]
    return ball.slipping.start([*prescribed, (body.quaternion, (1, 0, 0, 0))])


def motions(folder: Path) -> Iterator[tuple[str, float]]:
    """ms of motions in Node: of one module, over switches, and through kinds of motion."""
    start, until = shell(), {"values": {}, "repeat": ROUNDS}
    module = zm.export.wasm(zm.compile(start.system, start), start)
    (found,), _ = node.in_node(module, [until | {"until": 25.0, "rtol": 1e-9, "atol": 1e-12}], folder)
    yield f"25 s of the shell at rtol 1e-9 ({len(module) / 1e3:.0f} kB)", found["milliseconds"]
    start, settings = block(), Settings(**TIGHT, method="dop853")
    shown = (*start.system.coordinates, *start.system.rates)
    (found,) = node.over_switches(
        Pieced(start, (), shown, 6.0, settings, (F,)), [until | {"until": 6.0, **TIGHT}], folder
    )
    yield "6 s of a block with dry friction at rtol 1e-13", found["milliseconds"]
    start = slipping_ball()
    shown = (*start.system.coordinates, *start.system.rates)
    motion = Pieced(start, tuple(start.system.events), shown, 1.0, settings, (μ, v))
    (found,) = node.over_switches(motion, [until | {"until": 1.0, **TIGHT}], folder)
    yield "1 s of a ball that slips and rolls at rtol 1e-13", found["milliseconds"]


def dragged(view: Browser, folder: Path) -> tuple[str, list[float]]:
    """ms of motions of the shell in a page, while a slider is moved."""
    start = shell()
    run = zm.simulate(start.system, start, until=25.0, rtol=1e-9, atol=1e-12, method="dop853")
    view.open(run.view(folder / "living.html", sliders={vx: (0.5, 2.5), vy: (0.5, 2.5)}), "paused")
    each = [
        view.evaluate(f"viewer.living.set({{vx: {x}}})")["milliseconds"] for x in np.linspace(0.6, 2.4, 12).tolist()
    ]
    return "25 s of the shell at rtol 1e-9", each


# frames -------------------------------------------------------------------------------------------------------------
def cpu_seconds(root: int) -> float:
    """CPU time of all processes below one, from /proc."""
    children: dict[int, list[tuple[int, int]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append((int(entry.name), int(fields[11]) + int(fields[12])))

    def below(process: int) -> int:
        return sum(ticks + below(child) for child, ticks in children.get(process, []))

    return below(root) / os.sysconf("SC_CLK_TCK")


def measured(view: Browser, page: Path, seconds: float) -> str:
    view.size(1280, 800)
    view.open(page)
    view.evaluate("viewer.play(true)")
    time.sleep(4.0)  # until it has chosen how many pixels it draws
    frames, cpu, begin = view.evaluate("viewer.frames"), cpu_seconds(os.getpid()), time.monotonic()
    time.sleep(seconds)
    frames = view.evaluate("viewer.frames") - frames
    each = 1000 * (cpu_seconds(os.getpid()) - cpu) / max(frames, 1)
    rate = frames / (time.monotonic() - begin)
    return f"{page.stem:12} {rate:5.1f} frames/s {each:6.0f} ms CPU a frame, {view.evaluate('viewer.ratio'):.2f} pixels"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("page", nargs="*", type=Path)
    asked = parser.parse_args()
    chromium = executable()
    if chromium is None:
        sys.exit(MISSING)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        for page in asked.page or pages(Path(folder)):
            with browser(chromium) as view:
                print(measured(view, page, asked.seconds), flush=True)
        if not asked.page:
            for name, ms in motions(Path(folder)) if node.node() else ():
                print(f"{name}: {ms:.1f} ms in Node", flush=True)
            with browser(chromium) as view:
                name, each = dragged(view, Path(folder))
                print(f"{name}: {min(each):.1f} … {max(each):.1f} ms in Chromium")
