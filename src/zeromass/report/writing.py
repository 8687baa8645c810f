"""Files written whole or not at all: the one way in which zeromass writes.

A file is written beside its place, flushed to the disk and then renamed: there is the old file or the new one, never half
of one. What a process that was killed has left beside a file is removed when that file is written again; a lock, which
ends with its process, tells it from the work of another.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from zeromass.errors import FileError
from zeromass.model import ModelError
from zeromass.model.given import path_of, shown

try:
    import fcntl
except ImportError:  # Windows: without locks nothing is known of other writers, and what they left stays
    fcntl = None

SPECIAL = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


PAGES = (".html", ".htm")
"""Endings of pages."""


def given_path(path: object, what: str = "run.nc") -> Path:
    """The path that is given, if it is one.

    what  such as it could be
    """
    found = path_of(path)
    if found is None:
        raise FileError(f"{shown(path)} is no path of a file; give a name such as '{what}'")
    return found


def with_ending(path: object, what: str, endings: Sequence[str], hint: str = "") -> Path:
    """The path of a file that is written in one of some forms, whose endings are known; one without an ending is as good.

    what  is written, such as "a run"
    hint  what else there is to do
    """
    found = given_path(path, f"{what.split()[-1]}{endings[0]}")
    if found.suffix and found.suffix.lower() not in endings:
        *most, last = endings
        known = f"{', '.join(most)} or {last}" if most else last
        raise ModelError(f"{what} is written as {known}, not '{path}'{hint}")
    return found


def write(path: str | PathLike[str], content: Callable[[Path], object]) -> Path:
    """Writes a file whole or not at all; `content` writes to the path that it is given, which has the same ending.

    A link is followed, what it points to is written; a pipe, a device or a folder is refused. A file that is replaced
    keeps its permissions.
    """
    path = given_path(path)
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:
        raise FileError(f"{str(path)!r} could not be written: no file can have this name ({error})") from error
    try:
        _replace(target, content)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"'{path}' could not be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        what = f"a text in it has half of a character, {error.object[error.start : error.end]!a}"
        raise FileError(f"'{path}' could not be written: {what}") from error
    return Path(path)


_pending: set[Path] = set()
"""Files that are written at this moment, beside their places."""

_abandoned: list[bool] = []
"""Not empty where the process is about to end, and nothing more is written."""


def abandon() -> None:
    """Removes what other threads are writing at this moment, and lets none begin, for the process is about to end."""
    _abandoned.append(True)
    for beside in list(_pending):
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def abandoned() -> bool:
    """Whether that was done."""
    return bool(_abandoned)


def _replace(target: Path, content: Callable[[Path], object]) -> None:
    kept = _permissions(target)
    family = f".zeromass-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"
    _swept(target.parent, family)
    beside, lock = _claimed(target, family)
    _pending.add(beside)
    try:
        if _abandoned:
            raise FileError(f"'{target}' is not written: the process is about to end")
        if kept is not None:
            with contextlib.suppress(OSError):  # a file system without permissions
                os.chmod(beside, kept)
        content(beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        _pending.discard(beside)
        if lock is not None:
            os.close(lock)


def _permissions(target: Path) -> int | None:
    """Of the file that is there, None where there is none; what is there and is no file is refused."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        what = SPECIAL.get(stat.S_IFMT(mode), "something else")
        raise FileError(f"'{target}' could not be written: it is {what}, and no file; give the name of a file")
    return stat.S_IMODE(mode)


def _claimed(target: Path, family: str) -> tuple[Path, int | None]:
    """A new file beside a target, and the descriptor that holds its lock."""
    ending = target.suffix if len(os.fsencode(target.suffix)) <= 16 else ""
    while True:
        beside = target.with_name(f"{family}{secrets.token_hex(4)}{ending}")
        fd = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if fcntl is None:
            os.close(fd)
            return beside, None
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        if os.fstat(fd).st_nlink:
            return beside, fd
        os.close(fd)  # another writer has swept it away before it was locked


def _swept(folder: Path, family: str) -> None:
    """Removes what killed writers of the same name have left; what can not be removed stays."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for stale in [entry.path for entry in os.scandir(folder) if _left_behind(entry.name, family)]:
            with contextlib.suppress(OSError):
                fd = os.open(stale, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where its writer is alive
                    os.unlink(stale)
                finally:
                    os.close(fd)


def _left_behind(name: str, family: str) -> bool:
    """Whether a file has a name that `_claimed` makes: eight digits, and an ending."""
    digits, _, _ = name.removeprefix(family).partition(".")
    return name.startswith(family) and len(digits) == 8 and {*digits} <= {*"0123456789abcdef"}
