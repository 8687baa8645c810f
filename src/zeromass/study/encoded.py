"""Chunks of arrays as Zarr 3 lays them out: numbers by their bytes, words with their lengths, compressed by Zstandard.

They are written here, whole or not at all: zarr-python would take a millisecond for each, ten times what the file takes. It
reads them, as others do.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import zarr

LEVEL = 1
"""Of compression; a checksum of what was compressed goes with it, which whoever reads it compares."""


def codecs() -> list[Any]:
    """What arrays say of their chunks."""
    from zarr.codecs import ZstdCodec

    return [ZstdCodec(level=LEVEL, checksum=True)]


class Written:
    """An array of a store, one chunk of which is written at a time.

    folder  where it is one of files
    """

    def __init__(self, array: zarr.Array[Any], folder: Path | None, *, fill: Any) -> None:
        self._array, self._folder, self._fill = array, folder, fill
        self._words = not isinstance(fill, float | int)
        self._made: set[Path] = set()

    def write(self, place: tuple[slice, ...], values: np.ndarray) -> None:
        """Writes the chunk that begins at a place and has these values; one without any is not there."""
        sizes = self._array.chunks
        at = [part.start // size for part, size in zip(place, sizes, strict=False)]
        key = self._array.metadata.encode_chunk_key((*at, *[0] * (len(sizes) - len(at))))  # type: ignore[union-attr]
        self._put(key, self._encoded(values, sizes))

    def _encoded(self, values: np.ndarray, sizes: tuple[int, ...]) -> bytes | None:
        from numcodecs.vlen import VLenUTF8
        from numcodecs.zstd import Zstd

        chunk = np.full(sizes, self._fill, dtype=object if self._words else np.array(self._fill).dtype)
        chunk[tuple(slice(n) for n in values.shape)] = values
        nothing = np.isnan(chunk) if self._fill != self._fill else chunk == self._fill
        if np.all(nothing):
            return None
        plain = (
            VLenUTF8().encode(chunk.ravel()) if self._words else chunk.astype(chunk.dtype.newbyteorder("<")).tobytes()
        )
        return bytes(Zstd(level=LEVEL, checksum=True).encode(plain))

    def _put(self, key: str, content: bytes | None) -> None:
        if self._folder is None:
            self._put_elsewhere(f"{self._array.path}/{key}", content)
            return
        path = self._folder / self._array.path / key
        if content is None:
            path.unlink(missing_ok=True)
            return
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        fresh = path.with_name(f"{path.name}.new")  # one process at a time fills a store
        fresh.write_bytes(content)
        fresh.replace(path)

    def _put_elsewhere(self, key: str, content: bytes | None) -> None:
        from zarr.core.buffer import default_buffer_prototype
        from zarr.core.sync import sync

        store = self._array.store
        if content is None:
            sync(store.delete(key))
        else:
            sync(store.set(key, default_buffer_prototype().buffer.from_bytes(content)))
