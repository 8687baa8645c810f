"""Targets, and machine code that is made for them from LLVM IR.

Code is there at once, made with little effort, and better code follows from the background where that is repaid.
"""

from __future__ import annotations

import ctypes
import functools
import math
import operator
import os
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from zeromass.codegen import background, cache
from zeromass.errors import ZeromassError

P = ParamSpec("P")
T = TypeVar("T")


class TargetError(ZeromassError, ValueError):
    """Code was asked for that this machine can not run."""


class Target(NamedTuple):
    """A kind of machine, as code is written for it.

    triple      LLVM's name of processor, maker and system
    cpu         LLVM's name of the processor; features: what it has beyond the least of its kind
    width       values that one operation of the code works on: 1, or so many lanes
    fused       whether a·b + c is one instruction
    convention  how functions inside a piece of code call one another
    outside     whether its code can not read the memory of this process: tables then have names, and not addresses

    >>> zm.host().width in (2, 4, 8)
    True
    >>> zm.host().scalar.width
    1
    """

    triple: str
    cpu: str
    features: str
    width: int
    fused: bool
    convention: str = "fastcc"
    outside: bool = False

    @property
    def scalar(self) -> Target:
        """The same machine, one value at a time."""
        return self.lanes(1)

    def lanes(self, width: int) -> Target:
        """The same machine, a number of values at a time."""
        return self._replace(width=_whole(width, "width", 1, None))

    def machine(self, effort: int) -> Any:
        """LLVM's compiler for it, with some effort, 0 to 3."""
        options: dict[str, Any] = {
            "cpu": self.cpu,
            "features": self.features,
            "jit": True,
            "opt": _whole(effort, "effort", 0, 3),
        }
        return llvm.Target.from_triple(self.triple).create_target_machine(**options)


def _whole(value: int, name: str, least: int, most: int | None) -> int:
    """A whole number between bounds."""
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or (most is not None and found > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        raise TargetError(f"{name}={value!r}: give a whole number, {allowed}")
    return found


CHOSEN = "ZEROMASS_CPU"
"""Name of the environment variable by which code is made for a lesser processor than this one has."""


class Level(NamedTuple):
    """What a kind of processor has, by LLVM's names of features, and how code for it is written."""

    needs: tuple[str, ...]
    width: int
    fused: bool
    features: str = ""


LEVELS = {
    "x86-64": Level((), 2, False),
    "x86-64-v2": Level(("sse4.2",), 2, False),
    "sandybridge": Level(("avx",), 4, False),
    "x86-64-v3": Level(("avx2", "fma"), 4, True),
    "x86-64-v4": Level(("avx512f", "avx512vl"), 8, True, "-prefer-256-bit"),
}
"""Kinds of processors that code can be made for on x86-64, by LLVM's names: from the least to AVX-512."""


@functools.cache
def host() -> Target:
    """The machine that this process runs on, with as many lanes as one of its registers holds float64 values.

    `$ZEROMASS_CPU` names a lesser processor, one of `LEVELS`, that code is made for instead: several machines then have the
    same code, and each has the bits of the others.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features, triple = llvm.get_host_cpu_features(), llvm.get_process_triple()
    chosen = os.environ.get(CHOSEN, "")
    if chosen:
        return _chosen(chosen, features, triple)
    wide = bool(features.get("avx512f", False))
    return Target(
        triple,
        llvm.get_host_cpu_name(),
        # 512-bit registers are used only on request: the code says how wide its vectors are
        features.flatten() + (",-prefer-256-bit" if wide else ""),
        width=8 if wide else 4 if features.get("avx", False) else 2,
        fused=bool(features.get("fma", False)) or triple.startswith(("aarch64", "arm64")),
    )


def levels() -> list[str]:
    """Names of the kinds of processors whose code this machine can run, see `LEVELS`; none but on x86-64."""
    features, triple = llvm.get_host_cpu_features(), llvm.get_process_triple()
    if not triple.startswith("x86_64"):
        return []
    return [name for name, level in LEVELS.items() if all(features.get(need, False) for need in level.needs)]


def _chosen(name: str, features: Mapping[str, bool], triple: str) -> Target:
    if name not in LEVELS:
        raise TargetError(f"{CHOSEN}={name}: there are {', '.join(LEVELS)}")
    if name not in levels():
        missing = [need for need in LEVELS[name].needs if not features.get(need, False)] or ["x86-64"]
        fit = f"; it can run {', '.join(levels())}" if levels() else ""
        raise TargetError(f"{CHOSEN}={name}: this machine has no {' and no '.join(missing)}{fit}")
    level = LEVELS[name]
    return Target(triple, name, level.features, width=level.width, fused=level.fused)


FIRST, BEST = 0, 2
"""LLVM's effort for code that is needed now, and for code that is run often; the arithmetic is the same, to the bit."""


class Code:
    """Machine code of LLVM IR text; the address of a function stays valid as long as this object lives.

    text    or what writes it: where machine code was kept by an earlier process, the text is not needed
    origin  what the text follows from, whatever the target: by it, machine code is kept for later processes, see `cache`
    effort  LLVM's effort that it is first made with, 0 to 3
    passes  whether LLVM's passes are run over the text first: one that has its variables in memory needs them
    keep    what must live as long as the code, because it reads their memory
    bind    writes addresses into code that was loaded, made with an effort, before anybody calls it
    """

    improvements: ClassVar[int] = 0
    """How often better code has been made in this process: addresses that were known before may be of older code."""

    def __init__(
        self,
        text: str | Callable[[], str],
        target: Target,
        *,
        origin: str | None = None,
        effort: int = FIRST,
        passes: bool = False,
        keep: Any = None,
        bind: Callable[[Any, int], None] | None = None,
    ) -> None:
        self._text, self._target, self._passes, self._kept, self._bind = text, target, passes, keep, bind
        self.origin: str | None = origin
        best = self._found(BEST) if effort < BEST else None
        background.queue.waited = math.inf
        try:
            self._engines = [self._loaded(best or self._machine_code(effort), BEST if best else effort)]
        finally:
            background.queue.waited = monotonic()
        self._addresses: dict[str, int] = {}
        self._asked = best is not None or effort >= BEST

    def _machine_code(self, effort: int) -> bytes:
        """What was kept by an earlier process, or else made now."""
        found = self._found(effort)
        if found is None:
            text = self._text if isinstance(self._text, str) else self._text()
            if self._passes:
                from zeromass.codegen.passes import optimised  # code of formulas needs none

                module, machine = optimised([text], self._target, (), effort)
            else:
                machine = self._target.machine(effort)
                module = llvm.parse_assembly(text)
                module.triple = self._target.triple
                module.data_layout = str(machine.target_data)
            found = machine.emit_object(module)
            if self.origin is not None:
                cache.write(self._name(effort), found)
        return found

    def _found(self, effort: int) -> bytes | None:
        return None if self.origin is None else cache.read(self._name(effort))

    def _name(self, effort: int) -> str:
        assert self.origin is not None
        compiler = f"{llvmlite.__version__} {llvm.llvm_version_info} {effort}"
        return cache.digest(self.origin, repr(self._target), compiler)

    def _loaded(self, code: bytes, effort: int) -> Any:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._target.machine(FIRST))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        if self._bind is not None:
            self._bind(engine, effort)
        return engine

    def address(self, name: str) -> int:
        """Of a function, in the best code there is; zero if there is none of that name."""
        known = self._addresses
        if name not in known:
            known[name] = self._engines[-1].get_function_address(name)
        return known[name]

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """The function as a ctypes callable; the code is kept alive with it."""
        call = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        call.code = self  # type: ignore[attr-defined]
        return call

    def improve(self) -> None:
        """Makes better code in the background, once; nobody waits for it."""
        if not self._asked:
            self._asked = True
            background.later(self._improved)

    def _improved(self) -> None:
        engine = self._loaded(self._machine_code(BEST), BEST)
        self._text = ""  # it is not needed again
        self._engines.append(engine)
        self._addresses = {name: engine.get_function_address(name) for name in list(self._addresses)}
        Code.improvements += 1


def address(x: np.ndarray) -> int:
    """Of the memory of an array."""
    if x.size and x.flags.carray:  # three times as quick as `ctypes.data`, which is for every array
        return ctypes.addressof(ctypes.c_char.from_buffer(x))  # pyright: ignore[reportArgumentType]
    return x.ctypes.data


def once(f: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache`, but a result that a thread has is never replaced by one that another made at the same time.

    For machine code, whose address may stand in memory by then: what is replaced is freed.
    """
    known: dict[Any, T] = {}

    @functools.wraps(f)
    def result(*args: P.args, **kwargs: P.kwargs) -> T:
        key = args, tuple(kwargs.items())
        found = known.get(key)
        return known.setdefault(key, f(*args, **kwargs)) if found is None else found

    return result


_made: WeakValueDictionary[tuple[str, Target, int], Code] = WeakValueDictionary()


def shared(text: Callable[[], str], target: Target, origin: str, effort: int) -> Code:
    """The machine code of an origin, of which there is one in a process."""
    key = origin, target, effort
    known = _made.get(key)
    return _made.setdefault(key, Code(text, target, origin=origin, effort=effort)) if known is None else known
