"""The walk drawn in CONTRIBUTING.md is the way that the ten lines of the README really take."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "zeromass"
MOST_FILES, MOST_AT_FIRST = 45, 55
"""Files that `simulate` may lead through, those with a function that it calls: who follows it has to keep them in mind. More
at the very first time on a machine, when the loop over steps and the elementary functions are written as machine code.
Tables that a module makes when it is imported do not count."""

FOLLOWED = """
import inspect, json, sys
from pathlib import Path

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot, numpy, zeromass

source = Path(zeromass.__file__).parent
lines, drawn = json.load(sys.stdin)
drawn = {(str(source / file), name) for name, file in drawn}
walk = []
for line in lines:
    calls, under, files, importing = [], [], set(), 0

    def follow(frame, event, _):
        global importing
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(str(source)):
            return
        # what runs because a module is imported, its body and what that calls, is no part of the walk
        imports = code.co_name == "<module>" or code.co_filename == str(source / "lazy.py")
        importing += imports * (1 if event == "call" else -1)
        if importing == 0 and not imports and code.co_flags & inspect.CO_OPTIMIZED:
            files.add(code.co_filename)
        if (code.co_filename, code.co_qualname) in drawn:
            if event == "call":
                calls.append([code.co_qualname, Path(code.co_filename).relative_to(source).as_posix(), list(under)])
                under.append(len(calls) - 1)
            else:
                under.pop()

    code = compile(line, "README.md", "exec")
    sys.setprofile(follow)
    exec(code, globals())
    sys.setprofile(None)
    walk.append({"calls": calls, "files": sorted(Path(file).relative_to(source).as_posix() for file in files)})
print(json.dumps(walk))
"""


@dataclass(frozen=True)
class Place:
    """A function in the drawing: its name and file, and how far it is indented."""

    name: str
    file: str
    depth: int


def ten_lines() -> list[str]:
    """The first program of the README, statement by statement; its imports as one."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert match
    imports, rest = match.group(1).split("\n\n", 1)
    return [imports, *(ast.get_source_segment(rest, node) or "" for node in ast.parse(rest).body)]


def drawing() -> dict[str, list[Place]]:
    """What is drawn below each line, by the line as it is drawn."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    match = re.search(r"^```walk\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert match
    walk: dict[str, list[Place]] = {}
    for block in match.group(1).strip().split("\n\n"):
        line, *places = block.splitlines()
        walk[line] = []
        for place in places:
            found = re.match(r"([│├└─ ]+)([\w.]+) +(\S+\.py)", place)
            assert found, f"no function and file in {place!r}"
            walk[line].append(Place(found[2], found[3], len(found[1])))
    return walk


def followed(cache: Path) -> list[dict]:
    """For each of the ten lines the drawn functions that it calls, in order, each with those that it is called by.

    It is followed in a process of its own, with the machine code that earlier ones left in a folder.
    """
    drawn = sorted({(place.name, place.file) for places in drawing().values() for place in places})
    told = subprocess.run(
        [sys.executable, "-c", FOLLOWED],
        input=json.dumps([ten_lines(), drawn]),
        env={**os.environ, "ZEROMASS_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def walk(cache) -> list[dict]:
    """Where nothing ran before."""
    return followed(cache)


def test_it_draws_the_lines_of_the_readme():
    lines = ten_lines()[1:]
    assert len(lines) == len(drawing())
    for line, drawn in zip(lines, drawing(), strict=True):
        assert line.startswith(drawn.split("…")[0]), drawn


@pytest.mark.parametrize("line", drawing())
def test_functions_are_called_as_drawn(walk, line):
    """One after the other, and each by those above it."""
    calls = walk[1 + list(drawing()).index(line)]["calls"]
    above: list[tuple[Place, int]] = []
    last = -1
    for place in drawing()[line]:
        while above and above[-1][0].depth >= place.depth:
            above.pop()
        under = above[-1][1] if above else None
        last = next(
            (
                k
                for k, (name, file, callers) in enumerate(calls)
                if k > last and (name, file) == (place.name, place.file) and (under is None or under in callers)
            ),
            None,
        )
        assert last is not None, f"{place.name} of {place.file} is not called there"
        above.append((place, last))


def test_a_run_leads_through_few_files(walk, cache):
    (k,) = [k for k, line in enumerate(ten_lines()) if "zm.simulate(" in line]
    for most, files in ((MOST_AT_FIRST, walk[k]["files"]), (MOST_FILES, followed(cache)[k]["files"])):
        print(len(files), "files with a function that is called:", *files, sep="\n  ")
        assert len(files) <= most


def test_every_room_is_listed():
    """Each package, and each file that is one by itself, has its line in the layout."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([\w/.]+)` \|", text, flags=re.MULTILINE))
    rooms = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")} - {"."}
    inside_methods = {room for room in rooms if room.startswith("integrate/methods/")}
    assert listed == (rooms - inside_methods) | {"search_path.py", "errors.py", "frozen.py", "run.py"}
