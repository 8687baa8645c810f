"""How much memory a run may take."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path

SHARE = 0.25
"""Part of the machine's memory that a run may take unless it is told otherwise."""

UNKNOWN = 4 * 2**30
"""Bytes that a machine is taken to have if it does not tell."""

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux tells what a container may use."""


@cache
def machine_memory() -> int:
    """Memory that this process can hope for, bytes: of the machine, or of the container or limit that it lives in."""
    found = [_installed(), *[limit for path in LIMITS if (limit := _told(path))]]
    if sys.platform != "win32":
        import resource

        for kind in ("RLIMIT_AS", "RLIMIT_DATA"):
            soft, _ = resource.getrlimit(getattr(resource, kind, resource.RLIMIT_DATA))
            found += [soft] if soft != resource.RLIM_INFINITY else []
    return min(found)


def usual_memory() -> int:
    """Bytes that a run may take unless it is told otherwise: a quarter of the machine's."""
    return int(SHARE * machine_memory())


def amount(size: float) -> str:
    """A number of bytes in words: '5.8 GiB'."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


def _installed() -> int:
    if sys.platform == "win32":
        return _installed_on_windows()
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def _installed_on_windows() -> int:
    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 6),
        )

    status = Status(length=ctypes.sizeof(Status))
    windows = getattr(ctypes, "windll")  # noqa: B009  (only there)
    return int(status.total) if windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else UNKNOWN


def _told(path: str) -> int | None:
    try:
        words = Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(words) if words.isdigit() and int(words) > 0 else None
