"""NVIDIA's driver, called through ctypes: it comes with the card, and nothing else has to be installed.

card = Card.first()
kernel = card.kernel(ptx, "name", threads=256, shared=65536)
stream = Stream(card)
memory = stream.memory(array)
kernel(stream, *packed([memory.address, 3, 0.5]))
stream.read(memory, array)
"""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from zeromass.study.gpu_library import NoCard, call, got, library

MAJOR, MINOR, PROCESSORS, SHARED_BYTES, THREADS = 75, 76, 16, 97, 39
"""Attributes of a card: the version of what it can do, its multiprocessors, the most memory that a block shares, and how
many threads a multiprocessor has."""

MOST_STACK = 1 << 18
"""Bytes of a thread's stack at most."""

GRAIN = 1 << 21
"""Bytes that memory is taken by."""

NON_BLOCKING = 1
"""Streams that do not wait for the others."""

DYNAMIC_SHARED = 8
"""Attribute of a kernel: bytes that the threads of its blocks share."""

WAIT = 5e-4
"""Seconds between looks at whether a kernel has ended; Ctrl-C is noticed there."""

_NOT_READY = 600


class Memory:
    """Bytes on a card, given back to it with this object."""

    def __init__(self, card: Card, size: int) -> None:
        self.size: int = -(-max(size, 1) // GRAIN) * GRAIN
        self.address: Any = ctypes.c_uint64(card.taken(self.size))
        weakref.finalize(self, card.given_back, self.size, self.address.value)

    def place(self, offset: int) -> Any:
        """The address of a byte."""
        return ctypes.c_uint64(self.address.value + offset)


class Stream:
    """Copies and kernels that follow one another, while those of other streams go on."""

    def __init__(self, card: Card) -> None:
        card.use()
        self.card: Card = card
        self.handle: Any = got("cuStreamCreate", ctypes.c_void_p, NON_BLOCKING)
        weakref.finalize(self, _ended, card, self.handle.value)

    def memory(self, array: np.ndarray) -> Memory:
        """An array, copied onto the card."""
        found = Memory(self.card, array.nbytes)
        size = ctypes.c_size_t(array.nbytes)
        call("cuMemcpyHtoDAsync_v2", found.address, ctypes.c_void_p(array.ctypes.data), size, self.handle)
        return found

    def read(self, memory: Memory, array: np.ndarray) -> np.ndarray:
        """An array, filled from the card."""
        size = ctypes.c_size_t(array.nbytes)
        call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(array.ctypes.data), memory.address, size, self.handle)
        call("cuStreamSynchronize", self.handle)
        return array


def _ended(card: Card, handle: int) -> None:
    card.use()
    library().cuStreamDestroy_v2(ctypes.c_void_p(handle))


class Card:
    """A graphics card.

    seconds      that kernels have worked
    version      of what it can do: (9, 0) for Hopper
    processors   its multiprocessors
    shared       most bytes that the threads of a block share
    memory       its bytes
    """

    seconds: float

    def __init__(self, number: int) -> None:
        self.device: Any = got("cuDeviceGet", ctypes.c_int, number)
        name = ctypes.create_string_buffer(128)
        call("cuDeviceGetName", name, 128, self.device)
        self.name: str = name.value.decode()
        self.version: tuple[int, int] = self._attribute(MAJOR), self._attribute(MINOR)
        self.processors: int = self._attribute(PROCESSORS)
        self.shared: int = self._attribute(SHARED_BYTES)
        self._context = got("cuDevicePrimaryCtxRetain", ctypes.c_void_p, self.device)
        self.memory: int = got("cuDeviceTotalMem_v2", ctypes.c_size_t, self.device).value
        self._stack = 0
        self._lock = threading.Lock()
        self._free: dict[int, list[int]] = {}
        self._kernels: dict[tuple[str, str, int, int], Kernel] = {}
        self.use()
        self._beginning = _recorded(None)
        self.seconds, self._until = 0.0, 0.0

    @staticmethod
    @cache
    def first() -> Card:
        """The card that `CUDA_VISIBLE_DEVICES` names first."""
        if not got("cuDeviceGetCount", ctypes.c_int).value:
            raise NoCard("on='gpu': there is no graphics card of NVIDIA's here; use on='cores'")
        return Card(0)

    def _attribute(self, which: int) -> int:
        return got("cuDeviceGetAttribute", ctypes.c_int, which, self.device).value

    def use(self) -> None:
        """Makes it the card of this thread."""
        call("cuCtxSetCurrent", self._context)

    def taken(self, size: int) -> int:
        """The address of some bytes: what was given back is taken again, since to free it waits for all kernels."""
        with self._lock:
            if self._free.get(size):
                return self._free[size].pop()
        self.use()
        return got("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(size)).value

    def given_back(self, size: int, address: int) -> None:
        with self._lock:
            self._free.setdefault(size, []).append(address)

    def worked(self, begin: Any, end: Any) -> None:
        """Counts a kernel; what two of them did at once counts once."""
        first, last = (got("cuEventElapsedTime", ctypes.c_float, self._beginning, e).value / 1e3 for e in (begin, end))
        with self._lock:
            self.seconds += max(0.0, last - max(first, self._until))
            self._until = max(last, self._until)

    def has_stack(self, stack: int) -> bool:
        """Whether stacks of some bytes for all threads that run at once take half of the memory at most."""
        threads = self.processors * self._attribute(THREADS)
        return stack <= MOST_STACK and 2 * stack * threads <= self.memory

    def reserve_stack(self, stack: int) -> None:
        """Reserves a stack of some bytes at least for every thread."""
        self.use()
        with self._lock:
            if stack > self._stack:
                call("cuCtxSetLimit", 0, ctypes.c_size_t(stack))
                self._stack = stack

    def kernel(self, ptx: str, name: str, threads: int, shared: int) -> Kernel:
        """A function of a text in PTX; one that is there already is not assembled again."""
        self.use()
        key = ptx, name, threads, shared
        if key not in self._kernels:
            self._kernels[key] = Kernel(self, *key)
        return self._kernels[key]


class Kernel:
    """A function on a card, in as many blocks as fit there at once.

    registers  that a thread has, and `spilled` bytes for which there were none
    """

    def __init__(self, card: Card, ptx: str, name: str, threads: int, shared: int) -> None:
        self.card: Card = card
        self.threads: int = threads
        self.shared: int = shared
        self._module = got("cuModuleLoadData", ctypes.c_void_p, ptx.encode() + b"\0")
        self._function = got("cuModuleGetFunction", ctypes.c_void_p, self._module, name.encode())
        call("cuFuncSetAttribute", self._function, DYNAMIC_SHARED, shared)
        self.registers: int = got("cuFuncGetAttribute", ctypes.c_int, 4, self._function).value
        self.spilled: int = got("cuFuncGetAttribute", ctypes.c_int, 3, self._function).value
        together = got(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.c_int,
            *(self._function, threads, ctypes.c_size_t(shared)),
        )
        self.blocks: int = max(1, together.value) * card.processors

    def __call__(self, stream: Stream, *arguments: Any) -> None:
        """Runs it and waits for its end."""
        self.card.use()
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        begin = _recorded(stream.handle)
        size = (self.blocks, 1, 1, self.threads, 1, 1)
        call("cuLaunchKernel", self._function, *size, self.shared, stream.handle, pointers, None)
        end = _recorded(stream.handle)
        _wait(end)
        self.card.worked(begin, end)
        for event in (begin, end):
            call("cuEventDestroy_v2", event)


def _recorded(stream: Any) -> Any:
    """An event that happens when a stream comes to it."""
    event = got("cuEventCreate", ctypes.c_void_p, 0)
    call("cuEventRecord", event, stream or ctypes.c_void_p(0))
    return event


def _wait(event: Any) -> None:
    while (code := library().cuEventQuery(event)) == _NOT_READY:
        time.sleep(WAIT)
    if code:
        call("cuEventSynchronize", event)


def packed(values: Sequence[float | int | ctypes.c_uint64]) -> list[Any]:
    """Arguments of a kernel: addresses, whole numbers and numbers."""
    return [
        value
        if isinstance(value, ctypes.c_uint64)
        else ctypes.c_int64(value)
        if isinstance(value, int)
        else ctypes.c_double(value)
        for value in values
    ]
