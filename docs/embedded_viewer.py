"""Viewer pages inside the gallery: below each example whose run has bodies."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "gallery" / "static" / "viewer"


def _get_sg_image_scraper() -> Any:
    """What sphinx-gallery asks a module of scrapers for."""
    return run_of_example


def run_of_example(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """After the block that shows the figure: a frame with the example's run, the first one that has something to show."""
    import zeromass as zm

    found = block_vars["example_globals"].values()
    run = next((value for value in found if isinstance(value, zm.Run) and not value.system.drawing.empty), None)
    if "plt.show()" not in block[1] or run is None:
        return ""
    name = Path(block_vars["src_file"]).stem
    STATIC.mkdir(parents=True, exist_ok=True)
    sliders = block_vars["example_globals"].get("sliders")  # of an example whose page is alive
    title = (
        ast.get_docstring(ast.parse(Path(block_vars["src_file"]).read_text(encoding="utf-8"))) or name
    ).splitlines()[0]
    run.view(STATIC / f"{name}.html", title=title, sliders=sliders)
    return f"""
.. raw:: html

    <iframe src="../_static/viewer/{name}.html" title="The run in three dimensions" loading="lazy"
            style="width: 100%; height: 32rem; border: 1px solid #8884"></iframe>

"""
