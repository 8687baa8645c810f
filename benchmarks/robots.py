"""Robots of many links: seconds from a URDF file to a first result, each size in a process of its own.

    PYTHONPATH=src python benchmarks/robots.py [--links 100 300 1000 3000] [--coordinates joints]

A chain of links, each turning about the axis across the one before. Times are CPU seconds without imports: reading and
building, and the start with the first steps. Machine code of an earlier process is used where there is some.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINK = """<link name="l{i}"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{i}" type="continuous"><parent link="{parent}"/><child link="l{i}"/><origin xyz="0 0 {down}"/>
<axis xyz="{x} {y} 0"/></joint>"""


def chain(count: int) -> str:
    """The file of so many links."""
    links = [
        LINK.format(i=i, parent=f"l{i - 1}" if i else "base", down=-0.2 if i else 0, x=i % 2, y=1 - i % 2)
        for i in range(count)
    ]
    return f'<robot name="chain"><link name="base"/>{"".join(links)}</robot>'


def measured(count: int, coordinates: str | None) -> dict[str, float]:
    import zeromass as zm

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.urdf"
        path.write_text(chain(count), encoding="utf-8")
        begin = time.process_time()
        robot = zm.from_urdf(path, coordinates=coordinates)  # type: ignore[arg-type]
        system = robot.system()
        built = time.process_time()
        start = system.start({robot.joints["j0"].angle: 0.3})
        run = zm.simulate(system, start, until=1e-3)
        assert run.outcome.complete, run.outcome
        return {"built": built - begin, "first": time.process_time() - built, "coordinates": len(system.coordinates)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--links", type=int, nargs="+", default=[100, 300, 1000, 3000])
    parser.add_argument("--coordinates", choices=["joints", "bodies"])
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(measured(given.links[0], given.coordinates)))
        return
    for count in given.links:
        more = ["--coordinates", given.coordinates] if given.coordinates else []
        words = [sys.executable, __file__, "--alone", "--links", str(count), *more]
        found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        print(f"{count:6d} links, {found['coordinates']:6.0f} coordinates:", end=" ")
        print(f"reading and building {found['built']:6.2f} s, start and first steps {found['first']:6.2f} s")


if __name__ == "__main__":
    main()
