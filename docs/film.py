"""The films of the README: the shell on the dimpled bowl, as the viewer draws it, frame by frame, light and dark.

    python docs/film.py                             # docs/images/shell.webp and shell-dark.webp, at most 3 MB each

Needs a Chromium on the machine. Without one, `run.movie("shell.webp")` paints a plainer film.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATHS = {
    theme: ROOT / "docs" / "images" / name for theme, name in (("light", "shell.webp"), ("dark", "shell-dark.webp"))
}
SIZE, RATE, SECONDS = (768, 480), 20, 7.5
QUALITY, MOST = 60, 3_000_000

sys.path.insert(0, str(ROOT / "tests"))

from report.chromium import MISSING, browser, executable  # noqa: E402

ALONE = """(() => { document.body.classList.add("no-charts"); document.getElementById("bar").style.display = "none";
  document.getElementById("notice").hidden = true; })()"""
FRAME = """(() => { viewer.film(%f, %f); return document.getElementById("view").toDataURL("image/png"); })()"""


def page(folder: Path) -> Path:
    """The run of example 1A of [UM2022] as a page."""
    import zeromass as zm

    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0))
    return zm.simulate(rolling, start, until=25.0).view(folder / "shell.html")


def frames(path: Path, theme: str) -> Iterator[bytes]:
    """Pictures of the page, a frame after the other."""
    chromium = executable()
    if chromium is None:
        sys.exit(MISSING)
    with browser(chromium) as view:
        view.size(*SIZE)
        view.open(path, f"paused&quality=high&theme={theme}")
        view.evaluate(ALONE)
        view.drawn()
        view.evaluate("viewer.follow(0)")
        for k in range(round(SECONDS * RATE)):
            picture = view.evaluate(FRAME % (k / RATE, 1 / RATE))
            yield base64.b64decode(picture.split(",", 1)[1])


if __name__ == "__main__":
    from PIL import Image

    options = {"save_all": True, "duration": round(1000 / RATE), "loop": 0, "quality": QUALITY, "method": 6}
    for theme, path in PATHS.items():
        with tempfile.TemporaryDirectory() as folder:
            pictures = frames(page(Path(folder)), theme)
            made = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
        made[0].save(path, append_images=made[1:], **options)
        print(f"{path.relative_to(ROOT)}: {len(made)} frames, {path.stat().st_size / 1e6:.2f} MB")
        if path.stat().st_size > MOST:
            sys.exit("the film is too large for a page that one opens first")
