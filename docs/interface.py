"""The programming interface: a page for every public object, written from its signature and docstring.

Each page has the signature, a table of arguments, an example that the tests run, what a class offers, and the pages that use
the object. All are written to docs/api before Sphinx reads, and only those that have changed.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from docstrings import Docstring, inline, parsed, restructured
from docutils import nodes
from sphinx.util.osutil import relative_uri

from zeromass.model.interface import interface_of

HERE = Path(__file__).parent
FOLDER = HERE / "api"

SPACES = {
    "zeromass": "Systems and runs",
    "zeromass.joints": "Joints, gears, ropes, wheels",
    "zeromass.bodies": "Bodies",
    "zeromass.shapes": "Shapes",
    "zeromass.surfaces": "Surfaces",
    "zeromass.control": "Control",
    "zeromass.analysis": "Analysis",
    "zeromass.study": "Studies",
    "zeromass.plot": "Figures",
    "zeromass.export": "Export",
    "zeromass.expression": "Formulas",
    "zeromass.errors": "Errors and warnings",
}
"""Namespaces of `zm`, each with its title, in the order of the list of all names."""

ROOMS = ("equation", "model", "mechanism", "contact", "compile", "integrate", "report", "scenario", "papers")
"""Packages whose other public names are types of results and what extensions use."""

OTHERS = "Types of results, and what extensions use"

MOST_USES = 6
"""Pages that an object's page leads to, those that name it most."""


@dataclass(frozen=True)
class Named:
    """A public object and the name by which a program reaches it."""

    name: str
    full: str
    space: str
    object: Any

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.object)

    @property
    def page(self) -> str:
        """The name of its page; that of a class and of a function differ in more than a capital letter."""
        short = self.full.removeprefix("zeromass.")
        return f"class-{short}" if self.is_class else short

    @property
    def said(self) -> str:
        """As a program says it."""
        return f"zm.{self.full.removeprefix('zeromass.')}" if self.space in SPACES else self.full

    @cached_property
    def signature(self) -> inspect.Signature | None:
        try:
            return inspect.signature(self.object)
        except (ValueError, TypeError):
            return None

    @cached_property
    def docstring(self) -> Docstring:
        names = list(self.signature.parameters) if self.signature else []
        if self.is_class:
            names += [
                name for cls in self.object.__mro__ for name in (*vars(cls), *vars(cls).get("__annotations__", ()))
            ]
        return parsed(inspect.getdoc(self.object) or "", names)


def public() -> list[Named]:
    """Everything public that is a class or a function, each once, by the shortest name that reaches it."""
    found: dict[int, Named] = {}
    for space in (*SPACES, *(f"zeromass.{room}" for room in ROOMS)):
        module = importlib.import_module(space)
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            home = getattr(value, "__module__", "") or ""
            if name[0] != "_" and home.startswith("zeromass.") and callable(value) and hasattr(value, "__name__"):
                found.setdefault(id(value), Named(name, f"{space}.{name}", space, value))
    return list(found.values())


# ---- one page


def page(it: Named, used: list[tuple[str, str]]) -> str:
    """The page of an object, in reStructuredText."""
    kind = "class" if it.is_class else "function"
    doc = it.docstring
    lines = [it.name, "=" * len(it.name), "", f".. py:{kind}:: {it.full}{_arguments(it.signature)}", ""]
    body = [inline(doc.first), "", *_table(it.signature, doc.arguments), *restructured(doc.text)]
    if doc.examples:
        body += [".. rubric:: Example", "", *restructured(doc.examples)]
    if it.is_class:
        body += _members(it.object)
    lines += ["   " + line if line else "" for line in body]
    if used:
        lines += [".. rubric:: Used in", "", *(f"- :doc:`{title} </{name}>`" for name, title in used), ""]
    lines += [f"Defined in ``{it.object.__module__}``.", ""]
    return "\n".join(lines)


def _arguments(signature: inspect.Signature | None, *, skip_self: bool = False) -> str:
    """A signature as it is typed in the source: types are shown in the table."""
    if signature is None:
        return "()"
    parameters = list(signature.parameters.values())[1 if skip_self else 0 :]
    bare = [one.replace(annotation=inspect.Parameter.empty, default=_Default.of(one)) for one in parameters]
    returned = _type(signature.return_annotation)
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text + (f" -> {returned}" if returned and returned != "None" else "")


class _Default:
    """A default value that prints short."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> Any:
        if parameter.default is inspect.Parameter.empty:
            return inspect.Parameter.empty
        text = repr(parameter.default)
        return cls(text if len(text) < 40 and not text.startswith("<") else "…")


def _type(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return text.strip("'\"").replace("_typing.", "").replace("np.ndarray", "ndarray")


def _table(signature: inspect.Signature | None, said: dict[str, str]) -> Iterator[str]:
    """The arguments with their types and defaults, and what the docstring says of them."""
    rows: list[tuple[str, str, str]] = []
    parameters = signature.parameters if signature else {}
    for name, one in parameters.items():
        default = _Default.of(one)
        kind = _type(one.annotation)
        shown = f"``{kind}``" if kind else ""
        if default is not inspect.Parameter.empty:
            shown += f"{', ' if shown else ''}default ``{default!r}``"
        rows.append((f"``{name}``", shown, inline(said.get(name, said.get(f"*{name}", "")))))
    rows += [(f"``{name}``", "", inline(text)) for name, text in said.items() if name.lstrip("*") not in parameters]
    if not rows:
        return
    yield from (".. list-table::", "   :class: arguments", "   :widths: auto", "")
    for name, kind, text in rows:
        yield f"   * - {name}"
        yield f"     - {text}" if text else f"     - {kind}" if kind else "     -"
        if text and kind:
            yield from ("", "       .. rst-class:: kind", "", f"       {kind}", "")
    yield ""


# ---- what a class offers


def _members(cls: type) -> Iterator[str]:
    """What its users call, in the order of its interface; of a class of `zm` that it derives from, the names alone."""
    listed = interface_of(cls)
    own: dict[str, Any] = {}
    inherited: dict[type, list[str]] = {}
    for base in cls.__mro__:
        if not base.__module__.startswith("zeromass"):
            continue
        for name, value in vars(base).items():
            if name[0] == "_" or _documented(value) is None or (listed and name not in listed):
                continue
            if name in own or any(name in names for names in inherited.values()):
                continue
            if base is cls or not _has_page(base):
                own[name] = value
            else:
                inherited.setdefault(base, []).append(name)
    if listed:
        own = {name: own[name] for name in listed if name in own}
    if own:
        yield from (".. rubric:: Methods and properties", "")
    for name, value in own.items():
        yield from _member(name, value)
    for base, names in inherited.items():
        page = f":doc:`zm.{base.__name__} <class-{base.__name__}>`"
        yield from (f".. rubric:: As of {base.__name__}", "", f"{page}: " + ", ".join(f"``{n}``" for n in names), "")


def _has_page(cls: type) -> bool:
    """Whether it is a class of `zm`, whose page says what it offers."""
    return getattr(importlib.import_module("zeromass"), cls.__name__, None) is cls


def _documented(value: Any) -> Any:
    """The function behind a method or property, if it has a docstring."""
    function = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
    return function if callable(function) and not inspect.isclass(function) and function.__doc__ else None


def _member(name: str, value: Any) -> Iterator[str]:
    function = _documented(value)
    is_method = inspect.isfunction(value) or isinstance(value, classmethod | staticmethod)
    signature = inspect.signature(function) if is_method else None
    doc = parsed(inspect.getdoc(function) or "", signature.parameters if signature else ())
    if is_method:
        arguments = _arguments(signature, skip_self=not isinstance(value, staticmethod))
        option = ["   :classmethod:"] if isinstance(value, classmethod) else []
        yield from (f".. py:method:: {name}{arguments}", *option, "")
    else:
        kind = _type(function.__annotations__.get("return", ""))
        yield from (f".. py:property:: {name}", *([f"   :type: {kind}"] if kind else []), "")
    rows = [inline(doc.first), ""]
    if doc.arguments and signature:
        shown = signature.replace(parameters=list(signature.parameters.values())[1:])
        rows += _table(shown, doc.arguments)
    rows += [*restructured(doc.text), *restructured(doc.examples)]
    yield from ("   " + row if row else "" for row in rows)


# ---- all pages


def index(objects: list[Named]) -> str:
    """The list of all names, by namespace, each with its first line."""
    lines = ["Programming interface", "=" * 21, ""]
    lines += ["Every name has a page: signature, arguments, an example that the tests run, and the pages that use it."]
    lines += ["``zm`` is ``import zeromass as zm``. One name is no function: ``zm.t`` is time as an expression.", ""]
    for title in dict.fromkeys([*SPACES.values(), OTHERS]):
        here = [it for it in objects if SPACES.get(it.space, OTHERS) == title]
        here = sorted(here, key=lambda it: (it.space, it.name.lower()))
        space = here[0].space.replace("zeromass", "zm", 1)
        heading = title if title in (OTHERS, SPACES["zeromass"]) else f"{title}: {space}"
        lines += [heading, "-" * len(heading), "", ".. list-table::", "   :class: names", "   :widths: auto", ""]
        for it in here:
            lines += [f"   * - :doc:`{it.said} <{it.page}>`", f"     - {inline(it.docstring.first)}"]
        lines += ["", ".. toctree::", "   :hidden:", f"   :caption: {title}", "", *(f"   {it.page}" for it in here), ""]
    return "\n".join(lines)


def uses(objects: list[Named]) -> dict[str, list[tuple[str, str]]]:
    """The pages, and their titles, whose code or text names each object; examples of the gallery among them."""
    pages = [*HERE.glob("guide/*.md"), *HERE.glob("course/*.md"), HERE / "tutorial.md"]
    found: dict[str, list[tuple[str, str]]] = {it.page: [] for it in objects}
    texts: list[tuple[str, str, str]] = []
    for path in sorted(page for page in pages if page.exists()):
        text = path.read_text(encoding="utf-8")
        texts.append((path.relative_to(HERE).with_suffix("").as_posix(), text.split("\n", 1)[0].lstrip("# "), text))
    for path in sorted((HERE.parent / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        texts.append((f"gallery/{path.stem}", text.split("\n", 2)[1].strip(), text))
    for it in objects:
        word = re.compile(rf"\b{re.escape(it.said)}\b")
        most = sorted(texts, key=lambda one: -len(word.findall(one[2])))[:MOST_USES]
        found[it.page] = [(name, title) for name, title, text in most if word.search(text)]
    return found


def write(app: Any) -> None:
    """All pages that differ from what is there; those of names that are gone are removed."""
    FOLDER.mkdir(exist_ok=True)
    objects = public()
    used = uses(objects)
    pages = {it.page: page(it, used[it.page]) for it in objects} | {"index": index(objects)}
    for path in FOLDER.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = FOLDER / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    app.zeromass_pages = {it.said: f"api/{it.page}" for it in objects}


def link_names(app: Any, doctree: Any, docname: str) -> None:
    """Code such as `zm.simulate` in a text leads to the page of that name."""
    for literal in list(doctree.findall(nodes.literal)):
        match = re.match(r"(?:zm|zeromass)(?:\.\w+)+", literal.astext())
        target = app.zeromass_pages.get(match.group()) if match else None
        if target is None or target == docname or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        uri = relative_uri(app.builder.get_target_uri(docname), app.builder.get_target_uri(target))
        reference = nodes.reference("", "", internal=True, refuri=uri)
        literal.replace_self(reference)
        reference += literal


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True}
