"""How fast the viewer's page plays where only software draws: frames a second and CPU time a frame, 1280 × 800.

    PYTHONPATH=src python benchmarks/viewer.py [--seconds 5] [page.html …]

A headless Chromium draws through SwiftShader. The page chooses how many pixels it draws while it plays so that frames come
often enough; the number of them for one of the screen, each way, is told too. CPU time counts all of the browser's
processes, and says more than frames where others use the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import zeromass as zm
from report.chromium import MISSING, Browser, browser, executable


def pages(folder: Path) -> Iterator[Path]:
    """The shell on the dimpled bowl, and two masses on rods."""
    body = zm.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0))
    yield zm.simulate(rolling, start, until=60.0).view(folder / "shell.html")
    a, b = (zm.Particle(name, mass=1.0) for name in "ab")
    d = b.position - a.position
    rods = zm.System([a, b], gravity=9.81, constraints={"upper": a.position @ a.position - 1, "lower": d @ d - 1})
    given = {a.position[0]: 1.0, a.position[1]: 0.0, b.position[0]: 1.0, b.position[1]: 1.0, b.position[2]: 0.0}
    yield zm.simulate(rods, rods.start(given), until=60.0).view(folder / "rods.html")


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
    with tempfile.TemporaryDirectory() as folder:
        for page in asked.page or pages(Path(folder)):
            with browser(chromium) as view:
                print(measured(view, page, asked.seconds), flush=True)
