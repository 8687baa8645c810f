"""Machine code of the tests is kept in a folder of their own, new each time they are run; their workers share it.

Of random cases by number, `seed`, every run tries some, and the long one all. What the collection of thousands of tests
leaves in memory is not looked through again for garbage while they run: that took a fifth of their time.
"""

import gc
import os
import shutil
import tempfile

_OWN: list[str] = []


def pytest_configure(config):
    gc.set_threshold(100_000, 20, 20)
    if not hasattr(config, "workerinput"):
        _OWN.append(tempfile.mkdtemp(prefix="zeromass-tests-"))
        os.environ["ZEROMASS_CACHE"] = _OWN[0]


def pytest_unconfigure(config):
    for folder in _OWN:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish(session):
    gc.collect()
    gc.freeze()


SEEDS = 8
"""Seeds of a test that every run tries; the others are left to the long one."""


def pytest_itemcollected(item):
    call = getattr(item, "callspec", None)
    if call is not None and call.indices.get("seed", 0) >= SEEDS:
        item.add_marker("slow")
