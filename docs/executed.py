"""Pages that are run: below each block of Python what it printed, the figures it drew, the pages and films it wrote.

The first page, the tutorial, and the pages of guide and course are programs. Each is run from its top to its end when Sphinx
reads it, which is when it has changed, in one namespace and an empty folder, as the tests run it. ZEROMASS_PAGES=0 shows
code only.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FIGURES = HERE / "_build" / "executed"
VIEWS = HERE / "gallery" / "static" / "viewer"
RUN = re.compile(r"guide/|course/|coming-from/|(tutorial|index|how-do-i)$")
BLOCK = re.compile(r"^(?:```python|<!-- check)\n(.*?)^(?:```|-->)$", re.MULTILINE | re.DOTALL)
"""Code that is shown, and code in a comment that only checks what the code above it has computed."""
LONGEST = 24
"""Lines of output that are shown; of more the first and the last."""


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", run_page)
    return {"parallel_read_safe": True}


def run_page(app: Any, docname: str, source: list[str]) -> None:
    """The text of a page, in place, with what its blocks give."""
    if RUN.match(docname) and BLOCK.search(source[0]) and os.environ.get("ZEROMASS_PAGES", "1") != "0":
        source[0] = with_output(source[0], docname)


def with_output(text: str, docname: str) -> str:
    """The page with the output of each block below it."""
    from zeromass.integrate import METHODS

    kept, before = dict(METHODS), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page = _Page(docname, Path(folder))
        try:
            return BLOCK.sub(lambda match: match.group(0) + page.run(match.group(1)), text)
        finally:
            os.chdir(before)
            METHODS.clear()
            METHODS.update(kept)


class _Page:
    """One namespace for the blocks of a page, and what has been shown of its folder."""

    def __init__(self, docname: str, folder: Path) -> None:
        import matplotlib

        matplotlib.use("Agg")
        self.docname, self.folder = docname, folder
        self.namespace: dict[str, Any] = {"__name__": docname.rpartition("/")[2]}
        self.figures = 0
        self.written: set[Path] = set()

    def run(self, code: str) -> str:
        """What a block gives, as Markdown: output, value, figures, pages."""
        *body, last = ast.parse(code).body
        value = None
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(ast.Module(body, []), self.docname, "exec"), self.namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), self.docname, "eval"), self.namespace)
            else:
                exec(compile(ast.Module([last], []), self.docname, "exec"), self.namespace)
        return "".join([_text(said.getvalue()), _value(value), *self._figures(), *self._files()])

    def _figures(self) -> list[str]:
        """The open figures, drawn and closed."""
        import matplotlib.pyplot as plt

        shown = []
        for number in plt.get_fignums():
            self.figures += 1
            name = f"{self.docname.replace('/', '-')}-{self.figures}.png"
            FIGURES.mkdir(parents=True, exist_ok=True)
            figure = plt.figure(number)
            figure.savefig(FIGURES / name, dpi=110, bbox_inches="tight")
            shown.append(
                f"\n\n```{{image}} /_build/executed/{name}\n:class: drawn plot\n:alt: the figure of the lines above\n```\n"
            )
            plt.close(figure)
        return shown

    def _files(self) -> list[str]:
        """Viewer pages in a frame, and films, that a block has written."""
        shown = []
        for path in sorted(set(self.folder.glob("*")) - self.written):
            self.written.add(path)
            name = f"{self.docname.replace('/', '-')}-{path.name}"
            if path.suffix == ".html":
                VIEWS.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, VIEWS / name)
                shown.append(frame(f"{'../' * self.docname.count('/')}_static/viewer/{name}"))
            elif path.suffix in (".gif", ".webp"):
                FIGURES.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, FIGURES / name)
                shown.append(f"\n\n```{{image}} /_build/executed/{name}\n:class: drawn\n:alt: {path.name}\n```\n")
        return shown


def frame(address: str, title: str = "the run in three dimensions") -> str:
    """A page of the viewer inside a page."""
    return (
        f'\n\n```{{raw}} html\n<iframe class="viewer" src="{address}" title="{title}" loading="lazy"></iframe>\n```\n'
    )


def _text(said: str) -> str:
    lines = said.rstrip().splitlines()
    if not lines:
        return ""
    if len(lines) > LONGEST:
        lines = [*lines[: LONGEST - 4], f"… {len(lines) - LONGEST + 1} lines more …", *lines[-3:]]
    return "\n\n```{code-block} text\n:class: printed\n\n" + "\n".join(lines) + "\n```\n"


def _value(value: Any) -> str:
    """What a notebook would show of the last value: a formula or a card."""
    if hasattr(value, "_repr_latex_") and (formula := value._repr_latex_()):
        return "\n\n$$\n" + formula.strip().strip("$").strip() + "\n$$\n"
    if hasattr(value, "_repr_html_") and (card := value._repr_html_()):
        return "\n\n````{raw} html\n<div class='card-shown'>" + card + "</div>\n````\n"
    return ""
