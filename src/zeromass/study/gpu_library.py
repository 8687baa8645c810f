"""NVIDIA's driver as a library of C: found where it is, and called so that what fails is said."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

from zeromass.model import ModelError

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


class NoCard(ModelError):
    """There is no graphics card that a study could run on."""


@cache
def library() -> Any:
    """The driver, ready to be called."""
    try:
        found = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise NoCard(f"on='gpu': NVIDIA's driver is not there ({error}); use on='cores'") from None
    _check(found, "cuInit", 0)
    return found


def _check(driver: Any, name: str, *arguments: Any) -> None:
    code = getattr(driver, name)(*arguments)
    if code:
        words = ctypes.c_char_p()
        driver.cuGetErrorString(code, ctypes.byref(words))
        kind = NoCard if name.startswith(("cuInit", "cuDevice")) else RuntimeError
        raise kind(f"on='gpu': {name} failed with {code}: {(words.value or b'unknown').decode()}")


def call(name: str, *arguments: Any) -> None:
    """A function of the driver; an error where it fails."""
    _check(library(), name, *arguments)


def got(name: str, kind: Any, *arguments: Any) -> Any:
    """What a function of the driver writes to its first argument."""
    found = kind()
    call(name, ctypes.byref(found), *arguments)
    return found
