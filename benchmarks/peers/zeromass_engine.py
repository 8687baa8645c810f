"""zeromass itself: as a user would call it."""

from __future__ import annotations

import ctypes
import os
import re

import numpy as np

import zeromass as zm
from peers.engine import Engine, Result, least_per_call
from peers.rolling import Rolling, rolling

REPEAT = """
define void @repeat(ptr %f, i64 %count, ptr %t, ptr %y, ptr %p, ptr %out, ptr %growth, ptr %pivots) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void %f(ptr %t, ptr %y, ptr %p, ptr %out, ptr %growth, ptr %pivots)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def prepare(variant: str, files: os.PathLike) -> Engine:
    """The shell for `zm.simulate`; an earlier zeromass may be asked too, so that nothing but its public names is used."""
    project = "projected" in variant
    model = rolling()

    def run(until: float, rtol: float, atol: float) -> Result:
        motion = zm.simulate(model.system, model.start, until=until, rtol=rtol, atol=atol, project=project)
        assert motion.outcome.complete, motion.outcome
        contact = motion.y[-1][[model.system.index(x) for x in model.contact]]
        return Result(contact, motion.statistics.evaluations)

    restored = "constraints restored after each step" if project else "project=False"
    if "before" in variant:
        return Engine(f"the version before, {os.path.dirname(zm.__file__)}, {restored}", run)
    settings = f"zm.simulate, eight evaluations at a time in {zm.export.host().width} lanes, {restored}"
    return Engine(settings, run, lambda: slope_seconds(model, lanes=1))


def instructions(model: Rolling) -> int:
    """Arithmetic instructions of the right-hand side as emitted: a product and the sum it is fused with are one."""
    from zeromass.compile.module import with_reciprocals
    from zeromass.compile.straight import Flavour, StraightLine

    known = zm.compile(model.system, model.start)
    outputs = with_reciprocals([*model.system.rates, *known.acceleration, known.growth])
    text = StraightLine("rhs", known.inputs, [outputs], Flavour(1, zm.export.host().fused)).text
    return len(re.findall(r"= (?:f(?:add|sub|mul|div)|call)\b", text))


def slope_seconds(model: Rolling, *, lanes: int) -> float:
    """Seconds of one call of the right-hand side, watch on the pivots included, for `lanes` states."""
    from zeromass.codegen.target import BEST, Code
    from zeromass.compile.module import code

    known = zm.compile(model.system, model.start)
    slopes = [*model.system.rates, *known.acceleration]
    target = zm.export.host().lanes(lanes)
    outputs = [slopes, [known.growth], list(known.native.telling)]
    machine_code = code({"rhs": (known.inputs, outputs)}, target, effort=BEST)
    t, y = np.zeros(lanes), np.repeat(np.concatenate([model.start.q, model.start.v]), lanes)
    out, growth, pivots = np.empty_like(y), np.empty(lanes), np.empty((len(outputs[2]) + 1) * lanes)
    arrays = [a.ctypes.data for a in (t, y, np.zeros(1), out, growth, pivots)]
    repeat = Code(REPEAT, target, effort=BEST).function(
        "repeat", None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 6
    )
    return least_per_call(lambda n: repeat(machine_code.address("rhs"), n, *arrays), count=20_000 // lanes)
