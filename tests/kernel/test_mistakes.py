"""What is not in the language of kernels is said in plain words, with file and line; debug mode finds wrong indices."""

# ruff: noqa: RET503

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

from zeromass.codegen.target import host
from zeromass.kernel import compiled as module
from zeromass.kernel.language import Compiled, Kernel, KernelError, Reals, Reals2, Struct, compiled, kernel, reals


class Pair(Struct):
    x: float
    y: Reals


@kernel
def int_and_float(x: Reals) -> float:
    total = 0
    for i in range(len(x)):
        total += x[i]  # here
    return float(total)


@kernel
def not_a_kernel(x: Reals) -> float:
    return sum(x)  # here


@kernel
def recursive(n: int) -> int:
    return recursive(n - 1)  # here


@kernel
def variable_size(n: int) -> None:
    reals(n)  # here


@kernel
def a_list(x: float) -> float:
    y = [x, x]  # here
    return y[0]


@kernel
def no_value(x: float) -> float:  # here
    if x > 0.0:
        return 1.0


@kernel
def whole_array(x: Reals) -> Reals:
    return x * 2.0  # here


@kernel
def no_type(x, n: int) -> float:  # here
    return 1.0


@kernel
def no_result(x: float):  # here
    pass


@kernel
def wrong_argument(x: float) -> float:
    return int_and_float(x)  # here


@kernel
def no_truth(x: float) -> float:
    return 1.0 if x else 2.0  # here


@kernel
def a_power(x: float) -> float:
    return x**2  # here


@kernel
def tried(x: float) -> float:
    try:  # here
        return x
    finally:
        pass


@kernel
def a_column(A: Reals2) -> float:
    return A[:, 0][0]  # here


@kernel
def over_elements(x: Reals) -> float:
    for v in x:  # here
        return v
    return 0.0


@kernel
def unknown_field(p: Pair) -> float:
    return p.z  # here


@kernel
def moved_view(p: Pair, y: Reals) -> None:
    p.y = y  # here


@kernel
def row_as_element(A: Reals2, x: Reals) -> None:
    A[0] = x  # here


@kernel
def two_types(n: int, p: Pair) -> float:
    return n if n > 0 else p  # here


@kernel
def unknown_name(x: float) -> float:
    return x + undefined_name  # noqa: F821  # here


@kernel
def keyword(x: float) -> float:
    return reals(n=3)[0]  # here


@kernel
def no_number(x: float) -> float:
    return x + "1"  # here


MESSAGES = {
    int_and_float: "'total' is int since its first value, and not float; begin it with a float such as 0.0",
    not_a_kernel: "'sum' is no kernel and not part of the language",
    recursive: "'recursive' calls itself",
    variable_size: "sizes of a local array, one or two, are constants",
    a_list: r"'\[x, x\]' \(List\) is not in the language",
    no_value: "may end without a value, and returns float",
    whole_array: r"'x \* 2.0' calculates with float\[:\]; write a loop",
    no_type: "argument 'x' has no type",
    no_result: "'no_result' does not say what it returns",
    wrong_argument: r"argument 'x' must be float\[:\], and not float",
    no_truth: "'x' is float where a bool is needed; compare it",
    a_power: "floats have",
    tried: "'Try' statements are not in the language",
    a_column: "a part is of rows that follow one another",
    over_elements: "goes over range",
    unknown_field: "Pair has no field 'z'; there are x, y",
    moved_view: r"'p.y' is float\[:\]; only numbers in structs change",
    row_as_element: r"write 'A\[0\]\[:\]' to fill it",
    two_types: "is int or Pair; both must be of one type",
    unknown_name: "'undefined_name' has no value here",
    keyword: "given by their places",
    no_number: "'1' is no number",
}


@pytest.mark.parametrize("k", MESSAGES, ids=lambda k: k.name)
def test_mistakes_are_named_with_file_and_line(k: Kernel):
    lines, first = inspect.getsourcelines(k.f)
    line = first + next(i for i, text in enumerate(lines) if "# here" in text)
    with pytest.raises(KernelError, match=MESSAGES[k]) as caught:
        compiled(k)
    assert caught.value.filename == __file__
    assert caught.value.lineno == line
    assert f"in kernel '{k.name}'" in str(caught.value)


@kernel
def summed(x: Reals, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += x[i]  # element
    return total


@kernel
def sliced(x: Reals, low: int, high: int) -> float:
    y = x[low:high]  # part
    y[:] = 1.0
    assert len(y) != 2  # assertion
    return summed(y, len(y))


def line_of(k: Kernel, mark: str) -> int:
    lines, first = inspect.getsourcelines(k.f)
    return first + next(i for i, text in enumerate(lines) if mark in text)


def test_debug_mode_names_the_line_of_a_wrong_index():
    x = np.arange(3.0)
    code = Compiled(summed, host().scalar, debug=True)
    assert code(x, 3) == 3.0
    with pytest.raises(IndexError, match=rf"test_mistakes.py:{line_of(summed, '# element')}: an index"):
        code(x, 4)
    assert code(x, 2) == 1.0  # and goes on
    with pytest.raises(IndexError):
        summed(x, 4)


@pytest.mark.parametrize(
    ("low", "high", "mark"), [(2, 4, "# part"), (-1, 2, "# part"), (2, 1, "# part"), (0, 2, "# assertion")]
)
def test_debug_mode_looks_at_parts_and_assertions(low, high, mark):
    with pytest.raises(IndexError, match=f"test_mistakes.py:{line_of(sliced, mark)}:"):
        Compiled(sliced, host().scalar, debug=True)(np.zeros(3), low, high)
    with pytest.raises((IndexError, AssertionError)):
        sliced(np.zeros(3), low, high)
    assert Compiled(sliced, host().scalar, debug=True)(np.zeros(3), 0, 3) == 3.0


def test_negative_indices_do_not_wrap():
    @kernel
    def last(x: Reals, i: int) -> float:
        return x[i]

    with pytest.raises(IndexError, match="index -1 is negative"):
        last(np.zeros(3), -1)


def test_python_stops_at_the_line_of_the_source():
    """What a debugger needs: frames of the oracle have the file and the line of the kernel."""
    with pytest.raises(IndexError) as caught:
        summed(np.zeros(3), 4)
    frame = caught.traceback[-1]
    assert frame.path == Path(__file__)
    assert frame.lineno + 1 == line_of(summed, "# element")


def test_machine_code_is_found_again_without_its_text(tmp_path, monkeypatch):
    """Code of zeromass's own kernels is cached under the digest of the sources: found again, no IR is written."""
    monkeypatch.setenv("ZEROMASS_CACHE", str(tmp_path))
    own = Kernel(summed.f)
    own.__module__ = "zeromass.kernel.sample"
    assert Compiled(own, host().scalar)(np.arange(3.0), 3) == 3.0
    monkeypatch.setattr(module, "text_of", None)
    assert Compiled(own, host().scalar)(np.arange(3.0), 2) == 1.0
    with pytest.raises(TypeError):  # that of others is not, whose sources may change unseen
        Compiled(summed, host().scalar)
