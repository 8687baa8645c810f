"""Files that are damaged, or made to do harm: one FileError that names the file, or the run that was saved. Nothing else."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest

import zeromass as zm
from faults.campaign import SLICE, campaign
from zeromass.report.checksum import checksum, seal

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def run() -> zm.Run:
    x, m = zm.coordinate("x"), zm.parameter("m", 1.5)
    y = zm.coordinate("y")
    system = zm.System(
        kinetic=m * (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=x**2 / 2, constraints={"path": y - np.sin(x)}
    )
    passing = zm.Event("passing", x, terminal=False)
    return zm.simulate(system, system.start({x: 1.0, zm.rate(x): 0.0}), until=3.0, rtol=1e-6, atol=1e-9, events=passing)


@pytest.fixture(scope="module")
def saved(run, tmp_path_factory) -> Path:
    return run.save(tmp_path_factory.mktemp("damage") / "run.nc", certificate=False)


@pytest.mark.parametrize("format", [2, 3])
def test_earlier_formats_are_read(format):
    """The files were written by the programs of their time: a mass of 1.5 on a spring, so that x = cos(t/√1.5)."""
    run = zm.load(DATA / f"format-{format}.nc")
    (x,), times = run.system.coordinates, np.linspace(0.0, 3.0, 50)
    assert np.allclose(run.at(times)[x], np.cos(times / np.sqrt(1.5)), atol=1e-5)  # rtol was 1e-6
    assert [event.name for event in run.events] == ["middle"]
    assert run.events[0].t == pytest.approx(np.pi / 2 * np.sqrt(1.5), abs=1e-5)
    assert list(run.parameters.values()) == [1.5]


def same(a: zm.Run, b: zm.Run) -> bool:
    """Whether two runs tell the same, to the last bit."""
    times = np.linspace(a.t[0], a.t[-1], 23)
    return (
        np.array_equal(a.t, b.t)
        and np.array_equal(a.y, b.y)
        and np.array_equal(a.at(times).y, b.at(times).y)
        and [(e.name, e.t, e.y.tolist()) for e in a.events] == [(e.name, e.t, e.y.tolist()) for e in b.events]
        and (str(a.outcome), a.statistics, a.settings) == (str(b.outcome), b.statistics, b.settings)
        and repr(a.system.M.tolist() + a.system.Q.tolist()) == repr(b.system.M.tolist() + b.system.Q.tolist())
    )


_seen: list[str] = []
_watching = False


def _hook(event: str, arguments: tuple) -> None:
    if _watching and event.split(".")[0] in {"exec", "compile", "import", "pickle", "subprocess", "socket"}:
        _seen.append(f"{event} {arguments}")


def test_nothing_in_a_file_is_executed(run, saved):
    """Under an audit hook: a second file is loaded, asked and continued without code that is compiled, run or imported."""
    global _watching

    def used() -> zm.Run:
        loaded = zm.load(saved)
        x = loaded.system.coordinates[0]
        assert np.isfinite(loaded.at(1.0)[np.array([x, zm.acceleration(x), loaded.system.energy])]).all()
        return zm.simulate(loaded.system, loaded.state(3.0), until=3.5, rtol=1e-6, atol=1e-9)

    first = used()  # what is imported for it is there now
    sys.addaudithook(_hook)
    _watching = True
    try:
        again = used()
    finally:
        _watching = False
    assert _seen == []
    assert same(first, again)


def damaged(content: bytes, random_: random.Random) -> bytes:
    """A file with flipped bits, other bytes, a piece that is missing, doubled, zeroed or moved, or an end that is."""
    data, kind = bytearray(content), random_.randrange(8)
    i = random_.randrange(len(data))
    length = random_.choice((1, 2, 8, 64, 512))
    if kind < 3:
        for _ in range(random_.choice((1, 1, 2, 5))):
            data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
    elif kind == 3:
        data[i : i + length] = random_.randbytes(length)
    elif kind == 4:
        data[i : i + length] = bytes([random_.choice((0, 255))]) * length
    elif kind == 5:
        del data[i:]
    elif kind == 6:
        del data[i : i + length]
    else:
        j = random_.randrange(len(data))
        data[i : i + length] = data[j : j + length]
    return bytes(data)


@pytest.mark.parametrize(("count", "seed"), [(150, SLICE), pytest.param(3000, None, marks=pytest.mark.slow)])
def test_damaged_files_are_refused_or_whole(run, saved, tmp_path, count, seed):
    """What loads is what was saved: damage may lie where nothing is read."""
    content, target = saved.read_bytes(), tmp_path / "damaged.nc"
    refused = 0
    with campaign("damaged files", count, 30 + 0.1 * count, seed=seed) as random_:
        for _ in range(count):
            target.write_bytes(damaged(content, random_))
            try:
                found = zm.load(target)
            except zm.errors.FileError as error:
                refused, words = refused + 1, str(error)
            else:
                words = "damaged.nc"
                assert same(found, run)
            assert "damaged.nc" in words
            assert len(words) < 1000
    print(f"{refused} of {count} damaged files are refused, the others are the run that was saved")
    assert refused > count / 4


@pytest.mark.slow
def test_every_byte_that_is_flipped(run, saved, tmp_path):
    """Each byte of the file, in one bit: none loads as other data."""
    content, target = saved.read_bytes(), tmp_path / "flipped.nc"
    with campaign("flipped bytes", len(content), 900) as random_:
        for i in range(len(content)):
            data = bytearray(content)
            data[i] ^= 1 << random_.randrange(8)
            target.write_bytes(data)
            try:
                found = zm.load(target)
            except zm.errors.FileError:
                continue
            assert same(found, run), i


def resealed(file: h5py.File) -> None:
    """Gives a file the checksum of what it tells: who makes a file on purpose can do that."""
    arrays = {name: file[name][...] for name in file if name.startswith("run")}
    file.attrs["checksum"] = checksum(arrays, dict(file.attrs))


@pytest.fixture
def forged(saved, tmp_path):
    """Copies of the file that something is done to, with the right checksum."""

    def make(change) -> Path:
        target = tmp_path / "forged.nc"
        shutil.copy(saved, target)
        with h5py.File(target, "r+") as file:
            change(file)
            try:
                resealed(file)
            except (KeyError, ValueError, TypeError, MemoryError, OSError):
                file.attrs["checksum"] = "none"
        content = target.read_bytes().partition(b"zeromass seal")[0]
        target.write_bytes(content + seal(content))
        return target

    return make


def with_words(name: str, change):
    """A change of one of the JSON texts of a file."""

    def edit(file: h5py.File) -> None:
        data = json.loads(file.attrs[name])
        changed = change(data)
        file.attrs[name] = json.dumps(data if changed is None else changed)

    return edit


def with_array(name: str, array):
    def edit(file: h5py.File) -> None:
        old = file[name][...]
        del file[name]
        file[name] = array(old)

    return edit


def put(path: list, value):
    """data[path] = value."""

    def change(data) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


NODES = [0, "nodes"]
HOSTILE = {
    "no states": lambda file: file.__delitem__("run0_y"),
    "fewer states": with_array("run0_y", lambda y: y[:-1]),
    "narrow states": with_array("run0_y", lambda y: y[:, :1]),
    "narrow polynomials": with_array("run0_dense", lambda y: y[:, :, :1]),
    "short polynomials": with_array("run0_dense", lambda y: y[:, :2]),
    "words for states": with_array("run0_y", lambda y: np.array([b"x"] * len(y))),
    "whole numbers for states": with_array("run0_y", lambda y: y.astype(int)),
    "times back and forth": with_array("run0_t", lambda t: t[::-1] * (-1) ** np.arange(len(t))),
    "times that are none": with_array("run0_t", lambda t: t * np.nan),
    "no segments": with_words("segments", lambda data: []),
    "a system that is not there": with_words("segments", put([0, "system"], 7)),
    "an outcome that does not exist": with_words("segments", put([0, "outcome", 0], "exploded")),
    "a parameter too many": with_words("segments", put([0, "parameters"], [1.0, 2.0])),
    "a parameter that is none": with_words("segments", put([0, "parameters"], ["many"])),
    "no counts": with_words("segments", put([0, "counts"], [])),
    "another method": with_words("settings", put(["method"], "magic")),
    "a tolerance of words": with_words("settings", put(["rtol"], "small")),
    "settings that do not exist": with_words("settings", put(["__class__"], "x")),
    "an operation that does not exist": with_words("systems", put([*NODES, -1], ["__import__", 0])),
    "operands that do not exist": with_words("systems", put([*NODES, -1], ["sin", 10**9])),
    "operands that are none": with_words("systems", put([*NODES, -1], ["sin", {"a": 1}])),
    "too many operands": with_words("systems", put([*NODES, -1], ["sin", 0, 0, 0])),
    "a symbol without a name": with_words("systems", put([*NODES, 0], ["symbol", None, "coordinate", 0, None, None, "a"])),
    "a symbol of no kind": with_words("systems", put([*NODES, 0], ["symbol", "x", ["a"], 0, None, None, "a"])),
    "another meaning of time": with_words("systems", put([*NODES, 0], ["symbol", "x", "coordinate", 0, None, None, "time"])),
    "a matrix of another shape": with_words("systems", put([0, "M"], {"shape": [1, 1], "at": [0]})),
    "forces of another shape": with_words("systems", put([0, "Q"], {"shape": [1], "at": [0]})),
    "a huge shape": with_words("systems", put([0, "M"], {"shape": [2**40, 2**40], "at": [0]})),
    "a kind of system that does not exist": with_words("systems", put([0, "kind"], "perpetual")),
    "another version": with_words("systems", put([0, "version"], 99)),
    "no JSON": lambda file: file.attrs.__setitem__("systems", "{"),
    "nested JSON": lambda file: file.attrs.__setitem__("segments", "[" * 50_000 + "]" * 50_000),
    "another format": lambda file: file.attrs.__setitem__("format", "zeromass run 99"),
    "a format of numbers": lambda file: file.attrs.__setitem__("format", np.zeros((3, 3))),
    "a folder for states": lambda file: (file.__delitem__("run0_y"), file.create_group("run0_y")),
    "another file for states": lambda file: (
        file.__delitem__("run0_y"),
        file.__setitem__("run0_y", h5py.ExternalLink("/etc/passwd", "/")),
    ),
    "a link for states": lambda file: (file.__delitem__("run0_y"), file.__setitem__("run0_y", h5py.SoftLink("/run0_dense"))),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused(forged, what):
    path = forged(HOSTILE[what])
    with pytest.raises(zm.errors.FileError, match=r"forged\.nc") as caught:
        zm.load(path)
    assert len(str(caught.value)) < 1000


def test_numbers_of_another_file_are_not_read(forged, tmp_path):
    """HDF5 can keep numbers elsewhere: in any file that this user may read."""
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(range(256)) * 64)

    def outside(file: h5py.File) -> None:
        shape = file["run0_y"].shape
        del file["run0_y"]
        file.create_dataset("run0_y", shape, "<f8", external=[(str(secret), 0, 8 * shape[0] * shape[1])])

    with pytest.raises(zm.errors.FileError, match="stand in another file"):
        zm.load(forged(outside))


@pytest.mark.parametrize("packed", [False, True])
def test_sizes_are_checked_before_memory_is_taken(forged, packed):
    """A file of a few kilobytes that declares 7 TiB."""

    def huge(file: h5py.File) -> None:
        del file["run0_y"]
        options = {"compression": "gzip"} if packed else {}
        file.create_dataset("run0_y", (2**40, 1), "<f8", chunks=(2**16, 1), **options)

    path = forged(huge)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(zm.errors.FileError, match="TiB"):
        zm.load(path)


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8"])
def test_packed_numbers_take_what_was_checked(forged, kind, monkeypatch):
    """Numbers of two bytes become eight each: what the whole file would take is counted so."""
    import zeromass.report.reading as reading

    def many(file: h5py.File) -> None:
        del file["run0_y"]
        data = np.random.default_rng(0).normal(size=(100_000, 1)).astype(kind)
        file.create_dataset("run0_y", data=data, chunks=(2**14, 1), compression="gzip")

    path = forged(many)
    monkeypatch.setattr(reading, "machine_memory", lambda: 700_000.0)  # 800,000 bytes as float64
    with pytest.raises(zm.errors.FileError, match="would take"):
        zm.load(path)


def test_chunks_that_are_not_there_are_not_filled_in(forged):
    """A packed array of which hardly any chunk was written: its fill values would take memory that the file has not."""

    def empty(file: h5py.File) -> None:
        del file["run0_y"]
        array = file.create_dataset("run0_y", (2**26, 1), "<f8", chunks=(2**14, 1), compression="gzip")
        array[:10] = 1.0

    path = forged(empty)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(zm.errors.FileError, match="is said to have"):
        zm.load(path)


def test_a_copy_by_another_program_is_the_same_run(run, saved, tmp_path):
    """The checksum is of what the file tells, not of its bytes: packing the numbers does not matter."""
    import xarray

    with xarray.open_dataset(saved, engine="h5netcdf") as data:
        data.attrs["remark"] = "ours"
        packing = {name: {"zlib": True} for name in data.data_vars}
        data.to_netcdf(tmp_path / "packed.nc", engine="h5netcdf", encoding=packing)
    assert same(zm.load(tmp_path / "packed.nc"), run)


def test_special_files_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    for path, words in ((tmp_path / "pipe.nc", "a pipe"), (tmp_path, "a folder"), ("/dev/zero", "a device")):
        with pytest.raises(zm.errors.FileError, match=words):
            zm.load(path)
    with pytest.raises(zm.errors.FileError, match="there is no such file"):
        zm.load(tmp_path / "none.nc")


def test_a_changed_file_says_so(saved, tmp_path):
    shutil.copy(saved, tmp_path / "changed.nc")
    with h5py.File(tmp_path / "changed.nc", "r+") as file:
        file["run0_y"][3, 0] += 1e-9
    with pytest.raises(zm.errors.FileError, match=r"changed\.nc.*it has changed since it was written"):
        zm.load(tmp_path / "changed.nc")
    content = (tmp_path / "changed.nc").read_bytes().partition(b"zeromass seal")[0]
    (tmp_path / "changed.nc").write_bytes(content)  # as a program that copies it would
    with pytest.raises(zm.errors.FileError, match="its checksum is another"):
        zm.load(tmp_path / "changed.nc")


def test_a_seal_that_is_damaged_itself_does_not_matter(run, saved, tmp_path):
    content = bytearray(saved.read_bytes())
    content[-40] ^= 1
    content[-900:-700] = bytes(200)
    (tmp_path / "scratched.nc").write_bytes(content)
    assert same(zm.load(tmp_path / "scratched.nc"), run)


def test_warnings_of_runs_are_none_of_loading(saved):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zm.load(saved)
