"""Films that the page records: every frame, however slow the machine."""

from __future__ import annotations

import base64

import pytest

from report.viewer.shown import check_silent

FILMS = """(() => { window.films = []; const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { const url = make.call(URL, blob);
    const text = (bytes) => btoa(Array.from(new Uint8Array(bytes), (c) => String.fromCharCode(c)).join(""));
    blob.arrayBuffer().then((bytes) => films.push({ type: blob.type, url, text: text(bytes) }));
    return url; }; })()"""
"""Keeps what the page would save."""


PLAYED = """new Promise((done) => { const video = document.createElement("video"); video.src = films[0].url;
  video.muted = true;
  video.onloadeddata = () => done([video.duration, video.videoWidth, video.videoHeight]);
  video.onerror = () => done(video.error.message); })"""


STAGE = "[document.getElementById('stage').clientWidth, document.getElementById('stage').clientHeight]"

STOPPED = """(() => { const key = new KeyboardEvent("keydown", { key: "r", bubbles: true });
  const look = () => (viewer.t > 0.2 ? document.body.dispatchEvent(key) : setTimeout(look, 1)); look(); })()"""
"""Presses the key once a fifth of a second was filmed, however fast that goes."""


def moments(film: bytes) -> list[int]:
    """Times of the frames of a WebM film, ms: clusters have one, and blocks in them one from there."""

    def elements(at: int, end: int):
        while at < end:
            size = next(n for n in range(1, 5) if film[at] & (0x80 >> (n - 1)))
            name, at = film[at : at + size], at + size
            length = int.from_bytes(film[at + 1 : at + 8], "big")  # lengths are written in eight bytes
            yield name.hex(), at + 8, at + 8 + length
            at += 8 + length

    [segment] = [(a, b) for name, a, b in elements(0, len(film)) if name == "18538067"]
    found = []
    for name, a, b in elements(*segment):
        if name == "1f43b675":
            inside = list(elements(a, b))
            [start] = [int.from_bytes(film[x:y], "big") for kind, x, y in inside if kind == "e7"]
            blocks = [x for kind, x, _ in inside if kind == "a3"]
            found += [start + int.from_bytes(film[x + 1 : x + 3], "big", signed=True) for x in blocks]
    return found


@pytest.mark.slow
def test_a_film_has_every_frame_however_slow_the_machine(chromium, page):
    """From 24 s to 25 s at thirty frames a second: 31 of them, evenly spaced, that a browser plays."""
    chromium.size(480, 360)
    chromium.open(page, "paused")
    chromium.evaluate(FILMS)
    chromium.call("Browser.setDownloadBehavior", behavior="deny")
    chromium.evaluate("viewer.seek(24.0)")
    chromium.press("r")
    chromium.wait("films.length > 0")
    film = chromium.evaluate("films[0]")
    assert film["type"] == "video/webm"
    times = moments(base64.b64decode(film["text"]))
    assert times == [round(1000 * k / 30) for k in range(31)]
    duration, width, height = chromium.evaluate(PLAYED)
    assert duration == pytest.approx(31 / 30, abs=1e-3)
    assert [width, height] == chromium.evaluate(STAGE)
    assert chromium.evaluate("viewer.t") == pytest.approx(25.0)
    chromium.size(1280, 800)
    check_silent(chromium, page)


@pytest.mark.slow
def test_a_film_can_be_stopped(chromium, page):
    chromium.open(page, "paused")
    chromium.evaluate(FILMS)
    chromium.call("Browser.setDownloadBehavior", behavior="deny")
    chromium.evaluate(STOPPED)
    chromium.press("r")
    chromium.wait("films.length > 0")
    assert 7 <= len(moments(base64.b64decode(chromium.evaluate("films[0].text")))) < 300
    assert not chromium.evaluate("viewer.playing")
