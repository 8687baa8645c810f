"""Machine code that outlives its process, as files in a folder of the user's.

Code is found by a digest of everything that it follows from, so that nothing old is ever taken for it. A file that is
damaged, or a folder that others may write to, is not believed. Nothing here fails: without a folder, or with a full disk,
code is made anew.

The folder is `$ZEROMASS_CACHE`, or else `zeromass` among the user's caches; `ZEROMASS_CACHE=off` keeps nothing. It may have
other files, which are neither counted nor removed: ours have a digest as their name, and begin with `FORMAT`.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from threading import get_ident

try:
    from _blake2 import blake2b  # hashlib would bring OpenSSL with it, which takes longer to load than code to find
except ImportError:  # not CPython
    from hashlib import blake2b

FORMAT = b"zeromass code 1\n"
DIGEST = 16
LARGEST = 256 << 20
"""Bytes that the folder may hold: beyond them, what was not used for longest is removed."""
MANY = 4_000
"""Files that it may hold: who writes looks at all of them."""
_OFTEN = 50
"""Files after which the size of the folder is looked at again."""

_written = 0


def digest(*parts: str | bytes) -> str:
    """A name for some texts, another one for others."""
    found = blake2b(digest_size=DIGEST)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


def sources(*packages: str) -> str | None:
    """A digest of the files of some packages of zeromass, of what writes code; None where there are no such files.

    Of their paths, sizes and times of change, by which Python too knows whether what it has compiled of them is old: to read
    all of them would take longer than to find the code.
    """
    found = [_files(package) for package in packages]
    return digest(*found) if any(found) else None


@cache
def _files(package: str) -> str:
    """A digest of one of them, empty where it is not there."""
    parts: list[str] = []
    waiting = [os.path.join(os.path.dirname(os.path.dirname(__file__)), package)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    stat = entry.stat()
                    parts.append(f"{entry.path} {stat.st_size} {stat.st_mtime_ns}")
                elif entry.is_dir():
                    waiting.append(entry.path)
    return digest(*parts) if parts else ""


def kept() -> bool:
    """Whether there is a folder."""
    return _folder(os.environ.get("ZEROMASS_CACHE")) is not None


def read(name: str) -> bytes | None:
    """Code that was kept under a name; None if there is none, or if it is not as it was."""
    folder = _folder(os.environ.get("ZEROMASS_CACHE"))
    if folder is None:
        return None
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    head, code = data[: len(FORMAT) + 2 * DIGEST], data[len(FORMAT) + 2 * DIGEST :]
    if head != FORMAT + digest(code).encode():
        return None  # it is replaced by what is made now
    with suppress(OSError):
        os.utime(path)  # it was used
    return code


def write(name: str, code: bytes) -> None:
    """Keeps code under a name: whole, or not at all."""
    global _written
    folder = _folder(os.environ.get("ZEROMASS_CACHE"))
    if folder is None:
        return
    new = os.path.join(folder, f"{name}.{os.getpid()}.{get_ident()}.new")
    try:
        with open(new, "xb") as file:
            file.write(FORMAT + digest(code).encode() + code)
        os.replace(new, os.path.join(folder, name))
        if _written % _OFTEN == 0:
            _prune(folder, LARGEST, MANY)
        _written += 1
    except OSError:
        with suppress(OSError):
            os.remove(new)


def _prune(folder: str, largest: int, many: int) -> None:
    """Removes what was not used for longest of our files, until three quarters of the largest size and number are left."""
    with os.scandir(folder) as entries:
        found = [(e.stat(), e.path) for e in entries if _is_name(e.name) and e.is_file(follow_symlinks=False)]
    if sum(stat.st_size for stat, _ in found) <= largest and len(found) <= many:
        return
    found = [one for one in found if _is_ours(one[1])]
    size, count = sum(stat.st_size for stat, _ in found), len(found)
    if size <= largest and count <= many:
        return
    for stat, path in sorted(found, key=lambda one: one[0].st_mtime_ns):
        with suppress(OSError):
            os.remove(path)
        size, count = size - stat.st_size, count - 1
        if size <= 0.75 * largest and count <= 0.75 * many:
            return


def _is_name(name: str) -> bool:
    """Whether a file of ours could have this name: a digest, and before the file is whole a process and a thread."""
    first, *rest = name.split(".")
    known = len(first) == 2 * DIGEST and {*first} <= {*"0123456789abcdef"}
    return known and (not rest or (len(rest) == 3 and rest[2] == "new" and rest[0].isdigit() and rest[1].isdigit()))


def _is_ours(path: str) -> bool:
    """Whether a file of such a name begins as ours do; one that is not whole may have only some of that."""
    try:
        with open(path, "rb") as file:
            begin = file.read(len(FORMAT))
    except OSError:
        return False
    return begin == FORMAT or (path.endswith(".new") and FORMAT.startswith(begin))


@cache
def _folder(asked: str | None) -> str | None:
    """The folder, made if need be; None if nothing is to be kept or if others may write there."""
    if asked is not None and asked.lower() in ("", "0", "off", "no"):
        return None
    folder = os.path.abspath(os.path.expanduser(asked) if asked else os.path.join(_caches(), "zeromass"))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        stat = os.stat(folder)
    except OSError:
        return None
    if os.name == "posix" and (stat.st_uid != os.geteuid() or stat.st_mode & 0o022 or _replaceable(folder)):
        return None
    return folder


def _replaceable(folder: str) -> bool:
    """Whether everybody may put another folder in its place: one above it is open to all, and not sticky as /tmp is."""
    above = os.path.realpath(folder)
    while above != (above := os.path.dirname(above)):
        mode = os.stat(above).st_mode
        if mode & 0o002 and not mode & 0o1000:
            return True
    return False


def _caches() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
