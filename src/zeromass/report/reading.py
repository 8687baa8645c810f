"""Runs out of files. Nothing in a file is believed before it is checked, and nothing in it is executed.

Sizes are compared with what the file has before anything is allocated; numbers and words with the checksum that was
written with them; shapes with the system, for machine code follows them. Whatever is wrong comes out as one FileError.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.errors import FileError, ZeromassError
from zeromass.expression import Grid
from zeromass.integrate import Ending, Impulse, Occurrence, Outcome, Segment, Settings, Statistics
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.joined import parted
from zeromass.integrate.memory import amount, machine_memory
from zeromass.integrate.passages import Passage
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.model import State, System
from zeromass.model.record import reader_of
from zeromass.report.checksum import broken, checksum
from zeromass.report.origin import Origin
from zeromass.report.writing import SPECIAL

if TYPE_CHECKING:
    import h5py

FORMAT = "zeromass run 4"
UNSEALED = "zeromass run 3"
"""The format before runs had a checksum; it is read too."""
WHOLE = "zeromass run 2"
"""The format before runs had segments; it is read too."""

DENSEST = 1100
"""Bytes of numbers for each byte of a packed array at most; by deflate, with which netCDF files are packed, 1032."""

Arrays = dict[str, np.ndarray]
Words = dict[str, Any]


class _Damage(ZeromassError, ValueError):
    """What is wrong with a file."""


def read(path: str | PathLike[str]) -> tuple[list[Segment], Origin]:
    """The segments and the origin of a run that `save` wrote.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.report import read
    >>> (segment,), origin = read(run.save(folder / "spring.nc"))
    >>> bool(np.all(segment.y == run.y)), origin == run.origin
    (True, False)
    """
    with _blaming(path):
        arrays, words = _content(path)
        if words["format"] == WHOLE:
            arrays, words = _renewed(arrays, words)
        return _segments(arrays, words), Origin.from_attributes(words)


@contextmanager
def _blaming(path: str | PathLike[str]) -> Iterator[None]:
    """Turns whatever fails inside into one error that names the file: what can not be read was not written by `save`."""
    try:
        yield
    except FileError:
        raise
    except _Damage as error:
        raise FileError(f"'{path}' could not be read as a run: {error}") from error
    except MemoryError as error:
        raise FileError(f"'{path}' could not be read as a run: there is not enough memory for it") from error
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        short = " ".join(what.split())
        raise FileError(
            f"'{path}' could not be read as a run: it is damaged, or was not written by zeromass ({short[:300]})"
        ) from error


def _content(path: str | PathLike[str]) -> tuple[Arrays, Words]:
    """The arrays and the attributes of a file that a run is made again from."""
    import h5py

    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        raise _Damage("there is no such file") from None
    except (OSError, ValueError) as error:
        raise _Damage(str(getattr(error, "strerror", None) or error)) from error
    if not stat.S_ISREG(mode):
        raise _Damage(f"it is {SPECIAL.get(stat.S_IFMT(mode), 'something else')}, and no file")
    if broken(Path(path)):
        raise _Damage("it has changed since it was written: its bytes are not those that were sealed")
    try:
        file = h5py.File(Path(path), "r")
    except OSError as error:
        raise _Damage(f"it is no netCDF file, or damaged: {error}") from error
    with file:
        words = {str(name): _plain(value) for name, value in file.attrs.items()}
        known = (FORMAT, UNSEALED, WHOLE)
        if words.get("format") not in known:
            raise _Damage(f"its format is {words.get('format')!r}, and this program reads {', '.join(known)}")
        names = [name for name in map(str, file) if name.startswith("run") or name == "t"]
        arrays = dict(_arrays(file, names))
    if words["format"] == FORMAT or "checksum" in words:
        own = {name: array for name, array in arrays.items() if name != "t"}
        if words.get("checksum") != checksum(own, words):
            raise _Damage("it has changed since it was written: its checksum is another")
    return arrays, words


def _plain(value: Any) -> Any:
    """An attribute as a word or a number."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return value.item() if isinstance(value, np.generic) or getattr(value, "size", 0) == 1 else value


def _arrays(file: h5py.File, names: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of numbers of a file by name, once it is known that all of them are there and can be held."""
    import h5py

    whole, found = 0, {}
    for name in names:
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            raise _Damage(f"'{name}' stands in another file")
        array = file[name]
        if not isinstance(array, h5py.Dataset) or array.dtype.kind != "f" or array.shape is None:
            raise _Damage(f"'{name}' is no array of numbers")
        if array.is_virtual or array.external:
            raise _Damage(f"the numbers of '{name}' stand in another file")
        packed = array.id.get_create_plist().get_nfilters() > 0
        there, told = array.id.get_storage_size(), array.size * array.dtype.itemsize
        if there * (DENSEST if packed else 1) < told:
            raise _Damage(
                f"'{name}' is said to have {amount(told)} of numbers, and the file has {amount(there)} of them"
            )
        whole, found[name] = whole + int(array.size or 0) * np.dtype(float).itemsize, array
    if whole > machine_memory():
        raise _Damage(
            f"its numbers would take {amount(whole)}, and this machine has {amount(machine_memory())} of memory"
        )
    for name, array in found.items():
        values = np.empty(array.shape)
        if values.size:
            array.read_direct(values)
        yield name, values


def _segments(arrays: Arrays, words: Words) -> list[Segment]:
    told, names = json.loads(words["segments"]), json.loads(words["grid_names"])
    records = json.loads(words["systems"])
    settings = Settings.from_dict(json.loads(words["settings"]))
    if not told:
        raise _Damage("it has no segments")
    systems: dict[int, System] = {}
    reader = None
    found: list[Segment] = []
    for k, segment in enumerate(told):
        which = segment["system"]
        if which not in systems:
            grids = [
                Grid(*(arrays[f"run{k}_grid{k}_{g}_{part}"] for part in ("x", "y", "coefficients")), name=str(name))
                for g, name in enumerate(names[which])
            ]
            systems[which], reader = reader_of(records[which], grids, reader)
        whole = _segment(systems[which], segment, lambda name, k=k: arrays[f"run{k}_{name}"], settings, k)
        found += parted(whole, segment.get("pieces"))
    return found


def _segment(system: System, words: Words, array: Callable[[str], np.ndarray], settings: Settings, k: int) -> Segment:
    t, m, events = array("t"), 2 * len(system.coordinates), words["events"]
    if t.ndim != 1 or not len(t) or not np.all(np.isfinite(t)):
        raise _Damage(f"the times of segment {k} are none")
    if not (np.all(np.diff(t) >= 0) or np.all(np.diff(t) <= 0)):
        raise _Damage(f"the times of segment {k} go forth and back")
    shapes = {
        "y": (len(t), m),
        "dense": (len(t) - 1, DEGREE + 1, m),
        "growth": (len(t) - 1,),
        "event_t": (len(events),),
        "event_y": (len(events), m),
    }
    for name, shape in shapes.items():
        if array(name).shape != shape:
            raise _Damage(f"'{name}' of segment {k} has the shape {array(name).shape}, and its system needs {shape}")
    y, n = array("y"), m // 2
    ending, at, message = words["outcome"]
    values = [float(value) for value in words["parameters"]]
    parameters = dict(zip(system.parameters, values, strict=True))
    start = State(system, float(t[0]), y[0, :n].copy(), y[0, n:].copy(), parameters)
    steps, rejected, evaluations, repivots, growth = words["counts"]
    crossed = tuple(
        Passage(float(at), tuple(map(str, names)), (float(span[0]), float(span[1])) if span else None)
        for at, names, *span in words.get("crossed", [])
    )
    return Segment(
        _program(start, crossed, float(t[-1])) if words["moved"] and not words.get("pieces") else None,
        start,
        t,
        y,
        Outcome(Ending(ending), float(at), str(message)),
        Statistics(int(steps), int(rejected), int(evaluations), int(repivots), float(growth)),
        tuple(
            Occurrence(str(name), float(at), state)
            for name, at, state in zip(events, array("event_t"), array("event_y"), strict=True)
        ),
        settings,
        array("growth"),
        array("dense"),
        crossed,
        Piece({}, impulse=Impulse.from_record(words["struck"])) if "struck" in words else None,
    )


def _program(start: State, crossed: tuple[Passage, ...], until: float) -> Program:
    """The equations of a motion that crossed singular positions: out of one, those beside it."""
    if not crossed or crossed[0].t != start.t:
        return program_at(start.system, start)
    from zeromass.integrate.singular.departure import program_beside  # few runs start in a singular position

    return program_beside(start, until)[0]


def _renewed(arrays: Arrays, old: Mapping[str, Any]) -> tuple[Arrays, Words]:
    """What the format before segments tells, as that of a run of one segment."""
    grids, ending = json.loads(old["grid_names"]), json.loads(old["ending"])
    words = {
        "system": 0,
        "outcome": ending,
        "counts": json.loads(old["counts"]),
        "events": json.loads(old["event_names"]),
        "parameters": json.loads(old["parameter_values"]),
        "moved": ending[0] not in ("non-unique", "inconsistent") and len(arrays["t"]) > 1,
    }
    moved = {f"run0_{name}": arrays[f"run_{name}"] for name in ("y", "dense", "growth", "event_t", "event_y")}
    for g in range(len(grids)):
        moved |= {f"run0_grid0_{g}_{part}": arrays[f"run_grid{g}_{part}"] for part in ("x", "y", "coefficients")}
    moved["run0_t"] = arrays["t"]
    return moved, {
        **old,
        "systems": f"[{old['system']}]",
        "grid_names": json.dumps([grids]),
        "segments": json.dumps([words]),
    }
