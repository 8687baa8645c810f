"""Machine code of a motion of a large system with its tangents, one in each lane.

    void tangent(t, y, δy, (p, δp), ẏ, δẏ, growth)

A motion and its tangent are two machines, with memory that belongs to this code alone: it is for one thread.
"""

from __future__ import annotations

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.tangent import tangent_of


class Along:
    """The code, with so many lanes as there are at most; fewer where the values of all would not fit into the cache.

    code  with the function `tangent`
    """

    def __init__(self, structure: Structure, lanes: int) -> None:
        tangent, n = tangent_of(structure), len(structure.system.coordinates)
        motion, machine = structure.machine("motion", lanes), tangent.machine(lanes)
        while min(motion.lanes, machine.lanes) < lanes:
            lanes = min(motion.lanes, machine.lanes)
            motion, machine = structure.machine("motion", lanes), tangent.machine(lanes)
        self.lanes: int = lanes
        self._keep = [motion, machine, motion.code("rhs"), machine.code(tangent.task)]
        size, places = tangent.size, tangent.coordinates
        each = np.arange(n)
        first = n if lanes == 1 else 0  # slopes of one state begin with its rates
        blocks, slopes, changes = (np.zeros((k, lanes)) for k in (2 * size, 2 * n, 2 * size))
        grown, told = np.zeros((2, lanes)), np.zeros((len(structure.system.rows) + 1, lanes))
        moves = [
            ("%y", blocks, np.arange(2 * n), np.concatenate([places, size + places])),
            ("%d", blocks, np.arange(2 * n), np.concatenate([tangent.varied, size + tangent.varied])),
            (motion.values, blocks, motion.unknowns + tangent.solved.source, tangent.solved.place),
            ("%y", "%s", n + each, each),
            (slopes, "%s", first + each, n + each),
            ("%d", "%c", n + each, each),
            (changes, "%c", places, n + each),
        ]
        self._keep += [blocks, slopes, changes, grown, told]
        rhs, along = (f"%f{k}" for k in range(2))
        lines = [
            f"  {rhs} = inttoptr i64 {self._keep[2].address('rhs')} to ptr",
            f"  {along} = inttoptr i64 {self._keep[3].address(tangent.task)} to ptr",
        ]
        pointer = self._pointer
        lines.append(f"  call void {rhs}(ptr %t, ptr %y, ptr %p, {pointer(slopes)}, ptr %g, {pointer(told)})")
        lines += [self._move(*move) for move in moves[:3]]
        lines.append(f"  call void {along}(ptr %t, {pointer(blocks)}, ptr %p, {pointer(changes)})")
        lines += [self._move(*move) for move in moves[3:]]
        text = MOVE.replace("T", _type(lanes)) + (
            "define void @tangent(ptr %t, ptr %y, ptr %d, ptr %p, ptr %s, ptr %c, ptr %g) {\n"
            + "\n".join(lines)
            + "\n  ret void\n}\n"
        )
        self.code: Code = Code(text, host().lanes(lanes), effort=2, keep=self._keep)

    def _pointer(self, array: np.ndarray) -> str:
        return f"ptr inttoptr (i64 {array.ctypes.data} to ptr)"

    def _move(self, source: np.ndarray | str, to: np.ndarray | str, places: np.ndarray, there: np.ndarray) -> str:
        """A call that brings values from some places to others."""
        tables = [np.ascontiguousarray(x, dtype=np.int64) for x in (places, there)]
        self._keep += tables
        given = [x if isinstance(x, str) else self._pointer(x) for x in (source, to)]
        given = [f"ptr {x}" if x.startswith("%") else x for x in given]
        return f"  call void @move({', '.join([*given, *map(self._pointer, tables)])}, i64 {len(places)})"


def _type(lanes: int) -> str:
    return "double" if lanes == 1 else f"<{lanes} x double>"


MOVE = """
define void @move(ptr %a, ptr %b, ptr %i, ptr %j, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %ip = getelementptr i64, ptr %i, i64 %k
  %jp = getelementptr i64, ptr %j, i64 %k
  %iv = load i64, ptr %ip
  %jv = load i64, ptr %jp
  %ap = getelementptr T, ptr %a, i64 %iv
  %bp = getelementptr T, ptr %b, i64 %jv
  %x = load T, ptr %ap, align 8
  store T %x, ptr %bp, align 8
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
"""Values from some places to others; T: of the type of each."""
