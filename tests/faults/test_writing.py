"""Full disks, killed processes, links and special files: there is the old file or the new one, and no litter."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import zeromass as zm
from faults.campaign import SLICE, campaign
from zeromass.report.writing import write


def spring_run() -> zm.Run:
    bob = zm.Particle("bob", mass=1.0)
    system = zm.System([bob], gravity=9.81, potential=bob.position @ bob.position)
    start = system.start([(bob.position, (1.0, 0.0, 0.5)), (bob.velocity, 0.0)])
    return zm.simulate(system, start, until=2.0)


WRITERS = {
    "run.nc": lambda run, path: run.save(path, certificate=False),
    "run.csv": lambda run, path: run.to_csv(path),
    "run.parquet": lambda run, path: run.to_parquet(path, certificate=False),
    "page.html": lambda run, path: run.view(path),
    "film.gif": lambda run, path: run.movie(path, fps=2, size=(120, 80)),
    "plot.png": lambda run, path: zm.plot.save_figure(run.plot.coordinates(), path),
    "plot.svg": lambda run, path: zm.plot.save_figure(run.plot.coordinates(), path),
}


FULL = """
import random, resource, signal, sys
from pathlib import Path
from faults.test_writing import WRITERS, spring_run
import zeromass as zm
folder, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
run, random = spring_run(), random.Random(seed)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for name, writer in WRITERS.items():
    writer(run, folder / f"new-{name}")  # Matplotlib writes its list of fonts now, if ever
    size = (folder / f"new-{name}").stat().st_size
    for _ in range(count):
        resource.setrlimit(resource.RLIMIT_FSIZE, (random.randrange(size * 9 // 10), resource.RLIM_INFINITY))
        try:
            writer(run, folder / name)
        except zm.errors.FileError as error:
            print("told" if name in str(error) and "could not be written" in str(error) else error, end=" ", flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    writer(run, folder / f"new-{name}")
    print(name, flush=True)
"""


@pytest.mark.parametrize(("count", "seed"), [(1, SLICE), pytest.param(40, None, marks=pytest.mark.slow)])
def test_a_full_disk_is_an_error_and_the_run_is_still_there(tmp_path, count, seed):
    """Files end somewhere, and the signal of that is ignored: writes fail as on a full disk. In a process of its own, for
    HDF5 ended it where it could not write."""
    for name in WRITERS:
        (tmp_path / name).write_bytes(b"old")
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    with campaign("full disks", count * len(WRITERS), 60 + 5 * count, seed=seed) as random:
        done = subprocess.run(
            [sys.executable, "-c", FULL, str(tmp_path), str(count), str(random.getrandbits(32))],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg"},
            check=False,
        )
    assert done.stdout.splitlines() == ["told " * count + name for name in WRITERS], done.stderr
    assert all((tmp_path / name).read_bytes() == b"old" for name in WRITERS)
    assert {path.name for path in tmp_path.iterdir()} == {*WRITERS, *[f"new-{name}" for name in WRITERS]}


def special(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            socket.socket(socket.AF_UNIX).bind(path.name)
        finally:
            os.chdir(here)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/full")


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device"])
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_file_is_refused_and_stays(tmp_path, kind, name):
    target = tmp_path / name
    special(kind, target)
    before = target.stat()
    with pytest.raises(zm.errors.FileError, match=f"it is a {kind}, and no file"):
        WRITERS[name](spring_run(), target)
    assert (target.stat().st_mode, target.stat().st_ino) == (before.st_mode, before.st_ino)
    assert list(tmp_path.iterdir()) == [target]


def test_links_are_followed(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "real.nc").write_bytes(b"old")
    (tmp_path / "link.nc").symlink_to("far/real.nc")
    (tmp_path / "chain.nc").symlink_to("link.nc")
    (tmp_path / "dangling.nc").symlink_to("far/new.nc")
    run = spring_run()
    assert run.save(tmp_path / "chain.nc", certificate=False) == tmp_path / "chain.nc"
    run.save(tmp_path / "dangling.nc", certificate=False)
    assert all((tmp_path / name).is_symlink() for name in ("link.nc", "chain.nc", "dangling.nc"))
    assert np.array_equal(zm.load(tmp_path / "far" / "real.nc").y, run.y)
    assert np.array_equal(zm.load(tmp_path / "far" / "new.nc").y, run.y)
    (tmp_path / "loop.nc").symlink_to("loop.nc")
    with pytest.raises(zm.errors.FileError, match=r"loop\.nc"):
        run.save(tmp_path / "loop.nc", certificate=False)


@pytest.mark.parametrize("length", [248, 255])
def test_long_names(tmp_path, length):
    run = spring_run()
    for ending in (".nc", ".csv", ".html"):
        path = tmp_path / ("n" * (length - len(ending)) + ending)
        {".nc": run.save, ".csv": run.to_csv, ".html": run.view}[ending](path)
        assert path.stat().st_size > 100
    assert len(list(tmp_path.iterdir())) == 3


def test_impossible_names(tmp_path):
    run = spring_run()
    for name in ("n" * 253 + ".csv", "a\0b.csv", "none/below.csv"):
        with pytest.raises(zm.errors.FileError, match="could not be written"):
            run.to_csv(tmp_path / name)
    with pytest.raises(zm.errors.FileError):
        zm.load(tmp_path / "a\0b.nc")
    assert not list(tmp_path.iterdir())


def test_permissions_stay(tmp_path):
    target = tmp_path / "private.csv"
    target.write_text("old")
    target.chmod(0o600)
    spring_run().to_csv(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_new_files_have_the_usual_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "new.txt", lambda place: place.write_text("x"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_writers_at_once_do_not_sweep_one_another(tmp_path):
    """Each thread writes its own letter; all succeed, and the file is whole."""
    target, errors = tmp_path / "shared.txt", []

    def writer(letter: str) -> None:
        try:
            for _ in range(40):
                write(target, lambda place: place.write_text(letter * 10_000))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=writer, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    assert len(set(target.read_text())) == 1
    assert list(tmp_path.iterdir()) == [target]


KILLED = """
import os, sys
from pathlib import Path
import zeromass as zm
from zeromass.report.writing import write
folder, content, run = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), zm.load(sys.argv[2])
run.save(folder / "run.nc", certificate=False)  # what saves is imported now, once for all
for line in sys.stdin:
    child = os.fork()
    while not child:
        if line == "save\\n":
            run.save(folder / "run.nc", certificate=False)
        write(folder / "run.nc", lambda place: place.write_bytes(content))
        write(folder / "large.bin", lambda place: place.write_bytes(content * 200))
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""
"""A process that begins a writer for each line it is told: one that saves, or one that writes bytes most of its time."""


def _beside(folder: Path) -> set[str]:
    """Names of files that are being written."""
    return {path.name for path in folder.iterdir()} - {"run.nc", "large.bin"}


@pytest.mark.parametrize(("kills", "seed"), [(8, SLICE), pytest.param(150, None, marks=pytest.mark.slow)])
def test_a_kill_at_any_time_leaves_whole_files_and_the_next_write_no_litter(tmp_path, kills, seed):
    run = spring_run()
    saved = run.save(tmp_path / "saved.nc", certificate=False)
    folder, size, littered = tmp_path / "folder", 200 * saved.stat().st_size, 0
    folder.mkdir()
    words = [sys.executable, "-c", KILLED, str(folder), str(saved)]
    with (
        campaign("kills while saving", kills, 120 + kills, seed=seed) as random,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Timer(120 + kills, process.kill)  # and then nothing more is read from it
        late.start()
        for k in range(kills):
            process.stdin.write("save\n" if k % 8 == 0 else "write\n")
            writer = int(process.stdout.readline())
            time.sleep(random.uniform(0.0, 0.1))
            os.kill(writer, signal.SIGKILL)
            assert process.stdout.readline() == "gone\n"
            if (folder / "run.nc").exists():
                assert np.array_equal(zm.load(folder / "run.nc").y, run.y)
            if (folder / "large.bin").exists():
                assert (folder / "large.bin").stat().st_size == size
            left = {path.name for path in folder.iterdir()} - {"run.nc", "large.bin"}
            assert len(left) <= 2  # one of each name at most: what was there before was swept
            littered += bool(left)
        print(f"{littered} of {kills} kills left a file beside")
        assert littered > kills / 4  # they do come while it writes
        late.cancel()
        process.stdin.close()
    run.save(folder / "run.nc", certificate=False)
    write(folder / "large.bin", lambda place: place.write_bytes(b"end"))
    assert {path.name for path in folder.iterdir()} == {"run.nc", "large.bin"}


def test_the_work_of_another_process_is_not_litter(tmp_path):
    """A writer that is alive keeps its file while another writes to the same name."""
    target = tmp_path / "slow.txt"

    def slowly(place: Path) -> None:
        place.write_text("first")
        write(target, lambda other: other.write_text("second"))
        assert place.read_text() == "first"

    write(target, slowly)
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_only_names_that_a_write_makes_are_litter(tmp_path):
    target = tmp_path / "run.txt"
    names: list[str] = []
    write(target, lambda place: (names.append(place.name), place.write_text("x")))
    (made,) = names
    family, digits, ending = made[:-12], made[-12:-4], made[-4:]
    litter = f"{family}{'0' * 8}{ending}"
    others = [f"{family}notes{ending}", family, f"{family}{digits}0{ending}", ".zeromass-notes"]
    for name in (litter, *others):
        (tmp_path / name).write_text("mine")
    write(target, lambda place: place.write_text("y"))
    assert {path.name for path in tmp_path.iterdir()} == {"run.txt", *others}
