"""Code for other processors than this one: bits follow from whether a·b + c is one operation, and from nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.codegen import ir
from zeromass.codegen.target import LEVELS, Target, levels
from zeromass.compile.module import text_of
from zeromass.expression.build import function
from zeromass.expression.operation import functions
from zeromass.integrate.methods.collocation.kernel import CollocationAdvance, CollocationDense
from zeromass.integrate.methods.dop853.kernel import Dop853Advance, Dop853Dense
from zeromass.integrate.methods.radau.kernel import RadauAdvance
from zeromass.integrate.stepping.kernel import Project
from zeromass.study.dense import DenseLanes
from zeromass.study.kernel import Dop853Lanes

PROGRAM = """
import hashlib, json, warnings
import numpy as np
import zeromass as zm

def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()

vy = zm.parameter("vy", 0.5)
bowl = zm.Surface(lambda X, Y: 0.1 * (X**2 + Y**2) + 0.02 * np.sin(3 * X), shift=(0.05 * np.cos(zm.t), 0, 0))
rolling = zm.Rolling(zm.bodies.ball(radius=0.05, mass=0.3), on=bowl, gravity=9.81)
start = rolling.start(contact=(0.6, 0.0), velocity=(0.0, vy))
settings = {"collocation": {}, "dop853": {}, "radau": {"rtol": 1e-6}, "fixed": {"step": 0.02}}
found = {"start": digest(start.q)}
for method, more in settings.items():
    run = zm.simulate(rolling, start, until=1.0, method=method, **more)
    between = run.at(np.linspace(0, 1, 33))[rolling.friction_ratio]
    found[method] = digest(run.t, run.y, between)
study = zm.sweep(rolling, start, until=1.0, over={vy: np.linspace(0.2, 0.8, 11)}, on="lanes",
                 keep={"friction": zm.study.largest(rolling.friction_ratio), "end": rolling.contact})
found["sweep"] = digest(study.friction.values, study.end.values)
target = zm.export.host()
print(json.dumps([target.cpu, target.width, target.fused, found]))
"""


def told(cpu: str) -> tuple[str, int, bool, dict[str, str]]:
    """What a process says whose code is for a processor: its target, and digests of what it computes."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "ZEROMASS_CPU": cpu},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return tuple(json.loads(done.stdout))


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("x86-64", "x86-64-v3"), tuple(LEVELS)])
def test_bits_follow_from_fusing_alone(asked):
    """Two, four and eight lanes give the same bits, of every method, between steps and in a study; fusing gives others."""
    here, bits = zm.export.host(), {}
    for cpu in ("", *[name for name in asked if name in levels()]):
        name, width, fused, found = told(cpu)
        assert name == (cpu or here.cpu)
        assert (width, fused) == ((LEVELS[cpu].width, LEVELS[cpu].fused) if cpu else (here.width, here.fused))
        assert bits.setdefault(fused, found) == found, cpu
    if len(bits) == 2:  # where the machine has a·b + c
        assert bits[True]["start"] == bits[False]["start"]
        assert all(bits[True][name] != bits[False][name] for name in bits[True] if name != "start")


@pytest.mark.parametrize(
    ("cpu", "words"),
    [("pentium", "there are x86-64, x86-64-v2, sandybridge"), ("x86-64-v4", "this machine has no avx512f")],
)
def test_a_processor_that_is_not_there(cpu, words):
    """A wrong name is answered with the right ones; code that the machine can not run is refused, not run."""
    lesser = "import llvmlite.binding as llvm\nclass Old(dict):\n    flatten = lambda self: ''\n"
    lesser += "llvm.get_host_cpu_features = lambda: Old(avx=True)\nimport zeromass as zm\nzm.host()"
    done = subprocess.run(
        [sys.executable, "-c", lesser],
        env={**os.environ, "ZEROMASS_CPU": cpu},
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"zeromass.errors.TargetError: ZEROMASS_CPU={cpu}: ")
    assert words in last or not zm.export.host().triple.startswith("x86_64")


TARGETS = {
    "x86-64": Target("x86_64-unknown-linux-gnu", "x86-64", "", 2, False),
    "x86-64, Windows": Target("x86_64-pc-windows-msvc", "x86-64-v2", "", 2, False),
    "AVX without fma": Target("x86_64-unknown-linux-gnu", "sandybridge", "", 4, False),
    "AVX2": Target("x86_64-unknown-linux-gnu", "x86-64-v3", "", 4, True),
    "AVX-512": Target("x86_64-unknown-linux-gnu", "x86-64-v4", "-prefer-256-bit", 8, True),
    "ARM, Linux": Target("aarch64-unknown-linux-gnu", "generic", "", 2, True),
    "ARM, Linux, unfused": Target("aarch64-unknown-linux-gnu", "generic", "", 2, False),
    "ARM, macOS": Target("arm64-apple-darwin", "apple-m1", "", 2, True),
    "ARM, Windows": Target("aarch64-pc-windows-msvc", "generic", "", 2, True),
}
KERNELS = [CollocationAdvance, CollocationDense, Dop853Lanes, DenseLanes]
SCALAR_KERNELS = [Dop853Advance, Dop853Dense, RadauAdvance, Project]
EXACT = {"floor", "rint", "fmod", "ceil", "trunc", "round"}
"""Functions without rounding, which every C library has: those that a processor lacks may be called."""

STACK = "__chkstk"
"""By which functions on Windows ask for much room on the stack."""

FUSED = re.compile(r"\b(fn?m(add|sub|la|ls)|vfn?m(add|sub)\d+[ps]d)\b")


@pytest.fixture(scope="module")
def every_operation() -> tuple[list[zm.expression.Expression], list[zm.expression.Expression]]:
    """Inputs, and each elementary function of them."""
    x, y = zm.coordinates("x y")
    return [x, y], [function(name, *(x, y)[: row.arity]) for name, row in functions().items()]


@pytest.mark.parametrize("name", few(TARGETS))
def test_every_kernel_is_made_for_every_processor(name, every_operation):
    """Objects of all kernels and elementary functions, whose code calls nothing but itself."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target, texts = TARGETS[name], {}
    for kinds, own in ((KERNELS, target), (SCALAR_KERNELS, target.scalar)):
        for kind in kinds:
            module = ir.Module(kind.name)
            kind.emit(module, own)
            texts[kind.name] = str(module)
    inputs, outputs = every_operation
    for own in (target, target.scalar):
        texts[f"functions in {own.width}"], _ = text_of({"values": ([inputs], [outputs])}, own)
    fused = False
    for what, text in texts.items():
        machine = target.machine(0)
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = target.triple, str(machine.target_data)
        assert len(machine.emit_object(module)) > 500, what
        assembly = machine.emit_assembly(module)
        own = set(re.findall(r'^"?([\w.$]+)"?:', assembly, flags=re.MULTILINE))
        calls = set(re.findall(r'^\s+(?:callq?|bl|b)\s+"?([A-Za-z_][\w.$]*)', assembly, flags=re.MULTILINE))
        assert calls - own <= EXACT | ({STACK} if "windows" in target.triple else set()), what
        fused = fused or FUSED.search(assembly) is not None
    assert fused == target.fused


def test_lanes_are_as_wide_as_registers():
    """What `host` finds on this machine is what LLVM says of it."""
    features, target = llvm.get_host_cpu_features(), zm.export.host()
    if target.triple.startswith("x86_64") and not os.environ.get("ZEROMASS_CPU"):
        best = [LEVELS[name] for name in levels()][-1]
        assert (target.width, target.fused) == (best.width, best.fused)
        assert np.log2(target.width) == 1 + bool(features.get("avx")) + bool(features.get("avx512f"))
