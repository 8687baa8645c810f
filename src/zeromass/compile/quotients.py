"""Quotients and roots on a graphics card: rounded as everywhere, without a branch.

The assembler's own ones look for numbers that are out of the ordinary and branch, and no instruction moves across a branch:
the threads wait for each quotient. Here r ≈ 1/b, of which the card knows the upper half, is made exact by

    e = 1 − b r,   r ← r + r (e + e²),   e = 1 − b r,   r ← r + r e

and a quotient by q = a r, q ← q + r (a − b q), a root likewise; the last step of each rounds correctly [MBDJ2018].
That of 1/b does so where all digits of b are ones only if r comes from above, so the lower half of its first guess is ones.
Where this gives no number or zero, what stood there before is right: infinity, zero with its sign, or no number. Only for
denominators beyond 2^±1022, and quotients of which the remainder underflows, the last bits may be others.
"""

from __future__ import annotations

import re

ONE = "0x3ff0000000000000"

_DIVISION = re.compile(r"= fdiv (?:[a-z]+ )*double ([^,]+), (.+)$", re.MULTILINE)

_ROOT = re.compile(r"(= (?:tail )?call double )@\"?llvm\.sqrt\.f64\"?\(")
_FUSED = re.compile(r"^declare double @\"?llvm\.fma\.f64\"?\(", re.MULTILINE)

FUSED = "declare double @llvm.fma.f64(double, double, double)"

FUNCTIONS = """
define internal double @card.reciprocal(double %b) alwaysinline {
  %guess = call double asm "rcp.approx.ftz.f64 $0, $1;", "=d,d"(double %b)
  %bits = bitcast double %guess to i64
  %above = or i64 %bits, 4294967295
  %r0 = bitcast i64 %above to double
  %minus = fneg double %b
  %e0 = call double @llvm.fma.f64(double %minus, double %r0, double 1.0)
  %e1 = call double @llvm.fma.f64(double %e0, double %e0, double %e0)
  %r1 = call double @llvm.fma.f64(double %r0, double %e1, double %r0)
  %e2 = call double @llvm.fma.f64(double %minus, double %r1, double 1.0)
  %r2 = call double @llvm.fma.f64(double %r1, double %e2, double %r1)
  %fine = fcmp ord double %r2, %r2
  %r = select i1 %fine, double %r2, double %guess
  ret double %r
}

define internal double @card.quotient(double %a, double %b) alwaysinline {
  %r = call double @card.reciprocal(double %b)
  %q0 = fmul double %a, %r
  %minus = fneg double %b
  %rest = call double @llvm.fma.f64(double %minus, double %q0, double %a)
  %q1 = call double @llvm.fma.f64(double %rest, double %r, double %q0)
  %fine = fcmp one double %q1, 0.0
  %q = select i1 %fine, double %q1, double %q0
  ret double %q
}

define internal double @card.root(double %x) alwaysinline {
  %tiny = fcmp olt double %x, 0x1000000000000000
  %up = fmul double %x, 0x5FF0000000000000
  %a = select i1 %tiny, double %up, double %x
  %scale = select i1 %tiny, double 0x2FF0000000000000, double 1.0
  %y0 = call double asm "rsqrt.approx.ftz.f64 $0, $1;", "=d,d"(double %a)
  %yy = fmul double %y0, %y0
  %minus = fneg double %a
  %e = call double @llvm.fma.f64(double %minus, double %yy, double 1.0)
  %c = call double @llvm.fma.f64(double %e, double 0.375, double 0.5)
  %ye = fmul double %y0, %e
  %y1 = call double @llvm.fma.f64(double %c, double %ye, double %y0)
  %g = fmul double %a, %y1
  %half = fmul double %y1, 0.5
  %back = fneg double %g
  %d = call double @llvm.fma.f64(double %back, double %g, double %a)
  %g1 = call double @llvm.fma.f64(double %d, double %half, double %g)
  %down = fmul double %g1, %scale
  %twice = fadd double %x, %x
  %itself = fcmp oeq double %twice, %x
  %s = select i1 %itself, double %x, double %down
  ret double %s
}
"""
"""1/b, a/b and √x: of x, that of x 2⁵¹² where it is tiny; zero and infinity are their own roots."""


def without_branches(text: str) -> str:
    """The same functions with these quotients and roots."""

    def quotient(found: re.Match[str]) -> str:
        a, b = found.groups()
        if a.lower() == ONE:
            return f"= call double @card.reciprocal(double {b})"
        return f"= call double @card.quotient(double {a}, double {b})"

    text = _DIVISION.sub(quotient, text)
    text = _ROOT.sub(r"\1@card.root(", text)
    return text + ("" if _FUSED.search(text) else f"\n{FUSED}\n") + FUNCTIONS
