"""Types of numbers and addresses in the machine code of large systems."""

from __future__ import annotations

from zeromass.codegen import ir

INT: ir.Type = ir.IntType(64)
INT32: ir.Type = ir.IntType(32)
POINTER: ir.Type = ir.PointerType()
DOUBLE: ir.Type = ir.DoubleType()
