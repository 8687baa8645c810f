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
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--enable-features=IsolateSandboxedIframes",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--no-first-run",
    "--remote-debugging-pipe",
)


WATCHED = ("Page", "Runtime", "Log", "Network")
"""What a page and its frames tell of."""

FETCHED = Path(__file__).parents[2] / ".venv" / "browser" / "chromium"
"""The one that `make browser` may have fetched."""

PATIENCE = 300.0
"""Seconds until an answer counts as lost: many times what a busy machine takes, and not waited for where all is well."""

PRESSES = {" ": 32, "Enter": 13}
"""Codes of keys that press what has the focus: without them a browser only tells the page of the key."""

BETWEEN_PAGES = "Not attached to an active page"
"""What a browser says of a picture while one process of it hands the page to another."""

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
        self._frames: list[str] = []
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in WATCHED:
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        # workers, and frames that may not see their page, are on their own: each waits until it is listened to
        kinds = {"filter": [{"type": "iframe"}, {"type": "worker"}], "waitForDebuggerOnStart": True, "flatten": True}
        self.call("Target.setAutoAttach", autoAttach=True, **kinds)

    def call(self, method: str, *, timeout: float = PATIENCE, frame: str | None = None, **parameters: Any) -> Any:
        """The result of a command; events that come meanwhile are kept in `events`."""
        asked = self._send(method, self._session if frame is None else frame, parameters)
        deadline = time.monotonic() + timeout
        while True:
            answer = self._message(deadline, method)
            if answer.get("id") == asked:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._keep(answer)

    def _send(self, method: str, session: str | None, parameters: dict[str, Any]) -> int:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        rest = memoryview(json.dumps(message).encode() + b"\0")
        while rest:
            rest = rest[os.write(self._out, rest) :]
        return self._count

    def _keep(self, event: dict[str, Any]) -> None:
        """Remembers an event; of a new frame or worker, what it tells from now on too."""
        if event.get("method") == "Target.attachedToTarget":
            session = event["params"]["sessionId"]
            if event["params"]["targetInfo"]["type"] == "iframe":
                self._frames.append(session)
            for domain in WATCHED:
                self._send(f"{domain}.enable", session, {})
            self._send("Runtime.runIfWaitingForDebugger", session, {})
        if "method" in event:
            self.events.append(event)

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

    def navigate(self, url: str) -> None:
        """Loads an address, and waits until all of it is there: until then nothing can be asked of a page."""
        answer = self.call("Page.navigate", url=url)
        if "errorText" in answer:
            raise RuntimeError(f"{url}: {answer['errorText']}")
        if (loader := answer.get("loaderId")) is None:  # a place in the page that is shown
            return
        deadline, seen = time.monotonic() + PATIENCE, 0
        while True:
            for event in self.events[seen:]:
                told = event["params"]
                if event["method"] == "Page.lifecycleEvent" and (told["loaderId"], told["name"]) == (loader, "load"):
                    return
            seen = len(self.events)
            self._keep(self._message(deadline, f"Page.navigate: {url}"))

    def load(self, url: str) -> None:
        """Loads an address afresh; `events` are those of its page alone."""
        self.navigate("about:blank")
        self.events.clear()
        self._frames.clear()
        self.navigate(url)

    def open(self, path: Path, options: str = "") -> None:
        """Loads a page of the viewer afresh and waits until it has drawn a frame."""
        self.load(f"{path.resolve().as_uri()}#{options}")
        self.wait("window.viewer !== undefined && window.viewer.frames > 0")

    @property
    def frame(self) -> str:
        """The first frame of the page that has a process of its own, for `evaluate` and `wait`."""
        return self._frames[0]

    def evaluate(self, expression: str, frame: str | None = None) -> Any:
        """The value of a JavaScript expression, of promises what they become."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", frame=frame, **asked)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, timeout: float = PATIENCE, frame: str | None = None) -> None:
        """Until a JavaScript condition holds."""
        deadline = time.monotonic() + timeout
        while not self.evaluate(condition, frame):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{condition} did not come true; {self.complaints()}")
            time.sleep(0.05)

    def drawn(self) -> None:
        """Until two more frames were offered to the page."""
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")

    def press(self, key: str) -> None:
        code: dict[str, Any] = {"windowsVirtualKeyCode": PRESSES[key]} if key in PRESSES else {}
        text: dict[str, Any] = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def screenshot(self, path: Path) -> bytes:
        """A picture of what is shown, also kept as a file."""
        picture = base64.b64decode(self._picture()["data"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        return picture

    def _picture(self) -> Any:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.call("Page.captureScreenshot", format="png")
            except RuntimeError as error:
                if BETWEEN_PAGES not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

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
            close_fds=False,  # those of Python are closed by themselves; pass_fds wants 3 and 4 open here as well
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
