"""Modules of WebAssembly in Node, and the same code on this machine without fused operations."""

from __future__ import annotations

import base64
import ctypes
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

import zeromass as zm
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import Target, host
from zeromass.integrate import Switching
from zeromass.integrate.alone.memory import Count
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.wasm import switched_modules
from zeromass.report.viewer.living import SCRIPTS

SCRIPT = Path(__file__).parents[2] / "src" / "zeromass" / "report" / "viewer" / "static" / "motion.js"

STATIC = SCRIPT.parent

DRIVERS = {"HybridMotion": SCRIPTS["switches"]}
"""Scripts of the driver of motions over switches and through modes of contacts, in their order."""

MISSING = "no node on this machine: modules of WebAssembly are not run"

DRIVER = """
const fs = require("fs");
const { Motion } = require(process.argv[2]);
const tasks = JSON.parse(fs.readFileSync(0, "utf8"));
const numbers = (x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength).toString("base64");
const motion = new Motion(new WebAssembly.Module(fs.readFileSync(process.argv[3])));
const found = tasks.map((task) => {
  if (task.slope) return { slope: numbers(motion.slope(task.t, task.slope, task.values)) };
  let best = Infinity;
  let run;
  for (let k = 0; k < (task.repeat ?? 1); k++) {
    const before = process.cpuUsage();
    run = motion.run(task.values, task);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e3);
  }
  const out = { ...run, milliseconds: best, start: numbers(motion.start()), record: numbers(motion.record()) };
  if (task.times) out.samples = numbers(motion.sample(task.times.filter((t) => t <= run.t)));
  return out;
});
console.log(JSON.stringify({ found, about: motion.about }));
"""


DRIVEN = """
const fs = require("fs");
const { modules, told, tasks, driver } = JSON.parse(fs.readFileSync(0, "utf8"));
const Driver = require(process.argv[2])[driver];
const numbers = (x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength).toString("base64");
const motion = new Driver(modules.map((m) => new WebAssembly.Module(Buffer.from(m, "base64"))), told);
const found = tasks.map((task) => {
  let best = Infinity;
  let run;
  for (let k = 0; k < (task.repeat ?? 1); k++) {
    const before = process.cpuUsage();
    run = motion.run(task.values, task);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e3);
  }
  const samples = numbers(motion.sample((task.times ?? []).filter((t) => t <= run.t)));
  return { ...run, milliseconds: best, end: numbers(motion.end()), samples };
});
console.log(JSON.stringify(found));
"""


WORKER = """
const { living, tasks } = JSON.parse(require("fs").readFileSync(0, "utf8"));
globalThis.postMessage = (answer) => (globalThis.answer = answer);
(0, eval)(living.worker);
const modules = living.modules.map((module) => Buffer.from(module, "base64"));
onmessage({ data: { ...living, modules, grounds: [] } });
const answers = tasks.map((values, id) => (onmessage({ data: { id, values } }), globalThis.answer));
console.log(JSON.stringify(answers.map(({ samples, state, ...rest }) => ({ ...rest, state: [...state] }))));
"""


def over_switches(motion: Pieced, tasks: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """What the driver of a page makes of a motion over switches, numbers as arrays."""
    made = switched_modules(motion, {"all": [len(motion.outputs)]})
    return _driven("HybridMotion", *made, tasks, folder)


def said(run: zm.Run, switching: Switching) -> str:
    """A formula that has switched, as messages and pages have it."""
    pieces = run.system.pieces
    assert pieces is not None
    return next(pieces.told(k) for k, s in enumerate(pieces.switches) if s.said is switching.expression)


def of_page(path: Path, tasks: list[dict[str, float]]) -> list[dict[str, Any]]:
    """What the worker of a page answers to values of its sliders, but for its samples."""
    found = re.search(r'id="data"[^>]*>(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found
    return _answer(["-e", WORKER], {"living": json.loads(found[1])["living"], "tasks": tasks})


def _driven(
    name: str, modules: list[bytes], told: dict[str, Any], tasks: list[dict[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    scripts, driver = folder / "scripts.cjs", folder / "driven.cjs"
    text = "\n".join((STATIC / script).read_text("utf-8") for script in DRIVERS[name])
    scripts.write_text(f"{text}\nmodule.exports = {{ {name} }};")
    driver.write_text(DRIVEN)
    codes = [base64.b64encode(m).decode() for m in modules]
    sent = {"driver": name, "modules": codes, "told": told, "tasks": tasks}
    answer = _answer([driver, scripts], sent)
    for item in answer:
        for name in ("end", "samples"):
            item[name] = np.frombuffer(base64.b64decode(item[name]), dtype="<f8")
    return answer


def _answer(command: list[Any], sent: Any) -> Any:
    """What Node prints, given what it reads."""
    words = [str(word) for word in (node(), *command)]
    found = subprocess.run(words, input=json.dumps(sent), capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def node() -> str | None:
    return shutil.which("node")


def in_node(module: bytes, tasks: list[dict[str, Any]], folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a module answers, numbers as arrays, and what it says of itself."""
    place, driver = folder / "motion.wasm", folder / "driver.cjs"
    place.write_bytes(module)
    driver.write_text(DRIVER)
    answer = _answer([driver, SCRIPT, place], tasks)
    for item in answer["found"]:
        for name in ("start", "record", "samples", "slope"):
            if name in item:
                item[name] = np.frombuffer(base64.b64decode(item[name]), dtype="<f8")
    return answer["found"], answer["about"]


def unfused() -> Target:
    """This machine, one value at a time and without a·b + c."""
    return host().scalar._replace(fused=False)


class HostMotion:
    """The code of a module on this machine."""

    def __init__(self, alone: Alone, target: Target, effort: int = 3) -> None:
        self.alone, self.sizes = alone, alone.sizes
        parts, self._grids = alone.texts(target)
        module, machine = optimised(list(parts), target, alone.routines, effort)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        self.row = self.sizes.row
        self.steps = np.zeros((20000, self.row))
        counts = self.array("counts", np.int64)
        counts[Count.record], counts[Count.capacity] = self.steps.ctypes.data, len(self.steps)

    def array(self, name: str, kind: Any = np.float64) -> np.ndarray:
        size = self.sizes.arrays[name][1]
        address = self._engine.get_global_value_address(name)
        return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address)).view(kind)

    def call(self, name: str, *arguments: Any) -> int:
        kinds = [ctypes.c_double if isinstance(a, float) else type(a) for a in arguments]
        address = self._engine.get_function_address(name)
        return ctypes.CFUNCTYPE(ctypes.c_int32, *kinds)(address)(*arguments)

    def run(self, values: list[float], until: float, rtol: float, atol: float) -> int:
        self.array("parameters")[: len(values)] = values
        status = self.call("begin", until, rtol, atol, float("inf"))
        return self.call("advance") if status == 20 else status

    @property
    def record(self) -> np.ndarray:
        return self.steps[: self.array("ints", np.int64)[Int64.recorded]]

    @property
    def t(self) -> float:
        return float(self.array("reals")[Real64.t])

    def sample(self, times: np.ndarray) -> np.ndarray:
        times = np.ascontiguousarray(times)
        found = np.empty((len(times), self.sizes.outputs))
        self.call(
            "sample",
            ctypes.c_void_p(times.ctypes.data),
            ctypes.c_int32(len(times)),
            ctypes.c_void_p(found.ctypes.data),
        )
        return found
