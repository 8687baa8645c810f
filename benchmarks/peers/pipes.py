"""How many scalar float64 operations the machine can do in a second, when nothing waits for anything."""

from __future__ import annotations

import ctypes

from peers.engine import least_per_call

FUSED, SUMS = 8, 6
"""Chains side by side: two pipes of each kind times the latency of an instruction."""


def operations_per_second(*, sums: bool) -> float:
    """Fused multiply-adds, each one operation; with `sums`, additions beside them on pipes of their own."""
    from zeromass.codegen.target import BEST, Code, host

    added = SUMS if sums else 0
    code = Code(_text(FUSED, added), host(), effort=BEST)
    repeat = code.function("repeat", ctypes.c_double, ctypes.c_int64, ctypes.c_double)
    return (FUSED + added) / least_per_call(lambda n: repeat(n, 0.5), count=1_000_000)


def _text(fused: int, sums: int) -> str:
    """IR of a loop over independent chains x ← a x + a and x ← x + a."""
    chains = range(fused + sums)
    starts = [f"  %x{i} = phi double [ {float(i)}, %entry ], [ %y{i}, %loop ]" for i in chains]
    steps = [
        f"  %y{i} = call double @llvm.fma.f64(double %x{i}, double %a, double %a)"
        if i < fused
        else f"  %y{i} = fadd double %x{i}, %a"
        for i in chains
    ]
    total = ["  %s0 = fadd double %y0, %a"]
    total += [f"  %s{i} = fadd double %s{i - 1}, %y{i}" for i in chains if i]
    return "\n".join(
        [
            "declare double @llvm.fma.f64(double, double, double)",
            "define double @repeat(i64 %count, double %a) {",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *starts,
            *steps,
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %count",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *total,
            f"  ret double %s{fused + sums - 1}",
            "}",
        ]
    )
