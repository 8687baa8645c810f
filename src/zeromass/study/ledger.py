"""The ledger of a store: which blocks of a study are published. Nothing else is believed.

It is an array of the store with a chunk for each block, made once and never changed: a checksum of the block's values. Only
entries of blocks that hold no results are withdrawn. On a file system the entry appears whole, by a link to a file that was
written before; of two who publish one block, one succeeds. In other stores it is one object, made only if there is none.
"""

from __future__ import annotations

import hashlib
import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeromass.errors import FileError
from zeromass.study.chunk import Results

if TYPE_CHECKING:
    import zarr
    from zarr.abc.store import Store as Objects

NAME = "ledger"


def checksum(results: Results) -> int:
    """Of the values of a block, never 0: a number of 64 bits."""
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(results):
        values = results[name]
        plain = "\0".join(values.ravel().tolist()).encode() if values.dtype.kind in "OUT" else values.tobytes()
        digest.update(f"{name} {values.shape} ".encode() + plain)
    return int.from_bytes(digest.digest(), "little") or 1


class Ledger:
    """The entries of a ledger in a group of arrays; `folder` where these are files."""

    def __init__(self, group: zarr.Group, folder: Path | None) -> None:
        self._group, self._folder = group, folder

    @staticmethod
    def allocate(group: zarr.Group, blocks: int) -> None:
        group.create_array(
            NAME,
            shape=(blocks,),
            chunks=(1,),
            dtype="uint64",
            fill_value=0,
            compressors=None,
            dimension_names=["block"],
        )

    def published(self) -> set[int]:
        """The blocks that are."""
        if self._folder is not None:
            entries = self._folder / NAME / "c"
            names = os.listdir(entries) if entries.is_dir() else []
        else:
            names = [key.rpartition("/")[2] for key in _listed(self._group.store, f"{self._group.path}/{NAME}/c/")]
        return {int(name) for name in names if name.isdigit()}

    def clear(self) -> None:
        """Removes what processes that were killed have left beside the entries; for the one that fills the store."""
        if self._folder is not None:
            for left in (self._folder / NAME / "c").glob("*.*.new"):
                if all(part.isdigit() for part in left.name.split(".")[:-1]):  # a block and a process, as below
                    left.unlink(missing_ok=True)

    def publish(self, block: int, checksum: int) -> bool:
        """Makes the entry of a block; False where there is one."""
        entry = struct.pack("<Q", checksum)
        if self._folder is None:
            return _made(self._group.store, f"{self._group.path}/{NAME}/c/{block}".lstrip("/"), entry)
        place = self._folder / NAME / "c" / str(block)
        place.parent.mkdir(exist_ok=True)
        fresh = place.with_name(f"{block}.{os.getpid()}.new")
        fresh.write_bytes(entry)
        try:
            os.link(fresh, place)
        except FileExistsError:
            return False
        finally:
            fresh.unlink()
        return True

    def withdraw(self, block: int) -> None:
        """Removes the entry of a block, which is then done again."""
        if self._folder is not None:
            (self._folder / NAME / "c" / str(block)).unlink(missing_ok=True)
            return
        from zarr.core.sync import sync

        sync(self._group.store.delete(f"{self._group.path}/{NAME}/c/{block}".lstrip("/")))

    def entry(self, block: int) -> int:
        """The checksum of a published block, 0 where it is not."""
        ledger: Any = self._group[NAME]
        return int(ledger[block])


class Lock:
    """Held by the one process that fills a store in a folder; it is free when that process ends, however it does."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / NAME / "lock").open("a+b")
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise FileError(f"'{folder}' is being filled by another process; wait for it, or end it") from None

    def free(self) -> None:
        self._file.close()


def _listed(store: Objects, prefix: str) -> list[str]:
    from zarr.core.sync import sync

    async def found() -> list[str]:
        return [key async for key in store.list_prefix(prefix.lstrip("/"))]

    return sync(found())


def _made(store: Objects, key: str, content: bytes) -> bool:
    from zarr.core.buffer import default_buffer_prototype
    from zarr.core.sync import sync

    buffer = default_buffer_prototype().buffer.from_bytes(content)

    async def made() -> bool:
        if await store.exists(key):
            return False
        await store.set_if_not_exists(key, buffer)
        return True

    return sync(made())
