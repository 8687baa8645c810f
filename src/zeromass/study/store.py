"""A study in a Zarr store: allocated before it begins, filled block by block, and gone on with where it stopped.

    results of a block ─► arrays ─► ledger

A block is believed once it stands in the ledger, and never written again. A process that dies in between leaves arrays that
nobody believes, and the block is done again; so is one with members under which the machine failed, whose values can be seen
until then.
"""

from __future__ import annotations

import glob
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import FileError
from zeromass.integrate.outcome import Ending
from zeromass.model import ModelError
from zeromass.model.given import path_of
from zeromass.study.blocks import Blocks
from zeromass.study.chunk import RECORDED, SIZE, Results, Study, blank, collect
from zeromass.study.encoded import Written, codecs
from zeromass.study.faults import undone
from zeromass.study.fingerprint import FORMAT, differences
from zeromass.study.labels import attributes, coordinates, variables
from zeromass.study.ledger import NAME, Ledger, Lock, checksum
from zeromass.study.members import Axes

if TYPE_CHECKING:
    import xarray
    import zarr

KINDS: dict[str, tuple[Any, Any]] = {"numbers": ("float64", np.nan), "counts": ("int64", 0), "words": (str, "")}
"""How values are stored, and what stands where there are none."""

FEWEST = 32
"""Blocks that a study is cut into if it can be, so that several processes can share it."""

MOST = 2**16
"""Blocks of a study at most, each with an entry in the ledger; beyond that they become larger."""

_OURS = "zeromass"

_ONLY_RESULTS = "only results"
"""What a store says of itself whose ledger has no blocks with faults of the machine."""


class Store:
    """The results of a study in a store; it is the place where results go, as `Gathered` is in memory.

    place  a folder, a URL that zarr and fsspec know, or a store of zarr
    """

    def __init__(self, place: Any, axes: Axes, study: Study, fingerprint: dict[str, Any]) -> None:
        self._axes, self._study = axes, study
        self._words = str(place)
        self._place, self._folder = _where(place)
        self._begun = False
        self._group = self._opened(fingerprint) or self._allocated(fingerprint)
        self._lock = Lock(self._folder) if self._folder is not None else None
        told: Any = self._group.attrs[_OURS]
        self.blocks: Blocks = Blocks(axes.shape, tuple(told["block"]))
        self.ledger: Ledger = Ledger(self._group, self._folder)
        self.ledger.clear()
        self._published = self.ledger.published()
        self._open: dict[int, tuple[Results, np.ndarray]] = {}
        self._arrays = {name: self._written(name, one.values) for name, one in variables(axes, study.work).items()}
        if not told.get(_ONLY_RESULTS):
            self._withdraw_faults(told)

    def _withdraw_faults(self, told: dict[str, Any]) -> None:
        """Withdraws blocks that an earlier version has published with members under which the machine failed."""
        arrays: list[Any] = [self._group[name] for name in ("outcome", "message")]
        for block in sorted(self._published):
            outcomes, messages = (np.asarray(array[self.blocks.place(block)]).ravel() for array in arrays)
            if undone(outcomes, messages).any():
                self.ledger.withdraw(block)
                self._published.discard(block)
        self._group.attrs[_OURS] = {**told, _ONLY_RESULTS: True}

    def _written(self, name: str, values: str) -> Written:
        array: Any = self._group[name]
        return Written(array, self._folder, fill=_nothing(name, values))

    def _opened(self, fingerprint: dict[str, Any]) -> zarr.Group | None:
        """What is there already; None where nothing is. Another study's store is refused."""
        import zarr
        from zarr.errors import GroupNotFoundError

        if self._folder is not None and not self._folder.exists():
            return None
        try:
            group = zarr.open_group(self._place, mode="r+", zarr_format=3)
        except (GroupNotFoundError, FileNotFoundError, NotADirectoryError, FileExistsError):
            if self._folder is None:
                return None
            raise FileError(f"'{self._words}' is there and is no store of a study; give another name") from None
        told: Any = group.attrs.get(_OURS)
        if told is None:
            raise FileError(f"'{self._words}' is there and is no store of a study; give another name")
        if "fingerprint" not in told:  # whoever allocated it did not come to the end
            self._begun = True
            return None
        if told["fingerprint"].get("format") != FORMAT:
            there = told["fingerprint"].get("format")
            raise FileError(f"'{self._words}' has the format {there!r} of another version of zeromass, not {FORMAT}")
        other = differences(told["fingerprint"], fingerprint)
        if other:
            raise FileError(
                f"'{self._words}' is the store of another study: {'; '.join(other)}. "
                "Give this one another name, or remove the store"
            )
        return group

    def _allocated(self, fingerprint: dict[str, Any]) -> zarr.Group:
        """The arrays of the study, without values; in a folder they appear together."""
        import zarr

        if self._folder is None:
            mode = "w" if self._begun else "w-"
            try:
                group = zarr.open_group(self._place, mode=mode, zarr_format=3, attributes={_OURS: {}})
            except FileExistsError:
                raise FileError(f"there is something else at '{self._words}'; give another name") from None
            return self._filled(group, fingerprint)
        try:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"'{self._words}' could not be written: {error.strerror or error}") from error
        fresh = _fresh(self._folder)
        try:
            self._filled(zarr.open_group(str(fresh), mode="w-", zarr_format=3), fingerprint)
            os.rename(fresh, self._folder)
        except OSError as error:
            if not self._folder.exists():  # who was faster has allocated the same, or is told apart
                raise FileError(f"'{self._words}' could not be written: {error.strerror or error}") from error
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        group = self._opened(fingerprint)
        assert group is not None
        return group

    def _filled(self, group: zarr.Group, fingerprint: dict[str, Any]) -> zarr.Group:
        axes, work = self._axes, self._study.work
        most = RECORDED if work.recording else SIZE
        count = len(axes)
        blocks = Blocks.of(axes.shape, max(min(most, -(-count // FEWEST)), -(-count // MOST)))
        for name, one in variables(axes, work).items():
            group.create_array(
                name,
                shape=one.shape,
                chunks=(*blocks.block, *one.shape[len(axes.shape) :]),
                dtype=KINDS[one.values][0],
                fill_value=_nothing(name, one.values),
                compressors=codecs(),
                dimension_names=one.dimensions,
                attributes=dict(one.attributes),
            )
        for name, (dimensions, values) in coordinates(axes, work).items():
            group.create_array(name, data=values, chunks=values.shape, dimension_names=dimensions)
        Ledger.allocate(group, len(blocks))
        from importlib.metadata import version

        told = {"fingerprint": fingerprint, "block": list(blocks.block), "version": version("zeromass")}
        told[_ONLY_RESULTS] = True
        group.attrs.update({**attributes(work), _OURS: told})
        return group

    # filling it ------------------------------------------------------------------------------------------------------
    def left(self, hands: int) -> Iterator[range]:
        """The blocks that are not published."""
        return (self.blocks.members(k) for k in range(len(self.blocks)) if k not in self._published)

    @property
    def done(self) -> int:
        """Members that are published."""
        return sum(len(self.blocks.members(k)) for k in self._published)

    def take(self, members: np.ndarray, results: Results) -> None:
        """Keeps results until their block is complete, and publishes it."""
        block = self.blocks.holding(int(members[0]))
        place = self.blocks.members(block)
        if len(members) < len(place):
            if block not in self._open:
                self._open[block] = blank(self._study.work, len(place)), np.zeros(len(place), dtype=bool)
            found, there = self._open[block]
            collect(found, members - place.start, results)
            there[members - place.start] = True
            if not there.all():
                return
            results, _ = self._open.pop(block)
        self.publish(block, results)

    def publish(self, block: int, results: Results) -> None:
        """Writes the values of a block, the outcomes last, and then its entry in the ledger, if all of them are results."""
        if block in self._published:
            return
        place = self.blocks.place(block)
        grid = tuple(part.stop - part.start for part in place)
        try:
            for name in sorted(results, key=lambda name: name == "outcome"):
                self._arrays[name].write(place, results[name].reshape(*grid, *results[name].shape[1:]))
            if undone(results["outcome"], results["message"]).any():
                return
            self.ledger.publish(block, checksum(results))
        except FileError:
            raise
        except OSError as error:
            why = f"{error.strerror or error}; what is there stays, and the study can go on with it"
            raise FileError(f"'{self._words}' could not be written: {why}") from error
        self._published.add(block)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.free()

    def dataset(self) -> xarray.Dataset:
        """What is there, read when it is looked at; members that are not done are "interrupted"."""
        import xarray

        found = xarray.open_zarr(self._place, chunks=None, consolidated=False, zarr_format=3, drop_variables=[NAME])
        del found.attrs[_OURS]
        return found[[*self._arrays]]


def _nothing(name: str, values: str) -> Any:
    """What stands where there are no values."""
    return Ending.INTERRUPTED.value if name == "outcome" else KINDS[values][1]


def _fresh(folder: Path) -> Path:
    """Where a folder is made before it gets its name; what processes of this machine have left there goes."""
    mine = f"{folder.name}.{socket.gethostname()}."
    for other in folder.parent.glob(f"{glob.escape(mine)}*.new"):
        process, *rest = other.name.removeprefix(mine).split(".")
        ours = len(rest) == 2 and len(rest[0]) == 8 and not other.is_symlink() and _begun(other)
        if ours and process.isdigit() and not _runs(int(process)):
            shutil.rmtree(other, ignore_errors=True)
    return folder.with_name(f"{mine}{os.getpid()}.{os.urandom(4).hex()}.new")


def _begun(folder: Path) -> bool:
    """Whether a folder is what `_allocated` makes first: a group of zarr, or nothing yet."""
    return folder.is_dir() and ((folder / "zarr.json").is_file() or not any(folder.iterdir()))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _where(place: Any) -> tuple[Any, Path | None]:
    """What zarr is told, and the folder where it is one."""
    try:
        from zarr.abc.store import Store as Objects
        from zarr.storage import LocalStore
    except ImportError:
        raise ModelError("store=… needs zarr, version 3: pip install 'zeromass[sweep]'") from None
    if isinstance(place, LocalStore):
        place = place.root
    if isinstance(place, Objects):
        return place, None
    if isinstance(place, str) and "://" in place and not place.startswith("file://"):
        return place, None
    if path_of(place) is None or "\0" in os.fspath(place):
        raise ModelError(f"store = {place!r}: give a folder, a URL, or a store of zarr")
    folder = Path(os.fspath(place).removeprefix("file://")).expanduser().resolve()
    return str(folder), folder
