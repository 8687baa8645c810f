"""Pictures of the pages of the documentation: three sizes of a screen, light and dark; and the gallery's thumbnails.

    python docs/page_screenshots.py                     # pages of docs/_build/html, into build/screenshots/pages
    python docs/page_screenshots.py --full index        # the whole length of some
    python docs/page_screenshots.py --all               # no pictures: is anything wrong on any page?
    python docs/page_screenshots.py --keep              # a few at a modest size, into docs/images/pages
    python docs/page_screenshots.py --thumbnails        # what moves in each example, into docs/images/gallery

Needs a Chromium on the machine, and `make docs` before. What stands beyond the edge of a page, what the browser complains
about and every request to the network is told, and the program then ends with an error.
"""

from __future__ import annotations

import runpy
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "docs" / "_build" / "html"
OUT = ROOT / "build" / "screenshots" / "pages"
SIZES = {"desktop": (1440, 900), "laptop": (1280, 720), "phone": (390, 844)}
THEMES = ("light", "dark")
SOME = ("gallery/index", "gallery/shaken_trough", "api/index", "api/simulate", "api/class-Run", "api/class-Rolling")
"""Of what is generated, gallery and interface, these; of what is written, guide, course and tutorial, every page."""
KEPT = {"index": ("desktop", "light"), "gallery/index": ("desktop", "dark"), "api/simulate": ("phone", "light")}
TALLEST = 24_000
"""Pixels of a page: what is longer nobody reads."""

sys.path.insert(0, str(ROOT / "tests"))

from report.chromium import MISSING, Browser, browser, executable  # noqa: E402

BEYOND = """(() => { const wide = document.documentElement.clientWidth;
  const scrolls = x => { for (let e = x; e; e = e.parentElement) {
    if (e !== document.body && /auto|scroll|hidden/.test(getComputedStyle(e).overflowX)) return true; } return false; };
  return [...document.querySelectorAll(".bd-article *")].filter(x => { const r = x.getBoundingClientRect();
    return r.width > 0 && r.right > wide + 1 && !scrolls(x) && !x.closest("mjx-container"); })
    .slice(0, 3).map(x => x.tagName + "." + x.className + " " + (x.textContent || "").slice(0, 40)); })()"""


TYPESET = (
    "window.MathJax?.startup?.promise ? MathJax.startup.promise.then(() => true) : !document.querySelector('.math')"
)
"""Whether the formulas of a page are drawn."""


def shown(page: Browser, name: str, size: str) -> list[str]:
    """What is wrong with a page of a size, once it is drawn."""
    width, height = SIZES[size]
    page.size(width, height)
    page.load((BUILT / f"{name}.html").as_uri())
    page.wait(TYPESET)
    page.drawn()
    wide, tall = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    beyond = page.evaluate(BEYOND)
    wrong = [f"{wide} px wide, beyond the edge {beyond}"] if beyond or wide > width else []
    wrong += [f"{tall} px tall"] if tall > TALLEST else []
    wrong += page.complaints()
    wrong += [f"asks {url}" for url in page.requests() if url.startswith("http")]
    return [f"{name}, {size}: {one}" for one in wrong]


def pictures(page: Browser, name: str, *, full: bool) -> list[str]:
    """What is wrong with a page, after pictures of all sizes and themes were taken."""
    wrong = []
    for theme in THEMES:
        page.scheme(theme)
        for size, (width, _) in SIZES.items():
            wrong += shown(page, name, size)
            if full:
                page.size(width, min(page.evaluate("document.documentElement.scrollHeight"), 6000))
                page.drawn()
            page.screenshot(OUT / size / theme / f"{name.replace('/', '-')}.png")
    return wrong


def all_pages() -> list[str]:
    """Every page that was built, but for those that Sphinx makes by itself."""
    found = [path.relative_to(BUILT) for path in sorted(BUILT.rglob("*.html"))]
    own = [path for path in found if path.parts[0] != "_static" and path.stem not in ("genindex", "search")]
    return [path.with_suffix("").as_posix() for path in own]


def looked_at() -> list[str]:
    """The pages of which pictures are taken."""
    return [name for name in all_pages() if name.split("/")[0] not in ("gallery", "api") or name in SOME]


def keep() -> None:
    """A few of the pictures, at a modest size."""
    from PIL import Image

    folder = ROOT / "docs" / "images" / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (size, theme) in KEPT.items():
        flat = name.replace("/", "-")
        shown = Image.open(OUT / size / theme / f"{flat}.png").convert("RGB")
        shown.thumbnail((960, 844), Image.Resampling.LANCZOS)
        shown.save(folder / f"{flat}.webp", quality=80, method=6)


# ---- thumbnails: the view of the viewer alone, where something happens

THUMBNAIL = (640, 400)
FIGURES = {
    "friction_over_starts",
    "fit_a_pendulum",
    "crane_servo",
    "rattleback_reversal",
    "bouncing_on_a_plate",
    "modes_of_a_chain",
}
"""Examples whose figure says more than their motion."""
AT = {"moving_sphere": 0.12, "ball_off_a_ball": 0.5, "follow_and_draw": 0.3}
"""Where in its run, from 0 to 1, an example shows most, if it is not at two fifths."""
ALONE = """(() => { document.body.classList.add("no-charts");
  for (const id of ["heading", "legend", "heights", "compass", "notice", "charts", "bar"]) {
    const part = document.getElementById(id); if (part) part.style.display = "none"; } })()"""


def thumbnails(names: list[str]) -> None:
    """A picture of the run of each example that has one to show; the others keep their figure."""
    import matplotlib

    matplotlib.use("Agg")
    from PIL import Image

    import zeromass as zm

    folder = ROOT / "docs" / "images" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    chromium = executable()
    assert chromium
    for program in sorted((ROOT / "examples").glob("*.py")):
        if names and program.stem not in names:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names_of = runpy.run_path(str(program))
        runs = [] if program.stem in FIGURES else [value for value in names_of.values() if isinstance(value, zm.Run)]
        run = next((one for one in runs if not getattr(one.system.drawing, "empty", not one.system.parts)), None)
        if run is None:
            print(f"{program.stem}: its figure")
            continue
        with tempfile.TemporaryDirectory() as place, browser(chromium) as page:
            sliders = names_of.get("sliders")  # of a page that is alive: they are shown
            path = run.view(Path(place) / "run.html", **({"sliders": sliders} if sliders else {}))
            page.scheme("light")
            scale = 1.5 if sliders else 2  # drawn large, shown small: smooth edges
            page.size(round(scale * THUMBNAIL[0]), round(scale * THUMBNAIL[1]))
            t = float(run.t[0] + AT.get(program.stem, 0.4) * (run.t[-1] - run.t[0]))
            page.open(path, f"t={t}&trail=past&quality=high&paused&theme=light")
            if not sliders:
                page.evaluate(ALONE)
            page.drawn()
            shot = Path(place) / "shot.png"
            page.screenshot(shot)
            picture = Image.open(shot).convert("RGB").resize(THUMBNAIL, Image.Resampling.LANCZOS)
            picture.save(folder / f"{program.stem}.webp", quality=80, method=6)
        print(f"{program.stem}: {(folder / f'{program.stem}.webp').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    chromium = executable()
    if chromium is None:
        sys.exit(MISSING)
    asked = sys.argv[1:]
    if "--keep" in asked:
        keep()
    elif "--thumbnails" in asked:
        thumbnails([name for name in asked if name[0] != "-"])
    else:
        some = [name for name in asked if name[0] != "-"] or looked_at()
        wrong = []
        for name in all_pages() if "--all" in asked else some:
            with browser(chromium) as page:
                if "--all" in asked:
                    wrong += shown(page, name, "desktop") + shown(page, name, "phone")
                else:
                    wrong += pictures(page, name, full="--full" in asked)
        sys.exit("\n".join(sorted(set(wrong))) or None)
