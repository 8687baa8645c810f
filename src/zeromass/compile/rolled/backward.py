"""Machine code of a motion of a large system with its adjoint, by the same kinds: gradients backward in time.

    K z = r,  q̈ = s(z),   K η = (∂s/∂z)ᵀ μ,   μ·∂q̈/∂x = ∂/∂x [ μ·s(z, x) + η·(r(x) − K(x) z) ]      x = (q, q̇, p)

with z, η and μ held fixed on the right: a sum over elements, each of which adds to the derivatives by its own coordinates,
rates and parameters.
"""

from __future__ import annotations

import ctypes

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import assembled, compiled, with_reciprocals
from zeromass.compile.rolled.along import MOVE
from zeromass.compile.rolled.equations import Equations, Unknown
from zeromass.compile.rolled.kernel import Kernel
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.tangent import Extended
from zeromass.compile.straight import Flavour
from zeromass.expression import Expression, Symbol, expressions, gradient, substitute
from zeromass.expression.build import ZERO, add, multiply


class Backward:
    """The code, with memory that belongs to it alone: it is for one thread.

    code  with `product(t, y, μ, p, ẏ, found, growth)`, found = μ·∂q̈/∂(q, q̇, p), and `rhs` of (y, μ, γ)
    """

    def __init__(self, structure: Structure) -> None:
        system = structure.system
        n, self._parameters = len(system.coordinates), len(system.parameters)
        self.coordinates: int = n
        task = Extended(structure, "adjoint", _pulled)
        motion, machine = structure.machine("motion", 1), task.machine(1)
        rhs, back = motion.code("rhs"), machine.code("adjoint")
        made, tables, places = self._kernels(structure, task)
        target = host().scalar
        kernels = compiled(assembled(made, target), target, 1)
        blocks, changes, found = np.zeros(2 * task.size), np.zeros(2 * task.size), np.zeros(max(len(places), 1))
        told, growth = np.zeros(len(system.rows) + 1), np.zeros(1)
        self._keep = [motion, machine, rhs, back, kernels, blocks, changes, found, told, growth, places, tables]
        lines = [
            self._called("rhs", rhs.address("rhs"), ["%t", "%y", "%p", "%s", "%g", told]),
            self._moved(
                "%y", blocks, np.arange(2 * n), np.concatenate([task.coordinates, task.size + task.coordinates])
            ),
            self._moved("%m", blocks, np.arange(n), task.varied),
            self._moved(motion.values, blocks, motion.unknowns + task.solved.source, task.solved.place),
            self._called("back", back.address("adjoint"), ["%t", blocks, "%p", changes]),
            self._moved(machine.values, blocks, machine.unknowns + task.solved.source, task.size + task.solved.place),
        ]
        for k, (name, where, constants, count, out) in enumerate(tables):
            given = [found, "%t", blocks, "%p", "null", where, constants]
            sizes = f", i64 {count}, i64 {out}, i64 {task.size}"
            lines.append(self._called(f"k{k}", kernels.address(name), given, sizes))
        lines.append(f"  call void @gather({self._given(found)}, ptr %f, {self._given(places)}, i64 {len(places)})")
        text = MOVE.replace("T", "double") + _TEXT.format(
            n=n,
            two=2 * n,
            three=3 * n,
            all=2 * n + self._parameters,
            bytes=8 * (2 * n + self._parameters),
            lines="\n".join(lines),
        )
        self.code: Code = Code(text, target, effort=2, keep=self._keep)

    def _kernels(
        self, structure: Structure, task: Extended
    ) -> tuple[list[Kernel], list[tuple[str, np.ndarray, np.ndarray, int, int]], np.ndarray]:
        """Kernels of the derivatives, what they are told, and where each of their results is added."""
        n, flavour = self.coordinates, Flavour(1, host().scalar.fused)
        made: list[Kernel] = []
        tables: list[tuple[str, np.ndarray, np.ndarray, int, int]] = []
        places: list[np.ndarray] = []
        out = 0
        for k, (kind, wide, known) in enumerate(zip(structure.kinds, task.kinds, task.symbols, strict=True)):
            L, count = _local(kind.equations("motion"), *known), len(kind)
            to: list[tuple[Symbol, np.ndarray]] = [
                (p, 2 * n + picks) for p, picks in zip(kind.own, kind.picks.T, strict=True)
            ]
            for g, group in enumerate(kind.groups):
                first, half = structure.firsts[kind.blocks[:, g]], len(group) // 2
                to += [(x, first + i % half + n * (i >= half)) for i, x in enumerate(group)]
            slopes = gradient(L, [x for x, _ in to])
            told = [(e, at) for e, (_, at) in zip(slopes, to, strict=True) if e is not ZERO]
            if not told:
                continue
            formulas = with_reciprocals([e for e, _ in told])
            made.append(
                Kernel(
                    f"back{k}",
                    wide.groups,
                    wide.constants,
                    formulas,
                    flavour,
                    stride=len(formulas),
                    own=wide.own,
                )
            )
            where = np.concatenate([task.firsts[wide.blocks], wide.picks], axis=1)
            given = np.ascontiguousarray(where, dtype=np.int32), np.ascontiguousarray(wide.values, dtype=float)
            tables.append((f"back{k}", *given, count, out))
            places.append(np.column_stack([at for _, at in told]).ravel())
            out += len(told) * count
        all_ = np.concatenate(places) if places else np.empty(0, dtype=np.int64)
        return made, tables, np.ascontiguousarray(all_, dtype=np.int64)

    def _given(self, x: np.ndarray | str) -> str:
        if isinstance(x, str):
            return f"ptr {x}"
        return f"ptr inttoptr (i64 {x.ctypes.data} to ptr)"

    def _called(self, name: str, address: int, given: list[np.ndarray | str], more: str = "") -> str:
        arguments = ", ".join(self._given(x) for x in given)
        return f"  %{name} = inttoptr i64 {address} to ptr\n  call void %{name}({arguments}{more})"

    def _moved(self, source: np.ndarray | str, to: np.ndarray, places: np.ndarray, there: np.ndarray) -> str:
        """A call that brings values from some places to others."""
        tables = [np.ascontiguousarray(x, dtype=np.int64) for x in (places, there)]
        self._keep += tables
        given = ", ".join(self._given(x) for x in (source, to, *tables))
        return f"  call void @move({given}, i64 {len(places)})"

    def product(self, inputs: np.ndarray, μ: np.ndarray) -> np.ndarray:
        """μ·∂q̈/∂(q, q̇, p), shape (2n + parameters,), at numbers in the order of `system.inputs`."""
        n = self.coordinates
        found, slopes, growth = np.zeros(2 * n + self._parameters), np.zeros(2 * n), np.zeros(1)
        parts = [np.ascontiguousarray(x, dtype=float) for x in (inputs[:1], inputs[1 : 1 + 2 * n], μ)]
        values = np.append(inputs[1 + 2 * n :], 0.0)
        call = self.code.function("product", None, *[ctypes.c_void_p] * 7)
        call(*[x.ctypes.data for x in (*parts, values, slopes, found, growth)])
        return found


def _pulled(motion: Equations, vary: dict[Symbol, Symbol], z: dict[Unknown, Symbol]) -> Equations:
    """K η = (∂s/∂z)ᵀ μ, with μ in the place of what varies in positions."""
    right: list[tuple[Unknown, Expression]] = []
    if motion.unknown:
        μ = [vary[x] for x in list(vary)[-2 * len(motion.spread) :][: len(motion.spread)]]
        total = _dot(μ, motion.spread)
        x = {s: z[0, i] for i, s in enumerate(motion.unknown)}
        by = expressions(substitute(gradient(total, list(motion.unknown)), x))
        right = [((0, i), e) for i, e in enumerate(by) if e is not ZERO]
    return Equations(motion.matrix, right, motion.levels, motion.unknown, motion.unknown)


def _local(
    motion: Equations, vary: dict[Symbol, Symbol], z: dict[Unknown, Symbol], w: dict[Unknown, Symbol]
) -> Expression:
    """μ·s(z) + η·(r − K z) of one element."""
    total: Expression = ZERO
    for u, e in motion.left(z).items():
        total = add(total, multiply(w[u], e))
    if motion.unknown:
        μ = [vary[x] for x in list(vary)[-2 * len(motion.spread) :][: len(motion.spread)]]
        x = {s: z[0, i] for i, s in enumerate(motion.unknown)}
        total = add(total, expressions(substitute(_dot(μ, motion.spread), x)).item())
    return total


def _dot(a: list[Symbol], b: tuple[Expression, ...]) -> Expression:
    total: Expression = ZERO
    for x, y in zip(a, b, strict=True):
        total = add(total, multiply(x, y))
    return total


_TEXT = """
define void @gather(ptr %a, ptr %f, ptr %j, i64 %n) {{
entry:
  call void @llvm.memset.p0.i64(ptr %f, i8 0, i64 {bytes}, i1 false)
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %jp = getelementptr i64, ptr %j, i64 %k
  %jv = load i64, ptr %jp
  %ap = getelementptr double, ptr %a, i64 %k
  %fp = getelementptr double, ptr %f, i64 %jv
  %x = load double, ptr %ap
  %y = load double, ptr %fp
  %z = fadd double %x, %y
  store double %z, ptr %fp
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @product(ptr %t, ptr %y, ptr %m, ptr %p, ptr %s, ptr %f, ptr %g) {{
{lines}
  ret void
}}
define void @rhs(ptr %t, ptr %y, ptr %p, ptr %s, ptr %g, ptr %v) {{
entry:
  %m = getelementptr double, ptr %y, i64 {three}
  %f = getelementptr double, ptr %s, i64 {two}
  call void @product(ptr %t, ptr %y, ptr %m, ptr %p, ptr %s, ptr %f, ptr %g)
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %fp = getelementptr double, ptr %f, i64 %k
  %x = load double, ptr %fp
  %at = add i64 %k, {n}
  %mp = getelementptr double, ptr %y, i64 %at
  %of = load double, ptr %mp
  %low = icmp sge i64 %k, {n}
  %high = icmp slt i64 %k, {two}
  %rate = and i1 %low, %high
  %more_ = select i1 %rate, double %of, double 0.0
  %sum = fadd double %x, %more_
  %minus = fneg double %sum
  store double %minus, ptr %fp
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {all}
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
