"""Studies in a store: the Dataset of memory, gone on with where it stopped, and never that of another study."""

from __future__ import annotations

import _thread
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from study.poison import COUNT, axes, poisoned, spring, stiffness
from zeromass.errors import FileError
from zeromass.study import largest, sweep, values_at
from zeromass.study.blocks import Blocks
from zeromass.study.chunk import Results
from zeromass.study.encoded import Written, codecs
from zeromass.study.fingerprint import differences, fingerprint
from zeromass.study.ledger import Ledger, Lock, checksum
from zeromass.study.members import Members, axes_of
from zeromass.study.store import Store

zarr = pytest.importorskip("zarr", minversion="3.0", reason="zarr 3 is not installed")


def pendulum() -> dict[str, Any]:
    theta, length, angle = zm.coordinate("theta"), zm.parameter("length", 1.0), zm.parameter("angle", 0.1)
    system = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    return {
        "system": system,
        "start": system.start({theta: angle}),
        "over": {length: [0.5, 1.0, 2.0], angle: np.linspace(0.1, 1.0, 40)},
        "keep": {"end": theta, "fast": largest(zm.rate(theta)), "way": values_at([theta, zm.rate(theta)], [0.1, 0.2])},
        "until": 2.0,
    }


@pytest.mark.parametrize("shape", [(1,), (7,), (5000,), (60, 40), (3, 5, 7), (2, 3000), (1, 1, 9), (4, 1, 1100, 2)])
@pytest.mark.parametrize("size", [1, 10, 1024])
def test_blocks_are_rectangles_and_follow_one_another(shape: tuple[int, ...], size: int) -> None:
    blocks = Blocks.of(shape, size)
    numbers = np.arange(blocks.count).reshape(shape)
    assert [blocks.members(k).start for k in range(1, len(blocks))] == [
        blocks.members(k).stop for k in range(len(blocks) - 1)
    ]
    assert (blocks.members(0).start, blocks.members(len(blocks) - 1).stop) == (0, blocks.count)
    for k in range(0, len(blocks), max(1, len(blocks) // 50)):
        assert numbers[blocks.place(k)].ravel().tolist() == list(blocks.members(k))
        assert {blocks.holding(m) for m in (blocks.members(k)[0], blocks.members(k)[-1])} == {k}
        assert all(part.start % n == 0 for part, n in zip(blocks.place(k), blocks.block, strict=True))
        assert len(blocks.members(k)) <= size


@pytest.mark.parametrize("on", ["lanes", 2])
def test_a_store_has_the_dataset_of_memory(on: Any, tmp_path: Path) -> None:
    study = pendulum()
    expected = sweep(**study)
    found = sweep(**study, on=on, store=tmp_path / "study.zarr")
    assert not found.end._in_memory
    assert list(found.variables) != []
    assert found.load().identical(expected)
    assert found.way.dims == ("length", "angle", "way_time", "way_0")
    told: list[int] = []
    again = sweep(**study, store=str(tmp_path / "study.zarr"), progress=lambda done, total: told.append(done))
    assert told == [120]  # nothing was left to do
    assert again.load().identical(expected)


def test_a_store_is_drawn_as_a_dataset_of_memory_is(tmp_path: Path) -> None:
    """Words of a store have a type of their own."""
    import matplotlib.pyplot as plt

    x, k, m = zm.coordinate("x"), zm.parameter("k", 1.0), zm.parameter("m", 1.0)
    spring = zm.System(kinetic=m * zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    one, two = {k: [-1.0, 1.0]}, {k: [-1.0, 1.0], m: [1.0, 2.0]}  # no start: the square root of -1
    for over, options in ((one, {}), (two, {"kind": "map"}), (two, {"kind": "basins", "what": "outcome"})):
        study = {"over": over, "keep": {"end": x}, "until": 0.1, "store": tmp_path / f"{len(over)}.zarr"}
        found = sweep(spring, spring.start({x: np.sqrt(k)}), **study)
        assert found.outcome.values.ravel().tolist()[0] == "no start"
        assert zm.plot.study(found, **options) is not None
    plt.close("all")


def test_a_store_of_zarr_that_is_no_folder() -> None:
    study, memory = pendulum(), zarr.storage.MemoryStore()
    expected = sweep(**study)
    assert sweep(**study, store=memory).load().identical(expected)
    assert sweep(**study, store=memory).load().identical(expected)
    group = zarr.open_group(memory, mode="r")
    assert np.all(group["ledger"][:] != 0)


def test_any_reader_of_zarr_can_read_it(tmp_path: Path) -> None:
    study = pendulum()
    expected = sweep(**study, store=tmp_path / "study.zarr")
    group = zarr.open_group(tmp_path / "study.zarr", mode="r", zarr_format=3)
    assert np.array_equal(group["end"][:], expected.end.values)
    assert group["end"].metadata.dimension_names == ("length", "angle")
    assert np.all(group["ledger"][:] != 0)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"until": 3.0}, "until is 2.0 there and 3.0 here"),
        ({"rtol": 1e-9}, "settings 'rtol' is 1e-10 there and 1e-09 here"),
        ({"over": [0.5, 1.0, 2.5]}, "over 'length' is another"),
        ({"keep": "fast"}, "keep 'way' is only in the store"),
        ({"system": 9.82}, "system is another"),
        ({"start": 0.1}, "start is another"),
        ({"events": zm.Event("never", zm.t - 9.0)}, "events 'never' is only in this study"),
    ],
)
def test_the_store_of_another_study_is_refused(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    study = pendulum()
    sweep(**study, store=tmp_path / "study.zarr")
    before = sorted(p.stat().st_mtime_ns for p in tmp_path.rglob("*"))
    other = pendulum()
    if "over" in changed:
        length, angle = other["over"]
        other["over"] = {length: changed["over"], angle: other["over"][angle]}
    elif "keep" in changed:
        other["keep"] = {name: what for name, what in other["keep"].items() if name != "way"}
    elif "system" in changed:
        theta, (length, angle) = other["keep"]["end"], other["over"]
        g = changed["system"]
        system = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-g * length * np.cos(theta))
        other |= {"system": system, "start": system.start({theta: angle})}
    elif "start" in changed:
        theta, (_, angle) = other["keep"]["end"], other["over"]
        other["start"] = other["system"].start({theta: angle, zm.rate(theta): changed["start"]})
    else:
        other |= changed
    with pytest.raises(FileError, match="is the store of another study") as refused:
        sweep(**other, store=tmp_path / "study.zarr")
    assert words in str(refused.value)
    assert before == sorted(p.stat().st_mtime_ns for p in tmp_path.rglob("*"))


def test_what_does_not_change_results_is_not_refused(tmp_path: Path) -> None:
    """Where it runs, bounds, and the default of a parameter that varies."""
    study = pendulum()
    expected = sweep(**study, store=tmp_path / "study.zarr").load()
    theta, length, angle = zm.coordinate("theta"), zm.parameter("length", 7.0), zm.parameter("angle", 0.7)
    system = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    values = list(study["over"].values())
    again = sweep(
        system,
        system.start({theta: angle}),
        over={length: values[0], angle: values[1]},
        keep={"end": theta, "fast": largest(zm.rate(theta)), "way": values_at([theta, zm.rate(theta)], [0.1, 0.2])},
        until=2.0,
        memory=1e9,
        store=tmp_path / "study.zarr",
    )
    assert again.load().identical(expected)


def test_a_fingerprint_is_the_same_in_another_process() -> None:
    """For a system of many formulas, after others were built."""
    code = (
        "import numpy as np, zeromass as zm\n"
        "from zeromass.integrate import Settings\n"
        "from zeromass.study.fingerprint import fingerprint\n"
        "from zeromass.study.chunk import Study, Work\n"
        "from zeromass.study.keep import kept\n"
        "from zeromass.study.members import Members, axes_of\n"
        "from zeromass.study.starts import Starts\n"
        "def printed():\n"
        "    vx, depth = zm.parameter('vx', 1.5), zm.parameter('depth', 0.1)\n"
        "    bowl = zm.Surface(lambda X, Y, Z: Z - depth * (X**2 + Y**2), shift=(0.1 * np.cos(zm.t), 0, 0))\n"
        "    ball = zm.Rolling(zm.bodies.ball(radius=0.05, mass=0.3), on=bowl, gravity=9.81, friction=0.4)\n"
        "    start = ball.start(contact=(-1.0, -0.5), velocity=(vx, 1.0))\n"
        "    axes = axes_of({vx: [1.0, 2.0]})\n"
        "    members = Members(ball, start, list(axes.values), axes)\n"
        "    program = zm.compile(ball, members.first)\n"
        "    keep = {'friction': zm.study.largest(ball.friction_ratio), 'end': kept(ball.contact)}\n"
        "    work = Work(program, 1.0, Settings(method='dop853'), (), keep, Starts.of([members.first]))\n"
        "    print(sorted(fingerprint(axes, start, Study(members, work)).items()))\n"
    )
    others = "x = zm.coordinates('a b c'); (x[0] * x[1] + x[2]) ** 2\n"
    said = [
        subprocess.run([sys.executable, "-c", code + more], capture_output=True, text=True, check=True).stdout
        for more in ("printed()", others + "printed()", "printed(); printed()")
    ]
    assert said[0] == said[1]
    assert said[2] == 2 * said[0]


def test_a_function_of_starts_is_known_by_its_starts() -> None:
    system, _, k, x = spring()

    def printed(place: Callable[[float], float]) -> dict[str, Any]:
        def start(**values: float) -> zm.State:
            return system.start({x: place(values["k"])}, parameters={k: values["k"]})

        grid = axes_of({k: stiffness()})
        study = replace(poisoned(), members=Members(system, start, [k], grid))
        return fingerprint(grid, start, study)

    assert differences(printed(lambda k: 1.0), printed(lambda k: k / k)) == []
    assert differences(printed(lambda k: 1.0), printed(lambda k: k)) == ["start is another"]


def test_something_else_of_that_name_is_refused(tmp_path: Path) -> None:
    study = pendulum()
    (tmp_path / "file").write_text("not a store")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes").write_text("mine")
    zarr.open_group(tmp_path / "other.zarr", mode="w").create_array("a", shape=(3,), dtype="f8")
    for name in ("file", "folder", "other.zarr"):
        with pytest.raises(FileError, match="is no store of a study"):
            sweep(**study, store=tmp_path / name)
    assert (tmp_path / "file").read_text() == "not a store"
    with pytest.raises(zm.errors.ModelError, match="store = 7"):
        sweep(**study, store=7)


def test_what_a_killed_allocation_left_is_done_again(tmp_path: Path) -> None:
    """In a folder it had another name, which goes; elsewhere it has no fingerprint. What others have there is refused."""
    study = pendulum()
    expected = sweep(**study)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    begin = f"study.zarr.{socket.gethostname()}.{ended.pid}"
    (tmp_path / f"{begin}.0123abcd.new").mkdir()
    (tmp_path / f"{begin}.4567abcd.new" / "end").mkdir(parents=True)
    (tmp_path / f"{begin}.4567abcd.new" / "zarr.json").write_text("{}")
    others = [f"{begin}.89ababcd.new", f"{begin}.copy.new", f"{begin}.new"]  # no store, and no name of ours
    for name in others:
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text("mine")
    assert sweep(**study, store=tmp_path / "study.zarr").load().identical(expected)
    assert {path.name for path in tmp_path.iterdir()} == {"study.zarr", *others}
    assert all((tmp_path / name / "notes.txt").read_text() == "mine" for name in others)
    (tmp_path / "study.zarr" / "ledger" / "c" / "notes.new").write_text("mine")
    assert sweep(**study, store=tmp_path / "study.zarr").load().identical(expected)
    assert (tmp_path / "study.zarr" / "ledger" / "c" / "notes.new").exists()
    memory = zarr.storage.MemoryStore()
    group = zarr.open_group(memory, mode="w", zarr_format=3)
    group.attrs["zeromass"] = {}
    group.create_array("end", shape=(2,), dtype="f8")
    assert sweep(**study, store=memory).load().identical(expected)
    notes = zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(b"mine")
    mine = zarr.storage.MemoryStore({"notes": notes})
    with pytest.raises(FileError, match="something else"):
        sweep(**study, store=mine)
    assert mine._store_dict["notes"].to_bytes() == b"mine"


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    study = pendulum()
    sweep(**study, store=tmp_path / "study.zarr")
    lock = Lock(tmp_path / "study.zarr")
    with pytest.raises(FileError, match="is being filled by another process"):
        sweep(**study, store=tmp_path / "study.zarr")
    lock.free()
    sweep(**study, store=tmp_path / "study.zarr")


def test_a_block_is_published_once(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "study.zarr", mode="w", zarr_format=3)
    Ledger.allocate(group, 5)
    for ledger in (Ledger(group, tmp_path / "study.zarr"), Ledger(group, None)):
        block = len(ledger.published())
        assert ledger.publish(block, 12345)
        assert not ledger.publish(block, 54321)
        assert ledger.entry(block) == 12345
        assert ledger.entry(4) == 0
        assert ledger.published() == {*range(block + 1)}
    assert not list((tmp_path / "study.zarr" / "ledger" / "c").glob("*.*"))


def test_a_damaged_chunk_is_noticed(tmp_path: Path) -> None:
    study = pendulum()
    sweep(**study, store=tmp_path / "study.zarr")
    chunk = tmp_path / "study.zarr" / "end" / "c" / "0" / "0"
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 1
    chunk.write_bytes(content)
    with pytest.raises(Exception, match=r"(?i)zstd|decompress|checksum"):
        sweep(**study, store=tmp_path / "study.zarr").end.load()


def test_a_chunk_that_has_become_empty_goes(tmp_path: Path) -> None:
    """One that nobody believed had messages; now there are none."""
    array: Any = zarr.create_array(
        tmp_path / "a", shape=(5, 3), chunks=(2, 3), dtype=str, fill_value="", compressors=codecs()
    )
    written = Written(array, tmp_path / "a", fill="")
    words = np.array([["one", "", "two"], ["", "", "ü" * 40]], dtype=object)
    written.write((slice(0, 2),), words)
    assert array[:2].tolist() == words.tolist()
    written.write((slice(0, 2),), np.full((2, 3), "", dtype=object))
    assert not (tmp_path / "a" / "c" / "0" / "0").exists()
    assert array[:2].tolist() == [[""] * 3] * 2
    written.write((slice(4, 5),), words[:1])  # at the edge
    assert array[4].tolist() == words[0].tolist()


def test_nothing_is_believed_that_is_not_in_the_ledger(tmp_path: Path) -> None:
    """Arrays that were written by one who did not come to publish them are written again."""
    study = poisoned()
    print_ = fingerprint(axes(), spring()[1], study)
    good = study.results(np.arange(COUNT))
    store = Store(tmp_path / "study.zarr", axes(), study, print_)
    wrong: Results = {name: values.copy() for name, values in good.items()}
    wrong["x"][:] = 0.0
    last = store.blocks.members(len(store.blocks) - 1)
    monkey = store.ledger.publish
    store.ledger.publish = lambda block, checksum: False  # type: ignore[method-assign]
    store.publish(0, {name: values[: len(store.blocks.members(0))] for name, values in wrong.items()})
    store.ledger.publish = monkey  # type: ignore[method-assign]
    store.close()
    store = Store(tmp_path / "study.zarr", axes(), study, print_)
    left = list(store.left(1))
    assert left[0] == store.blocks.members(0)
    assert left[-1] == last
    for part in left:
        members = np.arange(part.start, part.stop)
        for some in np.array_split(members, 2):  # as after the death of a process
            if len(some):
                store.take(some, {name: values[some] for name, values in good.items()})
    store.close()
    found = store.dataset()
    for name, values in good.items():
        assert np.array_equal(found[name].values, values), name
    for k in range(len(store.blocks)):
        members = store.blocks.members(k)
        own = {name: values[members.start : members.stop] for name, values in good.items()}
        assert store.ledger.entry(k) == checksum(own)


@pytest.mark.parametrize("on", ["lanes", 2])
def test_an_interrupted_study_goes_on(on: Any, tmp_path: Path) -> None:
    study = pendulum()
    once = iter([_thread.interrupt_main])

    def interrupt(done: int, total: int) -> None:
        if done >= 20:
            next(once, lambda: None)()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        part = sweep(**study, on=on, store=tmp_path / "study.zarr", progress=interrupt).load()
    finally:
        signal.signal(signal.SIGINT, before)
    done = part.outcome.values == "finished"
    assert 20 <= done.sum() < 120
    assert set(part.outcome.values[~done]) == {"interrupted"}
    told: list[int] = []
    whole = sweep(**study, on=on, store=tmp_path / "study.zarr", progress=lambda n, all_: told.append(n)).load()
    assert told[0] == done.sum()
    assert told[-1] == 120
    assert whole.identical(sweep(**study))


def test_names_that_are_taken_are_refused(tmp_path: Path) -> None:
    system, start, k, x = spring()
    for name in ("outcome", "steps", "k"):
        with pytest.raises(zm.errors.ModelError, match=f"keep: '{name}'"):
            sweep(system, start, until=1.0, over={k: [1.0]}, keep={name: x})
    with pytest.raises(zm.errors.ModelError, match="'ledger'"):
        sweep(system, start, until=1.0, over={k: [1.0]}, keep={"ledger": x}, store=tmp_path / "study.zarr")


def test_the_table_of_a_grid_is_made_in_parts() -> None:
    a, b = zm.parameter("a", 1.0), zm.parameter("b", 1.0)
    grid = axes_of({a: np.arange(30_000.0), b: np.arange(40_000.0)})
    assert len(grid) == 1_200_000_000
    assert grid[np.array([0, 40_001, 1_199_999_999])].tolist() == [[0.0, 0.0], [1.0, 1.0], [29_999.0, 39_999.0]]


@pytest.mark.slow
def test_a_hundred_thousand_members_in_bounded_memory(tmp_path: Path) -> None:
    """Ten times as many members take no more memory than what their own numbers need."""
    code = (
        "import sys, resource, numpy as np, zeromass as zm\n"
        "x, k = zm.coordinate('x'), zm.parameter('k', 1.0)\n"
        "spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)\n"
        "over = {k: np.linspace(1.0, 2.0, int(sys.argv[1]))}\n"
        "zm.sweep(spring, spring.start({x: 1.0}), until=1.0, over=over, keep={'x': x}, store=sys.argv[2])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    peaks = []
    for count in (10_000, 100_000):
        command = [sys.executable, "-c", code, str(count), str(tmp_path / f"{count}.zarr")]
        peaks.append(int(subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout))
    assert peaks[1] - peaks[0] < 20_000  # kB; the values of the parameter and what is kept of 90,000 are 1,400
