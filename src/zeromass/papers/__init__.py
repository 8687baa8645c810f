"""The worked examples of the source papers, as data; nothing else may know them."""

from zeromass.lazy import attach as _attach

_attach(__name__)
