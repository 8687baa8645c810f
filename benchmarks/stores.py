"""What it costs to do a study on many cores: two against one, a chunk of members, many places far away, memory.

    PYTHONPATH=src python benchmarks/stores.py cores [--members 400000] [--rounds 2]
    PYTHONPATH=src python benchmarks/stores.py chunk
    PYTHONPATH=src python benchmarks/stores.py ledger
    PYTHONPATH=src python benchmarks/stores.py places [--places 100 1000 10000] [--seconds 10] [--latency 0.1]
    PYTHONPATH=src python benchmarks/stores.py processes [--places 32] [--seconds 1]
    PYTHONPATH=src python benchmarks/stores.py memory

cores      the ball of `benchmarks/ensemble.py` on one process and on two, in turns: seconds of the clock and of all CPUs
chunk      milliseconds that the study's own process needs for a chunk of members: starts, sending, receiving, publishing
ledger     how long it takes to see what is done in a store of 65,536 blocks
places     a simulated cluster: so many places, each of which answers after `seconds` and a `latency` with 1,024 members; how
           much of the time they are busy
processes  the same with as many processes on this machine, which sleep instead of computing
memory     the largest memory of a study of 10,000, 100,000 and 1,000,000 members in a store
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import pickle
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import zeromass as zm
from zeromass.integrate import Settings
from zeromass.study.chunk import Results, Study, Work, blank
from zeromass.study.cores import Cores
from zeromass.study.dispatch import Dispatch, Pool
from zeromass.study.fingerprint import fingerprint
from zeromass.study.keep import kept
from zeromass.study.members import Axes, Members, axes_of
from zeromass.study.starts import Starts
from zeromass.study.store import Store
from zeromass.study.workers import Bounds, Worker, payload_of

sys.path.insert(0, str(Path(__file__).parent))
from ensemble import Case

CHUNK = 1024


@contextmanager
def folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp())
    try:
        yield place
    finally:
        shutil.rmtree(place)


def best(what: Callable[[], object], times: int = 7) -> float:
    """CPU seconds of the study's process, all its threads."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        what()
        found.append(time.process_time() - begin)
    return min(found)


def study_of(members: int, size: int = CHUNK) -> tuple[Axes, zm.State, Study]:
    """Shells from starts on a grid of so many lines that its rows are chunks of a size."""
    case = Case("shell", True, 25.0, 1e-9, 1e-12, 16)
    cx, cy, *_ = case.over
    axes = axes_of({cx: np.linspace(-1.55, -1.45, members // size), cy: np.linspace(-0.8, -0.7, size)})
    varied = Members(case.system, case.start, list(axes.values), axes)
    settings = Settings(1e-9, 1e-12, "dop853")
    program = zm.compile(case.system, varied.first)
    keep = {"contact": kept(case.system.contact), "energy": kept(case.system.energy)}
    return axes, case.start, Study(varied, Work(program, 25.0, settings, (), keep, Starts.of([varied.first])))


def answered(work: Work, count: int = CHUNK) -> Results:
    """Results as a chunk of finished members has them."""
    found, random = blank(work, count, "finished"), np.random.default_rng(0)
    for values in found.values():
        if values.dtype.kind in "fi":
            values[...] = random.uniform(1, 1000, values.shape).astype(values.dtype)
    return found


# ---- two cores against one
def cores(members: int, rounds: int) -> None:
    case = Case("ball", False, 10.0, 1e-9, 1e-9, members)
    keep = {"contact": case.system.contact}
    settings: dict[str, Any] = {
        "until": case.until,
        "rtol": case.rtol,
        "atol": case.atol,
        "over": case.over,
        "keep": keep,
    }
    walls: dict[int, list[float]] = {1: [], 2: []}
    cpus: dict[int, list[float]] = {1: [], 2: []}
    found = {}
    for _ in range(rounds):
        for n in walls:
            begin, cpu = time.perf_counter(), _cpu()
            found[n] = zm.sweep(case.system, case.start, **settings, on=n)
            walls[n].append(time.perf_counter() - begin)
            cpus[n].append(_cpu() - cpu)
            print(f"{n} process(es): {walls[n][-1]:.2f} s of the clock, {cpus[n][-1]:.2f} s of CPU")
    assert found[1].identical(found[2])
    clock, cpu = min(walls[1]) / min(walls[2]), 2 * min(cpus[1]) / min(cpus[2])
    print(
        f"{members} members, two against one: {clock:.2f} by the clock; {cpu:.2f} where both cores are free, by CPU time"
    )


def _cpu() -> float:
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


# ---- one chunk
def chunk() -> None:
    for size in (CHUNK, 16 * CHUNK):
        _chunk(size)
    payload = payload_of(study_of(CHUNK)[2].work)
    took = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        worker = Worker(payload, Bounds())
        worker.ready()
        worker.end()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"a process is ready after {min(took):.2f} s of CPU, and is told {len(payload) / 1e3:.0f} kB first")


def _chunk(size: int) -> None:
    axes, start, study = study_of(size * (100 if size == CHUNK else 65_536), size)
    members = np.arange(size)
    starts, _ = study.members.starts(members)
    results = answered(study.work, size)
    said = pickle.dumps(results, protocol=pickle.HIGHEST_PROTOCOL)
    sent = pickle.dumps(starts, protocol=pickle.HIGHEST_PROTOCOL)
    print(f"a chunk of {size}: {len(sent) / 1e3:.0f} kB of starts, {len(said) / 1e3:.0f} kB of results")
    rows = {
        "starts": lambda: study.members.starts(members),
        "sending": lambda: pickle.dumps(starts, protocol=pickle.HIGHEST_PROTOCOL),
        "receiving": lambda: pickle.loads(said),
    }
    with folder() as there:
        store = Store(there / "s.zarr", axes, study, fingerprint(axes, start, study))
        blocks = itertools.count()
        assert len(store.blocks.members(0)) == size
        rows["publishing"] = lambda: store.publish(next(blocks), results)
        for name, what in rows.items():
            print(f"{name:20} {1e3 * best(what):7.2f} ms")
        store.close()


# ---- a ledger
def ledger() -> None:
    with folder() as there:
        axes, start, study = study_of(65_536 * CHUNK)
        mark = fingerprint(axes, start, study)
        begin = time.perf_counter()
        store = Store(there / "s.zarr", axes, study, mark)
        print(f"allocated in {time.perf_counter() - begin:.3f} s: {len(store.blocks)} blocks")
        begin = time.perf_counter()
        for k in range(len(store.blocks)):
            store.ledger.publish(k, 1)
        each = (time.perf_counter() - begin) / len(store.blocks)
        print(f"an entry in the ledger: {1e6 * each:.0f} µs")
        store.close()
        begin = time.perf_counter()
        store = Store(there / "s.zarr", axes, study, mark)
        assert store.done == 65_536 * CHUNK
        print(f"opened again, all that is done known: {time.perf_counter() - begin:.3f} s")
        store.close()


# ---- many places
class Simulated:
    """So many places that answer after some seconds; what is sent and answered is pickled as it would be."""

    def __init__(self, work: Work, places: int, seconds: float) -> None:
        self.hands, self.room, self._seconds = places, 2 * places, seconds
        self._answer = pickle.dumps(answered(work), protocol=pickle.HIGHEST_PROTOCOL)
        self._free = [0.0] * places
        self._due: list[tuple[float, int, Future[Any], int]] = []
        self._changed, self._stopped = threading.Condition(), False
        self._number = itertools.count()

    def submit(self, starts: Starts) -> Future[Any]:
        pickle.dumps(starts, protocol=pickle.HIGHEST_PROTOCOL)
        future: Future[Any] = Future()
        with self._changed:
            at = max(heapq.heappop(self._free), time.perf_counter()) + self._seconds
            heapq.heappush(self._free, at)
            heapq.heappush(self._due, (at, next(self._number), future, len(starts)))
            self._changed.notify()
        return future

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._stopped and (not self._due or self._due[0][0] > time.perf_counter()):
                    self._changed.wait(max(0.0, self._due[0][0] - time.perf_counter()) if self._due else None)
                if self._stopped:
                    return
                _, _, future, count = heapq.heappop(self._due)
            results = pickle.loads(self._answer)
            future.set_result({name: values[:count] for name, values in results.items()})

    def __enter__(self) -> Pool:
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *what: object) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()


def places(counts: list[int], seconds: float, latency: float) -> None:
    for count in counts:
        chunks = min(4 * count, 2000) if count <= 500 else 2 * count
        axes, start, study = study_of(chunks * CHUNK)
        with folder() as there:
            store = Store(there / "s.zarr", axes, study, fingerprint(axes, start, study))
            begin, cpu = time.perf_counter(), time.process_time()
            with Simulated(study.work, count, seconds + latency) as pool:
                Dispatch(study, store, pool, lambda members, failed: None).run()
            wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
            blocks = len(store.blocks)
            store.close()
        print(
            f"{count:6} places, {blocks} chunks of {seconds:g} s + {latency:g} s: {wall:7.1f} s; "
            f"{100 * blocks * seconds / (count * wall):5.1f} % busy; {1e3 * cpu / blocks:.2f} ms a chunk here"
        )


@dataclass(frozen=True, eq=False)
class Sleeping(Work):
    """Work that takes its time and computes nothing."""

    seconds: float = 1.0

    def results(self, starts: Starts) -> Results:
        time.sleep(self.seconds)
        return answered(self, len(starts))

    def prepare(self) -> None:
        """There is nothing to compile."""


def processes(count: int, seconds: float) -> None:
    sys.modules["stores"] = sys.modules["__main__"]  # by which name the processes find this file
    Sleeping.__module__ = "stores"
    axes, start, study = study_of(8 * count * CHUNK)
    work = Sleeping(*[getattr(study.work, field.name) for field in fields(study.work)], seconds=seconds)
    study = replace(study, work=work)
    with folder() as there:
        store = Store(there / "s.zarr", axes, study, fingerprint(axes, start, study))
        first: list[float] = []

        def tell(members: int, failed: int) -> None:
            first.append(time.perf_counter())

        begin, cpu = time.perf_counter(), time.process_time()
        with Cores(work, count, Bounds()) as pool:
            Dispatch(study, store, pool, tell).run()
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
        blocks = len(store.blocks)
        store.close()
    steady = first[-1] - first[0]
    print(
        f"{count} processes, {blocks} chunks of {seconds:g} s: {wall:.1f} s, {first[0] - begin:.1f} s until the first one; "
        f"then {100 * (blocks - count) * seconds / (count * steady):.1f} % busy; {1e3 * cpu / blocks:.2f} ms a chunk here"
    )


# ---- memory
MEMORY = """
import sys, resource, numpy as np, zeromass as zm
x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
over = {k: np.linspace(1.0, 2.0, int(sys.argv[1]))}
zm.sweep(spring, spring.start({x: 1.0}), until=1.0, over=over, keep={"x": x, "v": zm.rate(x)}, store=sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory() -> None:
    with folder() as there:
        for count in (10_000, 100_000, 1_000_000):
            command = [sys.executable, "-c", MEMORY, str(count), str(there / f"{count}.zarr")]
            begin = time.perf_counter()
            peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            size = sum(file.stat().st_size for file in (there / f"{count}.zarr").rglob("*") if file.is_file())
            took = time.perf_counter() - begin
            print(f"{count:9} members: at most {peak / 1024:.0f} MiB, {took:.1f} s, {size / count:.0f} bytes a member")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cores", "chunk", "ledger", "places", "processes", "memory"])
    parser.add_argument("--members", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--places", type=int, nargs="*")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--latency", type=float, default=0.1)
    given = parser.parse_args()
    match given.what:
        case "cores":
            cores(given.members, given.rounds)
        case "places":
            places(given.places or [100, 1000, 10_000], given.seconds or 10.0, given.latency)
        case "processes":
            processes((given.places or [32])[0], given.seconds or 1.0)
        case _:
            {"chunk": chunk, "ledger": ledger, "memory": memory}[given.what]()


if __name__ == "__main__":
    main()
