"""Sphinx configuration. `make docs` builds the pages; a warning is an error."""

from __future__ import annotations

import gc
import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as UnsortedStyle
from pybtex.style.labels import BaseLabelStyle

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the modules of this folder
import versions  # noqa: E402  one of them

gc.set_threshold(100_000, 20, 20)  # pages stay in memory: looking through them for garbage again and again takes long

project = "zeromass"
author = "The zeromass developers"
copyright = f"2026, {author}"
release = version = installed_version("zeromass")

extensions = [
    "myst_parser",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "executed",
    "interface",
    "gallery_page",
    "folded",
    "versions",
]
exclude_patterns = ["_build", "gallery/static", "gallery/README.rst", "_static"]
templates_path: list[str] = []

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_block"]
myst_heading_anchors = 3
default_role = "code"

add_module_names = False
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 76
python_use_unqualified_type_names = True
# A name may be reached through its package and through zeromass: either link is right.
suppress_warnings = ["ref.python"]

html_theme = "pydata_sphinx_theme"
html_title = "zeromass"
html_show_sourcelink = False
html_static_path = ["_static", "gallery/static"]
(HERE / "gallery" / "static").mkdir(parents=True, exist_ok=True)  # made by the build, and there before it
html_css_files = ["pages.css"]
html_context = {"default_mode": "auto"}
mathjax_path = "mathjax/tex-svg.js"  # shipped with the pages, which need no network
ALONE = ("how-do-i", "tutorial", "papers", "speed", "numbers", "notation", "errata", "references", "genindex", "search")
html_sidebars = {name: [] for name in ALONE}  # pages without others below them have nothing to stand beside them
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "logo": {
        "text": "zeromass",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "zeromass",
    },
    **versions.theme_options(versions.address(), os.environ.get("ZEROMASS_DOCS_VERSION", release)),
}

# ---- the gallery: each program of examples/ is run again when it has changed; ZEROMASS_GALLERY=0 shows code only

# Studies whose figures take half of the time of all: left out with ZEROMASS_GALLERY=short, as `make test` builds the pages.
long_studies = "|".join(("basins_of_the_dimpled_bowl", "friction_over_starts", "magnetic_pendulum"))
gallery = os.environ.get("ZEROMASS_GALLERY", "1")

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": rf"^(?!.*({long_studies})).*\.py$" if gallery == "short" else r"\.py$",
    "plot_gallery": gallery != "0",
    "image_scrapers": ("matplotlib", "embedded_viewer"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "show_signature": False,
    "remove_config_comments": True,
}

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "keys"


class _Keys(BaseLabelStyle):
    """Each work is labelled with its key, since docstrings and pages cite keys: [UP2006]."""

    def format_labels(self, sorted_entries):
        return [entry.key for entry in sorted_entries]


class _KeyStyle(UnsortedStyle):
    default_label_style = _Keys


register_plugin("pybtex.style.formatting", "keys", _KeyStyle)
