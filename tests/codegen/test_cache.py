"""Machine code that outlives its process: found again, never believed when it is not whole, never in the way."""

import ctypes
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from zeromass.codegen import cache
from zeromass.codegen.target import BEST, FIRST, Code, host

SWING = """
import llvmlite.binding as llvm, numpy as np
made = []
emit = llvm.TargetMachine.emit_object
def counted(self, module):
    made.append(1)
    return emit(self, module)
llvm.TargetMachine.emit_object = counted
import zeromass as zm
x, y = zm.coordinates("x y")
swing = zm.System(
    kinetic=zm.rate(x) ** 2 / 2 + zm.rate(y) ** 2, potential=9.81 * (x + np.sin(y)), constraints={"rod": x**2 + y**2 - 1.0}
)
run = zm.simulate(swing, swing.start({x: 0.6}, guess={y: -0.8}), until=2.0)
print(len(made), run[x][-1].hex(), run[y][-1].hex())
"""


def swung(folder, **more):
    """How often LLVM was asked for machine code, and the end of the motion, in a process of its own."""
    environment = {**os.environ, "ZEROMASS_CACHE": str(folder), **more}
    result = subprocess.run([sys.executable, "-c", SWING], env=environment, capture_output=True, text=True, check=True)
    made, *end = result.stdout.split()
    return int(made), end


@pytest.fixture
def folder(tmp_path, monkeypatch):
    own = tmp_path / "code"
    monkeypatch.setenv("ZEROMASS_CACHE", str(own))
    yield own
    cache._folder.cache_clear()


def answer(value: int) -> str:
    return f"define i64 @answer() {{\n  ret i64 {value}\n}}"


def asked(text, origin="answer", effort=FIRST):
    """The answer of a function that was made from a text."""
    return Code(text, host(), origin=origin, effort=effort).function("answer", ctypes.c_int64)()


def unwritten():
    raise AssertionError("the text was asked for")


def test_a_second_process_asks_llvm_for_nothing(tmp_path):
    first, end = swung(tmp_path)
    again, same = swung(tmp_path)
    assert first >= 3
    assert again == 0
    assert same == end
    assert swung("off") == (first, end)


def test_code_is_found_by_its_origin(folder):
    assert asked(answer(42)) == 42
    assert asked(unwritten) == 42
    assert asked(answer(43), origin="another") == 43


def test_better_code_is_taken_at_once(folder):
    assert asked(answer(42), effort=BEST) == 42
    assert asked(unwritten, effort=FIRST) == 42


def test_code_without_an_origin_is_not_kept(folder):
    assert asked(answer(42), origin=None) == 42
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize("place", [0, 8, 20, 47, 48, 60, -1])
def test_a_damaged_file_is_not_believed(folder, place):
    asked(answer(42))
    (file,) = folder.iterdir()
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)
    assert asked(answer(7)) == 7
    assert asked(unwritten) == 7


@pytest.mark.parametrize("size", [0, 10, 48, 200])
def test_a_file_that_is_cut_off_is_not_believed(folder, size):
    asked(answer(42))
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:size])
    assert asked(answer(7)) == 7


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
@pytest.mark.parametrize("rights", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(folder, rights):
    folder.mkdir()
    folder.chmod(rights)
    assert asked(answer(42)) == 42
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_the_folder_is_the_users_alone(folder):
    asked(answer(42))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("where", ["off", "0", "no", "OFF", ""])
def test_it_can_be_switched_off(monkeypatch, tmp_path, where):
    monkeypatch.setenv("ZEROMASS_CACHE", where)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert asked(answer(42)) == 42
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_its_place_is_no_trouble(monkeypatch, tmp_path):
    (tmp_path / "taken").write_text("mine")
    monkeypatch.setenv("ZEROMASS_CACHE", str(tmp_path / "taken"))
    assert asked(answer(42)) == 42
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk")
def test_a_full_disk_is_no_trouble(folder, monkeypatch):
    asked(answer(1), origin="makes the folder")
    real = open

    def full(path, mode="r", *args, **more):
        return real("/dev/full", "wb", buffering=0) if "x" in mode else real(path, mode, *args, **more)

    monkeypatch.setattr("builtins.open", full)
    assert asked(answer(42)) == 42
    monkeypatch.undo()
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(("largest", "many"), [(12_000, 1000), (100_000, 12)])
def test_what_was_not_used_for_longest_is_removed(folder, largest, many):
    names = [cache.digest(str(k)) for k in range(20)]
    for k, name in enumerate(names):
        cache.write(name, bytes(1000))
        os.utime(folder / name, (k, k))
    cache.read(names[3])
    cache._prune(str(folder), 100_000, 1000)
    assert len(list(folder.iterdir())) == 20
    cache._prune(str(folder), largest, many)
    left = sorted(names.index(file.name) for file in folder.iterdir())
    assert left[0] == 3
    assert left[1:] == list(range(20 - len(left) + 1, 20))
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 0.75 * largest
    assert 5 <= len(left) <= 9


OTHERS = {
    "thesis.pdf": b"%PDF",
    "0" * 32: b"a file of another program's cache, by its digest",
    "f" * 32 + ".1.2.new": b"not ours either",
    "e" * 32 + ".new": cache.FORMAT,
    "d" * 31: cache.FORMAT,
    "D" * 32: cache.FORMAT,
    "c" * 32 + ".bak": cache.FORMAT,
    ".hidden": b"",
    "empty": b"",
}
"""Files that are not ours, by their names or by what they begin with."""


@pytest.mark.parametrize("count", [20, 3])
def test_files_of_others_are_never_removed_or_counted(folder, count):
    folder.mkdir(mode=0o700)
    for k, (name, begin) in enumerate(OTHERS.items()):
        (folder / name).write_bytes(begin + bytes(50_000))
        os.utime(folder / name, (k, k))  # older than all of ours
    for k in range(30):
        (folder / cache.digest("foreign", str(k))).write_bytes(bytes(100))
    os.symlink(folder / "thesis.pdf", folder / ("a" * 32))
    (folder / ("b" * 32)).mkdir()
    before = {path.name: path.is_dir() or path.read_bytes() for path in folder.iterdir()}
    names = [cache.digest(str(k)) for k in range(count)]
    for name in names:
        cache.write(name, bytes(1000))
    cache.write("9" * 32, b"")
    (folder / ("9" * 32)).rename(folder / ("9" * 32 + ".12.34.new"))  # what a killed process of ours has left
    os.utime(folder / ("9" * 32 + ".12.34.new"), (1, 1))
    cache._prune(str(folder), 100_000, 12)
    after = {path.name: path.is_dir() or path.read_bytes() for path in folder.iterdir()}
    ours = {name: after.pop(name) for name in list(after) if name in names or name.startswith("999")}
    assert after == before
    assert len(ours) == (9 if count == 20 else 4)
    assert (("9" * 32 + ".12.34.new") in ours) == (count == 3)


def test_a_file_of_somebody_else_that_has_a_name_of_ours_stays_until_code_is_made(folder):
    folder.mkdir(mode=0o700)
    (folder / cache.digest("code")).write_bytes(b"not ours")
    assert cache.read(cache.digest("code")) is None
    assert (folder / cache.digest("code")).read_bytes() == b"not ours"


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_folder_that_everybody_may_replace_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "open" / "mine").mkdir(parents=True, mode=0o700)
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("ZEROMASS_CACHE", str(tmp_path / "open" / "mine"))
    assert not cache.kept()
    (tmp_path / "open").chmod(0o1777)
    cache._folder.cache_clear()
    assert cache.kept()
    cache._folder.cache_clear()


def test_threads_and_processes_write_at_once(tmp_path):
    ends = []
    threads = [threading.Thread(target=lambda: ends.append(swung(tmp_path)[1])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 4
    assert len({tuple(end) for end in ends}) == 1
    assert not list(tmp_path.glob("*.new"))
    assert swung(tmp_path) == (0, ends[0])


def test_sources_are_told_apart_by_what_they_say():
    assert cache.sources("compile") != cache.sources("compile", "integrate")
    assert cache.sources("nowhere") is None
    assert cache.digest("ab", "c") != cache.digest("a", "bc")


def test_sources_that_were_changed_added_or_renamed_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rooms = tmp_path / "compile" / "inner"
    rooms.mkdir(parents=True)
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "compile" / "cache.py"))
    seen: list[str | None] = []

    def look() -> None:
        cache._files.cache_clear()
        seen.append(cache.sources("compile"))

    try:
        for name, text in (("a.py", "1"), ("a.py", "12"), ("b.py", "3")):
            (rooms / name).write_text(text)
            look()
        os.utime(rooms / "a.py", ns=(1, 1))  # written anew, of the same length
        look()
        (rooms / "b.py").rename(rooms / "c.py")
        look()
        assert len(set(seen)) == len(seen)
        (rooms / "notes.txt").write_text("no code")
        look()
        assert seen[-1] == seen[-2] is not None
    finally:
        cache._files.cache_clear()
