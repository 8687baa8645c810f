"""Kernels as WebAssembly, run by Node: arguments are laid out in its memory, and read back from it."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.wasm import module_of, wasm32
from zeromass.kernel.source import Kernel
from zeromass.kernel.structs import Struct, fields, words_of
from zeromass.kernel.types import ADDRESS, BOOL, INT, REAL, Array, Function, Scalar
from zeromass.kernel.unit import Unit

MISSING = "no node on this machine: modules of WebAssembly are not run"

SCRIPT = """
const fs = require("fs");
const { code, tasks, base } = JSON.parse(fs.readFileSync(0, "utf8"));
const run = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(code, "base64")), {}).exports;
const found = tasks.map(({ name, image, args }) => {
  const bytes = Buffer.from(image, "base64");
  const need = base + bytes.length - run.memory.buffer.byteLength;
  if (need > 0) run.memory.grow(Math.ceil(need / 65536));
  new Uint8Array(run.memory.buffer).set(bytes, base);
  const real = (text) => Buffer.from(text, "hex").readDoubleLE();
  const given = args.map(([kind, x]) => (kind === "f" ? real(x) : kind === "i" ? BigInt(x) : x));
  const value = run[name](...given);
  const result = Buffer.alloc(8);
  if (typeof value === "bigint") result.writeBigInt64LE(value);
  else if (value !== undefined) result.writeDoubleLE(value);
  const after = Buffer.from(run.memory.buffer.slice(base, base + bytes.length));
  return { result: result.toString("hex"), image: after.toString("base64") };
});
console.log(JSON.stringify(found));
"""

BASE = 1 << 20
"""Where arguments are: behind the stack and the data of a module."""


def node() -> str | None:
    return shutil.which("node")


class Image:
    """Memory with the arguments of a call."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self._arrays: list[tuple[np.ndarray, int]] = []
        self._structs: list[tuple[Struct, int]] = []
        self._places: dict[int, int] = {}

    def words(self, kind: Any, value: Any, functions: dict[str, int]) -> list[Any]:
        """Machine values of an argument, addresses as they are in this memory."""
        if isinstance(kind, Array):
            if value.ctypes.data not in self._places:
                at = self._places[value.ctypes.data] = self._room(value.tobytes())
                self._arrays.append((value, at))
            return [BASE + self._places[value.ctypes.data], *value.shape]
        if isinstance(value, Struct):
            return [BASE + self._struct(value, functions)]
        return [functions[value.__name__]] if isinstance(kind, Function) else words_of(kind, value)

    def _struct(self, s: Struct, functions: dict[str, int]) -> int:
        """Where a struct is; arrays that two of them share are one here too."""
        if id(s) in self._places:
            return self._places[id(s)]
        packed = b""
        for name, (kind, at) in fields(type(s)).items():
            if name not in s.__dict__["_objects"]:
                packed += s.image[at : at + 1].tobytes()
            else:
                packed += np.array(self.words(kind, s.__dict__["_objects"][name], functions), dtype=np.int64).tobytes()
        at = self._places[id(s)] = self._room(packed)
        self._structs.append((s, at))
        return at

    def _room(self, content: bytes) -> int:
        at = -(-len(self.bytes) // 16) * 16
        self.bytes += bytes(at - len(self.bytes)) + content
        return at

    def take(self, data: bytes) -> None:
        """Changes arrays and structs to what became of them."""
        for x, at in self._arrays:
            x.reshape(-1)[:] = np.frombuffer(data, dtype=x.dtype, count=x.size, offset=at)
        for s, at in self._structs:
            words = np.frombuffer(data, dtype=np.int64, count=len(s.image), offset=at)
            for kind, k in fields(type(s)).values():
                if isinstance(kind, Scalar) and kind != ADDRESS:
                    s.image[k] = words[k]


def in_node(calls: Sequence[tuple[Kernel, Sequence[Any]]], folder: Path, functions: Sequence[Kernel] = ()) -> list[Any]:
    """Results of calls of kernels, whose arguments are changed in place; `functions` are those that pointers lead to."""
    import base64

    unit = Unit(wasm32())
    names = list(dict.fromkeys(kernel for kernel, _ in calls))
    for kernel in dict.fromkeys([*names, *functions]):
        unit.export(kernel)
    if functions:  # the address of a function is its place in a table: whoever stores it has it there
        f = ir.Function(unit.module, ir.FunctionType(ir.VoidType(), [ir.PointerType()]), "addresses")
        b = ir.IRBuilder(f.append_basic_block())
        for k, kernel in enumerate(functions):
            address = b.ptrtoint(unit.module.globals[kernel.name], ir.IntType(64))
            b.store(address, b.gep(f.args[0], [ir.Constant(ir.IntType(64), k)], source_etype=ir.IntType(64)))
        b.ret_void()
    shown = [kernel.name for kernel in names] + (["addresses"] if functions else [])
    module = base64.b64encode(module_of([str(unit)], inlined=(), functions=shown, data=())).decode()
    script = folder / "kernels.cjs"
    script.write_text(SCRIPT)

    def run(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sent = json.dumps({"code": module, "tasks": tasks, "base": BASE})
        command = [str(node()), str(script)]
        done = subprocess.run(command, input=sent, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    places: dict[str, int] = {}
    if functions:
        room = base64.b64encode(bytes(8 * len(functions))).decode()
        (answer,) = run([{"name": "addresses", "image": room, "args": [["p", BASE]]}])
        words = np.frombuffer(base64.b64decode(answer["image"]), dtype=np.int64)
        places = {kernel.name: int(word) for kernel, word in zip(functions, words, strict=True)}
    tasks, images = [], []
    for kernel, args in calls:
        image, given = Image(), []
        for kind, value in zip(kernel.signature[0].values(), args, strict=True):
            first, *rest = image.words(kind, value, places)
            if kind == REAL:
                given.append(["f", struct.pack("<d", first).hex()])
            else:
                given.append(["i" if kind in (INT, BOOL) else "p", int(first)])
            given += [["i", int(n)] for n in rest]
        tasks.append({"name": kernel.name, "image": base64.b64encode(image.bytes).decode(), "args": given})
        images.append((image, kernel.signature[1]))
    found = []
    for (image, kind), answer in zip(images, run(tasks), strict=True):
        image.take(base64.b64decode(answer["image"]))
        (value,) = struct.unpack("<d" if kind == REAL else "<q", bytes.fromhex(answer["result"]))
        found.append(None if kind is None else bool(value) if kind == BOOL else value)
    return found
