"""Campaigns of kill −9 at random times: nothing is lost, nothing is doubled, and the bits are the same in the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from study.poison import MEMORY, ended, poisoned
from zeromass.study import workers
from zeromass.study.chunk import Results
from zeromass.study.cores import Cores
from zeromass.study.ledger import checksum
from zeromass.study.workers import Bounds

COUNT, SLOW = 400, 0.01
"""Members of a study, and the seconds that each takes at least."""

STUDY = """
import sys
sys.path[:0] = [sys.argv[2]]
from study.poison import MEMORY, axes, poisoned, spring
from zeromass.study.cores import Cores
from zeromass.study.dispatch import Dispatch
from zeromass.study.fingerprint import fingerprint
from zeromass.study.store import Store
from zeromass.study.workers import Bounds

study = poisoned({count}, slow={slow})
grid = axes({count})
store = Store(sys.argv[1], grid, study, fingerprint(grid, spring()[1], study))
with Cores(study.work, 2, Bounds(None, MEMORY)) as pool:
    Dispatch(study, store, pool, lambda members, failed: None).run()
"""


def expected() -> Results:
    return poisoned(COUNT).results(np.arange(COUNT))


@pytest.mark.slow
@pytest.mark.parametrize("kills", [4, 100])
def test_killed_workers(kills: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies one after the other, until so many of their processes have been killed."""
    begun: list[subprocess.Popen[bytes]] = []
    begin = workers.Worker.__init__

    def noted(self: workers.Worker, *arguments: Any) -> None:
        begin(self, *arguments)
        begun.append(self._process)

    monkeypatch.setattr(workers.Worker, "__init__", noted)
    random, killed, over = np.random.default_rng(kills), [0], threading.Event()

    def kill() -> None:
        while killed[0] < kills and not over.is_set():
            time.sleep(float(random.uniform(0.05, 1.2)))
            alive = [process for process in begun[-4:] if process.poll() is None]
            if alive:
                os.kill(alive[int(random.integers(len(alive)))].pid, signal.SIGKILL)
                killed[0] += 1

    killer = threading.Thread(target=kill)
    killer.start()
    good = expected()
    try:
        while killed[0] < kills:
            study = poisoned(COUNT, slow=SLOW)
            found = ended(study, Cores(study.work, 2, Bounds(None, MEMORY)))
            for name, values in good.items():
                assert np.array_equal(found[name], values), name
    finally:
        over.set()
        killer.join()


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 30])
def test_killed_studies(kills: int, tmp_path: Path) -> None:
    """Studies that go on in their store, until so many of them have been killed: what was published stays as it is."""
    zarr = pytest.importorskip("zarr", minversion="3.0", reason="zarr 3 is not installed")
    random, good = np.random.default_rng(kills), expected()
    killed = stores = 0
    while killed < kills:
        place, stores = tmp_path / f"{stores}.zarr", stores + 1
        before: dict[str, tuple[int, int]] = {}
        while True:
            code = [sys.executable, "-c", STUDY.format(count=COUNT, slow=SLOW), place, Path(__file__).parents[1]]
            study = subprocess.Popen(code)
            try:
                study.wait(float(random.uniform(0.3, 4.0)) if killed < kills else 120.0)
            except subprocess.TimeoutExpired:
                study.kill()
                study.wait()
                killed += 1
            now = _published(place)
            assert before.items() <= now.items()
            before = now
            if study.returncode != -signal.SIGKILL:
                break
        assert study.returncode == 0
        group = zarr.open_group(place, mode="r")
        for name, values in good.items():
            assert np.array_equal(np.asarray(group[name][:], dtype=values.dtype), values), name
        size = group["x"].chunks[0]
        sums = [checksum({n: v[k : k + size] for n, v in good.items()}) for k in range(0, COUNT, size)]
        assert group["ledger"][:].tolist() == sums
        assert set(os.listdir(place / "ledger" / "c")) == {str(k) for k in range(len(sums))}


def _published(place: Path) -> dict[str, tuple[int, int]]:
    """The entries of the ledger and the chunks that they stand for, each with when it was written, and as which file."""
    entries = [path.name for path in (place / "ledger" / "c").glob("*") if path.name.isdigit()]
    chunks = [place / name / "c" / k for name in ("ledger", "x", "outcome", "steps") for k in entries]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_ino) for path in chunks}
