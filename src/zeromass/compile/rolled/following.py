"""Machine code of what follows from the motion of a large system: functions of accelerations and multipliers, in lanes.

    void name(t, y, parameters, values)

The motion is evaluated first, in memory of the call; then the formulas, with q̈ and λ as further inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.codegen.target import FIRST, Code, host
from zeromass.compile.module import code
from zeromass.expression import symbols
from zeromass.model import ModelError

if TYPE_CHECKING:
    from zeromass.compile.program import Program
    from zeromass.compile.rolled.structure import Structure


def following(name: str, formulas: np.ndarray, program: Program, structure: Structure, lanes: int) -> Code:
    """The code of formulas; forces that constraints share are refused, since no formula tells how."""
    check_following(formulas, program)
    system = program.system
    n, rows, first = len(system.coordinates), len(structure.system.rows), len(system.coordinates) if lanes == 1 else 0
    machine = structure.machine("motion", lanes, told=True)
    groups = [*program.inputs, list(system.accelerations), list(system.multipliers)]
    inside = code({"inside": (groups, [list(formulas)])}, host().lanes(lanes), effort=FIRST)
    motion = machine.code("rhs")
    places = [(first + k) * lanes for k in (0, n, n + rows)]
    text = _TEXT.format(
        name=name,
        motion=motion.address("rhs"),
        inside=inside.address("inside"),
        bytes=8 * (places[2] + lanes),
        q=places[0],
        λ=places[1],
        growth=places[2],
    )
    return Code(text, host().lanes(lanes), keep=[machine, motion, inside])


def check_following(formulas: np.ndarray, program: Program) -> None:
    """That forces in formulas are computed, and not shared by constraints."""
    from zeromass.compile.rolled.program import RolledProgram, check_told, sharing

    assert isinstance(program, RolledProgram)
    check_told(program, symbols(formulas))
    shared = sharing(program, formulas, program.made_at.inputs)
    if shared:
        raise ModelError(
            f"the forces of {', '.join(map(repr, shared))} are shared by constraints that repeat one another, and no "
            "formula of this large system tells how, so that they can not be watched; leave one of them out, or ask a run "
            "for them"
        )


_TEXT = """
declare ptr @malloc(i64)
declare void @free(ptr)
define void @{name}(ptr %t, ptr %y, ptr %p, ptr %values) {{
  %memory = call ptr @malloc(i64 {bytes})
  %a = getelementptr double, ptr %memory, i64 {q}
  %l = getelementptr double, ptr %memory, i64 {λ}
  %g = getelementptr double, ptr %memory, i64 {growth}
  %motion = inttoptr i64 {motion} to ptr
  %inside = inttoptr i64 {inside} to ptr
  call void %motion(ptr %t, ptr %y, ptr %p, ptr %memory, ptr %g, ptr %g)
  call void %inside(ptr %t, ptr %y, ptr %p, ptr %a, ptr %l, ptr %values)
  call void @free(ptr %memory)
  ret void
}}
"""
