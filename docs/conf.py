"""Sphinx configuration. `make docs` builds the pages; a warning is an error."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as UnsortedStyle
from pybtex.style.labels import BaseLabelStyle

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for embedded_viewer

project = "zeromass"
author = "The zeromass developers"
copyright = f"2026, {author}"
release = version = installed_version("zeromass")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "gallery/static", "gallery/README.rst", "_static"]
templates_path: list[str] = []

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
default_role = "code"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# A name may be reached through its package and through zeromass: either link is right.
suppress_warnings = ["ref.python"]

html_theme = "pydata_sphinx_theme"
html_title = "zeromass"
html_show_sourcelink = False
html_static_path = ["_static", "gallery/static"]
(HERE / "gallery" / "static").mkdir(parents=True, exist_ok=True)  # made by the build, and there before it
mathjax_path = "mathjax/tex-svg.js"  # shipped with the pages, which need no network
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False, "show_toc_level": 2}

# ---- the gallery: each program of examples/ is run again when it has changed; ZEROMASS_GALLERY=0 shows code only

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "plot_gallery": os.environ.get("ZEROMASS_GALLERY", "1") != "0",
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


# ---- docstrings are plain text: paragraphs, lists, indented equations, `code` in single backticks

_FIXED = re.compile(r"^\s+\S|\S {2,}\S|^>>>")  # indented, aligned in columns, or a prompt: keep as typed
_RULE = re.compile(r"^([-=~])\1{2,}$")


def _reflowed(line: str) -> str:
    """One line of prose with code in double backticks and no other markup."""
    pieces = re.split(r"(``.+?``|`[^`]+`)", line)
    prose = [re.sub(r"([\\*|`]|_\b)", r"\\\1", piece) for piece in pieces[::2]]
    code = [f"``{piece.strip('`').strip()}``" for piece in pieces[1::2]]
    # "\ " ends inline code before a letter without making a space
    text = prose[0].removeprefix("\\") if re.match(r"\\\* ", prose[0]) else prose[0]
    for literal, after in zip(code, prose[1:], strict=True):
        text += ("\\ " if text and text[-1].isalnum() else "") + literal
        text += ("\\ " if after and after[0].isalnum() else "") + after
    return text


def plain_docstring(app, what, name, obj, options, lines: list[str]) -> None:
    """Rewrite a plain-text docstring, in place, as reStructuredText that shows it faithfully."""
    text = "\n".join(lines).strip("\n")
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text) if text else []:
        rows = block.split("\n")
        if len(rows) > 1 and _RULE.match(rows[1]):  # an underlined heading
            out += [f"**{rows[0].strip()}**", ""]
            rows = rows[2:]
        is_list = bool(rows) and re.match(r"[-*] |\d+\. ", rows[0])
        if rows and not is_list and any(_FIXED.search(row) for row in rows):
            language = "python" if rows[0].lstrip().startswith(">>>") else "none"
            out += [f".. code-block:: {language}", "", *("    " + row for row in rows), ""]
        else:
            out += [*(_reflowed(row) for row in rows), ""]
    lines[:] = out


def setup(app) -> None:
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("builder-inited", write_shell_viewer)


def write_shell_viewer(app) -> None:
    """The viewer page that the guide shows; made once, and again where the package is newer."""
    from embedded_viewer import shell_page

    import zeromass

    shell_page(HERE / "gallery" / "static" / "viewer" / "shell.html", newer_than=Path(zeromass.__file__).parent)
