"""Machine code of the tests is kept in a folder of their own, new each time they are run; their workers share it."""

import os
import shutil
import tempfile

_OWN: list[str] = []


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        _OWN.append(tempfile.mkdtemp(prefix="zeromass-tests-"))
        os.environ["ZEROMASS_CACHE"] = _OWN[0]


def pytest_unconfigure(config):
    for folder in _OWN:
        shutil.rmtree(folder, ignore_errors=True)
