"""Long reference pages, folded: sections of many kinds are opened one by one, and the page stays short enough to be read."""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes

FOLDED = {"guide/scenario-keys": (2, 3)}
"""Pages, and how deep sections of them lie that are folded."""


def fold(app: Any, doctree: nodes.document, docname: str) -> None:
    """Puts each section of a depth behind its title; a link to what is inside opens it."""
    deep = FOLDED.get(docname)
    if deep is None or app.builder.format != "html":
        return
    for table in doctree.findall(nodes.table):
        table["classes"].append("keys")  # on a phone their cells stand below one another
    for section in [one for one in doctree.findall(nodes.section) if _depth(one) in deep]:
        title = next(iter(section.findall(nodes.title)))
        words = "".join(
            f"<code>{html.escape(part.astext())}</code>"
            if isinstance(part, nodes.literal)
            else html.escape(part.astext())
            for part in title.children
        )
        place = section.parent.index(section)
        opened = nodes.raw("", f'<details class="kind"><summary>{words}</summary>', format="html")
        section.parent.insert(place, opened)
        section.parent.insert(place + 2, nodes.raw("", "</details>", format="html"))


def _depth(section: nodes.Element) -> int:
    depth, node = 0, section.parent
    while node is not None:
        depth += isinstance(node, nodes.section)
        node = node.parent
    return depth


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", fold, priority=900)  # after links are resolved
    return {"parallel_read_safe": True, "parallel_write_safe": True}
