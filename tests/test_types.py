"""Type checkers know all of zeromass: a misspelt name is an error in the editor, before anything runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

import zeromass as zm
from zeromass.integrate import METHODS, MethodName

SOURCE = Path(zm.__path__[0]).parent

SETTING = """
import numpy as np
import zeromass as zm
from zeromass.integrate import Settings

x = zm.coordinate("x")
bob = zm.Particle("bob", mass=1.0)
spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
start = spring.start({x: 1.0})
run = zm.simulate(spring, start, until=1.0)
ball, plane = zm.bodies.ball(0.1, 0.5), zm.surfaces.plane()
rolling = zm.Rolling(ball, on=plane)
""".strip().splitlines()

LINES = {
    "zm.simulate(spring, start, until=1.0)": "zm.simulate(spring, start, untl=1.0)",
    "zm.simulate(spring, start, until=1.0, rtol=1e-9)": "zm.simulate(spring, start, until=1.0, rtoll=1e-9)",
    'zm.simulate(spring, start, until=1.0, method="collocation")': (
        'zm.simulate(spring, start, until=1.0, method="colocation")'
    ),
    'Settings(method="radau")': 'Settings(method="radua")',
    "zm.Rolling(ball, on=plane, gravity=9.81)": "zm.Rolling(ball, on=plane, gravty=9.81)",
    "zm.Rolling(ball, on=plane, friction=0.3)": "zm.Rolling(ball, on=plane, frction=0.3)",
    'rolling.start(contact=(0, 0), orientation="x-axis along the normal")': (
        'rolling.start(contact=(0, 0), orientation="x-axis along normal")'
    ),
    "rolling.start(contact=(0, 0), velocity=(1, 0))": "rolling.start(contact=(0, 0), velocty=(1, 0))",
    "zm.surfaces.paraboloid(curvature=0.5)": "zm.surfaces.paraboloid(curvture=0.5)",
    "zm.Surface(lambda X, Y: X * Y, side=-1)": "zm.Surface(lambda X, Y: X * Y, side=0)",
    'zm.System([bob], constraints={"string": bob.position @ bob.position - 1})': (
        'zm.System([bob], constrains={"string": bob.position @ bob.position - 1})'
    ),
    'zm.Event("here", bob.position @ bob.velocity, direction=-1)': (
        'zm.Event("here", bob.position @ bob.velocity, direction=2)'
    ),
    "zm.System([bob], potential=-1 / np.sqrt(bob.position @ bob.position))": (
        "zm.System([bob], potentail=-1 / np.sqrt(bob.position @ bob.position))"
    ),
    "zm.Limits(growth=1e4)": "zm.Limits(grwth=1e4)",
    'run.view("bob.html", layout="side by side")': 'run.view("bob.html", layout="side-by-side")',
    "run.plot.energies()": "run.plot.energy()",
    "run.maximum(x)": "run.maximun(x)",
    "run.lyapunov_exponent(every=0.1)": "run.lyapunov_exponent(evry=0.1)",
    "zm.analysis.Certificate": "zm.analysis.Certficate",
}
"""What is right, and the same misspelt."""


def pyright(*options: str, folder: Path) -> dict[str, Any]:
    """What pyright says of the sources that these tests run; it asks the first `python` on the path for packages."""
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", *options]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "PATH": path}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_public_symbols_have_types(tmp_path):
    found = pyright("--verifytypes", "zeromass", "--ignoreexternal", folder=tmp_path)["typeCompleteness"]
    assert Path(found["moduleRootDirectory"]).is_relative_to(SOURCE)
    vague = [symbol["name"] for symbol in found["symbols"] if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    assert found["completenessScore"] >= 0.98, vague[:20]


def test_a_misspelt_word_is_an_error(tmp_path):
    """Of a user's program with right and wrong lines, an editor shows errors in the wrong ones only."""
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "basic", "reportUnusedExpression": false}')
    lines = [*SETTING, *LINES, *LINES.values()]
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    found = [one for one in pyright(folder=tmp_path)["generalDiagnostics"] if one["severity"] == "error"]
    assert {lines[one["range"]["start"]["line"]] for one in found} == set(LINES.values())


def test_every_method_that_comes_along_can_be_named():
    assert get_args(MethodName) == tuple(METHODS)
