"""Objects of WebAssembly that are linked into one module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kernel.node import MISSING, node
from zeromass.codegen import wasm
from zeromass.codegen.wasm_object import LinkingError

FIRST = """
declare double @twice(double)
@shared = external global [2 x double]
@operation = global ptr @twice, align 16
define internal double @own(double %x) {
  %y = fadd double %x, 1.0
  ret double %y
}
define double @f(double %x) {
  %g = load ptr, ptr @operation
  %a = call double %g(double %x)
  %at = getelementptr double, ptr @shared, i32 1
  %b = load double, ptr %at
  %c = fadd double %a, %b
  %d = call double @own(double %c)
  ret double %d
}
"""

SECOND = """
@shared = global [2 x double] [double 3.0, double 0.25]
@unused = global [4096 x i64] [i64 7, {}]
define internal double @own(double %x, double %y) noinline {{
  %z = fmul double %x, %y
  ret double %z
}}
define double @twice(double %x) {{
  %y = call double @own(double %x, double 2.0)
  ret double %y
}}
define double @never(double %x) {{
  %y = call double @hypot(double %x, double 1.0)
  ret double %y
}}
declare double @hypot(double, double)
""".format(", ".join(["i64 7"] * 4095))


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_objects_call_and_read_one_another(tmp_path: Path):
    """2 x + 1/4 + 1: by address and by name, with functions of equal name of their own; what is unused is left out."""
    other = wasm._object([SECOND], ())
    module = wasm.module_of([FIRST], inlined=(), functions=["f"], data=["shared"], objects=[other])
    assert len(module) < 600
    script, place = tmp_path / "run.cjs", tmp_path / "module.wasm"
    place.write_bytes(module)
    script.write_text(
        """
        const made = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
        const { f, memory, shared } = new WebAssembly.Instance(made, {}).exports;
        console.log(f(1.5), new Float64Array(memory.buffer, shared.value, 2).join(" "));
        """
    )
    command = [str(node()), str(script), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["4.25", "3", "0.25"]


def test_what_is_missing_or_defined_twice_is_named():
    other = wasm._object([SECOND], ())
    with pytest.raises(LinkingError, match="calls hypot, which nothing here defines"):
        wasm.module_of([FIRST], inlined=(), functions=["f", "never"], data=[], objects=[other])
    with pytest.raises(LinkingError, match=r"refers to shared|refers to twice|calls twice"):
        wasm.module_of([FIRST], inlined=(), functions=["f"], data=[])
    with pytest.raises(LinkingError, match="'f' is defined twice"):
        wasm.module_of([FIRST], inlined=(), functions=["f"], data=[], objects=[other, wasm._object([FIRST], ())])


def test_an_object_is_kept_for_later_modules_and_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """It is made once; without the memory of the process it is found in the folder, under its origin alone."""
    monkeypatch.setenv("ZEROMASS_CACHE", str(tmp_path))
    monkeypatch.setattr(wasm, "_objects", {})
    made: list[str] = []

    def texts() -> list[str]:
        made.append("made")
        return [SECOND]

    first = wasm.kept_object(texts, "an origin")
    assert wasm.kept_object(texts, "an origin") is first
    wasm._objects.clear()
    assert wasm.kept_object(texts, "an origin") == first
    assert made == ["made"]
    wasm.kept_object(texts, "another")
    assert made == ["made", "made"]
