"""The browser of the tests: it answers once a page is there, and hears what frames and workers say."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.chromium import BETWEEN_PAGES

FRAME = (
    """<iframe sandbox="allow-scripts" srcdoc="<script>console.error('from a frame'); here = 7</script>"></iframe>"""
)
WORKER = """<script>new Worker(URL.createObjectURL(new Blob(["console.error('from a worker')"])))</script>"""


def written(folder: Path, body: str) -> str:
    place = folder / "page.html"
    place.write_text(f"<!doctype html><meta charset='utf-8'><body style='background: #246'>{body}", encoding="utf-8")
    return place.as_uri()


@pytest.mark.slow
def test_a_page_is_there_once_it_was_asked_for(chromium, tmp_path):
    """A picture and a value at once; without waiting, almost every one of these pictures is refused."""
    url = written(tmp_path, FRAME)
    for _ in range(10):
        chromium.load(url)
        assert chromium.screenshot(tmp_path / "page.png").startswith(b"\x89PNG")
        assert chromium.evaluate("[location.href, document.readyState]") == [url, "complete"]
        assert chromium.requests() == [url]


def test_a_picture_is_asked_for_again_between_pages(chromium, tmp_path):
    """Also where another has sent the browser on; other refusals are told."""
    chromium.load("about:blank")
    chromium.call("Page.navigate", url=written(tmp_path, FRAME))
    assert chromium.screenshot(tmp_path / "page.png").startswith(b"\x89PNG")
    with pytest.raises(RuntimeError, match=r"Page\.captureScreenshot") as told:
        chromium.call("Page.captureScreenshot", format="none such")
    assert BETWEEN_PAGES not in str(told.value)


def test_frames_and_workers_are_heard(chromium, tmp_path):
    for body, words in ((FRAME, "from a frame"), (WORKER, "from a worker")):
        chromium.load(written(tmp_path, body))
        while not chromium.complaints():
            chromium.drawn()
        assert set(chromium.complaints()) == {words}
    chromium.load(written(tmp_path, FRAME))
    assert chromium.evaluate("window.here", chromium.frame) == 7


@pytest.mark.slow
def test_what_can_not_be_loaded_is_told(chromium, tmp_path):
    with pytest.raises(RuntimeError, match="ERR_FILE_NOT_FOUND"):
        chromium.load((tmp_path / "none.html").as_uri())
