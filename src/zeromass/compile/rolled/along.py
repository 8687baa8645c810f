"""Machine code of a motion of a large system with its tangents, one in each lane, and of its Jacobian.

    void tangent(t, y, δy, (p, δp), ẏ, δẏ, growth)
    void jacobian(t, y, p, entries)                     ∂q̈/∂(q, q̇), row by row; of one state

A motion and its tangent are two machines, with memory that belongs to this code alone: it is for one thread.
"""

from __future__ import annotations

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.tangent import tangent_of


class Along:
    """The code, with so many lanes as there are at most; fewer where the values of all would not fit into the cache.

    code  with the functions `tangent` and `jacobian`
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
        text += self._jacobian(n, len(structure.system.parameters))
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

    def _jacobian(self, n: int, parameters: int) -> str:
        """All directions of the state one after another, as many at once as there are lanes."""
        w, T = self.lanes, _type(self.lanes)
        time, values = np.zeros((1, w)), np.zeros((2 * parameters + 1, w))
        y, δ, ẏ, δẏ = (np.zeros((2 * n, w)) for _ in range(4))
        growth = np.zeros((1, w))
        self._keep += [time, values, y, δ, ẏ, δẏ, growth]
        pointer = self._pointer
        arrays = ", ".join(map(pointer, (time, y, δ, values, ẏ, δẏ, growth)))
        return _JACOBIAN.format(
            T=T,
            w=w,
            n=n,
            m=2 * n,
            p=parameters,
            groups=-(-2 * n // w),
            time=pointer(time),
            y=pointer(y),
            d=pointer(δ),
            p_=pointer(values),
            c=pointer(δẏ),
            arrays=arrays,
        )


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

_JACOBIAN = """
define void @spread(ptr %a, ptr %b, i64 %n) {{
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %k = phi i64 [0, %entry], [%k1, %next]
  %ap = getelementptr double, ptr %a, i64 %k
  %x = load double, ptr %ap
  %row = mul i64 %k, {w}
  br label %lane
lane:
  %l = phi i64 [0, %loop], [%l1, %lane]
  %at = add i64 %row, %l
  %bp = getelementptr double, ptr %b, i64 %at
  store double %x, ptr %bp
  %l1 = add i64 %l, 1
  %again = icmp slt i64 %l1, {w}
  br i1 %again, label %lane, label %next
next:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
define void @jacobian(ptr %t, ptr %y, ptr %p, ptr %entries) {{
entry:
  call void @spread(ptr %t, {time}, i64 1)
  call void @spread(ptr %y, {y}, i64 {m})
  call void @spread(ptr %p, {p_}, i64 {p})
  br label %group
group:
  %g = phi i64 [0, %entry], [%g1, %done]
  %first = mul i64 %g, {w}
  br label %set
set:
  %s = phi i64 [0, %group], [%s1, %set]
  %column = add i64 %first, %s
  %inside = icmp slt i64 %column, {m}
  %flat = mul i64 %column, {w}
  %there = add i64 %flat, %s
  %place = select i1 %inside, i64 %there, i64 0
  %dp = getelementptr double, {d}, i64 %place
  %old = load double, ptr %dp
  %one = select i1 %inside, double 1.0, double %old
  store double %one, ptr %dp
  %s1 = add i64 %s, 1
  %setting = icmp slt i64 %s1, {w}
  br i1 %setting, label %set, label %called
called:
  call void @tangent({arrays})
  br label %row
row:
  %i = phi i64 [0, %called], [%i1, %rowend]
  %from = add i64 %i, {n}
  %fromw = mul i64 %from, {w}
  %to = mul i64 %i, {m}
  %to1 = add i64 %to, %first
  br label %lane
lane:
  %l = phi i64 [0, %row], [%l1, %lanenext]
  %col = add i64 %first, %l
  %good = icmp slt i64 %col, {m}
  br i1 %good, label %keep, label %lanenext
keep:
  %src = add i64 %fromw, %l
  %sp = getelementptr double, {c}, i64 %src
  %value = load double, ptr %sp
  %dst = add i64 %to1, %l
  %ep = getelementptr double, ptr %entries, i64 %dst
  store double %value, ptr %ep
  br label %lanenext
lanenext:
  %l1 = add i64 %l, 1
  %lanes = icmp slt i64 %l1, {w}
  br i1 %lanes, label %lane, label %rowend
rowend:
  %i1 = add i64 %i, 1
  %rows = icmp slt i64 %i1, {n}
  br i1 %rows, label %row, label %clear
clear:
  %u = phi i64 [0, %rowend], [%u1, %clear]
  %ucol = add i64 %first, %u
  %uin = icmp slt i64 %ucol, {m}
  %uflat = mul i64 %ucol, {w}
  %uthere = add i64 %uflat, %u
  %uplace = select i1 %uin, i64 %uthere, i64 0
  %up = getelementptr double, {d}, i64 %uplace
  store double 0.0, ptr %up
  %u1 = add i64 %u, 1
  %clearing = icmp slt i64 %u1, {w}
  br i1 %clearing, label %clear, label %done
done:
  %g1 = add i64 %g, 1
  %groups = icmp slt i64 %g1, {groups}
  br i1 %groups, label %group, label %finished
finished:
  ret void
}}
"""
