"""Numba: the tape as Python source, compiled."""

from __future__ import annotations

import math
import os
from pathlib import Path

from numba import cfunc, float64, types

from peers import tape
from peers.engine import Engine
from peers.stepping import stepped

SIGNATURE = types.void(types.CPointer(float64), types.CPointer(float64))


class Name(str):
    """A variable of the source; its operators write source."""

    lines: list[str] = []  # noqa: RUF012

    def _new(self, formula: str) -> Name:
        name = Name(f"v{len(self.lines)}")
        self.lines.append(f"    {name} = {formula}")
        return name

    def __add__(self, other):
        return self._new(f"{self} + {other}")

    def __radd__(self, other):
        return self._new(f"{other} + {self}")

    def __sub__(self, other):
        return self._new(f"{self} - {other}")

    def __rsub__(self, other):
        return self._new(f"{other} - {self}")

    def __mul__(self, other):
        return self._new(f"{self} * {other}")

    def __rmul__(self, other):
        return self._new(f"{other} * {self}")

    def __truediv__(self, other):
        return self._new(f"{self} / {other}")

    def __rtruediv__(self, other):
        return self._new(f"{other} / {self}")

    def __neg__(self):
        return self._new(f"-{self}")


def prepare(variant: str, files: os.PathLike) -> Engine:
    functions = {name: (lambda x, name=name: x._new(f"math.{name}({x})")) for name in ("sin", "cos", "sqrt")}
    inputs = [Name(f"y[{i}]") for i in range(26)]
    outputs = tape.replayed(tape.read(Path(files) / "tape.json"), inputs, functions)
    stores = [f"    dy[{i}] = {value}" for i, value in enumerate([*inputs[13:], *outputs])]
    namespace = {"math": math}
    exec("\n".join(["def f(y, dy):", *Name.lines, *stores]), namespace)
    compiled = cfunc(SIGNATURE, error_model="numpy", fastmath=True)(namespace["f"])
    return stepped(compiled.address, "the tape, @cfunc, fastmath=True", files, compiled)
