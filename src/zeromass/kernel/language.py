"""The language of kernels: what a module that defines some imports.

    @kernel
    def dot(x: Reals, y: Reals) -> float:
        total = 0.0
        for i in range(len(x)):
            total += x[i] * y[i]
        return total

    dot(x, y)                    runs it as Python: the oracle, and what a debugger steps through
    compiled(dot)(x, y)          runs it as machine code
    text_of(dot, target=…)       is its LLVM IR for a target
    @kernel(lazy=True)           one whose machine code is made when it is first called

Types     float, int (64 bits), bool, `Reals` … `Ints2` (views of arrays), tuples, subclasses of `Struct`, `Address`,
          and pointers to machine code, `Annotated[Callable[…], function(…)]`. A variable has one type, that of its first
          value, and an int becomes a float only by float(…), beside a float, or as a constant.
Has       assignments, if, while, for over range, break, continue, return, assert (in debug mode), + - * /, // and % of
          ints, & | ^ of ints and bools, comparisons, and, or, not, x if c else y, elements, rows and parts of arrays,
          fields of structs, calls of kernels and of pointers, numbers and tables of the module as constants, abs, min,
          max, len, int, float, and what `functions` has: sqrt, copysign, ulp,
          local arrays, elementary functions.
Has not   recursion, exceptions, strings, lists, keywords, arithmetic on whole arrays. A kernel returns a status, and the
          caller finds words for it.

Every operation is one of IEEE 754, none are fused or reordered, and elementary functions are zeromass's own without fused
operations: bits are the same on every target. A variable that is read before it has a value, an int beyond 64 bits, // or
% by zero and, without debug mode, an index outside its array have no defined result; as Python, all but the second raise.
"""

from zeromass.kernel.compiled import Compiled, compiled, text_of
from zeromass.kernel.functions import copysign, ints, reals, sqrt, ulp
from zeromass.kernel.source import Kernel, KernelError, kernel
from zeromass.kernel.structs import Struct
from zeromass.kernel.types import Address, Ints, Ints2, Reals, Reals2, function

__all__ = ["Address", "Compiled", "Ints", "Ints2", "Kernel", "KernelError", "Reals", "Reals2", "Struct", "compiled"]
__all__ += ["copysign", "function", "ints", "kernel", "reals", "sqrt", "text_of", "ulp"]
