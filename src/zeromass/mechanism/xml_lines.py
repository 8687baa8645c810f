"""XML whose elements know the line they begin on, for messages that say where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from zeromass.errors import ModelError

DEEPEST = 300
"""Elements inside one another, but for those in CHAIN."""

CHAIN = "body"
"""What stands as deep in one another as a chain is long."""


@dataclass
class Element:
    """An element of a file, with what it holds."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    inside: list[Element] = field(default_factory=list)

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.path.name

    def error(self, words: str) -> ModelError:
        """What is wrong with it, and where it is."""
        return ModelError(f"{self.file}, line {self.line}: {words}")

    def all(self, tag: str) -> Iterator[Element]:
        """The elements of a tag directly inside."""
        return (one for one in self.inside if one.tag == tag)

    def one(self, tag: str) -> Element | None:
        """The first element of a tag directly inside, if there is any."""
        return next(self.all(tag), None)

    def word(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"<{self.tag}> has no {name}=…")
        return self.attributes[name]

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is a number."""
        if default is not None and name not in self.attributes:
            return default
        text = self.word(name)
        try:
            value = _number(text)
        except ValueError:
            raise self.error(f"{name}={text!r} of <{self.tag}> is no number") from None
        if not np.isfinite(value):
            raise self.error(f"{name}={text!r} of <{self.tag}> is not finite")
        return value

    def numbers(self, name: str) -> np.ndarray | None:
        """An attribute of any count of numbers; None where it is not there."""
        text = self.attributes.get(name)
        if text is None:
            return None
        try:
            values = np.array([_number(word) for word in text.split()])
        except ValueError:
            values = np.full(1, np.nan)
        if not np.all(np.isfinite(values)):
            raise self.error(f"{name}={text!r} of <{self.tag}> are no numbers")
        return values

    def vector(self, name: str, default: tuple[float, float, float]) -> np.ndarray:
        """An attribute of three numbers."""
        text = self.attributes.get(name)
        if text is None:
            return np.array(default)
        try:
            values = np.array([_number(word) for word in text.split()])
        except ValueError:
            values = np.empty(0)
        if values.shape != (3,) or not np.all(np.isfinite(values)):
            raise self.error(f"{name}={text!r} of <{self.tag}> is not three numbers")
        return values


def _number(text: str) -> float:
    """As in XML, where Python's 1_000 is none."""
    if "_" in text:
        raise ValueError
    return float(text)


def read_xml(path: str | Path) -> Element:
    """The outermost element of a file."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} can not be read: {error.strerror or error}") from None
    parser = expat.ParserCreate()
    root = Element("", {}, path, 1)
    open_, deep = [root], 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal deep
        new = Element(tag, attributes, path, parser.CurrentLineNumber)
        deep += tag != CHAIN
        if deep > DEEPEST:
            raise new.error(f"elements stand more than {DEEPEST} deep in one another, and only <{CHAIN}> may")
        open_[-1].inside.append(new)
        open_.append(new)

    def end(tag: str) -> None:
        nonlocal deep
        deep -= tag != CHAIN
        open_.pop()

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(f"{path.name}, line {error.lineno}: it is no XML: {expat.ErrorString(error.code)}") from None
    except LookupError as error:
        raise ModelError(f"{path.name}, line 1: it is no XML that can be read: {error}") from None
    return root.inside[0]
