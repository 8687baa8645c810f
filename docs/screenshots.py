"""Pictures of the viewer for every example of the gallery: three sizes of a screen, light and dark.

    python docs/screenshots.py                      # all, into build/screenshots
    python docs/screenshots.py crane four_bar       # some
    python docs/screenshots.py --missing            # those of which there are no pictures yet
    python docs/screenshots.py --keep               # a few, as the documentation shows them, into docs/images/viewer

Needs a Chromium on the machine. Each example is run as it stands; its last run is shown at two fifths of its time. A sheet
of all pictures of a size and theme is put beside them. A page that complains, or does not come to rest, is told, and the
program then ends with an error, after all others.
"""

from __future__ import annotations

import runpy
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "screenshots"
SIZES = {"desktop": (1440, 900), "laptop": (1280, 720), "phone": (390, 844)}
THEMES = ("light", "dark")
KEPT = {
    "double_pendulum": ("desktop", "light"),
    "crane": ("desktop", "dark"),
    "rattleback": ("desktop", "light"),
    "shaken_trough": ("desktop", "dark"),
    "shell_on_dimpled_bowl": ("phone", "light"),
}
"""Those that are kept with the documentation, in one size and theme each."""

REST = 60.0
"""Seconds in which a page must have drawn all pixels: one that never rests is wrong."""

SHARP = "!viewer.stage || !viewer.stage.moves"
"""Whether a page has drawn what stays in all pixels: while something moves it takes fewer."""

sys.path.insert(0, str(ROOT / "tests"))

from report.chromium import MISSING, Browser, browser, executable  # noqa: E402


def pages(names: list[str]) -> Iterator[tuple[str, Path, float]]:
    """The page of each example that has a run, its name, and the time that is shown."""
    import matplotlib

    matplotlib.use("Agg")
    import zeromass as zm

    for program in sorted((ROOT / "examples").glob("*.py")):
        if names and program.stem not in names:
            continue
        path = OUT / "pages" / f"{program.stem}.html"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs = [value for value in runpy.run_path(str(program)).values() if isinstance(value, zm.Run)]
        if not runs:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        run = next((one for one in runs if not one.system.drawing.empty), runs[0])
        run.view(path, title=program.stem.replace("_", " "))
        yield program.stem, path, float(run.t[0] + 0.4 * (run.t[-1] - run.t[0]))


def pictures(page: Browser, name: str, path: Path, t: float) -> list[str]:
    """What is wrong with a page, after pictures of all its sizes and themes were taken."""
    wrong = []
    for theme in THEMES:
        page.scheme(theme)
        for size, (width, height) in SIZES.items():
            page.size(width, height)
            page.open(path, f"t={t}&trail=past")
            page.evaluate("document.getElementById('notice').hidden = true")  # that only software draws
            try:
                page.wait(SHARP, timeout=REST)
            except TimeoutError as error:
                wrong.append(str(error))
            page.drawn()
            page.screenshot(OUT / size / theme / f"{name}.png")
            wrong += page.complaints()
    return wrong


def keep(page: Browser, name: str, path: Path, t: float) -> list[str]:
    """One picture of a page, drawn as a graphics card would, at a modest size."""
    from PIL import Image

    size, theme = KEPT[name]
    page.scheme(theme)
    page.size(*SIZES[size])
    page.open(path, f"t={t}&trail=past&quality=high")
    page.drawn()
    page.screenshot(OUT / "kept.png")
    shown = Image.open(OUT / "kept.png").convert("RGB")
    folder = ROOT / "docs" / "images" / "viewer"
    folder.mkdir(parents=True, exist_ok=True)
    shown.thumbnail((960, 844), Image.Resampling.LANCZOS)
    shown.save(folder / f"{name}.webp", quality=82, method=6)
    print(f"{name}: {(folder / f'{name}.webp').stat().st_size / 1000:.0f} kB")
    return page.complaints()


def sheets() -> None:
    """One picture of all, for each size and theme."""
    from PIL import Image

    for size, (width, height) in SIZES.items():
        for theme in THEMES:
            found = sorted((OUT / size / theme).glob("*.png"))
            columns, small = (5, 260) if size == "phone" else (3, 640)
            tall = round(small * height / width)
            sheet = Image.new("RGB", (columns * small, -(-len(found) // columns) * tall), "gray")
            for k, picture in enumerate(found):
                shown = Image.open(picture).resize((small, tall), Image.Resampling.LANCZOS)
                sheet.paste(shown, (k % columns * small, k // columns * tall))
            sheet.save(OUT / f"{size}-{theme}.png")


if __name__ == "__main__":
    chromium = executable()
    if chromium is None:
        sys.exit(MISSING)
    asked = sys.argv[1:]
    only = list(KEPT) if asked == ["--keep"] else asked
    if asked == ["--missing"]:
        there = {path.stem for path in (OUT / "phone" / THEMES[-1]).glob("*.png")}
        only = [path.stem for path in (ROOT / "examples").glob("*.py") if path.stem not in there]
    wrong = []
    for name, path, t in pages(only):
        with browser(chromium) as page:
            found = (keep if asked == ["--keep"] else pictures)(page, name, path, t)
        print(f"{name}: {'; '.join(found) if found else 'silent'}", flush=True)
        wrong += [f"{name}: {one}" for one in found]
    if asked != ["--keep"]:
        sheets()
    sys.exit("\n".join(dict.fromkeys(wrong)) or None)
