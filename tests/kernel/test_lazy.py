"""Lazy kernels: their machine code is made when they are first called, with the same bits, and replaced by better code."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kernel.same_bits import assert_same_bits
from zeromass.codegen import background
from zeromass.codegen.target import host
from zeromass.kernel import compiled as module
from zeromass.kernel.language import Compiled, Kernel, KernelError, Reals, compiled, kernel, sqrt, text_of


@kernel(lazy=True)
def norm(x: Reals) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return sqrt(total)


@kernel(lazy=True)
def is_positive(x: float) -> bool:
    return x > 0.0


@kernel(lazy=True)
def part_and_rest(x: float) -> tuple[float, float]:
    return x / 3.0, 2.0 * x / 3.0


@kernel
def parts(x: float) -> float:
    part, rest = part_and_rest(x)
    return part + rest


@kernel(lazy=True)
def scale(x: Reals, by: float) -> None:
    for i in range(len(x)):
        x[i] *= by


@kernel
def normalise(x: Reals, wanted: bool) -> float:
    if not wanted:
        return 0.0
    size = norm(x)
    if is_positive(size):
        scale(x, 1.0 / size)
    return size


@kernel(lazy=True)
def seldom(x: float) -> float:
    return x + 1.0


@kernel
def caller(x: float, calls: bool) -> float:
    return seldom(x) if calls else x


def test_bits_are_those_of_python_whatever_a_kernel_returns(tmp_path: Path):
    problems = [[np.array([3.0, 4.0, 0.1]), True], [np.zeros(2), True], [np.array([np.nan, 1.0]), True]]
    assert_same_bits(normalise, problems, tmp_path)
    compiled(normalise).code.improve()
    background.wait()
    assert_same_bits(normalise, problems, tmp_path)


def test_code_is_made_at_the_first_call_and_better_code_takes_its_place(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    written = module.text_of

    def text(*kernels: Kernel, **given: object) -> str:
        made.extend(k.name for k in kernels if k in (caller, seldom))  # others may be made in the background
        return written(*kernels, **given)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(module, "text_of", text)
    call = compiled(caller)
    assert call(1.5, False) == 1.5
    assert made == ["caller"]
    assert call(1.5, True) == 2.5
    assert made == ["caller", "seldom"]
    first = compiled(seldom).cell[0]
    call.code.improve()
    background.wait()
    assert call(1.5, True) == 2.5  # better code, which asks for better code of what it calls
    background.wait()
    assert compiled(seldom).cell[0] != first
    assert call(1.5, True) == 2.5
    assert made == ["caller", "seldom"]  # its text is written once


def test_a_unit_has_no_more_than_the_call_of_a_lazy_kernel():
    target = host().scalar
    alone, whole = (text_of(normalise, target=target, lazy=lazy) for lazy in (normalise, None))
    assert "llvm.sqrt" in whole
    assert "llvm.sqrt" not in alone


def test_a_lazy_kernel_returns_one_value():
    with pytest.raises(KernelError, match=r"test_lazy.py:\d+: a lazy kernel returns one machine value, or none"):
        compiled(parts)(1.0)


def test_units_of_one_kernel_are_apart():
    other = Compiled(seldom, host().scalar)
    assert other(1.0) == compiled(seldom)(1.0) == 2.0
    assert other.cell[0] != compiled(seldom).cell[0]


def test_threads_find_the_same_code():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: compiled(normalise)(np.array([3.0, 4.0]), True), range(64)))
    assert found == [5.0] * 64


def test_ctrl_c_while_code_is_looked_up_is_heard_when_machine_code_has_returned():
    program = """
        import os, signal
        from kernel.test_lazy import caller
        from zeromass.kernel import compiled as module

        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of a shell may ignore it
        call, written = module.compiled(caller), module.text_of

        def text_of(*kernels, **given):
            os.kill(os.getpid(), signal.SIGINT)
            return written(*kernels, **given)

        module.text_of = text_of
        try:
            call(1.5, True)
        except KeyboardInterrupt:
            print("heard")
        print(call(1.5, True))
        """
    assert _run(program).stdout.split() == ["heard", "2.5"]


def test_code_is_made_where_the_stack_of_the_caller_is_nearly_full():
    program = """
        import sys
        from kernel.test_lazy import caller
        from zeromass.kernel.language import compiled

        call = compiled(caller)
        assert call(1.0, False) == 1.0

        def deep(n):
            return deep(n - 1) if n else call(1.0, True)

        depth = len(__import__("inspect").stack())
        assert deep(sys.getrecursionlimit() - depth - 25) == 2.0
        """
    assert _run(program).returncode == 0


def test_a_process_without_code_ends_with_the_name_of_the_kernel():
    program = """
        from kernel.test_lazy import caller
        from zeromass.kernel import compiled as module

        call = module.compiled(caller)
        module.text_of = None
        call(1.0, True)
        """
    done = _run(program)
    assert done.returncode != 0
    assert "there is no machine code of the kernel 'kernel.test_lazy.seldom'" in done.stderr


def _run(program: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(Path(__file__).resolve().parents[1]), *sys.path])
    env = {**os.environ, "PYTHONPATH": paths, "ZEROMASS_CACHE": "off"}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)
