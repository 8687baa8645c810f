"""A headless Chromium, driven over a pipe by its DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--no-first-run",
    "--remote-debugging-pipe",
)


FETCHED = Path(__file__).parents[2] / ".venv" / "browser" / "chromium"
"""The one that `make browser` may have fetched."""

MISSING = "no browser on this machine: the pages of the viewer are not looked at; `make browser` installs one"


def executable() -> str | None:
    """Path of a Chromium on this machine; None if there is none, or no way to pass it a pipe."""
    if sys.platform == "win32":
        return None
    asked = os.environ.get("CHROMIUM")
    found = asked or next((path for path in map(shutil.which, NAMES) if path), None)
    return found or (str(FETCHED) if FETCHED.exists() else None)


class Browser:
    """One page of a browser: messages go out on its descriptor 3 and come back on 4, ended by a zero byte."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, *, timeout: float = 60.0, **parameters: Any) -> dict[str, Any]:
        """The result of a command; events that come meanwhile are kept in `events`."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self._message(deadline, method)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _message(self, deadline: float, method: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser did not answer {method}")
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has gone")
            self._buffer += piece
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name: str) -> None:
        """The colour scheme, "light" or "dark", that the page is told."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path: Path, options: str = "") -> None:
        """Loads a page afresh and waits until it has drawn a frame."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=f"{path.resolve().as_uri()}#{options}")
        self.wait("window.viewer !== undefined && window.viewer.frames > 0")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, of promises what they become."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, timeout: float = 60.0) -> None:
        """Until a JavaScript condition holds."""
        deadline = time.monotonic() + timeout
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{condition} did not come true; {self.complaints()}")
            time.sleep(0.05)

    def drawn(self) -> None:
        """Until two more frames were offered to the page."""
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")

    def press(self, key: str) -> None:
        text: dict[str, Any] = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path: Path) -> bytes:
        picture = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        return picture

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and violations of the content policy."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    detail = parameters["exceptionDetails"]
                    found.append(detail.get("exception", {}).get("description", detail["text"]))
                case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                    found.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
                case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                    found.append(parameters["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Addresses that the page asked for, beside itself and what it holds."""
        sent = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("data:", "blob:", "about:"))]


@contextlib.contextmanager
def browser(path: str) -> Iterator[Browser]:
    """A fresh browser with a profile of its own, ended with the block."""
    import fcntl

    high = 10  # above the two descriptors that the browser wants for itself
    pipes = [*os.pipe(), *os.pipe()]
    read_out, write_out, read_in, write_in = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, high) for fd in pipes)
    for fd in pipes:
        os.close(fd)

    def arrange() -> None:
        os.dup2(read_out, 3)
        os.dup2(write_in, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            env={**os.environ, **({"LD_LIBRARY_PATH": str(FETCHED.parent / "lib")} if path == str(FETCHED) else {})},
            preexec_fn=arrange,
        )
        os.close(read_out)
        os.close(write_in)
        try:
            page = Browser(write_out, read_in)
            yield page
            page._session = None
            with contextlib.suppress(RuntimeError, TimeoutError, OSError):
                page.call("Browser.close", timeout=10)
        finally:
            os.close(write_out)
            os.close(read_in)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            if process.poll() is None:
                process.kill()
                process.wait()


if __name__ == "__main__" and executable() is None:
    print(MISSING)
