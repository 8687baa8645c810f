"""A browser for the pages of a module; its tests are left out where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from report.chromium import MISSING, Browser, browser, executable


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = executable()
    if path is None:
        pytest.skip(MISSING)
    with browser(path) as page:
        page.size(1280, 800)
        yield page
